//! Tabs: stable ids, popups, focus, closing.

use std::time::Duration;

use contract::{Code, TabId};
use engine::{
    Until,
    actions::{Button, Click, Eval, Modifier, Snapshot, Tabs, TabsOp, Wait, World},
};

use crate::{
    clicking::click,
    support::{Fixture, code, eval, goto, look, ref_of, run, show, site},
};

async fn op(s: &Fixture, op: TabsOp) -> contract::Outcome {
    s.perform(Tabs { op: Some(op) }).await.unwrap()
}

fn open(path: &str) -> TabsOp {
    TabsOp::Open { url: Some((&*site().url(path)).into()), until: Until::Load }
}

async fn list(s: &Fixture) -> Vec<(u32, bool, String)> {
    let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
    tabs.into_iter()
        .map(|tab| (tab.tab.0, tab.active, tab.url.rsplit_once('/').unwrap_or_default().1.into()))
        .collect()
}

#[test]
fn tabs_are_opened_focused_and_closed_and_ids_are_never_reused() {
    run(async |s| {
        s.open(&site().url("/page?title=1")).await;
        assert_eq!(op(&s, open("/page?title=2")).await.tab, Some(TabId(2)));
        assert_eq!(op(&s, TabsOp::Open { url: None, until: Until::Load }).await.tab, Some(TabId(3)));
        op(&s, TabsOp::Close { tab: None }).await;
        op(&s, TabsOp::Focus { tab: TabId(1) }).await;
        assert_eq!(list(&s).await, [(1, true, "page?title=1".into()), (2, false, "page?title=2".into())]);
        assert_eq!(op(&s, open("/page?title=4")).await.tab, Some(TabId(4)));
        assert_eq!(s.eval("document.title").await, "4");
        assert_eq!(s.in_tab(2, eval("document.title")).await.unwrap().value.unwrap(), "2");
    });
}

#[test]
fn tabs_have_the_names_that_they_are_given() {
    run(async |s| {
        s.open(&site().url("/page?title=1")).await;
        op(&s, open("/page?title=2")).await;
        let label = |tab, label: &str| TabsOp::Label { tab: TabId(tab), label: label.into() };
        op(&s, label(1, "docs")).await;
        op(&s, label(2, " shop ")).await;
        let tabs = op(&s, label(2, "cart")).await.tabs.unwrap();
        let labels: Vec<_> = tabs.iter().map(|tab| tab.label.as_deref()).collect();
        assert_eq!(labels, [Some("docs"), Some("cart")]);
        for (bad, expected) in [
            (label(2, "docs"), Code::InvalidInput),
            (label(2, "t7"), Code::InvalidInput),
            (label(2, " "), Code::InvalidInput),
            (label(7, "new"), Code::TabNotFound),
        ] {
            assert_eq!(code(s.perform(Tabs { op: Some(bad) }).await), expected);
        }
        op(&s, TabsOp::Close { tab: Some(TabId(1)) }).await;
        let tabs = op(&s, label(2, "docs")).await.tabs.unwrap();
        assert_eq!(tabs[0].label.as_deref(), Some("docs"), "the name of a tab that is gone is free");
    });
}

#[test]
fn a_tab_that_is_not_there_is_told_with_those_that_are() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let error = s.in_tab(7, eval("1")).await.unwrap_err();
        assert_eq!(error.code, Code::TabNotFound);
        assert!(error.message.contains("t1"), "{}", error.message);
    });
}

#[test]
fn a_session_without_tabs_opens_one_when_it_goes_somewhere() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        op(&s, TabsOp::Close { tab: None }).await;
        assert_eq!(code(s.perform(eval("1")).await), Code::TabNotFound);
        let outcome = s.perform(goto(&site().url("/page?title=new"))).await.unwrap();
        assert_eq!((outcome.tab, outcome.title.as_deref()), (Some(TabId(2)), Some("new")));
    });
}

#[test]
fn a_popup_becomes_a_tab_and_the_outcome_says_so() {
    run(async |s| {
        s.open(&site().url("/page?title=opener")).await;
        let outcome = s.perform(eval("window.open('/page?title=popup'), 1")).await.unwrap();
        let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
        assert_eq!(tabs.len(), 2, "{tabs:?}");
        assert_eq!((tabs[1].tab, tabs[1].opener, tabs[1].active), (TabId(2), Some(TabId(1)), false));
        assert_eq!(outcome.opened.len(), 1, "{outcome:?}");
        s.in_tab(2, Wait::until(Until::Load)).await.unwrap();
        assert_eq!(s.in_tab(2, eval("document.title")).await.unwrap().value.unwrap(), "popup");
        assert_eq!(
            s.in_tab(2, eval("innerWidth")).await.unwrap().value.unwrap(),
            1280,
            "popups have the size too"
        );
    });
}

/// Chromium keeps the window of such a popup when its blank document gives way to the first page.
#[test]
fn a_popup_of_the_same_origin_has_no_errors_of_ours() {
    run(async |s| {
        let page = "<div id=d>Listens</div><script>d.addEventListener('click', () => { document.title = 'clicked' })</script>";
        let popup = site().page("popup", page);
        s.open(&site().page("opener", &format!("<button onclick=\"window.open('{popup}')\">Open</button>")))
            .await;
        s.perform(click("Open")).await.unwrap();
        let looked = s.in_tab(2, Snapshot::default()).await.unwrap();
        assert!(looked.console.is_empty(), "{:?}", looked.console);
        let listens = ref_of(&looked.snapshot.unwrap().text, "- generic").to_string();
        let outcome = s.in_tab(2, click(&listens)).await.unwrap();
        assert_eq!((outcome.title.as_deref(), outcome.console.len()), (Some("clicked"), 0));
    });
}

#[test]
fn a_popup_that_closes_itself_is_gone_from_the_list() {
    run(async |s| {
        s.open(&site().url("/page?title=opener")).await;
        s.eval("window.open('/page?title=popup'), 1").await;
        op(&s, TabsOp::Focus { tab: TabId(2) }).await;
        s.perform(Wait::until(Until::Load)).await.unwrap();
        let _ = s.perform(eval("window.close()")).await;
        // The page goes on its own time; an action that meets its end says so, and its opener is active again.
        while list(&s).await.len() > 1 {
            let _ = s.in_tab(2, Wait::until(Until::Time(contract::Span::seconds(1)))).await;
        }
        assert_eq!(s.eval("document.title").await, "opener");
    });
}

#[test]
fn a_new_tab_that_cannot_be_loaded_leaves_nothing_behind() {
    run(async |s| {
        s.open(&site().url("/page?title=kept")).await;
        let bad = TabsOp::Open { url: Some((&*site().refused_url()).into()), until: Until::Load };
        assert_eq!(code(s.perform(Tabs { op: Some(bad) }).await), Code::NavigationFailed);
        assert_eq!(s.eval("document.title").await, "kept");
    });
}

/// Links that are clicked so that they lead to a tab of their own: no page has opened that.
#[test]
fn tabs_by_how_a_link_was_clicked_are_told() {
    run(async |s| {
        let link = format!("<a href='{}'>Docs</a>", site().url("/page?title=docs"));
        show(&s, &link).await;
        let click = || Click::new("Docs".parse().unwrap());
        for (at, click) in [
            Click { modifiers: vec![Modifier::Control], ..click() },
            Click { modifiers: vec![Modifier::Shift], ..click() },
            Click { button: Button::Middle, ..click() },
        ]
        .into_iter()
        .enumerate()
        {
            let outcome = s.perform(click).await.unwrap();
            let opened: Vec<_> = outcome.opened.iter().map(|tab| (tab.tab.0, &*tab.title)).collect();
            assert_eq!(opened, [(at as u32 + 2, "docs")]);
            assert!(outcome.opened[0].url.contains("title=docs"), "{:?}", outcome.opened);
        }
        assert!(s.perform(Tabs::default()).await.unwrap().opened.is_empty());
        assert!(op(&s, open("/page?title=own")).await.opened.is_empty(), "that one is of our own");
    });
}

/// Refs of two tabs look alike, and so do buttons: what was meant for a tab that is gone must not reach another one.
#[test]
fn what_was_meant_for_a_tab_that_closed_does_not_reach_the_next() {
    run(async |s| {
        let delete = "<button onclick=\"document.title = 'deleted'\">Delete</button>";
        let opened = site().page("opened", delete);
        let opener = site().page("opener", &format!("{delete}<a href='{opened}' target=_blank>Open</a>"));
        s.open(&opener).await;
        let first = ref_of(&look(&s).await, "- button \"Delete\"").to_string();
        for (target, expected) in
            [("Delete", Code::TabNotFound), ("css=button", Code::TabNotFound), ("ref", Code::TabNotFound)]
        {
            s.perform(click("Open")).await.unwrap();
            let second = s.perform(Tabs::default()).await.unwrap().tabs.unwrap()[1].tab;
            op(&s, TabsOp::Focus { tab: second }).await;
            let shown = ref_of(&look(&s).await, "- button \"Delete\"").to_string();
            let target = if target == "ref" { &*shown } else { target };
            s.in_tab(second.0, eval_in_page("setTimeout(close, 0), 1")).await.unwrap();
            until_one_tab(&s).await;
            let error = s.perform(click(target)).await.unwrap_err();
            assert_eq!(error.code, expected, "{target}: {error}");
            assert!(error.message.contains(&second.to_string()), "{error}");
            // What another tab was told of does not become a name here by saying it twice.
            assert_eq!(code(s.perform(click(&first)).await), Code::StaleRef);
            assert_eq!(s.eval("document.title").await, "opener", "nothing was clicked");
            look(&s).await;
        }
        // Who has looked knows where they are, and so does who names the tab or closes one.
        s.perform(click(&first)).await.unwrap();
        assert_eq!(s.eval("document.title").await, "deleted");
        s.perform(click("Open")).await.unwrap();
        let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
        op(&s, TabsOp::Focus { tab: tabs[1].tab }).await;
        op(&s, TabsOp::Close { tab: None }).await;
        s.perform(click(&first)).await.unwrap();
    });
}

fn eval_in_page(js: &str) -> Eval {
    Eval { world: World::Main, ..eval(js) }
}

/// Waits without asking for the tabs, which would tell the caller.
async fn until_one_tab(s: &Fixture) {
    let tabs = || s.engine.list().into_iter().find(|info| info.session == s.name).map(|info| info.tabs.len());
    let closed = async {
        while tabs() != Some(1) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), closed).await.expect("the tab closes");
}
