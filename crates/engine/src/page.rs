//! The code that runs in pages (`crates/engine/page/*.js`), and how it is asked: one round trip to one frame.

use std::{
    hash::{BuildHasher, Hasher},
    sync::{LazyLock, OnceLock},
};

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Result};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

pub(crate) use crate::tab::World;
use crate::{lift::lift, tab::Tab};

/// Plain scripts in one closure, in the order in which they need each other.
const SCRIPT: &str = concat!(
    "(() => {\n",
    include_str!("../page/prelude.js"),
    include_str!("../page/dom.js"),
    include_str!("../page/elements.js"),
    include_str!("../page/aria.js"),
    include_str!("../page/roles.js"),
    include_str!("../page/pseudo.js"),
    include_str!("../page/names.js"),
    include_str!("../page/sources.js"),
    include_str!("../page/states.js"),
    include_str!("../page/plain.js"),
    include_str!("../page/visible.js"),
    include_str!("../page/watch.js"),
    include_str!("../page/listeners.js"),
    include_str!("../page/walk.js"),
    include_str!("../page/snapshot.js"),
    include_str!("../page/main.js"),
    "})();\n//# sourceURL=webhand",
);

/// What runs in every frame, in a world of its own, before any script of the page.
pub(crate) fn script() -> &'static str {
    static WITH_NAMES: OnceLock<String> = OnceLock::new();
    WITH_NAMES.get_or_init(|| with_names(SCRIPT))
}

/// What runs in every frame in the page's own world, to tell which elements scripts listen on.
pub(crate) fn main_script() -> &'static str {
    static WITH_NAMES: OnceLock<String> = OnceLock::new();
    WITH_NAMES.get_or_init(|| with_names(include_str!("../page/listeners-main.js")))
}

/// The name of our world: another one for each process, since two of them may be attached to one page.
pub(crate) fn world_name() -> &'static str {
    &NAME
}

/// A name that nobody can guess. The hasher's keys come from the system's randomness, which is all that is needed here.
static NAME: LazyLock<String> = LazyLock::new(|| {
    let random = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("webhand-{:016x}{:016x}", random(), random())
});

/// Puts in the names of the two events by which the worlds talk. A page that knew them could listen in; so they are made of chance.
fn with_names(script: &str) -> String {
    script
        .replace("__WEBHAND_ASK__", &format!("a{}", *NAME))
        .replace("__WEBHAND_TELL__", &format!("t{}", *NAME))
}

/// For functions that take none.
pub(crate) const NO_ARGUMENTS: [u8; 0] = [];

/// Calls `webhand.<function>(…arguments)` in a frame and returns its value.
pub(crate) async fn ask(
    tab: &Tab,
    frame: FrameId,
    function: &str,
    arguments: &impl Serialize,
    deadline: Instant,
) -> Result<Value> {
    let world = tab.until_some(deadline, "the frame to be there", |state| state.world(frame, false)).await?;
    ask_in(tab, &world, function, arguments, deadline).await
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
            expression: format!("webhand.{function}(...{arguments})"),
            unique_context_id: Some(world.unique_id.clone()),
            return_by_value: Some(true),
            ..p::Evaluate::default()
        };
        let answer = tab.channel_of(world.session.as_deref()).call(call, deadline).await.map_err(lift)?;
        match answer.exception_details {
            None => Ok(answer.result.value.unwrap_or(Value::Null)),
            Some(details) => {
                let exception = details.exception.and_then(|exception| exception.description);
                Err(broken(function, exception.unwrap_or(details.text)))
            }
        }
    };
    tab.unless_dialog(asking, deadline).await
}

/// Our own script failed: a mistake of ours, or a page that is stranger than we knew.
fn broken(function: &str, cause: impl std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("webhand's own script failed in the page ({function})"))
        .with_cause(cause)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    /// The files share one scope: a name that two of them declare would keep all of them from running.
    #[test]
    fn no_two_files_declare_the_same_name() {
        let mut declared = HashSet::new();
        for line in super::SCRIPT.lines() {
            let Some((keyword, rest)) = line.split_once(' ') else { continue };
            if ["const", "let", "function", "function*"].contains(&keyword) {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                assert!(name.is_empty() || declared.insert(name.clone()), "{name} is declared twice");
            }
        }
        assert!(declared.len() > 100);
    }
}
