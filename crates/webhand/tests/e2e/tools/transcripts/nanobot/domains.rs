//! The domains that may be gone to and looked at, and no others.

use serde_json::json;
use testkit::Site;

use super::{TOOL, click, done, failed, fine, go, look, nanobot, shows, start};
use crate::tools::transcript::{Answer, Transcript, World};

/// The page is not to be seen: a code, and nothing of what is on it.
fn hidden(secret: &'static str) -> impl Fn(&Answer) {
    move |answer| {
        failed("NAVIGATION_BLOCKED")(answer);
        answer.holds("/error/message", &["localhost is not among the domains", "what is on it is not told"]);
        let message = answer.value["error"].to_string();
        assert!(!message.contains(secret), "{message}");
        assert!(
            answer.value["data"].as_object().is_some_and(|data| data.keys().eq(["url"])),
            "{}",
            answer.value
        );
    }
}

/// Nothing of the page was asked for.
fn never_asked(site: &'static Site, path: &'static str) -> impl Fn(&Answer) {
    move |answer| {
        failed("NAVIGATION_BLOCKED")(answer);
        assert_eq!(site.hits(path), 0, "{path}");
    }
}

pub(crate) fn only_allowed_domains(world: &World) -> Transcript {
    let (site, port) = (world.site, world.site.port());
    let other = |path: &str| site.on("localhost", path);
    let secret = site.on("localhost", "/page?title=secret");
    let links =
        format!("<a href='{secret}'>Away</a> <button onclick=\"location = '{secret}'\">Go away</button>");
    let home = site.page("home", &links);
    start(json!({"allowedDomains": ["127.0.0.1"]}))
        .call(TOOL, go(&home), done(fine))
        .call(TOOL, go(&other("/page?nanobot=1")), never_asked(site, "/page?nanobot=1"))
        .call(
            TOOL,
            go(&format!("http://127.0.0.1:x@localhost:{port}/page?nanobot=2")),
            never_asked(site, "/page?nanobot=2"),
        )
        .call(
            TOOL,
            go(&format!("http://LOCALHOST.:{port}/page?nanobot=3")),
            never_asked(site, "/page?nanobot=3"),
        )
        .call(
            TOOL,
            go(&format!("http://localhost:{port}/page?nanobot=4#127.0.0.1")),
            never_asked(site, "/page?nanobot=4"),
        )
        .call(
            TOOL,
            json!({"action": "download", "url": other("/download?nanobot=5")}),
            never_asked(site, "/download?nanobot=5"),
        )
        .call(TOOL, go("file:///etc/passwd"), failed("NAVIGATION_BLOCKED"))
        .call(TOOL, look(), shows("Away"))
        // Another spelling of the same host.
        .call(
            TOOL,
            go(&format!("http://127.1:{port}/page?title=same")),
            done(|data| assert_eq!(data["title"], "same")),
        )
        // Pages go elsewhere by themselves.
        .call(TOOL, go(&site.url(&format!("/redirect?to={}", secret.replace('?', "%3F")))), hidden("secret"))
        .call(TOOL, look(), hidden("secret"))
        .call(TOOL, click("h1"), hidden("secret"))
        .call(TOOL, json!({"action": "type", "selector": "x", "text": "correct horse"}), hidden("horse"))
        .call(TOOL, json!({"action": "wait", "text": "secret"}), hidden("h1"))
        .call(TOOL, go(&home), done(fine))
        .call(TOOL, click("Away"), hidden("title"))
        .call(TOOL, go(&home), done(fine))
        .call(TOOL, click("Go away"), hidden("title"))
        .call(TOOL, go(&home), done(fine))
        // It leaves while it is waited for, and the wait fails.
        .call(
            TOOL,
            go(&site
                .page("leaves", &format!("<script>setTimeout(() => location = '{secret}', 2500)</script>"))),
            done(fine),
        )
        .call(TOOL, json!({"action": "wait", "text": "never there", "timeout": 6000}), hidden("never"))
        .call(TOOL, go(&home), done(fine))
        .call(TOOL, look(), shows("Away"))
}

pub(crate) fn a_file_from_elsewhere(world: &World) -> Transcript {
    let link =
        format!("<a href='{}'>File</a>", world.site.on("localhost", "/download?name=x.txt&nanobot=11"));
    start(json!({"allowedDomains": ["127.0.0.1"]}))
        .call(TOOL, go(&world.site.page("home", &link)), done(fine))
        // It is not even asked for.
        .call(
            TOOL,
            json!({"action": "download", "selector": "File"}),
            never_asked(world.site, "/download?name=x.txt&nanobot=11"),
        )
}

pub(crate) fn no_domain_at_all(world: &World) -> Transcript {
    let site = world.site;
    start(json!({"allowedDomains": []}))
        .call(TOOL, go(&site.url("/page?nanobot=none")), never_asked(site, "/page?nanobot=none"))
        .call(TOOL, look(), done(fine))
}

pub(crate) fn domains_below_a_domain(world: &World) -> Transcript {
    let site = world.site;
    start(json!({"allowedDomains": ["*.LOCALHOST"]}))
        .call(TOOL, go(&site.on("a.localhost", "/page?title=a")), done(fine))
        .call(TOOL, go(&site.on("b.a.localhost", "/page?title=b")), done(fine))
        .call(TOOL, go(&site.on("localhost", "/page?nanobot=6")), never_asked(site, "/page?nanobot=6"))
        .call(TOOL, go(&site.url("/page?nanobot=7")), never_asked(site, "/page?nanobot=7"))
}

pub(crate) fn domains_that_are_set(world: &World) -> Transcript {
    let site = world.site;
    start(json!({"allowedDomains": ["localhost", "127.0.0.1"]}))
        .with("allowed-domains", "127.0.0.1,a.localhost")
        .call(
            TOOL,
            json!({"action": "start", "allowedDomains": ["*"]}),
            done(|data| {
                assert_eq!(
                    (&data["browser"], &data["allowedDomains"]),
                    (&json!("already_running"), &json!(["127.0.0.1"]))
                );
            }),
        )
        .call(TOOL, go(&site.on("localhost", "/page?nanobot=8")), never_asked(site, "/page?nanobot=8"))
        .call(TOOL, go(&site.url("/page?title=x")), done(fine))
        .call(
            TOOL,
            json!({"action": "start"}),
            done(|data| assert_eq!(data["browser"], "already_running", "{data}")),
        )
        .call(
            TOOL,
            json!({"action": "start", "allowedDomains": ["localhost"]}),
            done(|data| {
                assert_eq!(data["allowedDomains"], json!([]), "asking for more than is set gives nothing");
            }),
        )
        .call(TOOL, go(&site.url("/page?nanobot=9")), never_asked(site, "/page?nanobot=9"))
}

/// Starting again, with or without a list, never gives more than the session was narrowed to; nor does stopping it first.
pub(crate) fn narrowed_stays_narrowed(world: &World) -> Transcript {
    let site = world.site;
    let again = |args| json!({"action": "start", "allowedDomains": args});
    let only = |browser: &'static str, domains: &'static [&'static str]| {
        done(move |data| {
            assert_eq!(
                (&data["browser"], &data["allowedDomains"]),
                (&json!(browser), &json!(domains)),
                "{data}"
            );
        })
    };
    let blocked = || go(&site.on("localhost", "/page?nanobot=12"));
    start(json!({"allowedDomains": ["127.0.0.1", "a.localhost"]}))
        .call(TOOL, json!({"action": "start"}), only("already_running", &["127.0.0.1", "a.localhost"]))
        .call(TOOL, blocked(), never_asked(site, "/page?nanobot=12"))
        .call(TOOL, again(json!(["*"])), only("already_running", &["127.0.0.1", "a.localhost"]))
        .call(TOOL, json!({"action": "stop"}), done(fine))
        .call(TOOL, json!({"action": "start"}), only("started", &["127.0.0.1", "a.localhost"]))
        .call(TOOL, blocked(), never_asked(site, "/page?nanobot=12"))
        .call(TOOL, go(&site.url("/page?title=x")), done(fine))
        .call(TOOL, again(json!(["127.0.0.1", "localhost"])), only("restarted", &["127.0.0.1"]))
        .call(TOOL, blocked(), never_asked(site, "/page?nanobot=12"))
        .call(TOOL, go(&site.url("/page?title=x")), done(fine))
}

/// Whatever the model says.
pub(crate) fn no_list_of_the_operator(world: &World) -> Transcript {
    let site = world.site;
    nanobot()
        .call(
            TOOL,
            json!({"action": "start", "allowedDomains": ["127.0.0.1"]}),
            done(|data| assert_eq!(data["allowedDomains"], json!([]), "{data}")),
        )
        .call(TOOL, go(&site.url("/page?nanobot=13")), never_asked(site, "/page?nanobot=13"))
        .call(
            TOOL,
            json!({"action": "download", "url": site.url("/download?nanobot=14")}),
            never_asked(site, "/download?nanobot=14"),
        )
}

pub(crate) fn open_without_a_list(world: &World) -> Transcript {
    nanobot()
        .with("nanobot-open", "true")
        .call(TOOL, json!({"action": "start"}), done(|data| assert_eq!(data["allowedDomains"], json!(null))))
        .call(TOOL, go(&world.site.url("/page?title=x")), done(fine))
}

pub(crate) fn switched_off(_: &World) -> Transcript {
    let mut transcript = nanobot().with("nanobot-enabled", "false").with("allowed-domains", "*");
    for action in ["start", "stop", "snapshot", "wait"] {
        transcript = transcript.call(TOOL, json!({"action": action}), failed("UNSUPPORTED"));
    }
    transcript
}

/// The session was started by somebody else and is at localhost.
pub(crate) fn a_session_of_somebody_else(world: &World) -> Transcript {
    let site = world.site;
    nanobot()
        .with("allowed-domains", "127.0.0.1")
        .call(TOOL, look(), hidden("theirs"))
        .call(TOOL, go(&site.on("localhost", "/page?nanobot=10")), never_asked(site, "/page?nanobot=10"))
        .call(TOOL, go(&site.url("/page?title=ours")), done(fine))
        .call(TOOL, look(), shows("ours"))
}

pub(crate) fn domains_that_cannot_be_read(world: &World) -> Transcript {
    nanobot()
        .with("allowed-domains", "https://x.com")
        .call(TOOL, json!({"action": "start"}), failed("INVALID_INPUT"))
        .call(TOOL, go(&world.site.url("/page")), failed("INVALID_INPUT"))
}
