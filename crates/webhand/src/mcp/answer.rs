//! A tool's reply as MCP gives it: text for the model, what else there is as data, and pictures as pictures.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use engine::picture;
use rmcp::model::{CallToolResult, ContentBlock};
use toolsets::Reply;

/// What the client gets.
pub(crate) async fn result(reply: Reply) -> CallToolResult {
    let mut text = reply.text();
    let mut image = None;
    if let Some(taken) = reply.picture {
        let (mime_type, path) = (taken.mime_type, taken.path.clone());
        // A large picture takes long to be made smaller, and others are served by the same thread.
        let fitted = tokio::task::spawn_blocking(move || picture::for_models(taken.bytes, mime_type)).await;
        match fitted {
            Ok(fitted) => {
                if let Some([width, height]) = fitted.made_smaller {
                    let whole = path.map(|path| format!("; the whole one is in {}", path.display()));
                    text += &format!(
                        "\nthe picture here is made smaller, to {width}x{height}{}",
                        whole.unwrap_or_default()
                    );
                }
                image = Some(ContentBlock::image(STANDARD.encode(&fitted.bytes), fitted.mime_type));
            }
            Err(error) => tracing::error!(%error, "a picture could not be made smaller"),
        }
    }
    let content = std::iter::once(ContentBlock::text(text)).chain(image).collect();
    let mut result = if reply.ok { CallToolResult::success(content) } else { CallToolResult::error(content) };
    // Only the protocol after the newest one that is spoken has it.
    result.result_type = None;
    // The protocol knows only objects here.
    result.structured_content =
        Some(reply.beside.unwrap_or(reply.value)).filter(serde_json::Value::is_object);
    result
}
