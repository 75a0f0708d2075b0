//! Variables that a script sets in its own world, where the page does not see them: whoever set one meant to change the page, and
//! is told.

use std::collections::BTreeSet;

use cdp::{Channel, Pending, protocol as p};
use contract::FrameId;
use serde_json::json;
use tokio::time::Instant;

use super::{Eval, World, words};
use crate::tab::Tab;

/// How many names of a script are compared by value.
const MOST_NAMES: usize = 200;

/// What the world has before the script: all its names, and the values of those that the script mentions. Reading all values would
/// make the browser build everything that it puts off until it is used.
const BEFORE: &str = "(names => ({ \
    own: new Set(Object.getOwnPropertyNames(globalThis)), \
    values: names.map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)?.value]) }))";

/// Called on that: the names that are new or have another value. What `var` declares is the script's own business, and cannot be
/// taken back; numbers are frames.
const CHANGED: &str = "function() { \
    const now = name => Object.getOwnPropertyDescriptor(globalThis, name); \
    const made = Object.getOwnPropertyNames(globalThis).filter(name => !this.own.has(name) && !/^\\d+$/.test(name) && now(name)?.configurable); \
    const set = this.values.filter(([name, value]) => this.own.has(name) && !Object.is(now(name)?.value, value)).map(([name]) => name); \
    return [...made, ...set].slice(0, 5).join(', '); }";

/// A comparison that has begun.
pub(super) struct Apart {
    channel: Channel,
    before: Pending<p::Evaluate>,
}

impl Apart {
    /// Notes what is there; none if the script plainly sets nothing. Nobody waits for it: it is sent ahead of the script.
    pub(super) fn before(tab: &Tab, frame: FrameId, eval: &Eval) -> Option<Apart> {
        if eval.world == World::Main || !sets(&eval.js) {
            return None;
        }
        let world = tab.read(|state| state.world(frame, false))?;
        let channel = tab.channel_of(world.session.as_deref());
        let before = channel.post(p::Evaluate {
            expression: format!("{BEFORE}({})", json!(names(&eval.js))),
            unique_context_id: Some(world.unique_id),
            ..p::Evaluate::default()
        });
        Some(Apart { channel, before })
    }

    /// What to tell of it when the script is through.
    pub(super) async fn note(self, deadline: Instant) -> Option<String> {
        let object_id = self.before.by(deadline).await.ok()?.result.object_id?;
        let changed = p::CallFunctionOn {
            function_declaration: CHANGED.into(),
            object_id: Some(object_id.clone()),
            return_by_value: Some(true),
            ..p::CallFunctionOn::default()
        };
        let changed = self.channel.call(changed, deadline).await;
        drop(self.channel.post(p::ReleaseObject { object_id }));
        let names = changed.ok()?.result.value?.as_str().filter(|names| !names.is_empty())?.to_owned();
        Some(format!(
            "the script ran apart from the page's own variables, so the page does not see what it set ({names}); to set it there, \
             use --world main"
        ))
    }
}

/// Whether a script may set something: it has an assignment in it, or one of the functions that assign.
fn sets(js: &str) -> bool {
    let mut before = ' ';
    let mut rest = js.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '=' && !matches!(rest.peek(), Some('=' | '>')) && !matches!(before, '=' | '!' | '<' | '>') {
            return true;
        }
        before = c;
    }
    ["defineProperty", "defineProperties", "assign", "Reflect", "++", "--", "delete ", "<<=", ">>="].iter().any(|word| js.contains(word))
}

/// The words of a script that can be names.
fn names(js: &str) -> BTreeSet<&str> {
    words(js).filter(|word| !word.starts_with(char::is_numeric)).take(MOST_NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_set_something() {
        for js in ["window.a = 1", "a=1", "() => { x += 2 }", "Object.assign(window, {a: 1})", "n++", "a ||= b"] {
            assert!(sets(js), "{js}");
        }
        for js in ["() => a.click()", "a == b", "a === b", "x => x <= 3", "a >= b && c != d", "f(1)"] {
            assert!(!sets(js), "{js}");
        }
    }
}
