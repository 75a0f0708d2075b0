//! `stagehand`, in both modes.

use serde_json::{Value, json};

use crate::dialects::{
    pages,
    transcript::{Row, SOON, Transcript, fails, fine, has_logged, holds, row, says, through_every_front},
};
use crate::support::{Home, site};

fn dom(rows: Vec<Row>) -> Transcript {
    Transcript::of("stagehand", &["--mode", "dom"], rows)
}

/// Where elements are missing, which is waited for.
fn with_missing(rows: Vec<Row>) -> Transcript {
    Transcript { settings: &["--mode", "dom", "--element-timeout", SOON], ..dom(rows) }
}

fn hybrid(rows: Vec<Row>) -> Transcript {
    Transcript::of("stagehand", &["--mode", "hybrid"], rows)
}

/// The page's own account of what happened to it.
fn logged(text: &'static str) -> Row {
    row("ariaTree", json!({}), move |answer| has_logged(&answer["data"]["content"], text))
}

fn silent(secret: &'static str) -> impl Fn(&Value) {
    move |answer| assert!(!answer.to_string().contains(secret), "{answer}")
}

pub(crate) fn act_in_words() -> Transcript {
    let success = |action: &str| holds(json!({"/ok": true, "/data/success": true, "/data/action": action}));
    dom(vec![
        row(
            "goto",
            json!({"url": pages::form()}),
            holds(json!({"/ok": true, "/data/success": true, "/data/url": pages::form()})),
        ),
        row("act", json!({"action": "click the Go button"}), |answer| {
            holds(
                json!({"/data/success": true, "/data/action": "click the Go button", "/data/playwrightArguments/method": "click"}),
            )(answer);
            assert!(answer["data"]["playwrightArguments"]["selector"].is_string(), "{answer}");
        }),
        logged("click 1"),
        row("act", json!({"action": "双击Go按钮"}), success("double-click Go按钮")),
        logged("click 2"),
        row("act", json!({"action": "right-click Go"}), success("click Go")),
        logged("menu"),
        row("act", json!({"action": "hover over Go"}), success("hover over Go")),
        row("act", json!({"action": "type 'Ann Lee' into the name field"}), |answer| {
            holds(
                json!({"/data/action": "fill the name field with 7 characters", "/data/playwrightArguments/arguments/0": "7 characters"}),
            )(answer);
            silent("Ann Lee")(answer);
        }),
        logged("name Ann Lee"),
        row("act", json!({"action": "在Password输入框输入“hunter2”"}), silent("hunter2")),
        logged("secret 7"),
        row("ariaTree", json!({}), silent("hunter2")),
        row("act", json!({"action": "check Terms"}), success("check Terms")),
        logged("terms true"),
        row("act", json!({"action": "取消勾选Terms"}), success("uncheck Terms")),
        logged("terms false"),
        row(
            "act",
            json!({"action": "select Blue from the Colour list"}),
            success("select \"Blue\" from the Colour list"),
        ),
        logged("colour Blue"),
        row(
            "act",
            json!({"action": "press Enter in the name field"}),
            success("press keys in the name field"),
        ),
        logged("key Enter"),
        row("act", json!({"action": "scroll down"}), success("scroll down")),
        row("act", json!({"action": "click Next page"}), success("click Next page")),
        row("ariaTree", json!({}), says("heading \\\"next\\\"")),
        row("act", json!({"action": "返回"}), success("back")),
        row("ariaTree", json!({}), says("/page?title=form")),
        row("act", json!({"action": "wait 10 ms"}), success("wait")),
        row("act", json!({"action": format!("go to {}", site().page("third", ""))}), |answer| {
            assert_eq!(answer["data"]["success"], true, "{answer}");
        }),
    ])
}

pub(crate) fn what_cannot_be_done_says_why() -> Transcript {
    with_missing(vec![
        fine("goto", json!({"url": pages::trouble()})),
        row("act", json!({"action": "click Twin"}), |answer| {
            holds(
                json!({"/ok": false, "/data/success": false, "/data/action": "click Twin", "/error/code": "ELEMENT_AMBIGUOUS", "/error/retriable": false}),
            )(answer);
            assert_eq!(answer["data"]["candidates"].as_array().unwrap().len(), 2, "{answer}");
            assert_eq!(answer["data"]["error"], answer["error"]["message"]);
        }),
        fails("act", json!({"action": "click the unicorn"}), "ELEMENT_NOT_FOUND"),
        row("act", json!({"action": "type hunter2 into Fixed"}), |answer| {
            holds(json!({"/error/code": "ELEMENT_NOT_EDITABLE"}))(answer);
            silent("hunter2")(answer);
        }),
        row("act", json!({"action": "make hunter2 happen"}), |answer| {
            holds(json!({"/ok": false, "/data/success": false, "/error/code": "INVALID_INPUT"}))(answer);
            assert_eq!(answer["data"]["error"], answer["error"]["message"]);
            silent("hunter2")(answer);
            says("type \\\"text\\\" into X")(answer);
        }),
        fails("act", json!({"action": "click Twin and then click Ask"}), "INVALID_INPUT"),
        row(
            "act",
            json!({"action": "click Ask"}),
            says("confirm dialog \\\"sure?\\\" is open; answer it with act"),
        ),
        row("act", json!({"action": "click Remove"}), |answer| {
            holds(json!({"/error/code": "DIALOG_OPEN"}))(answer);
            says("accept the dialog")(answer);
        }),
        fine("act", json!({"action": "accept the dialog"})),
        logged("answered true"),
        fails("goto", json!({"url": site().refused_url()}), "NAVIGATION_FAILED"),
        fails("goto", json!({"url": "ftp://example.com/"}), "NAVIGATION_BLOCKED"),
        fails("goto", json!({}), "INVALID_INPUT"),
        row("goto", json!({"url": site().url("/status/404")}), says("HTTP status 404")),
        fails("ariaTree", json!({"extra": 1}), "INVALID_INPUT"),
        fails("nonsense", json!({}), "UNKNOWN_TOOL"),
        row("click", json!({"describe": "x", "coordinates": [1, 1]}), |answer| {
            holds(json!({"/error/code": "UNKNOWN_TOOL"}))(answer);
            says("another mode")(answer);
        }),
        fails("search", json!({"query": "x"}), "UNKNOWN_TOOL"),
    ])
}

pub(crate) fn keys_scrolls_and_waits() -> Transcript {
    dom(vec![
        fine("goto", json!({"url": pages::form()})),
        fine("act", json!({"action": "click the name field"})),
        row("keys", json!({"method": "type", "value": "hunter2"}), |answer| {
            holds(
                json!({"/data/success": true, "/data/method": "type", "/data/value": "7 characters", "/data/times": 1}),
            )(answer);
        }),
        logged("name hunter2"),
        row(
            "keys",
            json!({"method": "press", "value": "Backspace", "repeat": 3}),
            holds(json!({"/data/value": "Backspace", "/data/times": 3})),
        ),
        logged("name hunt;"),
        row(
            "keys",
            json!({"method": "type", "value": "ab", "repeat": 2}),
            holds(json!({"/data/value": "2 characters", "/data/times": 2})),
        ),
        logged("name huntabab"),
        row(
            "keys",
            json!({"method": "press", "value": "Control+a"}),
            holds(json!({"/data/value": "Control+a"})),
        ),
        row("keys", json!({"method": "press", "value": "x"}), holds(json!({"/data/value": "1 character"}))),
        logged("name x;"),
        row("keys", json!({"method": "press", "value": "hunter2"}), |answer| {
            holds(json!({"/ok": false, "/error/code": "INVALID_INPUT"}))(answer);
            assert_eq!(answer["data"]["value"], "7 characters");
        }),
        fails("keys", json!({"method": "press", "value": "Enter", "repeat": 0}), "INVALID_INPUT"),
        fails("keys", json!({"method": "hold", "value": "Enter"}), "INVALID_INPUT"),
        row(
            "scroll",
            json!({"direction": "down"}),
            holds(
                json!({"/data/success": true, "/data/scrolledPixels": 576.0, "/data/message": "scrolled down by 576 pixels"}),
            ),
        ),
        row(
            "scroll",
            json!({"direction": "up", "percentage": 50}),
            holds(json!({"/data/scrolledPixels": 360.0})),
        ),
        fine("scroll", json!({"direction": "up", "percentage": 100})),
        row("scroll", json!({"direction": "up"}), |answer| {
            holds(json!({"/ok": true, "/data/scrolledPixels": 0.0}))(answer);
            says("nothing was scrolled")(answer);
        }),
        fails("scroll", json!({"direction": "down", "percentage": -1}), "INVALID_INPUT"),
        fails("scroll", json!({"direction": "sideways"}), "INVALID_INPUT"),
        fails("scroll", json!({"direction": "down", "coordinates": [1, 1]}), "INVALID_INPUT"),
        row(
            "wait",
            json!({"timeMs": 20}),
            holds(json!({"/ok": true, "/data/success": true, "/data/waited": 20})),
        ),
        fails("wait", json!({"timeMs": -1}), "INVALID_INPUT"),
        fails("wait", json!({"timeMs": 99_999_999}), "INVALID_INPUT"),
        fine("goto", json!({"url": site().page("second", "")})),
        row(
            "navback",
            json!({"reasoningText": "wrong page"}),
            holds(json!({"/ok": true, "/data/success": true, "/data/url": pages::form()})),
        ),
    ])
}

pub(crate) fn forms_in_words() -> Transcript {
    with_missing(vec![
        fine("goto", json!({"url": pages::form()})),
        row(
            "fillForm",
            json!({"fields": [
                {"action": "type Ann into the name field", "value": "Ann"},
                {"action": "the password field", "value": "hunter2"},
                {"action": "check Terms"},
                {"action": "选择Colour", "value": "Blue"},
            ]}),
            |answer| {
                holds(json!({
                    "/ok": true, "/data/success": true,
                    "/data/actions": ["type [3 characters] into the name field", "the password field", "check Terms", "选择Colour"],
                    "/data/playwrightArguments/1/arguments": ["7 characters"],
                }))(answer);
                silent("hunter2")(answer);
            },
        ),
        logged("name Ann; secret 7; terms true; colour Blue;"),
        // What an action has in quotes is meant word for word; what it says otherwise does not contradict the value silently.
        fine("fillForm", json!({"fields": [{"action": "type \"abc\" into the name field", "value": "xyz"}]})),
        logged("name abc"),
        fine("fillForm", json!({"fields": [{"action": "type \"abcd\" into the name field", "value": ""}]})),
        logged("name abcd"),
        fails(
            "fillForm",
            json!({"fields": [{"action": "type abc into the name field", "value": "xyz"}]}),
            "INVALID_INPUT",
        ),
        row(
            "fillForm",
            json!({"fields": [{"action": "fill Name with 'Bob'"}, {"action": "the unicorn field", "value": "hunter2"}]}),
            |answer| {
                holds(json!({"/ok": false, "/data/success": false, "/error/code": "ELEMENT_NOT_FOUND"}))(
                    answer,
                );
                silent("hunter2")(answer);
            },
        ),
        row("ariaTree", json!({}), |answer| {
            assert!(!answer.to_string().contains("Bob"), "all or none: {answer}");
        }),
        fails("fillForm", json!({"fields": []}), "INVALID_INPUT"),
        fails("fillForm", json!({"fields": [{"action": "the name field"}]}), "INVALID_INPUT"),
        fails("fillForm", json!({"fields": [{"value": "x"}]}), "INVALID_INPUT"),
    ])
}

pub(crate) fn reading() -> Transcript {
    with_missing(vec![
        fine("goto", json!({"url": pages::form()})),
        row("ariaTree", json!({}), |answer| {
            holds(json!({"/ok": true, "/data/pageUrl": pages::form()}))(answer);
            says("- button \\\"Go\\\" [ref=")(answer);
            assert!(answer["data"]["truncated"].is_null());
        }),
        row("screenshot", json!({}), |answer| {
            holds(json!({"/ok": true, "/data/pageUrl": pages::form()}))(answer);
            assert!(answer["data"]["base64"].as_str().unwrap().starts_with("iVBORw0KGgo"), "a PNG");
            assert!(answer["data"]["timestamp"].as_i64().unwrap() > 1_700_000_000_000);
        }),
        row("extract", json!({"instruction": "extract the order total"}), |answer| {
            holds(json!({"/ok": true, "/data/success": true}))(answer);
            says("Order total: 12.50")(answer);
            says("no model took part")(answer);
        }),
        row("extract", json!({"instruction": "the unicorn"}), |answer| {
            holds(json!({"/ok": false, "/data/success": false, "/error/code": "UNSUPPORTED"}))(answer);
            says("language model")(answer);
        }),
        row("extract", json!({"instruction": "the total", "schema": "{\"type\": \"object\"}"}), |answer| {
            holds(json!({"/ok": false, "/data/success": false, "/error/code": "UNSUPPORTED"}))(answer);
            says("leave out the schema")(answer);
        }),
        // What only a model could know is refused, in both languages; what is there in form is whole.
        fine("goto", json!({"url": news()})),
        row("extract", json!({"instruction": "提取所有新闻的标题"}), |answer| {
            holds(json!({"/ok": false, "/data/success": false, "/error/code": "UNSUPPORTED"}))(answer);
            says("language model")(answer);
        }),
        row(
            "extract",
            json!({"instruction": "Extract the titles of all news"}),
            holds(json!({"/error/code": "UNSUPPORTED"})),
        ),
        row(
            "extract",
            json!({"instruction": "新闻中心的负责人"}),
            holds(json!({"/error/code": "UNSUPPORTED"})),
        ),
        row("extract", json!({"instruction": "提取所有链接"}), |answer| {
            let links = answer["data"]["result"].as_array().unwrap();
            assert_eq!(links.len(), 3, "{answer}");
            assert_eq!(links[1]["text"], "第二条", "{answer}");
        }),
        row(
            "extract",
            json!({"instruction": "extract all headings"}),
            holds(json!({"/data/result": ["新闻中心", "今日"]})),
        ),
        row(
            "extract",
            json!({"instruction": "the names and prices"}),
            holds(
                json!({"/data/result": [{"Name": "Kettle", "Price": "39.00"}, {"Name": "Pot", "Price": "12.00"}]}),
            ),
        ),
        row(
            "extract",
            json!({"instruction": "the price of the kettle"}),
            holds(json!({"/data/result": [{"Price": "39.00"}]})),
        ),
        row(
            "extract",
            json!({"instruction": "products", "schema": "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}, \"price\": {\"type\": \"number\"}}}}"}),
            holds(json!({"/data/result/1": {"name": "Pot", "price": 12.0}})),
        ),
        fine("goto", json!({"url": site().url("/read-article.html")})),
        row("extract", json!({"instruction": "extract the text of this page"}), says("main content")),
        fine("goto", json!({"url": site().url("/orders.html?rows=3000")})),
        row("ariaTree", json!({}), |answer| {
            let length = answer["data"]["content"].as_str().unwrap().chars().count();
            assert!(length <= 280_000, "{length}");
            assert!(answer["data"]["truncated"].as_str().unwrap().starts_with("cut: "));
        }),
    ])
}

/// What a page says by labels, in every way that pages do, and what it does not say.
pub(crate) fn extracting() -> Transcript {
    let page = site().page(
        "labels",
        "<h1>Ticket</h1><ul><li><h2><a href='/a'>First story</a></h2></ul>\
         <dl><dt>Status<dd>Open<dt>Author<dd>Bob<dd>Eve</dl><ul><li>Author: Zed</ul><p>Date: not known</p>\
         <label>Email <input value='ann@x.org'></label><input type=password aria-label=Password value=hunter2>\
         <table><tr><th>Name<td>Ada<tr><th>Price<td><h3>99 EUR</h3></table>\
         <table><tr><th>姓名<th>数量<tr><td>王芳<td>2<tr><td>李雷<td>1</table>",
    );
    let schema = |properties: Value| json!({"type": "object", "properties": properties}).to_string();
    let by = move |instruction: &str, properties: Value| json!({"instruction": instruction, "schema": schema(properties)});
    let needs_model = |instruction: &str| {
        row("extract", json!({"instruction": instruction}), |answer| {
            holds(json!({"/error/code": "UNSUPPORTED", "/error/retriable": false}))(answer);
            says("language model")(answer);
        })
    };
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let mut rows = vec![
        fine("goto", json!({"url": page})),
        row(
            "extract",
            json!({"instruction": "all headings"}),
            holds(json!({"/data/result": ["Ticket", "First story", "99 EUR"]})),
        ),
        row("extract", json!({"instruction": "all images"}), holds(json!({"/ok": true, "/data/result": []}))),
        row(
            "extract",
            json!({"instruction": "all tables"}),
            holds(json!({"/data/result/0": [{"Name": "Ada", "Price": "99 EUR"}]})),
        ),
        row("extract", json!({"instruction": "the status"}), holds(json!({"/data/result": "Status: Open"}))),
        row(
            "extract",
            by("表格", json!({"姓名": texts})),
            holds(json!({"/data/result": {"姓名": ["王芳", "李雷"]}})),
        ),
        row(
            "extract",
            json!({"instruction": "姓名和数量"}),
            holds(json!({"/data/result/1": {"姓名": "李雷", "数量": "1"}})),
        ),
        row(
            "extract",
            by(
                "the ticket",
                json!({"email": {"type": "string", "format": "email"}, "status": {"type": "string"}}),
            ),
            holds(json!({"/data/result": {"email": "ann@x.org", "status": "Open"}})),
        ),
        row("extract", by("the ticket", json!({"author": {"type": "string"}})), |answer| {
            holds(json!({"/error/code": "ELEMENT_AMBIGUOUS"}))(answer);
            for name in ["Bob", "Eve", "Zed"] {
                says(name)(answer);
            }
        }),
        row("extract", by("the date", json!({"date": {"type": "string", "format": "date"}})), |answer| {
            holds(json!({"/error/code": "UNSUPPORTED"}))(answer);
            says("not known")(answer);
        }),
        row("extract", by("the password", json!({"password": {"type": "string"}})), silent("hunter2")),
        fails("extract", json!({"instruction": "x", "schema": "\"x\""}), "INVALID_INPUT"),
        fails("extract", json!({"instruction": "x", "schema": "{\"type\": \"frog\"}"}), "INVALID_INPUT"),
    ];
    rows.extend(
        [
            "summarize the page",
            "总结一下本页",
            "总结这个页面的情感",
            "how many headings are there",
            "get the most expensive product",
            "latest news",
            "is the user subscribed?",
            "获取头条新闻列表",
            "提取股票价格",
            "extract the first headline",
        ]
        .map(needs_model),
    );
    with_missing(rows)
}

/// Words of an instruction that nothing in the page accounts for are conditions, with a schema and without one; and what a page calls by
/// a name goes before what every page has.
pub(crate) fn extracting_with_conditions() -> Transcript {
    let text = || json!({"type": "string"});
    let ask =
        |instruction: &str, schema: Value| json!({"instruction": instruction, "schema": schema.to_string()});
    let rows_of = move |names: &[&str]| {
        let properties: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), text())).collect();
        json!({"type": "array", "items": {"type": "object", "properties": properties}})
    };
    let refused = |args: Value| {
        row("extract", args, |answer| {
            holds(json!({"/error/code": "UNSUPPORTED", "/data/success": false}))(answer);
            says("language model")(answer);
        })
    };
    let mut rows = vec![fine(
        "goto",
        json!({"url": site().page(
            "shop",
            "<h1>Fruit</h1><nav><a href='/a'>Home</a></nav><article><h2>News</h2><a href='/b'>Pears are in</a></article>\
             <table><tr><th>商品<th>价格<th>库存<tr><td>苹果<td>3.5元<td>10<tr><td>香蕉<td>2元<td>0</table>\
             <h2>甲公司</h2><p>电话：1</p><footer><a href='/c'>Imprint</a></footer>",
        )}),
    )];
    for instruction in [
        "库存为0的商品",
        "价格低于3元的商品",
        "最便宜的商品",
        "除苹果以外的商品",
        "第一个商品",
        "苹果",
        "the product with price 2元",
        "only products that are out of stock",
    ] {
        rows.push(refused(ask(instruction, rows_of(&["商品", "价格"]))));
    }
    let of = |name: &str, schema: Value| json!({"type": "object", "properties": {name: schema}});
    let list = || json!({"type": "array", "items": {"type": "string"}});
    rows.extend([
        refused(ask("all news links", of("links", list()))),
        refused(ask("article headings", of("headings", list()))),
        refused(ask("乙公司的电话", of("电话", json!({"type": "string"})))),
        row("extract", ask("提取所有商品和价格", rows_of(&["商品", "价格"])), |answer| {
            assert_eq!(answer["data"]["result"].as_array().unwrap().len(), 2, "{answer}");
        }),
        fine(
            "goto",
            json!({"url": site().page(
                "names",
                "<h1>天气</h1><table><tr><th>标题<th>日期<tr><td>天晴<td>1<tr><td>下雨<td>2</table>\
                 <form><label>邮箱 <input name=mail></label><label>密码 <input type=password value=hunter2></label><button>登录</button></form>\
                 <label><input type=radio name=who> 个人</label><p>Author: Bob</p><p>Author: Eve</p><p>Author: Zed</p>",
            )}),
        ),
        row(
            "extract",
            json!({"instruction": "标题"}),
            holds(json!({"/data/result": [{"标题": "天晴"}, {"标题": "下雨"}]})),
        ),
        row("extract", json!({"instruction": "邮箱"}), |answer| {
            holds(json!({"/ok": false, "/error/code": "UNSUPPORTED"}))(answer);
            says("is empty")(answer);
        }),
        row("extract", json!({"instruction": "密码"}), |answer| {
            says("never read")(answer);
            silent("hunter2")(answer);
        }),
        row(
            "extract",
            ask("", of("个人", json!({"type": "boolean"}))),
            holds(json!({"/data/result": {"个人": false}})),
        ),
        row(
            "extract",
            ask("", rows_of(&["Author"])),
            holds(json!({"/data/result": [{"Author": "Bob"}, {"Author": "Eve"}, {"Author": "Zed"}]})),
        ),
        row("extract", ask("", of("Author", json!({"type": "string"}))), |answer| {
            holds(json!({"/error/code": "ELEMENT_AMBIGUOUS"}))(answer);
            says("ask for a list of them")(answer);
        }),
        fine("goto", json!({"url": site().page("bare", "<ul><li>标题：天晴<li>标题：下雨</ul><p>Nothing else</p>")})),
        row("extract", json!({"instruction": "标题"}), holds(json!({"/data/result": "标题：天晴\n标题：下雨"}))),
        row("extract", json!({"instruction": "headings"}), |answer| {
            holds(json!({"/ok": false, "/error/code": "UNSUPPORTED"}))(answer);
            says("no headings")(answer);
        }),
    ]);
    dom(rows)
}

/// A page with a list, a table and links, and no word for what its news are.
fn news() -> String {
    site().page(
        "news",
        "<h1>新闻中心</h1><h2>今日</h2><ul><li><a href='/a'>第一条</a><li><a href='/b'>第二条</a></ul><a href='/c'>更多</a>\
         <table><tr><th>Name<th>Price<tr><td>Kettle<td>39.00<tr><td>Pot<td>12.00</table>",
    )
}

pub(crate) fn the_task_itself() -> Transcript {
    dom(vec![
        row(
            "think",
            json!({"reasoning": "first the form"}),
            holds(json!({"/ok": true, "/data": {"acknowledged": true, "message": "first the form"}})),
        ),
        row("open-url", json!({"url": pages::form(), "title": "Form"}), |answer| {
            holds(
                json!({"/ok": true, "/data/success": true, "/data/url": pages::form(), "/data/openedIn": "webhand"}),
            )(answer);
            says("no host application is connected")(answer);
        }),
        fails("open-url", json!({"url": "file:///etc/passwd"}), "INVALID_INPUT"),
        fails("open-url", json!({}), "INVALID_INPUT"),
        row("close", json!({"reasoning": "all done", "taskComplete": true}), |answer| {
            holds(
                json!({"/ok": true, "/data/success": true, "/data/reasoning": "all done", "/data/taskComplete": true}),
            )(answer);
            says("the browser stays open")(answer);
        }),
        row(
            "close",
            json!({"reasoning": "no way", "taskComplete": false}),
            holds(json!({"/ok": true, "/data/taskComplete": false})),
        ),
        fails("close", json!({"reasoning": "x"}), "INVALID_INPUT"),
        row("ariaTree", json!({}), says("button \\\"Go\\\"")),
    ])
}

pub(crate) fn by_coordinates() -> Transcript {
    hybrid(vec![
        fine("goto", json!({"url": pages::form()})),
        row(
            "click",
            json!({"describe": "Go button", "coordinates": [70, 40]}),
            holds(json!({
                "/ok": true, "/data/success": true, "/data/describe": "Go button", "/data/coordinates": [70.0, 40.0],
            })),
        ),
        logged("click 1"),
        // 1280x720: 70 and 40 pixels.
        fine(
            "click",
            json!({"describe": "Go button", "coordinates": [54.6875, 55.5556], "unit": "thousandths"}),
        ),
        logged("short; click 1; short; click 1"),
        row(
            "type",
            json!({"describe": "the field for hunter2", "text": "hunter2", "coordinates": [100, 135]}),
            |answer| {
                holds(
                    json!({"/ok": true, "/data/success": true, "/data/text": "7 characters", "/data/describe": "the field for [7 characters]"}),
                )(answer);
                silent("hunter2")(answer);
            },
        ),
        logged("secret 7"),
        row(
            "clickAndHold",
            json!({"describe": "Go", "duration": 400, "coordinates": [70, 40]}),
            holds(json!({"/data": {"success": true, "describe": "Go"}})),
        ),
        logged("held"),
        row(
            "dragAndDrop",
            json!({"describe": "card to bin", "startCoordinates": [70, 260], "endCoordinates": [70, 350]}),
            holds(json!({"/data/success": true, "/data/describe": "card to bin"})),
        ),
        logged("dropped"),
        row("scroll", json!({"direction": "down", "percentage": 100, "coordinates": [100, 450]}), |answer| {
            let pixels = answer["data"]["scrolledPixels"].as_f64().unwrap();
            assert!((80.0..=100.0).contains(&pixels), "{answer}");
        }),
        logged("list scrolled"),
        row("scroll", json!({"direction": "down"}), holds(json!({"/data/scrolledPixels": 576.0}))),
        fine("scroll", json!({"direction": "up", "percentage": 200})),
        row(
            "fillFormVision",
            json!({"fields": [
                {"action": "type the name", "value": "Ann", "coordinates": {"x": 100, "y": 95}},
                {"action": "type hunter3", "value": "hunter3", "coordinates": {"x": 100, "y": 135}},
            ]}),
            |answer| {
                holds(
                    json!({"/ok": true, "/data/success": true, "/data/actions": ["type the name", "type [7 characters]"], "/data/playwrightArguments/0/arguments": ["3 characters"]}),
                )(answer);
                silent("hunter3")(answer);
            },
        ),
        logged("name Ann"),
        fine("act", json!({"action": "click Go"})),
        row("click", json!({"describe": "x", "coordinates": [5000, 40]}), |answer| {
            holds(
                json!({"/ok": false, "/data/success": false, "/data/describe": "x", "/error/code": "INVALID_INPUT"}),
            )(answer);
        }),
        fails("click", json!({"describe": "x", "coordinates": [-1, 40]}), "INVALID_INPUT"),
        fails(
            "click",
            json!({"describe": "x", "coordinates": [1001, 40], "unit": "thousandths"}),
            "INVALID_INPUT",
        ),
        fails("click", json!({"describe": "x", "coordinates": [40]}), "INVALID_INPUT"),
        fails("fillForm", json!({"fields": [{"action": "a", "value": "b"}]}), "UNKNOWN_TOOL"),
    ])
}

/// A picture that is made smaller, on a screen with three pixels to a CSS pixel: coordinates are counted in it.
pub(crate) fn coordinates_in_a_smaller_picture() -> Transcript {
    let settings: &[&str] = &["--mode", "hybrid", "--viewport=1600x1200@3"];
    let rows = vec![
        fine("goto", json!({"url": pages::corner()})),
        row("screenshot", json!({}), says("1238x928")),
        fine("click", json!({"describe": "Corner", "coordinates": [1176, 866]})),
        row("ariaTree", json!({}), says("clicked once")),
        fine("click", json!({"describe": "Corner", "coordinates": [950, 933], "unit": "thousandths"})),
        row("ariaTree", json!({}), says("clicked twice")),
        fine("act", json!({"action": "click 1176,866"})),
        row("ariaTree", json!({}), says("clicked 3 times")),
    ];
    Transcript::of("stagehand", settings, rows)
}

through_every_front! { coordinates_in_a_smaller_picture act_in_words what_cannot_be_done_says_why keys_scrolls_and_waits forms_in_words reading extracting extracting_with_conditions the_task_itself by_coordinates }

#[test]
fn the_search_is_there_with_a_key_only() {
    let home = Home::new();
    let tools = |key: &str| {
        let output =
            home.command(&["tools", "stagehand", "--json"]).env("BRAVE_API_KEY", key).output().unwrap();
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        let tools = list["data"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(!tools("").contains(&"search".into()));
    assert!(tools("key").contains(&"search".into()));
}
