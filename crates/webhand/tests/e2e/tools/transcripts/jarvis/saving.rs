//! What is saved, in which form, and under which name.

use serde_json::json;

use super::{FORM, TOOL, at, done, files_of, quick, refused, saved, start};
use crate::tools::transcript::{Transcript, World, names};

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

/// The same form in the page and in two frames: every selector in the list means one of the three.
pub(crate) fn selectors_of_frames(world: &World) -> Transcript {
    let form = "<input name=holder><button onclick=\"document.title += '!'; b.textContent = 'pressed'\" id=go>Pay</button><b id=b></b>";
    let frame = |host: &str| format!("<iframe src='{}'></iframe>", world.site.on(host, &page_path(form)));
    let body = format!("{form}{}{}", frame("127.0.0.1"), frame("localhost"));
    let mut transcript =
        at(&world.site.page("frames", &body)).call(TOOL, quick(json!({"action": "screenshot"})), done(1));
    for selector in
        ["f0 >> input[name=\"holder\"]", "f1 >> input[name=\"holder\"]", "f2 >> input[name=\"holder\"]"]
    {
        transcript = transcript.call(
            TOOL,
            quick(json!({"action": "type", "selector": selector, "text": "x"})),
            move |answer| {
                done(1)(answer);
                assert!(saved(answer).contains(&format!("-> {selector}\n")), "{}", saved(answer));
            },
        );
    }
    for selector in ["f0 >> button#go", "f1 >> button#go", "f2 >> button#go"] {
        transcript = transcript.call(TOOL, quick(json!({"action": "click", "selector": selector})), done(1));
    }
    transcript.call(TOOL, quick(json!({"action": "click", "selector": "button#go"})), |answer| {
        assert!(answer.text("/stderr").contains("ELEMENT_AMBIGUOUS"), "{}", answer.value);
    })
}

fn page_path(body: &str) -> String {
    let url = crate::support::site().page("frame", body);
    url[url.find("/page").unwrap()..].to_owned()
}

pub(crate) fn following_a_new_tab(world: &World) -> Transcript {
    let link =
        format!("<a target=_blank href='{}'>Open</a>", world.site.page("second", "<button>Inside</button>"));
    at(&world.site.page("first", &link))
        .call(TOOL, json!({"action": "click", "selector": "a"}), |answer| {
            done(1)(answer);
            answer.holds("/stdout", &["页面打开了新标签页 t2", "已切换到新标签页 t2", "标题: second"]);
            assert!(saved(answer).contains("Inside"), "{}", saved(answer));
        })
        .call(TOOL, quick(json!({"action": "click", "selector": "button"})), done(1))
        .call(TOOL, json!({"action": "list"}), |answer| {
            answer.holds("/stdout", &["标题: second", "其他标签页 t1: first"]);
        })
}

pub(crate) fn private_files(world: &World) -> Transcript {
    use std::os::unix::fs::PermissionsExt;
    let folder = world.files.clone();
    start()
        .call(TOOL, json!({"action": "screenshot"}), move |answer| {
            done(1)(answer);
            let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&folder), 0o700);
            for name in names(&folder) {
                assert_eq!(mode(&folder.join(&name)), 0o600, "{name}");
            }
            // Others could have put a link there to get at what is written.
            std::fs::remove_dir_all(&folder).unwrap();
            std::os::unix::fs::symlink("/tmp", &folder).unwrap();
        })
        .call(TOOL, json!({"action": "screenshot"}), refused(&["ACTION_DENIED"]))
}
