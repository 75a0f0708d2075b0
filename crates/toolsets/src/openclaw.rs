//! `openclaw`: one `browser` tool with a flat list of arguments; `action` says what is to be done, and for `act` the `kind`. Profiles
//! are sessions. Answers are flat too: `{ok, …}`, or `{ok: false, error}`.

mod act;
mod answer;
mod args;
mod batch;
mod files;
mod look;
mod refs;
mod seat;
mod status;
mod tabs;

use contract::Result;

use self::{args::Raw, args::Verb, seat::Seat};
use crate::{Caller, Hints, Step, Tool, Toolset, tool::Call};

/// The toolset.
pub const TOOLSET: Toolset = Toolset {
    name: "openclaw",
    about: "One flat browser tool with profiles, tabs, snapshots and acts, as OpenClaw has it",
    all: &[BROWSER],
    offers: |_, _| true,
    refuse: answer::failed,
    words: &crate::wording::OPENCLAW,
    ignored: None,
};

const BROWSER: Tool = Tool::new::<Raw>(
    "browser",
    "Use a browser. open or navigate to a page, snapshot it for refs, act on refs (request: {kind, ref, …}), read it with content. Each \
     profile is a browser of its own: openclaw (default) is isolated, chrome is the user's running one, any other name keeps its logins. \
     Give targetId to stay in one tab. If a ref is stale, take a new snapshot",
    Hints::Acts,
);

impl Call for Raw {
    fn call(self, caller: &Caller) -> Result<Step> {
        let args = self.read()?;
        let seat = Seat { has_time: args.timeout_ms.is_some(), ..Seat::of(args.profile.as_deref(), caller)? };
        let time = args.timeout_ms.map(|_| act::time(&args)).transpose()?;
        let step = match args.action {
            Verb::Status => Ok(status::status(seat)),
            Verb::Start => Ok(status::start(seat)),
            Verb::Stop => Ok(status::stop(seat)),
            Verb::Profiles => Ok(status::profiles(caller)),
            Verb::Doctor => Ok(status::doctor(seat)),
            Verb::Tabs => Ok(tabs::list(seat)),
            Verb::Open => tabs::open(seat, args),
            Verb::Focus => tabs::focus(seat, args),
            Verb::Close => Ok(tabs::close(seat, args)),
            Verb::Navigate => tabs::navigate(seat, args),
            Verb::Snapshot => look::snapshot(seat, args),
            Verb::Screenshot => look::screenshot(seat, args),
            Verb::Content => look::content(seat, args),
            Verb::Text => look::text(seat, args),
            Verb::Console => look::console(seat, args),
            Verb::Errors => Ok(look::errors(seat, args)),
            Verb::Requests => Ok(look::requests(seat, args)),
            Verb::Pdf => Ok(files::pdf(seat, args)),
            Verb::Upload => files::upload(seat, args),
            Verb::Download => files::download(seat, args),
            Verb::Waitfordownload => files::wait_for_download(seat, args),
            Verb::Dialog => act::dialog(seat, args),
            Verb::Emulate => act::emulate(seat, args),
            Verb::Act => act::act(seat, args),
        };
        step.map(|step| step.within(time))
    }
}
