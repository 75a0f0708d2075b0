//! `webhand approvals` and `webhand policy` on the command line.

use std::io::{BufRead, IsTerminal, Write};

use clap::{Subcommand, ValueEnum};
use contract::{Code, Effect, Error, Result, ToolResult};
use engine::actions::step_from;
use guard::{
    approvals::{Approvals, Reply},
    rules::{Deed, Rules},
};
use serde_json::{Value, json};
use url::Url;

use crate::{control, home::Home};

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsOp {
    /// List what waits for an approval, and what is always allowed
    List,
    /// Allow what waits; at a terminal, by a person
    Allow {
        /// The approval, as it is listed
        id: String,
        /// For how long
        #[arg(long = "for", value_enum, default_value_t, value_name = "HOW_LONG")]
        how_long: HowLong,
    },
    /// Deny what waits
    Deny {
        /// The approval, as it is listed
        id: String,
    },
    /// Take back what was always allowed for an origin
    Forget {
        /// The origin, as it is listed
        origin: String,
    },
}

/// For how long something is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HowLong {
    /// Only now.
    #[default]
    Once,
    /// The same for as long as the session lasts.
    Session,
    /// Always for this origin.
    Always,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyOp {
    /// Tell what the policy decides, and why
    Check {
        /// An effect (read, navigate, input, submit, download, upload, execute, credential), or an action such as "click e5"
        action: String,
        /// Where: the page, or for `navigate` the page that is gone to
        url: Url,
        /// Which way it comes in
        #[arg(long, value_enum, default_value_t, value_name = "FRONT")]
        front: By,
        /// The page that it comes from, for rules about leaving a site
        #[arg(long, value_name = "URL")]
        from: Option<Url>,
    },
}

/// Which way an action comes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// A person at the command line.
    #[default]
    Cli,
    /// An MCP client.
    Mcp,
    /// An HTTP client.
    Http,
}

impl By {
    fn as_str(self) -> &'static str {
        match self {
            By::Cli => "cli",
            By::Mcp => "mcp",
            By::Http => "http",
        }
    }
}

/// How people read an answer.
type Show = fn(&Value) -> String;

/// Does what `webhand approvals` says.
pub(crate) fn approvals(op: Option<ApprovalsOp>, home: &Home) -> Result<(ToolResult, Show)> {
    Ok(match op {
        None | Some(ApprovalsOp::List) => (ToolResult::success(control::list(home)?), shown),
        Some(ApprovalsOp::Deny { id }) => (control::bring(home, &id, Reply::Deny)?, answered),
        Some(ApprovalsOp::Allow { id, how_long }) => {
            confirm(&id, &control::list(home)?)?;
            let reply = match how_long {
                HowLong::Once => Reply::Once,
                HowLong::Session => Reply::Session,
                HowLong::Always => Reply::Always,
            };
            (control::bring(home, &id, reply)?, answered)
        }
        Some(ApprovalsOp::Forget { origin }) => {
            let forgotten = Approvals::new(home.always_allowed()).forget(&origin)?;
            (ToolResult::success(json!({"origin": origin, "forgotten": forgotten})), forgot)
        }
    })
}

/// Shows what is to be allowed and has a person type a code back. A program without a terminal is refused here, and by who is asked.
fn confirm(id: &str, list: &Value) -> Result<()> {
    if !std::io::stdin().is_terminal() {
        return Err(Error::new(Code::ActionDenied, "an approval is given by a person at a terminal")
            .with_hint(
                "run `webhand approvals allow ID` in a terminal of your own; it asks you to type a code",
            ));
    }
    let waiting = list["approvals"].as_array().into_iter().flatten().find(|approval| approval["id"] == id);
    let Some(approval) = waiting else {
        return Err(Error::invalid(format!("no approval {id:?} waits for an answer")).with_hint(
            "list them with `webhand approvals`; what is answered, expired or cancelled is gone",
        ));
    };
    let code = Approvals::new_id();
    let mut terminal = std::io::stderr();
    let _ = write!(terminal, "{}\ntype {code} to allow it: ", crate::render::harmless(&one(approval)));
    let _ = terminal.flush();
    let mut typed = String::new();
    let _ = std::io::stdin().lock().read_line(&mut typed);
    if typed.trim() == code {
        return Ok(());
    }
    Err(Error::new(Code::ActionDenied, "that is not the code; nothing was allowed")
        .with_hint("run the command again and type the code that it shows"))
}

/// Explains what the policy decides.
pub(crate) fn check(op: PolicyOp, rules: &Rules, own: &Rules) -> Result<Value> {
    let PolicyOp::Check { action, url, front, from } = op;
    let effect = effect_of(&action)?;
    let is_way = effect == Effect::Navigate;
    let deed = Deed {
        effect,
        front: front.as_str(),
        agent: None,
        pages: if is_way { from.into_iter().collect() } else { vec![url.clone()] },
        to: is_way.then(|| url.clone()),
    };
    let (base, narrowed) = (rules.judge(&deed), own.narrow(&deed));
    let by_session = narrowed.ruling > base.ruling;
    let judged = base.or_stricter(narrowed);
    Ok(json!({
        "decide": judged.ruling,
        "effect": effect,
        "origin": url.origin().ascii_serialization(),
        "front": front.as_str(),
        "rule": judged.rule,
        "of": judged.rule.map(|_| if by_session { "the session's policy (--policy)" } else { "config.toml" }),
        "why": judged.why,
    }))
}

/// The effect that is meant: by its name, or what an action is known to do.
fn effect_of(text: &str) -> Result<Effect> {
    if let Ok(effect) = serde_json::from_value(json!(text)) {
        return Ok(effect);
    }
    // A verb alone means the verb with anything.
    let tries =
        [text.to_owned(), format!("{text} e1"), format!("{text} e1 x"), format!("{text} https://x.example")];
    let action = tries.into_iter().find_map(|text| step_from(json!(text)).ok());
    action.map(|action| action.effect()).ok_or_else(|| {
        Error::invalid(format!("{text:?} is neither an effect nor an action")).with_hint(
            "name an effect (read, navigate, input, submit, download, upload, execute, credential) or an action in quotes",
        )
    })
}

pub(crate) fn judged(data: &Value) -> String {
    let text = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
    let of = data["of"].as_str().map(|of| format!(" of {of}")).unwrap_or_default();
    format!(
        "{}: {} at {} by {}\n    {}{of}",
        text("decide"),
        text("effect"),
        text("origin"),
        text("front"),
        text("why")
    )
}

fn one(approval: &Value) -> String {
    let text = |key: &str| approval[key].as_str().unwrap_or_default();
    let with: Vec<_> = approval["with"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut lines = vec![
        format!(
            "{}  {} at {}",
            text("id"),
            text("effect"),
            [&[text("origin")], &*with].concat().join(" and ")
        ),
        format!("    {}", text("what")),
    ];
    for (name, key) in [("address", "url"), ("picture", "screenshot"), ("why", "why")] {
        if approval[key].is_string() {
            lines.push(format!("    {name}: {}", text(key)));
        }
    }
    let left = approval["expires_at"].as_u64().unwrap_or_default().saturating_sub(guard::approvals::now_ms());
    let agent = approval["agent"].as_str().filter(|agent| *agent != "default");
    let agent = agent.map(|agent| format!("agent {agent} over ")).unwrap_or_default();
    lines.push(format!(
        "    asked by {agent}{} in session {}, for {} s more",
        text("front"),
        text("session"),
        left / 1000
    ));
    lines.join("\n")
}

fn shown(data: &Value) -> String {
    let list = |key: &str| data[key].as_array().cloned().unwrap_or_default();
    let mut lines: Vec<String> = list("approvals").iter().map(one).collect();
    if lines.is_empty() {
        lines.push("nothing waits for an approval".into());
    } else {
        lines.push("answer with `webhand approvals allow ID` or `webhand approvals deny ID`".into());
    }
    for grant in list("always_allowed") {
        let text = |key: &str| grant[key].as_str().unwrap_or_default().to_owned();
        let agent = grant["agent"].as_str().map(|agent| format!(" to agent {agent}")).unwrap_or_default();
        lines.push(format!("always allowed{agent}: {} at {}", text("effect"), text("origin")));
    }
    lines.join("\n")
}

fn answered(data: &Value) -> String {
    let said = if data["answer"] == "deny" { "denied" } else { "allowed" };
    format!("{} is {said}", data["id"].as_str().unwrap_or_default())
}

fn forgot(data: &Value) -> String {
    match data["forgotten"].as_u64() {
        Some(0) | None => "nothing was always allowed there".into(),
        Some(_) => "it will be asked about again".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_and_actions_are_understood() {
        for (text, effect) in [
            ("submit", Effect::Submit),
            ("click", Effect::Input),
            ("goto", Effect::Navigate),
            ("fill e1 x --submit", Effect::Submit),
            ("eval 1", Effect::Execute),
            ("upload", Effect::Upload),
        ] {
            assert_eq!(effect_of(text).unwrap(), effect, "{text}");
        }
        assert!(effect_of("fly").is_err());
    }

    #[test]
    fn a_decision_is_explained() {
        let rules: Rules =
            r#"{"effect": "submit", "origin": "*.bank.example", "decide": "ask"}"#.parse().unwrap();
        let own: Rules = r#"{"effect": "upload", "decide": "deny"}"#.parse().unwrap();
        let explain = |action: &str, front| {
            let url = "https://www.bank.example/pay?secret".parse().unwrap();
            check(PolicyOp::Check { action: action.into(), url, front, from: None }, &rules, &own).unwrap()
        };
        let submit = explain("submit", By::Mcp);
        assert_eq!(
            (&submit["decide"], &submit["rule"], &submit["of"]),
            (&json!("ask"), &json!(1), &json!("config.toml"))
        );
        assert!(
            judged(&submit).starts_with("ask: submit at https://www.bank.example by mcp\n    rule 1"),
            "{}",
            judged(&submit)
        );
        assert_eq!(explain("upload", By::Cli)["of"], "the session's policy (--policy)");
        assert_eq!(explain("execute", By::Cli)["decide"], "ask", "a script can send a form");
        assert_eq!(explain("execute", By::Http)["decide"], "ask");
    }
}
