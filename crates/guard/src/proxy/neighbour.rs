//! Who connects to the proxy. It matters only where the proxy has something to give away: the user's credentials for another proxy. Then
//! nobody but this user may come in, which Linux can tell of a connection on the same computer.

use std::{
    fmt::Write as _,
    net::{SocketAddr, SocketAddrV4},
};

/// Whether the one at the other end of a connection is this user. Where that cannot be told, on other systems than Linux, it is.
pub(crate) async fn is_this_user(peer: SocketAddr, own: SocketAddr) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let (SocketAddr::V4(peer), SocketAddr::V4(own)) = (peer, own) else { return false };
    let table = match tokio::fs::read_to_string("/proc/net/tcp").await {
        Ok(table) => table,
        Err(error) => {
            tracing::warn!(%error, "who connects to the proxy cannot be told, so nobody may");
            return false;
        }
    };
    owner(&table, peer, own).is_some_and(|owner| owner == this_user())
}

#[cfg(target_os = "linux")]
fn this_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(target_os = "linux"))]
fn this_user() -> u32 {
    0
}

/// A connection that both sides have (`tcp_states.h`).
const ESTABLISHED: &str = "01";

/// The user whose socket goes from here to there, by the system's table of them (`proc_pid_net(5)`). A socket that was closed has none,
/// for which the table says 0, so what it was left to say would be the word of root.
fn owner(table: &str, from: SocketAddrV4, to: SocketAddrV4) -> Option<u32> {
    let (from, to) = (written(from), written(to));
    let mut rows = table.lines().map(|line| line.split_whitespace());
    // Number, from, to, state, queues, timer, retransmits, user.
    rows.find_map(|mut row| match (row.nth(1), row.next(), row.next()) {
        (Some(one), Some(other), Some(ESTABLISHED)) if one == from && other == to => row.nth(3)?.parse().ok(),
        _ => None,
    })
}

/// An address as it is in the table: its bytes as one number of this machine, then the port.
fn written(address: SocketAddrV4) -> String {
    let mut text = String::new();
    // Writing into a text does not fail.
    _ = write!(text, "{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port());
    text
}

#[cfg(all(test, target_os = "linux", target_endian = "little"))]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1 0 100 0 0 10 0
   1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 101 1 0 20 4 30 10 -1
   2: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 102 1 0 20 4 30 10 -1
   3: 0100007F:D433 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
";

    #[test]
    fn the_owner_is_that_of_the_other_end() {
        let [peer, own, other, closed] =
            ["127.0.0.1:54321", "127.0.0.1:8080", "127.0.0.1:54322", "127.0.0.1:54323"]
                .map(|it| it.parse().unwrap());
        assert_eq!(owner(TABLE, peer, own), Some(1000));
        assert_eq!(owner(TABLE, own, peer), Some(0));
        assert_eq!(owner(TABLE, other, own), None);
        assert_eq!(owner(TABLE, closed, own), None, "whose it was cannot be told any more");
    }

    #[tokio::test]
    async fn this_process_is_this_user() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let own = listener.local_addr().unwrap();
        let client = TcpStream::connect(own).await.unwrap();
        let (_accepted, peer) = listener.accept().await.unwrap();
        assert!(is_this_user(peer, own).await);
        drop(client);
        let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
        assert!(!is_this_user(nobody, own).await);
    }
}
