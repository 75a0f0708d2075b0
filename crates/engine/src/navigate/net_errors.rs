//! What to do about a page that could not be loaded, by the browser's own name for the error (`net::ERR_…`).

/// The hint for a net error; none for those that the hint of the code fits.
pub(crate) fn hint(net_error: &str) -> Option<&'static str> {
    let name = net_error.strip_prefix("net::ERR_")?;
    Some(match name {
        "NAME_NOT_RESOLVED" | "NAME_RESOLUTION_FAILED" => {
            "no server is known by this name; check its spelling, and that this machine can look names up"
        }
        "CONNECTION_RESET" | "CONNECTION_CLOSED" | "CONNECTION_ABORTED" | "EMPTY_RESPONSE" => {
            "the server ended the connection without an answer; try again, and check that the address and port are those of a web server"
        }
        "TOO_MANY_REDIRECTS" => {
            "the server redirects without an end, often for want of a cookie; start at the site's home page, or clear its cookies"
        }
        "INVALID_AUTH_CREDENTIALS" | "MISSING_AUTH_CREDENTIALS" | "UNSUPPORTED_AUTH_SCHEME" => {
            "the server asks for a user name and password (HTTP authentication); have a header Authorization sent, or use another address"
        }
        "HTTP_RESPONSE_CODE_FAILURE" => {
            "the server answered with an error status and no page; look at the status in the list of requests"
        }
        "CONNECTION_TIMED_OUT" | "TIMED_OUT" => {
            "the server does not answer; check the address and port, or try again later"
        }
        "INTERNET_DISCONNECTED" => {
            "there is no network; if the session was set offline, `webhand emulate --offline=false` ends that"
        }
        "ADDRESS_UNREACHABLE" | "NETWORK_CHANGED" | "NETWORK_ACCESS_DENIED" => {
            "there is no way from this machine to that address; check the address and the network"
        }
        "CACHE_MISS" => {
            "the page came of a form that was sent, and the browser kept no copy; go to where the form is and send it again"
        }
        "ABORTED" => "the browser called it off; wait for what the page is doing, then try again",
        name if name.starts_with("CERT_") || name.starts_with("CERTIFICATE_") => {
            "the browser does not trust the server's certificate; check the name in the address, or have the certificate renewed or trusted on this machine"
        }
        name if name.starts_with("SSL_") || name.starts_with("BAD_SSL_") => {
            "the server does not speak HTTPS as it should; check the port, or use http:// if that is what it speaks"
        }
        name if name.starts_with("INVALID_")
            || name.starts_with("RESPONSE_HEADERS_")
            || name.starts_with("HTTP2_")
            || name.starts_with("CONTENT_")
            || name.starts_with("INCOMPLETE_") =>
        {
            "what answered does not speak HTTP as a web server does; check the port, and whether it wants http:// or https://"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_the_hint_that_fits() {
        for (error, word) in [
            ("net::ERR_CERT_AUTHORITY_INVALID", "certificate"),
            ("net::ERR_CERT_COMMON_NAME_INVALID", "certificate"),
            ("net::ERR_SSL_PROTOCOL_ERROR", "HTTPS"),
            ("net::ERR_NAME_NOT_RESOLVED", "name"),
            ("net::ERR_EMPTY_RESPONSE", "without an answer"),
            ("net::ERR_CONNECTION_RESET", "without an answer"),
            ("net::ERR_INTERNET_DISCONNECTED", "offline"),
            ("net::ERR_TOO_MANY_REDIRECTS", "redirects"),
            ("net::ERR_INVALID_AUTH_CREDENTIALS", "password"),
            ("net::ERR_INVALID_RESPONSE", "HTTP"),
            ("net::ERR_INVALID_HTTP_RESPONSE", "HTTP"),
        ] {
            assert!(hint(error).is_some_and(|hint| hint.contains(word)), "{error}: {:?}", hint(error));
        }
        assert_eq!(hint("net::ERR_CONNECTION_REFUSED"), None, "the code's own hint is about that");
        assert_eq!(hint("the browser gave no reason"), None);
    }
}
