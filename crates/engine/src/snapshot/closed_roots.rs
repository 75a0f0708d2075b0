//! Closed shadow roots, which no script in the page can see.

use cdp::{Channel, protocol as p};
use serde_json::json;
use tokio::time::Instant;

use crate::{page, tab::Tab};

/// How many batches of elements are asked for closed shadow roots in one look, and how many elements a batch has is the script's choice.
const BATCHES: usize = 16;

const GROUP: &str = "webhand-roots";
const ADOPT: &str = "function(host) { webhand.adopt(host, this); }";

/// Looks for closed shadow roots in the elements that may have one. Returns whether there were any. Only the protocol can see them.
pub(super) async fn find_closed_roots(tab: &Tab, world: &page::World, deadline: Instant) -> bool {
    let channel = tab.channel_of(world.session.as_deref());
    let mut found = false;
    // A batch at a time, until there is one or nobody is left to ask.
    for _ in 0..BATCHES {
        match hosts(&channel, world, deadline).await {
            Ok(Some(is_any)) => found |= is_any,
            Ok(None) | Err(_) => break,
        }
        if found {
            break;
        }
    }
    drop(channel.post(p::ReleaseObjectGroup { object_group: GROUP.into() }));
    found
}

/// Asks one batch of elements; `None` if there are no more.
async fn hosts(channel: &Channel, world: &page::World, deadline: Instant) -> cdp::Result<Option<bool>> {
    let listing = p::Evaluate {
        expression: "webhand.mayBeHosts()".into(),
        unique_context_id: Some(world.unique_id.clone()),
        object_group: Some(GROUP.into()),
        ..p::Evaluate::default()
    };
    let Some(list) = channel.call(listing, deadline).await?.result.object_id else { return Ok(None) };
    let properties = p::GetProperties { object_id: list, own_properties: Some(true) };
    let hosts: Vec<String> = channel
        .call(properties, deadline)
        .await?
        .result
        .into_iter()
        .filter(|property| property.name.parse::<usize>().is_ok())
        .filter_map(|property| property.value?.object_id)
        .collect();
    if hosts.is_empty() {
        return Ok(None);
    }
    let describe = |host: &String| {
        channel.post(p::DescribeNode {
            object_id: Some(host.clone()),
            depth: Some(0),
            ..p::DescribeNode::default()
        })
    };
    let descriptions: Vec<_> = hosts.iter().map(describe).collect();
    let mut is_any = false;
    for (host, description) in hosts.into_iter().zip(descriptions) {
        let node = description.by(deadline).await?.node;
        for root in node.shadow_roots.iter().filter(|root| root.shadow_root_type == "closed") {
            let resolve = p::ResolveNode {
                backend_node_id: root.backend_node_id,
                execution_context_id: Some(world.context),
                object_group: Some(GROUP.into()),
            };
            let root = channel.call(resolve, deadline).await?.object.object_id;
            let adopt = p::CallFunctionOn {
                function_declaration: ADOPT.into(),
                object_id: root,
                arguments: Some(vec![json!({"objectId": host})]),
                ..p::CallFunctionOn::default()
            };
            channel.call(adopt, deadline).await?;
            is_any = true;
        }
    }
    Ok(Some(is_any))
}
