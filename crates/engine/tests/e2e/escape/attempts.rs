//! Ways by which a page can make a browser connect to somewhere. `{to}` is where, `{ws}` the same as a websocket, `{host}` its host and
//! port, `{home}` where the page itself is from; `{js …}` and `{css …}` are files of the page's own site with those contents.

use super::world::{encode, hex};

/// One way.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub name: &'static str,
    page: &'static str,
    /// Whether it gets somewhere if it is allowed. What does not is switched off, whatever is allowed, or sends no request.
    pub arrives: bool,
}

const fn arrives(name: &'static str, page: &'static str) -> Attempt {
    Attempt { name, page, arrives: true }
}

const fn never(name: &'static str, page: &'static str) -> Attempt {
    Attempt { name, page, arrives: false }
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    // Going there.
    arrives("meta-refresh", "<meta http-equiv=refresh content='0;url={to}'>"),
    arrives("location", "<script>location = '{to}'</script>"),
    arrives("location-replace", "<script>onload = () => location.replace('{to}')</script>"),
    arrives("navigation-api", "<script>onload = () => navigation.navigate('{to}')</script>"),
    arrives("form-get", "<form action='{to}'></form><script>document.forms[0].submit()</script>"),
    arrives(
        "form-post",
        "<form action='{to}' method=post><input name=a value=b></form><script>document.forms[0].submit()</script>",
    ),
    arrives(
        "form-redirected",
        "<form action='{home}/go/307?to={to%}' method=post></form><script>document.forms[0].submit()</script>",
    ),
    arrives("download", "<a download href='{to}'>x</a><script>document.querySelector('a').click()</script>"),
    arrives("popup", "<script>open('{to}')</script>"),
    arrives("popup-noopener", "<script>open('{to}', '', 'noopener')</script>"),
    arrives("popup-later", "<script>const it = open('about:blank'); it.location = '{to}'</script>"),
    arrives(
        "popup-redirected",
        "<a target=_blank href='{home}/go/302?to={to%}'>x</a><script>document.querySelector('a').click()</script>",
    ),
    never("view-source", "<script>open('view-source:{to}')</script>"),
    // Parts of the page.
    arrives("iframe", "<iframe src='{to}'></iframe>"),
    arrives("iframe-srcdoc", "<iframe srcdoc=\"<img src='{to}'>\"></iframe>"),
    arrives("iframe-sandbox", "<iframe sandbox='allow-scripts' srcdoc=\"<script>fetch('{to}')</script>\"></iframe>"),
    arrives("iframe-redirected", "<iframe src='{home}/go/301?to={to%}'></iframe>"),
    arrives("frameset", "<frameset><frame src='{to}'></frameset>"),
    arrives("img", "<img src='{to}'>"),
    arrives("img-srcset", "<img srcset='{to} 1x'>"),
    arrives("img-redirected", "<img src='{home}/go/308?to={to%}'>"),
    arrives("input-image", "<input type=image src='{to}'>"),
    arrives("svg-image", "<svg><image href='{to}'/></svg>"),
    arrives("object", "<object data='{to}'></object>"),
    arrives("embed", "<embed src='{to}'>"),
    arrives("video", "<video src='{to}' preload=auto></video>"),
    arrives("audio", "<audio src='{to}' preload=auto></audio>"),
    arrives("poster", "<video poster='{to}'></video>"),
    arrives("track", "<video crossorigin><track default src='{to}'></video><script>document.querySelector('video').textTracks[0].mode = 'showing'</script>"),
    arrives("script", "<script src='{to}'></script>"),
    arrives("module", "<script type=module>import '{to}'</script>"),
    arrives("import", "<script>import('{to}')</script>"),
    arrives("stylesheet", "<link rel=stylesheet href='{to}'>"),
    arrives("css-import", "<style>@import '{to}';</style>"),
    arrives("css-import-deep", "<link rel=stylesheet href='{css @import \"{to}\";}'>"),
    arrives("background", "<style>body { background: url('{to}') }</style><p>x</p>"),
    arrives("font", "<style>@font-face { font-family: f; src: url('{to}') } p { font-family: f }</style><p>text</p>"),
    arrives("mask", "<style>p { mask-image: url('{to}') }</style><p>text</p>"),
    // Asking.
    arrives("fetch", "<script>fetch('{to}')</script>"),
    arrives("fetch-no-cors", "<script>fetch('{to}', {mode: 'no-cors'})</script>"),
    arrives("fetch-post", "<script>fetch('{to}', {method: 'POST', body: 'x', headers: {'x-a': 'b'}})</script>"),
    arrives("fetch-keepalive", "<script>fetch('{to}', {keepalive: true, mode: 'no-cors'})</script>"),
    arrives("fetch-redirected", "<script>fetch('{home}/go/303?to={to%}')</script>"),
    arrives("xhr", "<script>const x = new XMLHttpRequest; x.open('GET', '{to}'); x.send()</script>"),
    arrives("websocket", "<script>new WebSocket('{ws}')</script>"),
    arrives("event-source", "<script>new EventSource('{to}')</script>"),
    arrives("beacon", "<script>navigator.sendBeacon('{to}', 'x')</script>"),
    arrives("ping", "<a ping='{to}' href='#x'>x</a><script>document.querySelector('a').click()</script>"),
    arrives("worker", "<script>new Worker('{js fetch(\"{to}\")}')</script>"),
    arrives("worker-import", "<script>new Worker('{js importScripts(\"{to}\")}')</script>"),
    arrives("worker-blob", "<script>new Worker(URL.createObjectURL(new Blob(['fetch(\"{to}\")'])))</script>"),
    arrives("worker-socket", "<script>new Worker('{js new WebSocket(\"{ws}\")}')</script>"),
    arrives("shared-worker", "<script>new SharedWorker('{js fetch(\"{to}\")}')</script>"),
    arrives(
        "service-worker",
        "<script>navigator.serviceWorker.register('{js fetch(\"{to}\")}', {scope: '/as/'})</script>",
    ),
    arrives(
        "service-worker-import",
        "<script>navigator.serviceWorker.register('{js importScripts(\"{to}\")}', {scope: '/as/'})</script>",
    ),
    arrives("worklet", "<script>CSS.paintWorklet.addModule('{to}')</script>"),
    // Preparing, reporting.
    arrives("prefetch", "<link rel=prefetch href='{to}'>"),
    arrives("preload", "<link rel=preload as=fetch crossorigin href='{to}'>"),
    arrives("modulepreload", "<link rel=modulepreload href='{to}'>"),
    never("preconnect", "<link rel=preconnect href='{to}'>"),
    never("dns-prefetch", "<link rel=dns-prefetch href='{to}'>"),
    never("manifest", "<link rel=manifest href='{to}'>"),
    never("icon", "<link rel=icon href='{to}'>"),
    never("prerender", "<script type=speculationrules>{\"prerender\": [{\"urls\": [\"{to}\"], \"eagerness\": \"immediate\"}]}</script>"),
    never("speculation", "<script type=speculationrules>{\"prefetch\": [{\"urls\": [\"{to}\"], \"eagerness\": \"immediate\"}]}</script>"),
    arrives("csp-report", "{with content-security-policy: img-src 'none'; report-uri {to}}<img src=x>"),
    never("reporting", "{with reporting-endpoints: a=\"{to}\", default=\"{to}\"}<script>navigator.vibrate(1)</script>"),
    // Past the web altogether.
    never(
        "stun",
        "<script>const c = new RTCPeerConnection({iceServers: [{urls: 'stun:{host}'}]}); c.createDataChannel('x');
         c.createOffer().then(o => c.setLocalDescription(o)); c.onicegatheringstatechange = () => document.title = c.iceGatheringState</script>",
    ),
    never(
        "turn-udp",
        "<script>const c = new RTCPeerConnection({iceServers: [{urls: 'turn:{host}?transport=udp', username: 'a', credential: 'b'}]});
         c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o))</script>",
    ),
    never(
        "turn-tcp",
        "<script>const c = new RTCPeerConnection({iceTransportPolicy: 'relay',
         iceServers: [{urls: ['turn:{host}?transport=tcp', 'turns:{host}'], username: 'a', credential: 'b'}]});
         c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o))</script>",
    ),
    never(
        "ice-candidate",
        "<script>const [a, b] = [new RTCPeerConnection, new RTCPeerConnection]; a.createDataChannel('x');
         (async () => { await a.setLocalDescription(await a.createOffer()); await b.setRemoteDescription(a.localDescription);
           await b.setLocalDescription(await b.createAnswer()); await a.setRemoteDescription(b.localDescription);
           const [, host, port] = '{host}'.match(/^\\[?(.*?)\\]?:(\\d+)$/);
           for (const kind of ['udp', 'tcp']) await a.addIceCandidate({sdpMid: '0',
             candidate: `candidate:1 1 ${kind} 2122260223 ${host} ${port} typ host` + (kind == 'tcp' ? ' tcptype passive' : '')}); })()</script>",
    ),
    never("webtransport", "<script>new WebTransport('https://{host}/x').ready.catch(() => {})</script>"),
];

impl Attempt {
    /// Whether it is a tab that goes there, the page's own if it is not in a frame.
    pub(crate) fn moves_tabs(&self, is_in_frame: bool) -> bool {
        let goes = ["meta-refresh", "location", "navigation-api", "form-"];
        self.name.starts_with("popup") || !is_in_frame && goes.iter().any(|word| self.name.starts_with(word))
    }

    /// The page that tries it: where it is, below the home's address.
    pub(crate) fn path(&self, home: &str, to: &str) -> String {
        let (header, page) = self.page(home, to);
        path_of(header.as_deref(), &page)
    }

    /// The page that tries it: what its server has to say beside it, and its markup.
    pub(crate) fn page(&self, home: &str, to: &str) -> (Option<String>, String) {
        let host = to.split('/').nth(2).unwrap_or_default();
        let page = self.page.replace("{home}", home).replace("{to%}", &encode(to)).replace("{to}", to);
        let page = page.replace("{ws}", &to.replacen("http", "ws", 1)).replace("{host}", host);
        let file = |page: String, mark: &str, kind: &str| match page.split_once(mark) {
            None => page,
            Some((before, rest)) => {
                // The braces of the contents are the last ones before the quotation mark that ends the address.
                let (contents, after) = rest.split_once("}'").unwrap();
                format!("{before}{home}/as/{}/{}'{after}", hex(kind), hex(contents))
            }
        };
        let page = file(file(page, "{js ", "text/javascript"), "{css ", "text/css");
        match page.strip_prefix("{with ").and_then(|page| page.split_once('}')) {
            Some((header, page)) => (Some(header.into()), page.into()),
            None => (None, page),
        }
    }
}

/// Where a page with this markup is, below the home's address.
pub(crate) fn path_of(header: Option<&str>, page: &str) -> String {
    match header {
        Some(header) => format!("/with/{}/{}", hex(header), hex(page)),
        None => format!("/as/{}/{}", hex("text/html"), hex(page)),
    }
}
