//! Filling fields, each by its kind: text is typed over what was there, dates and the like are set, boxes ticked, lists chosen from. What
//! a field was given is compared in the page; it never comes back from there, and no error repeats it.

use contract::{Code, Error, FrameId, Named, Outcome, Ref, Result, Target, Typed};
use serde::Deserialize;

use crate::{
    actions::{Run, SelectBy},
    anew::after_waiting,
    choose::{self, Wanted, choose},
    hands::{
        Aimed, Hindrance, Needs, Point, Used, aim, element_for, named_in, patience, plan_use_of, taken,
        use_in_turn,
    },
    keyboard, keys, page,
    pull::pull_range,
    settle::{Answering, Before, End, Settled, seen, settle_typing},
    slide::slide,
    snapshot::{frame_of, reference},
    tab::Tab,
    ticks,
    typing::Typing,
};

/// The keys that select all that is in a field, as editors know them.
const SELECT_ALL: &str = if cfg!(target_os = "macos") { "Meta+a" } else { "Control+a" };

/// Sliders that say nothing of themselves look like anything else that can have the focus.
const PERHAPS_SLIDER: &str =
    "choose a field; if it is a slider, press ArrowRight or ArrowLeft with it as the target, or drag it";

/// How a field is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Text,
    /// Set as a whole: dates, times, colours, sliders.
    Value,
    /// Edited in place (`contenteditable`).
    Editable,
    List,
    Tick,
    /// Moved by keys.
    Slider,
    File,
    None,
}

/// A field that a value is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) element: Ref,
    kind: Kind,
}

/// What the page's script says of a field.
#[derive(Deserialize)]
struct Found {
    number: u32,
    kind: Kind,
    /// It is no field, but keys may do something to it.
    #[serde(default)]
    focusable: bool,
    /// What is in it is nobody else's business.
    #[serde(default)]
    secret: bool,
    /// How the text has to be written, if it is not.
    misfit: Option<String>,
}

/// What it says of filling one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Filled {
    problem: Option<String>,
    /// How it has to be written.
    format: String,
    /// There was nothing in it.
    empty: bool,
    /// What is in it is selected by keys, since it is drawn by the page itself.
    #[serde(rename = "byKeys")]
    by_keys: bool,
    already: bool,
    invalid: bool,
    /// From where to where the mouse pulls it, in its frame.
    pull: Option<[Point; 2]>,
}

/// What it says of a field that was set as a whole.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    is_kept: bool,
    /// Where a slider stands, if not where it was set to.
    stands: Option<String>,
}

/// What it says of the text in a field.
#[derive(Deserialize)]
struct Compared {
    same: bool,
    /// Nobody can tell: the page draws it by itself.
    #[serde(default)]
    unread: bool,
    #[serde(default)]
    changed: bool,
    #[serde(default)]
    held: u64,
    #[serde(default)]
    wanted: u64,
    /// It is empty, or shows only how it is to be filled.
    #[serde(default)]
    blank: bool,
    /// The same, but the text stands beside it.
    #[serde(default)]
    beside: bool,
    /// How it is to be filled, in the page's words.
    #[serde(default)]
    pattern: String,
    /// It holds the text with other signs in it.
    #[serde(default)]
    alike: bool,
}

/// What the page's script says of a field that it has aimed at in the same breath.
#[derive(Deserialize)]
struct FoundAndAimed {
    #[serde(flatten)]
    found: Found,
    aimed: Option<serde_json::Value>,
    /// What came of typing into it.
    settled: Option<serde_json::Value>,
}

/// Fills the field that a target means. Whoever calls this has the tab's turn.
pub(crate) async fn fill(run: &Run<'_>, target: &Target, text: &Typed) -> Result<(Field, Outcome)> {
    if let Some(filled) = fill_at_once(run, target, text).await? {
        return Ok(filled);
    }
    let field = field_for(run, target, text).await?;
    let filled = field.fill(run, text).await?;
    Ok((field, filled))
}

/// The usual case, a field for text that is named by its ref, in as few calls as can be. None if it is another case.
async fn fill_at_once(run: &Run<'_>, target: &Target, text: &Typed) -> Result<Option<(Field, Outcome)>> {
    let Some(named) = named_in(run, target)? else { return Ok(None) };
    let (_, tab) = run.tab()?;
    let frame = frame_of(named);
    let before = Before::note(run)?;
    tab.note(|state| state.verdict = None);
    let seen = seen(tab, frame);
    let arguments = (named.element, text.expose(), patience(run), FILL, seen);
    let mut asking =
        Box::pin(page::ask_as::<Option<FoundAndAimed>>(tab, frame, "fillNow", &arguments, run.deadline));
    // When the field has the focus, the page says so and waits for what is typed.
    let ready = tab.until_some(run.deadline, "the field", |state| state.verdict.clone());
    let (asked, is_ready) = tokio::select! {
        biased;
        asked = &mut asking => (asked?, false),
        told = ready => (serde_json::from_str(&told?).ok(), true),
    };
    let Some(FoundAndAimed { found, aimed: Some(aimed), .. }) = asked else { return Ok(None) };
    let field = Field { element: reference(frame, found.number), kind: found.kind };
    note_secret(run, field, found.secret, text)?;
    let aimed = match taken(tab, field.element, Ok(aimed)) {
        Ok(aimed) => aimed,
        Err(Hindrance::Gone) => return Ok(None),
        Err(Hindrance::Waited(error)) => return Err(after_waiting(error, run.began, "")),
        Err(Hindrance::Error(error)) => return Err(error),
    };
    let answering = is_ready
        .then(|| Answering { answer: Box::pin(async { asking.await.ok().flatten()?.settled }), seen });
    Ok(Some((field, type_over(run, aimed, &before, text, answering).await?)))
}

/// A field for text is given the focus as soon as it can be used.
const FILL: Needs = Needs { begin: Some("beginFill"), ..Needs::EDIT };

/// The field that a target means, and whether this text can be put into it as far as that is known without trying.
pub(crate) async fn field_for(run: &Run<'_>, target: &Target, text: &Typed) -> Result<Field> {
    let (_, tab) = run.tab()?;
    let ask = async |element: Ref| {
        let arguments = (element.element, text.expose());
        page::ask_as::<Option<Found>>(tab, frame_of(element), "fieldFor", &arguments, run.deadline).await
    };
    // Who names a ref is believed at first; if its element is gone, another may have taken its place.
    let mut asked = None;
    if let Some(named) = named_in(run, target)? {
        asked = ask(named).await?.map(|found| (named, found));
    }
    let (element, Found { number, kind, focusable, secret, misfit: format }) = match asked {
        Some(found) => found,
        None => {
            let element = element_for(run, target).await?;
            let Some(found) = ask(element).await? else {
                return Err(Error::new(Code::StaleRef, format!("{element} is gone")));
            };
            (element, found)
        }
    };
    let frame = frame_of(element);
    let field = Field { element: reference(frame, number), kind };
    note_secret(run, field, secret, text)?;
    match kind {
        Kind::None => {
            let error = Error::new(Code::ElementNotEditable, format!("{element} takes no text"));
            return Err(if focusable { error.with_hint(PERHAPS_SLIDER) } else { error });
        }
        Kind::File => {
            return Err(Error::invalid(format!("{element} takes files, not text"))
                .with_hint("use `webhand upload` with the element and the files"));
        }
        Kind::Tick => drop(ticks::read(text.expose())?),
        Kind::Text | Kind::Value | Kind::Editable | Kind::List | Kind::Slider => {
            if let Some(format) = format {
                return Err(misfit(field.element, &format));
            }
        }
    }
    Ok(field)
}

/// Tells what filling the field that a target means would do, for a dry run.
pub(crate) async fn plan(run: &Run<'_>, target: &Target, text: &Typed) -> Result<Field> {
    let field = field_for(run, target, text).await?;
    let target = Target::Ref(field.element);
    match field.kind {
        Kind::Tick => ticks::plan(run, &target, ticks::read(text.expose())?).await?,
        Kind::List => {
            let values = [text.expose().to_owned()];
            choose::plan(run, &target, Wanted { values: &values, by: SelectBy::Any, told: false }).await?;
        }
        _ => drop(plan_use_of(run, field.element, field.needs()).await?),
    }
    Ok(field)
}

/// What goes into a secret field is a secret before it gets there: whatever comes of it, it is masked.
fn note_secret(run: &Run<'_>, field: Field, is_secret: bool, text: &Typed) -> Result<()> {
    // A dry run puts nothing into it.
    if is_secret && !run.gate.is_dry() {
        run.session.secrets().filled((run.tab()?.0, field.element), text.expose());
    }
    Ok(())
}

fn misfit(field: Ref, format: &str) -> Error {
    Error::invalid(format!("{field} does not take the text as it is written"))
        .with_hint(format!("give {format}"))
}

impl Field {
    /// What the field has to be like to be filled.
    pub(crate) fn needs(self) -> Needs {
        match self.kind {
            Kind::Text | Kind::Value | Kind::Editable => Needs::EDIT,
            _ => Needs::FOCUS,
        }
    }

    /// Fills the field. Whoever calls this has the tab's turn.
    pub(crate) async fn fill(self, run: &Run<'_>, text: &Typed) -> Result<Outcome> {
        let target = Target::Ref(self.element);
        match self.kind {
            Kind::Text | Kind::Editable => put_text(run, &target, text).await,
            Kind::Value => set_value(run, &target, text).await,
            Kind::Slider => slide(run, &target, text).await,
            Kind::Tick => ticks::tick(run, &target, ticks::read(text.expose())?).await,
            Kind::List => {
                let values = [text.expose().to_owned()];
                choose(run, &target, Wanted { values: &values, by: SelectBy::Any, told: false }).await
            }
            Kind::File | Kind::None => {
                Err(Error::new(Code::ElementNotEditable, format!("{} takes no text", self.element)))
            }
        }
    }

    /// Whether the text that was put into the field is there no more, now that others have been filled.
    pub(crate) async fn is_emptied(self, run: &Run<'_>, text: &Typed) -> Result<bool> {
        let (_, tab) = run.tab()?;
        let frame = frame_of(self.element);
        let is_there = tab.read(|state| {
            !state.stands_still() && state.end.is_none() && state.world(frame, false).is_some()
        });
        if self.kind != Kind::Text || text.expose().is_empty() || !is_there {
            return Ok(false);
        }
        let arguments = (self.element.element, text.expose());
        // Whatever keeps the page from answering, the text has been typed.
        Ok(page::ask_as(tab, frame, "isEmptied", &arguments, run.deadline).await.unwrap_or(false))
    }

    /// Whether Enter may be pressed in the field, before it is and, if it has to be asked, before anything else is done.
    pub(crate) async fn may_submit(self, run: &Run<'_>) -> Result<()> {
        let named = Named { reference: self.element, role: "field".into(), ..Named::default() };
        run.may_use_as(&named, "presses Enter in", Some("Enter")).await
    }

    /// Presses Enter in the field, which sends most forms.
    pub(crate) async fn submit(self, run: &Run<'_>, filled: Outcome) -> Result<Outcome> {
        let stopped = run.tab()?.1.read(|state| state.stands_still() || state.end.is_some());
        if filled.navigation.is_some() || stopped {
            return Ok(filled);
        }
        let target = Target::Ref(self.element);
        let Used { outcome, .. } = use_in_turn(run, &target, Needs::FOCUS, |element| async move {
            keyboard::give_focus(run, element).await?;
            run.gate.begin();
            self.may_submit(run).await?;
            keyboard::press_named(&keyboard::channel(run, frame_of(element))?, "Enter", run.deadline).await
        })
        .await?;
        let notes = [filled.notes, outcome.notes].concat();
        Ok(Outcome { target: filled.target, typed: filled.typed, steps: filled.steps, notes, ..outcome })
    }
}

/// Types a text over what is in a field.
async fn put_text(run: &Run<'_>, target: &Target, text: &Typed) -> Result<Outcome> {
    // That a field gets the focus may set something going.
    let before = Before::note(run)?;
    type_over(run, aim(run, target, FILL).await?, &before, text, None).await
}

/// The same for one that has the focus.
async fn type_over(
    run: &Run<'_>,
    aimed: Aimed,
    before: &Before,
    text: &Typed,
    answering: Option<Answering<'_>>,
) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let Aimed { element, named, begun, .. } = aimed;
    let frame = frame_of(element);
    let begun: Filled = serde_json::from_value(begun).unwrap_or_default();
    let typed = async {
        has_focus(element, &begun)?;
        let channel = keyboard::channel(run, frame)?;
        let typing = async {
            if begun.by_keys {
                keyboard::press(&channel, &keys::parse(SELECT_ALL)?, run.deadline).await?;
            }
            match text.expose() {
                "" if begun.empty && !begun.by_keys => Ok(()),
                "" => keyboard::press_named(&channel, "Delete", run.deadline).await,
                text => keyboard::insert(&channel, text, run.deadline).await,
            }
        };
        let end = End { function: "endFill", text: text.expose() };
        let answering = answering.map_or_else(|| Answering::ask(run, frame, end), Ok)?;
        Box::pin(settle_typing(run, before, frame, end, answering, typing)).await
    };
    let outcome = Outcome { target: Some(named), typed: Some(text.chars() as u64), ..Outcome::default() };
    match typed.await {
        Ok(Settled { outcome: after, ended, .. }) => {
            let outcome = Outcome { target: outcome.target, typed: outcome.typed, ..after };
            let compared = read(ended);
            match compared.as_ref().is_some_and(|compared| wants_keys(compared, text)) && is_there(tab, frame)
            {
                // Seldom needed, so it does not make every fill larger.
                true => Box::pin(by_keys(run, element, text, outcome)).await,
                false => judged(run, element, compared, outcome).await,
            }
        }
        // A dialog that it opened is what came of it.
        Err(error) if error.code == Code::DialogOpen && tab.read(|state| state.dialog.is_some()) => {
            Ok(outcome)
        }
        Err(error) => {
            page::tell(tab, frame, "unwatchEffects");
            Err(error)
        }
    }
}

fn has_focus(element: Ref, begun: &Filled) -> Result<()> {
    match begun.problem.as_deref() {
        None => Ok(()),
        Some("unfocused") => Err(Error::new(Code::NoEffect, format!("{element} does not take the focus"))),
        Some("moved") => Err(Error::new(Code::NoEffect, format!("the page takes the focus from {element}"))
            .with_hint("nothing was typed; look at the page for the field that it wants")),
        Some(_) => Err(Error::new(Code::StaleRef, format!("{element} is gone"))),
    }
}

fn read(ended: Option<serde_json::Value>) -> Option<Compared> {
    ended.and_then(|ended| serde_json::from_value::<Option<Compared>>(ended).ok()).flatten()
}

fn is_there(tab: &Tab, frame: FrameId) -> bool {
    tab.read(|state| !state.stands_still() && state.end.is_none() && state.world(frame, false).is_some())
}

/// Whether keys may do what the text as a whole did not: the field is empty, and what to write in it is not a matter of its pattern. Line
/// ends and tabs are keys that do more than to write.
fn wants_keys(compared: &Compared, text: &Typed) -> bool {
    compared.blank && compared.held == 0 && !text.expose().chars().any(char::is_control)
}

/// Presses a key for each character: some fields make something of keys only, and of a text that comes as a whole nothing.
async fn by_keys(run: &Run<'_>, element: Ref, text: &Typed, first: Outcome) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let frame = frame_of(element);
    let strokes = &keys::strokes(text.expose());
    let Used { value, outcome, .. } =
        use_in_turn(run, &Target::Ref(element), Needs::EDIT, |element| async move {
            let begun: Filled =
                page::ask_as(tab, frame, "beginFill", &[element.element], run.deadline).await?;
            has_focus(element, &begun)?;
            let typing = Typing::new(run, frame)?;
            page::ask(tab, frame, "guardKeys", &page::NO_ARGUMENTS, run.deadline).await?;
            let sent_all = typing.strike(strokes, None).await?;
            let said = page::ask_as(tab, frame, "endKeys", &page::NO_ARGUMENTS, run.deadline).await;
            Ok(typing.stopped(strokes, sent_all, said.unwrap_or_default()))
        })
        .await?;
    let outcome = Outcome { target: first.target, typed: first.typed, ..outcome };
    if let Some(Some(stopped)) = &value {
        return Err(stopped.error(&element.to_string(), strokes, outcome));
    }
    if value.is_none() || outcome.navigation.is_some() || !is_there(tab, frame) {
        return Ok(outcome);
    }
    let ended = page::ask(tab, frame, "endFill", &[text.expose()], run.deadline).await?;
    let compared = read(Some(ended));
    match compared {
        // Something else than the text, which keys made of it, was not asked for.
        Some(Compared { same: false, alike: false, blank: false, held, ref pattern, .. }) => {
            let message =
                format!("{element} made something else of the text: it holds {held} characters now");
            Err(refused(message, pattern).with_outcome(Outcome { typed: None, ..outcome }))
        }
        compared => judged(run, element, compared, outcome).await,
    }
}

/// What came of it, after what the field holds now was compared with what it was given.
async fn judged(
    run: &Run<'_>,
    element: Ref,
    compared: Option<Compared>,
    mut outcome: Outcome,
) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    if !tab.read(|state| !state.stands_still() && state.world(frame_of(element), false).is_some()) {
        return Ok(outcome);
    }
    match compared {
        Some(Compared { unread: true, .. }) => {
            outcome.notes.push("what it holds now cannot be read; look at the page".into());
        }
        Some(Compared { same: true, .. }) => {}
        Some(Compared { blank: true, pattern, .. }) => {
            let message = format!("{element} did not take the text, and is empty");
            return Err(refused(message, &pattern).with_outcome(Outcome { typed: None, ..outcome }));
        }
        Some(Compared { beside: true, .. }) => {
            outcome.notes.push("the field is empty, but the text stands beside it".into());
        }
        Some(Compared { changed: true, held, wanted, .. }) => {
            outcome.notes.push(if held == wanted {
                "the field holds another text than it was given".to_owned()
            } else {
                format!("the field holds {held} characters instead of {wanted}")
            });
        }
        Some(Compared { pattern, .. }) => {
            // Some take back what was there as well, a moment later.
            let asked =
                page::ask(tab, frame_of(element), "isVoidNow", &[element.element], run.deadline).await;
            let message = match asked.is_ok_and(|is_void| is_void == true) {
                true => format!("{element} did not take the text, and is empty"),
                false => format!("{element} still holds what it held before"),
            };
            return Err(refused(message, &pattern).with_outcome(Outcome { typed: None, ..outcome }));
        }
        None if outcome.navigation.is_some() => {}
        None => outcome.notes.push("the page replaced the field, so what it holds is not known".into()),
    }
    Ok(outcome)
}

/// That a field did not take a text. Its pattern is the page's words, which belong into the hint: messages are kept.
fn refused(message: String, pattern: &str) -> Error {
    let keys = "try `webhand type`, which presses a key for each character";
    Error::new(Code::NoEffect, message).with_hint(match pattern {
        "" => format!("look at the page, then {keys}"),
        pattern => format!("write it as the field shows ({pattern:?}), or {keys}"),
    })
}

/// Sets a field that is no text to people, with the events that it sends when they use it.
async fn set_value(run: &Run<'_>, target: &Target, text: &Typed) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let Used { element, value, outcome, .. } = use_in_turn(run, target, Needs::EDIT, |element| async move {
        run.gate.give();
        let set = async |may_pull: bool| {
            let arguments = (element.element, text.expose(), may_pull);
            page::ask_as::<Filled>(tab, frame_of(element), "setWhole", &arguments, run.deadline).await
        };
        let mut set_now = set(true).await?;
        if let Some(way) = set_now.pull {
            set_now = match pull_range(run, element, way, text.expose()).await? {
                true => {
                    page::ask_as(tab, frame_of(element), "endPull", &page::NO_ARGUMENTS, run.deadline).await?
                }
                false => set(false).await?,
            };
        }
        let set = set_now;
        match set.problem.as_deref() {
            None => Ok(set),
            Some("misfit") => Err(misfit(element, &set.format)),
            Some(_) => Err(Error::new(Code::StaleRef, format!("{element} is gone"))),
        }
    })
    .await?;
    let mut outcome = Outcome { typed: Some(text.chars() as u64), ..outcome };
    let frame = frame_of(element);
    let is_there = tab.read(|state| !state.stands_still() && state.world(frame, false).is_some());
    match value {
        Some(set) if set.already => outcome.notes.push("it held that value already".into()),
        Some(set) if is_there && outcome.navigation.is_none() => {
            let kept: Option<Kept> =
                page::ask_as(tab, frame, "keptWhole", &page::NO_ARGUMENTS, run.deadline).await?;
            if let Some(stands) =
                kept.as_ref().filter(|kept| kept.is_kept).and_then(|kept| kept.stands.as_ref())
            {
                outcome.notes.push(format!("the page moved it on: it stands at {stands}"));
            }
            if kept.is_some_and(|kept| !kept.is_kept) {
                return Err(Error::new(Code::NoEffect, format!("the page took the value of {element} back"))
                    .with_outcome(Outcome { typed: None, ..outcome }));
            }
            if set.invalid {
                outcome.notes.push("the field calls the value invalid; see its limits".into());
            }
        }
        _ => {}
    }
    Ok(outcome)
}
