use std::os::unix::fs::PermissionsExt;

use super::*;

fn scope(origin: &str) -> Scope {
    Scope { effect: Effect::Submit, origin: origin.into(), with: Vec::new() }
}

fn approval(origin: &str) -> Approval {
    Approval {
        id: Approvals::new_id(),
        session: SessionName::default(),
        tab: None,
        verb: "click".into(),
        what: "sends a form".into(),
        scope: scope(origin),
        url: None,
        screenshot: None,
        front: "mcp".into(),
        agent: None,
        why: "rule 1".into(),
        asked_at: now_ms(),
        expires_at: now_ms(),
    }
}

const LONG: Duration = Duration::from_secs(60);
const BANK: &str = "https://bank.example";

#[tokio::test]
async fn whoever_waits_is_answered_once() {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::new(folder.path().join("always.json"));
    let mut heard = approvals.subscribe();
    let waiting = approvals.ask(approval(BANK));
    let id = approvals.list()[0].id.clone();
    assert!(approvals.answer("nothing", Reply::Once, By::Terminal).is_err());
    approvals.answer(&id, Reply::Once, By::Terminal).unwrap();
    assert!(approvals.answer(&id, Reply::Deny, By::Terminal).is_err(), "it is answered already");
    assert_eq!(waiting.end(LONG).await, End::Answered { reply: Reply::Once, by: By::Terminal });
    assert!(approvals.list().is_empty());
    assert!(
        !approvals.is_granted(&SessionName::default(), "mcp", None, &scope(BANK)),
        "once is not for longer"
    );
    assert!(matches!(heard.try_recv(), Ok(Change::Asked(asked)) if asked.id == id));
    assert!(matches!(heard.try_recv(), Ok(Change::Over { end: End::Answered { .. }, .. })));
}

#[tokio::test]
async fn nobody_answers_or_nobody_waits() {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::new(folder.path().join("always.json"));
    let mut heard = approvals.subscribe();
    assert_eq!(approvals.ask(approval(BANK)).end(Duration::ZERO).await, End::Expired);
    drop(approvals.ask(approval(BANK)));
    assert!(approvals.list().is_empty());
    let waiting = approvals.ask(approval(BANK));
    approvals.cancel_all();
    assert_eq!(waiting.end(LONG).await, End::Cancelled);
    let mut ends = Vec::new();
    while let Ok(change) = heard.try_recv() {
        if let Change::Over { end, .. } = change {
            ends.push(end);
        }
    }
    assert_eq!(ends, [End::Expired, End::Cancelled, End::Cancelled]);
}

#[tokio::test]
async fn what_is_allowed_for_longer_is_remembered_for_that_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("always.json");
    let approvals = Approvals::new(file.clone());
    let (this, other): (SessionName, SessionName) = (SessionName::default(), "other".parse().unwrap());
    let say = |reply: Reply, origin: &str| {
        let asked = approval(origin);
        let id = asked.id.clone();
        let waiting = approvals.ask(asked);
        let said = approvals.answer(&id, reply, By::Approver).map(drop);
        drop(waiting);
        said
    };
    say(Reply::Session, BANK).unwrap();
    assert!(
        approvals.is_granted(&this, "mcp", None, &scope(BANK))
            && !approvals.is_granted(&other, "mcp", None, &scope(BANK))
    );
    for front in ["http", "cli", "library", ""] {
        assert!(!approvals.is_granted(&this, front, None, &scope(BANK)), "{front} was not asked about");
    }
    let elsewhere = Scope { with: vec!["https://evil.example".into()], ..scope(BANK) };
    assert!(!approvals.is_granted(&this, "mcp", None, &elsewhere), "the same form may go elsewhere");
    assert!(!approvals.is_granted(&this, "mcp", None, &Scope { effect: Effect::Upload, ..scope(BANK) }));
    approvals.end_session(&this);
    assert!(!approvals.is_granted(&this, "mcp", None, &scope(BANK)));

    say(Reply::Always, BANK).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let restarted = Approvals::new(file.clone());
    assert!(
        restarted.is_granted(&other, "mcp", None, &scope(BANK))
            && !restarted.is_granted(&other, "mcp", None, &elsewhere)
    );
    assert_eq!(restarted.forget(BANK).unwrap(), 1);
    assert!(
        !approvals.is_granted(&other, "mcp", None, &scope(BANK)),
        "what one process takes back counts for all"
    );

    assert!(say(Reply::Always, "null").is_err(), "all pages without an origin are alike");
    say(Reply::Once, "null").unwrap();
    std::fs::write(&file, "damaged").unwrap();
    assert!(!approvals.is_granted(&this, "mcp", None, &scope(BANK)));
}

#[tokio::test]
async fn what_is_always_allowed_belongs_to_the_agent_that_was_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let approvals = Approvals::new(folder.path().join("always.json"));
    let session = SessionName::default();
    let agents: [Option<AgentName>; 4] =
        [None, Some(AgentName::default()), Some("ada".parse().unwrap()), Some("bob".parse().unwrap())];
    let allowed = || {
        let is =
            |agent: &Option<AgentName>| approvals.is_granted(&session, "http", agent.as_ref(), &scope(BANK));
        agents.each_ref().map(is)
    };
    for (asked, expected) in
        [(&agents[2], [false, false, true, false]), (&agents[1], [true, true, true, false])]
    {
        let approval = Approval { agent: asked.clone(), ..approval(BANK) };
        let id = approval.id.clone();
        let _waiting = approvals.ask(approval);
        approvals.answer(&id, Reply::Always, By::Approver).unwrap();
        assert_eq!(allowed(), expected, "{asked:?}");
    }
    assert_eq!(approvals.forget(BANK).unwrap(), 2);
    assert_eq!(allowed(), [false; 4]);
}

#[test]
fn a_deed_is_about_all_its_places() {
    let deed = |effect, pages: &[&str], to: Option<&str>| Deed {
        effect,
        front: "mcp",
        agent: None,
        pages: pages.iter().map(|page| page.parse().unwrap()).collect(),
        to: to.map(|to| to.parse().unwrap()),
    };
    let check = |deed: &Deed, origin: &str, with: &[&str]| {
        let scope = Scope::of(deed);
        assert_eq!(
            (&*scope.origin, &*scope.with),
            (origin, &*with.iter().map(|&one| one.to_owned()).collect::<Vec<_>>())
        );
    };
    check(
        &deed(Effect::Submit, &["https://a.example/x", "https://a.example/y"], Some("https://a.example/z")),
        "https://a.example",
        &[],
    );
    check(
        &deed(Effect::Submit, &["https://a.example/"], Some("https://b.example/")),
        "https://a.example",
        &["https://b.example"],
    );
    check(
        &deed(Effect::Navigate, &["https://a.example/"], Some("https://b.example/")),
        "https://b.example",
        &[],
    );
    check(&deed(Effect::Execute, &["data:text/html,x"], None), "null", &[]);
    check(&deed(Effect::Credential, &[], None), "null", &[]);
}
