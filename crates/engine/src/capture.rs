//! Taking a picture of a tab. Of the tabs of a window the browser draws only the one in front, and a picture of any other would be waited for
//! in vain. So the tab is brought to the front first, and pictures of the tabs of a context are taken one after the other.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use cdp::protocol as p;
use contract::{Code, Error, Result};
use tokio::time::{Instant, timeout_at};

use crate::{
    context::Context,
    lift::{lift, timed_out},
    tab::Tab,
};

/// Returns the bytes of the picture. Waits until other pictures of the context have been taken.
pub(crate) async fn capture(
    context: &Context,
    tab: &Tab,
    command: p::CaptureScreenshot,
    deadline: Instant,
) -> Result<Vec<u8>> {
    let turn = timeout_at(deadline, context.pages.front.lock());
    let _turn = turn.await.map_err(|_| timed_out("another picture to be taken"))?;
    let capturing = async {
        let mut tabs = context.pages.changes();
        bring_to_front(context, tab);
        let mut captured = std::pin::pin!(tab.channel.call(command, deadline));
        loop {
            tokio::select! {
                biased;
                captured = &mut captured => return captured.map_err(lift),
                // A page may open a tab at any time, which is in front then.
                Ok(()) = tabs.changed() => bring_to_front(context, tab),
            }
        }
    };
    let captured = tab.unless_dialog(capturing, deadline).await?;
    STANDARD
        .decode(captured.data)
        .map_err(|error| Error::new(Code::Internal, "the picture cannot be read").with_cause(error))
}

/// Commands to a target are carried out in their order, so nobody waits for this one. An application that shows pages itself decides what is in
/// front there.
fn bring_to_front(context: &Context, tab: &Tab) {
    if context.pages.all().len() > 1 && !context.is_hosted() {
        drop(context.browser.root.post(p::ActivateTarget { target_id: tab.target_id.clone() }));
    }
}
