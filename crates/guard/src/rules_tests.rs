use super::*;

fn rules(toml_like: serde_json::Value) -> Rules {
    serde_json::from_value(toml_like).unwrap()
}

fn deed(effect: Effect, front: &'static str, pages: &[&str], to: Option<&str>) -> Deed {
    let pages = pages.iter().map(|page| page.parse().unwrap()).collect();
    Deed { effect, front, agent: None, pages, to: to.map(|to| to.parse().unwrap()) }
}

const BANK: &str = "https://www.bank.example/pay";
const SHOP: &str = "https://shop.example/";

#[test]
fn without_rules_only_scripts_of_agents_are_asked_about() {
    let none = Rules::default();
    for effect in [
        Effect::Read,
        Effect::Navigate,
        Effect::Input,
        Effect::Submit,
        Effect::Download,
        Effect::Upload,
        Effect::Execute,
        Effect::Credential,
    ] {
        for front in ["cli", "mcp", "http", "library", "demo"] {
            let expected = if effect == Effect::Execute && matches!(front, "mcp" | "http") {
                Ruling::Ask
            } else {
                Ruling::Allow
            };
            assert_eq!(
                none.judge(&deed(effect, front, &[SHOP], None)).ruling,
                expected,
                "{effect:?} {front}"
            );
        }
    }
    assert!(!none.care_for(&[Effect::Submit, Effect::Navigate]));
}

#[test]
fn the_first_rule_that_fits_decides() {
    let rules = rules(serde_json::json!([
        {"effect": "submit", "origin": "*.bank.example", "decide": "ask"},
        {"effect": ["submit", "upload"], "origin": ["shop.example"], "front": "cli", "decide": "allow"},
        {"effect": ["submit", "upload"], "decide": "deny"},
        {"effect": "execute", "front": "mcp", "decide": "allow"},
        {"effect": "navigate", "origin": ["shop.example", "*.bank.example"], "decide": "allow"},
        {"effect": "navigate", "leaving": true, "decide": "deny"},
    ]));
    for (effect, front, pages, to, ruling, rule) in [
        (Effect::Submit, "mcp", &[BANK][..], None, Ruling::Ask, Some(1)),
        (Effect::Submit, "mcp", &[SHOP], None, Ruling::Deny, Some(3)),
        (Effect::Submit, "cli", &[SHOP], None, Ruling::Allow, Some(2)),
        // A form that goes elsewhere is there as well, and so is the frame that it is in.
        (Effect::Submit, "cli", &[SHOP], Some(BANK), Ruling::Ask, Some(1)),
        (Effect::Submit, "cli", &[SHOP, "https://evil.example/"], None, Ruling::Deny, Some(3)),
        (Effect::Submit, "mcp", &["data:text/html,x"], None, Ruling::Deny, Some(3)),
        (Effect::Upload, "cli", &[BANK], None, Ruling::Deny, Some(3)),
        // A script may do whatever any other rule denies.
        (Effect::Execute, "mcp", &[SHOP], None, Ruling::Deny, Some(3)),
        (Effect::Execute, "http", &[SHOP], None, Ruling::Deny, Some(3)),
        (Effect::Navigate, "mcp", &[SHOP], Some(BANK), Ruling::Allow, Some(5)),
        (Effect::Navigate, "mcp", &[SHOP], Some("https://evil.example/"), Ruling::Deny, Some(6)),
        // Where one is does not matter for where one may go.
        (
            Effect::Navigate,
            "mcp",
            &["https://evil.example/a"],
            Some("https://evil.example/b"),
            Ruling::Allow,
            None,
        ),
        (Effect::Navigate, "mcp", &[], Some("https://evil.example/"), Ruling::Allow, None),
        (Effect::Download, "mcp", &[SHOP], Some(BANK), Ruling::Allow, None),
    ] {
        let judged = rules.judge(&deed(effect, front, pages, to));
        assert_eq!(
            (judged.ruling, judged.rule),
            (ruling, rule),
            "{effect:?} {front} {pages:?} {to:?}: {}",
            judged.why
        );
    }
}

#[test]
fn a_script_is_judged_as_the_strictest_of_all_that_it_can_do() {
    let at_shop = |list: serde_json::Value, front| {
        let judged = rules(list).judge(&deed(Effect::Execute, front, &[SHOP], None));
        (judged.ruling, judged.rule)
    };
    let allowed = serde_json::json!({"effect": "execute", "decide": "allow"});
    assert_eq!(at_shop(serde_json::json!([allowed]), "mcp"), (Ruling::Allow, Some(1)));
    assert_eq!(
        at_shop(serde_json::json!([{"effect": "upload", "decide": "deny"}]), "cli"),
        (Ruling::Allow, None)
    );
    for effect in ["input", "submit", "navigate", "download", "credential"] {
        for front in ["mcp", "http", "cli"] {
            for decide in ["ask", "deny"] {
                let list = serde_json::json!([allowed, {"effect": effect, "decide": decide}]);
                let (ruling, rule) = at_shop(list, front);
                assert_eq!((ruling.to_string().as_str(), rule), (decide, Some(2)), "{effect} {front}");
            }
        }
        let elsewhere =
            serde_json::json!([allowed, {"effect": effect, "origin": "bank.example", "decide": "deny"}]);
        let leads = !["input", "credential"].contains(&effect);
        assert_eq!(at_shop(elsewhere, "mcp").0, if leads { Ruling::Deny } else { Ruling::Allow }, "{effect}");
    }
    let leaving = serde_json::json!([allowed, {"effect": "navigate", "leaving": true, "decide": "deny"}]);
    assert_eq!(at_shop(leaving, "mcp").0, Ruling::Deny);
}

#[test]
fn where_the_place_is_not_known_any_rule_may_be_the_one() {
    let rules = rules(serde_json::json!([
        {"effect": "credential", "origin": "shop.example", "decide": "allow"},
        {"effect": "credential", "origin": "bank.example", "decide": "deny"},
        {"effect": "credential", "decide": "allow"},
        {"effect": "credential", "decide": "deny"},
    ]));
    assert_eq!(rules.judge(&deed(Effect::Credential, "mcp", &[], None)).rule, Some(2));
    assert_eq!(rules.judge(&deed(Effect::Credential, "mcp", &[SHOP], None)).rule, Some(1));
    assert_eq!(rules.judge(&deed(Effect::Credential, "mcp", &["https://else.example/"], None)).rule, Some(3));
}

#[test]
fn others_are_only_narrowed() {
    let base = rules(serde_json::json!([{"effect": "submit", "decide": "ask"}]));
    let own = rules(
        serde_json::json!([{"effect": "submit", "decide": "allow"}, {"effect": "execute", "decide": "deny"}]),
    );
    let both = |effect, front| {
        let deed = deed(effect, front, &[SHOP], None);
        base.judge(&deed).or_stricter(own.narrow(&deed)).ruling
    };
    assert_eq!(both(Effect::Submit, "cli"), Ruling::Ask);
    assert_eq!(both(Effect::Execute, "cli"), Ruling::Deny);
    assert_eq!(both(Effect::Upload, "cli"), Ruling::Allow);
    let wider = rules(serde_json::json!([{"decide": "allow"}]));
    let script = deed(Effect::Execute, "mcp", &[SHOP], None);
    assert_eq!(Rules::default().judge(&script).or_stricter(wider.narrow(&script)).ruling, Ruling::Ask);
}

#[test]
fn examples_are_checked_and_name_their_rule() {
    let fails = |rules: serde_json::Value| serde_json::from_value::<Rules>(rules).unwrap_err().to_string();
    let example = |decide: &str| serde_json::json!({"effect": "submit", "url": BANK, "decide": decide});
    let good = serde_json::json!([{"effect": "submit", "origin": "*.bank.example", "decide": "ask", "examples": [example("ask")]}]);
    assert!(serde_json::from_value::<Rules>(good).is_ok());
    let shadowed = fails(serde_json::json!([
        {"effect": "submit", "decide": "allow"},
        {"effect": "submit", "origin": "*.bank.example", "decide": "ask", "examples": [example("ask")]},
    ]));
    assert!(shadowed.contains("rule 2") && shadowed.contains("is allow (rule 1"), "{shadowed}");
    assert!(!shadowed.contains("/pay"), "an address may hold secrets: {shadowed}");
}

#[test]
fn what_cannot_be_read_is_refused() {
    for bad in [
        r#"[{"effect": "submit"}]"#,
        r#"[{"effect": "sbmit", "decide": "ask"}]"#,
        r#"[{"effect": "submit", "decide": "maybe"}]"#,
        r#"[{"effect": "submit", "decide": "ask", "orign": "x"}]"#,
        r#"[{"origin": "a b", "decide": "ask"}]"#,
        r#"[{"front": "browser", "decide": "ask"}]"#,
        "[[]]",
        "no",
        "",
    ] {
        let error = bad.parse::<Rules>().unwrap_err();
        assert_eq!(error.code, contract::Code::InvalidInput, "{bad}");
    }
    assert!(r#"{"effect": "submit", "decide": "ask"}"#.parse::<Rules>().unwrap().care_for(&[Effect::Submit]));
}

#[test]
fn rules_are_written_as_they_are_read() {
    let text = r#"[{"effect":["submit"],"origin":["*.bank.example"],"decide":"ask"},{"decide":"deny"}]"#;
    let rules: Rules = text.parse().unwrap();
    assert_eq!(serde_json::to_string(&rules).unwrap(), text);
    assert_eq!(rules.0[0].to_string(), "ask submit at *.bank.example");
    assert_eq!(rules.0[1].to_string(), "deny everything");
}
