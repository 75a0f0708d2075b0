//! `browser_act`: one thing in plain words, in the toolset whose other tools have a name for each action.

use serde_json::{Value, json};

use crate::dialects::{
    pages,
    transcript::{Row, SOON, Transcript, fails, fine, has_logged, row, through_every_front},
};

fn act(instruction: &str) -> Row {
    row("browser_act", json!({"instruction": instruction}), |answer| {
        assert_eq!(answer["ok"], true, "{answer}");
    })
}

fn logged(text: &'static str) -> Row {
    row("browser_snapshot", json!({}), move |answer| has_logged(&answer["data"]["snapshot"]["text"], text))
}

pub(crate) fn plain_words() -> Transcript {
    let secret = |answer: &Value| assert!(!answer.to_string().contains("hunter2"), "{answer}");
    Transcript {
        toolset: "browser",
        settings: &["--element-timeout", SOON],
        needs_whole_browser: false,
        rows: vec![
            fine("browser_navigate", json!({"url": pages::form()})),
            act("click Go"),
            logged("click 1"),
            row("browser_act", json!({"instruction": "double-click Go"}), |answer| {
                assert!(answer["data"]["delta"]["text"].to_string().contains("click 2"), "{answer}");
            }),
            row("browser_act", json!({"instruction": "type 'hunter2' into the password field"}), secret),
            logged("secret 7"),
            act("在Name输入框输入“李雷”"),
            logged("name 李雷"),
            act("勾选Terms"),
            logged("terms true"),
            act("从Colour选择“Blue”"),
            logged("colour Blue"),
            act("在Name输入框中按回车"),
            logged("key Enter"),
            act("drag the Card to the Bin"),
            logged("dropped"),
            act("scroll to the Next page link"),
            act("向下滚动200像素"),
            fails("browser_act", json!({"instruction": "hunter2"}), "INVALID_INPUT"),
            row("browser_act", json!({"instruction": "type hunter2 in the unicorn field"}), move |answer| {
                assert_eq!(answer["error"]["code"], "ELEMENT_NOT_FOUND", "{answer}");
                secret(answer);
            }),
            fails("browser_act", json!({}), "INVALID_INPUT"),
        ],
    }
}

through_every_front! { plain_words }
