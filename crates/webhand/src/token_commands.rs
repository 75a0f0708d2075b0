//! `webhand tokens` on the command line.

use clap::Subcommand;
use contract::{AgentName, Error, Result, ToolResult};
use engine::Agent;
use guard::{Domains, approvals::Approvals};
use serde_json::{Value, json};

use crate::{
    client::{self, Running},
    home::Home,
    render::Show,
    settings::Settings,
    tokens::Tokens,
    wire::Command,
};

#[derive(Debug, Subcommand)]
pub(crate) enum TokensOp {
    /// Make a token for an agent, and print it once. --policy and --allowed-domains limit what it may do, as they do for a session
    Add {
        /// The agent's name: small letters, digits, dashes and underscores
        name: AgentName,
        /// The toolsets that it may use, of those that are served; all without it; more with commas
        #[arg(long = "toolset", value_delimiter = ',', value_name = "NAME")]
        toolsets: Vec<String>,
        /// How many sessions it may have at the same time
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        sessions: Option<u32>,
    },
    /// List the agents that have a token, and what it lets them have
    List,
    /// Make an agent's token worthless, and close the sessions of its agent; default gets a new one
    Revoke {
        /// The agent
        name: AgentName,
    },
}

/// Does what `webhand tokens` says. `flags` are the settings of the command line and the environment.
pub(crate) fn run(op: TokensOp, flags: &Settings, home: &Home) -> Result<(ToolResult, Show)> {
    home.make()?;
    let tokens = Tokens::new(home);
    let (data, show) = match op {
        TokensOp::Add { name, toolsets, sessions } => {
            for toolset in &toolsets {
                toolsets::toolset(toolset)?;
            }
            let policy = flags.policy.clone().unwrap_or_default();
            let allowed_domains = flags.allowed_domains.as_deref().map(Domains::read).transpose()?;
            let agent = Agent { name: name.clone(), policy, allowed_domains, sessions, ..Agent::default() };
            let token = tokens.add(agent, toolsets)?;
            (json!({"name": name, "token": token}), Show { output: the_token, beside: about_it })
        }
        TokensOp::List => {
            let mut list = vec![json!({"name": AgentName::default(), "file": home.token()})];
            list.extend(tokens.named()?.iter().map(|one| {
                let mut about = serde_json::to_value(one).unwrap_or_default();
                if let Some(fields) = about.as_object_mut() {
                    fields.remove("sha256");
                }
                about
            }));
            (json!({"tokens": list}), Show::all(listed))
        }
        TokensOp::Revoke { name } => {
            let token = tokens.revoke(&name)?;
            // Whoever has the name next was allowed nothing.
            Approvals::new(home.always_allowed()).forget_agent(&name)?;
            let closed = match client::ask_if_running(home, &Command::Revoked { token })? {
                Running::Answer(answer) => answer.data.unwrap_or_default()["closed"].take(),
                Running::No => json!([]),
                Running::OtherBuild(build) => {
                    return Err(Error::invalid(format!(
                        "the token of {name} is refused from now on, but a server of another build ({build}) runs, and its sessions go on"
                    ))
                    .with_hint("end the server with `webhand stop`"));
                }
            };
            (json!({"name": name, "revoked": true, "closed": closed}), Show::all(revoked))
        }
    };
    Ok((ToolResult::success(data), show))
}

fn the_token(data: &Value) -> String {
    data["token"].as_str().unwrap_or_default().into()
}

fn about_it(data: &Value) -> String {
    format!(
        "this is the token of {}; it is not shown again. Send it as `Authorization: Bearer TOKEN`",
        data["name"].as_str().unwrap_or_default()
    )
}

fn listed(data: &Value) -> String {
    let one = |token: &Value| {
        let list = |key: &str| {
            let names: Vec<_> = token[key].as_array()?.iter().filter_map(Value::as_str).collect();
            Some(names.join(", "))
        };
        let rules = token["policy"].as_array().map(|rules| match rules.len() {
            1 => "1 rule of its own".to_owned(),
            many => format!("{many} rules of its own"),
        });
        let limits = [
            token["file"].as_str().map(|file| format!("in {file}")),
            list("toolsets").map(|names| format!("toolsets {names}")),
            list("allowed_domains").map(|names| format!("domains {names}")),
            token["sessions"].as_u64().map(|most| format!("{most} sessions at most")),
            rules,
        ];
        let limits: Vec<_> = limits.into_iter().flatten().collect();
        let limits = if limits.is_empty() { "no limits of its own".to_owned() } else { limits.join("; ") };
        format!("{}  {limits}", token["name"].as_str().unwrap_or_default())
    };
    data["tokens"].as_array().into_iter().flatten().map(one).collect::<Vec<_>>().join("\n")
}

fn revoked(data: &Value) -> String {
    let closed = data["closed"].as_array().map_or(0, Vec::len);
    let name = data["name"].as_str().unwrap_or_default();
    let sessions =
        if closed == 1 { "1 session was closed" } else { &format!("{closed} sessions were closed") };
    format!("the token of {name} is refused from now on; {sessions}")
}
