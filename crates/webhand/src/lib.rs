//! webhand: a browser for AI agents.
//!
//! This crate is the binary's inside: the command line, the daemon behind it, the fronts, settings and wiring. The engine itself is
//! re-exported for Rust programs, without the daemon. It needs a Tokio runtime and a Chromium on the machine.
//!
//! An [`Engine`] holds sessions by name; [`Engine::perform`] does an [`Action`] in one of them and returns an [`Outcome`], or an
//! [`Error`] with a [`Code`]. A session starts with the first action that opens something, and so does the browser. The actions are in
//! [`actions`], one struct each; what an outcome is made of is in [`outcome`].
//!
//! # Open a page and look at it
//!
//! ```no_run
//! use webhand::{Config, Engine, Front, Request, SessionName, SessionOptions, actions::{Open, Snapshot}};
//!
//! # async fn example() -> webhand::Result<()> {
//! let engine = Engine::new(Config::new("/tmp/webhand"))?;
//! let (session, options) = (SessionName::default(), SessionOptions::default());
//! let open = Open { url: Some("https://example.com".into()), ..Open::default() };
//! let outcome = engine.perform(&session, &options, Request::new(open)).await?;
//! println!("{:?} {:?}", outcome.title, outcome.status);
//!
//! let outcome = engine.perform(&session, &options, Request::new(Snapshot::default())).await?;
//! println!("{}", outcome.snapshot.unwrap_or_default().text);
//! engine.close(Front::Library).await;
//! # Ok(())
//! # }
//! ```
//!
//! # Click, and read what changed
//!
//! A [`Target`] is a ref of the snapshot, a selector, a point, or plain words. Once a page has been looked at, every outcome says what
//! changed since.
//!
//! ```no_run
//! use webhand::{Request, actions::Click};
//! # use webhand::{Engine, SessionName, SessionOptions};
//!
//! # async fn example(engine: Engine, session: SessionName, options: SessionOptions) -> webhand::Result<()> {
//! for target in ["e12", "the blue login button"] {
//!     let click = Click::new(target.parse()?);
//!     let outcome = engine.perform(&session, &options, Request::new(click)).await?;
//!     if let Some(delta) = outcome.delta {
//!         println!("{}", delta.text);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Fill in a form
//!
//! What is typed is a [`Typed`]: it prints and serialises as its length.
//!
//! ```no_run
//! use webhand::{Request, actions::{FillForm, FormField}};
//! # use webhand::{Engine, SessionName, SessionOptions};
//!
//! # async fn example(engine: Engine, session: SessionName, options: SessionOptions, password: &str) -> webhand::Result<()> {
//! let fields = vec![
//!     FormField { target: "Email".parse()?, value: "ada@example.com".into() },
//!     FormField { target: "Password".parse()?, value: password.into() },
//!     FormField { target: "css=#remember".parse()?, value: "true".into() },
//! ];
//! let form = FillForm { submit: true, ..FillForm::new(fields) };
//! let outcome = engine.perform(&session, &options, Request::new(form)).await?;
//! println!("{:?}: {:?} characters typed", outcome.url, outcome.typed);
//! # Ok(())
//! # }
//! ```
//!
//! # Errors
//!
//! They are told apart by their code. Some bring along what was found out by then.
//!
//! ```no_run
//! use webhand::{Code, Request, actions::Click};
//! # use webhand::{Engine, SessionName, SessionOptions};
//!
//! # async fn example(engine: Engine, session: SessionName, options: SessionOptions) -> webhand::Result<()> {
//! let click = Click::new("Delete".parse()?);
//! match engine.perform(&session, &options, Request::new(click)).await {
//!     Ok(outcome) => println!("clicked {:?}", outcome.target),
//!     Err(error) if error.code == Code::ElementAmbiguous => {
//!         for candidate in error.outcome.iter().flat_map(|outcome| &outcome.candidates) {
//!             println!("{candidate:?}");
//!         }
//!     }
//!     Err(error) if error.retriable() => println!("{error}; it may work the next time"),
//!     Err(error) => println!("{error}; {}", error.hint()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Several sessions at once
//!
//! Each has its own cookies, storage and tabs, in one browser. What one of them does holds up no other.
//!
//! ```no_run
//! use webhand::{Outcome, Request, actions::Open};
//! # use webhand::{Engine, SessionOptions};
//!
//! # async fn example(engine: Engine) -> webhand::Result<()> {
//! async fn open(engine: &Engine, session: &str, url: &str) -> webhand::Result<Outcome> {
//!     let open = Open { url: Some(url.into()), ..Open::default() };
//!     engine.perform(&session.parse()?, &SessionOptions::default(), Request::new(open)).await
//! }
//! let (ada, bob) =
//!     tokio::try_join!(open(&engine, "ada", "https://example.com"), open(&engine, "bob", "https://example.org"))?;
//! println!("{:?} {:?}", ada.title, bob.title);
//! # Ok(())
//! # }
//! ```
//!
//! # Hear of everything that is done
//!
//! ```no_run
//! use webhand::Phase;
//! # use webhand::Engine;
//!
//! # async fn example(engine: Engine) {
//! let mut events = engine.subscribe();
//! tokio::spawn(async move {
//!     // An error says that events were missed, or that the engine is gone.
//!     while let Ok(event) = events.recv().await {
//!         match event.phase {
//!             Phase::Started { .. } => println!("{} in {} …", event.verb, event.session),
//!             Phase::Ended { code: None, ms } => println!("{} done in {ms} ms", event.verb),
//!             Phase::Ended { code: Some(code), .. } => println!("{} failed: {code}", event.verb),
//!         }
//!     }
//! });
//! # }
//! ```

mod approving;
pub mod cli;
mod client;
mod client_sessions;
mod control;
mod daemon;
mod demo;
mod doctor;
mod dry_run;
mod files;
mod given_folders;
mod home;
mod host;
mod http;
mod hub;
mod install;
mod mcp;
mod mcp_config;
mod render;
mod said;
mod search;
mod settings;
mod token_commands;
mod tokens;
mod tool_docs;
mod tools;
mod wire;

pub use contract::{
    Code, Effect, Error, FrameId, Outcome, PageUrl, Ref, Result, SessionName, Span, TabId, Target, ToolError,
    ToolResult, ToolScreenshot, Typed,
};
pub use engine::{
    Action, BrowserInfo, Config, Engine, Event, Front, Phase, Request, Session, SessionInfo, SessionOptions,
    Until, Viewport, actions,
};
pub use guard::{Allow, Domains};

/// What an [`Outcome`] is made of.
pub mod outcome {
    pub use contract::{
        Candidate, ConsoleMessage, Content, Cut, Delta, Dialog, Download, Frame, Healed, Label, Named,
        Navigation, NavigationKind, NetworkRequest, Screenshot, Scrolled, Snapshot, SnapshotNode, Step,
        TabInfo,
    };
}
