//! The code that runs in pages (`crates/engine/page/*.js`), and how it is asked: one round trip to one frame.

use std::{
    hash::{BuildHasher, Hasher},
    sync::LazyLock,
    time::Duration,
};

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Result};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

pub(crate) use crate::tab::World;
use crate::{
    lift::lift,
    tab::{Tab, TabState},
};

/// What every other part of the script uses: the DOM, roles and names, what can be seen.
const SHARED: &str = concat!(
    include_str!("../page/dom.js"),
    include_str!("../page/elements.js"),
    include_str!("../page/aria.js"),
    include_str!("../page/roles.js"),
    include_str!("../page/shapes.js"),
    include_str!("../page/pseudo.js"),
    include_str!("../page/names.js"),
    include_str!("../page/sources.js"),
    include_str!("../page/states.js"),
    include_str!("../page/visible.js"),
    include_str!("../page/hits.js"),
);

/// The snapshot, and what changed since.
const SNAPSHOT: &str = concat!(
    include_str!("../page/plain.js"),
    include_str!("../page/hidden.js"),
    include_str!("../page/change.js"),
    include_str!("../page/watch.js"),
    include_str!("../page/hosts.js"),
    include_str!("../page/listeners.js"),
    include_str!("../page/node.js"),
    include_str!("../page/walk.js"),
    include_str!("../page/snapshot.js"),
    include_str!("../page/looks.js"),
);

/// What there is to read, and the controls.
const READING: &str = concat!(
    include_str!("../page/fields.js"),
    include_str!("../page/content.js"),
    include_str!("../page/html.js"),
    include_str!("../page/selectors.js"),
    include_str!("../page/controls.js"),
);

/// Acting: whether an element can be used, where, and what came of it.
const HANDS: &str = concat!(
    include_str!("../page/areas.js"),
    include_str!("../page/aim.js"),
    include_str!("../page/guard.js"),
    include_str!("../page/views.js"),
    include_str!("../page/settle.js"),
    include_str!("../page/control.js"),
    include_str!("../page/fill.js"),
    include_str!("../page/typing.js"),
    include_str!("../page/spelling.js"),
    include_str!("../page/whole.js"),
    include_str!("../page/choose.js"),
    include_str!("../page/ticks.js"),
    include_str!("../page/scroll.js"),
    include_str!("../page/drag.js"),
    include_str!("../page/upload.js"),
    include_str!("../page/intent.js"),
    include_str!("../page/plan.js"),
);

/// What runs in every frame, in a world of its own, before any script of the page: plain scripts, in the order in which they need each
/// other. Each part has a scope of its own inside the shared one. The browser compiles it once for all pages of a process; sent to each
/// page when it is first asked something, it would cost that question ten milliseconds.
pub(crate) fn script() -> &'static str {
    static SCRIPT: LazyLock<String> = LazyLock::new(|| {
        let prelude = include_str!("../page/prelude.js");
        let main = include_str!("../page/main.js");
        let parts = format!(
            "{prelude}globalThis.webhand || (() => {{\n{SHARED}{{\n{SNAPSHOT}}}\n{{\n{READING}}}\n{{\n{HANDS}}}\n{main}}})();"
        );
        with_names(&(without_comments(&parts) + "\n//# sourceURL=webhand"))
    });
    &SCRIPT
}

/// The script without what only people read: it is sent with every page. Comments of ours begin a line and end one.
fn without_comments(script: &str) -> String {
    let mut in_comment = false;
    let is_code = |line: &&str| {
        let begins = line.starts_with("/*");
        let was_comment = in_comment || begins || line.starts_with("//");
        in_comment = (in_comment || begins) && !line.ends_with("*/");
        !was_comment && !line.is_empty()
    };
    script.lines().map(str::trim).filter(is_code).collect::<Vec<_>>().join("\n")
}

/// What runs in every frame in the page's own world, to tell which elements scripts listen on, which timers an action starts and
/// whether it saves a file.
pub(crate) fn main_script() -> &'static str {
    static SCRIPT: LazyLock<String> = LazyLock::new(|| {
        with_names(concat!(
            include_str!("../page/listeners-main.js"),
            include_str!("../page/timers-main.js"),
            include_str!("../page/saves-main.js"),
        ))
    });
    &SCRIPT
}

/// The name of our world: another one for each process, since two of them may be attached to one page.
pub(crate) fn world_name() -> &'static str {
    &NAME
}

/// The name of the world for callers' scripts that do not run in the page's own. None of our code is in it.
pub(crate) fn scripts_world_name() -> String {
    format!("scripts-{}", *NAME)
}

/// A name that nobody can guess. The hasher's keys come from the system's randomness, which is all that is needed here.
static NAME: LazyLock<String> = LazyLock::new(|| {
    let random = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("webhand-{:016x}{:016x}", random(), random())
});

/// Puts in the names of the events by which the worlds talk. A page that knew them could listen in; so they are made of chance.
fn with_names(script: &str) -> String {
    script
        .replace("__WEBHAND_ASK__", &format!("a{}", *NAME))
        .replace("__WEBHAND_TELL__", &format!("t{}", *NAME))
        .replace("__WEBHAND_TIMERS__", &format!("r{}", *NAME))
        .replace("__WEBHAND_TIMED__", &format!("d{}", *NAME))
        .replace("__WEBHAND_READS__", &format!("b{}", *NAME))
        .replace("__WEBHAND_SAVES__", &format!("s{}", *NAME))
}

/// How our script tells something without being asked.
pub(crate) const TELL: &str = "webhandTell";

/// What it tells when the page shows another view, under an address of its own, without loading anything.
pub(crate) const ANOTHER_VIEW: &str = "another view";

/// How long the news that a frame has another document may take.
const NEWS: Duration = Duration::from_secs(1);

/// For functions that take none.
pub(crate) const NO_ARGUMENTS: [u8; 0] = [];

/// A frame inside the page that is slower than this is left out of what is told of the page, and that is said.
const PATIENCE: Duration = Duration::from_secs(5);

/// The same for one that did not answer when it was last asked something.
const NO_PATIENCE: Duration = Duration::from_millis(250);

/// Until when a frame is waited for: one bad frame must not take the page's time.
pub(crate) fn frame_deadline(tab: &Tab, frame: FrameId, deadline: Instant) -> Instant {
    if frame == FrameId(0) {
        return deadline;
    }
    let is_silent = tab.read(|state| state.world(frame, false)).is_some_and(|world| tab.is_silent(&world));
    deadline.min(Instant::now() + if is_silent { NO_PATIENCE } else { PATIENCE })
}

/// Calls `webhand.<function>(…arguments)` in a frame and returns its value; a promise is awaited.
pub(crate) async fn ask(
    tab: &Tab,
    frame: FrameId,
    function: &str,
    arguments: &impl Serialize,
    deadline: Instant,
) -> Result<Value> {
    loop {
        let world =
            tab.until_some(deadline, "the frame to be there", |state| match state.world(frame, false) {
                Some(world) => Some(Ok(world)),
                None => (frame != FrameId(0) && !state.has_frame(frame))
                    .then(|| Err(Error::new(Code::StaleRef, format!("the frame {frame} is gone")))),
            });
        let world = world.await??;
        match ask_in(tab, &world, function, arguments, deadline).await {
            Err(error) if was_replaced(tab, frame, &world, &error, deadline).await => {}
            answer => return answer,
        }
    }
}

/// Returns whether a question was refused because its frame has another document by now. While a page is on its way to another one, the
/// browser holds questions back, and refuses them when that one is there. The events that say so may come after the refusal.
pub(crate) async fn was_replaced(
    tab: &Tab,
    frame: FrameId,
    world: &World,
    error: &Error,
    deadline: Instant,
) -> bool {
    let is_other = |state: &TabState| match state.world(frame, false) {
        Some(now) => now.unique_id != world.unique_id,
        None => frame != FrameId(0),
    };
    let by = deadline.min(Instant::now() + NEWS);
    error.code == Code::Internal && tab.until(by, "another document", is_other).await.is_ok()
}

/// The same, read as what it is expected to be.
pub(crate) async fn ask_as<T: serde::de::DeserializeOwned>(
    tab: &Tab,
    frame: FrameId,
    function: &str,
    arguments: &impl Serialize,
    deadline: Instant,
) -> Result<T> {
    let answer = ask(tab, frame, function, arguments, deadline).await?;
    serde_json::from_value(answer).map_err(|error| broken(function, error))
}

/// The same in a world that is known already.
pub(crate) async fn ask_in(
    tab: &Tab,
    world: &World,
    function: &str,
    arguments: &impl Serialize,
    deadline: Instant,
) -> Result<Value> {
    let arguments = serde_json::to_string(arguments).map_err(|error| broken(function, error))?;
    let asking = async {
        let call = p::Evaluate {
            // A world that has no script says nothing but its type.
            expression: format!(
                "typeof webhand === 'undefined' ? void 0 : webhand.after({}, '{function}').{function}(...{arguments}) ?? null",
                tab.numbers_taken()
            ),
            unique_context_id: Some(world.unique_id.clone()),
            return_by_value: Some(true),
            await_promise: Some(true),
            ..p::Evaluate::default()
        };
        let channel = tab.channel_of(world.session.as_deref());
        for _ in 0..2 {
            let answer = channel.call(call.clone(), deadline).await.map_err(lift)?;
            if let Some(details) = answer.exception_details {
                let exception = details.exception.and_then(|exception| exception.description);
                return Err(broken(function, exception.unwrap_or(details.text)));
            }
            if answer.result.r#type != "undefined" {
                return Ok(answer.result.value.unwrap_or(Value::Null));
            }
            give(tab, world);
        }
        Err(broken(function, "the script did not arrive"))
    };
    // A frame that goes away in the middle of a question leaves it without an answer.
    let gone = tab.until(deadline, "an answer", |state| !state.has_world(&world.unique_id));
    let answer = tokio::select! {
        biased;
        answer = tab.unless_dialog(asking, deadline) => answer,
        Ok(()) = gone => Err(Error::new(Code::Internal, "the document went away before it answered")),
    };
    tab.note_silence(world, matches!(&answer, Err(error) if error.code == Code::Timeout));
    answer
}

/// The same for what nobody waits for, in a frame that has been asked before.
pub(crate) fn tell(tab: &Tab, frame: FrameId, function: &str) {
    post(tab, frame, format!("webhand.{function}()"));
}

/// Has a page that has just loaded looked at, before anybody asks for it.
pub(crate) fn prepare(tab: &Tab) {
    let taken = tab.numbers_taken();
    post(
        tab,
        FrameId(0),
        format!("typeof webhand === 'undefined' || webhand.after({taken}, 'prepare').prepare()"),
    );
}

fn post(tab: &Tab, frame: FrameId, expression: String) {
    if let Some(world) = tab.read(|state| state.world(frame, false)) {
        let call = p::Evaluate {
            expression,
            unique_context_id: Some(world.unique_id.clone()),
            ..p::Evaluate::default()
        };
        drop(tab.channel_of(world.session.as_deref()).post(call));
    }
}

/// Gives the script to a world that came about without it. What is asked next comes after it, so nobody has to wait.
fn give(tab: &Tab, world: &World) {
    let giving = p::Evaluate {
        expression: script().into(),
        unique_context_id: Some(world.unique_id.clone()),
        ..p::Evaluate::default()
    };
    drop(tab.channel_of(world.session.as_deref()).post(giving));
}

/// Our own script failed: a mistake of ours, or a page that is stranger than we knew.
fn broken(function: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("webhand's own script failed in the page ({function})"))
        .with_cause(cause)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    /// The files of a part share one scope: a name that two of them declare would keep all of them from running. One that hides a
    /// shared name would be read for it.
    #[test]
    fn no_two_files_declare_the_same_name() {
        let mut shared = HashSet::new();
        let declare = |declared: &mut HashSet<String>, part: &str| {
            for line in part.lines() {
                let Some((keyword, rest)) = line.split_once(' ') else { continue };
                if ["const", "let", "function", "function*", "class"].contains(&keyword) {
                    let name: String =
                        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    assert!(name.is_empty() || declared.insert(name.clone()), "{name} is declared twice");
                }
            }
        };
        declare(&mut shared, super::SHARED);
        for part in [super::SNAPSHOT, super::READING, super::HANDS] {
            declare(&mut shared.clone(), part);
        }
        assert!(shared.len() > 100);
    }
}
