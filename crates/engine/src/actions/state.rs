//! `state`: a session's cookies and `localStorage`, saved to a file and loaded from it.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};
use contract::{Code, Effect, Error, Outcome, Result, SessionName};
use guard::Files;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Needs, Run, Verb};
use crate::{
    reach::Reach,
    saved::{SavedCookie, SavedItem, SavedOrigin, SavedState},
    storage::What,
};

/// Save the session's cookies and localStorage to a file, or load them from one
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// What to do
    #[command(subcommand)]
    pub op: StateOp,
}

/// What to do with a session's state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Subcommand)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StateOp {
    /// Save it: all cookies, and the localStorage of the origins that the tabs are at. Only the owner can read the file
    Save {
        /// The file; a new one in WEBHAND_HOME/state if none is named. If it is one already, the origins in it are saved again
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[arg(value_name = "FILE")]
        path: Option<PathBuf>,
    },
    /// Load it: cookies and items of that name are replaced, others stay. Tabs stay where they are
    Load {
        /// The file, of this command or Playwright's storageState
        #[arg(value_name = "FILE")]
        path: PathBuf,
    },
}

impl Verb for State {
    const NAME: &'static str = "state";

    fn effect(&self) -> Effect {
        Effect::Credential
    }

    fn needs(&self) -> Needs {
        Needs::Session
    }

    fn starts_session(&self) -> bool {
        matches!(self.op, StateOp::Load { .. })
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        match &mut self.op {
            StateOp::Save { path } => path.iter_mut().collect(),
            StateOp::Load { path } => vec![path],
        }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        match &self.op {
            StateOp::Save { path: Some(path) } => save(run, run.files, path).await,
            // A place of our own needs no leave of anybody.
            StateOp::Save { path: None } => save(run, &Files::default(), &new_name(run)).await,
            StateOp::Load { path } => load(run, path).await,
        }
    }
}

/// The folder of the states that a session saved without naming a file. Only the session itself may load them from there.
pub fn state_folder(home: &Path, session: &SessionName) -> PathBuf {
    home.join("state").join(session.as_str())
}

/// A file that the caller did not name.
fn new_name(run: &Run<'_>) -> PathBuf {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    state_folder(run.session.home(), run.session.name()).join(format!("{}.json", now.as_millis()))
}

async fn save(run: &Run<'_>, files: &Files, path: &Path) -> Result<Outcome> {
    let mut reach = Reach::new(run.context, run.deadline);
    let mut origins: BTreeSet<String> = reach.origins().cloned().collect();
    // What cannot be read is no state, and is replaced.
    if let Ok(before) = in_background(files, path, SavedState::read).await {
        origins.extend(before.origins.into_iter().map(|saved| saved.origin));
    }
    let mut state = SavedState::default();
    let mut notes = Vec::new();
    for origin in origins {
        match reach.ask(&origin, What::List, &[]).await {
            Ok(stored) if stored.items.is_empty() => {}
            Ok(stored) => {
                let item = |(name, value)| SavedItem { name, value };
                let local_storage = stored.items.into_iter().map(item).collect();
                state.origins.push(SavedOrigin { origin, local_storage });
            }
            Err(error) => notes.push(not_reached(&origin, error)?),
        }
    }
    state.cookies = run.context.cookies(run.deadline).await?.iter().map(SavedCookie::of).collect();
    let told = json!({"path": path, "cookies": state.cookies.len(), "origins": state.origins.len()});
    in_background(files, path, move |files, path| state.write(files, path)).await?;
    Ok(Outcome { value: Some(told), notes, ..Outcome::default() })
}

async fn load(run: &Run<'_>, path: &Path) -> Result<Outcome> {
    let state = in_background(run.files, path, SavedState::read).await?;
    let mut notes = Vec::new();
    let missing = load_cookies(run, &state.cookies).await?;
    if !missing.is_empty() {
        let names = missing.join(", ");
        notes.push(format!("{} cookies are over, or the browser did not take them: {names}", missing.len()));
    }
    let cookies = state.cookies.len() - missing.len();
    let told = json!({"path": path, "cookies": cookies, "origins": state.origins.len()});
    let mut reach = Reach::new(run.context, run.deadline);
    for saved in &state.origins {
        let items: Vec<_> = saved.local_storage.iter().map(|item| (&*item.name, &*item.value)).collect();
        // No items would mean all of them.
        if items.is_empty() {
            continue;
        }
        if let Err(error) = reach.ask(&saved.origin, What::Put, &items).await {
            notes.push(not_reached(&saved.origin, error)?);
        }
    }
    Ok(Outcome { value: Some(told), notes, ..Outcome::default() })
}

/// Sets the cookies. Returns the names of those that are not there afterwards: the browser does not say so when it takes none.
async fn load_cookies<'a>(run: &Run<'_>, saved: &'a [SavedCookie]) -> Result<Vec<&'a str>> {
    if saved.is_empty() {
        return Ok(Vec::new());
    }
    run.context.set_cookies(saved.iter().map(SavedCookie::param).collect(), run.deadline).await?;
    let there = run.context.cookies(run.deadline).await?;
    let is_missing = |saved: &&SavedCookie| !there.iter().any(|cookie| saved.is_same(cookie));
    Ok(saved.iter().filter(is_missing).map(SavedCookie::name).collect())
}

/// An origin that does not let itself be reached is no reason to fail; anything that concerns all of them is.
fn not_reached(origin: &str, error: Error) -> Result<String> {
    match error.code {
        Code::Unsupported | Code::InvalidInput | Code::Internal | Code::TabNotFound | Code::PageCrashed => {
            Ok(format!("what {origin} keeps was left out: {error}"))
        }
        _ => Err(error),
    }
}

/// Files are read and written where they hold up nobody.
async fn in_background<T: Send + 'static>(
    files: &Files,
    path: &Path,
    work: impl FnOnce(&Files, &Path) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (files, path) = (files.clone(), path.to_owned());
    tokio::task::spawn_blocking(move || work(&files, &path)).await.unwrap_or_else(|error| {
        Err(Error::new(Code::Internal, "the file could not be handled").with_cause(error))
    })
}
