//! What every page and frame is told before its first script runs.
//!
//! The commands are sent together and awaited together: one round trip, however many there are. The browser holds a new
//! target back until the last of them says to go on.

use std::time::Duration;

use cdp::{Channel, protocol as p};
use contract::Result;
use tokio::time::Instant;

use crate::{Viewport, lift::lift, page};

/// How long a new page may take to answer. A renderer starts in a tenth of a second; a machine with a hundred of them takes
/// far longer. Whoever waits for the page has a deadline of its own.
const START: Duration = Duration::from_secs(120);

pub(super) async fn tab(channel: &Channel, viewport: Option<Viewport>) -> Result<p::FrameTree> {
    let focus = channel.post(p::SetFocusEmulation { enabled: true });
    let metrics = viewport.map(|Viewport { width, height, scale }| {
        channel.post(p::SetDeviceMetrics { width, height, device_scale_factor: scale, mobile: false })
    });
    let tree = frame(channel).await?;
    let deadline = Instant::now() + START;
    focus.by(deadline).await.map_err(lift)?;
    if let Some(metrics) = metrics {
        metrics.by(deadline).await.map_err(lift)?;
    }
    Ok(tree)
}

pub(super) async fn frame(channel: &Channel) -> Result<p::FrameTree> {
    let deadline = Instant::now() + START;
    let page = channel.post(p::PageEnable {});
    let tree = channel.post(p::GetFrameTree {});
    let lifecycle = channel.post(p::SetLifecycleEventsEnabled { enabled: true });
    let runtime = channel.post(p::RuntimeEnable {});
    // Bodies are not read here, so the browser need not keep them.
    let network =
        channel.post(p::NetworkEnable { max_total_buffer_size: Some(0), max_resource_buffer_size: Some(0) });
    let binding = channel.post(p::AddBinding {
        name: page::TELL.into(),
        execution_context_name: Some(page::world_name().into()),
    });
    let script = channel.post(p::AddScript {
        source: page::PRELUDE.into(),
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
    let go = channel.post(p::RunIfWaitingForDebugger {});
    page.by(deadline).await.map_err(lift)?;
    let tree = tree.by(deadline).await.map_err(lift)?.frame_tree;
    lifecycle.by(deadline).await.map_err(lift)?;
    runtime.by(deadline).await.map_err(lift)?;
    network.by(deadline).await.map_err(lift)?;
    binding.by(deadline).await.map_err(lift)?;
    script.by(deadline).await.map_err(lift)?;
    listeners.by(deadline).await.map_err(lift)?;
    attach.by(deadline).await.map_err(lift)?;
    go.by(deadline).await.map_err(lift)?;
    Ok(tree)
}
