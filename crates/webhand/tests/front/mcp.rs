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

/// What a model reads is there as well.
#[track_caller]
fn answer(result: CallToolResult) -> Answer {
    let text = result.content.first().and_then(|content| content.as_text());
    assert!(text.is_some_and(|text| !text.text.is_empty()), "{result:?}");
    Answer { ok: result.is_error != Some(true), value: result.structured_content.unwrap() }
}

impl Drop for Mcp {
    /// Waits for the server, which takes its browser along before the home goes.
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.cancel());
        }
    }
}
