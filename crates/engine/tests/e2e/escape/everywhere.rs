//! Every attempt, in every kind of session of our own, before and after the browser has died.

use std::time::{Duration, Instant};

use engine::{SessionOptions, actions::Tabs};

use super::{
    attempts::ATTEMPTS,
    world::{Place, World, hex},
};
use crate::support::{Fixture, eval, goto, runtime};

/// Far beyond what any attempt takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for something that the browser does in its own time.
pub(crate) async fn until(s: &Fixture, what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        // It has had time for that much by then, whether it can answer or not.
        let _ = s.perform(eval("0")).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Makes all attempts on a place that is not allowed: each must be seen to be made and to be stopped.
async fn try_all(world: &World, s: &Fixture, shut: &Place) {
    for attempt in ATTEMPTS {
        let path = attempt.path(&world.home.url(""), &shut.url(&format!("/{}", attempt.name)));
        let before = world.blocked(s);
        // Some are navigations of the page itself, which fail.
        let _ = s.perform(goto(&world.home.url(&path))).await;
        if attempt.arrives {
            until(s, &format!("{} was not stopped", attempt.name), || world.blocked(s) > before).await;
        }
        world.nobody_came(attempt.name);
    }
}

/// Makes all attempts on a place that is allowed: all that can arrive do.
async fn arrive_all(world: &World, s: &Fixture) {
    for attempt in ATTEMPTS.iter().filter(|attempt| attempt.arrives) {
        let wanted = format!("/{}", attempt.name);
        let path = attempt.path(&world.home.url(""), &world.open.url(&wanted));
        let _ = s.perform(goto(&world.home.url(&path))).await;
        until(s, &format!("{} did not arrive", attempt.name), || world.open.has_seen(&wanted)).await;
    }
}

#[test]
fn what_is_allowed_arrives() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        arrive_all(&world, &s).await;
        s.close().await;
        world.end().await;
    });
}

#[test]
fn nothing_gets_out_of_a_session() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        try_all(&world, &s, &world.shut[0]).await;
        s.close().await;
        // The next one has what the browser kept ready for it.
        let next = world.session();
        try_all(&world, &next, &world.shut[2]).await;
        next.close().await;
        world.end().await;
    });
}

/// Ends the browser of the session as a crash would, and comes back in a new one.
async fn restart(s: &Fixture) {
    let browser = s.engine.list().into_iter().find(|info| info.session == s.name).unwrap().browser.unwrap();
    let process = rustix::process::Pid::from_raw(browser.pid.unwrap().cast_signed()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    let came_back = |s: &Fixture| {
        let info = s.engine.list().into_iter().find(|info| info.session == s.name).unwrap();
        info.browser.is_some_and(|now| now.pid != browser.pid)
    };
    while !came_back(s) {
        let _ = s.perform(Tabs::default()).await;
    }
}

#[test]
fn nothing_gets_out_after_a_restart() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        s.open(&world.page("<p>before</p>")).await;
        restart(&s).await;
        try_all(&world, &s, &world.shut[1]).await;
        s.close().await;
        world.end().await;
    });
}

#[test]
fn nothing_gets_out_of_a_profile_neither_before_nor_after_a_restart() {
    let world = World::new();
    runtime().block_on(async {
        let s = world.session();
        let profile = Some("work".parse().unwrap());
        let s = Fixture { options: SessionOptions { profile, ..s.options.clone() }, ..s };
        s.open(&world.page("<p>before</p>")).await;
        try_all(&world, &s, &world.shut[0]).await;
        restart(&s).await;
        // Another place: a service worker that the profile has already would not be started anew.
        try_all(&world, &s, &world.shut[1]).await;
        s.close().await;
        world.end().await;
    });
}

/// Pages and workers that ask all the time, up to the end: when closing is over, so is all that they asked for.
#[test]
fn nothing_gets_out_of_a_session_that_was_closed() {
    let world = World::new();
    let asks = format!(
        "const ask = () => fetch('{}').finally(ask); for (let n = 0; n < 4; n++) ask()",
        world.open.url("/")
    );
    let worker = world.home.url(&format!("/as/{}/{}", hex("text/javascript"), hex(&asks)));
    let page =
        world.page(&format!("<script>new SharedWorker('{worker}'); new Worker('{worker}'); {asks}</script>"));
    runtime().block_on(async {
        for round in 0..10 {
            let s = world.session();
            let profile = (round % 5 == 4).then(|| "work".parse().unwrap());
            let s = Fixture { options: SessionOptions { profile, ..s.options.clone() }, ..s };
            s.open(&page).await;
            until(&s, "much is asked for", || world.open.came().0 > 20).await;
            s.close().await;
            world.open.take();
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_eq!(world.open.came().0, 0, "in round {round}");
        }
        world.end().await;
    });
}
