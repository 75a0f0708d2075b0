//! Dry runs of tools: how callers ask for them, what is done all the same, and what is told instead of the rest. Every toolset answers a dry
//! run in one shape, since it is webhand's answer and not the tool's.

use contract::{Effect, Error, Outcome, Plan, PlannedEffect, Result, Ruling, ToolResult};
use engine::Request;
use serde_json::{Value, json};
use toolsets::{Answer, Ask, Caller, Reply, Toolset};

use crate::{
    client_sessions,
    files::Folders,
    render,
    tools::{Clock, Tools},
};

/// The argument that asks for it, of every tool. It is in no schema: those are read before every conversation.
const ARGUMENT: &str = "dryRun";

/// The same in the `_meta` of an MCP call.
const META: &str = "webhand/dryRun";

/// Whether a name is one of these, however it is written: who writes `dry_run` for `dryRun` must not have it done.
fn is_name(said: &str, name: &str) -> bool {
    let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
    plain(said) == plain(name)
}

/// Notes in the arguments that it was asked for elsewhere: by a flag, in the query, in `_meta`. What is wrong there is found by [`take`].
pub(crate) fn ask(args: &mut Value, said: Value) {
    if args.is_null() {
        *args = json!({});
    }
    let Some(args) = args.as_object_mut() else { return };
    if args.get(ARGUMENT).is_none_or(|own| *own == Value::Bool(false)) {
        args.insert(ARGUMENT.into(), said);
    }
}

/// What a query asks for: `dry_run=true`. Said more than once, the stricter counts.
pub(crate) fn ask_by_query(args: &mut Value, query: Option<&str>) {
    for said in asked_in(query) {
        ask(args, said.parse().map_or_else(|_| Value::from(&*said), Value::Bool));
    }
}

/// What `_meta` of an MCP call asks for.
pub(crate) fn ask_by_meta<'a>(args: &mut Value, meta: impl IntoIterator<Item = (&'a String, &'a Value)>) {
    for (name, said) in meta {
        if is_name(name, META) || is_name(name, ARGUMENT) {
            ask(args, said.clone());
        }
    }
}

/// Refuses a query that asks for a dry run of what has none.
pub(crate) fn refuse_in(query: Option<&str>) -> Result<()> {
    match asked_in(query).is_empty() {
        true => Ok(()),
        false => Err(Error::invalid("this has no dry run").with_hint("leave out dry_run to do it")),
    }
}

fn asked_in(query: Option<&str>) -> Vec<String> {
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.filter(|(name, _)| is_name(name, ARGUMENT)).map(|(_, said)| said.into_owned()).collect()
}

/// Takes out of the arguments whether the call is a dry run.
pub(crate) fn take(args: &mut Value) -> Result<bool> {
    let Some(args) = args.as_object_mut() else { return Ok(false) };
    let names: Vec<String> = args.keys().filter(|name| is_name(name, ARGUMENT)).cloned().collect();
    let said: Vec<Value> = names.iter().filter_map(|name| args.remove(name)).collect();
    match said.iter().all(Value::is_boolean) {
        true => Ok(said.contains(&Value::Bool(true))),
        false => Err(Error::invalid(format!("{ARGUMENT} is true or false"))
            .with_hint(format!("leave {ARGUMENT} out to do it, or give true to be told what would be done"))),
    }
}

/// Whether what a tool asks for may be done in a dry run: tools look before they act.
pub(crate) fn only_looks(ask: &Ask) -> bool {
    match ask {
        Ask::Sessions => true,
        Ask::Perform { request, .. } => request.action.only_looks(),
        Ask::Restart { .. }
        | Ask::Write { .. }
        | Ask::Picture { .. }
        | Ask::OpenInHost { .. }
        | Ask::Search { .. } => false,
    }
}

/// What comes of something that a tool asks for in a dry run.
pub(crate) enum Planned {
    /// What would be done.
    Plan(Result<Plan>),
    /// It needs no plan: nothing would be done, and the tool goes on with this.
    Nothing(Box<Answer>),
}

impl Tools {
    /// The plan of a look, where that is what the tool is there for, or where it may not be taken without a person. None: the tool only looks
    /// before it acts, and may.
    pub(crate) async fn planned_look(
        &self,
        set: &Toolset,
        tool: &str,
        ask: &Ask,
        caller: &Caller,
    ) -> Option<Plan> {
        let Ask::Perform { session, options, request } = ask else { return None };
        if !client_sessions::is_open_to(session, caller) {
            return None;
        }
        let dry = Request { dry_run: true, ..request.clone() };
        let planned = self.engine.perform(session, options, dry).await.ok()?.plan?;
        let is_asked = planned.effects.iter().any(|effect| effect.decide != Ruling::Allow && !effect.granted);
        let only_reads = set.tool(tool, &caller.tools).is_ok_and(|tool| tool.hints.read_only());
        (is_asked || only_reads).then_some(planned)
    }

    /// What would be done of what a tool asks for. Nothing is.
    pub(crate) async fn plan(
        &self,
        ask: Ask,
        caller: &Caller,
        clock: &mut Clock,
        folders: &impl Folders,
    ) -> Planned {
        if let Some(session) = ask.session()
            && !client_sessions::is_open_to(session, caller)
        {
            return Planned::Plan(Err(client_sessions::refused(session)));
        }
        let dry = |request: Request| Request { dry_run: true, ..request };
        let planned = match ask {
            Ask::Perform { session, options, request } => {
                let mut request = dry(clock.limited(request));
                let ready = match clock.check_wait(&request.action) {
                    Ok(()) => self.name_files(&session, &mut request, folders).await,
                    Err(error) => Err(error),
                };
                match ready {
                    Ok(()) => self.engine.perform(&session, &options, request).await,
                    Err(error) => Err(error),
                }
            }
            Ask::Restart { session, options, request } => {
                self.engine.restart(&session, &options, dry(clock.limited(request))).await
            }
            Ask::Picture { session, options, request, path } => {
                let named = folders.files().await.named(&path);
                let planned = match &named {
                    Ok(_) => self.engine.perform(&session, &options, dry(clock.limited(request))).await,
                    Err(error) => Err(error.clone()),
                };
                planned.map(|outcome| with_file(outcome, named.ok()))
            }
            Ask::Write { path, .. } => folders.files().await.named(&path).map(|path| {
                let plan = looking("write");
                with_file(Outcome { plan: Some(plan), ..Outcome::default() }, Some(path))
            }),
            Ask::OpenInHost { session, options, request, .. } => {
                let request = dry(clock.limited(request));
                match self.host.plan(&self.engine, &session, &options, &request).await {
                    // Without a host the tool opens the page in a browser of ours.
                    Ok(None) => return Planned::Nothing(Box::new(Answer::Opened(Ok(None)))),
                    Ok(Some(outcome)) => Ok(outcome),
                    Err(error) => Err(error),
                }
            }
            Ask::Search { .. } => {
                let mut plan = looking("search");
                plan.add_note("asks the search service on the web");
                Ok(Outcome { plan: Some(plan), ..Outcome::default() })
            }
            Ask::Sessions => return Planned::Nothing(Box::new(Answer::Sessions(Vec::new()))),
        };
        Planned::Plan(planned.map(|outcome| outcome.plan.unwrap_or_default()))
    }
}

/// The plan of what changes no page and goes nowhere.
pub(crate) fn looking(verb: &str) -> Plan {
    let mut plan = Plan { verb: verb.into(), ..Plan::default() };
    plan.add_effect(PlannedEffect {
        effect: Effect::Read,
        origins: Vec::new(),
        to: None,
        decide: Ruling::Allow,
        granted: false,
        rule: None,
        of: None,
        why: "it only looks".into(),
    });
    plan
}

fn with_file(mut outcome: Outcome, file: Option<std::path::PathBuf>) -> Outcome {
    if let (Some(plan), Some(file)) = (&mut outcome.plan, file)
        && !plan.files.contains(&file)
    {
        plan.files.push(file);
    }
    outcome
}

/// The answer to a dry run, in the one shape that all toolsets have for it.
pub(crate) fn reply(set: &Toolset, tool: &str, planned: Result<Plan>) -> Reply {
    let about = json!({"dryRun": true, "toolset": set.name, "tool": tool});
    match planned {
        Ok(plan) => {
            let text = format!("dry run of {tool}; nothing was done\n{}", render::plan(&plan));
            let mut data = about;
            data["plan"] = serde_json::to_value(&plan).unwrap_or_default();
            Reply { text: Some(toolsets::lines::visible(text)), ..Reply::of(ToolResult::success(data)) }
        }
        Err(error) => {
            let error = ToolResult::from(set.in_words(error));
            Reply::of(ToolResult { data: Some(about), ..error })
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::Code;

    use super::*;

    #[test]
    fn it_is_asked_for_in_the_arguments_or_beside_them() {
        let check = |args: Value, beside: Option<Value>, query: &str, expected: Result<bool, Code>| {
            let mut args = args;
            if let Some(said) = beside {
                ask(&mut args, said);
            }
            ask_by_query(&mut args, Some(query));
            let taken = take(&mut args).map_err(|error| error.code);
            assert_eq!(taken, expected, "{args} {query}");
            assert!(args.get(ARGUMENT).is_none(), "{args}");
        };
        let wrong = Err(Code::InvalidInput);
        check(json!({"target": "e1"}), None, "", Ok(false));
        check(json!({"dryRun": true}), None, "", Ok(true));
        check(json!({"dryRun": "true"}), None, "", wrong);
        check(json!({"dryRun": null}), None, "", wrong);
        check(json!({"dryRun": "true"}), Some(true.into()), "", wrong);
        check(json!({"dryRun": false}), Some(true.into()), "", Ok(true));
        check(json!({"dryRun": true}), Some(false.into()), "", Ok(true));
        check(Value::Null, Some(true.into()), "", Ok(true));
        check(json!({}), Some("yes".into()), "", wrong);
        check(json!({}), None, "session=x&dry_run=true", Ok(true));
        check(json!({}), None, "dry_run=false", Ok(false));
        check(json!({}), None, "dry_run=1", wrong);
        for query in
            ["dryRun=true", "DRY-RUN=true", "dry_run=false&dry_run=true", "dry_run=true&dryrun=false"]
        {
            check(json!({}), None, query, Ok(true));
        }
        for name in ["dry_run", "dryrun", "Dry-Run", "DRYRUN"] {
            check(json!({name: true}), None, "", Ok(true));
        }
        check(json!({"dry_run": true, "dryRun": false}), None, "", Ok(true));
        check(json!({"dry_run": 1}), None, "", wrong);
        assert!(refuse_in(Some("x=1")).is_ok() && refuse_in(Some("dryRun=true")).is_err());
    }
}
