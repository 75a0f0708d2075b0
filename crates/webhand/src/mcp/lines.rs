//! MCP on standard input and output: one JSON-RPC message a line.
//!
//! rmcp's own transport leaves out what it cannot read, so that who sent it waits for ever, and answers wrong requests without
//! their id. Here everything that wants an answer gets one, and a client that no longer reads is a client that has gone.

use std::{io, sync::Arc};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{StdioReader, StdioWriter, Transport, stdio_pipes},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::Mutex,
};
use tokio_util::sync::CancellationToken;

/// The longest message that is read. What is longer is refused without being kept.
const LONGEST: usize = 32 << 20;

/// JSON-RPC's codes for what cannot be understood.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Messages as lines.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Line,
    write: Arc<Mutex<W>>,
    /// Whoever reads our answers has gone.
    gone: CancellationToken,
    /// Nothing more will be asked.
    over: CancellationToken,
    /// Nothing but requests means anything before the first of them says hello.
    greeted: bool,
}

/// Standard input and output.
pub(crate) fn on_stdio() -> Lines<StdioReader, StdioWriter> {
    let (read, write) = stdio_pipes();
    Lines::new(read, write)
}

impl<R, W> Lines<R, W> {
    /// Cancelled when the client will ask nothing more: it has gone, or closed its end.
    pub(crate) fn over(&self) -> CancellationToken {
        self.over.clone()
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    fn new(read: R, write: W) -> Self {
        Lines {
            read: BufReader::new(read),
            line: Line::default(),
            write: Arc::new(Mutex::new(write)),
            gone: CancellationToken::new(),
            over: CancellationToken::new(),
            greeted: false,
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (write, gone) = (self.write.clone(), self.gone.clone());
        async move { put(&write, &gone, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let whole = tokio::select! {
                whole = self.line.fill(&mut self.read) => whole.unwrap_or(Filled::End),
                () = self.gone.cancelled() => Filled::End,
            };
            let understood = match whole {
                Filled::End => {
                    self.over.cancel();
                    return None;
                }
                Filled::TooLong => Err(refusal(
                    &Value::Null,
                    INVALID_REQUEST,
                    &format!("a message may have {LONGEST} bytes at most"),
                )),
                Filled::Whole => understand(&self.line.taken()),
            };
            match understood {
                Ok(Some(message)) => {
                    self.greeted |= is_greeting(&message);
                    if self.greeted || matches!(message, JsonRpcMessage::Request(_)) {
                        return Some(message);
                    }
                }
                Ok(None) => {}
                // Cancelled in the middle of this, the answer is lost, but never half of it is written: see `put`.
                Err(refusal) => {
                    let (write, gone) = (self.write.clone(), self.gone.clone());
                    tokio::spawn(async move { put(&write, &gone, &refusal).await });
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.flush().await
    }
}

/// Writes a message, whole.
async fn put<W: AsyncWrite + Unpin>(
    write: &Mutex<W>,
    gone: &CancellationToken,
    message: &impl serde::Serialize,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    let written = async {
        write.write_all(&line).await?;
        write.flush().await
    };
    let written = written.await;
    if written.is_err() {
        gone.cancel();
    }
    written
}

fn is_greeting(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Request(request) => matches!(request.request, ClientRequest::InitializeRequest(_)),
        _ => false,
    }
}

/// The message in a line; none if it wants no answer and means nothing to us; or else the refusal.
fn understand(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return Err(refusal(&Value::Null, PARSE_ERROR, "the message is no JSON"));
    };
    let id = &message["id"];
    // A notification gets no answer, not even a wrong one.
    if message["method"].is_string() && message.get("id").is_none() {
        return Ok(None);
    }
    // The id goes back only if it can be one.
    let id = if id.is_string() || id.is_i64() || id.is_u64() { id } else { &Value::Null };
    Err(refusal(id, INVALID_REQUEST, "the message is no JSON-RPC request that this server knows"))
}

fn refusal(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// A line while it comes in. It survives a reader that is stopped in between.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    too_long: bool,
}

enum Filled {
    Whole,
    TooLong,
    /// Nothing more comes. Half a line is no message.
    End,
}

impl Line {
    async fn fill(&mut self, read: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Filled> {
        loop {
            let there = read.fill_buf().await?;
            if there.is_empty() {
                return Ok(Filled::End);
            }
            let end = there.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(there.len(), |end| end + 1);
            if self.too_long || self.bytes.len() + taken > LONGEST {
                self.too_long = true;
                self.bytes = Vec::new();
            } else {
                self.bytes.extend_from_slice(&there[..taken]);
            }
            read.consume(taken);
            if end.is_some() {
                return Ok(if std::mem::take(&mut self.too_long) { Filled::TooLong } else { Filled::Whole });
            }
        }
    }

    fn taken(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wants_an_answer_gets_one() {
        let code =
            |line: &str| understand(line.as_bytes()).err().map(|refusal| refusal["error"]["code"].clone());
        for (line, expected) in [
            ("not json", -32700),
            ("{\"jsonrpc\":\"2.0\",", -32700),
            ("[]", -32600),
            ("5", -32600),
            ("{}", -32600),
            ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
            ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600),
            ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        ] {
            assert_eq!(code(line), Some(expected.into()), "{line}");
        }
        for line in ["", "\r", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\"}"] {
            assert_eq!(code(line), None, "{line}");
        }
        let wrong = understand(b"{\"jsonrpc\":\"2\",\"id\":7,\"method\":\"ping\"}").unwrap_err();
        assert_eq!(wrong["id"], 7);
    }

    #[tokio::test]
    async fn a_line_survives_its_reader() {
        let (mut client, server) = tokio::io::duplex(64);
        let mut read = BufReader::new(server);
        let mut line = Line::default();
        client.write_all(b"{\"a\"").await.unwrap();
        let cut = tokio::time::timeout(std::time::Duration::from_millis(20), line.fill(&mut read)).await;
        assert!(cut.is_err());
        client.write_all(b":1}\nhalf").await.unwrap();
        assert!(matches!(line.fill(&mut read).await, Ok(Filled::Whole)));
        assert_eq!(line.taken(), b"{\"a\":1}\n");
        drop(client);
        assert!(matches!(line.fill(&mut read).await, Ok(Filled::End)));
    }
}
