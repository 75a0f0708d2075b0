//! What every page and frame is told before its first script runs.
//!
//! The commands are sent together and awaited together: one round trip, however many there are. The browser holds a new
//! target back until the last of them says to go on.

use std::time::Duration;

use cdp::{Channel, protocol as p};
use contract::Result;
use tokio::time::Instant;

use super::Tab;
use crate::{emulation::Receiver, lift::lift, page};

/// How long a new page may take to answer. A renderer starts in a tenth of a second; a machine with a hundred of them takes
/// far longer. Whoever waits for the page has a deadline of its own.
const START: Duration = Duration::from_secs(120);

/// How many bytes of answers the browser keeps for a document, and of one of them: `requests` reads them when it is asked to.
const KEPT_BODIES: i64 = 24 << 20;
pub(crate) const LARGEST_BODY: i64 = 8 << 20;

/// How many bytes of what a request sends are told with it; more is asked for when somebody wants it.
const LARGEST_POST: i64 = 8 << 10;

pub(super) async fn tab(channel: &Channel, tab: &Tab) -> Result<p::FrameTree> {
    let focus = channel.post(p::SetFocusEmulation { enabled: true });
    let tree = frame(channel, tab, Receiver::Page).await?;
    focus.by(Instant::now() + START).await.map_err(lift)?;
    Ok(tree)
}

pub(super) async fn frame(channel: &Channel, tab: &Tab, receiver: Receiver) -> Result<p::FrameTree> {
    let deadline = Instant::now() + START;
    let holding = tab.egress.hold(channel, receiver);
    let emulation = tab.emulated.tell(channel, receiver);
    let page = channel.post(p::PageEnable {});
    let choosers = tab.catches_choosers.then(|| channel.post(p::InterceptFileChooser { enabled: true }));
    let tree = channel.post(p::GetFrameTree {});
    let lifecycle = channel.post(p::SetLifecycleEventsEnabled { enabled: true });
    let runtime = channel.post(p::RuntimeEnable {});
    let log = channel.post(p::LogEnable {});
    let network = channel.post(p::NetworkEnable {
        max_total_buffer_size: Some(KEPT_BODIES),
        max_resource_buffer_size: Some(LARGEST_BODY),
        max_post_data_size: Some(LARGEST_POST),
    });
    let binding = channel.post(p::AddBinding {
        name: page::TELL.into(),
        execution_context_name: Some(page::world_name().into()),
    });
    let script = channel.post(p::AddScript {
        source: page::script().into(),
        world_name: Some(page::world_name().into()),
        run_immediately: Some(true),
        ..p::AddScript::default()
    });
    let listeners = channel.post(p::AddScript {
        source: page::main_script().into(),
        run_immediately: Some(true),
        include_command_line_api: Some(true),
        ..p::AddScript::default()
    });
    let attach =
        channel.post(p::SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true });
    if let Some(holding) = holding {
        // The only command that has to be over first: what the page asks for before is not held back.
        holding.by(deadline).await.map_err(lift)?;
    }
    let go = channel.post(p::RunIfWaitingForDebugger {});
    page.by(deadline).await.map_err(lift)?;
    if let Some(choosers) = choosers {
        choosers.by(deadline).await.map_err(lift)?;
    }
    let tree = tree.by(deadline).await.map_err(lift)?.frame_tree;
    lifecycle.by(deadline).await.map_err(lift)?;
    runtime.by(deadline).await.map_err(lift)?;
    log.by(deadline).await.map_err(lift)?;
    network.by(deadline).await.map_err(lift)?;
    binding.by(deadline).await.map_err(lift)?;
    script.by(deadline).await.map_err(lift)?;
    listeners.by(deadline).await.map_err(lift)?;
    attach.by(deadline).await.map_err(lift)?;
    emulation.by(deadline).await?;
    go.by(deadline).await.map_err(lift)?;
    Ok(tree)
}
