//! `qa`: the criteria of its document, and its edge cases. What a tool did is seen in the page's address, which every answer tells.

use serde_json::{Value, json};

use crate::tools::transcript::{Answer, SOON, Transcript, World};

/// A test for each transcript, named after what it shows. `$run` takes transcripts through a front.
macro_rules! qa_tests {
    ($run:path) => {
        crate::tools::transcript::tests! { $run, crate::tools::transcripts::qa,
            ac1_every_tool_answers_ok_with_data = every_tool_succeeds,
            ac2_and_ac6_every_failure_is_a_result_with_a_stable_code = every_tool_fails_with_a_code,
            ac3_click_and_fill_by_description = click_and_fill_by_description,
            ac4_pictures_are_there_when_asked_for = pictures,
            relative_addresses_need_a_base_and_stay_on_it = relative_addresses,
            a_base_can_be_set = a_base_that_is_set,
            texts_stay_secret = texts_stay_secret,
            dialogs_are_answered_and_told_of = dialogs_are_answered,
        }
    };
}
pub(crate) use qa_tests;

/// It went well, in the shape that the document gives.
fn done(check: impl Fn(&Value)) -> impl Fn(&Answer) {
    move |answer| {
        assert!(answer.ok && answer.value["ok"] == true, "{}", answer.value);
        assert!(answer.value.get("error").is_none() && answer.value["data"].is_object(), "{}", answer.value);
        check(&answer.value["data"]);
    }
}

fn fine(_: &Value) {}

/// It failed with this code, in the shape that the document gives.
fn failed(code: &'static str, retriable: bool) -> impl Fn(&Answer) {
    move |answer| {
        assert!(!answer.ok && answer.value["ok"] == false, "{}", answer.value);
        let error = &answer.value["error"];
        assert_eq!(
            (error["code"].as_str(), error["retriable"].as_bool()),
            (Some(code), Some(retriable)),
            "{error}"
        );
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        assert!(error["hint"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        for name in error.as_object().unwrap().keys() {
            assert!(["code", "message", "retriable", "cause", "hint"].contains(&&**name), "{error}");
        }
    }
}

/// A page whose button writes into the address what its field holds.
const FORM: &str = "<label>Email <input id=mail></label> <input type=password placeholder=密码> \
     <button style='background: blue; color: white' onclick=\"location.hash = 'in-' + mail.value\">Log in</button> \
     <button style='background: red' onclick=\"location.hash = 'out'\">Log in</button> \
     <button onclick=\"location.hash = '中文'\">提交订单</button>";

fn open(world: &World, body: &str) -> Transcript {
    let url = world.site.page("qa", body);
    Transcript::of("qa").call("navigate", json!({"url": url}), done(fine))
}

fn ends_with(data: &Value, end: &str) {
    assert!(data["url"].as_str().is_some_and(|url| url.ends_with(end)), "{data}");
}

pub(crate) fn every_tool_succeeds(world: &World) -> Transcript {
    let (port, url) = (world.site.port(), world.site.page("first", FORM));
    Transcript::of("qa")
        .call(
            "navigate",
            json!({"url": url}),
            done(move |data| {
                assert!(
                    data["url"].as_str().unwrap().starts_with(&format!("http://127.0.0.1:{port}/page?")),
                    "{data}"
                );
                assert_eq!((&data["title"], &data["status"]), (&json!("first"), &json!(200)));
            }),
        )
        .call(
            "fill",
            json!({"targetDescription": "the email field", "text": "ada"}),
            done(|data| {
                assert_eq!((&data["textLength"], &data["target"]["role"]), (&json!(3), &json!("textbox")));
                assert_eq!(data["targetDescription"], "the email field");
            }),
        )
        .call(
            "click",
            json!({"targetDescription": "the blue login button"}),
            done(|data| {
                ends_with(data, "#in-ada");
                assert_eq!(data["target"]["name"], "Log in");
            }),
        )
        .call("navigate", json!({"url": world.site.url("/tall.html")}), done(fine))
        .call(
            "scroll",
            json!({"direction": "down", "amount": 700}),
            done(|data| {
                assert_eq!((&data["direction"], &data["amount"]), (&json!("down"), &json!(700.0)));
                assert_eq!((&data["scrolled"], &data["leftBelow"]), (&json!(700.0), &json!(3580.0)));
            }),
        )
        .call(
            "scroll",
            json!({"direction": "up", "amount": 100.5}),
            done(|data| {
                assert!((100.0..=101.0).contains(&data["scrolled"].as_f64().unwrap()), "{data}");
            }),
        )
        .call("wait", json!({"seconds": 0.2}), done(|data| assert_eq!(data["seconds"], 0.2)))
}

pub(crate) fn every_tool_fails_with_a_code(world: &World) -> Transcript {
    open(world, "<p>nothing here</p><button disabled>Save</button><input readonly aria-label=Fixed>")
        .call("navigate", json!({"url": world.site.refused_url()}), |answer| {
            failed("NAVIGATION_FAILED", true)(answer);
            answer.holds("/error/cause", &["ERR_CONNECTION_REFUSED"]);
        })
        .call("navigate", json!({"url": world.site.page("qa", "<p>x</p><button disabled>Save</button><input readonly aria-label=Fixed>")}), done(fine))
        .call("navigate", json!({"url": "nonsense"}), failed("INVALID_INPUT", false))
        .call("navigate", json!({"url": ""}), failed("INVALID_INPUT", false))
        .call("navigate", json!({"url": "file:///etc/passwd"}), failed("NAVIGATION_BLOCKED", false))
        .call("click", json!({"targetDescription": "Save"}), failed("ELEMENT_NOT_ENABLED", true))
        .call("click", json!({"targetDescription": " "}), failed("INVALID_INPUT", false))
        .call("fill", json!({"targetDescription": "Fixed", "text": "correct horse"}), |answer| {
            failed("ELEMENT_NOT_EDITABLE", false)(answer);
            assert!(!answer.value.to_string().contains("horse"), "{}", answer.value);
        })
        .call("scroll", json!({"direction": "down", "amount": 0}), failed("INVALID_INPUT", false))
        .call("scroll", json!({"direction": "down", "amount": -5}), failed("INVALID_INPUT", false))
        .call("scroll", json!({"direction": "left", "amount": 5}), failed("INVALID_INPUT", false))
        .call("wait", json!({"seconds": -1}), failed("INVALID_INPUT", false))
        .call("wait", json!({"seconds": 1e99}), failed("INVALID_INPUT", false))
        .call("wait", json!({"seconds": "two"}), failed("INVALID_INPUT", false))
        .call("click", json!({}), failed("INVALID_INPUT", false))
        .call("fill", json!({"targetDescription": "Fixed", "text": 271_828, "x": 1}), |answer| {
            failed("INVALID_INPUT", false)(answer);
            assert!(!answer.value.to_string().contains("271828"), "{}", answer.value);
        })
        .call("hover", json!({}), failed("UNKNOWN_TOOL", false))
        // Nothing of this has broken anything.
        .call("wait", json!({"seconds": 0}), done(fine))
}

pub(crate) fn a_page_that_never_comes_times_out(world: &World) -> Transcript {
    let hang = world.site.url("/hang?test=qa");
    Transcript::of("qa").call("navigate", json!({"url": hang}), failed("TIMEOUT", true))
}

pub(crate) fn click_and_fill_by_description(world: &World) -> Transcript {
    let fill = |what: &str, text: &str| json!({"targetDescription": what, "text": text});
    let click = |what: &str| json!({"targetDescription": what});
    open(world, FORM)
        .call("fill", fill("email", "one"), done(fine))
        .call("click", click("蓝色登录按钮"), done(|data| ends_with(data, "#in-one")))
        .call("fill", fill("邮箱输入框", "two"), done(|data| assert_eq!(data["textLength"], 3)))
        .call("click", click("the blue login button"), done(|data| ends_with(data, "#in-two")))
        .call("click", click("the red login button"), done(|data| ends_with(data, "#out")))
        .call("fill", fill("密码输入框", "三个字"), done(|data| assert_eq!(data["textLength"], 3)))
        .call("click", click("提交订单"), done(|data| ends_with(data, "#%E4%B8%AD%E6%96%87")))
        .with("element-timeout", SOON)
        .call("click", click("the shopping basket"), failed("ELEMENT_NOT_FOUND", true))
        .call("fill", fill("the captcha field", "x"), failed("ELEMENT_NOT_FOUND", true))
        .call("click", click("购物车图标"), failed("ELEMENT_NOT_FOUND", true))
        // Which of the two cannot be said, and another look may tell.
        .call("click", click("the login button"), |answer| {
            failed("ELEMENT_AMBIGUOUS", true)(answer);
            assert_eq!(
                answer.value["data"]["candidates"].as_array().map(Vec::len),
                Some(2),
                "{}",
                answer.value
            );
        })
}

pub(crate) fn pictures(world: &World) -> Transcript {
    let picture = |answer: &Answer| {
        let picture = &answer.value["screenshot"];
        assert_eq!(
            (&picture["mimeType"], &picture["width"], &picture["height"]),
            (&json!("image/png"), &json!(1280), &json!(720))
        );
        let bytes = std::fs::read(picture["path"].as_str().unwrap()).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
    };
    let none = |answer: &Answer| assert!(answer.value.get("screenshot").is_none(), "{}", answer.value);
    let url = world.site.page("qa", FORM);
    Transcript::of("qa")
        .with("element-timeout", SOON)
        .call("navigate", json!({"url": url, "screenshot": true}), picture)
        .call("navigate", json!({"url": url, "screenshot": false}), none)
        .call("navigate", json!({"url": url}), none)
        .call("fill", json!({"targetDescription": "email", "text": "x", "screenshot": true}), picture)
        .call("click", json!({"targetDescription": "提交订单", "screenshot": true}), picture)
        .call("scroll", json!({"direction": "down", "amount": 1, "screenshot": true}), picture)
        .call("wait", json!({"seconds": 0, "screenshot": true}), picture)
        .call(
            "click",
            json!({"targetDescription": "the shopping basket", "screenshot": true}),
            move |answer| {
                failed("ELEMENT_NOT_FOUND", true)(answer);
                picture(answer);
            },
        )
}

pub(crate) fn texts_stay_secret(world: &World) -> Transcript {
    let secret = "correct horse battery";
    let silent = move |answer: &Answer| {
        let text = answer.value.to_string();
        assert!(!text.contains("horse"), "{text}");
    };
    open(world, FORM)
        .call("fill", json!({"targetDescription": "密码", "text": secret}), move |answer| {
            done(|data| assert_eq!(data["textLength"], 21))(answer);
            silent(answer);
        })
        .call("fill", json!({"targetDescription": "email", "text": secret}), silent)
        .call("fill", json!({"targetDescription": "nothing like it", "text": secret}), silent)
        .call("fill", json!({"targetDescription": "email", "txt": secret}), silent)
        .call("wait", json!({"seconds": 0}), silent)
}

pub(crate) fn relative_addresses(world: &World) -> Transcript {
    let base = world.site.url("/some/where?x=1");
    let host = world.site.url("");
    let other = world.site.on("localhost", "/page?title=other");
    Transcript::of("qa")
        .call("navigate", json!({"url": "/page?title=a"}), failed("INVALID_INPUT", false))
        .call(
            "navigate",
            json!({"url": "/page?title=a", "baseUrl": base}),
            done(move |data| assert_eq!(data["url"], format!("{host}/page?title=a"))),
        )
        .call(
            "navigate",
            json!({"url": other, "baseUrl": base}),
            done(|data| assert_eq!(data["title"], "other")),
        )
        .call("navigate", json!({"url": "//localhost/page", "baseUrl": base}), failed("INVALID_INPUT", false))
        .call(
            "navigate",
            json!({"url": "/\\localhost/page", "baseUrl": base}),
            failed("INVALID_INPUT", false),
        )
        .call("navigate", json!({"url": "/page", "baseUrl": "somewhere"}), failed("INVALID_INPUT", false))
        .call("navigate", json!({"url": "/page", "baseUrl": "ftp://x"}), failed("INVALID_INPUT", false))
}

pub(crate) fn a_base_that_is_set(world: &World) -> Transcript {
    let localhost = world.site.on("localhost", "/");
    Transcript::of("qa")
        .with("base-url", world.site.url("/"))
        .call("navigate", json!({"url": "/page?title=set"}), done(|data| assert_eq!(data["title"], "set")))
        .call(
            "navigate",
            json!({"url": "/page?title=said", "baseUrl": localhost}),
            done(move |data| {
                assert_eq!(data["url"], format!("{localhost}page?title=said"), "what is said wins");
            }),
        )
}

pub(crate) fn dialogs_are_answered(world: &World) -> Transcript {
    let confirm = "<button onclick=\"location.hash = confirm('Really?') ? 'yes' : 'no'\">Delete</button>";
    open(world, confirm)
        .call(
            "click",
            json!({"targetDescription": "Delete"}),
            done(|data| {
                ends_with(data, "#no");
                assert_eq!(data["notes"][0], "a confirm dialog \"Really?\" opened and was dismissed");
            }),
        )
        .call("wait", json!({"seconds": 0}), done(fine))
}
