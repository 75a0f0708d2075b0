//! `jarvis`: the acceptance boxes of its document, and its edge cases.

mod failing;
mod saving;

use serde_json::{Value, json};

pub(crate) use self::{failing::*, saving::*};
use crate::tools::transcript::{Answer, Transcript, World, read};

/// A test for each transcript, named after what it shows. `$run` takes transcripts through a front.
macro_rules! jarvis_tests {
    ($run:path) => {
        crate::tools::transcript::tests! { $run, crate::tools::transcripts::jarvis,
            ac1_1_all_actions_work = all_actions,
            ac1_2_several_browsers_run_at_once = several_browsers,
            ac1_3_every_action_but_list_and_close_saves_the_page = pages_are_saved,
            ac1_4_and_ac2_5_output_files_are_listed_by_their_paths = file_names,
            ac2_1_html_mode_saves_the_whole_html = html_mode,
            ac2_1_html_mode_saves_the_whole_html_of_a_long_page = html_mode_of_a_long_page,
            ac2_2_abstract_mode_extracts_the_controls = abstract_mode,
            ac2_2_abstract_mode_leaves_nothing_out = abstract_mode_leaves_nothing_out,
            ac2_3_abstract_mode_has_the_format_of_the_document = abstract_format,
            ac2_3_selectors_that_were_listed_work = selectors_that_were_listed_work,
            ac2_4_file_names_hold_time_and_action = files_of_one_second_are_all_kept,
            ac3_1_network_idle_waits_for_the_requests = network_idle,
            ac3_2_timeout_waits_that_long = timeout_waits_that_long,
            ac3_3_timeouts_protect = timeouts_protect,
            a_page_that_does_not_answer_is_told_of = a_page_that_does_not_answer,
            ac4_1_a_browser_that_was_not_launched_is_an_error = not_launched,
            ac4_2_a_missing_element_is_a_clear_error = missing_elements,
            ac4_3_an_invalid_url_is_an_error = invalid_urls,
            ac4_4_a_missing_browser_says_how_to_install_one = no_browser,
            ac5_1_close_closes = closing,
            ac5_3_closing_twice_is_no_error = closing_twice,
            ac5_4_launching_again_closes_the_old_session_first = launching_twice,
            ac7_2_and_ac7_3_wrong_calls_are_answered_in_the_same_shape = what_is_ignored_is_told,
            ids_cannot_lead_out_of_the_folder = ids_stay_in_the_folder,
            controls_of_frames_can_be_used_by_their_selectors = selectors_of_frames,
            a_tab_that_a_click_opens_is_gone_on_in = following_a_new_tab,
            files_are_for_the_user_alone = private_files,
            screenshots_are_of_the_whole_page = screenshots_are_of_the_whole_page,
            dialogs_are_answered_and_told_of = dialogs_do_not_hold_the_page,
            a_page_that_asks_to_stay_is_left = leaving_a_page_that_asks,
        }
    };
}
pub(crate) use jarvis_tests;

const TOOL: &str = "playwright_browser";

/// Waits for no network: most lines are about something else.
fn quick(mut args: Value) -> Value {
    args["wait_condition"] = json!("timeout");
    args["timeout"] = json!(0.01);
    args
}

/// It went well: all four keys, no error, and so many files, each of which is there.
fn done(files: usize) -> impl Fn(&Answer) {
    move |answer| {
        four_keys(answer);
        assert!(answer.ok && answer.value["success"] == true, "{}", answer.value);
        assert_eq!(answer.text("/stderr"), "");
        assert!(!answer.text("/stdout").is_empty());
        let listed = files_of(answer);
        assert_eq!(listed.len(), files, "{}", answer.value);
        assert!(listed.iter().all(|file| std::path::Path::new(file).is_file()), "{listed:?}");
    }
}

/// It did not: the error says all of this, and no file is named.
fn refused(parts: &'static [&'static str]) -> impl Fn(&Answer) {
    move |answer| {
        four_keys(answer);
        assert!(!answer.ok && answer.value["success"] == false, "{}", answer.value);
        answer.holds("/stderr", parts);
        assert_eq!(files_of(answer).len(), 0);
    }
}

fn four_keys(answer: &Answer) {
    let mut keys: Vec<_> = answer.value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["output_files", "stderr", "stdout", "success"]);
}

fn files_of(answer: &Answer) -> Vec<&str> {
    answer.value["output_files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect()
}

/// What is in the one file that came of it.
fn saved(answer: &Answer) -> String {
    done(1)(answer);
    read(files_of(answer)[0])
}

/// The file of the page holds all of this.
fn shows(parts: &'static [&'static str]) -> impl Fn(&Answer) {
    move |answer| {
        let text = saved(answer);
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
}

fn start() -> Transcript {
    Transcript::of("jarvis").call(TOOL, json!({"action": "launch"}), done(1))
}

/// Started and on a page.
fn at(url: &str) -> Transcript {
    start().call(TOOL, quick(json!({"action": "navigate", "url": url})), done(1))
}

/// A form whose button writes into the page what the field holds.
const FORM: &str = "<input name=q value=old> <button id=go onclick=\"out.textContent = 'got ' + \
     document.querySelector('[name=q]').value\">Go</button><p id=out></p>";

pub(crate) fn all_actions(world: &World) -> Transcript {
    let page = world.site.page("form", FORM);
    let html = |args: Value| {
        let mut args = quick(args);
        args["content_mode"] = json!("html");
        args
    };
    start()
        .call(TOOL, json!({"action": "navigate", "url": page}), |answer| {
            done(1)(answer);
            answer.holds("/stdout", &["已导航到: http://127.0.0.1:", "标题: form", "HTTP 状态: 200"]);
        })
        .call(
            TOOL,
            quick(json!({"action": "type", "selector": "input[name='q']", "text": "new"})),
            |answer| {
                done(1)(answer);
                answer.holds("/stdout", &["input[name='q']", "（3 个字符）"]);
            },
        )
        // By XPath as well as by CSS.
        .call(TOOL, html(json!({"action": "click", "selector": "//button[@id='go']"})), |answer| {
            assert!(saved(answer).contains("got new</p>"), "what was there is replaced");
        })
        .call(TOOL, quick(json!({"action": "type", "selector": "input", "text": ""})), done(1))
        .call(TOOL, html(json!({"action": "click", "selector": "button#go"})), shows(&["got </p>"]))
        .call(TOOL, json!({"action": "screenshot"}), done(1))
        .call(TOOL, json!({"action": "list"}), |answer| {
            done(0)(answer);
            answer.holds("/stdout", &["browser_id: default", "状态: 活跃", "标题: form", "URL: http://127"]);
        })
        .call(TOOL, json!({"action": "close"}), done(0))
}

pub(crate) fn several_browsers(world: &World) -> Transcript {
    let (set, show) = (world.site.url("/cookies/set?who=first"), world.site.url("/cookies"));
    let go = |id: &str, url: &str| {
        quick(json!({"action": "navigate", "browser_id": id, "url": url, "content_mode": "html"}))
    };
    Transcript::of("jarvis")
        .call(TOOL, json!({"action": "launch", "browser_id": "first"}), done(1))
        .call(TOOL, json!({"action": "launch", "browser_id": "第二个"}), done(1))
        .call(TOOL, go("first", &set), done(1))
        .call(TOOL, go("first", &show), shows(&["who=first"]))
        .call(TOOL, go("第二个", &show), |answer| assert!(!saved(answer).contains("who=first")))
        .call(TOOL, json!({"action": "list"}), |answer| {
            answer.holds("/stdout", &["共 2 个", "browser_id: first", "browser_id: 第二个"]);
        })
        .call(TOOL, json!({"action": "close", "browser_id": "first"}), done(0))
        .call(TOOL, json!({"action": "list"}), |answer| {
            answer.holds("/stdout", &["共 1 个", "browser_id: 第二个"]);
        })
        .call(TOOL, go("第二个", &show), done(1))
}

pub(crate) fn closing(world: &World) -> Transcript {
    let show = world.site.url("/cookies");
    at(&world.site.url("/cookies/set?left=over"))
        .call(TOOL, json!({"action": "close"}), |answer| {
            done(0)(answer);
            answer.holds("/stdout", &["浏览器 [default] 已关闭"]);
        })
        .call(TOOL, json!({"action": "click", "selector": "a"}), refused(&["浏览器 [default] 未启动"]))
        .call(TOOL, json!({"action": "list"}), |answer| answer.holds("/stdout", &["没有活跃的浏览器会话"]))
        .call(TOOL, json!({"action": "launch"}), done(1))
        .call(TOOL, quick(json!({"action": "navigate", "url": show, "content_mode": "html"})), |answer| {
            assert!(!saved(answer).contains("left=over"), "its cookies went with it");
        })
}

pub(crate) fn closing_twice(_: &World) -> Transcript {
    start()
        .call(TOOL, json!({"action": "close"}), done(0))
        .call(TOOL, json!({"action": "close"}), |answer| {
            done(0)(answer);
            answer.holds("/stdout", &["未启动，视为已关闭"]);
        })
        .call(TOOL, json!({"action": "close", "browser_id": "never there"}), done(0))
}

pub(crate) fn launching_twice(world: &World) -> Transcript {
    let show = world.site.url("/cookies");
    at(&world.site.url("/cookies/set?left=over"))
        .call(TOOL, json!({"action": "launch"}), |answer| {
            done(1)(answer);
            answer.holds("/stdout", &["已关闭同名的旧会话", "浏览器 [default] 已启动"]);
            assert!(saved(answer).contains("URL: about:blank"));
        })
        .call(TOOL, json!({"action": "list"}), |answer| answer.holds("/stdout", &["共 1 个"]))
        .call(TOOL, quick(json!({"action": "navigate", "url": show, "content_mode": "html"})), |answer| {
            assert!(!saved(answer).contains("left=over"));
        })
}

pub(crate) fn dialogs_do_not_hold_the_page(world: &World) -> Transcript {
    let html = |mut args: Value| {
        args["content_mode"] = json!("html");
        args
    };
    start()
        .call(
            TOOL,
            html(json!({"action": "navigate", "url": world.site.url("/alert-on-load.html")})),
            |answer| {
                assert!(saved(answer).contains(">after</p>"), "the page went on");
                answer.holds("/stdout", &["alert 对话框 \"hello from the page\"，已自动取消"]);
            },
        )
        .call(
            TOOL,
            html(quick(json!({"action": "navigate", "url": world.site.url("/confirm.html")}))),
            done(1),
        )
        .call(TOOL, html(quick(json!({"action": "click", "selector": "#ask"}))), |answer| {
            assert!(saved(answer).contains(">dismissed</p>"));
            answer.holds("/stdout", &["confirm 对话框 \"Delete everything?\""]);
        })
        .call(TOOL, json!({"action": "screenshot"}), done(1))
}

pub(crate) fn leaving_a_page_that_asks(world: &World) -> Transcript {
    at(&world.site.url("/hands/beforeunload-form.html"))
        .call(TOOL, quick(json!({"action": "type", "selector": "textarea", "text": "unsaved"})), done(1))
        .call(TOOL, quick(json!({"action": "navigate", "url": world.site.page("next", "next")})), |answer| {
            done(1)(answer);
            answer.holds("/stdout", &["标题: next", "beforeunload 对话框", "已自动确认"]);
        })
}
