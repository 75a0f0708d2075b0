//! Descriptions in plain words on real pages: `words/table.txt` has what people say, and which element they mean. Each row is tried
//! with `locate`, which may answer with one element, or that several are meant, or that none is.
//!
//! What is accepted: the element with the expected `data-case` itself; a label of it; and the control of it, if it is a label.
//! Nothing around it, nothing in it.

#![expect(
    clippy::print_stdout,
    reason = "what went wrong is for people to read, and there may be much of it"
)]

use std::collections::{BTreeMap, HashSet};

use contract::{Candidate, Code, Error, Outcome, Ref, Target};
use engine::actions::{Eval, Locate};

use crate::support::{Fixture, eval, goto, run_in_shell, site};

const TABLE: &str = include_str!("words/table.txt");

/// Where the second part of the table begins.
const SECOND_PART: &str = "# Part two";

/// How many rows of a hundred have to be right.
const RIGHT: f64 = 97.0;

/// The `data-case` of an element by its number, of its control if it is a label, and of its labels if it is a control.
const CASES: &str = "found => [found, found.control, ...(found.labels ?? [])]
    .map(element => element?.getAttribute('data-case')).filter(Boolean)";

/// A row of the table.
struct Row {
    part: usize,
    page: &'static str,
    description: &'static str,
    expected: Expected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The element with this `data-case`.
    Element(&'static str),
    /// Several are meant equally well.
    Ambiguous,
    /// Nothing is meant.
    Absent,
}

/// What `locate` answered.
enum Answer {
    /// An element, by all that it may be called in the table.
    Element(Vec<String>),
    Ambiguous,
    Absent,
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    /// That several are meant was said for none, or the other way round. It counts half.
    MixedUp,
    /// An error where an element was meant: the caller asks again.
    Honest,
    /// An element that was not meant: the caller acts on it.
    Confident,
}

fn rows() -> Vec<Row> {
    let mut part = 0;
    let mut rows = Vec::new();
    for line in TABLE.lines().map(str::trim) {
        part = if line.starts_with(SECOND_PART) { 1 } else { part };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [page, description, expected] = cells[..] else { panic!("three cells are needed: {line}") };
        let expected = match expected {
            "AMBIGUOUS" => Expected::Ambiguous,
            "ABSENT" => Expected::Absent,
            case => Expected::Element(case),
        };
        rows.push(Row { part, page, description, expected });
    }
    rows
}

fn judge(expected: Expected, answer: &Answer) -> Verdict {
    match (expected, answer) {
        (Expected::Element(case), Answer::Element(cases)) if cases.iter().any(|found| found == case) => {
            Verdict::Right
        }
        (_, Answer::Element(_)) => Verdict::Confident,
        (Expected::Ambiguous, Answer::Ambiguous) | (Expected::Absent, Answer::Absent) => Verdict::Right,
        (Expected::Element(_), _) => Verdict::Honest,
        _ => Verdict::MixedUp,
    }
}

/// How often there was which verdict.
#[derive(Default)]
struct Tally {
    rows: usize,
    right: usize,
    mixed_up: usize,
    honest: usize,
    confident: usize,
    /// Elements where none should have been given.
    made_up: usize,
}

impl Tally {
    fn add(&mut self, expected: Expected, verdict: Verdict) {
        self.rows += 1;
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::MixedUp => self.mixed_up += 1,
            Verdict::Honest => self.honest += 1,
            Verdict::Confident => self.confident += 1,
        }
        let made_up = verdict == Verdict::Confident && !matches!(expected, Expected::Element(_));
        self.made_up += usize::from(made_up);
    }

    /// How many of a hundred are right.
    fn percent(&self) -> f64 {
        100.0 * (self.right as f64 + self.mixed_up as f64 / 2.0) / self.rows as f64
    }

    fn is_good(&self) -> bool {
        self.percent() >= RIGHT && self.made_up == 0
    }

    fn print(&self, what: &str) {
        let Tally { rows, right, mixed_up, honest, confident, made_up } = self;
        println!(
            "{what}: {rows} rows, {:.1} % right ({right} right, {mixed_up} mixed up, {honest} honest errors, \
             {confident} confident and wrong, {made_up} of them where no element is meant)",
            self.percent()
        );
    }
}

/// Tries a row. The second is what to print if it went wrong.
async fn attempt(s: &Fixture, row: &Row) -> (Verdict, String) {
    let target = row.description.parse().unwrap();
    let result = s.perform(Locate { target }).await;
    let (answer, told, candidates) = match result {
        Ok(outcome) => {
            let winner = outcome.target.unwrap_or_else(|| panic!("no target for {:?}", row.description));
            let cases = cases(s, winner.reference).await;
            let told = format!("{} {} {:?} {cases:?}", winner.reference, winner.role, winner.name);
            (Answer::Element(cases), told, outcome.candidates)
        }
        Err(error) => {
            let answer = match error.code {
                Code::ElementAmbiguous => Answer::Ambiguous,
                Code::ElementNotFound => Answer::Absent,
                _ => panic!("{:?} on {}: {error}", row.description, row.page),
            };
            let told = error.to_string();
            (answer, told, candidates(error))
        }
    };
    let verdict = judge(row.expected, &answer);
    let mut report =
        format!("{verdict:?}: {} | {} | {:?}\n  got {told}\n", row.page, row.description, row.expected);
    for Candidate { element, score, reasons } in candidates.iter().take(4) {
        let reasons = reasons.join("; ");
        report +=
            &format!("  {score:5.1} {} {} {:?}: {reasons}\n", element.reference, element.role, element.name);
    }
    (verdict, report)
}

/// What an element may be called in the table.
async fn cases(s: &Fixture, reference: Ref) -> Vec<String> {
    let outcome = s.perform(Eval { target: Some(Target::Ref(reference)), ..eval(CASES) }).await.unwrap();
    serde_json::from_value(outcome.value.unwrap()).unwrap()
}

fn candidates(error: Error) -> Vec<Candidate> {
    error.outcome.map(|outcome: Box<Outcome>| outcome.candidates).unwrap_or_default()
}

#[test]
fn people_are_understood() {
    run_in_shell(|s| async move {
        let mut pages: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
        for row in rows() {
            pages.entry(row.page).or_default().push(row);
        }
        let mut tallies = [Tally::default(), Tally::default()];
        let mut together = Tally::default();
        for (page, rows) in pages {
            s.perform(goto(&site().url(&format!("/words/{page}.html")))).await.unwrap();
            for row in rows {
                let (verdict, report) = attempt(&s, &row).await;
                tallies[row.part].add(row.expected, verdict);
                together.add(row.expected, verdict);
                if verdict != Verdict::Right {
                    println!("{}", report.trim_end());
                }
            }
        }
        let [first, second] = tallies;
        let all = [("part one", first), ("part two", second), ("together", together)];
        all.iter().for_each(|(what, tally)| tally.print(what));
        for (what, tally) in &all {
            assert!(tally.is_good(), "{what}: {:.1} % right, {} made up", tally.percent(), tally.made_up);
        }
    });
}

#[test]
fn the_table_is_sound() {
    let rows = rows();
    assert!(rows.len() >= 250, "only {} rows", rows.len());
    assert!(rows.iter().filter(|row| row.part == 1).count() >= 100, "too few rows in part two");
    let mut seen = HashSet::new();
    for Row { page, description, expected, .. } in &rows {
        assert!(seen.insert((page, description)), "{page} | {description} is there twice");
        let path = format!("/words/{page}.html");
        let found = testkit::WORDS.iter().find(|(known, _)| *known == path);
        let (_, html) = found.unwrap_or_else(|| panic!("there is no page {page}"));
        if let Expected::Element(case) = expected {
            let there = ['"', '\''].iter().any(|q| html.contains(&format!("data-case={q}{case}{q}")));
            assert!(there, "{page} has no {case}");
        }
    }
    for (path, _) in testkit::WORDS {
        assert!(rows.iter().any(|row| format!("/words/{}.html", row.page) == *path), "{path} has no row");
    }
}

#[test]
fn verdicts() {
    let check = |expected, answer, verdict| assert_eq!(judge(expected, &answer), verdict, "{expected:?}");
    let element = |case: &str| Answer::Element(vec![case.into()]);
    check(Expected::Element("save"), element("save"), Verdict::Right);
    check(Expected::Element("save"), element("cancel"), Verdict::Confident);
    check(Expected::Element("save"), Answer::Element(Vec::new()), Verdict::Confident);
    check(Expected::Element("save"), Answer::Ambiguous, Verdict::Honest);
    check(Expected::Element("save"), Answer::Absent, Verdict::Honest);
    check(Expected::Ambiguous, Answer::Ambiguous, Verdict::Right);
    check(Expected::Ambiguous, Answer::Absent, Verdict::MixedUp);
    check(Expected::Ambiguous, element("save"), Verdict::Confident);
    check(Expected::Absent, Answer::Absent, Verdict::Right);
    check(Expected::Absent, Answer::Ambiguous, Verdict::MixedUp);
    check(Expected::Absent, element("save"), Verdict::Confident);
}
