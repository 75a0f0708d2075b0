//! What using an element does, where it does something that the policy denies: forms and links as odd as HTML lets them be, counted at the
//! server.

use contract::{Code, Target};
use engine::{
    SessionOptions,
    actions::{Download, Drag, Press},
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
