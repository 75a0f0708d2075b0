//! The part of the gate that rules and people have a say in. A verb says what it is about to do ([`Run::may`]); what is denied ends it,
//! what is to be asked about ends it as well, before anything has been done. Then a person is asked, outside of the action's deadline and
//! without holding the tab, and the action is begun anew with the permit. So nothing stands half done while somebody thinks.

use std::{
    fs,
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use cdp::protocol as p;
use contract::{Code, Effect, Error, Named, Result, Span, TabId};
use guard::{
    approvals::{Approval, Approvals, End, Reply, Scope, now_ms},
    origin_of,
    rules::{Deed, Judgement, Ruling},
};
use journal::Entry;
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;
use url::Url;

use crate::{
    Request, Session, actions::Run, download_gate::Permits, page, record::without_quoted, snapshot::frame_of,
    unheard::Question, waited::Waited,
};

/// How long the picture that goes with a question may take.
const PICTURE: Duration = Duration::from_secs(3);

/// How much of an action a question repeats, in characters.
const LONGEST_ACTION: usize = 400;

/// What an element may do when it is used.
pub(crate) const BY_USE: [Effect; 4] = [Effect::Input, Effect::Submit, Effect::Navigate, Effect::Download];

/// What using an element would do, as the page's script tells. Addresses are as the browser reads them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Intent {
    submits: Option<String>,
    goes: Option<String>,
    downloads: Option<String>,
    /// Where the frame is, and whose it is.
    page: String,
    origin: String,
}

impl Intent {
    /// The frame's address; of one without an origin of its own, that of who made it.
    fn page(&self) -> Option<Url> {
        let page = Url::parse(&self.page).ok();
        match page.as_ref().and_then(origin_of) {
            Some(_) => page,
            None => Url::parse(&self.origin).ok().or(page),
        }
    }
}

/// Where one action stands with rules and people.
#[derive(Default)]
pub(crate) struct Gate {
    /// Whether any rule is about what elements do.
    cares: bool,
    /// What people have allowed for this action.
    permits: Permits,
    /// What is to be asked for.
    wish: Mutex<Option<Wish>>,
    /// Something has been done already, so that the action cannot be begun anew.
    begun: AtomicBool,
    /// The page has been given input, or was told to set a field.
    given: AtomicBool,
    pub(crate) waited: Waited,
}

/// Something that somebody has to allow.
pub(crate) struct Wish {
    deed: Deed,
    what: String,
    why: String,
}

impl Gate {
    pub(crate) fn new(cares: bool, waited: Waited) -> Gate {
        Gate { cares, waited, ..Gate::default() }
    }

    pub(crate) fn cares(&self) -> bool {
        self.cares
    }

    /// Something is being done: from now on it is too late to ask.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// The page is being given input.
    pub(crate) fn give(&self) {
        self.given.store(true, Ordering::Relaxed);
    }

    /// Says of an action that timed out that the page has its input, if that is so: the same again may do it twice.
    pub(crate) fn told(&self, mut error: Error) -> Error {
        if error.code != Code::Timeout || !self.given.load(Ordering::Relaxed) {
            return error;
        }
        error
            .message
            .push_str("; the page had been given the input by then, and what came of it is not known");
        error.once_only().with_hint("look at the page before doing it again: it may have been done")
    }

    /// What has to be asked for before the action can be done.
    pub(crate) fn take_wish(&self) -> Option<Wish> {
        self.begun.store(false, Ordering::Relaxed);
        self.wish.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What people have allowed for it, shared with what judges downloads.
    pub(crate) fn shared_permits(&self) -> Permits {
        self.permits.clone()
    }

    fn permits(&self, scope: &Scope) -> bool {
        self.permits.lock().unwrap_or_else(PoisonError::into_inner).contains(scope)
    }
}

impl Session {
    /// What the rules say: the engine's, and those of the session, which can only be stricter.
    pub(crate) fn judge(&self, deed: &Deed) -> Judgement {
        self.shared().rules().judge(deed).or_stricter(self.options().policy.narrow(deed))
    }

    /// Whether anybody has to look what an element would do.
    pub(crate) fn cares(&self) -> bool {
        self.shared().rules().care_for(&BY_USE) || self.options().policy.care_for(&BY_USE)
    }

    /// Lets a deed pass, or says why not. What is to be asked about is noted for whoever began the action.
    pub(crate) fn may(&self, gate: &Gate, deed: Deed, what: impl FnOnce() -> String) -> Result<()> {
        let Judgement { ruling, why, .. } = self.judge(&deed);
        let place =
            |scope: &Scope| [std::slice::from_ref(&scope.origin), &*scope.with].concat().join(" and ");
        match ruling {
            Ruling::Allow => Ok(()),
            Ruling::Deny => {
                let scope = Scope::of(&deed);
                let message =
                    format!("the policy denies {} at {}: {why}", deed.effect.as_str(), place(&scope));
                Err(Error::new(Code::ActionDenied, message).with_hint(format!(
                    "do without it, or ask for the policy to be changed; `webhand policy check {} URL --front {}` explains it",
                    deed.effect.as_str(),
                    deed.front,
                )))
            }
            Ruling::Ask => {
                let scope = Scope::of(&deed);
                if gate.permits(&scope) || self.shared().approvals.is_granted(self.name(), &scope) {
                    return Ok(());
                }
                if gate.begun.load(Ordering::Relaxed) {
                    let message = format!(
                        "{} at {} needs a person's approval, and this action is in the middle of something",
                        deed.effect.as_str(),
                        place(&scope),
                    );
                    return Err(Error::new(Code::ActionDenied, message).with_hint(
                        "do it in an action of its own, such as `webhand press Enter`; that is asked about",
                    ));
                }
                *gate.wish.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Wish { deed, what: what(), why });
                Err(Error::new(Code::ApprovalExpired, "a person has to be asked first"))
            }
        }
    }

    /// Asks a person, and waits for the answer.
    pub(crate) async fn ask(
        &self,
        request: &Request,
        tab: Option<TabId>,
        wish: Wish,
        gate: &Gate,
    ) -> Result<()> {
        let _pause = gate.waited.pause();
        let Wish { deed, mut what, why } = wish;
        let mut url = deed.to.as_ref().or(deed.pages.last()).map(without_secrets);
        // The page may repeat in a name or a path what it was told, and so may a script.
        for told in [Some(&mut what), url.as_mut()].into_iter().flatten() {
            self.secrets().redactor().mask(told);
        }
        let (scope, time) = (Scope::of(&deed), self.shared().approval_time);
        let question = Question {
            session: self.name().clone(),
            scope: scope.clone(),
            action: serde_json::to_string(&request.action).unwrap_or_default(),
        };
        let (id, end) = match (self.shared().unheard.find(&question), request.patience) {
            (Some(asked), patience) => {
                let end = asked.end(patience.map_or(time, |patience| patience.0), false).await;
                (asked.id().to_owned(), end)
            }
            (None, patience) => {
                let id = Approvals::new_id();
                let approval = self.approval(&id, request, tab, what, &scope, url, why).await;
                let answering = self.put(approval, time);
                let end = match patience.filter(|patience| patience.0 < time) {
                    Some(Span(patience)) => {
                        let asked = self.shared().unheard.begin(question, &id, time, answering);
                        asked.end(patience, true).await
                    }
                    None => Some(answering.await),
                };
                (id, end)
            }
        };
        let Some(end) = end else {
            let message = format!("a person was asked ({id}) and has not answered yet; nothing was done");
            return Err(Error::new(Code::ApprovalPending, message).with_hint(format!(
                "do the same again when somebody has answered, with `webhand approvals allow {id}` in a terminal; the answer is kept \
                 for it"
            )));
        };
        told(&id, end, time)?;
        gate.permits.lock().unwrap_or_else(PoisonError::into_inner).push(scope);
        Ok(())
    }

    /// What a person is to be asked.
    #[expect(clippy::too_many_arguments, reason = "it is put together from all of them")]
    async fn approval(
        &self,
        id: &str,
        request: &Request,
        tab: Option<TabId>,
        what: String,
        scope: &Scope,
        url: Option<String>,
        why: String,
    ) -> (Approval, Option<Picture>) {
        let asked_at = now_ms();
        let picture = Picture::take(self, tab, id).await;
        let approval = Approval {
            id: id.to_owned(),
            session: self.name().clone(),
            tab,
            verb: request.action.name().into(),
            what,
            scope: scope.clone(),
            url,
            screenshot: picture.as_ref().map(|Picture(file)| file.clone()),
            front: request.front.as_str().into(),
            why,
            asked_at,
            expires_at: asked_at + self.shared().approval_time.as_millis() as u64,
        };
        (approval, picture)
    }

    /// Puts a question and writes down how it ends. Who drops it asks no more.
    fn put(
        &self,
        (approval, picture): (Approval, Option<Picture>),
        time: Duration,
    ) -> impl Future<Output = End> + Send + use<> {
        let Approval { id, scope, why, .. } = &approval;
        let recording = self.shared().journal.begin(Entry {
            session: self.name().clone(),
            tab: approval.tab,
            front: approval.front.clone().into(),
            verb: "approval".into(),
            effect: scope.effect,
            // Words of the page stand in quotes.
            action: json!({"action": "approval", "id": id, "what": without_quoted(&approval.what), "scope": scope, "why": why}),
            url: approval.url.clone(),
        });
        tracing::info!(id, session = %self.name(), effect = scope.effect.as_str(), origin = scope.origin, "waits for an approval");
        let id = id.clone();
        let waiting = self.shared().approvals.ask(approval);
        async move {
            let _picture = picture;
            let end = waiting.end(time).await;
            match (end, told(&id, end, time)) {
                (End::Answered { reply, by }, _) => recording.finish(Ok(&json!({"reply": reply, "by": by}))),
                (_, Err(error)) => recording.finish(Err(&error)),
                (_, Ok(())) => {}
            }
            end
        }
    }
}

/// What an answer means for the action.
fn told(id: &str, end: End, time: Duration) -> Result<()> {
    Err(match end {
        End::Answered { reply: Reply::Deny, .. } => {
            Error::new(Code::ApprovalDenied, format!("a person was asked ({id}) and said no"))
        }
        End::Answered { .. } => return Ok(()),
        End::Expired => {
            let message =
                format!("a person was asked ({id}) and nobody answered within {} s", time.as_secs());
            Error::new(Code::ApprovalExpired, message).with_hint(
                "ask again when somebody is there; they answer with `webhand approvals allow ID` in a terminal, and `webhand approvals` lists the ids",
            )
        }
        End::Cancelled => {
            Error::new(Code::Cancelled, format!("the approval {id} was given up: webhand is ending"))
        }
    })
}

/// A picture for the person who is asked. It goes when the question is over.
struct Picture(PathBuf);

impl Picture {
    async fn take(session: &Session, tab: Option<TabId>, id: &str) -> Option<Picture> {
        let context = session.live()?;
        let (_, tab) = context.pages.get(Some(tab?)).ok()?;
        let capture = p::CaptureScreenshot { format: "png".into(), ..p::CaptureScreenshot::default() };
        let until = Instant::now() + PICTURE;
        let bytes = crate::capture::capture(&context, &tab, capture, until).await.ok()?;
        let folder = session.downloads_folder().ok()?.join("approvals");
        let file = folder.join(format!("{id}.png"));
        let mut new = fs::OpenOptions::new();
        new.write(true).create_new(true).mode(0o600);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
        new.open(&file).and_then(|mut picture| picture.write_all(&bytes)).ok()?;
        forget_old(&folder, session.shared().approval_time);
        Some(Picture(file))
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Removes the pictures of questions that are long over: a process that was killed could not. Others may ask in the same folder, so what is
/// young enough to be one of theirs stays.
fn forget_old(folder: &Path, time: Duration) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|about| about.modified()).ok();
        let is_old =
            written.and_then(|written| written.elapsed().ok()).is_some_and(|age| age > time + PICTURE);
        if is_old && entry.path().extension().is_some_and(|extension| extension == "png") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// An address without what may be secret in it: the user's name and password, and what comes after the path.
fn without_secrets(url: &Url) -> String {
    let mut shown = url.clone();
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_fragment(None);
    if shown.query().is_some() {
        shown.set_query(Some("…"));
        return shown.as_str().replace("?%E2%80%A6", "?…");
    }
    if matches!(shown.scheme(), "data" | "javascript") {
        format!("{}:…", shown.scheme())
    } else {
        shown.into()
    }
}

impl Run<'_> {
    /// A deed in this tab, and in the frame if it is in one.
    pub(crate) fn deed(&self, effect: Effect, frame: Option<Url>, to: Option<Url>) -> Deed {
        let top = self.tab.as_ref().map(|(_, tab)| tab.read(|state| state.document.address().to_owned()));
        let mut pages: Vec<Url> = top.and_then(|top| Url::parse(&top).ok()).into_iter().collect();
        pages.extend(frame.filter(|frame| !pages.contains(frame)));
        Deed { effect, front: self.front.as_str(), pages, to }
    }

    /// Lets a deed pass, or says why not.
    pub(crate) fn may(&self, deed: Deed, what: impl FnOnce() -> String) -> Result<()> {
        self.session.may(self.gate, deed, what)
    }

    /// Lets a page be gone to that nobody named: one of the tab's history.
    pub(crate) fn may_go(&self, address: &str) -> Result<()> {
        let to = Url::parse(address).ok();
        let what = || format!("goes to {}", to.as_ref().map(without_secrets).unwrap_or_default());
        self.may(self.deed(Effect::Navigate, None, to.clone()), what)
    }

    /// Lets an element be used that does this, or says why not. `how` is what is done to it: `clicks`.
    pub(crate) fn may_use(&self, named: &Named, how: &str, intent: &Intent) -> Result<()> {
        let frame = intent.page();
        let element = || format!("{how} {} {:?}", named.role, named.name);
        // The tab's own address has been judged; this is about the frame.
        self.may(self.deed(Effect::Input, frame.clone(), None), element)?;
        let does = [
            (Effect::Submit, &intent.submits, "which sends a form to"),
            (Effect::Navigate, &intent.goes, "which leads to"),
            (Effect::Download, &intent.downloads, "which downloads"),
        ];
        for (effect, address, words) in does {
            let Some(to) = address.as_deref().and_then(|address| Url::parse(address).ok()) else { continue };
            // What a page's own script makes of it nobody knows, and it goes nowhere by itself.
            if to.scheme() == "javascript" && effect == Effect::Navigate {
                continue;
            }
            let what = || format!("{}, {words} {}", element(), without_secrets(&to));
            self.may(self.deed(effect, frame.clone(), Some(to.clone())), what)?;
        }
        Ok(())
    }

    /// The same for an element that has not been aimed at: the page is asked what a click on it would do, or a key.
    pub(crate) async fn may_use_as(&self, named: &Named, how: &str, key: Option<&str>) -> Result<()> {
        if !self.gate.cares() {
            return Ok(());
        }
        let (_, tab) = self.tab()?;
        let arguments = (named.reference.element, key);
        let intent: Option<Intent> =
            page::ask_as(tab, frame_of(named.reference), "intentOf", &arguments, self.deadline).await?;
        match intent {
            Some(intent) => {
                // Whoever asked for a form to be sent means it, also if it is none that the browser knows.
                if self.effect == Effect::Submit && key == Some("Enter") && intent.submits.is_none() {
                    let what = || format!("{how} {} {:?}, to send what is there", named.role, named.name);
                    self.may(self.deed(Effect::Submit, intent.page(), None), what)?;
                }
                self.may_use(named, how, &intent)
            }
            None => Err(Error::new(Code::StaleRef, format!("{} is gone", named.reference))),
        }
    }
}

/// What an action does, in words: its effect, and the action itself with everything typed masked.
pub(crate) fn in_words(request: &Request) -> String {
    let does = match request.action.effect() {
        Effect::Read => "reads",
        Effect::Navigate => "goes to another page",
        Effect::Input => "acts in the page",
        Effect::Submit => "sends a form",
        Effect::Download => "writes a file from the web to this machine",
        Effect::Upload => "gives files of this machine to the page",
        Effect::Execute => "runs a script in the page's own world, where it can do all that the page can",
        Effect::Credential => "uses or reveals what is secret: cookies, storage, passwords",
    };
    let action = serde_json::to_string(&request.action).unwrap_or_default();
    let mut shown: String = action.chars().take(LONGEST_ACTION).collect();
    if shown.len() < action.len() {
        shown.push_str("… (cut)");
    }
    format!("{does}: {shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_secrets() {
        for (url, shown) in [
            ("https://u:p@bank.example/pay?token=x#y", "https://bank.example/pay?…"),
            ("https://bank.example/", "https://bank.example/"),
            ("data:text/html,secret", "data:…"),
            ("javascript:secret()", "javascript:…"),
        ] {
            assert_eq!(without_secrets(&url.parse().unwrap()), shown);
        }
    }

    #[test]
    fn pictures_of_the_dead_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old.png", "new.png"].map(|name| folder.path().join(name));
        for file in [&old, &new] {
            fs::write(file, "x").unwrap();
        }
        let time = Duration::from_secs(60);
        let long_ago = std::time::SystemTime::now() - (time + PICTURE) * 2;
        fs::File::options().append(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        forget_old(folder.path(), time);
        assert_eq!((old.exists(), new.exists()), (false, true));
    }

    #[test]
    fn a_frame_without_an_origin_is_its_makers() {
        let page = |page: &str, origin: &str| {
            Intent { page: page.into(), origin: origin.into(), ..Intent::default() }.page().map(String::from)
        };
        assert_eq!(page("https://a.example/x", "https://a.example").as_deref(), Some("https://a.example/x"));
        assert_eq!(page("about:srcdoc", "https://a.example").as_deref(), Some("https://a.example/"));
        assert_eq!(page("data:text/html,x", "null").as_deref(), Some("data:text/html,x"));
    }
}
