//! One toolset, or the verbs, by all fronts: how a page is set up for an attempt, how the attempt is made, and what came of it.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use super::{
    expected::Setup,
    generate::Attempt,
    traces::{PROBE, Traces, files, of_answer, of_files, of_report, of_requests},
    values::THINGS,
    ways::{Said, Way},
    world::world,
};
use crate::{process::eventually, support::Home};

/// Settings that hold for all: nobody answers, and is not waited for long.
pub(super) const SETTINGS: &str = "approval_timeout = '50ms'\nnanobot_enabled = true\nnanobot_open = true\n";

/// Agents' scripts may do all that the rules before this one do not deny.
const SCRIPTS: &str = "[[policy]]\neffect = 'execute'\ndecide = 'allow'\n";

/// What was attempted, and what it was in.
pub(super) struct Round {
    pub way: usize,
    pub page: String,
    pub said: Said,
    /// What there was to see at once. The page may have been used by others before, but nothing had come of that.
    pub at_once: Traces,
    /// The page was no longer there afterwards, or could not say so.
    pub is_gone: bool,
}

pub(super) struct Lane<'a> {
    home: &'a Home,
    set: &'static str,
    pub ways: Vec<Way<'a>>,
    seats: Vec<Seat>,
    /// What files and answers showed so far, by page.
    found: BTreeMap<String, Traces>,
    /// What pages said of themselves after attempts.
    said: BTreeMap<String, Traces>,
    /// How pages were when they were set up, and how often that asked for them.
    before: BTreeMap<String, (Value, usize)>,
}

/// A session by one of the fronts.
#[derive(Default)]
struct Seat {
    page: Option<Shown>,
    /// The session is not as a new one would be.
    is_worn: bool,
}

/// The page that a seat is at, as nobody has done anything to it.
struct Shown {
    id: String,
    setup: Setup,
    focus: &'static str,
    before: Value,
}

impl<'a> Lane<'a> {
    pub(super) fn new(home: &'a Home, set: &'static str, ways: Vec<Way<'a>>) -> Lane<'a> {
        let seats = ways.iter().map(|_| Seat::default()).collect();
        Lane {
            home,
            set,
            ways,
            seats,
            found: BTreeMap::new(),
            said: BTreeMap::new(),
            before: BTreeMap::new(),
        }
    }

    /// Makes an attempt under these rules. Its page is a new one, unless nothing has happened to the last.
    #[track_caller]
    pub(super) fn attempt(&mut self, way: usize, attempt: &Attempt, setup: Setup, rules: &str) -> Round {
        let focus = match setup {
            Setup::Focus => THINGS[attempt.number % THINGS.len()].id,
            _ => "field",
        };
        self.set_up(way, setup, focus);
        let page = self.seats[way].page.as_ref().map(|page| page.id.clone()).unwrap();
        let folder = self.ways[way].folder(self.home, self.set);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("probe.txt"), PROBE).unwrap();
        fs::write(folder.join("state.json"), state()).unwrap();
        let args = attempt
            .args
            .to_string()
            .replace("{base}", &world().base(&page))
            .replace("{dir}", folder.to_str().unwrap());
        let args: Value = serde_json::from_str(&args).unwrap();
        self.rules(rules);
        let (set, tool) = attempt.tool();
        let said = self.ways[way].call(self.home, set, tool, &args);
        let is_gone = self.look(way, &said);
        let at_once = self.traces(&page);
        Round { way, page, said, at_once, is_gone }
    }

    /// What came of all attempts in a page.
    pub(super) fn traces(&self, page: &str) -> Traces {
        let (before, visits) = &self.before[page];
        let mut traces = of_requests(&world().seen(page), before, *visits);
        for found in [&self.found, &self.said] {
            traces.extend(found.get(page).into_iter().flatten());
        }
        traces
    }

    /// Whether the page of the last attempt by a front is to be another one.
    pub(super) fn leave_page(&mut self, way: usize) {
        self.seats[way].page = None;
    }

    /// The same, and the session as well.
    pub(super) fn leave_session(&mut self, way: usize) {
        self.seats[way] = Seat { page: None, is_worn: true };
    }

    /// Whether the pages of the last attempts by all fronts are to be others.
    pub(super) fn leave_pages(&mut self) {
        self.seats.iter_mut().for_each(|seat| seat.page = None);
    }

    /// Waits until nothing more can come of what was attempted: every browser shows a new page, and no file is under way.
    #[track_caller]
    pub(super) fn settle(&mut self) {
        self.leave_pages();
        for way in 0..self.ways.len() {
            self.set_up(way, Setup::Plain, "field");
        }
        let incoming = self.home.path().join("incoming");
        eventually("what was under way is kept or gone", || files(&incoming).is_empty());
        self.look_at_files();
        self.leave_pages();
    }

    fn look_at_files(&mut self) {
        let folders = ["downloads", "states", "screenshots", "files"].map(|name| self.home.path().join(name));
        of_files(&folders, &mut self.found);
    }

    fn rules(&self, rules: &str) {
        self.home.configure(&format!("{SETTINGS}{rules}{SCRIPTS}"));
    }

    /// Looks at what has happened to the page and in the files, and whether the next attempt can use the same page. Returns whether it is gone.
    fn look(&mut self, way: usize, said: &Said) -> bool {
        let page = self.seats[way].page.as_ref().unwrap();
        let is_held_up = page.setup == Setup::Dialog;
        let is_choosing = page.setup == Setup::Chooser;
        let (id, before) = (page.id.clone(), page.before.clone());
        // A page that is shown once more need not be asked for, and one that nothing was done to is still there.
        let is_there = page.setup == Setup::History || !said.ok;
        of_answer(&said.text, &mut self.found);
        self.look_at_files();
        if is_held_up {
            self.leave_session(way);
            return false;
        }
        world().until_loaded(&id, is_there);
        let reports = world().reports(&id);
        let traces = self.said.entry(id.clone()).or_default();
        for report in &reports {
            traces.extend(of_report(&before, report));
        }
        let is_same = |report: &Value| ["kept", "settings"].iter().all(|name| report[name] == before[name]);
        self.seats[way].is_worn |= reports.len() != 1 || !reports.iter().all(is_same);
        let is_untouched = reports.len() == 1 && reports[0] == before && !is_choosing;
        if !is_untouched || !self.traces(&id).is_empty() {
            self.seats[way].page = None;
        }
        reports.is_empty()
    }

    /// Shows a page of this kind, with all that is needed for it allowed.
    #[track_caller]
    fn set_up(&mut self, way: usize, setup: Setup, focus: &'static str) {
        let seat = &self.seats[way];
        if seat.page.as_ref().is_some_and(|page| (page.setup, page.focus) == (setup, focus)) {
            return;
        }
        self.rules("");
        if seat.is_worn {
            self.own(way, "close", "");
        }
        let id = world().new_page();
        let at = |path: &str| format!("{}/attack?focus={focus}{path}", world().base(&id));
        if setup == Setup::History {
            self.own(way, "open", &at("&1"));
            self.own(way, "open", &at("&2"));
            self.own(way, "open", &at("&3"));
            self.own(way, "back", "");
        } else {
            self.own(way, "open", &at(""));
        }
        world().until_shown(&id);
        if setup == Setup::Chooser {
            self.own(way, "click", "css=#upload");
        }
        let mut reports = world().reports(&id);
        let is_first =
            |report: &Value| setup != Setup::History || report["path"].as_str().unwrap().ends_with("&2");
        reports.retain(is_first);
        let before = reports.pop().unwrap_or_else(|| panic!("{id} is not there"));
        let visits = world().seen(&id).iter().filter(|seen| seen.path.starts_with("attack")).count();
        self.before.insert(id.clone(), (before.clone(), visits));
        if setup == Setup::Dialog {
            world().ask(&id);
            // Nothing else tells when the browser has heard of it.
            eventually("a dialog is open", || self.own_call(way, "look", "").1.text.contains("DIALOG_OPEN"));
        }
        self.seats[way] = Seat { page: Some(Shown { id, setup, focus, before }), is_worn: false };
    }

    /// Does something for the test itself.
    #[track_caller]
    fn own(&self, way: usize, what: &str, to: &str) {
        let (args, said) = self.own_call(way, what, to);
        assert!(said.ok || what == "close", "{what} {args}: {}", said.text);
    }

    fn own_call(&self, way: usize, what: &str, to: &str) -> (Value, Said) {
        let (set, tool, args) = match (self.set, what) {
            ("openclaw", "open") => ("openclaw", "browser", json!({"action": "navigate", "targetUrl": to})),
            ("openclaw", "click") => {
                ("openclaw", "browser", json!({"action": "act", "kind": "click", "ref": to}))
            }
            ("openclaw", "look") => ("openclaw", "browser", json!({"action": "snapshot"})),
            ("openclaw", _) => ("openclaw", "browser", json!({"action": "stop"})),
            (_, "open") => ("browser", "browser_navigate", json!({"url": to})),
            (_, "back") => ("browser", "browser_navigate_back", json!({})),
            (_, "click") => ("browser", "browser_click", json!({"target": to})),
            (_, "look") => ("browser", "browser_snapshot", json!({})),
            _ => ("browser", "browser_close", json!({})),
        };
        let said = self.ways[way].call(self.home, set, tool, &args);
        (args, said)
    }
}

/// Cookies as they are saved, one of which no page has.
fn state() -> String {
    json!({"cookies": [{"name": "planted", "value": "from-a-state", "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": false,
        "secure": false, "sameSite": "Lax"}], "origins": []})
    .to_string()
}
