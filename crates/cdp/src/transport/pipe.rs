//! The pipe transport: NUL-terminated JSON on two pipes, as Chromium's `--remote-debugging-pipe` speaks it.

use std::{io, os::fd::OwnedFd};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe::{Receiver, Sender},
    sync::mpsc,
};

use super::{Incoming, Transport};

/// Room in the kernel for messages on their way. The default of 64 KiB makes large answers stutter.
const KERNEL_BUFFER: usize = 1 << 20;

/// A buffer larger than this is given back after the message that needed it.
const KEPT_BUFFER: usize = 1 << 20;

/// Speaks with a browser that reads what we write to `to_browser` and writes what we read from `from_browser`.
pub fn connect(to_browser: OwnedFd, from_browser: OwnedFd) -> io::Result<Transport> {
    for end in [&to_browser, &from_browser] {
        // Only a matter of speed, and the system may set a lower limit.
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(end, KERNEL_BUFFER);
        #[cfg(not(target_os = "linux"))]
        let _ = (end, KERNEL_BUFFER);
    }
    let writer = Sender::from_owned_fd(to_browser)?;
    let reader = Receiver::from_owned_fd(from_browser)?;
    let (outgoing, to_write) = mpsc::unbounded_channel();
    let (received, incoming) = mpsc::unbounded_channel();
    tokio::spawn(write(writer, to_write));
    tokio::spawn(read(reader, received));
    Ok(Transport { outgoing, incoming })
}

/// Writes until the queue ends or the browser stops reading. The reader notices the latter as well and says so.
async fn write(mut pipe: Sender, mut queue: mpsc::UnboundedReceiver<Vec<u8>>) {
    let mut batch = Vec::new();
    let mut buffer = Vec::new();
    while queue.recv_many(&mut batch, 64).await > 0 {
        buffer.clear();
        for message in batch.drain(..) {
            buffer.extend_from_slice(&message);
            buffer.push(0);
        }
        if pipe.write_all(&buffer).await.is_err() {
            return;
        }
    }
}

async fn read(mut pipe: Receiver, received: mpsc::UnboundedSender<Incoming>) {
    let mut buffer = Vec::with_capacity(64 << 10);
    let mut searched = 0;
    loop {
        let ended = match pipe.read_buf(&mut buffer).await {
            Ok(0) => Some("the browser closed its end".to_owned()),
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = ended {
            let _ = received.send(Incoming::Ended(reason));
            return;
        }
        let mut start = 0;
        while let Some(end) = buffer[searched..].iter().position(|&byte| byte == 0) {
            let end = searched + end;
            if received.send(Incoming::Message(buffer[start..end].to_vec())).is_err() {
                return;
            }
            start = end + 1;
            searched = start;
        }
        buffer.drain(..start);
        searched = buffer.len();
        if buffer.is_empty() && buffer.capacity() > KEPT_BUFFER {
            buffer = Vec::with_capacity(64 << 10);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Our transport on one side, the raw ends that a browser would have on the other.
    fn connected() -> (Transport, Sender, Receiver) {
        let (browser_in, ours_out) = rustix::pipe::pipe().unwrap();
        let (ours_in, browser_out) = rustix::pipe::pipe().unwrap();
        let transport = connect(ours_out, ours_in).unwrap();
        (transport, Sender::from_owned_fd(browser_out).unwrap(), Receiver::from_owned_fd(browser_in).unwrap())
    }

    #[tokio::test]
    async fn messages_arrive_whole_however_they_are_cut() {
        let (mut transport, mut browser, _in) = connected();
        for piece in ["{\"a\"", ":1}\0{\"b\":2}\0{", "}\0"] {
            browser.write_all(piece.as_bytes()).await.unwrap();
            tokio::task::yield_now().await;
        }
        for expected in ["{\"a\":1}", "{\"b\":2}", "{}"] {
            let Some(Incoming::Message(message)) = transport.incoming.recv().await else {
                panic!("no message")
            };
            assert_eq!(String::from_utf8(message).unwrap(), expected);
        }
        drop(browser);
        assert!(matches!(transport.incoming.recv().await, Some(Incoming::Ended(_))));
        assert!(transport.incoming.recv().await.is_none());
    }

    #[tokio::test]
    async fn a_large_message_passes_and_its_buffer_is_given_back() {
        let (mut transport, mut browser, _in) = connected();
        let large = vec![b'x'; 5 << 20];
        let sent = large.clone();
        tokio::spawn(async move {
            browser.write_all(&sent).await.unwrap();
            browser.write_all(b"\0ok\0").await.unwrap();
        });
        for expected in [&large[..], b"ok"] {
            let Some(Incoming::Message(message)) = transport.incoming.recv().await else {
                panic!("no message")
            };
            assert!(message == expected);
        }
    }

    #[tokio::test]
    async fn dropping_the_transport_closes_the_pipe() {
        let (transport, _out, mut browser) = connected();
        transport.outgoing.send(b"bye".to_vec()).unwrap();
        drop(transport);
        let mut rest = Vec::new();
        browser.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"bye\0");
    }
}
