//! `eval`: a script of the caller's. One that only reads is free: V8 stops it at its first effect. Any other is judged as `execute`, and
//! runs in the page's own world, or in an isolated one that is not ours: no caller's code ever runs in webhand's own world.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use cdp::{Channel, protocol as p};
use clap::{Args, ValueEnum};
use contract::{Code, Effect, Error, Frame, FrameId, Outcome, Ref, Result, Target, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{runtime::Handle, time::Instant};
use url::Url;

use super::{Run, Verb};
use crate::{
    hands::{Needs, plan_use_of},
    lift::{lift, timed_out},
    locate::locate_soon,
    page::{self, World as Place},
    settle::{Before, looking_along, navigation},
    snapshot::frame_of,
    tab::{Tab, TabState},
};

/// How long the news that a page has another document may take.
const NEWS: Duration = Duration::from_secs(1);

/// The browser stops a script this long before its deadline, so that the page is free again by then.
const MARGIN: Duration = Duration::from_millis(50);

/// A page that does not answer for this long is busy.
const BUSY: Duration = Duration::from_millis(200);

/// How long a script may take that only reads, and at most half of what is left. V8 is slow at watching.
const READING: Duration = Duration::from_secs(10);

/// Called on an object: hands it back, awaited if it is a promise.
const ITSELF: &str = "function() { return this; }";

/// Called on a promise that a script returned which may only read: hands it back to be awaited, unless the script made it look like one.
/// What it put there would be called when V8 no longer watches.
const PLAIN_PROMISE: &str = "function() { \
    if (Reflect.ownKeys(this).length || Object.getPrototypeOf(this) !== Promise.prototype) throw new EvalError('no plain promise'); \
    return this; }";

/// Called on a function: calls it.
const CALL: &str = "function(...args) { return this(...args); }";

/// Called on an object: its JSON, as the object itself wants it (`toJSON`).
const AS_JSON: &str = "function() { return JSON.stringify(this); }";

/// The largest value that is handed on.
const LARGEST_VALUE: usize = 8 << 20;

/// Run a script in the page and print its value
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Eval {
    /// An expression, statements (the value of the last one counts), or a function, which is called. Promises are awaited
    #[arg(value_name = "JS")]
    pub js: String,
    /// Whose variables it sees: `main` is the page's own world; `isolated` has the DOM only, and the page cannot reach it
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub world: World,
    /// The frame to run it in, such as f1; without one the page itself
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub frame: Option<FrameId>,
    /// The element to call the function with, before all texts: a ref (e12), css=…, xpath=…, or a description in plain words
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TARGET", conflicts_with = "frame")]
    pub target: Option<Target>,
    /// A text to call the function with; more for more arguments. Unlike the script it is never written down
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[arg(long = "arg", value_name = "TEXT")]
    pub args: Vec<Typed>,
}

impl Eval {
    /// A script in the page's own world.
    pub fn new(js: impl Into<String>) -> Eval {
        Eval { js: js.into(), world: World::Main, frame: None, target: None, args: Vec::new() }
    }
}

/// Whose variables a script sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum World {
    /// The page's own world.
    #[default]
    Main,
    /// A world of callers' scripts: the DOM is there, the page's variables are not.
    Isolated,
}

impl Verb for Eval {
    const NAME: &'static str = "eval";

    fn effect(&self) -> Effect {
        Effect::Execute
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let (target, frame) = self.place(run).await?;
        if let Some(element) = target {
            plan_use_of(run, element, Needs::default()).await?;
        }
        plan_script(run, frame, self, target).await
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let (target, frame) = self.place(run).await?;
        let before = Before::note(run)?;
        match try_reading(tab, frame, self, target, Mode::Reads, run.deadline).await {
            // Nothing was done: what the page did by itself is told with the next action.
            Tried::Read(value) => {
                run.only_read.store(true, Ordering::Relaxed);
                return Ok(Outcome { value: Some(value.unwrap_or_default()), ..Outcome::default() });
            }
            Tried::Failed(error) => return Err(error),
            Tried::Acts | Tried::Late => {}
        }
        let does = "runs a script that may do more than read";
        let judged = judged_world(run, frame, self.world, does, &self.js).await?;
        let asking = Box::pin(async { Ok(evaluate_in(tab, frame, self, &judged, target, run.deadline).await) });
        let value = looking_along(run, tab.unless_dialog(asking, run.deadline)).await??;
        let mut outcome = Outcome { value: Some(value?.unwrap_or_default()), ..Outcome::default() };
        before.begun(tab, run.deadline).await;
        navigation(run, &before, &mut outcome).await?;
        Ok(outcome)
    }
}

impl Eval {
    /// The element that it is called with, and the frame that it runs in.
    async fn place(&self, run: &Run<'_>) -> Result<(Option<Ref>, FrameId)> {
        let (_, tab) = run.tab()?;
        let target = match &self.target {
            Some(target) => Some(locate_soon(run, target).await?),
            None => None,
        };
        let frame = target.map(frame_of).or(self.frame).unwrap_or(FrameId(0));
        match tab.read(|state| state.has_frame(frame)) {
            true => Ok((target, frame)),
            false => {
                Err(Error::invalid(format!("there is no frame {frame}")).with_hint("list them with `webhand frames`"))
            }
        }
    }
}

/// Tells whether a script does more than read, for a dry run: it is tried where it cannot.
pub(super) async fn plan_script(run: &Run<'_>, frame: FrameId, eval: &Eval, element: Option<Ref>) -> Result<()> {
    let (_, tab) = run.tab()?;
    if !run.may_read() {
        return may_execute(run, frame, "runs a script", &eval.js).map(drop);
    }
    match try_reading(tab, frame, eval, element, Mode::IsTried, run.deadline).await {
        Tried::Read(_) => Ok(()),
        Tried::Failed(error) => Err(error),
        Tried::Acts | Tried::Late => may_execute(run, frame, "runs a script", &eval.js).map(drop),
    }
}

/// Lets a script act, or says why not. Whatever is not proved to only read passes here. Returns the document that this holds for, by the
/// page's own world in it.
fn may_execute(run: &Run<'_>, frame: FrameId, does: &str, js: &str) -> Result<Option<String>> {
    run.gate.execute();
    let (_, tab) = run.tab()?;
    // First of all: whatever is read after it is of this document or of a later one.
    let document = tab.read(|state| state.world(frame, true)).map(|world| world.unique_id);
    let address = tab_frame(run, frame)?;
    let place = if frame == FrameId(0) { String::new() } else { format!(" in the frame {frame}") };
    let deed = run.deed(Effect::Execute, address, None);
    run.may_with(deed, &(frame, &document, js), || format!("{does}{place}: {js:?}")).map_err(explained)?;
    Ok(document)
}

/// The world that a script may act in, which is the one that was judged: a page that goes elsewhere meanwhile is judged anew.
pub(super) async fn judged_world(
    run: &Run<'_>,
    frame: FrameId,
    world: World,
    does: &str,
    js: &str,
) -> Result<Place> {
    let (_, tab) = run.tab()?;
    loop {
        let judged = may_execute(run, frame, does, js)?;
        let (found, document) = world_of(tab, frame, world, run.deadline).await?;
        if judged.as_ref() == Some(&document) {
            return Ok(found);
        }
    }
}

/// The address of a frame inside the page.
fn tab_frame(run: &Run<'_>, frame: FrameId) -> Result<Option<Url>> {
    let (_, tab) = run.tab()?;
    let inside = |frames: Vec<Frame>| frames.into_iter().find(|one| one.frame == frame && frame != FrameId(0));
    Ok(tab.read(|state| inside(state.frames())).and_then(|found| found.url.parse().ok()))
}

/// A refusal of a script, with what it was judged as and what can be done about it.
pub(crate) fn explained(mut error: Error) -> Error {
    let way = match error.code {
        Code::ActionDenied => "let the script only read, which is free",
        Code::ApprovalPending | Code::ApprovalExpired => {
            "the person can also write the rule `effect = \"execute\", decide = \"allow\"` into config.toml; a script that only reads is free"
        }
        _ => return error,
    };
    error.message = format!("the script is not known to only read, so it is judged as execute: {}", error.message);
    let hint = match error.hint() {
        "" => way.to_owned(),
        hint => format!("{hint}; {way}"),
    };
    error.with_hint(hint)
}

/// What came of a script where it might only read.
pub(super) enum Tried {
    /// It did no more, and this is its value.
    Read(Option<Value>),
    /// It failed by itself, without having done anything.
    Failed(Error),
    /// It was about to do something, or nobody knows.
    Acts,
    /// It was not through in time.
    Late,
}

/// Runs a script where V8 stops it at the first thing that would change something: so nothing is ever done twice.
pub(super) async fn try_reading(
    tab: &Tab,
    frame: FrameId,
    eval: &Eval,
    element: Option<Ref>,
    mode: Mode,
    deadline: Instant,
) -> Tried {
    let Some(eval) = &without_async(eval) else { return Tried::Acts };
    let now = Instant::now();
    let soon = now + READING.min(deadline.saturating_duration_since(now) / 2);
    let reading = Reading { world: eval.world, mode };
    loop {
        let document = tab.read(|state| state.world(frame, true));
        let trying = async {
            let (found, _) = world_of(tab, frame, eval.world, soon).await?;
            evaluate_as(tab, frame, eval, reading, &found, element, soon).await
        };
        match tab.unless_dialog(trying, soon).await {
            Ok(value) => return Tried::Read(value),
            Err(error) if error.code == Code::Timeout => return Tried::Late,
            Err(error) if error.code == Code::EvaluateFailed && is_stopped(&error) => return Tried::Acts,
            // The page went to another document meanwhile, and nothing has been done.
            Err(error)
                if matches!(error.code, Code::EvaluateFailed | Code::Internal)
                    && tab.read(|state| state.world(frame, true)) != document
                    && Instant::now() < soon => {}
            Err(error) => return Tried::Failed(error),
        }
    }
}

/// The script as it is tried where it may only read; none if it need not be. What an asynchronous function returns is called later if it
/// looks like a promise, when V8 no longer watches. So the function becomes a plain one, whose value is the same, and one that waits is
/// not tried: V8 would stop it anyway.
fn without_async(eval: &Eval) -> Option<Eval> {
    let js = eval.js.trim_start();
    let rest = js.strip_prefix("async").filter(|rest| rest.starts_with(|c: char| c == '(' || c.is_whitespace()));
    let js = rest.unwrap_or(js).trim_start();
    let waits = words(js).any(|word| matches!(word, "async" | "await"));
    (!waits).then(|| Eval { js: js.to_owned(), ..eval.clone() })
}

/// Whether V8 stopped a script that was about to change something. In its REPL mode a script that throws is one too: that is a promise
/// which is broken, and breaking it an effect.
fn is_stopped(error: &Error) -> bool {
    error.message.contains("EvalError") || error.cause.as_ref().is_some_and(|cause| cause.contains("EvalError"))
}

/// What a script may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// Whatever it does.
    #[default]
    Acts,
    /// It is stopped before it changes anything. It counts as a person's doing all the same.
    Reads,
    /// The same for a dry run, which is nobody's doing.
    IsTried,
}

impl Mode {
    fn only_reads(self) -> bool {
        self != Mode::Acts
    }

    fn is_persons(self) -> bool {
        self != Mode::IsTried
    }
}

/// How a script is run.
#[derive(Clone, Copy)]
struct Reading {
    world: World,
    mode: Mode,
}

/// The value of a script, none if it is undefined.
pub(super) async fn evaluate_in(
    tab: &Tab,
    frame: FrameId,
    eval: &Eval,
    found: &Place,
    element: Option<Ref>,
    deadline: Instant,
) -> Result<Option<Value>> {
    let reading = Reading { world: eval.world, mode: Mode::Acts };
    evaluate_as(tab, frame, eval, reading, found, element, deadline).await
}

async fn evaluate_as(
    tab: &Tab,
    frame: FrameId,
    eval: &Eval,
    Reading { world, mode }: Reading,
    found: &Place,
    element: Option<Ref>,
    deadline: Instant,
) -> Result<Option<Value>> {
    let only_reads = mode.only_reads();
    let channel = tab.channel_of(found.session.as_deref());
    let mut handles = Handles::new(&channel);
    let stopped_at = deadline - MARGIN;
    let time = stopped_at.saturating_duration_since(Instant::now());
    // What is plainly a function is called in the same breath, if it needs nothing to be called with.
    let is_plain = eval.args.is_empty() && element.is_none() && is_function(&eval.js);
    let is_function = !is_plain && may_be_function(&eval.js);
    let bare = eval.js.trim().trim_end_matches(';');
    let mut script = p::Evaluate {
        expression: match (is_plain, is_function) {
            (true, _) => format!("({bare})()"),
            (false, true) => format!("({bare}\n)"),
            (false, false) => eval.js.clone(),
        },
        unique_context_id: Some(found.unique_id.clone()),
        // Waiting would call what the script made to look like a promise, when V8 no longer watches it.
        await_promise: Some(!only_reads),
        user_gesture: Some(mode.is_persons()),
        timeout: Some(time.as_secs_f64() * 1000.0),
        // Only there scripts can declare names again and again, and wait; what one throws is hidden by it where it may only read.
        repl_mode: Some(!only_reads || !(is_plain || is_function) && declares(&eval.js)),
        object_group: Some(handles.group.clone()),
        throw_on_side_effect: only_reads.then_some(true),
        ..p::Evaluate::default()
    };
    let heard = async |called: Result<_, cdp::Error>| match called {
        Ok(answer) => Ok(answer),
        Err(error) => Err(refused(error, tab, frame, world, &found.unique_id, stopped_at).await),
    };
    let mut answer = heard(channel.call(script.clone(), deadline).await).await?;
    if is_function && answer.exception_details.is_some() {
        // More than one function: nothing of it was run.
        script.expression.clone_from(&eval.js);
        answer = heard(channel.call(script, deadline).await).await?;
    }
    handles.held = answer.result.object_id.is_some() || answer.exception_details.is_some();
    let mut result = returned(answer)?;
    if result.r#type == "function" {
        // A function was meant to be called.
        let mut args = Vec::new();
        if let Some(element) = element {
            args.push(json!({"objectId": handle(tab, frame, element, (world, found), &handles.group, deadline).await?}));
        }
        args.extend(eval.args.iter().map(|text| json!({"value": text.expose()})));
        let mut calling = Calling { channel: channel.clone(), world: found.unique_id.clone(), over: false };
        let function = Function { declaration: CALL, mode, ..Function::default() };
        let called = on_object(&channel, &result, function, args, stopped_at).await;
        calling.over = !matches!(called, Err(cdp::Error::Timeout { .. }));
        result = returned(heard(called).await?)?;
    } else if !eval.args.is_empty() || element.is_some() {
        return Err(Error::invalid("arguments need a function to be called with").with_hint("write it like `text => …`"));
    }
    if result.subtype.as_deref() == Some("promise") {
        // A promise was meant to be awaited, which returning it does.
        let declaration = if only_reads { PLAIN_PROMISE } else { ITSELF };
        let function = Function { declaration, mode, awaits: true, ..Function::default() };
        let awaited = on_object(&channel, &result, function, Vec::new(), deadline).await;
        result = returned(heard(awaited).await?)?;
    }
    if result.r#type == "undefined" {
        return Ok(None);
    }
    let value = by_value(&channel, result, mode, deadline).await?;
    let size = value.as_str().map_or_else(|| value.to_string().len(), str::len);
    if size > LARGEST_VALUE {
        return Err(Error::new(Code::EvaluateFailed, format!("the value has {size} bytes, more than {LARGEST_VALUE}"))
            .with_hint("return a part of it"));
    }
    Ok(Some(value))
}

/// The world to run a script in, and the document that it is of, by the page's own world in it. Those for callers' scripts come about when
/// they are first wanted, one for each frame and document.
async fn world_of(tab: &Tab, frame: FrameId, world: World, deadline: Instant) -> Result<(Place, String)> {
    loop {
        let main = tab.until_some(deadline, "the page to run scripts", |state| state.world(frame, true)).await?;
        if world == World::Main {
            let document = main.unique_id.clone();
            return Ok((main, document));
        }
        let both = |state: &TabState| Some((state.scripts_world(frame)?, state.world(frame, true)?.unique_id));
        if let Some(found) = tab.read(both) {
            return Ok(found);
        }
        let Some(frame_id) = tab.read(|state| state.frame_id(frame)) else {
            return Err(Error::new(Code::StaleRef, format!("the frame {frame} is gone")));
        };
        let create = p::CreateIsolatedWorld { frame_id, world_name: page::scripts_world_name() };
        match tab.channel_of(main.session.as_deref()).call(create, deadline).await {
            // The frame has just gone, or shows another document.
            Ok(_) | Err(cdp::Error::Refused { .. }) => {}
            Err(error) => return Err(lift(error)),
        }
        let has_come = |state: &TabState| state.scripts_world(frame).is_some() || state.world(frame, true).as_ref() != Some(&main);
        tab.until(deadline, "the page to run scripts", has_come).await?;
    }
}

/// An element as an object of a world. Only ours knows it by its number; others get it by way of the browser.
async fn handle(
    tab: &Tab,
    frame: FrameId,
    element: Ref,
    (world, place): (World, &Place),
    group: &str,
    deadline: Instant,
) -> Result<Option<String>> {
    let ours = tab.until_some(deadline, "the page to run scripts", |state| state.world(frame, false)).await?;
    let channel = tab.channel_of(ours.session.as_deref());
    let find = p::Evaluate {
        expression: format!("webhand.element({})", element.element),
        unique_context_id: Some(ours.unique_id),
        object_group: Some(group.to_owned()),
        ..p::Evaluate::default()
    };
    let found = returned(channel.call(find, deadline).await.map_err(lift)?)?.object_id;
    let describe = p::DescribeNode { object_id: found, depth: Some(0), ..p::DescribeNode::default() };
    let node = channel.call(describe, deadline).await.map_err(lift)?.node;
    let resolve = p::ResolveNode {
        backend_node_id: node.backend_node_id,
        // Without a world it is the page's own.
        execution_context_id: (world == World::Isolated).then_some(place.context),
        object_group: Some(group.to_owned()),
    };
    Ok(channel.call(resolve, deadline).await.map_err(lift)?.object.object_id)
}

/// Whether a script may declare names or wait at its top.
fn declares(js: &str) -> bool {
    words(js).any(|word| matches!(word, "let" | "const" | "var" | "class" | "function" | "await" | "using" | "import"))
}

/// What in a script may be a name or a keyword.
fn words(js: &str) -> impl Iterator<Item = &str> {
    js.split(|c: char| !c.is_alphanumeric() && !"_$".contains(c)).filter(|word| !word.is_empty())
}

/// Whether a script is plainly one function and nothing else: an arrow function without arguments whose body is an expression or goes to
/// the end.
fn is_function(js: &str) -> bool {
    let js = js.trim().trim_end_matches(';');
    let arrow = js.strip_prefix("async").map_or(js, str::trim_start).strip_prefix("()").map(str::trim_start);
    let Some(body) = arrow.and_then(|rest| rest.strip_prefix("=>")) else { return false };
    let body = body.trim();
    // Something after the function, or a comment that would hide what is put after it, is not plain any more.
    let is_block = body.starts_with('{') && body.ends_with('}') && body.matches('{').count() == 1;
    let is_expression = !body.starts_with('{') && !body.contains([';', ',']);
    (is_block || is_expression) && !body.contains("//") && !body.contains("/*") && !body.contains('\n')
}

/// Whether a script may be one function with its keyword, which is no function by itself but the declaration of one, or a mistake. In
/// brackets it is one, and more than one function is a mistake there.
fn may_be_function(js: &str) -> bool {
    let js = js.trim().trim_end_matches(';');
    let rest = js.strip_prefix("async").filter(|rest| rest.starts_with(char::is_whitespace)).map_or(js, str::trim_start);
    let is_keyword = rest.strip_prefix("function").is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || "(*".contains(c)));
    is_keyword && js.ends_with('}')
}

/// A function that has been called. The browser has no time limit for it as it has for a script; so if it does not end in
/// time, or nobody waits for it any more, it is stopped.
struct Calling {
    channel: Channel,
    world: String,
    over: bool,
}

impl Drop for Calling {
    fn drop(&mut self) {
        if !self.over && let Ok(runtime) = Handle::try_current() {
            runtime.spawn(free(self.channel.clone(), self.world.clone()));
        }
    }
}

/// Stops what keeps the page busy, if something does. A function that only waits must be left alone: there is nothing to stop,
/// and the browser would stop the next script instead.
async fn free(channel: Channel, world: String) {
    let ping = p::Evaluate { expression: "0".into(), unique_context_id: Some(world), ..p::Evaluate::default() };
    if let Err(cdp::Error::Timeout { .. }) = channel.call(ping, Instant::now() + BUSY).await {
        drop(channel.post(p::TerminateExecution {}));
    }
}

/// What the page keeps alive for us because we may ask about it. Each script has a group of its own, and what is made from one
/// of its objects belongs to it as well.
struct Handles<'a> {
    channel: &'a Channel,
    group: String,
    held: bool,
}

impl<'a> Handles<'a> {
    fn new(channel: &'a Channel) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Handles { channel, group: format!("webhand-{}", LAST.fetch_add(1, Ordering::Relaxed)), held: true }
    }
}

impl Drop for Handles<'_> {
    fn drop(&mut self) {
        if self.held {
            drop(self.channel.post(p::ReleaseObjectGroup { object_group: self.group.clone() }));
        }
    }
}

/// The value itself. Plain values are there already; objects are asked for.
async fn by_value(channel: &Channel, result: p::RemoteObject, mode: Mode, deadline: Instant) -> Result<Value> {
    let description = result.description.clone().unwrap_or_default();
    if result.object_id.is_none() {
        // NaN, -0, Infinity and 12n have no JSON; their spelling has.
        return Ok(result.value.or(result.unserializable_value.map(Value::String)).unwrap_or(Value::Null));
    }
    if result.subtype.as_deref() == Some("node") || matches!(&*result.r#type, "symbol" | "function") {
        return Ok(description.into());
    }
    let formless = |cause: String| {
        Error::new(Code::EvaluateFailed, format!("the value ({description}) has no JSON form"))
            .with_cause(cause)
            .with_hint("return plain data")
    };
    let lifted = |error| match error {
        cdp::Error::Refused { .. } => formless(error.to_string()),
        error => lift(error),
    };
    let as_json = Function { declaration: AS_JSON, mode, ..Function::default() };
    let answer = on_object(channel, &result, as_json, Vec::new(), deadline).await.map_err(lifted)?;
    let json = returned(answer).map_err(|error| formless(error.message))?;
    match json.value.as_ref().and_then(Value::as_str).map(serde_json::from_str) {
        Some(Ok(value)) => Ok(value),
        None => Ok(Value::Null),
        // Halves of characters are no text; the browser makes some of them.
        Some(Err(_)) => {
            let itself = Function { return_by_value: true, mode, ..Function::default() };
            let answer = on_object(channel, &result, itself, Vec::new(), deadline).await.map_err(lifted)?;
            Ok(returned(answer)?.value.unwrap_or(Value::Null))
        }
    }
}

/// A function to be called on an object, and how.
#[derive(Clone, Copy)]
struct Function {
    declaration: &'static str,
    return_by_value: bool,
    mode: Mode,
    awaits: bool,
}

impl Default for Function {
    fn default() -> Self {
        Function { declaration: ITSELF, return_by_value: false, mode: Mode::Acts, awaits: false }
    }
}

async fn on_object(
    channel: &Channel,
    object: &p::RemoteObject,
    function: Function,
    arguments: Vec<Value>,
    deadline: Instant,
) -> cdp::Result<p::Evaluated> {
    let call = p::CallFunctionOn {
        function_declaration: function.declaration.into(),
        object_id: object.object_id.clone(),
        arguments: Some(arguments),
        return_by_value: Some(function.return_by_value),
        await_promise: Some(function.awaits || !function.mode.only_reads()),
        user_gesture: Some(function.mode.is_persons()),
        throw_on_side_effect: function.mode.only_reads().then_some(true),
    };
    channel.call(call, deadline).await
}

/// What the script returned, or what it threw.
fn returned(answer: p::Evaluated) -> Result<p::RemoteObject> {
    let Some(details) = answer.exception_details else { return Ok(answer.result) };
    let exception = details.exception.unwrap_or_default();
    let thrown = exception.description.or_else(|| exception.value.map(|value| value.to_string())).unwrap_or(details.text);
    let first_line = thrown.lines().next().unwrap_or("an exception").to_owned();
    let error = Error::new(Code::EvaluateFailed, format!("the script threw {first_line}"));
    match thrown.split_once('\n') {
        Some((_, stack)) => Err(error.with_cause(stack.trim())),
        None => Err(error),
    }
}

/// Why the browser refused to go on with a script: its time was up, or its page went away.
async fn refused(
    error: cdp::Error,
    tab: &Tab,
    frame: FrameId,
    world: World,
    ran_in: &str,
    stopped_at: Instant,
) -> Error {
    let cdp::Error::Refused { .. } = error else { return lift(error) };
    if Instant::now() >= stopped_at {
        return timed_out("the script").with_cause(error);
    }
    let is_another = |state: &TabState| {
        let runs_in = match world {
            World::Main => state.world(frame, true),
            World::Isolated => state.scripts_world(frame),
        };
        runs_in.is_none_or(|world| world.unique_id != ran_in)
    };
    // The refusal may come before the news of the other document.
    let by = stopped_at.min(Instant::now() + NEWS);
    if tab.until(by, "another document", is_another).await.is_ok() {
        let message = "the page went to another document while the script ran";
        return Error::new(Code::EvaluateFailed, message).with_cause(error).with_hint("run it again on the new page");
    }
    Error::new(Code::EvaluateFailed, "the browser refused the script").with_cause(error)
}
