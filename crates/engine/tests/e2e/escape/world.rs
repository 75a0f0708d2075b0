//! The places of these tests: a site that is allowed, and places that are not, which count who comes.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use engine::{Engine, Front, SessionOptions};

use super::everywhere::PATIENCE;
use crate::support::{self, Fixture};

/// A server that takes in everybody, counts them, and answers whatever is asked for.
#[derive(Clone)]
pub(crate) struct Place {
    pub address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    /// Where each connection came from.
    connections: Vec<SocketAddr>,
    packets: usize,
    requests: Vec<Asked>,
    /// Connections that are not over yet.
    open: usize,
}

/// What somebody asked for who spoke plainly.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// What the place was called.
    pub host: String,
    pub path: String,
}

impl Place {
    /// One on a port of its own, for TCP and UDP.
    pub(crate) fn at(host: &str) -> Place {
        Place::on(host, 0)
    }

    pub(crate) fn on(host: &str, port: u16) -> Place {
        let host: IpAddr = host.parse().unwrap();
        let listener = TcpListener::bind((host, port)).unwrap();
        let address = listener.local_addr().unwrap();
        let place = Place { address, seen: Arc::default() };
        let taking = place.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let from = stream.peer_addr().unwrap_or(address);
                taking.count(|seen| (seen.connections.push(from), seen.open += 1).1);
                let answering = taking.clone();
                thread::spawn(move || {
                    answering.answer(stream);
                    answering.count(|seen| seen.open -= 1);
                });
            }
        });
        if let Ok(packets) = UdpSocket::bind(address) {
            let counting = place.clone();
            thread::spawn(move || {
                let mut packet = [0; 2048];
                while packets.recv_from(&mut packet).is_ok() {
                    counting.count(|seen| seen.packets += 1);
                }
            });
        }
        place
    }

    fn count(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap());
    }

    /// `http://HOST:PORT` and a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn came(&self) -> (usize, usize) {
        let seen = self.seen.lock().unwrap();
        (seen.connections.len(), seen.packets)
    }

    /// Whether somebody asked for a path that begins like this.
    pub(crate) fn has_seen(&self, path: &str) -> bool {
        self.seen.lock().unwrap().requests.iter().any(|seen| seen.path.starts_with(path))
    }

    /// Who came since this was last asked, and what they asked for; all of them are gone by then. Connections are taken in one after the
    /// other, so whoever came before a knock of our own has been counted when that has.
    pub(crate) fn take(&self) -> (usize, Vec<Asked>) {
        let (began, knock) = (Instant::now(), TcpStream::connect(self.address).unwrap());
        let own = knock.local_addr().unwrap();
        drop(knock);
        loop {
            let mut seen = self.seen.lock().unwrap();
            if seen.connections.contains(&own) && seen.open == 0 {
                return (std::mem::take(&mut seen.connections).len() - 1, std::mem::take(&mut seen.requests));
            }
            drop(seen);
            assert!(began.elapsed() < PATIENCE, "a connection to {} does not end", self.address);
            // The end of a connection has no event here; looking all the time would take a core from it.
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// What was asked for since the last [`take`](Place::take).
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.seen.lock().unwrap().requests.clone()
    }

    fn answer(&self, mut stream: TcpStream) {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // Who begins as TLS does has been here, which is all that is asked.
        let mut byte = [0];
        if stream.peek(&mut byte).is_ok() && byte == [0x16] {
            return;
        }
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        let (mut first, mut length, mut key, mut host) = (String::new(), 0, None, String::new());
        if lines.read_line(&mut first).is_err() || first.is_empty() {
            return;
        }
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).is_err() || line.trim().is_empty() {
                break;
            }
            let (name, value) = line.trim().split_once(": ").unwrap_or_default();
            match &*name.to_ascii_lowercase() {
                "content-length" => length = value.parse().unwrap_or(0),
                "host" => host = value.to_owned(),
                "sec-websocket-key" => key = Some(value.to_owned()),
                _ => {}
            }
        }
        let _ = lines.read_exact(&mut vec![0; length]);
        let path = first.split(' ').nth(1).unwrap_or_default();
        // A proxy is told the whole address.
        let path = path
            .strip_prefix("http://")
            .and_then(|rest| rest.find('/').map(|at| &rest[at..]))
            .unwrap_or(path);
        let path = path.to_owned();
        self.count(|seen| seen.requests.push(Asked { host, path: path.clone() }));
        // Who wants a websocket has been here, which is all that is asked.
        let status = if key.is_some() { "400 No" } else { "200 OK" };
        let _ = stream.write_all(reply(&path, status).as_bytes());
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// What is at a path: `/as/TYPE/BODY` and `/with/HEADER/BODY` in hex digits, `/go/STATUS?to=…` percent-encoded; else a page that says
/// nothing.
fn reply(path: &str, status: &str) -> String {
    let decoded = |text: &str| {
        let pairs = text.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
        let bytes: Vec<u8> = pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let mut parts = path.splitn(4, '/').skip(1);
    let (kind, one, rest) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let (status, extra, content_type, body) = match kind {
        "as" => (status.to_owned(), String::new(), decoded(one), decoded(rest)),
        "with" => (status.to_owned(), format!("{}\r\n", decoded(one)), "text/html".into(), decoded(rest)),
        "go" => {
            // Forms put what is in them in the place of the query.
            let (code, query) = one.split_once('?').unwrap_or((one, ""));
            let to = query.strip_prefix("to=").unwrap_or_default();
            (
                format!("{code} Elsewhere"),
                format!("location: {}\r\n", percent_decode(to)),
                "text/html".into(),
                "".into(),
            )
        }
        _ => {
            let ends = |end: &str| path.split('?').next().unwrap_or_default().ends_with(end);
            let content_type = if ends(".js") {
                "text/javascript"
            } else if ends(".css") {
                "text/css"
            } else {
                "text/html"
            };
            (status.to_owned(), String::new(), content_type.into(), String::new())
        }
    };
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n{extra}content-length: {}\r\naccess-control-allow-origin: *\r\n\
         access-control-allow-headers: *\r\ncache-control: no-store\r\nservice-worker-allowed: /\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Text as a part of a path. Browsers take no worker from a path that has escaped slashes in it.
pub(crate) fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// Text as a part of a query.
pub(crate) fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => (byte as char).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

fn percent_decode(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match (first, code.and_then(|code| u8::from_str_radix(code, 16).ok())) {
            (b'%', Some(byte)) => (bytes.push(byte), rest = &tail[2..]).1,
            _ => (bytes.push(*first), rest = tail).1,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All places, and an engine that allows nothing by itself.
pub(crate) struct World {
    pub engine: Engine,
    /// Where pages come from, allowed.
    pub home: Place,
    /// Another place that is allowed.
    pub open: Place,
    /// Another host, another port, another version: forbidden.
    pub shut: [Place; 3],
}

impl World {
    pub(crate) fn new() -> World {
        World {
            engine: support::new_engine(|config| config.allow.clear()),
            home: Place::at("127.0.0.1"),
            open: Place::at("127.0.0.1"),
            shut: ["127.0.0.2", "127.0.0.1", "::1"].map(Place::at),
        }
    }

    /// A session that may reach what is allowed by host and port.
    pub(crate) fn session(&self) -> Fixture {
        let fixture = Fixture::new(self.engine.clone());
        let allow = [&self.home, &self.open].map(|place| place.address.to_string().parse().unwrap()).into();
        Fixture { options: SessionOptions { allow, ..fixture.options.clone() }, ..fixture }
    }

    /// A page of the home with this markup.
    pub(crate) fn page(&self, markup: &str) -> String {
        self.home.url(&format!("/as/{}/{}", hex("text/html"), hex(markup)))
    }

    /// How often something was blocked in the session.
    pub(crate) fn blocked(&self, s: &Fixture) -> u64 {
        let all = self.engine.traffic();
        all.iter().find(|(name, _)| *name == s.name).map_or(0, |(_, counts)| counts.blocked)
    }

    #[track_caller]
    pub(crate) fn nobody_came(&self, after: &str) {
        for place in &self.shut {
            assert_eq!(place.came(), (0, 0), "{} was reached after {after}", place.address);
        }
    }

    pub(crate) async fn end(self) {
        self.engine.close(Front::Library).await;
        self.nobody_came("the end");
    }
}
