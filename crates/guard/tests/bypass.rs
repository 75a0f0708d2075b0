//! Ways around the rules that have been tried on other programs, and some of our own: `bypass/table.txt`. Each is decided as the
//! browser would take it, name servers included, which the table plays itself.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that panics has failed, which is the point")]

use std::{collections::HashMap, net::IpAddr};

use guard::{Allow, Domains, Places, Purpose, Whereabouts, check_address};
use url::Url;

const TABLE: &str = include_str!("bypass/table.txt");

/// Where names lead that the table does not know.
const ELSEWHERE: &str = "93.184.216.34";

#[derive(Default)]
struct Table<'a> {
    names: HashMap<&'a str, Vec<IpAddr>>,
    places: Places,
    purpose: Option<Purpose>,
}

impl<'a> Table<'a> {
    fn policy(&mut self, line: &'a str) {
        self.places = Places::default();
        for word in line.split_whitespace() {
            let (key, list) = word.split_once('=').unwrap_or((word, ""));
            let list: Vec<String> = list.split(',').map(str::to_owned).collect();
            let domains = || Domains::read(&list).unwrap();
            match key {
                "tab" => self.purpose = Some(Purpose::Navigation),
                "page" => self.purpose = Some(Purpose::Resource),
                "allow" => self.places.allow = list.iter().map(|it| it.parse::<Allow>().unwrap()).collect(),
                "go" => self.places.allowed_domains = Some(domains()),
                "use" => self.places.resource_domains = Some(domains()),
                "block" => self.places.blocked_domains = domains(),
                other => panic!("{other}"),
            }
        }
    }

    fn name(&mut self, line: &'a str) {
        let (name, addresses) = line.split_once('=').unwrap();
        let addresses = addresses.split_whitespace().map(|it| it.parse().unwrap());
        self.names.insert(name.trim(), addresses.collect());
    }

    fn decide(&self, written: &str) -> String {
        let Ok(url) = Url::parse(written) else { return "invalid".into() };
        let judged = self.places.check_url(&url, self.purpose.unwrap()).and_then(|place| {
            let Some(place) = place else { return Ok("none".to_owned()) };
            let addresses = match place.whereabouts() {
                Whereabouts::Known(addresses) => addresses,
                Whereabouts::Ask(name) => {
                    self.names.get(&*name).cloned().unwrap_or_else(|| vec![ELSEWHERE.parse().unwrap()])
                }
            };
            self.places.check_addresses(&place, &addresses).map(|_| "ok".to_owned())
        });
        judged.unwrap_or_else(|refusal| {
            let (text, hint) = (refusal.to_string(), refusal.hint());
            assert!(!format!("{text} {hint}").contains("hunter2"), "{written:?}: {text} {hint}");
            assert!(hint.starts_with(char::is_lowercase), "{hint}");
            refusal.reason.word().to_owned()
        })
    }
}

/// `\u{…}` stands for a character that would not be seen in the table.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').unwrap();
        whole.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        whole.push_str(rest);
    }
    whole
}

#[test]
fn every_attempt_is_decided_right() {
    let mut table = Table::default();
    let (mut attempts, mut wrong) = (0, Vec::new());
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(' ').unwrap() {
            ("policy", rest) => table.policy(rest),
            ("name", rest) => table.name(rest),
            (wanted, url) => {
                let url = unescaped(url.trim());
                let decided = table.decide(&url);
                attempts += 1;
                if decided != wanted {
                    wrong.push(format!("{url:?}: {decided}, not {wanted}"));
                }
                // What callers may open is never more than what tabs may; a scheme that was left out is there by then.
                let opened = check_address(&url.as_str().into());
                let opened = opened.ok().filter(|opened| opened.as_str() != "about:blank");
                if let (Some(Purpose::Navigation), Some(opened)) = (table.purpose, opened) {
                    let decided = table.decide(opened.as_str());
                    assert!(
                        !matches!(decided.as_str(), "scheme" | "user-info" | "invalid" | "none"),
                        "{url}"
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {attempts} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(attempts >= 300, "only {attempts}");
}
