//! A real browser behind the proxy: what pages may have arrives, and what they may not have never sees them.

use std::{process::Stdio, sync::Arc};

use guard::proxy::Proxy;
use tokio::{process::Command, sync::mpsc, time::timeout};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::support::*;

const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><title>page</title><body><script>
const picture = src => new Promise(tell => {
  const image = new Image();
  image.onload = () => tell('ok');
  image.onerror = () => tell('no');
  image.src = src;
});
const data = url => fetch(url).then(async answer => (await answer.text()).slice(0, 4), () => 'no');
const socket = url => new Promise(tell => {
  const socket = new WebSocket(url);
  socket.onmessage = event => tell(event.data);
  socket.onerror = () => tell('no');
});
const frame = src => new Promise(tell => {
  const frame = document.createElement('iframe');
  addEventListener('message', event => event.source === frame.contentWindow && tell(event.data));
  // A frame that was blocked has no script to speak for it; those of the site speak before they are loaded.
  frame.onload = () => setTimeout(() => tell('no'), 500);
  frame.src = src;
  document.body.append(frame);
});
(async () => {
  const evil = 'evil.test:EVIL';
  const all = await Promise.all([
    picture('/picture'), data('/data'), frame('/frame'), socket(`ws://${location.host}/socket`),
    data('http://other.test:PORT/data'),
    picture(`http://${evil}/`), picture('/redirect'), picture('http://localhost:EVIL/'), picture('http://127.3:EVIL/'),
    picture('http://[::ffff:127.0.0.3]:EVIL/'), picture(`https://${evil}/`),
    data(`http://${evil}/`), data('/redirect'), frame(`http://${evil}/`), frame('/redirect'),
    socket(`ws://${evil}/`), socket(`wss://${evil}/`),
  ]);
  fetch('/report?' + all.join(','));
})();
</script>"#;

async fn serve(mut wire: Wire, evil: u16, reports: mpsc::UnboundedSender<String>) {
    while let Some(request) = wire.request().await {
        let path = request.head.split(' ').nth(1).unwrap().to_owned();
        let port = wire.stream.local_addr().unwrap().port().to_string();
        let page = PAGE.replace("EVIL", &evil.to_string()).replace("PORT", &port);
        let (head, body) = match path.as_str() {
            "/" => ("200 OK\r\nContent-Type: text/html".to_owned(), page),
            "/picture" => (
                "200 OK\r\nContent-Type: image/svg+xml".into(),
                "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".into(),
            ),
            "/data" => ("200 OK\r\nAccess-Control-Allow-Origin: *".into(), "data".into()),
            "/frame" => (
                "200 OK\r\nContent-Type: text/html".into(),
                "<script>parent.postMessage('ok', '*')</script>".into(),
            ),
            "/redirect" => (format!("302 Found\r\nLocation: http://evil.test:{evil}/"), String::new()),
            "/socket" => {
                let accept = derive_accept_key(request.header("sec-websocket-key").unwrap().as_bytes());
                wire.say(format!(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                     Sec-WebSocket-Accept: {accept}\r\n\r\n"
                ))
                .await;
                wire.say(b"\x81\x02hi").await;
                continue;
            }
            path => {
                if let Some(report) = path.strip_prefix("/report?") {
                    reports.send(report.to_owned()).unwrap();
                }
                ("404 Not Found".into(), String::new())
            }
        };
        wire.say(format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
    }
}

#[tokio::test]
async fn a_browser_gets_what_it_may_have_and_nothing_else() {
    let evil = Server::at(([127, 0, 0, 3], 0), echo).await;
    let (reports, mut reported) = mpsc::unbounded_channel();
    let evil_port = evil.port();
    let site = Server::new(move |wire| serve(wire, evil_port, reports.clone())).await;
    let mut setup = setup(&["site.test", "other.test"]);
    setup.resolver = Told::new(&["site.test = 127.0.0.1", "other.test = 127.0.0.1", "evil.test = 127.0.0.3"]);
    let proxy = Arc::new(Proxy::start_with(setup).await.unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Command::new(testkit::browser())
        .args(["--headless=new", "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-gpu"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--proxy-bypass-list=<-loopback>",
        ])
        .arg(format!("--proxy-server=http://{}", proxy.address()))
        .arg(format!("--user-data-dir={}", folder.path().display()))
        .arg(format!("http://site.test:{}/", site.port()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let report = timeout(LONG * 3, reported.recv()).await.expect("the page reports").unwrap();
    browser.kill().await.unwrap();
    assert_eq!(report, "ok,data,ok,hi,data,no,no,no,no,no,no,no,no,no,no,no,no");
    assert_eq!(evil.connections(), 0);
    assert!(proxy.counts().blocked >= 12, "{:?}", proxy.counts());
    assert!(proxy.counts().tunnels >= 1, "the socket came as a tunnel");
}
