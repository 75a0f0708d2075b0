//! What using an element does, where it does something that the policy denies: forms and links as odd as HTML lets them be, counted at the
//! server.

use std::time::Duration;

use contract::{Code, Target};
use engine::{
    SessionOptions, Until,
    actions::{Download, Drag, Press, Wait, step_from},
};
use serde_json::json;

use crate::{
    hands_support::click,
    support::{Fixture, run_in_shell, show, site},
};

fn denying(s: Fixture, effects: &[&str]) -> Fixture {
    let policy = serde_json::from_value(json!([{"effect": effects, "decide": "deny"}])).unwrap();
    Fixture { options: SessionOptions { policy, ..s.options.clone() }, ..s }
}

fn target(id: &str) -> Target {
    format!("css=#{id}").parse().unwrap()
}

fn drag(from: &str, to: &str) -> Drag {
    Drag::new(target(from), target(to))
}

/// Where the attacks of a test lead, and how often somebody came there.
fn sent(path: &str) -> usize {
    site().hits(path)
}

#[test]
fn a_denied_form_is_not_sent_however_it_is_written() {
    run_in_shell(async |s| {
        let s = denying(s, &["submit"]);
        let form = |id: &str, attributes: &str, inner: &str| {
            format!("<form id=f-{id} action='/odd-form' {attributes}>{inner}</form>")
        };
        let button = |id: &str| format!("<button id={id}>{id}</button>");
        let page = [
            form("blank", "method=' dialog'", &button("blank")),
            form("after", "method='dialog '", &button("after")),
            form("nbsp", "method='\u{a0}dialog'", &button("nbsp")),
            form("kelvin", "method='dıalog'", &button("kelvin")),
            form("formmethod", "method=dialog", "<button id=formmethod formmethod=' dialog'>x</button>"),
            form("invalid", "method=dialog", "<button id=invalid formmethod=nonsense>x</button>"),
            form("type", "", "<button id=type type=' button'>x</button>"),
            form("reset", "", "<button id=reset type='reset\u{a0}'>x</button>"),
            form("image", "", "<input id=image type=IMAGE alt=x width=30 height=20>"),
            form("upper", "", "<input id=upper type=SUBMIT>"),
            form("action", "action=''", "<button id=action formaction='/odd-form'>x</button>"),
            form("popover", "", "<button id=popover popovertarget=pop>x</button>"),
            form("out", "", "") + "<button id=out form=f-out>x</button>",
            form("label", "", "<button id=labelled>x</button>") + "<label id=label for=labelled>label</label>",
            form("nested", "", "<label id=around><b id=nested>b</b> <input type=submit></label>"),
            form("details", "", "<details open><summary><button id=details>x</button></summary></details>"),
            form("plain", "", "<label for=hid><button type=button id=plain>x</button></label><input type=submit id=hid hidden>"),
            "<div id=pop popover>p</div>".into(),
        ]
        .concat();
        show(&s, &page).await;
        for id in [
            "blank",
            "after",
            "nbsp",
            "kelvin",
            "formmethod",
            "invalid",
            "type",
            "reset",
            "image",
            "upper",
            "action",
            "popover",
            "out",
            "label",
            "nested",
            "details",
        ] {
            for (way, result) in [
                ("click", s.perform(click(&format!("css=#{id}"))).await),
                ("drag", s.perform(drag(id, id)).await),
                ("by point", s.perform(Drag { steps: Some(1), ..drag(id, id) }).await),
            ] {
                let error = result.expect_err(&format!("{way} {id}"));
                assert_eq!(error.code, Code::ActionDenied, "{way} {id}: {error}");
            }
        }
        assert_eq!(sent("/odd-form") + sent("/odd-form?"), 0);
    });
}

#[test]
fn a_denied_form_is_not_sent_by_enter() {
    run_in_shell(async |s| {
        let s = denying(s, &["submit"]);
        let page = "<form action='/odd-keys'><select id=list><option>a<option>b</select><input id=tick type=checkbox><input id=radio type=radio>
            <input id=range type=range><input id=date type=date><input id=text><button>x</button></form>
            <input id=far form=f2><form id=f2 action='/odd-keys' method=' dialog'></form><button form=f2>y</button>
            <form method=dialog><input id=given><button formmethod=get formaction='/odd-keys'>z</button></form>";
        show(&s, page).await;
        for id in ["list", "tick", "radio", "range", "date", "text", "far", "given"] {
            let enter = Press { target: Some(target(id)), ..Press::new("Enter".into()) };
            let error = s.perform(enter).await.expect_err(id);
            assert_eq!(error.code, Code::ActionDenied, "{id}: {error}");
        }
        assert_eq!(sent("/odd-keys") + sent("/odd-keys?"), 0);
    });
}

#[test]
fn a_denied_link_is_not_followed_however_it_is_written() {
    run_in_shell(async |s| {
        let policy =
            serde_json::from_value(json!([{"effect": "navigate", "origin": "localhost", "decide": "deny"}]));
        let s = Fixture { options: SessionOptions { policy: policy.unwrap(), ..s.options.clone() }, ..s };
        let there = site().on("localhost", "/echo?away");
        let page = format!(
            "<a id=marked download href='{there}'>cross-origin</a> <a id=spaces href='\t\n {there} '>spaces</a>
             <svg id=svg width=60 height=20><a href='{there}'><text id=svga y=15>svg</text></a></svg>
             <svg width=60 height=20><a xlink:href='{there}'><text id=xlink y=15>xlink</text></a></svg>
             <svg width=60 height=20><a id=odd><text id=prefixed y=15>odd</text></a></svg>
             <a href='{there}'><button type=button id=inner>button in a link</button></a>
             <a href='{there}'><label id=label>label in a link</label></a>
             <a href='{there}'><input id=field type=button value=field></a>
             <img usemap=#map width=60 height=30 alt=map src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='>
             <map name=map><area id=area shape=rect coords='0,0,60,30' href='{there}' alt=area></map>
             <div id=host></div><div id=drop style='width:80px;height:30px'>drop</div>
             <script>odd.setAttributeNS('http://www.w3.org/1999/xlink', 'foo:href', {there:?});
             host.attachShadow({{mode: 'open'}}).innerHTML = `<a href='{there}'><span id=shadow>shadow</span></a>`</script>"
        );
        show(&s, &page).await;
        for id in
            ["marked", "spaces", "svga", "xlink", "prefixed", "inner", "label", "field", "area", "shadow"]
        {
            for (way, result) in [
                ("click", s.perform(click(&format!("css=#{id}"))).await),
                ("drag", s.perform(drag(id, id)).await),
            ] {
                let error = result.expect_err(&format!("{way} {id}"));
                assert_eq!(error.code, Code::ActionDenied, "{way} {id}: {error}");
            }
        }
        // What is pressed on one thing in a link and let go of on another is a click on the link, and a link that is dropped may be followed.
        for (from, to) in [("inner", "drop"), ("drop", "inner"), ("marked", "drop")] {
            assert_eq!(s.perform(drag(from, to)).await.unwrap_err().code, Code::ActionDenied, "{from} {to}");
        }
        let by_verb = s.perform(Download::new(target("marked"))).await;
        assert_eq!(by_verb.unwrap_err().code, Code::ActionDenied);
        assert_eq!(sent("/echo?away"), 0);
    });
}

/// What harms nobody goes on.
#[test]
fn what_does_nothing_of_the_kind_is_allowed() {
    run_in_shell(async |s| {
        let s = denying(s, &["submit"]);
        show(
            &s,
            "<form method=DIALOG action='/odd-fine'><button id=dialog>x</button></form><form action='/odd-fine'>
             <button type=BUTTON id=button>x</button><button type=reset id=reset>x</button><label id=label>l <input id=text></label>
             <textarea id=area></textarea></form><a id=link href='#x'>link</a><div id=box draggable=true>box</div>",
        )
        .await;
        for id in ["dialog", "button", "reset", "label", "text", "link"] {
            s.perform(click(&format!("css=#{id}"))).await.unwrap();
        }
        let enter = Press { target: Some(target("area")), ..Press::new("Enter".into()) };
        s.perform(enter).await.unwrap();
        assert_eq!(sent("/odd-fine") + sent("/odd-fine?"), 0);
    });
}

/// An access key would click its element, wherever the focus is. Keys that are pressed together with Alt write nothing, and by what a key
/// writes Chromium knows access keys; so nothing has to be judged.
#[test]
fn access_keys_click_nothing() {
    run_in_shell(async |s| {
        let page = "<form action='/access-key'><button accesskey=s>Send</button><input id=field></form>
             <a href='/access-key' accesskey=L>Link</a>";
        show(&s, page).await;
        for keys in ["Alt+s", "Alt+Shift+s", "Alt+l", "Control+Alt+s", "Tab Alt+s"] {
            s.perform(Press::new(keys.into())).await.unwrap();
        }
        assert_eq!(sent("/access-key"), 0);
    });
}

/// Every verb that gives input or files, at elements in a frame of another origin, where a rule is about that origin alone. The frame tells the
/// server of every event that it hears.
#[test]
fn rules_about_a_frame_hold_for_whatever_is_done_in_it() {
    run_in_shell(async |s| {
        let file = tempfile::NamedTempFile::new().unwrap();
        let inner = |mark: &str| {
            format!(
                "<input id=text aria-label=Text><textarea id=area></textarea><div id=rich contenteditable>x</div>\
                 <select id=list><option>One<option>Two</select><input id=box type=checkbox><input id=on type=checkbox checked>\
                 <input id=range type=range><input id=date type=date><input id=file type=file><button id=button>B</button>\
                 <div id=slider role=slider tabindex=0 aria-valuenow=1 aria-valuemin=0 aria-valuemax=9>s</div>\
                 <script>for (const type of ['input', 'change', 'click', 'keydown', 'mousedown', 'mouseover', 'dragenter', 'drop', 'focusin'])\
                 addEventListener(type, () => new Image().src = '/echo?{mark}', true)</script>"
            )
        };
        let path = file.path().display();
        let deeds = [
            "fill css=#text x".to_owned(),
            "fill css=#area x".into(),
            "fill css=#rich y".into(),
            "fill css=#date 2026-01-02".into(),
            "fill css=#range 70".into(),
            "fill css=#slider 5".into(),
            "fill css=#text x --submit".into(),
            "type x --target css=#text".into(),
            "press a --target css=#text".into(),
            "press Enter --target css=#button".into(),
            "select css=#list Two".into(),
            "check css=#box".into(),
            "uncheck css=#on".into(),
            "fill-form css=#text x css=#box yes".into(),
            "click css=#button".into(),
            "hover css=#button".into(),
            "drag css=#button css=#slider".into(),
            format!("upload css=#file {path}"),
            format!("upload css=#area {path} --drop"),
        ];
        let fixture = |policy: serde_json::Value| Fixture {
            options: SessionOptions { policy: serde_json::from_value(policy).unwrap(), ..s.options.clone() },
            ..Fixture::new(s.engine.clone()).in_shell()
        };
        let rule =
            |effect: &[&str]| json!([{"effect": effect, "origin": "framed.localhost", "decide": "deny"}]);
        for (mark, policy, is_denied) in
            [("frame-free", json!([]), false), ("frame-denied", rule(&["input", "upload"]), true)]
        {
            let s = fixture(policy);
            let frame = site().page(mark, &inner(mark)).replace("127.0.0.1", "framed.localhost");
            let page =
                site().page("page", &format!("<iframe width=900 height=500 src=\"{frame}\"></iframe>"));
            for deed in &deeds {
                s.open(&page).await;
                let before = sent(&format!("/echo?{mark}"));
                let action = step_from(json!(deed)).unwrap();
                let done = s.within(Duration::from_secs(10), action).await;
                let idle = s.perform(Wait::until(Until::NetworkIdle)).await;
                idle.unwrap();
                match is_denied {
                    true => {
                        assert_eq!(done.unwrap_err().code, Code::ActionDenied, "{deed}");
                        assert_eq!(sent(&format!("/echo?{mark}")), 0, "{deed}");
                    }
                    // Not every one of them has something to do here, but all of them reach the frame.
                    false => assert!(sent(&format!("/echo?{mark}")) > before, "{deed}: {done:?}"),
                }
            }
            s.close().await;
        }
    });
}
