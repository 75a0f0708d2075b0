//! Other ways to write a forbidden place, and names that lead to one.

use std::{
    io,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use contract::Code;
use engine::actions::{Download, Open};
use futures_util::future::BoxFuture;
use guard::proxy::Resolve;

use super::{
    everywhere::until,
    world::{Place, World},
};
use crate::support::{self, Fixture, code, eval, goto, runtime};

#[test]
fn no_spelling_gets_there() {
    let world = World::new();
    let [other, port, six] = world.shut.clone().map(|place| place.address.port());
    let spelled = [
        format!("http://127.2:{other}/"),
        format!("http://127.0.2:{other}/"),
        format!("http://0x7f000002:{other}/"),
        format!("http://0X7F.0.0.2:{other}/"),
        format!("http://2130706434:{other}/"),
        format!("http://0177.0.0.2:{other}/"),
        format!("http://017700000002:{other}/"),
        format!("http://127.0.0.2.:{other}/"),
        format!("http://127.0.0.2:0{other}/"),
        format!("http:\\\\127.0.0.2:{other}\\"),
        format!("http://[::ffff:127.0.0.2]:{other}/"),
        format!("http://[::ffff:7f00:2]:{other}/"),
        format!("http://[0:0:0:0:0:ffff:127.0.0.2]:{other}/"),
        format!("http://①②⑦.⓪.⓪.②:{other}/"),
        format!("http://127。0。0。2:{other}/"),
        format!("http://%31%32%37.0.0.2:{other}/"),
        format!("http://localhost:{port}/"),
        format!("http://LOCALHOST:{port}/"),
        format!("http://localhost.:{port}/"),
        format!("http://any.localhost:{port}/"),
        format!("http://ⓛocalhost:{port}/"),
        format!("http://127.0.0.1:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        format!("http://0:{port}/"),
        format!("http://[::1]:{six}/"),
        format!("http://[0:0:0:0:0:0:0:1]:{six}/"),
        format!("http://[::]:{six}/"),
        format!("https://127.0.0.2:{other}/"),
        format!("https://[::1]:{six}/"),
    ];
    runtime().block_on(async {
        let s = world.session();
        for address in &spelled {
            // Asked for by the caller, it is refused before any browser sees it.
            assert_eq!(code(s.perform(goto(address)).await), Code::NavigationBlocked, "{address}");
            let download = Download { url: Some(address.as_str().into()), ..Download::default() };
            assert_eq!(code(s.perform(download).await), Code::NavigationBlocked, "{address}");
        }
        s.open(&world.page("<p>home</p>")).await;
        for address in &spelled {
            let before = world.blocked(&s);
            let ask =
                format!("void fetch({}, {{mode: 'no-cors'}}).catch(() => 0)", serde_json::json!(address));
            s.perform(eval(&ask)).await.unwrap();
            until(&s, &format!("{address} was not stopped"), || world.blocked(&s) > before).await;
            world.nobody_came(address);
        }
        s.close().await;
        world.end().await;
    });
}

/// A name that leads to the first of these places the first time, to the second one the second time, and then to both.
struct Rebinding {
    asked: AtomicUsize,
    answers: [Vec<IpAddr>; 3],
}

impl Resolve for Rebinding {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { Ok(self.answers[turn.min(2)].clone()) })
    }
}

#[test]
fn a_name_that_leads_elsewhere_the_second_time_leads_nowhere() {
    let good = Place::at("127.0.0.1");
    let port = good.address.port();
    let bad = Place::on("127.0.0.2", port);
    let [one, two] = [good.address.ip(), bad.address.ip()];
    let resolver =
        Arc::new(Rebinding { asked: AtomicUsize::new(0), answers: [vec![one], vec![two], vec![one, two]] });
    let engine = support::new_engine(|config| {
        config.allow = vec![good.address.to_string().parse().unwrap()];
        config.resolver = resolver.clone();
    });
    let address = format!("http://rebinding.example:{port}/page");
    runtime().block_on(async {
        // Each session looks names up for itself.
        for turn in 0..4 {
            let s = Fixture::new(engine.clone());
            let open = Open { url: Some(address.as_str().into()), ..Open::default() };
            let opened = s.perform(open).await;
            match turn {
                0 => assert_eq!(opened.unwrap().status, Some(200)),
                _ => {
                    let error = opened.unwrap_err();
                    assert_eq!(error.code, Code::NavigationBlocked, "{error}");
                    assert!(error.message.contains("leads to 127.0.0.2"), "{error}");
                }
            }
            // What was found once is not asked for again while a page is there; where it leads is checked each time.
            let again = s.perform(goto(&address)).await;
            assert_eq!(again.is_ok(), turn == 0);
            s.close().await;
        }
        assert_eq!(resolver.asked.load(Ordering::Relaxed), 4);
        assert_eq!(bad.came(), (0, 0));
        assert!(good.has_seen("/page"));
        engine.close(engine::Front::Library).await;
    });
}
