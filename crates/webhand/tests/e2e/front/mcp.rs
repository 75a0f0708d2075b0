//! `webhand mcp` on stdio. The client is the official SDK for Rust.

use rmcp::{
    RoleClient, ServiceError, ServiceExt,
    model::{CallToolRequestParams, CallToolResult, ClientRequest, CustomRequest, ErrorCode, ServerResult},
    service::RunningService,
    transport::TokioChildProcess,
};
use serde_json::{Value, json};
use tokio::{process::Command, runtime::Runtime};

use super::{Answer, Tools};
use crate::support::Home;

pub(crate) struct Mcp {
    /// None once it has ended.
    client: Option<RunningService<RoleClient, ()>>,
    runtime: Runtime,
}

impl Mcp {
    #[track_caller]
    pub(super) fn start(home: &Home, toolset: &str, flags: &[&str]) -> Mcp {
        let command = home.command(&[flags, &["mcp", "--toolset", toolset]].concat());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let server = TokioChildProcess::new(Command::from(command)).unwrap();
            ().serve(server).await.unwrap()
        });
        Mcp { client: Some(client), runtime }
    }
}

impl Tools for Mcp {
    /// The structured content. A tool that is not there is an error of the protocol, which brings the answer along.
    #[track_caller]
    fn call(&mut self, tool: &str, args: &Value) -> Answer {
        let client = self.client.as_ref().unwrap();
        let said = self.runtime.block_on(async {
            match args {
                Value::Object(args) => {
                    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args.clone());
                    client.call_tool(params).await
                }
                // The SDK has no such call, so it is one that it does not know.
                args => {
                    let params = json!({"name": tool, "arguments": args});
                    let request = CustomRequest::new("tools/call", Some(params));
                    match client.send_request(ClientRequest::CustomRequest(request)).await? {
                        ServerResult::CallToolResult(result) => Ok(result),
                        _ => Err(ServiceError::UnexpectedResponse),
                    }
                }
            }
        });
        match said {
            Ok(result) => answer(result),
            Err(ServiceError::McpError(error)) => {
                assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{error}");
                Answer { ok: false, value: error.data.unwrap() }
            }
            Err(error) => panic!("{tool} {args}: {error}"),
        }
    }
}

/// What a model reads is there as well. What only the text has is read from there, so that all fronts can be held to the same.
#[track_caller]
fn answer(result: CallToolResult) -> Answer {
    let said = result.content.first().and_then(|content| content.as_text()).map(|text| text.text.clone());
    let said = said.filter(|text| !text.is_empty()).unwrap_or_else(|| panic!("{result:?}"));
    let mut value = result.structured_content.unwrap();
    let is_browser = value.get("data").is_some_and(Value::is_object) && said.starts_with("### ");
    if is_browser && let Some(data) = value["data"].as_object_mut() {
        for name in ["snapshot", "delta", "value", "content"] {
            assert!(!data.contains_key(name), "{name} is in the text");
        }
        for (title, name) in [("Snapshot", "snapshot"), ("Changes", "delta")] {
            if let Some(text) = section(&said, title) {
                data.insert(name.into(), json!({"text": text}));
            }
        }
        if let Some(text) = section(&said, "Result") {
            // A text stands between marks, and so does what has texts in it; a number stands for itself.
            let is_text = said.contains("### Result\n--- page content") && !text.starts_with(['[', '{']);
            let value = serde_json::from_str(&text).ok().filter(|_| !is_text);
            let value = value.unwrap_or_else(|| Value::from(text.clone()));
            data.insert("value".into(), value);
            data.insert("content".into(), json!({"text": text}));
        }
    }
    Answer { ok: result.is_error != Some(true), value }
}

/// What is in a section, without marks.
fn section(text: &str, title: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("### {title}\n"))?;
    let lines = rest.lines().take_while(|line| !line.starts_with("### "));
    let lines: Vec<_> = lines.filter(|line| !line.starts_with("--- ")).collect();
    Some(lines.join("\n")).filter(|text| text != "nothing changed in the page")
}

impl Drop for Mcp {
    /// Waits for the server, which takes its browser along before the home goes.
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.cancel());
        }
    }
}
