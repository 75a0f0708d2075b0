//! `jarvis`: the acceptance boxes of its document, and its edge cases.

use std::time::Instant;

use serde_json::{Value, json};

use crate::transcript::{Answer, Transcript, World, names, read};

/// A test for each transcript, named after what it shows. `$run` takes transcripts through a front.
macro_rules! jarvis_tests {
    ($run:path) => {
        crate::transcript::tests! { $run, crate::transcripts::jarvis,
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
            ac4_1_a_browser_that_was_not_launched_is_an_error = not_launched,
            ac4_2_a_missing_element_is_a_clear_error = missing_elements,
            ac4_3_an_invalid_url_is_an_error = invalid_urls,
            ac4_4_a_missing_browser_says_how_to_install_one = no_browser,
            ac5_1_close_closes = closing,
            ac5_3_closing_twice_is_no_error = closing_twice,
            ac5_4_launching_again_closes_the_old_session_first = launching_twice,
            ac7_2_and_ac7_3_wrong_calls_are_answered_in_the_same_shape = what_is_ignored_is_told,
            ids_cannot_lead_out_of_the_folder = ids_stay_in_the_folder,
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

pub(crate) fn pages_are_saved(world: &World) -> Transcript {
    let files = world.files.clone();
    at(&world.site.page("form", FORM))
        .call(TOOL, quick(json!({"action": "click", "selector": "#go"})), done(1))
        .call(TOOL, json!({"action": "type", "selector": "input", "text": "x"}), done(1))
        .call(TOOL, json!({"action": "screenshot"}), done(1))
        .call(TOOL, json!({"action": "list"}), done(0))
        .call(TOOL, json!({"action": "close"}), move |answer| {
            done(0)(answer);
            let names = names(&files);
            for action in ["launch", "navigate", "click", "type", "screenshot"] {
                let start = format!("default_{action}_");
                assert_eq!(names.iter().filter(|name| name.starts_with(&start)).count(), 1, "{names:?}");
            }
            assert_eq!(names.len(), 5, "closing deletes nothing: {names:?}");
        })
}

pub(crate) fn html_mode(world: &World) -> Transcript {
    at(&world.site.url("/controls.html"))
        .call(
            TOOL,
            quick(json!({"action": "type", "selector": "[name=password]", "text": "correct horse"})),
            done(1),
        )
        .call(
            TOOL,
            quick(json!({"action": "click", "selector": "[name=news]", "content_mode": "html"})),
            |answer| {
                let html = saved(answer);
                assert!(files_of(answer)[0].ends_with(".html"));
                for part in
                    ["<html", "<title>控件</title>", "aria-label=\"首页\"", "name=\"token\"", "</html>"]
                {
                    assert!(html.contains(part), "{part} is not in {html}");
                }
                assert!(!html.contains("correct horse") && !html.contains("hunter2"), "{html}");
            },
        )
}

pub(crate) fn html_mode_of_a_long_page(world: &World) -> Transcript {
    // Longer than what the engine hands over at once.
    let body = "<p id=start>start</p><script>for (let i = 0; i < 9; i++) document.body.append(Object.assign(\
         document.createElement('p'), {hidden: true, textContent: ('字' + i).repeat(300000)}))</script><p id=end>end</p>";
    start().call(
        TOOL,
        quick(json!({"action": "navigate", "url": world.site.page("long", body), "content_mode": "html"})),
        |answer| {
            let html = saved(answer);
            assert!(html.len() > 8 << 20, "{}", html.len());
            assert_eq!(html.matches("字8").count(), 300_000);
            assert!(html.contains("id=\"start\"") && html.trim_end().ends_with("</html>"));
        },
    )
}

pub(crate) fn abstract_mode(world: &World) -> Transcript {
    at(&world.site.url("/controls.html")).call(
        TOOL,
        quick(json!({"action": "click", "selector": "[name=news]"})),
        |answer| {
            let text = saved(answer);
            assert!(files_of(answer)[0].ends_with(".txt"));
            for part in [
                "[链接] 首页 -> a[href=\"/home\"]\n  文本: \"返回首页\"\n",
                "[按钮] 提交 -> button#submit\n  文本: \"提交表单\"\n",
                "[输入] 用户名 -> input[name=\"username\"]\n  类型: text\n",
                "[输入] 密码 -> input[name=\"password\"]\n  类型: password\n",
                "[选择] 国家 -> select#country\n  选项: 中国, 美国, 日本\n",
                "[复选框] 同意条款 -> ",
                "[单选框] 免费 -> ",
                "状态: 已选中",
            ] {
                assert!(text.contains(part), "{part:?} is not in {text}");
            }
            assert!(!text.contains("hunter2") && !text.contains("看不见"), "{text}");
        },
    )
}

pub(crate) fn abstract_format(world: &World) -> Transcript {
    let url = world.site.url("/controls.html");
    start().call(TOOL, quick(json!({"action": "navigate", "url": url})), move |answer| {
        let text = saved(answer);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("操作: navigate"));
        assert_eq!(lines.next(), Some(&*format!("URL: {url}")));
        let time = lines.next().unwrap().strip_prefix("时间: ").unwrap();
        let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(shape, "0000-00-00 00:00:00");
        assert_eq!(
            [lines.next(), lines.next(), lines.next()],
            [Some(""), Some("=== 可交互控件 ==="), Some("")]
        );
        // One line a control that grep finds, and one below it.
        let blocks: Vec<_> = text.split("\n\n").skip(2).collect();
        assert!(blocks.len() > 10, "{text}");
        for block in blocks {
            let (first, second) = block.split_once('\n').unwrap();
            assert!(first.starts_with('[') && first.contains("] ") && first.contains(" -> "), "{first}");
            assert!(second.starts_with("  ") && second.contains(':'), "{second}");
        }
    })
}

pub(crate) fn abstract_mode_leaves_nothing_out(world: &World) -> Transcript {
    let body = "<p>many</p><script>for (let i = 0; i < 3000; i++) document.body.append(Object.assign(document.createElement('a'), \
         {href: '/item/' + i, textContent: 'item ' + i}))</script>";
    start().call(TOOL, quick(json!({"action": "navigate", "url": world.site.page("many", body)})), |answer| {
        let text = saved(answer);
        assert_eq!(text.matches("[链接]").count(), 3000, "not cut at 20000 characters, nor at 50 elements");
    })
}

pub(crate) fn selectors_that_were_listed_work(world: &World) -> Transcript {
    at(&world.site.url("/controls.html"))
        .call(
            TOOL,
            quick(json!({"action": "type", "selector": "input[name=\"username\"]", "text": "x"})),
            done(1),
        )
        .call(TOOL, quick(json!({"action": "click", "selector": "button#submit"})), done(1))
}

pub(crate) fn file_names(world: &World) -> Transcript {
    let files = world.files.clone();
    let shape =
        |name: &str| name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>();
    start().call(TOOL, json!({"action": "screenshot"}), move |answer| {
        done(1)(answer);
        let path = std::path::Path::new(files_of(answer)[0]);
        assert!(path.is_absolute() && path.parent() == Some(&*files), "{}", path.display());
        let names: Vec<_> = names(&files).iter().map(|name| shape(name)).collect();
        assert_eq!(names, ["default_launch_00000000_000000.txt", "default_screenshot_00000000_000000.png"]);
        answer.holds("/stdout", &[files_of(answer)[0]]);
    })
}

pub(crate) fn files_of_one_second_are_all_kept(world: &World) -> Transcript {
    let files = world.files.clone();
    let mut transcript = start();
    for _ in 0..4 {
        transcript = transcript.call(TOOL, json!({"action": "screenshot"}), done(1));
    }
    transcript.call(TOOL, json!({"action": "close"}), move |_| {
        assert_eq!(names(&files).iter().filter(|name| name.ends_with(".png")).count(), 4);
    })
}

pub(crate) fn ids_stay_in_the_folder(world: &World) -> Transcript {
    let files = world.files.clone();
    let id = "../../etc/x y";
    Transcript::of("jarvis")
        .call(TOOL, json!({"action": "launch", "browser_id": id}), move |answer| {
            done(1)(answer);
            let path = std::path::Path::new(files_of(answer)[0]);
            assert_eq!(path.parent(), Some(&*files), "{}", path.display());
        })
        .call(TOOL, json!({"action": "list"}), |answer| {
            answer.holds("/stdout", &["browser_id: ../../etc/x y"]);
        })
        .call(TOOL, json!({"action": "close", "browser_id": id}), done(0))
        .call(
            TOOL,
            json!({"action": "launch", "browser_id": ""}),
            refused(&["无效的 browser_id", "INVALID_INPUT"]),
        )
}

pub(crate) fn screenshots_are_of_the_whole_page(world: &World) -> Transcript {
    at(&world.site.url("/tall.html")).call(TOOL, json!({"action": "screenshot"}), |answer| {
        done(1)(answer);
        let bytes = std::fs::read(files_of(answer)[0]).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), (1280, 5000));
    })
}

pub(crate) fn network_idle(world: &World) -> Transcript {
    let url = world.site.url("/fetch-chain.html?n=4&ms=200&test=jarvis-idle");
    let html = |args: Value| {
        let mut args = args;
        args["content_mode"] = json!("html");
        args
    };
    start()
        .call(TOOL, html(json!({"action": "navigate", "url": url})), |answer| {
            assert!(saved(answer).contains(">done</p>"), "all requests are over");
            assert!(!answer.text("/stdout").contains("超时"));
        })
        .call(TOOL, html(quick(json!({"action": "navigate", "url": url}))), |answer| {
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
        .call(TOOL, json!({"action": "navigate", "url": busy, "timeout": 1}), |answer| {
            done(1)(answer);
            answer.holds("/stdout", &["已导航到", "等待 network_idle 超时（1 秒）"]);
        })
        .call(
            TOOL,
            json!({"action": "navigate", "url": hang, "timeout": 1}),
            refused(&["操作超时", "TIMEOUT"]),
        )
        .call(
            TOOL,
            quick(json!({"action": "navigate", "url": world.site.page("after", "after")})),
            move |answer| {
                done(1)(answer);
                assert!(began.elapsed().as_secs_f64() < 25.0, "it did not take the default time");
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
    let body =
        "<button disabled>No</button><p>text</p><input id=a><input id=b><button hidden id=h>x</button>";
    at(&world.site.page("few", body))
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
            refused(&["多个元素", "ELEMENT_AMBIGUOUS"]),
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
