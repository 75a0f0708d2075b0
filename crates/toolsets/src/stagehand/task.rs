//! Tools that are about the task and not about a page: thinking, ending it, searching, and having a page opened for it.

use contract::{Error, PageUrl, Result};
use engine::{Until, actions::Goto};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{act, act::went, answer, look::milliseconds};
use crate::{Caller, Hints, Step, Tool, tool::Call};

pub(super) const CLOSE: Tool = Tool::new::<CloseArgs>(
    "close",
    "End the task, done or not, and say what came of it. The browser stays open",
    Hints::Arranges,
);
pub(super) const THINK: Tool =
    Tool::new::<ThinkArgs>("think", "Note a thought; nothing is done", Hints::Arranges);
pub(super) const SEARCH: Tool = Tool::new::<SearchArgs>("search", "Search the web", Hints::Reads);
pub(super) const OPEN_URL: Tool = Tool::new::<OpenUrlArgs>(
    "open-url",
    "Have the host application open a page for the other tools to act on; without a host it opens in webhand's own browser",
    Hints::Acts,
);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CloseArgs {
    /// What was done, or why it could not be
    reasoning: String,
    task_complete: bool,
}

impl Call for CloseArgs {
    fn call(self, _: &Caller) -> Result<Step> {
        Ok(Step::Done(answer::ok(json!({
            "success": true,
            "reasoning": self.reasoning,
            "taskComplete": self.task_complete,
            "message": "the task has ended; the browser stays open",
        }))))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ThinkArgs {
    reasoning: String,
}

impl Call for ThinkArgs {
    fn call(self, _: &Caller) -> Result<Step> {
        Ok(Step::Done(answer::ok(json!({"acknowledged": true, "message": self.reasoning}))))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArgs {
    query: String,
}

impl Call for SearchArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        if self.query.trim().is_empty() {
            return Err(Error::invalid("query is empty"));
        }
        let timestamp = milliseconds(caller);
        Ok(Step::search(self.query, move |found| {
            Step::Done(match found {
                Ok(found) => {
                    let results = match found {
                        Value::Object(mut fields) if fields.contains_key("results") => {
                            fields.remove("results").unwrap_or_default()
                        }
                        other => other,
                    };
                    answer::ok(json!({"data": {"results": results}, "timestamp": timestamp}))
                }
                Err(error) => answer::failed(error, json!({"timestamp": timestamp})),
            })
        }))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenUrlArgs {
    #[schemars(with = "String")]
    url: PageUrl,
    /// What the host may call it
    title: Option<String>,
}

impl Call for OpenUrlArgs {
    fn call(self, caller: &Caller) -> Result<Step> {
        let OpenUrlArgs { url, title } = self;
        // The host opens what it is given, so it is given nothing but pages of the web.
        let is_web = ["http://", "https://"].iter().any(|scheme| {
            url.expose().get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        if !is_web {
            return Err(Error::invalid("url is no http:// or https:// address"));
        }
        let (next, said) = (caller.clone(), json!({"url": url}));
        let (session, options) = (caller.session.clone(), caller.options.clone());
        let request = caller.request(Goto { url: url.clone(), until: Until::DomContentLoaded });
        Ok(Step::open_in_host(session, options, url.clone(), title, request, move |opened| match opened {
            Ok(Some(tab)) => {
                Step::Done(answer::ok(json!({"success": true, "url": url, "openedIn": "host", "tab": tab})))
            }
            Ok(None) => act(&next, Goto { url, until: Until::DomContentLoaded }, said, |outcome| {
                let mut data = went(outcome);
                let note = "no host application is connected: the page was opened in webhand's own browser";
                data["message"] = match data["message"].as_str() {
                    Some(more) => format!("{note}; {more}").into(),
                    None => note.into(),
                };
                data["openedIn"] = "webhand".into();
                data
            }),
            Err(error) => Step::Done(answer::failed(error, said)),
        }))
    }
}
