//! Which frame is inside of an element, and which element is around a frame.

use cdp::protocol as p;
use contract::{Code, Error, FrameId, Ref, Result};
use tokio::time::Instant;

use crate::{lift::lift, snapshot::reference, tab::Tab};

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

/// The element that holds a frame, whether or not anybody is told of it: the browser knows. None if there is no such element.
pub(crate) async fn holder(tab: &Tab, frame: FrameId, deadline: Instant) -> Result<Option<Ref>> {
    let found = tab.read(|state| {
        let (id, around) = state.frame_inside(frame)?;
        Some((id, around, state.world(around, false)?))
    });
    let Some((frame_id, around, world)) = found else { return Ok(None) };
    let channel = tab.channel_of(world.session.as_deref());
    let group = format!("webhand-holder-of-{frame}");
    let asking = async {
        let owner = channel.call(p::GetFrameOwner { frame_id }, deadline).await?.backend_node_id;
        let resolve = p::ResolveNode {
            backend_node_id: owner,
            execution_context_id: Some(world.context),
            object_group: Some(group.clone()),
        };
        let call = p::CallFunctionOn {
            function_declaration: format!(
                "function() {{ return webhand.after({}, 'number').number(this); }}",
                tab.numbers_taken()
            ),
            object_id: channel.call(resolve, deadline).await?.object.object_id,
            return_by_value: Some(true),
            ..p::CallFunctionOn::default()
        };
        channel.call(call, deadline).await
    };
    let answer = tab.unless_dialog(async { Ok(asking.await) }, deadline).await?;
    drop(channel.post(p::ReleaseObjectGroup { object_group: group }));
    let number = match answer {
        Ok(answer) => answer.result.value.and_then(|number| number.as_u64()),
        // The frame, or what holds it, has just gone.
        Err(cdp::Error::Refused { .. }) => None,
        Err(error) => return Err(lift(error)),
    };
    Ok(number.map(|number| reference(around, number as u32)))
}
