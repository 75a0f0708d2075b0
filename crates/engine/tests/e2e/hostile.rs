//! Pages that make looking at them hard. Each gives a snapshot or a coded error in time, and the session is usable afterwards.

use std::time::Duration;

use contract::{Code, FrameId, Outcome};
use engine::{
    Until,
    actions::{Eval, Goto, Snapshot, Tabs, TabsOp},
};

use crate::support::{Fixture, goto, run, run_alone, site};

/// Far more than any of them takes on a machine under load; not as long as nobody waits for.
const DEADLINE: Duration = Duration::from_secs(40);

async fn go(s: &Fixture, url: &str, until: Until) {
    s.perform(Goto { url: url.into(), until }).await.unwrap();
}

/// A snapshot within the deadline, cut to what a test reads.
async fn look(s: &Fixture) -> Outcome {
    s.within(DEADLINE, Snapshot { max_chars: Some(20_000), ..Snapshot::default() }).await.unwrap()
}

#[track_caller]
fn shows(outcome: &Outcome, wanted: &[&str]) {
    let text = &outcome.snapshot.as_ref().unwrap().text;
    for words in wanted {
        assert!(text.contains(words), "{words:?} is not in:\n{:.4000}", text);
    }
}

async fn is_usable(s: &Fixture) {
    let there = s.perform(goto(&site().url("/page?title=usable"))).await.unwrap();
    assert_eq!(there.title.as_deref(), Some("usable"));
    shows(&look(s).await, &["- heading \"usable\" [level=1]"]);
}

/// Opens a page made of this markup, looks at it twice, and goes on.
fn check(body: &str, wanted: &[&str]) {
    run(async |s| {
        go(&s, &site().page("hostile", body), Until::Load).await;
        for _ in 0..2 {
            let outcome = look(&s).await;
            shows(&outcome, wanted);
            assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
        }
        is_usable(&s).await;
    });
}

#[test]
fn it_changes_for_ever() {
    run(async |s| {
        go(&s, &site().url("/endless-mutation.html"), Until::Load).await;
        for _ in 0..5 {
            shows(&look(&s).await, &["- paragraph: "]);
        }
        is_usable(&s).await;
    });
}

#[test]
fn it_changes_five_thousand_times_a_frame() {
    check(
        "<h1>Busy</h1><ul></ul><script>
           const list = document.querySelector('ul');
           const change = () => {
             for (let at = 0; at < 2500; at++) {
               list.append(Object.assign(document.createElement('li'), { textContent: at }));
               if (list.childNodes.length > 20) list.firstChild.remove();
             }
             requestAnimationFrame(change);
           };
           change();
         </script>",
        &["- heading \"Busy\" [level=1]", "- listitem: 24"],
    );
}

#[test]
fn two_hundred_thousand_elements() {
    check(
        "<h1>Large</h1><table></table><script>
           let rows = '';
           for (let at = 0; at < 40000; at++) rows += `<tr><td>${at}<td>Name ${at}<td><b>x</b></tr>`;
           document.querySelector('table').innerHTML = rows;
         </script>",
        &["- row: 17 | Name 17 | x", "more lines"],
    );
}

#[test]
fn it_replaces_what_scripts_are_made_of() {
    run(async |s| {
        go(&s, &site().url("/globals-clobbered.html"), Until::Load).await;
        shows(&look(&s).await, &["- button \"Still works\" [ref=e"]);
        is_usable(&s).await;
    });
    let broken = "<button>Real</button><p id=p>Click</p><script>
        p.addEventListener('click', () => {});
        const junk = () => { throw new Error('clobbered'); };
        for (const type of [Node, Element, HTMLElement, Event, UIEvent, CustomEvent]) {
          for (const name of Object.getOwnPropertyNames(type.prototype)) {
            try { Object.defineProperty(type.prototype, name, { get: junk, set: junk }); } catch {}
          }
        }
        for (const name of ['dispatchEvent', 'addEventListener', 'removeEventListener']) EventTarget.prototype[name] = junk;
        Array.prototype[Symbol.iterator] = junk;
        Object.defineProperty(Object.prototype, 'detail', { get: junk, set: junk });
        Object.defineProperty(Object.prototype, 'composed', { get: junk });
        Function.prototype.call = Function.prototype.apply = Function.prototype.bind = junk;
        for (const name of ['Array', 'Map', 'Node', 'JSON', 'Symbol', 'Object', 'MutationObserver', 'Reflect', 'UIEvent', 'document', 'getComputedStyle'])
          try { window[name] = junk; } catch {}
      </script>";
    check(broken, &["- button \"Real\" [ref=", "- paragraph [ref=e4]: Click"]);
}

#[test]
fn it_throws_whenever_it_is_asked() {
    check(
        "<button>Real</button><script>
           addEventListener('error', () => { throw new Error('again'); });
           const add = EventTarget.prototype.addEventListener;
           for (const kind of ['click', 'focus', 'scroll', 'resize', 'mousemove', 'DOMNodeInserted'])
             add.call(window, kind, () => { throw new Error(kind); }, true);
           document.querySelector('button').toString = () => { throw new Error('toString'); };
           Object.defineProperty(document.querySelector('button'), '__reactProps$x', { enumerable: true, get() { throw new Error('props'); } });
           Object.defineProperty(document.body.appendChild(document.createElement('p')), '__reactProps$x', { enumerable: true, get() { throw new Error('props'); } });
           const late = document.body.appendChild(document.createElement('p'));
           late.textContent = 'Late';
           late.onclick = () => {};
         </script>",
        &["- button \"Real\" [ref=", "- paragraph [ref=e5]: Late"],
    );
}

#[test]
fn forms_whose_fields_are_named_like_what_elements_have() {
    let names = "firstChild nextSibling parentNode parentElement attributes getAttribute hasAttribute hasAttributes nodeType localName tagName \
        children childNodes shadowRoot labels id contains closest matches dataset style hidden isConnected host type value control \
        getBoundingClientRect checkVisibility textContent namespaceURI assignedSlot querySelectorAll ownerDocument getRootNode elements \
        clientLeft clientTop contentWindow role title inert disabled form length compareDocumentPosition scrollIntoViewIfNeeded";
    let fields: String =
        names.split_whitespace().map(|name| format!("<input name={name} aria-label={name}>")).collect();
    let page = format!(
        "<img name=body><img name=getElementById><form name=querySelectorAll></form><form name=documentElement></form><form name=title></form>\
         <form name=activeElement></form><form name=styleSheets></form><form name=adoptedStyleSheets></form><form name=getAnimations></form>\
         <form aria-label=Clobbered tabindex=0 onclick=''>{fields}<p>Text in it</p></form><button>After</button>"
    );
    let mut wanted: Vec<String> =
        names.split_whitespace().map(|name| format!("- textbox \"{name}\" [ref=")).collect();
    wanted.extend([
        "- form \"Clobbered\" [ref=".into(),
        "- paragraph: Text in it".into(),
        "- button \"After\" [ref=".into(),
    ]);
    check(&page, &wanted.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_frame_that_never_loads() {
    run(async |s| {
        let page = site()
            .page("stuck", "<button>Top</button><iframe title=Stuck src='/hang?test=hostile'></iframe>");
        go(&s, &page, Until::DomContentLoaded).await;
        shows(&look(&s).await, &["- button \"Top\" [ref=", "- iframe \"Stuck\" [ref="]);
        is_usable(&s).await;
    });
}

#[test]
fn a_frame_that_spins_for_ever_holds_up_nobody() {
    // In a browser of its own: the process that spins would be shared with other tests.
    run_alone(async |s| {
        let spinning = site().on("b.localhost", "/busy-loop.html");
        let page = format!(
            "<button>Top</button><iframe title=Spinning src='{spinning}'></iframe><iframe title=Calm srcdoc='<button>Inner</button>'></iframe>"
        );
        go(&s, &site().page("spin", &page), Until::Load).await;
        shows(&look(&s).await, &["- button \"Spin\" [ref=f1e"]);
        let spin = Eval { frame: Some(FrameId(1)), ..Eval::new("setTimeout(() => { for (;;); }); 'soon'") };
        s.perform(spin).await.unwrap();
        let outcome = look(&s).await;
        shows(
            &outcome,
            &["- button \"Top\" [ref=", "- iframe \"Spinning\" [ref=", "- button \"Inner\" [ref=f2e"],
        );
        assert!(
            outcome.notes.len() == 1 && outcome.notes[0].starts_with("f1 could not be seen"),
            "{:?}",
            outcome.notes
        );
        // It is known by now: there is no time for the patience that a frame is given at first.
        let again = s.within(Duration::from_secs(4), Snapshot::default()).await.unwrap();
        shows(&again, &["- button \"Top\" [ref="]);
        is_usable(&s).await;
    });
}

#[test]
fn elements_as_deep_as_the_browser_can_lay_out() {
    run(async |s| {
        go(&s, &nested(1_000), Until::Load).await;
        shows(
            &look(&s).await,
            &["- heading \"Deep\" [level=1]", "- button \"Bottom\" [ref=", "- button \"After\" [ref="],
        );
        is_usable(&s).await;
    });
}

/// Laying this out is more than Chromium's own stack holds on most machines. That is an error of its own, and no end of the session.
#[test]
fn elements_deeper_than_that() {
    run_alone(async |s| {
        let there = s.within(DEADLINE, goto(&nested(5_000))).await;
        let seen = match there {
            Ok(_) => s.within(DEADLINE, Snapshot::default()).await,
            Err(error) => Err(error),
        };
        match seen {
            Ok(outcome) => shows(&outcome, &["- button \"Bottom\" [ref="]),
            Err(error) => assert_eq!(error.code, Code::PageCrashed),
        }
        let other =
            TabsOp::Open { url: Some((&*site().url("/page?title=other")).into()), until: Until::Load };
        s.perform(Tabs { op: Some(other) }).await.unwrap();
        is_usable(&s).await;
    });
}

fn nested(depth: u32) -> String {
    let page = "<h1>Deep</h1><script>
        let at = document.body;
        for (let depth = 0; depth < DEPTH; depth++) at = at.appendChild(document.createElement('div'));
        at.innerHTML = '<button>Bottom</button>';
      </script><button>After</button>";
    site().page("deep", &page.replace("DEPTH", &depth.to_string()))
}

#[test]
fn texts_and_attributes_of_megabytes() {
    check(
        "<h1>Long</h1><p></p><button>After</button><script>
           const long = 'word '.repeat(1000000);
           document.querySelector('p').textContent = long;
         </script>",
        &["- heading \"Long\" [level=1]"],
    );
    check(
        "<h1>Long</h1><button></button><a>Link</a><input><img><p></p><script>
           const long = 'word '.repeat(200000);
           for (const element of document.body.querySelectorAll('button, a, input, img, p'))
             for (const name of ['aria-label', 'title', 'href', 'src', 'alt', 'value', 'placeholder', 'class', 'id', 'role', 'aria-owns', 'aria-labelledby', 'style', 'aria-valuetext', 'data-x'])
               element.setAttribute(name, long);
         </script>",
        &["- heading \"Long\" [level=1]"],
    );
}

#[test]
fn two_hundred_frames() {
    run_alone(async |s| {
        let page = "<h1>Frames</h1><script>
            for (let at = 0; at < 200; at++) document.body.append(Object.assign(document.createElement('iframe'), { title: `Frame ${at}`, width: 10, height: 10 }));
          </script><button>After</button>";
        go(&s, &site().page("frames", page), Until::Load).await;
        let outcome = look(&s).await;
        shows(
            &outcome,
            &["- heading \"Frames\" [level=1]", "- iframe \"Frame 199\" [ref=", "- button \"After\" [ref="],
        );
        is_usable(&s).await;
    });
}
