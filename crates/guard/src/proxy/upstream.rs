//! The proxy that users are behind, where they are behind one: over HTTP (`CONNECT`, RFC 9110, 9.3.6) or SOCKS5 (RFC 1928, RFC 1929).

use std::{fmt, io, net::IpAddr, str::FromStr};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use contract::{Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::{Host, Url};

/// The longest answer to a `CONNECT` that is read.
const LONGEST_HEAD: usize = 16 * 1024;

/// How it is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `http://`: it is given the address that was checked.
    Http,
    /// `http+names://`: it is given names, as browsers do, looks them up itself, and is trusted to judge where they lead.
    HttpNames,
    /// `socks5://`: it is given the address that was checked.
    Socks5,
    /// `socks5h://`: it is given names and looks them up itself.
    Socks5Names,
}

impl Kind {
    /// Whether it is given names, which it looks up itself.
    pub(crate) fn is_given_names(self) -> bool {
        matches!(self, Kind::HttpNames | Kind::Socks5Names)
    }

    fn is_http(self) -> bool {
        matches!(self, Kind::Http | Kind::HttpNames)
    }
}

/// A proxy that everything public goes through. What it prints has no credentials in it.
///
/// We look names up first, check what we find, and have the proxy connect to that address: `http://` by `CONNECT`, for plain HTTP as well.
/// A proxy that is given names looks them up again, and where it then connects to cannot be checked from here; nor can names be that nobody
/// tells us the address of. So `http+names://` and `socks5h://` say that whoever runs webhand trusts the proxy to judge. Places that are not public, but allowed, are connected to directly: they are on
/// this side of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Upstream {
    kind: Kind,
    host: Host,
    port: u16,
    credentials: Option<(String, String)>,
}

impl FromStr for Upstream {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // The text may have a password in it, so no error repeats it.
        let bad = || {
            Error::invalid("this is not the address of a proxy")
                .with_hint("write http://HOST:PORT or socks5://HOST:PORT, with USER:PASSWORD@ before the host if it wants them")
        };
        let url = Url::parse(text).map_err(|_| bad())?;
        let (kind, default_port) = match url.scheme() {
            "http" => (Kind::Http, 80),
            "http+names" => (Kind::HttpNames, 80),
            "socks5" => (Kind::Socks5, 1080),
            "socks5h" => (Kind::Socks5Names, 1080),
            _ => return Err(bad()),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(bad());
        }
        // Only schemes of the web have their hosts read as numbers; it means the same for all of these.
        let host = crate::domains::host(url.host_str().unwrap_or_default()).ok_or_else(bad)?;
        let decoded = |text: &str| {
            let decoded = percent_encoding::percent_decode_str(text).decode_utf8().map_err(|_| bad())?;
            // SOCKS5 has one byte for the length.
            if decoded.len() > 255 || decoded.contains(char::is_control) {
                Err(bad())
            } else {
                Ok(decoded.into_owned())
            }
        };
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => Some((decoded(user)?, decoded(password.unwrap_or_default())?)),
        };
        if credentials.as_ref().is_some_and(|(user, _)| kind.is_http() && user.contains(':')) {
            return Err(bad());
        }
        Ok(Upstream { kind, host, port: url.port().unwrap_or(default_port), credentials })
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.kind {
            Kind::Http => "http",
            Kind::HttpNames => "http+names",
            Kind::Socks5 => "socks5",
            Kind::Socks5Names => "socks5h",
        };
        let mask = if self.credentials.is_some() { "***@" } else { "" };
        write!(f, "{scheme}://{mask}{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upstream({self})")
    }
}

/// Where it is to connect to.
pub(crate) enum Goal<'a> {
    Name(&'a str),
    Address(IpAddr),
}

impl Upstream {
    /// How it is spoken to.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// What `Proxy-Authorization` says.
    pub(crate) fn authorization(&self) -> Option<String> {
        let (user, password) = self.credentials.as_ref()?;
        Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
    }

    /// Has it connect to the goal; from then on the stream is that connection.
    pub(crate) async fn tunnel<S>(&self, stream: &mut S, goal: Goal<'_>, port: u16) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        match self.kind {
            Kind::Http | Kind::HttpNames => self.connect(stream, &goal, port).await,
            Kind::Socks5 | Kind::Socks5Names => self.socks(stream, &goal, port).await,
        }
    }

    async fn connect<S>(&self, stream: &mut S, goal: &Goal<'_>, port: u16) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let host = match goal {
            Goal::Name(name) => (*name).to_owned(),
            Goal::Address(IpAddr::V4(address)) => address.to_string(),
            Goal::Address(IpAddr::V6(address)) => format!("[{address}]"),
        };
        let authorization =
            self.authorization().map(|it| format!("Proxy-Authorization: {it}\r\n")).unwrap_or_default();
        let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{authorization}\r\n");
        stream.write_all(request.as_bytes()).await?;
        stream.flush().await?;
        // Byte by byte, since whatever follows the head belongs to the tunnel.
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() == LONGEST_HEAD {
                return Err(failed("its answer does not end"));
            }
            head.push(stream.read_u8().await?);
        }
        let status = head.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u16>().ok());
        match status.filter(|_| head.starts_with(b"HTTP/1.")) {
            Some(200..=299) => Ok(()),
            Some(407) => Err(failed("it wants other credentials (407)")),
            Some(status) => Err(failed(format!("it answered {status}"))),
            None => Err(failed("it does not speak HTTP")),
        }
    }

    async fn socks<S>(&self, stream: &mut S, goal: &Goal<'_>, port: u16) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        const NO_AUTHENTICATION: u8 = 0;
        const USER_AND_PASSWORD: u8 = 2;
        let methods: &[u8] = match self.credentials {
            Some(_) => &[5, 2, NO_AUTHENTICATION, USER_AND_PASSWORD],
            None => &[5, 1, NO_AUTHENTICATION],
        };
        stream.write_all(methods).await?;
        let mut chosen = [0; 2];
        stream.read_exact(&mut chosen).await?;
        match (chosen, &self.credentials) {
            ([5, NO_AUTHENTICATION], _) => {}
            ([5, USER_AND_PASSWORD], Some((user, password))) => {
                let mut message = vec![1, user.len() as u8];
                message.extend_from_slice(user.as_bytes());
                message.push(password.len() as u8);
                message.extend_from_slice(password.as_bytes());
                stream.write_all(&message).await?;
                let mut verdict = [0; 2];
                stream.read_exact(&mut verdict).await?;
                if verdict[1] != 0 {
                    return Err(failed("it wants other credentials"));
                }
            }
            ([5, _], _) => return Err(failed("it wants credentials of another kind")),
            _ => return Err(failed("it does not speak SOCKS5")),
        }
        let mut request = vec![5, 1, 0];
        match goal {
            Goal::Address(IpAddr::V4(address)) => {
                request.push(1);
                request.extend_from_slice(&address.octets());
            }
            Goal::Address(IpAddr::V6(address)) => {
                request.push(4);
                request.extend_from_slice(&address.octets());
            }
            Goal::Name(name) => {
                let length = u8::try_from(name.len()).map_err(|_| failed("the name is too long for it"))?;
                request.extend_from_slice(&[3, length]);
                request.extend_from_slice(name.as_bytes());
            }
        }
        request.extend_from_slice(&port.to_be_bytes());
        stream.write_all(&request).await?;
        let mut reply = [0; 4];
        stream.read_exact(&mut reply).await?;
        if reply[0] != 5 {
            return Err(failed("it does not speak SOCKS5"));
        }
        if reply[1] != 0 {
            return Err(failed(match reply[1] {
                2 => "its rules forbid this",
                3 => "the network cannot be reached from it",
                4 => "the host cannot be reached from it",
                5 => "the connection was refused",
                _ => "it could not connect",
            }));
        }
        // The address that it connected from, of which nobody needs to know.
        let length = match reply[3] {
            1 => 4,
            4 => 16,
            3 => usize::from(stream.read_u8().await?),
            _ => return Err(failed("it does not speak SOCKS5")),
        };
        let mut rest = vec![0; length + 2];
        stream.read_exact(&mut rest).await.map(|_| ())
    }
}

fn failed(words: impl Into<String>) -> io::Error {
    io::Error::other(words.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_prints_has_no_password() {
        for (text, printed) in [
            ("http://proxy.corp:3128", "http://proxy.corp:3128"),
            ("http://me:hunter2@proxy.corp:3128/", "http://***@proxy.corp:3128"),
            ("socks5://[::1]", "socks5://[::1]:1080"),
            ("socks5h://me:hunter2@127.1:9050", "socks5h://***@127.0.0.1:9050"),
            ("http://10.0.0.1", "http://10.0.0.1:80"),
            ("http+names://me:hunter2@10.1:3128", "http+names://***@10.0.0.1:3128"),
        ] {
            let upstream: Upstream = text.parse().unwrap();
            assert_eq!(upstream.to_string(), printed);
            assert_eq!(format!("{upstream:?}"), format!("Upstream({printed})"));
        }
    }

    #[test]
    fn what_is_no_proxy_is_refused_without_repeating_it() {
        for text in [
            "",
            "proxy:3128",
            "https://me:hunter2@proxy",
            "ftp://me:hunter2@x",
            "http://me:hunter2@proxy/path",
            "socks5://me:hunter2@",
            "http://a%3ab:hunter2@x",
            "http+names://a%3ab:hunter2@x",
            "http://a:hunter2%0a@x",
            "http://me:hunter2@x?y",
        ] {
            let error = text.parse::<Upstream>().unwrap_err();
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
    }

    #[test]
    fn credentials_are_decoded() {
        let upstream: Upstream = "http://me%40corp:p%3Aw@x".parse().unwrap();
        assert_eq!(upstream.authorization().unwrap(), format!("Basic {}", STANDARD.encode("me@corp:p:w")));
    }
}
