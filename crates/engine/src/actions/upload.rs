//! `upload`: gives files of this machine to a page: to a field for files, to what opens a file chooser, or dropped onto an area.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use cdp::{Channel, protocol as p};
use clap::Args;
use contract::{Code, Effect, Error, FrameId, Named, Outcome, Ref, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Click, Run, Verb};
use crate::{
    anew::after_waiting,
    copies::Copy,
    hands::{
        Dropping, Needs, Point, drop_spot, element_at, note_element, patience, plan_click, plan_click_on, plan_element,
        point_of,
    },
    lift::lift,
    locate::locate_soon,
    page,
    settle::{Before, settle_outside},
    snapshot::{frame_of, reference},
    tab::{Chooser, Tab},
};

/// Give files to a page: to a field, to a button that asks for them, or dropped onto an area
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Upload {
    /// The field, or what opens the file chooser: a ref (e12), css=…, xpath=…, x,y, or a description in plain words; without one, the
    /// chooser that is open
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(required = true)]
    pub target: Option<Target>,
    /// The files; without any, the chooser that is open is left without
    #[serde(default)]
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Drop the files onto the target
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub drop: bool,
}

impl Upload {
    /// These files, to a field or to what opens a file chooser.
    pub fn new(target: Target, files: Vec<PathBuf>) -> Upload {
        Upload { target: Some(target), files, drop: false }
    }

    /// These files, to the file chooser that is open; none to leave it without.
    pub fn to_open_chooser(files: Vec<PathBuf>) -> Upload {
        Upload { target: None, files, drop: false }
    }
}

/// How long the news of a file chooser may take.
const TOLD: Duration = Duration::from_millis(500);

/// A file that is to be given.
struct File {
    /// Where the browser finds it: a copy of ours.
    path: PathBuf,
    name: String,
    bytes: u64,
    is_folder: bool,
    copy: Copy,
}

/// What the page's script says of an element.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Field {
    problem: Option<String>,
    kind: String,
    number: u32,
    named: Option<Described>,
    multiple: bool,
    directory: bool,
    disabled: bool,
    accept: String,
}

#[derive(Deserialize)]
struct Described {
    number: u32,
    role: String,
    name: String,
}

impl Described {
    fn named(self, frame: FrameId) -> Named {
        Named { reference: reference(frame, self.number), role: self.role, name: self.name }
    }
}

impl Verb for Upload {
    const NAME: &'static str = "upload";

    fn effect(&self) -> Effect {
        Effect::Upload
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        self.files.iter_mut().collect()
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let (_, tab) = run.tab()?;
        if self.target.is_some() && self.files.is_empty() {
            return Err(no_files());
        }
        check_names(run, &self.files).await?;
        match &self.target {
            Some(target) if self.drop => plan_element(run, target, Needs::default()).await.map(drop),
            Some(target) => plan_given(run, target).await,
            None if self.drop => Err(no_target()),
            None if tab.read(|state| state.chooser.is_some()) => Ok(()),
            None => Err(no_chooser()),
        }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        if self.target.is_none() && self.files.is_empty() {
            let (_, tab) = run.tab()?;
            open_chooser(run, tab).await?;
            tab.note(|state| state.chooser = None);
            return Ok(Outcome { notes: vec!["the page gets no files".into()], ..Outcome::default() });
        }
        let files = checked(run, &self.files).await?;
        let mut outcome = match &self.target {
            Some(target) if self.drop => dropped(run, target, &files).await?,
            Some(target) => given(run, target, &files).await?,
            None if self.drop => return Err(no_target()),
            None => {
                let (_, tab) = run.tab()?;
                let chooser = open_chooser(run, tab).await?;
                to_chooser(run, tab, chooser, &files).await?
            }
        };
        let told = files.iter().map(|file| json!({"name": file.name, "bytes": file.bytes}));
        outcome.value = Some(Value::Array(told.collect()));
        files.into_iter().for_each(|file| file.copy.keep());
        Ok(outcome)
    }
}

/// Tells what giving files to a target would do: a field takes them, and anything else is clicked to open the file chooser.
async fn plan_given(run: &Run<'_>, target: &Target) -> Result<()> {
    let (_, tab) = run.tab()?;
    if point_of(run, target).await?.is_some() {
        return plan_click(run, target).await;
    }
    let element = locate_soon(run, target).await?;
    let frame = frame_of(element);
    let field = field(page::ask(tab, frame, "fileField", &[element.element], run.deadline).await?)?;
    if field.kind != "field" {
        return plan_click_on(run, element).await;
    }
    if let Some(found) = field.named {
        note_element(run, &found.named(frame));
    }
    run.may_in_frame_of(element).await?;
    if field.disabled {
        run.gate.note(format!("{}: {}", Code::ElementNotEnabled, is_disabled().message));
    }
    Ok(())
}

/// Fails if one of the files is not there, or may not be named. Nothing is copied.
async fn check_names(run: &Run<'_>, files: &[PathBuf]) -> Result<()> {
    let (folders, files) = (run.files.clone(), files.to_vec());
    let checking = tokio::task::spawn_blocking(move || {
        files.iter().try_for_each(|file| folders.hold(file).map(drop))
    });
    checking.await.unwrap_or_else(|error| {
        Err(Error::new(Code::Internal, "the file could not be looked at").with_cause(error))
    })
}

async fn given(run: &Run<'_>, target: &Target, files: &[File]) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    if point_of(run, target).await?.is_none() {
        let _turn = tab.turn(run.deadline).await?;
        let element = locate_soon(run, target).await?;
        let frame = frame_of(element);
        let field = field(page::ask(tab, frame, "fileFieldSoon", &(element.element, patience(run)), run.deadline).await?)?;
        if field.kind == "field" {
            if field.disabled {
                return Err(after_waiting(is_disabled(), run.began, ""));
            }
            run.may_in_frame_of(element).await?;
            return to_field(run, frame, field, files).await;
        }
    }
    // What opens the file chooser is clicked; nobody gets to see it.
    let _choosing = Choosing::begin(run, tab).await?;
    let clicked = Click::new(target.clone()).run(run).await?;
    let Some(chooser) = chooser_in(run, tab).await? else {
        return Err(Error::new(Code::NoEffect, format!("the click on {target} opened no file chooser"))
            .with_hint("name the field for the files itself, or use --drop for an area that takes dropped files"));
    };
    let outcome = to_chooser(run, tab, chooser, files).await?;
    Ok(Outcome { target: clicked.target, ..outcome })
}

/// The file chooser that is open, which the browser may still be about to tell of.
async fn chooser_in(run: &Run<'_>, tab: &Tab) -> Result<Option<Chooser>> {
    let deadline = run.deadline.min(Instant::now() + TOLD);
    match tab.until_some(deadline, "a file chooser", |state| state.chooser.clone()).await {
        Err(error) if error.code == Code::Timeout => Ok(None),
        open => open.map(Some),
    }
}

async fn open_chooser(run: &Run<'_>, tab: &Tab) -> Result<Chooser> {
    chooser_in(run, tab).await?.ok_or_else(no_chooser)
}

fn no_chooser() -> Error {
    Error::invalid("no file chooser is open")
        .with_hint("name the field for the files as the target, or what opens the file chooser")
}

fn no_files() -> Error {
    Error::invalid("there are no files to upload")
}

fn no_target() -> Error {
    Error::invalid("files are dropped onto a target, and there is none")
}

async fn to_chooser(run: &Run<'_>, tab: &Tab, chooser: Chooser, files: &[File]) -> Result<Outcome> {
    let _turn = tab.turn(run.deadline).await?;
    let Chooser { session, frame, field: backend_node_id } = chooser;
    let channel = tab.channel_of(session.as_deref());
    let frame = tab.read(|state| state.frame_number(&frame)).unwrap_or(FrameId(0));
    let notes = match described(run, tab, &channel, frame, backend_node_id).await? {
        Some(field) => field.check(files)?,
        None => Vec::new(),
    };
    let before = Before::note(run)?;
    page::ask(tab, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
    let set = p::SetFiles { files: paths(files), backend_node_id: Some(backend_node_id), object_id: None };
    give(run, tab, &channel, set).await?;
    tab.note(|state| state.chooser = None);
    let mut outcome = settle_outside(run, &before, frame).await?.outcome;
    outcome.notes.extend(notes);
    Ok(outcome)
}

/// Files are looked at, and copied as they are then, before anything is clicked.
async fn checked(run: &Run<'_>, files: &[PathBuf]) -> Result<Vec<File>> {
    if files.is_empty() {
        return Err(no_files());
    }
    let mut checked = Vec::new();
    for file in files {
        let (folders, named, copies) = (run.files.clone(), file.clone(), run.session.copies());
        let largest = run.session.options().largest_file();
        // A little earlier than the action ends, so that the caller hears why.
        let deadline = run.deadline - TOLD.min(run.deadline.saturating_duration_since(Instant::now()) / 4);
        let copying = tokio::task::spawn_blocking(move || -> Result<File> {
            let (held, name) = folders.hold(&named)?;
            if !held.is_folder() && held.bytes() > largest.0 {
                return Err(Error::invalid(format!("{} is larger than {largest}", named.display()))
                    .with_hint("allow larger files with --max-file when the session starts"));
            }
            let copy = copies.make(&held, Path::new(&name), &|| Instant::now() < deadline)?;
            let path = copy.path(Path::new(&name));
            let name = name.to_string_lossy().into_owned();
            Ok(File { path, name, bytes: held.bytes(), is_folder: held.is_folder(), copy })
        });
        let copied = copying.await.unwrap_or_else(|error| {
            Err(Error::new(Code::Internal, "the file could not be looked at").with_cause(error))
        });
        checked.push(copied?);
    }
    Ok(checked)
}

fn paths(files: &[File]) -> Vec<String> {
    files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect()
}

fn field(answer: Value) -> Result<Field> {
    let field: Field = serde_json::from_value(answer).unwrap_or_default();
    match field.problem {
        Some(_) => Err(gone()),
        None => Ok(field),
    }
}

fn gone() -> Error {
    Error::new(Code::StaleRef, "the field went away")
}

fn is_disabled() -> Error {
    Error::new(Code::ElementNotEnabled, "the field for files is disabled")
}

impl Field {
    /// Whether it takes these files. What it would rather not have is a note: pages say so for the chooser only.
    fn check(&self, files: &[File]) -> Result<Vec<String>> {
        if self.disabled {
            return Err(is_disabled());
        }
        if files.len() > 1 && !self.multiple && !self.directory {
            return Err(Error::invalid(format!("the field takes one file, and there are {}", files.len())));
        }
        if let Some(folder) = files.iter().find(|file| file.is_folder && !self.directory) {
            return Err(Error::invalid(format!("{} is a folder, and the field takes files", folder.name)));
        }
        if self.directory && !(files.len() == 1 && files[0].is_folder) {
            return Err(Error::invalid("the field takes one folder").with_hint("name a folder instead of files"));
        }
        let unfit = files.iter().filter(|file| !self.directory && !accepts(&self.accept, &file.name));
        Ok(unfit.map(|file| format!("the field asks for {}, which {} is not", self.accept, file.name)).collect())
    }
}

/// Whether a file is of a kind that `accept` lists (HTML, "File Upload state"). Kinds that cannot be told by a name are taken to fit.
fn accepts(accept: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let mut kinds = accept.split(',').map(|kind| kind.trim().to_lowercase()).filter(|kind| !kind.is_empty()).peekable();
    let ending = Path::new(&name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let family = match ending {
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "svg" | "bmp" | "avif" | "heic" | "ico" | "tif" | "tiff" => "image/",
        "mp3" | "wav" | "ogg" | "flac" | "m4a" | "aac" => "audio/",
        "mp4" | "webm" | "mov" | "avi" | "mkv" => "video/",
        "txt" | "csv" | "html" | "htm" | "md" | "css" => "text/",
        "pdf" | "zip" | "json" | "xml" | "doc" | "docx" | "xls" | "xlsx" => "application/",
        _ => "",
    };
    kinds.peek().is_none()
        || kinds.any(|kind| match kind.strip_prefix('.') {
            Some(wanted) => name.ends_with(&format!(".{wanted}")),
            None => family.is_empty() || kind == "*/*" || kind.starts_with(family),
        })
}

/// Gives files to a field. It need not be seen: pages hide it behind something nicer.
async fn to_field(run: &Run<'_>, frame: FrameId, field: Field, files: &[File]) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let notes = field.check(files)?;
    let world = tab.until_some(run.deadline, "the frame to be there", |state| state.world(frame, false)).await?;
    let channel = tab.channel_of(world.session.as_deref());
    let group = format!("webhand-field-{}", field.number);
    let evaluate = p::Evaluate {
        expression: format!("webhand.element({})", field.number),
        unique_context_id: Some(world.unique_id),
        object_group: Some(group.clone()),
        ..p::Evaluate::default()
    };
    let before = Before::note(run)?;
    page::ask(tab, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
    let asking = async { channel.call(evaluate, run.deadline).await.map_err(lift) };
    let object_id = tab.unless_dialog(asking, run.deadline).await?.result.object_id;
    if object_id.is_none() {
        return Err(gone());
    }
    let set = p::SetFiles { files: paths(files), object_id, backend_node_id: None };
    let given = give(run, tab, &channel, set).await;
    drop(channel.post(p::ReleaseObjectGroup { object_group: group }));
    given?;
    let mut outcome = settle_outside(run, &before, frame).await?.outcome;
    outcome.notes.extend(notes);
    outcome.target = field.named.map(|found| found.named(frame));
    Ok(outcome)
}

/// Gives the files. A dialog that the page opens when it has them is what came of it.
async fn give(run: &Run<'_>, tab: &Tab, channel: &Channel, set: p::SetFiles) -> Result<()> {
    run.gate.give();
    let giving = async { channel.call(set, run.deadline).await.map(drop).map_err(lift) };
    match tab.unless_dialog(giving, run.deadline).await {
        Err(error) if error.code == Code::DialogOpen => Ok(()),
        given => given,
    }
}

/// What the script of its frame says of the field that a chooser is for, which may be in no document.
async fn described(
    run: &Run<'_>,
    tab: &Tab,
    channel: &Channel,
    frame: FrameId,
    backend_node_id: i64,
) -> Result<Option<Field>> {
    let Some(world) = tab.read(|state| state.world(frame, false)) else { return Ok(None) };
    let group = "webhand-chooser".to_owned();
    let resolve = p::ResolveNode {
        backend_node_id,
        execution_context_id: Some(world.context),
        object_group: Some(group.clone()),
    };
    let asking = async {
        let object_id = channel.call(resolve, run.deadline).await.map_err(lift)?.object.object_id;
        let call = p::CallFunctionOn {
            function_declaration: "function() { return webhand.fileField(this); }".into(),
            object_id,
            return_by_value: Some(true),
            ..p::CallFunctionOn::default()
        };
        channel.call(call, run.deadline).await.map_err(lift)
    };
    let answer = tab.unless_dialog(asking, run.deadline).await;
    drop(channel.post(p::ReleaseObjectGroup { object_group: group }));
    answer?.result.value.map(field).transpose()
}

/// Drops the files onto an element or a point, as if they came from a folder on the screen.
async fn dropped(run: &Run<'_>, target: &Target, files: &[File]) -> Result<Outcome> {
    let (_, tab) = run.tab()?;
    let _turn = tab.turn(run.deadline).await?;
    let (point, named): (Point, Option<Ref>) = match point_of(run, target).await? {
        Some(point) => (point, None),
        None => {
            let element = locate_soon(run, target).await?;
            run.may_in_frame_of(element).await?;
            (drop_spot(run, element, Dropping::Wait).await?, Some(element))
        }
    };
    let there = element_at(run, point).await?;
    let frame = named.or(there.as_ref().map(|there| there.reference)).map_or(FrameId(0), frame_of);
    page::ask(tab, frame, "watchDrags", &page::NO_ARGUMENTS, run.deadline).await?;
    page::ask(tab, frame, "watchEffects", &page::NO_ARGUMENTS, run.deadline).await?;
    let before = Before::note(run)?;
    // Copying is what files are dragged for.
    let data = json!({"items": [], "files": paths(files), "dragOperationsMask": 1});
    let send = async |kind: &str| {
        let event = p::DispatchDrag { r#type: kind.into(), x: point.x, y: point.y, data: data.clone() };
        tab.channel.call(event, run.deadline).await.map_err(lift)
    };
    run.gate.give();
    let dropping = async {
        for kind in ["dragEnter", "dragOver"] {
            send(kind).await?;
        }
        // What nobody takes the browser opens itself, whatever may be gone to; so it is taken back.
        let asked = page::ask(tab, frame, "dragged", &page::NO_ARGUMENTS, run.deadline).await?;
        let is_welcome = asked["welcome"] == true;
        send(if is_welcome { "drop" } else { "dragCancel" }).await?;
        Ok(is_welcome)
    };
    let is_welcome = match tab.unless_dialog(dropping, run.deadline).await {
        Err(error) if error.code == Code::DialogOpen => {
            return Ok(Outcome { target: there, ..Outcome::default() });
        }
        done => done?,
    };
    let outcome = settle_outside(run, &before, frame).await?.outcome;
    let asked = page::ask(tab, frame, "dragged", &page::NO_ARGUMENTS, run.deadline).await;
    if !is_welcome || asked.is_ok_and(|dragged| dragged["dropped"] == false) {
        return Err(Error::new(Code::NoEffect, format!("{target} does not take dropped files"))
            .with_hint("name the area that takes them, or the field for files itself"));
    }
    Ok(Outcome { target: there, ..outcome })
}

/// While this lives, file choosers are ours: the page and all its frames tell of them instead of showing them. Where nobody would see
/// them, they are so anyway.
struct Choosing {
    channels: Vec<Channel>,
}

impl Choosing {
    async fn begin(run: &Run<'_>, tab: &Tab) -> Result<Choosing> {
        let mut sessions = vec![None];
        for frame in tab.read(|state| state.frames()) {
            let session = tab.read(|state| state.world(frame.frame, false)).and_then(|world| world.session);
            if session.as_deref() != tab.channel.session_id() && !sessions.contains(&session) {
                sessions.push(session);
            }
        }
        tab.note(|state| state.chooser = None);
        sessions.retain(|_| !tab.catches_choosers);
        let channels = sessions.iter().map(|session| tab.channel_of(session.as_deref())).collect();
        let choosing = Choosing { channels };
        for channel in &choosing.channels {
            channel.call(p::InterceptFileChooser { enabled: true }, run.deadline).await.map_err(lift)?;
        }
        Ok(choosing)
    }
}

impl Drop for Choosing {
    fn drop(&mut self) {
        for channel in &self.channels {
            drop(channel.post(p::InterceptFileChooser { enabled: false }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_field_asks_for() {
        for (accept, name, fits) in [
            ("", "a.exe", true),
            (".pdf, .DOCX", "a.docx", true),
            (".pdf", "a.png", false),
            ("image/*", "a.PNG", true),
            ("image/*", "a.pdf", false),
            ("image/*,.pdf", "a.pdf", true),
            ("application/x-unheard-of", "a.what", true),
        ] {
            assert_eq!(accepts(accept, name), fits, "{accept} {name}");
        }
    }
}
