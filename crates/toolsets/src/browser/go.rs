//! Tools that go somewhere or arrange where things are: pages, tabs, sizes, files from the web.

use std::path::PathBuf;

use contract::{Error, PageUrl, Result};
use engine::{
    Action,
    actions::{Back, Close, Download, Open, Resize, Snapshot, Tabs, TabsOp},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{act, answer, one_by_one, tab_at, target::Place};
use crate::{Caller, Hints, Step, Tool, tool::Call};

/// How much of a page is shown that was gone back to, as after a click that leads to a page.
const LONGEST_PAGE: usize = 8_000;

pub(super) const NAVIGATE: Tool = Tool::new::<Navigate>("browser_navigate", "Go to a URL", Hints::Acts);
pub(super) const BACK: Tool = Tool::new::<NavigateBack>("browser_navigate_back", "Go back", Hints::Acts);
pub(super) const TABS: Tool =
    Tool::new::<TabsArgs>("browser_tabs", "List, open, close or select tabs", Hints::Arranges);
pub(super) const DOWNLOAD: Tool = Tool::new::<DownloadArgs>(
    "browser_download",
    "Download a file by clicking what leads to it, or by its URL; with neither wait for the one under way",
    Hints::Acts,
);
pub(super) const RESIZE: Tool = Tool::new::<ResizeArgs>("browser_resize", "Resize the page", Hints::Arranges);
pub(super) const CLOSE: Tool =
    Tool::new::<CloseArgs>("browser_close", "Close the browser session", Hints::Destroys);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Navigate {
    #[schemars(with = "String")]
    url: PageUrl,
}

impl Call for Navigate {
    fn call(self, caller: &Caller) -> Result<Step> {
        Ok(act(caller, Open { url: Some(self.url), ..Open::default() }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NavigateBack {}

impl Call for NavigateBack {
    fn call(self, caller: &Caller) -> Result<Step> {
        // Whoever goes back wants to see where that is.
        let look = Snapshot { max_chars: Some(LONGEST_PAGE), ..Snapshot::default() };
        Ok(one_by_one(caller, [Action::from(Back::default()), look.into()], Vec::new()))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TabsArgs {
    action: TabsAction,
    /// The tab to close or select, from 0; the current one if left out
    index: Option<usize>,
    /// For new
    #[schemars(with = "Option<String>")]
    url: Option<PageUrl>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TabsAction {
    List,
    New,
    Close,
    Select,
}

impl Call for TabsArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let list = Tabs::default();
        let open = |url| TabsOp::Open { url, until: engine::Until::default() };
        Ok(match (self.action, self.index) {
            (TabsAction::List, _) => act(caller, list),
            (TabsAction::New, _) => then_list(caller, open(self.url)),
            (TabsAction::Close, None) => then_list(caller, TabsOp::Close { tab: None }),
            (TabsAction::Select, None) => return Err(Error::invalid("select needs an index")),
            (action, Some(index)) => {
                let (caller, mark) = (caller.clone(), caller.mark.clone());
                let request = caller.request(list);
                caller.clone().perform(request, move |listed| {
                    match listed.and_then(|outcome| tab_at(&outcome, index)) {
                        Ok(tab) if action == TabsAction::Close => {
                            then_list(&caller, TabsOp::Close { tab: Some(tab) })
                        }
                        Ok(tab) => then_list(&caller, TabsOp::Focus { tab }),
                        Err(error) => Step::Done(answer::failed(error, &mark)),
                    }
                })
            }
        })
    }
}

/// Does something with tabs, and tells which there are afterwards.
fn then_list(caller: &Caller, op: TabsOp) -> Step {
    let (mark, caller) = (caller.mark.clone(), caller.clone());
    let request = caller.request(Tabs { op: Some(op) });
    caller.clone().perform(request, move |done| {
        let mut outcome = match done {
            Ok(outcome) => outcome,
            Err(error) => return Step::Done(answer::failed(error, &mark)),
        };
        let list = caller.request(Tabs::default());
        caller.perform(list, move |listed| {
            match listed {
                Ok(listed) => outcome.tabs = listed.tabs,
                Err(error) => outcome.notes.push(format!("the tabs cannot be listed: {error}")),
            }
            Step::Done(answer::done(outcome, Vec::new(), &mark))
        })
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DownloadArgs {
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "for people who read the call")]
    element: Option<String>,
    target: Option<Place>,
    #[schemars(with = "Option<String>")]
    url: Option<PageUrl>,
    /// File or folder to move it to
    filename: Option<PathBuf>,
}

impl Call for DownloadArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let target = self.target.map(|place| place.0);
        Ok(act(caller, Download { target, url: self.url, path: self.filename, force: false }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResizeArgs {
    width: u32,
    height: u32,
}

impl Call for ResizeArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let size = Some(format!("{}x{}", self.width, self.height));
        Ok(act(caller, Resize { size, ..Resize::default() }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseArgs {}

impl Call for CloseArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let (session, options, mark) = (caller.session.clone(), caller.options.clone(), caller.mark.clone());
        Ok(Step::perform(session, options, caller.request(Close {}), move |result| {
            Step::Done(match result {
                Ok(outcome) => answer::done(outcome, vec!["the session is closed".into()], &mark),
                Err(error) => answer::failed(error, &mark),
            })
        }))
    }
}
