//! Drives the calls of tools: does what a tool asks for, one thing after the other, until it has its reply. Every front does it
//! through here, so a tool answers alike wherever it is called from.

use std::{
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::Arc,
};

use contract::{Code, Error, Outcome, Result, SessionName};
use engine::{Action, Engine, Front, Request, SessionOptions, actions::Format};
use futures_util::FutureExt;
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolsets::{Answer, Ask, Caller, Options, Reply, Step, Toolset};

use crate::{
    files::{Files, Folders},
    home::Home,
    host::{Host, Page},
    render, search,
    settings::Settings,
};

/// How many files of one name there may be.
const MOST_NAMESAKES: u32 = 1_000;

/// A call of a tool, as it comes in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) toolset: String,
    pub(crate) tool: String,
    /// Never printed: it may hold secrets.
    pub(crate) args: Secret,
    pub(crate) session: SessionName,
    pub(crate) options: SessionOptions,
    pub(crate) tools: Options,
}

/// Arguments, which nobody may print.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret<T = Value>(pub(crate) T);

impl<T> std::fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// A toolset as lists show it.
pub(crate) fn about(set: &Toolset, options: &Options) -> Value {
    let names: Vec<_> = set.tools(options).iter().map(|tool| tool.name).collect();
    json!({"toolset": set.name, "about": set.about, "tools": names})
}

/// The tools of a toolset with their schemas.
pub(crate) fn listed(set: &Toolset, options: &Options) -> Value {
    let tool = |tool: &&toolsets::Tool| json!({"name": tool.name, "description": tool.description, "inputSchema": tool.schema()});
    json!({"toolset": set.name, "tools": set.tools(options).iter().map(tool).collect::<Vec<_>>()})
}

/// What tools need of the rest.
#[derive(Clone)]
pub(crate) struct Tools {
    pub(crate) engine: Engine,
    pub(crate) home: Home,
    pub(crate) host: Host,
}

/// Who calls now.
pub(crate) fn caller(call: &Call, front: Front, private: bool) -> Caller {
    Caller {
        front,
        session: call.session.clone(),
        private,
        options: call.options.clone(),
        tools: Arc::new(call.tools.clone()),
        now: Zoned::now().datetime(),
        mark: render::mark(),
        patience: None,
    }
}

impl Tools {
    /// Makes a call and returns the tool's reply, also if there is no such tool.
    pub(crate) async fn call(
        &self,
        toolset: &str,
        tool: &str,
        args: Value,
        caller: &Caller,
        folders: &impl Folders,
    ) -> Reply {
        let call = AssertUnwindSafe(self.drive(toolset, tool, args, caller, folders)).catch_unwind();
        // A panic is a mistake of ours, and the caller is still owed an answer.
        call.await.unwrap_or_else(|_| {
            tracing::error!(toolset, tool, "a call panicked");
            Reply::of(
                Error::new(Code::Internal, format!("{tool} failed in a way that nobody expected")).into(),
            )
        })
    }

    async fn drive(
        &self,
        toolset: &str,
        tool: &str,
        args: Value,
        caller: &Caller,
        folders: &impl Folders,
    ) -> Reply {
        let mut step = match toolsets::toolset(toolset) {
            Ok(set) => match Settings::refresh_rules(&self.home, &self.engine) {
                Ok(()) => set.call(tool, args, caller),
                Err(error) => Step::Done((set.refuse)(error)),
            },
            Err(error) => Step::Done(Reply::of(error.into())),
        };
        loop {
            match step {
                Step::Done(reply) => return reply,
                Step::Ask(ask, then) => step = then(self.answer(*ask, caller.front, folders).await),
            }
        }
    }

    async fn answer(&self, ask: Ask, front: Front, folders: &impl Folders) -> Answer {
        match ask {
            Ask::Perform { session, options, mut request } => {
                let ready = self.name_files(&mut request, folders).await;
                let result = match ready {
                    Ok(()) => self.engine.perform(&session, &options, request).await,
                    Err(error) => Err(error),
                };
                Answer::Outcome(result)
            }
            Ask::Sessions => Answer::Sessions(self.engine.list()),
            Ask::Write { path, bytes } => Answer::Written(write(&folders.files().await, &path, &bytes)),
            Ask::Picture { session, options, request, path } => {
                Answer::Outcome(self.picture(&session, &options, request, &path, folders).await)
            }
            Ask::OpenInHost { session, options, url, title } => {
                let page = Page { url, title };
                Answer::Opened(self.host.open(&self.engine, &session, &options, front, &page).await)
            }
            Ask::Search { query } => Answer::Found(search::ask(&query).await),
        }
    }

    /// A picture in a file of its own, which is there only if the picture is.
    async fn picture(
        &self,
        session: &SessionName,
        options: &SessionOptions,
        request: Request,
        path: &Path,
        folders: &impl Folders,
    ) -> Result<Outcome> {
        let files = folders.files().await;
        files.named(path)?;
        let mut outcome = self.engine.perform(session, options, request).await?;
        if let Some(picture) = &mut outcome.screenshot {
            picture.path = Some(write(&files, path, &picture.bytes)?);
        }
        Ok(outcome)
    }

    /// A file's name means something in the caller's folder and not in ours. A picture always needs one.
    async fn name_files(&self, request: &mut Request, folders: &impl Folders) -> Result<()> {
        if !request.action.files_mut().is_empty() {
            request.files = folders.files().await;
            for file in request.action.files_mut() {
                *file = request.files.named(file)?;
            }
        }
        if let Action::Screenshot(screenshot) = &mut request.action {
            let jpeg = screenshot.format == Some(Format::Jpeg);
            screenshot.path.get_or_insert_with(|| self.home.new_screenshot(jpeg));
        }
        Ok(())
    }
}

/// Writes a new file. If its name is taken, the new one gets a number.
fn write(files: &Files, path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let path = files.named(path)?;
    for number in 1..MOST_NAMESAKES {
        let path = if number == 1 { path.clone() } else { numbered(&path, number) };
        // A link is a name that is taken, wherever it leads.
        if !path.is_symlink() && files.place(&path)?.write_new(bytes)?.is_some() {
            return Ok(path);
        }
    }
    Err(Error::invalid(format!("there are too many files named like {}", path.display())))
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}_{number}{ending}"))
}
