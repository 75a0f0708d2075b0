//! `pdf`: prints the page to a file.

use std::{io::Write, path::PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use cdp::{Channel, protocol as p};
use clap::{Args, ValueEnum};
use contract::{Code, Effect, Error, Outcome, Result};
use guard::{Files, files::Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use super::{Run, Verb};
use crate::lift::lift;

/// How much of the file is asked for at a time, in bytes.
const PART: u32 = 1 << 20;

/// Print the page to a PDF file
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Pdf {
    /// The file to write it to; a new one in WEBHAND_HOME/pdf if none is named
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub path: Option<PathBuf>,
    /// Wider than high
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub landscape: bool,
    /// With the colours and pictures behind the text
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[arg(long)]
    pub background: bool,
    /// How large, from 0.1 to 2
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N")]
    pub scale: Option<f64>,
    /// The paper
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_enum)]
    pub paper: Option<Paper>,
    /// Only these pages, such as 1-3,5
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "PAGES")]
    pub pages: Option<String>,
}

/// The size of a sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Paper {
    A3,
    #[default]
    A4,
    A5,
    Letter,
    Legal,
    Tabloid,
}

impl Paper {
    /// Width and height in inches, as the protocol wants them.
    fn inches(self) -> (f64, f64) {
        let millimetres = |width: f64, height: f64| (width / 25.4, height / 25.4);
        match self {
            Paper::A3 => millimetres(297.0, 420.0),
            Paper::A4 => millimetres(210.0, 297.0),
            Paper::A5 => millimetres(148.0, 210.0),
            Paper::Letter => (8.5, 11.0),
            Paper::Legal => (8.5, 14.0),
            Paper::Tabloid => (11.0, 17.0),
        }
    }
}

impl Verb for Pdf {
    const NAME: &'static str = "pdf";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        self.path.iter_mut().collect()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        self.check()?;
        // A place of our own needs no leave of anybody.
        let ours = Files::default();
        let (files, path) = match &self.path {
            Some(path) => (run.files, path.clone()),
            None => (&ours, new_name(run)),
        };
        let place = files.place(&path)?;
        let (width, height) = self.paper.unwrap_or_default().inches();
        let print = p::PrintToPdf {
            landscape: self.landscape,
            print_background: self.background,
            scale: self.scale,
            paper_width: Some(width),
            paper_height: Some(height),
            page_ranges: self.pages.clone(),
            transfer_mode: "ReturnAsStream".into(),
        };
        let is_headed = run.session.options().headed == Some(true) || run.session.options().attach.is_some();
        let printing =
            async { tab.channel.call(print, run.deadline).await.map_err(|error| self.refused(error, is_headed)) };
        let handle = tab.unless_dialog(printing, run.deadline).await?.stream;
        let bytes = Stream { channel: &tab.channel, handle }.write_to(place, run.deadline).await?;
        let note = format!("{bytes} bytes written to {}", path.display());
        let value = Some(json!({"path": path, "bytes": bytes}));
        Ok(Outcome { notes: vec![note], value, ..Outcome::default() })
    }
}

/// A file that nobody named.
fn new_name(run: &Run<'_>) -> PathBuf {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    run.session.home().join("pdf").join(format!("{}.pdf", now.as_millis()))
}

impl Pdf {
    fn check(&self) -> Result<()> {
        if let Some(scale) = self.scale.filter(|scale| !(0.1..=2.0).contains(scale)) {
            return Err(Error::invalid(format!("{scale} is no scale")).with_hint("give a number from 0.1 to 2"));
        }
        let is_number = |text: &str| text.trim().parse::<u32>().is_ok_and(|number| number > 0);
        let is_range = |range: &str| match range.split_once('-') {
            Some((from, to)) => is_number(from) && is_number(to),
            None => is_number(range),
        };
        match &self.pages {
            Some(pages) if !pages.split(',').all(is_range) => {
                Err(Error::invalid(format!("{pages:?} are no pages")).with_hint("name them like 1-3,5"))
            }
            _ => Ok(()),
        }
    }

    /// The browser would not print: there are no such pages, or it has a window and cannot.
    fn refused(&self, error: cdp::Error, is_headed: bool) -> Error {
        match (&error, &self.pages) {
            (cdp::Error::Refused { .. }, Some(pages)) if !is_headed => {
                Error::invalid(format!("the pages {pages} cannot be printed")).with_cause(error).with_hint("name pages that there are")
            }
            (cdp::Error::Refused { .. }, _) => Error::new(Code::Unsupported, "this browser does not print to a file")
                .with_cause(error)
                .with_hint("use a session without a window"),
            _ => lift(error),
        }
    }
}

/// What the browser has for us, until it is closed.
struct Stream<'a> {
    channel: &'a Channel,
    handle: String,
}

impl Stream<'_> {
    /// Writes all of it to a file, which is there as a whole or not at all. Returns its size.
    async fn write_to(&self, place: Place, deadline: Instant) -> Result<u64> {
        let path = place.path().to_owned();
        let failed = |error: std::io::Error| {
            Error::invalid(format!("{} cannot be written", path.display()))
                .with_cause(error)
                .with_hint("name a file in a folder that can be written, with --output")
        };
        let mut file = place.begin()?;
        let mut bytes = 0;
        loop {
            let read = p::ReadStream { handle: self.handle.clone(), size: Some(PART) };
            let p::StreamPart { base64_encoded, data, eof } = self.channel.call(read, deadline).await.map_err(lift)?;
            let data = match base64_encoded {
                true => STANDARD.decode(data).map_err(|error| {
                    Error::new(Code::Internal, "the file cannot be read").with_cause(error)
                })?,
                false => data.into_bytes(),
            };
            // A part is a few hundred kilobytes; the browser takes longer to make it.
            file.write_all(&data).map_err(failed)?;
            bytes += data.len() as u64;
            if eof {
                break;
            }
        }
        file.finish()?;
        Ok(bytes)
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        drop(self.channel.post(p::CloseStream { handle: self.handle.clone() }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_scales() {
        let check = |pages: Option<&str>, scale| Pdf { pages: pages.map(Into::into), scale, ..Pdf::default() }.check().is_ok();
        for pages in ["1", "1-3", "1-3,5", "2, 4-9"] {
            assert!(check(Some(pages), None), "{pages}");
        }
        for pages in ["", "0", "a", "1-", "-2", "1,,2"] {
            assert!(!check(Some(pages), None), "{pages}");
        }
        assert!(check(None, Some(0.1)) && check(None, Some(2.0)));
        assert!(!check(None, Some(0.0)) && !check(None, Some(2.1)) && !check(None, Some(f64::NAN)));
    }
}
