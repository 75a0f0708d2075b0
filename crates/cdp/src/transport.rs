//! Transports: whole messages in and out, whatever carries them.

pub mod fault;
pub mod pipe;
pub mod websocket;

use tokio::sync::mpsc;

/// Two queues of whole messages. Tasks behind them do the reading and writing, so that neither a slow browser nor a
/// slow consumer here can block the other.
///
/// The incoming queue ends when the connection does; its last item says why. Dropping the outgoing end closes the
/// connection.
pub struct Transport {
    pub(crate) outgoing: mpsc::UnboundedSender<Vec<u8>>,
    pub(crate) incoming: mpsc::UnboundedReceiver<Incoming>,
}

/// What arrives from a transport.
pub(crate) enum Incoming {
    Message(Vec<u8>),
    Ended(String),
}
