use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn knowing(secrets: &[&str]) -> Redactor {
    let redactor = Redactor::default();
    secrets.iter().for_each(|secret| redactor.add(secret));
    redactor
}

#[test]
fn however_it_is_written() {
    let secret = "p&ss \"w\\rd\"+1/ü";
    let redactor = knowing(&[secret]);
    let check = |text: &str, wanted: &str| {
        assert_eq!(redactor.masked(text).as_deref().unwrap_or(text), wanted, "{text}");
    };
    check("the p&ss \"w\\rd\"+1/ü here", "the [secret] here");
    check("?q=p%26ss%20%22w%5Crd%22%2B1%2F%C3%BC&x", "?q=[secret]&x");
    check("?q=p%26ss+%22w%5crd%22%2b1%2f%c3%bc&x", "?q=[secret]&x");
    check("p%2526ss%2520%2522w%255Crd%2522%252B1%252F%25C3%25BC", "[secret]");
    check("<b>p&amp;ss &quot;w\\rd&quot;+1/&#252;</b>", "<b>[secret]</b>");
    check(r#"{"a":"p&ss \"w\\rd\"+1\/\u00fc"}"#, r#"{"a":"[secret]"}"#);
    check(r#"p&ss \"w\\rd\"\+1/ü in Markdown"#, "[secret] in Markdown");
    check("p&ss\n   \"w\\r\u{200b}d\"\n+1/ü", "[secret]");
    check("p&ss \"w\\rd\"+1/", "p&ss \"w\\rd\"+1/");
    for before in ["", "u", "us", "user:"] {
        let text = STANDARD.encode(format!("{before}{secret}!"));
        let masked = redactor.masked(&text).unwrap();
        assert!(masked.contains(MASK) && masked.len() < 20, "{text} {masked}");
        let wrapped = format!("{}\r\n{}", &text[..10], &text[10..]);
        assert!(redactor.masked(&wrapped).is_some_and(|masked| masked.len() < 20), "{wrapped}");
    }
}

#[test]
fn how_short_a_secret_may_be() {
    let redactor = knowing(&["abc", " 12 "]);
    assert!(redactor.is_empty());
    let redactor = knowing(&["test"]);
    assert_eq!(redactor.masked("a test"), Some("a [secret]".into()));
    assert_eq!(redactor.masked("cat estate"), None, "the ends of two words are no secret");
    assert_eq!(knowing(&["123456"]).masked("123 456"), Some("[secret]".into()));
}

#[test]
fn several_secrets_and_their_order() {
    let redactor = knowing(&["hunter2", "hunter2more", "second"]);
    assert_eq!(redactor.masked("hunter2more second").unwrap(), "[secret] [secret]");
    let redactor = knowing(&["hunt"]);
    redactor.replace("hunt", "hunte");
    assert_eq!(redactor.masked("hunt hunte").unwrap(), "hunt [secret]");
}

#[test]
fn data_is_masked_in_all_its_parts() {
    let mut value = json!({"hunter2": ["a hunter2", 1], "pin": 482913, "other": {"x": null}});
    knowing(&["hunter2", "482913"]).mask_data(&mut value);
    assert_eq!(value, json!({"[secret]": ["a [secret]", 1], "pin": "[secret]", "other": {"x": null}}));
}

#[test]
fn what_is_printed_has_no_secret() {
    assert_eq!(format!("{:?}", knowing(&["hunter2"])), "Redactor(…)");
}

proptest! {
    #[test]
    fn nothing_panics_and_nothing_is_left(secret in "\\PC{4,12}", before in ".{0,20}", after in ".{0,20}") {
        let redactor = knowing(&[&secret]);
        let masked = redactor.masked(&format!("{before}{secret}{after}"));
        if !redactor.is_empty() {
            prop_assert!(!masked.unwrap().replace(MASK, "").contains(secret.trim()));
        }
    }

    #[test]
    fn text_without_secrets_stays(text in "[a-y %&\\\\;#0-9\n]{0,60}") {
        prop_assert_eq!(knowing(&["zzzzzzZ!"]).masked(&text), None);
    }
}
