//! `nanobot`: every action. The domains that it may go to have a file of their own.

mod domains;

use serde_json::{Value, json};

pub(crate) use self::domains::*;
use crate::tools::transcript::{Answer, SOON, Transcript, World};

/// A test for each transcript, named after what it shows. `$run` takes transcripts through a front.
macro_rules! nanobot_tests {
    ($run:path) => {
        crate::tools::transcript::tests! { $run, crate::tools::transcripts::nanobot,
            every_action_works = every_action,
            elements_are_found_by_each_strategy = strategies,
            nothing_works_before_start = not_started,
            wrong_calls_are_told = wrong_calls,
            only_allowed_domains_are_gone_to_and_looked_at = only_allowed_domains,
            a_file_from_elsewhere_is_told_of = a_file_from_elsewhere,
            an_empty_list_denies_all = no_domain_at_all,
            a_star_means_what_is_below = domains_below_a_domain,
            the_model_cannot_allow_more_than_is_set = domains_that_are_set,
            what_was_narrowed_stays_narrowed = narrowed_stays_narrowed,
            nothing_opens_without_the_operators_list = no_list_of_the_operator,
            everything_opens_if_the_operator_says_so = open_without_a_list,
            what_is_switched_off_is_refused = switched_off,
            a_list_that_cannot_be_read_allows_nothing = domains_that_cannot_be_read,
            login_says_what_it_needs = login,
            a_domain_has_a_profile_that_lasts = profiles_last,
            texts_stay_secret = texts_stay_secret,
            dialogs_are_answered_and_told_of = dialogs_are_answered,
        }
    };
}
pub(crate) use nanobot_tests;

const TOOL: &str = "browser";

fn done(check: impl Fn(&Value)) -> impl Fn(&Answer) {
    move |answer| {
        assert!(answer.ok && answer.value["ok"] == true, "{}", answer.value);
        check(&answer.value["data"]);
    }
}

fn fine(_: &Value) {}

fn failed(code: &'static str) -> impl Fn(&Answer) {
    move |answer| {
        assert!(!answer.ok && answer.value["ok"] == false, "{}", answer.value);
        assert_eq!(answer.value["error"]["code"], code, "{}", answer.value);
        assert!(
            answer.value["error"]["hint"].as_str().is_some_and(|text| !text.is_empty()),
            "{}",
            answer.value
        );
    }
}

/// The operator has switched the tools on.
fn nanobot() -> Transcript {
    Transcript::of("nanobot").with("nanobot-enabled", "true")
}

/// Starts where the operator allows every domain.
fn start(args: Value) -> Transcript {
    let mut args = args;
    args["action"] = json!("start");
    nanobot().with("allowed-domains", "*").call(
        TOOL,
        args,
        done(|data| assert_eq!(data["browser"], "started")),
    )
}

fn go(url: &str) -> Value {
    json!({"action": "navigate", "url": url})
}

fn look() -> Value {
    json!({"action": "snapshot"})
}

fn click(selector: &str) -> Value {
    json!({"action": "click", "selector": selector})
}

fn shows(part: &'static str) -> impl Fn(&Answer) {
    move |answer| {
        done(fine)(answer);
        answer.holds("/data/snapshot", &[part]);
    }
}

const FORM: &str = "<label>Email <input id=mail data-testid=email></label> \
     <button id='a:b' data-testid=go onclick=\"out.textContent = 'Hello ' + mail.value\">Say hello</button><p id=out></p>";

pub(crate) fn every_action(world: &World) -> Transcript {
    let folder = world.files.clone();
    let file = format!("<a href='/download?name=list.txt&bytes=26'>List</a> {FORM}");
    start(json!({}))
        // A download by its address needs a hidden page.
        .in_whole_browser()
        .call(TOOL, go(&world.site.page("form", &file)), done(|data| {
            assert_eq!((&data["title"], &data["status"]), (&json!("form"), &json!(200)));
        }))
        .call(TOOL, look(), |answer| {
            shows("- textbox \"Email\" [ref=")(answer);
            answer.holds("/data/snapshot", &["- button \"Say hello\" [ref="]);
            assert_eq!(answer.value["data"]["refs"], 3, "{}", answer.value);
        })
        .call(TOOL, json!({"action": "type", "selector": "Email", "text": "Ada"}), done(|data| {
            assert_eq!((&data["textLength"], &data["target"]["name"]), (&json!(3), &json!("Email")));
        }))
        .call(TOOL, click("the hello button"), done(|data| {
            assert!(data["changes"].as_str().is_some_and(|text| text.contains("Hello Ada")), "{data}");
        }))
        .call(TOOL, json!({"action": "wait", "text": "Hello Ada"}), done(fine))
        .call(TOOL, json!({"action": "wait", "selector": "#out"}), done(fine))
        .call(TOOL, json!({"action": "wait", "time": 10}), done(fine))
        .call(TOOL, json!({"action": "wait"}), done(fine))
        .call(TOOL, json!({"action": "wait", "text": "never", "timeout": 300}), failed("TIMEOUT"))
        .call(TOOL, json!({"action": "download", "selector": "List"}), done(|data| {
            let path = data["downloads"][0]["path"].as_str().unwrap();
            assert_eq!(std::fs::read(path).unwrap(), testkit::download_bytes(26));
        }))
        .call(
            TOOL,
            json!({"action": "download", "url": world.site.url("/download?name=other.txt&bytes=5"), "path": folder.join("here.txt")}),
            done(move |data| {
                assert_eq!(data["downloads"][0]["path"], folder.join("here.txt").to_str().unwrap());
                assert_eq!(std::fs::read(folder.join("here.txt")).unwrap(), testkit::download_bytes(5));
            }),
        )
        .call(TOOL, json!({"action": "start"}), done(|data| {
            assert_eq!((&data["browser"], &data["title"]), (&json!("already_running"), &json!("form")));
        }))
        .call(TOOL, json!({"action": "stop"}), done(|data| assert_eq!(data["browser"], "stopped")))
        .call(TOOL, json!({"action": "stop"}), done(|data| assert_eq!(data["browser"], "not_running")))
}

pub(crate) fn strategies(world: &World) -> Transcript {
    let by = |strategy: &str, selector: &str| json!({"action": "click", "strategy": strategy, "selector": selector});
    let clicked = || done(|data| assert_eq!(data["target"]["name"], "Say hello", "{data}"));
    start(json!({}))
        .call(TOOL, go(&world.site.page("form", FORM)), done(fine))
        .call(TOOL, by("auto", "Say hello"), clicked())
        .call(TOOL, by("auto", "//button"), clicked())
        .call(TOOL, by("auto", "[data-testid=go]"), clicked())
        .call(TOOL, by("aria", "Say hello"), clicked())
        .call(TOOL, by("id", "a:b"), clicked())
        .call(TOOL, by("testid", "go"), clicked())
        .call(TOOL, by("css", "button"), clicked())
        .call(TOOL, by("text", "Say hello"), clicked())
        .with("element-timeout", SOON)
        .call(TOOL, by("testid", "nothing"), failed("ELEMENT_NOT_FOUND"))
        .call(TOOL, by("magic", "go"), failed("INVALID_INPUT"))
}

pub(crate) fn not_started(world: &World) -> Transcript {
    let mut transcript = nanobot();
    for args in [
        go(&world.site.page("x", "x")),
        look(),
        click("x"),
        json!({"action": "type", "selector": "x", "text": "correct horse"}),
        json!({"action": "wait"}),
        json!({"action": "login"}),
        json!({"action": "download", "url": world.site.url("/download")}),
        json!({"action": "download", "selector": "x"}),
    ] {
        transcript = transcript.call(TOOL, args, |answer| {
            failed("SESSION_NOT_FOUND")(answer);
            assert_eq!(answer.text("/error/hint"), "use action start first");
        });
    }
    transcript
}

pub(crate) fn wrong_calls(_: &World) -> Transcript {
    let mut transcript = nanobot();
    for args in [
        json!({}),
        json!({"action": "fly"}),
        json!({"action": "navigate"}),
        json!({"action": "click"}),
        json!({"action": "click", "selector": " "}),
        json!({"action": "type", "selector": "x"}),
        json!({"action": "download"}),
        json!({"action": "download", "url": "http://x", "selector": "x"}),
        json!({"action": "wait", "time": -1}),
        json!({"action": "wait", "time": 1, "text": "x"}),
        json!({"action": "start", "allowedDomains": ["https://x.com"]}),
        json!({"action": "start", "allowedDomains": "x.com"}),
        json!({"action": "start", "domain": "../x"}),
        json!({"action": "start", "domain": "*.x.com"}),
        json!({"action": "click", "selector": "x", "timeout": 0}),
        json!({"action": "stop", "colour": "red"}),
    ] {
        transcript = transcript.call(TOOL, args, failed("INVALID_INPUT"));
    }
    transcript.call("browse", json!({}), failed("UNKNOWN_TOOL"))
}

pub(crate) fn profiles_last(world: &World) -> Transcript {
    let set = world
        .site
        .page("set", "<p>set</p><script>document.cookie = 'kept=yes; max-age=1000; path=/'</script>");
    let show = world.site.url("/cookies");
    let stop = || json!({"action": "stop"});
    start(json!({"domain": "Shop.Example."}))
        .call(TOOL, go(&set), done(fine))
        .call(TOOL, stop(), done(fine))
        .call(
            TOOL,
            json!({"action": "start", "domain": "shop.example"}),
            done(|data| {
                assert_eq!((&data["browser"], &data["profile"]), (&json!("started"), &json!("shop.example")));
            }),
        )
        .call(TOOL, go(&show), done(fine))
        .call(TOOL, look(), shows("kept=yes"))
        // Another domain has another profile, and none has none.
        .call(
            TOOL,
            json!({"action": "start", "domain": "other.example"}),
            done(|data| assert_eq!(data["browser"], "restarted")),
        )
        .call(TOOL, go(&show), done(fine))
        .call(TOOL, look(), |answer| {
            assert!(!answer.text("/data/snapshot").contains("kept"), "{}", answer.value);
        })
        .call(TOOL, json!({"action": "start"}), done(fine))
        .call(TOOL, go(&show), done(fine))
        .call(TOOL, look(), |answer| {
            assert!(!answer.text("/data/snapshot").contains("kept"), "{}", answer.value);
        })
}

pub(crate) fn login(world: &World) -> Transcript {
    let login = |strategy: &str| json!({"action": "login", "loginStrategy": strategy});
    let mut transcript = start(json!({})).call(TOOL, go(&world.site.url("/words/login.html")), done(fine));
    for strategy in ["auto", "adapter", "generic"] {
        transcript = transcript.call(TOOL, login(strategy), |answer| {
            failed("CREDENTIAL_NOT_FOUND")(answer);
            assert_eq!(
                answer.value["data"],
                json!({"status": "requires_credentials", "domain": "127.0.0.1"})
            );
        });
    }
    transcript
        .call(TOOL, login("manual"), |answer| {
            failed("LOGIN_NEEDS_HUMAN")(answer);
            assert_eq!(answer.value["data"]["status"], "requires_user_input");
        })
        .call(TOOL, json!({"action": "login", "domain": "mail.example"}), |answer| {
            failed("CREDENTIAL_NOT_FOUND")(answer);
            answer.holds("/error/message", &["mail.example"]);
        })
        .call(TOOL, login("magic"), failed("INVALID_INPUT"))
}

pub(crate) fn texts_stay_secret(world: &World) -> Transcript {
    let silent = |answer: &Answer| {
        let text = answer.value.to_string();
        assert!(!text.contains("horse"), "{text}");
    };
    let password = "<input type=password aria-label=Password>";
    let text = "correct horse battery";
    start(json!({}))
        .call(TOOL, go(&world.site.page("form", password)), done(fine))
        .call(TOOL, look(), done(fine))
        .call(TOOL, json!({"action": "type", "selector": "Password", "text": text}), move |answer| {
            done(|data| assert_eq!(data["textLength"], 21))(answer);
            silent(answer);
        })
        .call(TOOL, json!({"action": "type", "selector": "nothing", "text": text}), silent)
        .call(TOOL, look(), silent)
}

pub(crate) fn dialogs_are_answered(world: &World) -> Transcript {
    start(json!({}))
        .call(TOOL, go(&world.site.url("/confirm.html")), done(fine))
        .call(
            TOOL,
            click("Delete"),
            done(|data| {
                assert_eq!(
                    data["notes"][0],
                    "a confirm dialog \"Delete everything?\" opened and was dismissed"
                );
            }),
        )
        .call(TOOL, look(), shows("dismissed"))
}
