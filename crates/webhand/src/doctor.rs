//! `webhand doctor`: is everything here, and does it work?

use std::time::{Duration, Instant};

use contract::{Code, Error, Result, SessionName, ToolResult};
use engine::{
    Config, Engine, Front, Request,
    actions::{Eval, Open},
};
use serde::Serialize;
use serde_json::json;

use crate::{
    client::{self, Running},
    home::{Home, here},
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
    let failed: Vec<&str> = checks.iter().filter(|check| !check.ok).map(|check| check.name).collect();
    let mut result = ToolResult::success(json!({"checks": checks}));
    if !failed.is_empty() {
        let error = Error::new(Code::Internal, format!("not everything works: {}", failed.join(", ")))
            .with_hint("see what the failed checks say");
        result = ToolResult { data: result.data, ..error.into() };
    }
    Ok(result)
}

fn browser(settings: &Settings) -> Result<String> {
    let browser = engine::executable(settings.session_options(&here()).browser.as_ref())?;
    let root =
        if rustix::process::geteuid().is_root() { "; as root it runs without its sandbox" } else { "" };
    Ok(format!("{}{root}", browser.display()))
}

/// Starts a browser aside from everything else, and asks it something.
fn start(settings: &Settings) -> Result<String> {
    let failed =
        |error: std::io::Error| Error::new(Code::Internal, "the test could not be set up").with_cause(error);
    let runtime = tokio::runtime::Runtime::new().map_err(failed)?;
    let home = tempfile::tempdir().map_err(failed)?;
    runtime.block_on(async {
        let began = Instant::now();
        let engine = Engine::new(Config { timeout: Duration::from_secs(60), ..Config::new(home.path()) })?;
        let (name, options) = (SessionName::default(), settings.session_options(&here()));
        let options = engine::SessionOptions { browser: options.browser, ..Default::default() };
        let started = engine.perform(&name, &options, Request::new(Open::default())).await;
        started.map_err(|error| match error.code {
            Code::BrowserLaunchFailed => {
                error.with_hint("run the browser by hand with --headless to see what it lacks")
            }
            _ => error,
        })?;
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
        return Err(Error::new(Code::Internal, format!("only {} MiB free in /dev/shm", free >> 20))
            .with_hint("in a container, start it with --shm-size=1g or --ipc=host"));
    }
    Ok(format!("{} MiB free in /dev/shm", free >> 20))
}
