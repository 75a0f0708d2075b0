//! `webhand mcp-config CLIENT`: what to write into an MCP client's settings so that it starts `webhand mcp`.

use contract::{Error, Result};
use serde_json::{Value, json};

/// The name that clients know the server by.
const NAME: &str = "webhand";

/// A client: its name, the file that its servers are listed in, and the form of that.
struct Client {
    name: &'static str,
    file: &'static str,
    form: Form,
}

/// How a client lists its servers.
enum Form {
    /// JSON, in this object. With a type, where clients of that name have other kinds of servers too.
    Json { key: &'static str, kind: Option<&'static str> },
    /// JSON with the command and its arguments in one list.
    OneList,
    /// Codex's TOML.
    Toml,
    /// Goose's YAML.
    Yaml,
}

const PLAIN: Form = Form::Json { key: "mcpServers", kind: None };

const CLIENTS: [Client; 12] = [
    Client {
        name: "claude-desktop",
        file: "claude_desktop_config.json (Settings, Developer, Edit Config)",
        form: PLAIN,
    },
    Client {
        name: "claude-code",
        file: ".mcp.json in the project",
        form: Form::Json { key: "mcpServers", kind: Some("stdio") },
    },
    Client { name: "cursor", file: "~/.cursor/mcp.json, or .cursor/mcp.json in the project", form: PLAIN },
    Client {
        name: "vscode",
        file: ".vscode/mcp.json in the project",
        form: Form::Json { key: "servers", kind: Some("stdio") },
    },
    Client { name: "windsurf", file: "~/.codeium/windsurf/mcp_config.json", form: PLAIN },
    Client {
        name: "zed",
        file: "~/.config/zed/settings.json",
        form: Form::Json { key: "context_servers", kind: None },
    },
    Client { name: "codex", file: "~/.codex/config.toml", form: Form::Toml },
    Client { name: "gemini", file: "~/.gemini/settings.json", form: PLAIN },
    Client { name: "opencode", file: "opencode.json in the project", form: Form::OneList },
    Client { name: "cline", file: "cline_mcp_settings.json (MCP Servers, Configure)", form: PLAIN },
    Client { name: "lm-studio", file: "~/.lmstudio/mcp.json", form: PLAIN },
    Client { name: "goose", file: "~/.config/goose/config.yaml", form: Form::Yaml },
];

/// What a client needs: the file, and what to write into it.
pub(crate) fn of(client: Option<&str>, program: &str, toolsets: &[String]) -> Result<Value> {
    let names: Vec<_> = CLIENTS.iter().map(|client| client.name).collect();
    let Some(wanted) = client else { return Ok(json!({"clients": names})) };
    let client = CLIENTS.iter().find(|client| client.name == wanted).ok_or_else(|| {
        Error::invalid(format!("{wanted:?} is no client that is known"))
            .with_hint(format!("use one of {}; most others take what cursor does", names.join(", ")))
    })?;
    for toolset in toolsets {
        toolsets::toolset(toolset)?;
    }
    let mut args = vec!["mcp".to_owned()];
    if !toolsets.is_empty() {
        args.extend(["--toolset".into(), toolsets.join(",")]);
    }
    Ok(json!({"client": client.name, "file": client.file, "config": config(&client.form, program, &args)}))
}

fn config(form: &Form, program: &str, args: &[String]) -> String {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    match form {
        Form::Json { key, kind } => {
            let mut server = json!({"command": program, "args": args});
            if let Some(kind) = kind {
                server["type"] = json!(kind);
            }
            pretty(&json!({*key: {NAME: server}}))
        }
        Form::OneList => {
            let command: Vec<_> = std::iter::once(program).chain(args.iter().map(String::as_str)).collect();
            let server = json!({"type": "local", "command": command, "enabled": true});
            pretty(&json!({"$schema": "https://opencode.ai/config.json", "mcp": {NAME: server}}))
        }
        // Both take strings and lists as JSON writes them.
        Form::Toml => format!("[mcp_servers.{NAME}]\ncommand = {}\nargs = {}", json!(program), json!(args)),
        Form::Yaml => format!(
            "extensions:\n  {NAME}:\n    name: {NAME}\n    type: stdio\n    cmd: {}\n    args: {}\n    enabled: true\n    timeout: 300",
            json!(program),
            json!(args)
        ),
    }
}

/// For people: only what is to be written, so that it can be passed on.
pub(crate) fn shown(data: &Value) -> String {
    match data["clients"].as_array() {
        Some(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"),
        None => data["config"].as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(client: &str, toolsets: &[&str]) -> String {
        let toolsets: Vec<_> = toolsets.iter().map(|name| (*name).to_owned()).collect();
        shown(&of(Some(client), "/usr/bin/web hand", &toolsets).unwrap())
    }

    #[test]
    fn every_client_can_read_its_own() {
        for client in &CLIENTS {
            let text = written(client.name, &["browser"]);
            let server = match client.form {
                Form::Yaml => continue,
                Form::Toml => {
                    let read: toml::Table = text.parse().unwrap();
                    serde_json::to_value(&read["mcp_servers"][NAME]).unwrap()
                }
                Form::OneList => serde_json::from_str::<Value>(&text).unwrap()["mcp"][NAME].clone(),
                Form::Json { key, .. } => serde_json::from_str::<Value>(&text).unwrap()[key][NAME].clone(),
            };
            let all = server.to_string();
            assert!(all.contains("/usr/bin/web hand") && all.contains("--toolset"), "{}: {all}", client.name);
        }
    }

    #[test]
    fn the_forms() {
        assert_eq!(
            serde_json::from_str::<Value>(&written("vscode", &[])).unwrap(),
            json!({"servers": {"webhand": {"type": "stdio", "command": "/usr/bin/web hand", "args": ["mcp"]}}})
        );
        assert_eq!(
            written("codex", &[]),
            "[mcp_servers.webhand]\ncommand = \"/usr/bin/web hand\"\nargs = [\"mcp\"]"
        );
        assert!(written("goose", &[]).contains("    cmd: \"/usr/bin/web hand\"\n    args: [\"mcp\"]\n"));
    }

    #[test]
    fn an_unknown_one_lists_the_known() {
        let error = of(Some("emacs"), "webhand", &[]).unwrap_err();
        assert!(error.hint().contains("claude-code"), "{error}");
        assert!(shown(&of(None, "webhand", &[]).unwrap()).contains("zed"));
    }
}
