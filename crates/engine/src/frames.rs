//! Which frame is inside of an element.

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Result};
use tokio::time::Instant;

use crate::{lift::lift, tab::Tab};

/// The frame that an `iframe` element holds, in whatever process it runs. The element is named by its number in its own frame.
pub(crate) async fn inside(tab: &Tab, frame: FrameId, holder: u32, deadline: Instant) -> Result<FrameId> {
    let asking = async {
        let world =
            tab.until_some(deadline, "the frame to be there", |state| state.world(frame, false)).await?;
        let channel = tab.channel_of(world.session.as_deref());
        let group = format!("webhand-holder-{holder}");
        let evaluate = p::Evaluate {
            expression: format!("webhand.element({holder})"),
            unique_context_id: Some(world.unique_id),
            object_group: Some(group.clone()),
            ..p::Evaluate::default()
        };
        let object = channel.call(evaluate, deadline).await.map_err(lift)?.result.object_id;
        let described =
            channel.call(p::DescribeNode { object_id: object, ..p::DescribeNode::default() }, deadline).await;
        drop(channel.post(p::ReleaseObjectGroup { object_group: group }));
        Ok(described.map_err(lift)?.node.frame_id)
    };
    let id = tab.unless_dialog(asking, deadline).await?;
    id.and_then(|id| tab.read(|state| state.frame_number(&id)))
        .ok_or_else(|| Error::new(Code::ElementNotFound, "there is no page in it"))
}
