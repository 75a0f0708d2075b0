//! Several actions of one call as one outcome, so that nothing that happened on the way is lost.

use contract::{Cut, Delta, Outcome};

/// What came of two actions, one after the other. Where the tab is, the later one knows.
pub(super) fn merged(earlier: Outcome, later: Outcome) -> Outcome {
    // A later look at a whole page shows what changed before, too.
    let unchanged = earlier.unchanged && later.unchanged;
    let (snapshot, delta) = match (later.snapshot, later.delta) {
        (Some(snapshot), delta) => (Some(snapshot), delta),
        (None, delta) => (earlier.snapshot, both(earlier.delta, delta)),
    };
    let mut notes = earlier.notes;
    for note in later.notes {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Outcome {
        session: later.session,
        tab: later.tab.or(earlier.tab),
        url: later.url.or(earlier.url),
        title: later.title.or(earlier.title),
        status: later.status.or(earlier.status),
        navigation: later.navigation.or(earlier.navigation),
        target: later.target.or(earlier.target),
        typed: later.typed.or(earlier.typed),
        scrolled: later.scrolled.or(earlier.scrolled),
        candidates: [earlier.candidates, later.candidates].concat(),
        steps: [earlier.steps, later.steps].concat(),
        value: later.value.or(earlier.value),
        snapshot,
        delta,
        content: later.content.or(earlier.content),
        tabs: later.tabs.or(earlier.tabs),
        frames: later.frames.or(earlier.frames),
        labels: [earlier.labels, later.labels].concat(),
        opened: [earlier.opened, later.opened].concat(),
        dialog: later.dialog.or(earlier.dialog),
        downloads: [earlier.downloads, later.downloads].concat(),
        console: [earlier.console, later.console].concat(),
        requests: [earlier.requests, later.requests].concat(),
        recovered: earlier.recovered || later.recovered,
        healed: later.healed.or(earlier.healed),
        plan: later.plan.or(earlier.plan),
        notes,
        unchanged,
        left: earlier.left || later.left,
        place: later.place.or(earlier.place),
        screenshot: later.screenshot.or(earlier.screenshot),
    }
}

/// The changes of both, in their order.
fn both(earlier: Option<Delta>, later: Option<Delta>) -> Option<Delta> {
    let (earlier, later) = match (earlier, later) {
        (Some(earlier), Some(later)) => (earlier, later),
        (earlier, later) => return later.or(earlier),
    };
    let whole = |delta: &Delta| {
        let all = delta.text.chars().count() as u64;
        delta.cut.unwrap_or(Cut { shown: all, of: all })
    };
    let is_cut = earlier.cut.is_some() || later.cut.is_some();
    let (one, other) = (whole(&earlier), whole(&later));
    let texts = [&*earlier.text, &*later.text].map(str::trim_end);
    let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    Some(Delta {
        text: texts.join("\n"),
        appeared: [earlier.appeared, later.appeared].concat(),
        changed: [earlier.changed, later.changed].concat(),
        went: [earlier.went, later.went].concat(),
        cut: is_cut.then_some(Cut { shown: one.shown + other.shown, of: one.of + other.of }),
    })
}

#[cfg(test)]
mod tests {
    use contract::{Navigation, NavigationKind, Snapshot};

    use super::*;

    fn changed(text: &str) -> Outcome {
        Outcome { delta: Some(Delta { text: text.into(), ..Delta::default() }), ..Outcome::default() }
    }

    #[test]
    fn nothing_on_the_way_is_lost() {
        let console = |text: &str| contract::ConsoleMessage { text: text.into(), ..Default::default() };
        let navigation = Navigation { kind: NavigationKind::SameDocument, redirects: Vec::new() };
        let earlier = Outcome {
            url: Some("http://host/old".into()),
            navigation: Some(navigation.clone()),
            console: vec![console("first")],
            notes: vec!["same".into(), "early".into()],
            ..changed("+ one\n")
        };
        let later = Outcome {
            url: Some("http://host/new".into()),
            console: vec![console("second")],
            notes: vec!["same".into()],
            ..changed("~ two")
        };
        let both = merged(earlier, later);
        assert_eq!(both.delta.unwrap().text, "+ one\n~ two");
        assert_eq!(both.url.as_deref(), Some("http://host/new"));
        assert_eq!(both.navigation, Some(navigation));
        assert_eq!(both.console, [console("first"), console("second")]);
        assert_eq!(both.notes, ["same", "early"]);
    }

    #[test]
    fn a_page_that_is_new_takes_the_place_of_changes() {
        let page = Outcome {
            snapshot: Some(Snapshot { text: "page".into(), ..Snapshot::default() }),
            ..Outcome::default()
        };
        let led = merged(changed("+ one"), page.clone());
        assert_eq!((led.delta, led.snapshot.unwrap().text), (None, "page".into()));
        let went_on = merged(page, changed("+ two"));
        assert_eq!(
            (went_on.delta.unwrap().text, went_on.snapshot.unwrap().text),
            ("+ two".into(), "page".into())
        );
    }

    #[test]
    fn what_was_cut_stays_said() {
        let cut = |shown, of| Some(Cut { shown, of });
        let long = Outcome {
            delta: Some(Delta { text: "+ a".into(), cut: cut(3, 9), ..Delta::default() }),
            ..Outcome::default()
        };
        assert_eq!(merged(long, changed("+ bc")).delta.unwrap().cut, cut(7, 13));
    }
}
