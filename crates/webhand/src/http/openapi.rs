//! `/openapi.json`: what there is and what it answers, made from the toolsets' own schemas.

use std::sync::Arc;

use axum::{Extension, extract::State, http::StatusCode, response::Response};
use contract::Code;
use serde_json::{Map, Value, json};
use toolsets::{Options, Tool, Toolset};

use crate::{
    host::TabSnapshot,
    http::{App, Asker, reply},
};

/// The document.
pub(crate) async fn page(State(app): State<Arc<App>>, Extension(asker): Extension<Asker>) -> Response {
    let sets: Vec<_> = app.catalogue.sets().iter().copied().filter(|set| asker.may_use(set.name)).collect();
    reply::json(StatusCode::OK, &document(&sets, app.catalogue.options()))
}

fn document(sets: &[&'static Toolset], options: &Options) -> Value {
    let mut paths = fixed_paths();
    for set in sets {
        for tool in set.tools(options) {
            paths.insert(format!("/v1/tools/{}/{}", set.name, tool.name), json!({"post": call(set, tool)}));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "webhand",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A browser for AI agents. What a tool answers comes with 200, whether `ok` or not; 400 and 404 mean \
                that nothing was done. Every answer but `/healthz`, `/metrics` and `/v1/events` is a `ToolResult` or the reply of a \
                tool in the form of its toolset. MCP clients use `/mcp`, or `/mcp/TOOLSET` for one toolset alone.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"ToolResult": tool_result()},
            "parameters": {"session": {
                "name": "x-webhand-session", "in": "header", "required": false,
                "description": "The session to act in; `default` without it.",
                "schema": {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"},
            }, "dry_run": {
                "name": "dry_run", "in": "query", "required": false,
                "description": "Tell what the call would do and which rule decides on it, and do nothing.",
                "schema": {"type": "boolean"},
            }},
        },
    })
}

fn fixed_paths() -> Map<String, Value> {
    let result = || body(&json!({"$ref": "#/components/schemas/ToolResult"}));
    let get = |summary: &str, answers: Value| json!({"get": {"summary": summary, "responses": answers}});
    let listed = |summary: &str| get(summary, answers(&[("200", summary, result())]));
    let named =
        |name: &str| json!([{"name": name, "in": "path", "required": true, "schema": {"type": "string"}}]);
    let unknown = || ("404", "There is none of that name.", result());

    let mut toolset = get(
        "The tools of a toolset",
        answers(&[("200", "The tools with their schemas.", result()), unknown()]),
    );
    toolset["get"]["parameters"] = named("toolset");
    let close = json!({"delete": {
        "summary": "Close a session",
        "parameters": named("name"),
        "responses": answers(&[("200", "It is closed.", result()), unknown()]),
    }});
    let stop = json!({"post": {
        "summary": "End at once what runs in a session, also what waits for an approval; the session stays",
        "parameters": named("name"),
        "responses": answers(&[("200", "It has ended.", result()), unknown()]),
    }});
    let schema = json!({
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["once", "session", "always", "deny"]}},
        "required": ["answer"],
    });
    let answer = json!({"post": {
        "summary": "Answer what waits for an approval, with the approvers' token",
        "parameters": named("id"),
        "requestBody": {"required": true, "content": body(&schema)},
        "responses": answers(&[
            ("200", "It is answered.", result()),
            ("400", "It is no such answer, or cannot be remembered for an origin.", result()),
            ("403", "The token is not the approvers', or the Host or Origin is a stranger's.", result()),
            ("413", "The body is too large.", result()),
            unknown(),
        ]),
    }});
    let mut health = get("Whether the server runs", json!({}));
    health["get"]["security"] = json!([]);
    health["get"]["responses"] =
        json!({"200": {"description": "It does.", "content": body(&json!({"type": "object"}))}});
    let text = |kind: &str| json!({kind: {"schema": {"type": "string"}}});
    let paths = [
        ("/v1/tools", listed("The toolsets")),
        ("/v1/tools/{toolset}", toolset),
        ("/v1/sessions", listed("The sessions")),
        ("/v1/sessions/{name}", close),
        ("/v1/sessions/{name}/stop", stop),
        ("/v1/approvals", listed("What waits for an approval, and what is always allowed")),
        ("/v1/approvals/{id}", answer),
        (
            "/v1/events",
            get(
                "Everything that happens",
                answers(&[("200", "Events without end.", text("text/event-stream"))]),
            ),
        ),
        ("/v1/host/tab.upsertSnapshot", host()),
        ("/healthz", health),
        (
            "/metrics",
            get("Counters for Prometheus", answers(&[("200", "The counters.", text("text/plain"))])),
        ),
        (
            "/openapi.json",
            get("This document", answers(&[("200", "This document.", body(&json!({"type": "object"})))])),
        ),
    ];
    paths.into_iter().map(|(path, about)| (path.to_owned(), about)).collect()
}

/// What a host application tells.
fn host() -> Value {
    let result = || body(&json!({"$ref": "#/components/schemas/ToolResult"}));
    let schema = schemars::schema_for!(TabSnapshot).to_value();
    json!({"post": {
        "summary": "What a host application tells of one of its tabs",
        "requestBody": {"required": true, "content": body(&schema)},
        "responses": answers(&[
            ("200", "It is taken in, unless a newer one was there.", result()),
            ("400", "It is no such snapshot, or there is no host application.", result()),
            ("413", "The body is too large.", result()),
        ]),
    }})
}

fn call(set: &Toolset, tool: &Tool) -> Value {
    let result = || body(&json!({"$ref": "#/components/schemas/ToolResult"}));
    let reply = || body(&json!({"type": "object", "description": "In the form of the toolset."}));
    let mut busy = answers(&[
        ("200", "What the tool answers, whether it did what was asked for or not.", reply()),
        ("400", "The arguments were not understood; nothing was done.", reply()),
        ("413", "The body is too large.", result()),
        ("429", "Too many calls are waiting; try again after the time in Retry-After.", result()),
    ]);
    busy["429"]["headers"] = json!({"Retry-After": {"schema": {"type": "integer"}}});
    json!({
        "operationId": format!("{}.{}", set.name, tool.name),
        "tags": [set.name],
        "summary": tool.description,
        "parameters": [{"$ref": "#/components/parameters/session"}, {"$ref": "#/components/parameters/dry_run"}],
        "requestBody": {"required": true, "content": body(&tool.schema())},
        "responses": busy,
    })
}

fn body(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

/// The answers, with those that every request can get.
fn answers(own: &[(&str, &str, Value)]) -> Value {
    let result = body(&json!({"$ref": "#/components/schemas/ToolResult"}));
    let all = [
        ("401", "The token is missing or wrong.", result.clone()),
        ("403", "The Host or Origin is a stranger's.", result.clone()),
        ("404", "There is nothing of that name.", result),
    ];
    let known = own
        .iter()
        .cloned()
        .chain(all.into_iter().filter(|(code, ..)| own.iter().all(|(known, ..)| known != code)));
    let answers = known
        .map(|(code, about, content)| (code.to_owned(), json!({"description": about, "content": content})));
    Value::Object(answers.collect())
}

fn tool_result() -> Value {
    let codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    json!({
        "type": "object",
        "required": ["ok"],
        "properties": {
            "ok": {"type": "boolean"},
            "data": {"type": "object"},
            "error": {
                "type": "object",
                "required": ["code", "message", "retriable", "hint"],
                "properties": {
                    "code": {"type": "string", "enum": codes},
                    "message": {"type": "string"},
                    "retriable": {"type": "boolean"},
                    "cause": {"type": "string"},
                    "hint": {"type": "string"},
                },
            },
            "screenshot": {"type": "object"},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_in_it() {
        let document = document(&toolsets::ALL, &Options::default());
        let paths = document["paths"].as_object().unwrap();
        for set in toolsets::ALL {
            for tool in set.tools(&Options::default()) {
                let call = &paths[&format!("/v1/tools/{}/{}", set.name, tool.name)]["post"];
                assert_eq!(call["requestBody"]["content"]["application/json"]["schema"], tool.schema());
                for status in ["200", "400", "401", "403", "404", "413", "429"] {
                    assert!(call["responses"][status]["description"].is_string(), "{} {status}", tool.name);
                }
            }
        }
    }
}
