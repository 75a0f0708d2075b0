//! Who may come in: requests for this server by name, from no foreign page, with the token.
//!
//! A page in the user's own browser can send requests to a server on the same machine, and by giving its own name our address (DNS
//! rebinding) even read the answers. It can choose neither the Host nor the Origin that the browser sends.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, header, uri::Authority},
    middleware::Next,
    response::Response,
};
use contract::{Code, Error};

use crate::{
    dry_run,
    http::{
        App,
        agents::{Asker, bearer},
        reply,
    },
};

/// The names of this machine that no stranger can own.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// What needs no token.
const OPEN: &str = "/healthz";

/// The header with the approvers' token, beside the agents' own in `Authorization`: the request is made for a person.
const APPROVER: &str = "x-webhand-approver";

/// In the extensions of a request that has the approvers' token as well.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FromPerson;

/// The names under which the server may be asked.
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    pub(crate) fn new(listen: SocketAddr, more: &[String]) -> Hosts {
        let listened = Some(listen.ip()).filter(|ip| !ip.is_unspecified()).map(|ip| ip.to_string());
        let names = LOOPBACK.iter().map(|&name| name.to_owned()).chain(listened);
        Hosts(names.chain(more.iter().map(|name| plain(name))).collect())
    }

    fn knows(&self, authority: &str) -> bool {
        // A port that is forwarded from elsewhere is another than ours.
        authority.parse::<Authority>().is_ok_and(|authority| {
            !authority.as_str().contains('@') && self.0.contains(&plain(authority.host()))
        })
    }

    /// Refuses what is meant for somebody else or comes from a foreign page.
    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), &'static str> {
        let text = |name| headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect();
        let hosts: Vec<&str> = text(header::HOST);
        let [host] = &*hosts else { return Err("the request has not one Host") };
        let named = uri.authority().map_or(*host, Authority::as_str);
        if !self.knows(host) || !self.knows(named) {
            return Err("the Host is not one of this server's names");
        }
        let origins: Vec<&str> = text(header::ORIGIN);
        let same = |origin: &str| {
            origin.split_once("://").is_some_and(|(scheme, authority)| {
                matches!(scheme, "http" | "https") && authority.eq_ignore_ascii_case(host)
            })
        };
        if origins.iter().all(|origin| same(origin)) {
            Ok(())
        } else {
            Err("the request comes from a foreign page")
        }
    }
}

fn plain(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase()
}

/// Lets a request in or answers it.
pub(crate) async fn pass(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    if let Err(reason) = app.hosts.check(request.uri(), request.headers()) {
        let error = Error::new(Code::ActionDenied, reason)
            .with_hint("ask for http://127.0.0.1 and the port; `--hosts NAME` adds further names");
        return reply::error(StatusCode::FORBIDDEN, error);
    }
    let path = request.uri().path();
    if path == OPEN {
        return next.run(request).await;
    }
    // Who answers approvals may see what waits and what happens, and nothing else.
    let is_approvers = path == "/v1/events" || path.starts_with("/v1/approvals");
    let asker = app.agents.asker(request.headers());
    let asker = asker.filter(|asker| matches!(asker, Asker::Agent(_)) || is_approvers);
    let Some(asker) = asker else {
        let error = Error::new(Code::ActionDenied, "the token is missing, wrong or revoked").with_hint(format!(
            "send `Authorization: Bearer TOKEN`; the person who runs webhand has it in {}, and makes others with `webhand tokens add`",
            app.tools.home.token().display()
        ));
        let mut response = reply::error(StatusCode::UNAUTHORIZED, error);
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer realm=\"webhand\""));
        return response;
    };
    if let Some(agent) = asker.named()
        && is_for_all(path)
    {
        let error = Error::new(Code::ActionDenied, format!("{path} is not for the token of {}", agent.name))
            .with_hint("it is about all agents; the person who runs webhand has the token for it");
        return reply::error(StatusCode::FORBIDDEN, error);
    }
    let proofs: Vec<_> = request.headers().get_all(APPROVER).iter().collect();
    match *proofs {
        [] => {}
        [proof] if app.agents.is_approvers(proof.as_bytes()) => {
            request.extensions_mut().insert(FromPerson);
        }
        // Who sends one wants to be known as a person's, and would wonder why it is not.
        _ => {
            let message = format!("the token in {APPROVER} is not the approvers'");
            let error = Error::new(Code::ActionDenied, message).with_hint(format!(
                "send what is in {}, or leave the header out",
                app.tools.home.approver_token().display()
            ));
            return reply::error(StatusCode::UNAUTHORIZED, error);
        }
    }
    // Only tools have dry runs. What is asked for as one, and has none, is not done instead.
    let may_be_dry = request.method() == Method::GET || request.uri().path().starts_with("/v1/tools/");
    if !may_be_dry && let Err(error) = dry_run::refuse_in(request.uri().query()) {
        return reply::error(StatusCode::BAD_REQUEST, error);
    }
    let token = bearer(request.headers()).unwrap_or_default().to_vec();
    request.extensions_mut().insert(asker);
    let response = next.run(request).await;
    let is_long =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    if is_long { app.agents.until_revoked(&token, response) } else { response }
}

/// Whether something is about all agents at once, so that none of those with a token of their own may have it.
fn is_for_all(path: &str) -> bool {
    path == "/metrics" || path.starts_with("/v1/host/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_refused() {
        let hosts = Hosts::new("127.0.0.1:4820".parse().unwrap(), &["Box.Example".into()]);
        let check = |pairs: &[(&str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(name.parse::<header::HeaderName>().unwrap(), value.parse().unwrap());
            }
            hosts.check(&Uri::from_static("/v1/tools"), &headers).is_ok()
        };
        for host in ["127.0.0.1:4820", "localhost:9", "LOCALHOST", "[::1]:4820", "box.example", "localhost."]
        {
            assert!(check(&[("host", host)]), "{host}");
        }
        for host in
            ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "127.0.0.2", "a b"]
        {
            assert!(!check(&[("host", host)]), "{host}");
        }
        assert!(!check(&[]));
        assert!(!check(&[("host", "localhost"), ("host", "evil.example")]));
        assert!(check(&[("host", "localhost:1"), ("origin", "http://localhost:1")]));
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost:2",
            "http://localhost:1.evil.example",
            "file://",
        ] {
            assert!(!check(&[("host", "localhost:1"), ("origin", origin)]), "{origin}");
        }
    }
}
