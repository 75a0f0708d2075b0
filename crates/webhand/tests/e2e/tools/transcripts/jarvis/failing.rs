//! What is waited for and for how long, and what cannot be done.

use std::time::Instant;

use serde_json::{Value, json};

use super::{TOOL, at, done, quick, refused, saved, start};
use crate::tools::transcript::{SOON, Transcript, World};

pub(crate) fn network_idle(world: &World) -> Transcript {
    let url = world.site.url("/fetch-chain.html?n=4&ms=200&test=jarvis-idle");
    let long = world.site.url("/fetch-chain.html?n=200&ms=200&test=jarvis-idle-long");
    let html = |mut args: Value| {
        args["content_mode"] = json!("html");
        args
    };
    start()
        .call(TOOL, html(json!({"action": "navigate", "url": url})), |answer| {
            assert!(saved(answer).contains(">done</p>"), "all requests are over");
            assert!(!answer.text("/stdout").contains("超时"));
        })
        .call(TOOL, html(quick(json!({"action": "navigate", "url": long}))), |answer| {
            assert!(!saved(answer).contains(">done</p>"), "this one did not wait for them");
        })
}

pub(crate) fn timeout_waits_that_long(world: &World) -> Transcript {
    let began = Instant::now();
    let url = world.site.page("wait", "<p>wait</p>");
    start().call(
        TOOL,
        json!({"action": "navigate", "url": url, "wait_condition": "timeout", "timeout": 1.5}),
        move |answer| {
            done(1)(answer);
            assert!(began.elapsed().as_secs_f64() >= 1.5);
        },
    )
}

pub(crate) fn timeouts_protect(world: &World) -> Transcript {
    let began = Instant::now();
    let busy = world.site.url("/hang-image.html?test=jarvis");
    let hang = world.site.url("/hang?test=jarvis");
    start()
        .call(TOOL, json!({"action": "navigate", "url": busy, "timeout": 8}), |answer| {
            done(1)(answer);
            answer.holds("/stdout", &["已导航到", "等待 network_idle 超时（8 秒）", "保存的是当前内容"]);
        })
        .call(
            TOOL,
            json!({"action": "navigate", "url": hang, "timeout": 1}),
            refused(&["操作超时", "TIMEOUT", "原页面保持不变"]),
        )
        .call(
            TOOL,
            quick(json!({"action": "navigate", "url": world.site.page("after", "after")})),
            move |answer| {
                done(1)(answer);
                assert!(began.elapsed().as_secs_f64() < 50.0, "it did not take the default time");
            },
        )
        .call(
            TOOL,
            json!({"action": "click", "selector": "p", "timeout": -1}),
            refused(&["timeout", "INVALID_INPUT"]),
        )
        .call(
            TOOL,
            json!({"action": "click", "selector": "p", "timeout": 0}),
            refused(&["timeout", "INVALID_INPUT"]),
        )
        .call(TOOL, json!({"action": "click", "selector": "p", "timeout": 1e99}), refused(&["timeout"]))
        .call(
            TOOL,
            json!({"action": "click", "selector": "p", "wait_condition": "soon"}),
            refused(&["wait_condition", "network_idle", "INVALID_INPUT"]),
        )
        .call(
            TOOL,
            json!({"action": "click", "selector": "p", "content_mode": "pdf"}),
            refused(&["content_mode", "abstract", "INVALID_INPUT"]),
        )
}

/// A page that does not answer is not saved, and nothing says that it was, nor that more time would help.
pub(crate) fn a_page_that_does_not_answer(world: &World) -> Transcript {
    let endless = world.site.page("endless", "<p>before</p><script>while (true);</script>");
    start().call(TOOL, json!({"action": "navigate", "url": endless, "timeout": 4}), |answer| {
        refused(&["TIMEOUT", "页面没有响应"])(answer);
        answer.holds("/stdout", &["已导航到", "页面内容未能保存"]);
        for untrue in ["保存的是当前内容", "请增大 timeout"] {
            assert!(!answer.value.to_string().contains(untrue), "{}", answer.value);
        }
    })
}

pub(crate) fn not_launched(world: &World) -> Transcript {
    let url = world.site.page("x", "x");
    let refused = || refused(&["浏览器 [未知] 未启动", "SESSION_NOT_FOUND", "action=launch"]);
    let named = |mut args: Value| {
        args["browser_id"] = json!("未知");
        args
    };
    Transcript::of("jarvis")
        .call(TOOL, named(json!({"action": "navigate", "url": url})), refused())
        .call(TOOL, named(json!({"action": "click", "selector": "p"})), refused())
        .call(TOOL, named(json!({"action": "type", "selector": "p", "text": "correct horse"})), refused())
        .call(TOOL, named(json!({"action": "screenshot"})), refused())
        .call(TOOL, json!({"action": "list"}), |answer| {
            done(0)(answer);
            assert_eq!(answer.text("/stdout"), "没有活跃的浏览器会话");
        })
}

pub(crate) fn missing_elements(world: &World) -> Transcript {
    let body = "<button disabled>No</button><p>text</p><input id=a><input id=b><button hidden id=h>x</button>\
         <select id=country><option>中国<option>美国</select>";
    at(&world.site.page("few", body))
        .with("element-timeout", SOON)
        .call(
            TOOL,
            json!({"action": "click", "selector": "#missing"}),
            refused(&["未找到元素: #missing", "ELEMENT_NOT_FOUND", "建议: "]),
        )
        .call(
            TOOL,
            json!({"action": "type", "selector": "//input[@id='c']", "text": "correct horse"}),
            |answer| {
                refused(&["未找到元素: //input[@id='c']", "ELEMENT_NOT_FOUND"])(answer);
                assert!(!answer.value.to_string().contains("horse"), "{}", answer.value);
            },
        )
        .call(
            TOOL,
            json!({"action": "click", "selector": "input"}),
            refused(&["多个元素", "ELEMENT_AMBIGUOUS", "共匹配 2 个元素"]),
        )
        .call(
            TOOL,
            json!({"action": "type", "selector": "#country", "text": "法国"}),
            refused(&["列表中没有该选项: #country", "ELEMENT_NOT_FOUND", "\"中国\"，\"美国\""]),
        )
        .call(
            TOOL,
            json!({"action": "click", "selector": "button[disabled]"}),
            refused(&["ELEMENT_NOT_ENABLED"]),
        )
        .call(TOOL, json!({"action": "click", "selector": "#h"}), refused(&["不可见", "ELEMENT_NOT_VISIBLE"]))
        .call(
            TOOL,
            json!({"action": "type", "selector": "p", "text": "x"}),
            refused(&["ELEMENT_NOT_EDITABLE"]),
        )
        .call(TOOL, json!({"action": "click", "selector": "a[["}), refused(&["INVALID_INPUT"]))
        .call(TOOL, json!({"action": "click"}), refused(&["缺少参数: selector", "INVALID_INPUT"]))
        .call(TOOL, json!({"action": "type", "selector": "p"}), refused(&["缺少参数: text", "INVALID_INPUT"]))
}

pub(crate) fn invalid_urls(world: &World) -> Transcript {
    let mut transcript = start();
    for url in ["example.com", "ftp://example.com", "file:///etc/passwd", "javascript:alert(1)", ""] {
        transcript = transcript.call(TOOL, json!({"action": "navigate", "url": url}), move |answer| {
            refused(&["，必须以 http:// 或 https:// 开头", "INVALID_INPUT"])(answer);
            answer.holds("/stderr", &[&format!("无效的 URL: {url}，")]);
        });
    }
    transcript
        .call(TOOL, json!({"action": "navigate"}), refused(&["缺少参数: url"]))
        .call(TOOL, json!({"action": "navigate", "url": "http://"}), refused(&["INVALID_INPUT"]))
        .call(TOOL, json!({"action": "navigate", "url": "http://user:secret@127.0.0.1/"}), |answer| {
            refused(&["NAVIGATION_BLOCKED"])(answer);
            assert!(!answer.value.to_string().contains("secret"), "{}", answer.value);
        })
        .call(
            TOOL,
            json!({"action": "navigate", "url": world.site.refused_url()}),
            refused(&["NAVIGATION_FAILED", "ERR_"]),
        )
}

pub(crate) fn no_browser(_: &World) -> Transcript {
    Transcript::of("jarvis").with("browser", "/nowhere/chromium").call(
        TOOL,
        json!({"action": "launch"}),
        refused(&["浏览器未安装", "BROWSER_NOT_INSTALLED", "webhand install"]),
    )
}

pub(crate) fn what_is_ignored_is_told(world: &World) -> Transcript {
    let url = world.site.page("x", "x");
    Transcript::of("jarvis")
        .call(TOOL, json!({"action": "launch", "url": url, "selector": "p"}), |answer| {
            done(1)(answer);
            answer.holds("/stdout", &["参数 url 仅 action=navigate 时有效，已忽略", "参数 selector 仅"]);
        })
        .call(TOOL, json!({"action": "fly"}), refused(&["INVALID_INPUT", "launch"]))
        .call(TOOL, json!({}), refused(&["INVALID_INPUT", "action"]))
        .call(TOOL, json!({"action": "list", "colour": "red"}), refused(&["INVALID_INPUT", "colour"]))
        .call(TOOL, json!({"action": 7}), refused(&["INVALID_INPUT"]))
        .call(TOOL, json!([]), refused(&["INVALID_INPUT"]))
}
