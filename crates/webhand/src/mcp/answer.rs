//! A tool's reply as MCP gives it: text for the model, the same as data, and pictures as pictures.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock};
use toolsets::Reply;

/// What the client gets.
pub(crate) fn result(reply: Reply) -> CallToolResult {
    let mut content = vec![ContentBlock::text(reply.text())];
    if let Some(picture) = &reply.picture {
        content.push(ContentBlock::image(STANDARD.encode(&picture.bytes), picture.mime_type));
    }
    let mut result = if reply.ok { CallToolResult::success(content) } else { CallToolResult::error(content) };
    // Only the protocol after the newest one that is spoken has it.
    result.result_type = None;
    // The protocol knows only objects here.
    result.structured_content = Some(reply.value).filter(serde_json::Value::is_object);
    result
}
