//! Sentences and what they mean, as the actions' own JSON.

use contract::{Code, in_full};
use serde_json::{Value, json};

use super::action;

#[track_caller]
fn check(text: &str, expected: &Value) {
    let action = action(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut read = in_full(|| serde_json::to_value(&action).unwrap());
    // What every such action says if nothing is said.
    let object = read.as_object_mut().unwrap();
    for (name, usual) in [
        ("button", json!("left")),
        ("until", json!("usual")),
        ("by", json!("any")),
        ("ignore_cache", json!(false)),
        ("state", json!("visible")),
    ] {
        if object.get(name) == Some(&usual) {
            object.remove(name);
        }
    }
    assert_eq!(&read, expected, "{text}");
}

#[test]
fn clicks() {
    let click = |target: &str| json!({"action": "click", "target": target});
    for (text, target) in [
        ("click the Save button", "the Save button"),
        ("Click on the \"Sign in\" link.", "the \"Sign in\" link"),
        ("please tap Next", "Next"),
        ("click e12", "e12"),
        ("click css=#go", "css=#go"),
        ("click at 10,20", "10,20"),
        ("press the Save button", "the Save button"),
        ("open the File menu", "the File menu"),
        ("go to the Settings tab", "the Settings tab"),
        ("select the second result", "the second result"),
        ("click the \"Save and press on\" button", "the \"Save and press on\" button"),
        ("click Alice's row", "Alice's row"),
        ("点击登录按钮", "登录按钮"),
        ("请点击“提交订单”按钮。", "“提交订单”按钮"),
        ("按下登录按钮", "登录按钮"),
        ("按确认按钮", "确认按钮"),
        ("打开设置菜单", "设置菜单"),
        ("选择第二项", "第二项"),
        ("在订单列表中点击删除按钮", "订单列表的删除按钮"),
    ] {
        check(text, &click(target));
    }
    check("double-click the title", &json!({"action": "click", "target": "the title", "double": true}));
    check("双击标题", &json!({"action": "click", "target": "标题", "double": true}));
    check(
        "Right click on report.pdf",
        &json!({"action": "click", "target": "report.pdf", "button": "right"}),
    );
    check("右键点击文件", &json!({"action": "click", "target": "文件", "button": "right"}));
    check("long press Delete for 2 seconds", &json!({"action": "click", "target": "Delete", "hold": "2s"}));
    check("click and hold Delete", &json!({"action": "click", "target": "Delete", "hold": "1s"}));
    check("hover over Products", &json!({"action": "hover", "target": "Products"}));
    check("把鼠标移到产品上", &json!({"action": "hover", "target": "产品"}));
    check("悬停在菜单上", &json!({"action": "hover", "target": "菜单"}));
    check("drag the Write card to Done", &json!({"action": "drag", "from": "the Write card", "to": "Done"}));
    check("把卡片拖到完成列中", &json!({"action": "drag", "from": "卡片", "to": "完成列"}));
}

#[test]
fn texts() {
    let fill = |target: &str, text: &str| json!({"action": "fill", "target": target, "text": text});
    for (text, target, typed) in [
        ("type \"in Berlin\" into the search box", "the search box", "in Berlin"),
        ("type hello world into the search box", "the search box", "hello world"),
        ("Enter 42 in the amount field", "the amount field", "42"),
        ("type 'it's into' into Name", "Name", "it's into"),
        ("fill the name field with Bob", "the name field", "Bob"),
        ("fill in the name field with \"Bob with hat\"", "the name field", "Bob with hat"),
        ("fill \"a with b\" with \"  exact  \"", "\"a with b\"", "  exact  "),
        ("type \"Bob\" in the name field in the form", "the name field in the form", "Bob"),
        ("type Bob into the name field in the form", "the name field in the form", "Bob"),
        ("fill the field with a star with \"Bob\"", "the field with a star", "Bob"),
        ("fill Bob into the name field", "the name field", "Bob"),
        ("set the volume to 50", "the volume", "50"),
        ("type the text \"x, y\" into e4", "e4", "x, y"),
        ("type \"\" into e4", "e4", ""),
        ("clear the search box", "the search box", ""),
        ("在搜索框输入天气", "搜索框", "天气"),
        ("请在最高价输入框输入500", "最高价输入框", "500"),
        ("在“验证码”输入框里填写“输入 1”", "“验证码”输入框", "输入 1"),
        ("往姓名里填写：李雷", "姓名", "李雷"),
        ("把音量调到50", "音量", "50"),
        ("将“北京”填入城市框", "城市框", "北京"),
        ("输入“天气”到搜索框", "搜索框", "天气"),
        ("清空备注", "备注", ""),
    ] {
        check(text, &fill(target, typed));
    }
    let sent =
        |target: &str, text: &str| json!({"action": "fill", "target": target, "text": text, "submit": true});
    check("type kettle into the search box and press Enter", &sent("the search box", "kettle"));
    check("type \"a\" into Search, then press enter", &sent("Search", "a"));
    check("在搜索框输入天气并按回车", &sent("搜索框", "天气"));
    check("在搜索框输入“天气”，然后按回车", &sent("搜索框", "天气"));
    check("type \"hello\"", &json!({"action": "type", "text": "hello"}));
    check("输入到此一游", &json!({"action": "type", "text": "到此一游"}));
    check("type \"and press Enter\" into Note", &fill("Note", "and press Enter"));
}

#[test]
fn choices() {
    let select = |target: &str, value: &str| json!({"action": "select", "target": target, "values": [value]});
    check("select Blue from the Colour list", &select("the Colour list", "Blue"));
    check("choose the \"Made in China\" option from Origin", &select("Origin", "Made in China"));
    check("select the option \"Made in China\" from Origin", &select("Origin", "Made in China"));
    check("select the Blue option in Colour", &select("Colour", "Blue"));
    check("从颜色列表中选择“蓝色”", &select("颜色列表", "蓝色"));
    check("在城市里选择北京", &select("城市", "北京"));
    check("选择国家为日本", &select("国家", "日本"));
    check("选择“日本”作为国家", &select("国家", "日本"));
    check("把国家选为日本", &select("国家", "日本"));
    for (text, target) in [
        ("check the Terms box", "the Terms box"),
        ("tick e5", "e5"),
        ("select the Remember me checkbox", "the Remember me checkbox"),
        ("select the Remember me checkbox in the form", "the Remember me checkbox in the form"),
    ] {
        check(text, &json!({"action": "check", "target": target}));
    }
    check("勾选同意条款", &json!({"action": "check", "target": "同意条款"}));
    check("选中记住我复选框", &json!({"action": "check", "target": "记住我复选框"}));
    check("uncheck Newsletter", &json!({"action": "uncheck", "target": "Newsletter"}));
    check("取消勾选订阅", &json!({"action": "uncheck", "target": "订阅"}));
}

#[test]
fn keys() {
    let press = |keys: &str| json!({"action": "press", "keys": keys});
    for (text, keys) in [
        ("press Enter", "Enter"),
        ("hit the enter key", "enter"),
        ("press Control+a", "Control+a"),
        ("press \"Shift+Tab\"", "Shift+Tab"),
        ("按回车", "回车"),
        ("按下 Esc 键", "Esc"),
        ("按空格键", "Space"),
        ("按下方向键", "ArrowDown"),
    ] {
        check(text, &press(keys));
    }
    check("press Tab 3 times", &json!({"action": "press", "keys": "Tab", "repeat": 3}));
    check("press ArrowDown twice", &json!({"action": "press", "keys": "ArrowDown", "repeat": 2}));
    check("按三次Tab键", &json!({"action": "press", "keys": "Tab", "repeat": 3}));
    check("按回车2次", &json!({"action": "press", "keys": "回车", "repeat": 2}));
    check(
        "press Enter in the search box",
        &json!({"action": "press", "keys": "Enter", "target": "the search box"}),
    );
    check("在搜索框中按回车", &json!({"action": "press", "keys": "回车", "target": "搜索框"}));
}

#[test]
fn ways() {
    let scroll = |more: &Value| {
        let mut scroll = json!({"action": "scroll"});
        scroll.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        scroll
    };
    for (text, more) in [
        ("scroll down", json!({"direction": "down"})),
        ("scroll", json!({"direction": "down"})),
        ("scroll up by 300 pixels", json!({"direction": "up", "pixels": 300.0})),
        ("scroll down 50%", json!({"direction": "down", "percent": 50.0})),
        ("scroll down a page", json!({"direction": "down", "percent": 100.0})),
        ("scroll down in the result list", json!({"direction": "down", "target": "the result list"})),
        ("scroll the list up", json!({"direction": "up", "target": "the list"})),
        ("scroll to the bottom of the page", json!({"to": "bottom"})),
        ("scroll to the Prices heading", json!({"target": "the Prices heading"})),
        ("scroll down to Prices", json!({"target": "Prices"})),
        ("scroll Prices into view", json!({"target": "Prices"})),
        ("向下滚动", json!({"direction": "down"})),
        ("向上滚动200像素", json!({"direction": "up", "pixels": 200.0})),
        ("向下滚动两屏", json!({"direction": "down", "percent": 200.0})),
        ("滚动到页面底部", json!({"to": "bottom"})),
        ("滚动到价格", json!({"target": "价格"})),
        ("在列表中向下滚动", json!({"direction": "down", "target": "列表"})),
    ] {
        check(text, &scroll(&more));
    }
    let goto = |url: &str| json!({"action": "goto", "url": url});
    check("go to https://example.com/a?b=c", &goto("https://example.com/a?b=c"));
    check("open example.com", &goto("https://example.com"));
    check("visit localhost:3000/x", &goto("http://localhost:3000/x"));
    check("navigate to 127.0.0.1:80", &goto("http://127.0.0.1:80"));
    check("打开 https://example.com", &goto("https://example.com"));
    check("访问example.com", &goto("https://example.com"));
    check("go to javascript://x", &goto("javascript://x"));
    for text in ["go back", "返回", "返回上一页", "Go back to the previous page"] {
        check(text, &json!({"action": "back"}));
    }
    check("go forward", &json!({"action": "forward"}));
    check("reload the page", &json!({"action": "reload"}));
    check("刷新", &json!({"action": "reload"}));
}

#[test]
fn waits() {
    check("wait 2 seconds", &json!({"action": "wait", "until": "2s"}));
    check("wait for 500 ms", &json!({"action": "wait", "until": "500ms"}));
    check("wait three seconds", &json!({"action": "wait", "until": "3s"}));
    check("等待2秒", &json!({"action": "wait", "until": "2s"}));
    check("等半分钟", &json!({"action": "wait", "until": "30s"}));
    check("wait for the page to load", &json!({"action": "wait", "until": "load"}));
    check("wait until \"Saved\" appears", &json!({"action": "wait", "text": "Saved"}));
    check("wait for \"Loading\" to disappear", &json!({"action": "wait", "gone": "Loading"}));
    check("等待“保存成功”出现", &json!({"action": "wait", "text": "保存成功"}));
    check("wait for the Save button", &json!({"action": "wait", "target": "the Save button"}));
    check("accept the dialog", &json!({"action": "dialog", "answer": "accept"}));
}

#[test]
fn what_is_not_understood_is_refused_without_its_words() {
    for text in [
        "",
        "  ",
        "hunter2",
        "click",
        "点击",
        "type",
        "make me a sandwich",
        "check if hunter2 is there",
        "check out",
        "scroll sideways",
        "select hunter2 from",
        "submit hunter2",
        "wait",
        "等待",
        "fill hunter2",
        "set hunter2",
        "drag hunter2",
        "accept hunter2",
        "scroll down by hunter2",
        "click \"a\" and then type hunter2 into b",
        "type hunter2 into a and click b",
        "点击甲然后点击乙",
        "点击甲，再输入hunter2",
        "click a and press Enter",
        "返回首页的按钮",
        "fill the field with a star with hunter2",
        "type hunter2 in the name field in the form",
        "set the hours to 9 to hunter2",
    ] {
        let error = action(text).map(|action| super::told(&action)).unwrap_err();
        assert_eq!(error.code, Code::InvalidInput, "{text}");
        assert!(!format!("{error:?}").contains("hunter2"), "{text}: {error:?}");
        assert!(!error.hint().is_empty(), "{text}");
    }
}

#[test]
fn what_is_told_holds_no_typed_text() {
    for text in [
        "type hunter2 into the password field",
        "fill e4 with hunter2",
        "type hunter2",
        "在密码框输入hunter2",
        "set e4 to hunter2",
    ] {
        let told = super::told(&action(text).unwrap());
        assert!(told.contains("7 characters") && !told.contains("hunter2"), "{text}: {told}");
    }
}

proptest::proptest! {
    #[test]
    fn every_text_is_an_action_or_an_error(text in ".*") {
        let _ = action(&text);
    }

    #[test]
    fn verbs_with_anything_are_actions_or_errors(
        verb in proptest::sample::select(vec![
            "click ", "type ", "fill ", "select ", "press ", "scroll ", "wait ", "go to ", "drag ", "在", "把", "输入", "按", "等", "向下滚动",
        ]),
        rest in "[\"'“”‘’ a-z0-9输入框到为次下按秒,.]*",
    ) {
        let _ = action(&format!("{verb}{rest}"));
    }
}
