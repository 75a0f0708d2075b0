//! The websocket transport, for browsers that somebody else started.

use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{
    self, Message,
    protocol::{WebSocketConfig, frame::Utf8Bytes},
};

use super::{Incoming, Transport};

/// The largest message that is accepted. A full-page screenshot or a large tree can be tens of megabytes.
const LARGEST_MESSAGE: usize = 512 << 20;

/// Connects to a `ws://` address.
pub async fn connect(address: &str) -> Result<Transport, tungstenite::Error> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_MESSAGE))
        .max_frame_size(Some(LARGEST_MESSAGE));
    // Without Nagle's algorithm: small commands must not wait for each other's acknowledgements.
    let (socket, _) = tokio_tungstenite::connect_async_with_config(address, Some(config), true).await?;
    let (mut sink, mut stream) = socket.split();
    let (outgoing, mut to_write) = mpsc::unbounded_channel::<Vec<u8>>();
    let (received, incoming) = mpsc::unbounded_channel();

    tokio::spawn(async move {
        while let Some(message) = to_write.recv().await {
            let Ok(text) = Utf8Bytes::try_from(message) else { continue };
            if sink.send(Message::Text(text)).await.is_err() {
                return;
            }
        }
        let _ = sink.close().await;
    });
    tokio::spawn(async move {
        loop {
            let item = match stream.next().await {
                Some(Ok(Message::Text(text))) => Incoming::Message(text.as_bytes().to_vec()),
                Some(Ok(Message::Binary(bytes))) => Incoming::Message(bytes.to_vec()),
                Some(Ok(Message::Close(_))) | None => {
                    Incoming::Ended("the browser closed the websocket".into())
                }
                Some(Ok(_)) => continue,
                Some(Err(error)) => Incoming::Ended(error.to_string()),
            };
            let last = matches!(item, Incoming::Ended(_));
            if received.send(item).is_err() || last {
                return;
            }
        }
    });
    Ok(Transport { outgoing, incoming })
}
