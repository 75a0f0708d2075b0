//! `eval`: a script in a page, in a world of its own unless the page's is asked for.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use cdp::{Channel, protocol as p};
use clap::{Args, ValueEnum};
use contract::{Code, Effect, Error, FrameId, Outcome, Result, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{runtime::Handle, time::Instant};

use super::{Run, Verb};
use crate::{
    lift::{lift, timed_out},
    tab::Tab,
};

/// The browser stops a script this long before its deadline, so that the page is free again by then.
const MARGIN: Duration = Duration::from_millis(50);

/// A page that does not answer for this long is busy.
const BUSY: Duration = Duration::from_millis(200);

/// Called on an object: hands it back, awaited if it is a promise.
const ITSELF: &str = "function() { return this; }";

/// Called on a function: calls it.
const CALL: &str = "function(...args) { return this(...args); }";

/// The largest value that is handed on.
const LARGEST_VALUE: usize = 8 << 20;

/// Run a script in the page and print its value
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Eval {
    /// An expression, statements (the value of the last one counts), or a function, which is called. Promises are awaited
    #[arg(value_name = "JS")]
    pub js: String,
    /// The world to run it in: `isolated` sees the DOM, `main` also the page's own variables
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub world: World,
    /// The frame to run it in, such as f1; without one the page itself
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub frame: Option<FrameId>,
    /// A text to call the function with; more for more arguments. Unlike the script it is never written down
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[arg(long = "arg", value_name = "TEXT")]
    pub args: Vec<Typed>,
}

impl Eval {
    /// A script in the isolated world of the page itself.
    pub fn new(js: impl Into<String>) -> Eval {
        Eval { js: js.into(), world: World::Isolated, frame: None, args: Vec::new() }
    }
}

/// Whose variables a script sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum World {
    /// A world of its own: the DOM is there, the page's variables are not.
    #[default]
    Isolated,
    /// The page's own world.
    Main,
}

impl Verb for Eval {
    const NAME: &'static str = "eval";

    fn effect(&self) -> Effect {
        match self.world {
            // It cannot reach the page's own code, but what a hand could do in the page, it can.
            World::Isolated => Effect::Input,
            World::Main => Effect::Execute,
        }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let frame = self.frame.unwrap_or(FrameId(0));
        if !tab.read(|state| state.has_frame(frame)) {
            return Err(Error::invalid(format!("there is no frame {frame}")).with_hint("list them with `webhand frames`"));
        }
        let asking = evaluate(tab, frame, self, run.deadline);
        let value = tab.unless_dialog(asking, run.deadline).await?;
        Ok(Outcome { value: Some(value), ..Outcome::default() })
    }
}

/// The title of the page.
pub(crate) async fn title(tab: &Tab, deadline: Instant) -> Result<String> {
    let value = evaluate(tab, FrameId(0), &Eval::new("document.title"), deadline).await?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

pub(super) async fn evaluate(tab: &Tab, frame: FrameId, eval: &Eval, deadline: Instant) -> Result<Value> {
    let found = tab
        .until_some(deadline, "the page to run scripts", |state| state.world(frame, eval.world == World::Main))
        .await?;
    let channel = tab.channel_of(found.session.as_deref());
    let mut handles = Handles::new(&channel);
    let stopped_at = deadline - MARGIN;
    let time = stopped_at.saturating_duration_since(Instant::now());
    let script = p::Evaluate {
        expression: eval.js.clone(),
        unique_context_id: Some(found.unique_id.clone()),
        await_promise: Some(true),
        user_gesture: Some(true),
        timeout: Some(time.as_secs_f64() * 1000.0),
        repl_mode: Some(true),
        object_group: Some(handles.group.clone()),
        ..p::Evaluate::default()
    };
    let refused = |error| refused(error, tab, frame, eval.world, &found.unique_id, stopped_at);
    let answer = channel.call(script, deadline).await.map_err(refused)?;
    handles.held = answer.result.object_id.is_some() || answer.exception_details.is_some();
    let mut result = returned(answer)?;
    if result.r#type == "function" {
        // A function was meant to be called.
        let args = eval.args.iter().map(|text| json!({"value": text.expose()})).collect();
        let mut calling = Calling { channel: channel.clone(), world: found.unique_id.clone(), over: false };
        let called = on_object(&channel, &result, CALL, args, false, stopped_at).await;
        calling.over = !matches!(called, Err(cdp::Error::Timeout { .. }));
        result = returned(called.map_err(refused)?)?;
    } else if !eval.args.is_empty() {
        return Err(Error::invalid("arguments need a function to be called with").with_hint("write it like `text => …`"));
    }
    if result.subtype.as_deref() == Some("promise") {
        // A promise was meant to be awaited, which returning it does.
        let awaited = on_object(&channel, &result, ITSELF, Vec::new(), false, deadline).await;
        result = returned(awaited.map_err(refused)?)?;
    }
    let value = by_value(&channel, result, deadline).await?;
    let size = value.as_str().map_or_else(|| value.to_string().len(), str::len);
    if size > LARGEST_VALUE {
        return Err(Error::new(Code::EvaluateFailed, format!("the value has {size} bytes, more than {LARGEST_VALUE}"))
            .with_hint("return a part of it"));
    }
    Ok(value)
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
async fn by_value(channel: &Channel, result: p::RemoteObject, deadline: Instant) -> Result<Value> {
    let description = result.description.clone().unwrap_or_default();
    if result.object_id.is_none() {
        // NaN, -0, Infinity and 12n have no JSON; their spelling has.
        return Ok(result.value.or(result.unserializable_value.map(Value::String)).unwrap_or(Value::Null));
    }
    if result.subtype.as_deref() == Some("node") || matches!(&*result.r#type, "symbol" | "function") {
        return Ok(description.into());
    }
    let answer = on_object(channel, &result, ITSELF, Vec::new(), true, deadline).await;
    let answer = answer.map_err(|error| match error {
        cdp::Error::Refused { .. } => {
            Error::new(Code::EvaluateFailed, format!("the value ({description}) has no JSON form"))
                .with_cause(error)
                .with_hint("return plain data")
        }
        error => lift(error),
    })?;
    Ok(returned(answer)?.value.unwrap_or(Value::Null))
}

async fn on_object(
    channel: &Channel,
    object: &p::RemoteObject,
    function: &str,
    arguments: Vec<Value>,
    return_by_value: bool,
    deadline: Instant,
) -> cdp::Result<p::Evaluated> {
    let call = p::CallFunctionOn {
        function_declaration: function.into(),
        object_id: object.object_id.clone(),
        arguments: Some(arguments),
        return_by_value: Some(return_by_value),
        await_promise: Some(true),
        user_gesture: Some(true),
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
fn refused(error: cdp::Error, tab: &Tab, frame: FrameId, world: World, ran_in: &str, stopped_at: Instant) -> Error {
    let cdp::Error::Refused { .. } = error else { return lift(error) };
    if Instant::now() >= stopped_at {
        return timed_out("the script").with_cause(error);
    }
    let runs_in = tab.read(|state| state.world(frame, world == World::Main).map(|world| world.unique_id));
    if runs_in.as_deref() != Some(ran_in) {
        let message = "the page went to another document while the script ran";
        return Error::new(Code::EvaluateFailed, message).with_cause(error).with_hint("run it again on the new page");
    }
    Error::new(Code::EvaluateFailed, "the browser refused the script").with_cause(error)
}
