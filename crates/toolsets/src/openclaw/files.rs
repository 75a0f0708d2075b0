//! Files: printed pages, uploads, downloads.

use contract::{Error, PageUrl, Result, Span};
use engine::actions::{Download, Pdf, Upload};
use serde_json::json;

use super::{
    answer,
    args::{Args, missing},
    look::element,
    seat::{Patience, Seat},
};
use crate::Step;

/// The page as a PDF.
pub(super) fn pdf(seat: Seat, args: Args) -> Step {
    let action = Pdf { path: args.path, ..Pdf::default() };
    seat.in_tab(args.target_id, Span::seconds(20), |seat, to| {
        seat.reply(to, action, |outcome, mark| {
            let file = outcome.value.clone().unwrap_or_default();
            let fields = json!({
                "targetId": outcome.tab, "url": outcome.url, "path": file["path"], "bytes": file["bytes"],
            });
            answer::ok(fields, None, mark)
        })
    })
}

/// Gives files to a field, to what opens a file chooser, or to the chooser that is open.
pub(super) fn upload(seat: Seat, args: Args) -> Result<Step> {
    let time = Patience::Go.or(args.timeout_ms)?;
    let target = element(&args)?;
    let paths = args.paths.filter(|paths| !paths.is_empty()).ok_or_else(|| missing("paths"))?;
    let action = match target {
        Some(target) => Upload::new(target, paths),
        None => Upload::to_open_chooser(paths),
    };
    Ok(seat.in_tab(args.target_id, time, |seat, to| {
        seat.reply(to, action, |outcome, mark| answer::acted(&outcome, mark))
    }))
}

/// Clicks what leads to a file, or asks for it by its address, and waits for it.
pub(super) fn download(seat: Seat, args: Args) -> Result<Step> {
    let time = Patience::Go.or(args.timeout_ms)?;
    let url = args.target_url.clone().or_else(|| args.url.as_deref().map(PageUrl::from));
    let target = args.target()?;
    if target.is_some() == url.is_some() {
        return Err(Error::invalid("this needs either the ref of what leads to the file, or its targetUrl"));
    }
    Ok(downloaded(seat, args.target_id, time, Download { target, url, path: args.path, force: false }))
}

/// Waits for the file that an earlier act led to, or the next one.
pub(super) fn wait_for_download(seat: Seat, args: Args) -> Result<Step> {
    let time = Patience::Go.or(args.timeout_ms)?;
    Ok(downloaded(seat, args.target_id, time, Download { path: args.path, ..Download::default() }))
}

fn downloaded(seat: Seat, tab: Option<String>, time: Span, action: Download) -> Step {
    seat.in_tab(tab, time, |seat, to| {
        seat.reply(to, action, |outcome, mark| {
            let mut reply = answer::acted(&outcome, mark);
            if let Some(file) = outcome.downloads.first() {
                reply.value["path"] = json!(file.path);
                reply.value["suggestedFilename"] = json!(file.name);
            }
            reply
        })
    })
}
