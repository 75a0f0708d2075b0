//! `download`: gets a file, by a click or by its address, or the one that is under way already, and waits until all of it is there.

use std::{future, path::PathBuf, time::Duration};

use cdp::{Channel, protocol as p};
use clap::Args;
use contract::{Code, Download as File, Effect, Error, NavigationKind, Outcome, PageUrl, Result, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use super::{Click, Needs, Run, Verb};
use crate::{
    downloads::{Downloads, Whose},
    files,
    hidden::HiddenPage,
    lift::{lift, timed_out},
    settle::STILL_DOWNLOADING,
    tab::Stopped,
};

/// Download a file: click what leads to it, name its address, or with neither wait for the one that is under way or comes next
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Download {
    /// What to click: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(conflicts_with = "url")]
    pub target: Option<Target>,
    /// The address of the file, which is asked for with the session's cookies
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub url: Option<PageUrl>,
    /// The file or folder to move it to; without it the file stays in the session's downloads folder
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub path: Option<PathBuf>,
    /// Replace the file if it is there; without it the new one gets a number
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long, requires = "path")]
    pub force: bool,
}

impl Download {
    /// The file that a click on the target leads to.
    pub fn new(target: Target) -> Download {
        Download { target: Some(target), ..Download::default() }
    }

    /// The file at an address.
    pub fn of(url: impl Into<PageUrl>) -> Download {
        Download { url: Some(url.into()), ..Download::default() }
    }
}

impl Verb for Download {
    const NAME: &'static str = "download";

    fn effect(&self) -> Effect {
        Effect::Download
    }

    fn needs(&self) -> Needs {
        if self.target.is_some() { Needs::Page } else { Needs::Session }
    }

    fn starts_session(&self) -> bool {
        self.url.is_some()
    }

    fn destination(&self) -> Option<&PageUrl> {
        self.url.as_ref()
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        self.path.iter_mut().collect()
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (file, outcome) = match (&self.target, &run.destination) {
            (Some(target), None) => by_click(run, target).await?,
            (None, Some(address)) => (by_address(run, address.as_str()).await?, Outcome::default()),
            (None, None) => (under_way(run).await?, Outcome::default()),
            (Some(_), Some(_)) => return Err(Error::invalid("a download is by a click or by an address, not by both")),
        };
        let file = match self.path.clone() {
            Some(path) => moved(run, file, path, self.force).await?,
            None => file,
        };
        Ok(Outcome { downloads: vec![file], ..outcome })
    }
}

/// Clicks, and waits for the file that comes of it.
async fn by_click(run: &Run<'_>, target: &Target) -> Result<(File, Outcome)> {
    let (id, tab) = run.tab()?;
    let downloads = &run.context.pages.downloads;
    // A link may open a window first, which closes itself when it turns out to be a file.
    let (whose, seen) = (Whose::TabAndNewer(id, run.context.pages.last()), downloads.count());
    let mut clicked = Click::new(target.clone()).run(run).await?;
    if tab.read(|state| state.stands_still()) {
        return Err(Error::new(Code::DialogOpen, format!("the click on {target} opened a dialog")));
    }
    let is_busy = tab.read(|state| state.loading);
    let is_page = matches!(&clicked.navigation, Some(way) if way.kind == NavigationKind::Document);
    let until = match (is_page, is_busy) {
        (true, _) => Instant::now(),
        (false, true) => run.deadline,
        (false, false) => run.patience,
    };
    if !downloads.begun(whose, seen, until.min(in_time(run))).await {
        if let Some(blocked) = run.context.egress().take_blocked().0.pop() {
            return Err(blocked.error());
        }
        let came = if is_page { "led to a page" } else { "began no download" };
        return Err(Error::new(Code::DownloadFailed, format!("the click on {target} {came}"))
            .with_hint("look at the page, and click what leads to the file"));
    }
    let file = downloads.finished(whose, seen, in_time(run)).await?;
    clicked.notes.retain(|note| note != STILL_DOWNLOADING);
    Ok((file, clicked))
}

/// Waits for a file that an earlier action led to, or that a page sends by itself, and that nobody has been told of.
async fn under_way(run: &Run<'_>) -> Result<File> {
    let downloads = &run.context.pages.downloads;
    if !downloads.begun(Whose::Untold, 0, in_time(run)).await {
        return Err(timed_out("a download to begin")
            .with_hint("name what leads to the file; one that arrived at once is in the outcome of what led to it"));
    }
    downloads.finished(Whose::Untold, 0, in_time(run)).await
}

/// Asks for an address in a hidden page, and lets the browser save whatever the answer is.
async fn by_address(run: &Run<'_>, address: &str) -> Result<File> {
    let mut hidden = HiddenPage::open(run.context, run.deadline).await?;
    let (downloads, frame) = (&run.context.pages.downloads, hidden.target_id().to_owned());
    let under_way = UnderWay { run, downloads, whose: Whose::Hidden(&frame), seen: downloads.count() };
    let pattern = |stage: &str| json!({"urlPattern": "*", "resourceType": "Document", "requestStage": stage});
    let mut patterns = vec![pattern("Response")];
    if run.context.egress().holds_pages() {
        patterns.push(pattern("Request"));
    }
    hidden.channel.call(p::FetchEnable { patterns }, run.deadline).await.map_err(lift)?;
    let asking = p::Navigate { url: address.into(), transition_type: Some("typed".into()) };
    let asked = hidden.channel.post(asking);
    // A download that breaks off is asked for again by the browser, and that is held back for us as well.
    let answering = async {
        loop {
            let paused = hidden.paused(run.deadline).await?;
            answer(run, &hidden.channel, paused, address).await?;
        }
    };
    let refused = async {
        // The browser says so at once when there is nobody to answer, and also when the answer became a file.
        match asked.by(run.deadline).await {
            Ok(p::Navigated { is_download: true, .. }) => future::pending().await,
            Ok(p::Navigated { error_text: Some(error), .. }) => {
                // It went where it was sent at first, or nobody knows where: a redirect is judged before.
                let known = run.context.egress().error(address, None, Some(&error));
                known.map_or_else(|| failed(address).with_cause(error), |known| as_download(known, address))
            }
            Ok(_) => failed(address).with_cause("the browser showed it instead"),
            Err(error) => lift(error),
        }
    };
    let finished = tokio::select! {
        biased;
        finished = downloads.finished(under_way.whose, under_way.seen, in_time(run)) => finished,
        failed = answering => failed,
        error = refused => Err(error),
    };
    finished.map_err(|error| match error.code {
        Code::Timeout => error.with_hint("allow more time with --timeout"),
        _ => error,
    })
}

/// Makes a file of an answer. Redirects are followed.
async fn answer(run: &Run<'_>, channel: &Channel, paused: p::RequestPaused, address: &str) -> Result<()> {
    let stopped = stopped(run, &paused, address).await;
    let request_id = paused.request_id;
    if let Some(error) = stopped {
        drop(channel.post(p::FailRequest { request_id, error_reason: "Aborted".into() }));
        return Err(error);
    }
    match paused.response_status_code.unwrap_or_default() {
        // There is none, or it leads on; the browser knows what to make of that.
        0 | 300..400 => {
            channel.call(p::ContinueRequest { request_id }, run.deadline).await.map(drop).map_err(lift)
        }
        status @ (200..=203 | 206..300) => {
            let answer = p::ContinueResponse {
                request_id,
                response_code: status as u32,
                response_headers: as_attachment(paused.response_headers),
            };
            channel.call(answer, run.deadline).await.map(drop).map_err(lift)
        }
        status => {
            drop(channel.post(p::FailRequest { request_id, error_reason: "Aborted".into() }));
            Err(failed(address)
                .with_cause(format_args!("the server answered with status {status}"))
                .with_hint("check the address, and whether the session has to be logged in there"))
        }
    }
}

/// Why a request is not made, or what the guard answered in the server's place.
async fn stopped(run: &Run<'_>, paused: &p::RequestPaused, address: &str) -> Option<Error> {
    let egress = run.context.egress();
    if paused.response_status_code.is_none() && paused.response_error_reason.is_none() {
        return egress.check(paused, Some(&paused.frame_id)).await.err().map(|refusal| (*refusal).into());
    }
    let headers = paused.response_headers.iter();
    let headers = headers.map(|header| (header.name.clone(), header.value.clone().into())).collect();
    let stopped = Stopped::read(&paused.request.url, &headers)?;
    egress.error(&paused.request.url, Some(&stopped), None).map(|error| as_download(error, address))
}

/// What kept a page from being loaded, as what kept a file.
fn as_download(error: Error, address: &str) -> Error {
    match (error.code, &error.cause) {
        (Code::NavigationFailed, Some(cause)) => failed(address).with_cause(cause),
        _ => error,
    }
}

/// The headers of an answer that is to be saved and not shown. The name that the server gave the file stays.
fn as_attachment(mut headers: Vec<p::HeaderEntry>) -> Vec<p::HeaderEntry> {
    let is_disposition = |header: &p::HeaderEntry| header.name.eq_ignore_ascii_case("content-disposition");
    let given = headers.iter().find(|header| is_disposition(header)).map(|header| header.value.clone());
    headers.retain(|header| !is_disposition(header));
    let parameters = given.as_deref().and_then(|value| value.split_once(';')).map_or("", |(_, rest)| rest);
    let value = if parameters.is_empty() { "attachment".into() } else { format!("attachment;{parameters}") };
    headers.push(p::HeaderEntry { name: "Content-Disposition".into(), value });
    headers
}

fn failed(address: &str) -> Error {
    Error::new(Code::DownloadFailed, format!("{address} could not be downloaded"))
}

/// What is waited for ends a little earlier than the action, so that the caller hears how far it got.
fn in_time(run: &Run<'_>) -> Instant {
    run.deadline - Duration::from_millis(100)
}

/// Moves a file to where the caller wants it.
async fn moved(run: &Run<'_>, file: File, path: PathBuf, force: bool) -> Result<File> {
    let (kept, allowed) = (file.path.clone(), run.files.clone());
    let moving = tokio::task::spawn_blocking(move || {
        let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let path = if is_folder { path.join(&file.name) } else { path };
        let place = allowed.place(&path)?;
        let to = match force {
            true => place.take(&file.path).map(|()| path)?,
            false => files::place(&file.path, &place)?,
        };
        let name = to.file_name().map_or(file.name.clone(), |name| name.to_string_lossy().into_owned());
        Ok(File { name, path: to, ..file })
    });
    let moved = moving.await.unwrap_or_else(|error| {
        Err(Error::new(Code::Internal, "the file could not be moved").with_cause(error))
    });
    moved.map_err(|error| {
        let message = format!("the file was downloaded, but {}", error.message);
        let hint = format!("take it from {}, or name another --output", kept.display());
        let told = Error::new(error.code, message).with_hint(hint);
        match error.cause {
            Some(cause) => told.with_cause(cause),
            None => told,
        }
    })
}

/// A download that somebody waits for. If nobody does any more, it is called off.
struct UnderWay<'a> {
    run: &'a Run<'a>,
    downloads: &'a Downloads,
    whose: Whose<'a>,
    seen: usize,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.run.context.cancel_downloads(self.downloads.give_up(self.whose, self.seen));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_becomes_a_file_under_the_name_that_the_server_gave() {
        let check = |given: Option<&str>, becomes: &str| {
            let header = |name: &str, value: &str| p::HeaderEntry { name: name.into(), value: value.into() };
            let mut headers = vec![header("content-type", "text/html")];
            headers.extend(given.map(|value| header("content-disposition", value)));
            let made = as_attachment(headers);
            assert_eq!(made, [header("content-type", "text/html"), header("Content-Disposition", becomes)]);
        };
        check(None, "attachment");
        check(Some("inline"), "attachment");
        check(Some("inline; filename=\"a; b.pdf\""), "attachment; filename=\"a; b.pdf\"");
        check(Some("attachment; filename*=UTF-8''%e2%82%ac"), "attachment; filename*=UTF-8''%e2%82%ac");
    }
}
