//! `webhand doctor`: is everything here, and does it work?

use std::time::{Duration, Instant};

use contract::{Result, SessionName, ToolResult};
use engine::{
    Config, Engine, Front, Request,
    actions::{Eval, Open},
};
use serde::Serialize;
use serde_json::json;

use crate::{
    client::{self, Running},
    home::Home,
    settings::Settings,
    wire::Command,
};

/// Less shared memory than this makes pages crash.
const SHARED_MEMORY: u64 = 64 << 20;

#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

fn check(name: &'static str, result: Result<String>) -> Check {
    match result {
        Ok(says) => Check { name, ok: true, says, hint: None },
        Err(error) => Check { name, ok: false, hint: Some(error.hint().into()), says: error.to_string() },
    }
}

/// Tries everything and tells what it found. Something that does not work makes the whole answer a failure.
pub(crate) fn examine(home: &Home, settings: &Settings) -> Result<ToolResult> {
    let mut checks = vec![
        check("home", home.make().map(|()| home.path().display().to_string())),
        check("browser", browser(settings)),
    ];
    let found = checks.iter().all(|check| check.ok);
    if found {
        checks.push(check("start", start(settings)));
    }
    checks.push(check("memory", shared_memory()));
    checks.push(check(
        "journal",
        journal::read(&home.journal(), &journal::Filter { session: None, limit: 1 })
            .map(|_| format!("{} can be read", home.journal().display())),
    ));
    checks.push(check(
        "daemon",
        client::ask_if_running(home, &Command::Status).map(|answer| match answer {
            Running::Answer(_) => "is running".into(),
            Running::No => "is not running; it starts with the first command".into(),
            Running::OtherBuild(build) => format!("is running, of another build ({build})"),
        }),
    ));
    let ok = checks.iter().all(|check| check.ok);
    Ok(ToolResult { ok, ..ToolResult::success(json!({"checks": checks})) })
}

fn browser(settings: &Settings) -> Result<String> {
    let found = match &settings.browser {
        Some(name) => cdp::find::named(name),
        None => cdp::find::find(),
    };
    let browser = found
        .ok_or_else(|| contract::Error::new(contract::Code::BrowserNotInstalled, "no browser was found"))?;
    let root =
        if rustix::process::geteuid().is_root() { "; as root it runs without its sandbox" } else { "" };
    Ok(format!("{}{root}", browser.display()))
}

/// Starts a browser aside from everything else, and asks it something.
fn start(settings: &Settings) -> Result<String> {
    let failed = |error: std::io::Error| {
        contract::Error::new(contract::Code::Internal, "the test could not be set up").with_cause(error)
    };
    let runtime = tokio::runtime::Runtime::new().map_err(failed)?;
    let home = tempfile::tempdir().map_err(failed)?;
    runtime.block_on(async {
        let began = Instant::now();
        let engine = Engine::new(Config { timeout: Duration::from_secs(60), ..Config::new(home.path()) })?;
        let (name, options) = (SessionName::default(), settings.session_options());
        let options = engine::SessionOptions { browser: options.browser, ..Default::default() };
        engine.perform(&name, &options, Request::new(Open::default())).await?;
        let value = engine.perform(&name, &options, Request::new(Eval::new("1 + 1"))).await?.value;
        let version = engine.browsers().first().map(|browser| browser.version.clone()).unwrap_or_default();
        let took = began.elapsed().as_millis();
        engine.close(Front::Cli).await;
        Ok(format!("{version} started and answered {} in {took} ms", value.unwrap_or_default()))
    })
}

fn shared_memory() -> Result<String> {
    let Ok(about) = rustix::fs::statvfs("/dev/shm") else { return Ok("/dev/shm is not used here".into()) };
    let free = about.f_bavail * about.f_frsize;
    if free < SHARED_MEMORY {
        return Err(contract::Error::new(
            contract::Code::Internal,
            format!("only {} MiB free in /dev/shm", free >> 20),
        )
        .with_hint("in a container, start it with --shm-size=1g or --ipc=host"));
    }
    Ok(format!("{} MiB free in /dev/shm", free >> 20))
}
