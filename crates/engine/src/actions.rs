//! Everything that can be done: a closed list of verbs, one file each.
//!
//! To add a verb, write its file and add its line to the list below. Its struct gives the JSON form, the JSON schema and
//! the command line; the gate gives it deadline, policy and journal.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    time::Duration,
};

use clap::{Args as _, Subcommand};
use contract::{
    AgentName, Code, Effect, Error, Healed, Outcome, PageUrl, Place, Result, Span, TabId, Target,
};
use guard::{Files, Purpose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::{Front, Session, consent::Gate, context::Context, hands::plan_targets, tab::Tab};

/// One verb: what it is, and how it is done.
trait Verb {
    /// Its name in the journal and in JSON.
    const NAME: &'static str;

    /// What it does to the world.
    fn effect(&self) -> Effect;

    /// What has to be there for it.
    fn needs(&self) -> Needs {
        Needs::Page
    }

    /// Whether it may start a session that does not exist.
    fn starts_session(&self) -> bool {
        false
    }

    /// How long it takes by what it was told, to be added to the time that an action has by default.
    fn own_time(&self) -> Duration {
        Duration::ZERO
    }

    /// Where it wants to go, for the guard to allow.
    fn destination(&self) -> Option<&PageUrl> {
        None
    }

    /// Whether its outcome says what changed in the page since it was last looked at.
    fn tells_changes(&self) -> bool {
        true
    }

    /// Whether its outcome tells of errors in the console and of requests that failed meanwhile.
    fn tells_trouble(&self) -> bool {
        true
    }

    /// The elements that the caller named.
    fn targets(&self) -> Vec<&Target> {
        Vec::new()
    }

    /// The files that it names. A relative name means something in the caller's folder, which only the caller knows.
    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        Vec::new()
    }

    /// For a dry run: tells the gate what [`Verb::run`] would do to what it names, and does nothing. The effect and the destination have been
    /// told by then. A verb that says nothing here clicks what it names, unless its effect is one that no click has.
    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        plan_targets(run, &self.targets(), self.effect()).await
    }

    /// Does it.
    async fn run(&self, run: &Run<'_>) -> Result<Outcome>;
}

/// What has to be there for a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// The session; no particular tab.
    Session,
    /// A tab, even if a dialog holds its page.
    Tab,
    /// A tab whose page can answer.
    Page,
    /// The same, and one is opened if there is none.
    PageOrNew,
}

/// What a verb has to work with.
pub(crate) struct Run<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) context: &'a Context,
    pub(crate) tab: Option<(TabId, Arc<Tab>)>,
    /// The tab that the caller named, if it did.
    pub(crate) wanted_tab: Option<TabId>,
    /// Which way the caller came in.
    pub(crate) front: Front,
    /// The agent whose token the caller has, if it has one.
    pub(crate) agent: Option<&'a AgentName>,
    /// What the action does to the world, by what is known of it before.
    pub(crate) effect: Effect,
    /// Where it stands with rules and people.
    pub(crate) gate: &'a Gate,
    /// The files that the caller may name.
    pub(crate) files: &'a Files,
    /// When it began.
    pub(crate) began: Instant,
    pub(crate) deadline: Instant,
    /// How long an element is waited for that is not there, or cannot be used yet.
    pub(crate) patience: Instant,
    /// Whether the caller set a timeout, which is then how long it waits for elements as well.
    pub(crate) has_timeout: bool,
    /// How long the caller wants elements to be waited for, if it set that.
    pub(crate) element_timeout: Option<Span>,
    /// The page that it is meant for, if it follows another action.
    pub(crate) from: Option<Place>,
    /// Whether points are counted in the last picture that was sent.
    pub(crate) points_in_picture: bool,
    /// From which request on what it asked for is still under way, when it was not waited for to the end.
    pub(crate) unfinished: Mutex<Option<u64>>,
    /// Where the guard said that it may go.
    pub(crate) destination: Option<url::Url>,
    /// What happened to the element that was named.
    pub(crate) healed: Mutex<Option<Healed>>,
    /// Whether the page has been looked at since what was done in it is over.
    pub(crate) looked: AtomicBool,
    /// Whether it turned out that nothing was done in the page.
    pub(crate) only_read: AtomicBool,
}

impl<'a> Run<'a> {
    /// The same in another tab, wherever that may go.
    pub(crate) fn in_tab(&self, id: TabId, tab: Arc<Tab>) -> Run<'a> {
        Run {
            tab: Some((id, tab)),
            destination: None,
            from: None,
            unfinished: Mutex::default(),
            healed: Mutex::default(),
            looked: AtomicBool::default(),
            only_read: AtomicBool::default(),
            ..*self
        }
    }

    /// Fails if the caller named an element by a ref that no caller was given.
    pub(crate) fn check_refs(&self, action: &Action) -> Result<()> {
        let Some((_, tab)) = &self.tab else { return Ok(()) };
        tab.shown_refs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .check(action.targets(), self.wanted_tab.is_some())
    }

    /// Fails if the tab shows a page of a domain that the session's tabs may not go to. The browser may have opened it before anybody could
    /// hold its request back: for a link that was clicked with Control, for example, which a page can also do by itself.
    pub(crate) fn check_domain(&self) -> Result<()> {
        let places = self.session.places();
        let Some((id, tab)) = &self.tab else { return Ok(()) };
        if places.allowed_domains.is_none() || self.destination.is_some() {
            return Ok(());
        }
        // A page that says what could not be loaded is the browser's own.
        let shown = tab.read(|state| {
            let document = &state.document;
            document.unreachable.is_none().then(|| document.address().to_owned())
        });
        let Some(shown) = shown.and_then(|shown| url::Url::parse(&shown).ok()) else { return Ok(()) };
        if !matches!(shown.scheme(), "http" | "https" | "blob") {
            return Ok(());
        }
        places.check_url(&shown, Purpose::Navigation).map(drop).map_err(|refusal| {
            let mut error = Error::from(refusal);
            error.message = format!("{id} shows a page that it may not show: {}", error.message);
            error.with_hint(format!("close it with `webhand tabs close {id}`, or go elsewhere in it"))
        })
    }

    /// Notes the refs that the caller is given with a result.
    pub(crate) fn note_refs(&self, result: &mut Result<Outcome>) {
        if let Some((_, tab)) = &self.tab {
            tab.shown_refs.lock().unwrap_or_else(PoisonError::into_inner).add(result);
        }
    }

    /// Notes that the page is being given input: from now on the action cannot be begun anew as if nothing had happened.
    pub(crate) fn note_given(&self) {
        if let Some((_, tab)) = &self.tab {
            tab.note_sent();
        }
        self.gate.give();
    }

    /// The tab, for verbs that need one.
    pub(crate) fn tab(&self) -> Result<(TabId, &Arc<Tab>)> {
        match &self.tab {
            Some((id, tab)) => Ok((*id, tab)),
            None => Err(Error::new(Code::Internal, "the verb needs a tab, but did not say so")),
        }
    }
}

impl Action {
    /// Whether it goes to whatever has the focus.
    pub(crate) fn goes_to_focus(&self) -> bool {
        matches!(self, Action::Press(Press { target: None, .. }) | Action::Type(Type { target: None, .. }))
    }

    /// Whether it only looks: it changes neither a page nor anything that webhand keeps, starts nothing and writes no file. A dry run of a
    /// tool may do it.
    pub fn only_looks(&self) -> bool {
        let keeps = matches!(
            self,
            Action::Batch(_)
                | Action::Close(_)
                | Action::Console(Console { clear: true, .. })
                | Action::Halt(_)
                | Action::Pdf(_)
                | Action::Requests(Requests { clear: true, .. })
                | Action::Screenshot(_)
                | Action::Tabs(Tabs { op: Some(_) })
                | Action::Wait(_)
        );
        self.effect() == Effect::Read
            && !keeps
            && !self.starts_session()
            && self.clone().files_mut().is_empty()
    }

    /// Whether another page is what it is there for: what follows it is not meant for the page before.
    pub fn means_to_leave(&self) -> bool {
        self.effect() == Effect::Navigate || matches!(self, Action::Wait(Wait { url: Some(_), .. }))
    }
}

/// Declares the list: modules, [`Action`], and its way to each verb.
macro_rules! actions {
    ($($(#[$attribute:meta])* $module:ident $verb:ident;)*) => {
        $(mod $module; pub use $module::$verb;)*

        /// Something to do.
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Subcommand)]
        #[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
        #[expect(missing_docs, reason = "each verb is documented at its struct")]
        pub enum Action {
            $($(#[$attribute])* $verb($verb),)*
        }

        impl Action {
            /// Its name in the journal and in JSON.
            pub fn name(&self) -> &'static str {
                match self { $(Action::$verb(_) => $verb::NAME,)* }
            }

            /// Whether this is how one of them is called on a command line.
            pub fn is_command(name: &str) -> bool {
                [$($verb::NAME),*].iter().any(|verb| verb.split('_').eq(name.split('-')))
            }

            /// How one of them is said on a command line, made without making all the others.
            pub fn command(name: &str) -> Option<clap::Command> {
                $(if $verb::NAME.split('_').eq(name.split('-')) {
                    return Some($verb::augment_args(clap::Command::new(name.to_owned())));
                })*
                None
            }

            /// What it does to the world.
            pub fn effect(&self) -> Effect {
                match self { $(Action::$verb(verb) => verb.effect(),)* }
            }

            /// Whether it may start a session that does not exist.
            pub fn starts_session(&self) -> bool {
                match self { $(Action::$verb(verb) => verb.starts_session(),)* }
            }

            /// How long it takes by what it was asked for, such as a wait of ten seconds.
            pub fn own_time(&self) -> Duration {
                match self { $(Action::$verb(verb) => verb.own_time(),)* }
            }

            pub(crate) fn needs(&self) -> Needs {
                match self { $(Action::$verb(verb) => verb.needs(),)* }
            }

            pub(crate) fn destination(&self) -> Option<&PageUrl> {
                match self { $(Action::$verb(verb) => verb.destination(),)* }
            }

            pub(crate) fn tells_changes(&self) -> bool {
                match self { $(Action::$verb(verb) => verb.tells_changes(),)* }
            }

            pub(crate) fn tells_trouble(&self) -> bool {
                match self { $(Action::$verb(verb) => verb.tells_trouble(),)* }
            }

            pub(crate) fn targets(&self) -> Vec<&Target> {
                match self { $(Action::$verb(verb) => verb.targets(),)* }
            }

            /// The files that it names, to be made absolute by whoever knows in which folder they were named.
            pub fn files_mut(&mut self) -> Vec<&mut PathBuf> {
                match self { $(Action::$verb(verb) => verb.files_mut(),)* }
            }

            /// For a dry run: tells the gate what it would do to what it names.
            pub(crate) async fn plan(&self, run: &Run<'_>) -> Result<()> {
                match self { $(Action::$verb(verb) => Box::pin(verb.plan(run)).await,)* }
            }

            pub(crate) async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
                match self { $(Action::$verb(verb) => Box::pin(verb.run(run)).await,)* }
            }
        }

        $(impl From<$verb> for Action {
            fn from(verb: $verb) -> Action {
                Action::$verb(verb)
            }
        })*
    };
}

actions! {
    open Open;
    goto Goto;
    back Back;
    forward Forward;
    reload Reload;
    tabs Tabs;
    frames Frames;
    snapshot Snapshot;
    find Find;
    locate Locate;
    read Read;
    html Html;
    controls Controls;
    screenshot Screenshot;
    eval Eval;
    click Click;
    hover Hover;
    fill Fill;
    type_text Type;
    press Press;
    select Select;
    check Check;
    uncheck Uncheck;
    fill_form FillForm;
    drag Drag;
    scroll Scroll;
    upload Upload;
    download Download;
    pdf Pdf;
    wait Wait;
    dialog Dialog;
    batch Batch;
    halt Halt;
    console Console;
    requests Requests;
    resize Resize;
    emulate Emulate;
    cookies Cookies;
    storage Storage;
    state State;
    // The command line has its own, which can close everything.
    #[command(skip)] close Close;
}

pub use batch::{OnNavigation, leads_away, step_from};
pub use click::{Button, Modifier};
pub use console::Level;
pub use controls::{Lang, header};
pub use cookies::{CookiesOp, SameSite, SetCookie};
pub use dialog::Answer;
pub use emulate::{ColorScheme, Header};
pub use eval::World;
pub(crate) use eval::explained;
pub use fill_form::FormField;
pub use find::Place as FindIn;
pub use pdf::Paper;
pub use read::ReadFormat;
pub use screenshot::{Format, Scale};
pub use scroll::{Direction, Edge};
pub use select::SelectBy;
pub use snapshot::Form;
pub use state::{StateOp, state_folder};
pub use storage::{Area, StorageOp};
pub use tabs::TabsOp;
pub use wait::TargetState;
