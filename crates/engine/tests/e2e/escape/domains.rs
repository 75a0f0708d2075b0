//! Lists of domains: where tabs may go, what pages may use, what nothing may connect to.

use contract::Code;
use engine::{
    SessionOptions,
    actions::{Click, Tabs},
};
use guard::Domains;

use super::{
    everywhere::until,
    world::{Place, World, encode, hex},
};
use crate::support::{Fixture, code, goto, runtime};

fn list(domains: &[&str]) -> Option<Domains> {
    Some(Domains(domains.iter().map(|text| text.parse().unwrap()).collect()))
}

/// Places that are allowed as far as addresses go: `home.localhost`, and everything else on the computer.
fn session(world: &World, change: impl FnOnce(&mut SessionOptions)) -> Fixture {
    let s = world.session();
    let mut options = s.options.clone();
    options.allow = vec!["127.0.0.0/8".parse().unwrap()];
    change(&mut options);
    Fixture { options, ..s }
}

fn on(place: &Place, host: &str, path: &str) -> String {
    format!("http://{host}:{}{path}", place.address.port())
}

fn page(world: &World, markup: &str) -> String {
    on(&world.home, "home.localhost", &format!("/as/{}/{}", hex("text/html"), hex(markup)))
}

#[test]
fn tabs_stay_where_they_may_be_and_pages_use_what_they_like() {
    let world = World::new();
    runtime().block_on(async {
        let s = session(&world, |options| options.allowed_domains = list(&["home.localhost"]));
        let away = |path: &str| on(&world.open, "away.localhost", path);
        assert_eq!(code(s.perform(goto(&away("/by-address"))).await), Code::NavigationBlocked);
        let redirect =
            on(&world.home, "home.localhost", &format!("/go/302?to={}", encode(&away("/redirected"))));
        let error = s.perform(goto(&redirect)).await.unwrap_err();
        assert_eq!(error.code, Code::NavigationBlocked);
        assert!(error.message.contains("away.localhost"), "{error}");
        for (name, markup) in [
            ("link", "<a href='{to}'>Go</a>"),
            ("form", "<form action='{to}'><button>Go</button></form>"),
            ("post", "<form action='{to}' method=post><button>Go</button></form>"),
            ("script", "<button onclick=\"location = '{to}'\">Go</button>"),
            ("popup", "<button onclick=\"window.open('{to}')\">Go</button>"),
            ("noopener", "<a target=_blank rel=noopener href='{to}'>Go</a>"),
            (
                "later",
                "<button onclick=\"const it = window.open('about:blank'); it.location = '{to}'\">Go</button>",
            ),
            (
                "frame-top",
                "<iframe srcdoc=\"<script>top.location = '{to}'</script>\"></iframe><button>Go</button>",
            ),
        ] {
            let markup = markup.replace("{to}", &away(&format!("/{name}")));
            let _ = s.perform(goto(&page(&world, &markup))).await;
            let mut told = match s.perform(Click::new("Go".parse().unwrap())).await {
                Ok(outcome) => outcome.notes.join("\n"),
                // It was gone already, to a page that is not there.
                Err(error) => error.to_string(),
            };
            // Windows go their own way, and the next outcome tells what became of them.
            for _ in 0..1_000 {
                if told.contains("not among the domains") {
                    break;
                }
                told += &s.perform(Tabs::default()).await.unwrap().notes.join("\n");
            }
            assert!(!world.open.has_seen(&format!("/{name}")), "{name} arrived");
            assert!(told.contains("not among the domains that may be gone to"), "{name}: {told}");
        }
        // Frames and pictures are parts of a page.
        let parts = format!("<iframe src='{}'></iframe><img src='{}'>", away("/frame"), away("/picture"));
        let outcome = s.perform(goto(&page(&world, &parts))).await.unwrap();
        assert_eq!(outcome.notes, [] as [&str; 0]);
        until(&s, "the parts did not arrive", || {
            world.open.has_seen("/frame") && world.open.has_seen("/picture")
        })
        .await;
        for name in [
            "/by-address",
            "/redirected",
            "/link",
            "/form",
            "/post",
            "/script",
            "/popup",
            "/noopener",
            "/later",
        ] {
            assert!(!world.open.has_seen(name), "{name}");
        }
        assert!(!world.open.has_seen("/frame-top"));
        s.close().await;
        world.end().await;
    });
}

#[test]
fn pages_use_only_what_is_listed() {
    let world = World::new();
    runtime().block_on(async {
        let s = session(&world, |options| {
            options.allowed_domains = list(&["home.localhost"]);
            options.resource_domains = list(&["*.parts.localhost"]);
        });
        let (part, away) = (
            |path: &str| on(&world.open, "a.parts.localhost", path),
            |path: &str| on(&world.open, "away.localhost", path),
        );
        let markup = format!(
            "<img src='{}'><img src='{}'><iframe src='{}'></iframe>",
            part("/listed"),
            away("/unlisted"),
            away("/unlisted-frame")
        );
        let outcome = s.perform(goto(&page(&world, &markup))).await.unwrap();
        until(&s, "what is listed did not arrive", || world.open.has_seen("/listed")).await;
        until(&s, "what is not listed was not stopped", || world.blocked(&s) >= 2).await;
        assert!(
            outcome.notes.iter().any(|note| note.contains("not among the domains")),
            "{:?}",
            outcome.notes
        );
        assert_eq!(code(s.perform(goto(&part("/gone-to"))).await), Code::NavigationBlocked);
        assert!(!world.open.has_seen("/unlisted") && !world.open.has_seen("/gone-to"));
        s.close().await;
        world.end().await;
    });
}

#[test]
fn what_is_blocked_is_blocked_for_everything() {
    let world = World::new();
    runtime().block_on(async {
        let s =
            session(&world, |options| options.blocked_domains = list(&["*.bad.localhost", "bad.localhost"]));
        let bad = |path: &str| on(&world.open, "ads.bad.localhost", path);
        assert_eq!(code(s.perform(goto(&bad("/page"))).await), Code::NavigationBlocked);
        let markup =
            format!("<img src='{}'><img src='{}'>", bad("/picture"), on(&world.open, "ok.localhost", "/ok"));
        s.perform(goto(&page(&world, &markup))).await.unwrap();
        until(&s, "it was not stopped", || world.blocked(&s) >= 1 && world.open.has_seen("/ok")).await;
        assert!(!world.open.has_seen("/page") && !world.open.has_seen("/picture"));
        s.close().await;
        world.end().await;
    });
}
