//! `screenshot`: a picture of the page.

use std::path::PathBuf;

use cdp::protocol as p;
use clap::{Args, ValueEnum};
use contract::{Code, Cut, Effect, Error, FrameId, Label, Outcome, Result, Screenshot as Picture, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{
    files, first_look,
    lift::lift,
    locate, page, picture,
    pictured::{self, Pictured},
    snapshot::Boxes,
    tab::Tab,
};

/// The tallest picture, in device pixels. What Chromium draws beyond that is blank or repeats.
const TALLEST: f64 = 16_384.0;

/// Endings of pictures that cannot be made here.
const OTHERS: [&str; 8] = ["webp", "gif", "avif", "bmp", "tif", "tiff", "svg", "heic"];

/// Take a picture of the page
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Screenshot {
    /// The file to write it to; on the command line a new one in WEBHAND_HOME/screenshots if none is named
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub path: Option<PathBuf>,
    /// The whole page, not only what fits the window
    #[serde(default)]
    #[arg(long, conflicts_with = "target")]
    pub full: bool,
    /// Only this element: a ref, css=… or xpath=…
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "TARGET")]
    pub target: Option<Target>,
    /// With a numbered box around each element that has a ref, and the list of them
    #[serde(default)]
    #[arg(long)]
    pub labels: bool,
    /// The format; without it the file's ending decides, and PNG if there is none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long)]
    pub format: Option<Format>,
    /// The quality of a JPEG, from 1 to 100
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub quality: Option<u8>,
    /// What a pixel of the picture is: a CSS pixel, as coordinates are counted, unless `device` is given
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub scale: Scale,
    /// No larger than models see in full; `x,y@picture` is then counted in this picture
    #[serde(default)]
    #[arg(long)]
    pub fit: bool,
}

/// What a pixel is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// A CSS pixel.
    #[default]
    Css,
    /// A pixel of the device's screen: sharper, larger.
    Device,
}

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Exact, larger.
    Png,
    /// Smaller, not exact.
    Jpeg,
}

impl Verb for Screenshot {
    const NAME: &'static str = "screenshot";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    /// It shows the page as it is: what else changed is told with the next action. Looking for it would hold up the drawing.
    fn tells_changes(&self) -> bool {
        false
    }

    fn files_mut(&mut self) -> Vec<&mut PathBuf> {
        self.path.iter_mut().collect()
    }

    fn targets(&self) -> Vec<&Target> {
        self.target.iter().collect()
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let format = self.format()?;
        if self.full && self.target.is_some() {
            return Err(Error::invalid("a picture is of the whole page or of one element, not of both"));
        }
        let jpeg_quality = (format == Format::Jpeg).then_some(self.quality.unwrap_or(80));
        // What is drawn on has to be exact first.
        let captured_as = if self.labels { Format::Png } else { format };
        let mut capture = p::CaptureScreenshot {
            format: if captured_as == Format::Png { "png" } else { "jpeg" }.into(),
            quality: jpeg_quality.filter(|_| captured_as == Format::Jpeg).map(Into::into),
            optimize_for_speed: Some(captured_as == Format::Png),
            ..p::CaptureScreenshot::default()
        };
        let mut cut = None;
        let ratio = pixel_ratio(run).await?;
        // Pixels of the picture to a CSS pixel.
        let drawn = if self.scale == Scale::Css { 1.0 } else { ratio };
        if self.full {
            let (clip, left_out) = whole_page(tab, run, drawn).await?;
            capture.clip = Some(clip);
            capture.capture_beyond_viewport = Some(true);
            cut = left_out;
        } else if let Some(target) = &self.target {
            capture.clip = Some(one_element(run, target, drawn).await?);
            capture.capture_beyond_viewport = Some(true);
        } else if drawn != ratio {
            let [x, y, width, height] = viewport(tab, run).await?;
            capture.clip = Some(p::Viewport { x, y, width, height, scale: 1.0 });
        }
        let clip = capture.clip.clone();
        if let Some(clip) = &mut capture.clip {
            clip.scale = drawn / ratio;
        }
        let mut notes = Vec::new();
        let labels = match self.labels {
            true => labels(run, clip.as_ref(), self.full, &mut notes).await?,
            false => Vec::new(),
        };
        let mut bytes = crate::capture::capture(run.context, tab, capture, run.deadline).await?;
        let unreadable = |cause: String| Error::new(Code::Internal, "the picture cannot be read").with_cause(cause);
        if self.labels {
            let shown = labels.clone();
            let drawing = tokio::task::spawn_blocking(move || crate::labels::draw(&bytes, &shown, drawn, jpeg_quality));
            bytes = drawing.await.map_err(|error| unreadable(error.to_string()))??;
        }
        let (width, height) = size(&bytes).ok_or_else(|| unreadable("neither PNG nor JPEG".into()))?;
        if let Some(path) = &self.path {
            files::write(run, path, bytes.clone()).await?;
        }
        let mut mime_type = if format == Format::Png { "image/png" } else { "image/jpeg" };
        let (mut width, mut height) = (width, height);
        if self.fit {
            let whole = [f64::from(width) / drawn, f64::from(height) / drawn];
            let is_whole_page = self.full;
            let fitting = tokio::task::spawn_blocking(move || {
                picture::fitted(bytes, mime_type, [width, height], is_whole_page)
            });
            let fitted = fitting.await.map_err(|error| unreadable(error.to_string()))?;
            [width, height] = fitted.made_smaller.unwrap_or([width, height]);
            (bytes, mime_type) = (fitted.bytes, fitted.mime_type);
            let corner = clip.as_ref().filter(|_| self.full || self.target.is_some()).map(|clip| [clip.x, clip.y]);
            notes.extend(pictured::note(run, Pictured { corner, size: whole, pixels: [width, height] })?);
        }
        let picture = Picture { mime_type, bytes, path: self.path.clone(), width, height, cut };
        Ok(Outcome { screenshot: Some(picture), labels, notes, ..Outcome::default() })
    }
}

impl Screenshot {
    fn format(&self) -> Result<Format> {
        let ending = self.path.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        let by_name = match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Some(Format::Png),
            Some("jpg" | "jpeg") => Some(Format::Jpeg),
            _ => None,
        };
        if let (None, Some(ending)) = (self.format, ending.filter(|ending| OTHERS.contains(&&*ending.to_ascii_lowercase()))) {
            return Err(Error::invalid(format!("pictures are PNG or JPEG, not {ending}"))
                .with_hint("name a file that ends with .png or .jpg"));
        }
        // Who says a format means it, whatever the file is called.
        match (self.format.or(by_name).unwrap_or(Format::Png), self.quality) {
            (Format::Png, Some(_)) => Err(Error::invalid("a PNG has no quality").with_hint("use --format jpeg")),
            (format, _) => Ok(format),
        }
    }
}

/// Device pixels to a CSS pixel. Where nothing else was asked for, it is the screen's own.
async fn pixel_ratio(run: &Run<'_>) -> Result<f64> {
    if let Some(viewport) = run.context.pages.emulation().viewport {
        return Ok(viewport.scale);
    }
    let (_, tab) = run.tab()?;
    let ratio = page::ask(tab, FrameId(0), "pixelRatio", &page::NO_ARGUMENTS, run.deadline).await;
    // A page that cannot be asked can still be pictured.
    Ok(ratio.ok().and_then(|ratio| ratio.as_f64()).filter(|ratio| *ratio > 0.0).unwrap_or(1.0))
}

/// The whole page, and what is left out of one that is too tall to draw.
async fn whole_page(tab: &Tab, run: &Run<'_>, scale: f64) -> Result<(p::Viewport, Option<Cut>)> {
    let asking = async { tab.channel.call(p::GetLayoutMetrics {}, run.deadline).await.map_err(lift) };
    let metrics = tab.unless_dialog(asking, run.deadline).await?;
    let p::Rect { width, height, .. } = metrics.css_content_size;
    let shown = height.min((TALLEST / scale).floor());
    let cut = (shown < height).then_some(Cut { shown: shown as u64, of: height as u64 });
    Ok((p::Viewport { x: 0.0, y: 0.0, width, height: shown, scale: 1.0 }, cut))
}

/// Where an element is in the page. It is scrolled into view first if it is not.
async fn one_element(run: &Run<'_>, target: &Target, scale: f64) -> Result<p::Viewport> {
    let (_, tab) = run.tab()?;
    let found = locate::locate_soon(run, target).await?;
    let mut eyes = tab.eyes(run.deadline).await?;
    eyes.look(tab, run.deadline).await?;
    let [left, top, width, height] = eyes.box_of(tab, found, run.deadline).await?;
    if width <= 0.0 || height <= 0.0 {
        return Err(Error::new(Code::ElementNotVisible, format!("{target} has no size")));
    }
    let [x, y, ..] = viewport(tab, run).await?;
    // What is larger cannot be drawn.
    let most = (TALLEST / scale).floor();
    Ok(p::Viewport { x: left + x, y: top + y, width: width.min(most), height: height.min(most), scale: 1.0 })
}

/// How far the page is scrolled, and how large its window is.
async fn viewport(tab: &Tab, run: &Run<'_>) -> Result<[f64; 4]> {
    let numbers = page::ask(tab, FrameId(0), "viewport", &page::NO_ARGUMENTS, run.deadline).await?;
    Ok(serde_json::from_value(numbers).unwrap_or_default())
}

/// The elements with refs that are in the picture, numbered as they come in the page.
async fn labels(
    run: &Run<'_>,
    clip: Option<&p::Viewport>,
    full: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Label>> {
    let (_, tab) = run.tab()?;
    let mut eyes = tab.eyes(run.deadline).await?;
    notes.extend(first_look::look(run, &mut eyes).await?.notes);
    // Of the whole page most is not in sight.
    let which = if full { Boxes::All } else { Boxes::InSight };
    let boxes = eyes.boxes(tab, which, run.deadline).await?;
    let [scrolled_x, scrolled_y, width, height] = viewport(tab, run).await?;
    let (x, y, width, height) = match clip {
        Some(clip) => (scrolled_x - clip.x, scrolled_y - clip.y, clip.width, clip.height),
        None => (0.0, 0.0, width, height),
    };
    let mut labels: Vec<Label> = Vec::new();
    for mut label in eyes.view.labels() {
        let Some([left, top, wide, high]) = boxes.get(&label.reference) else { continue };
        let (left, top) = (left + x as i32, top + y as i32);
        let is_in = left < width as i32 && top < height as i32 && left + wide > 0 && top + high > 0;
        if is_in && *wide > 0 && *high > 0 {
            label.number = labels.len() as u32 + 1;
            label.bounds = [left, top, *wide, *high];
            labels.push(label);
        }
    }
    eyes.told_part();
    Ok(labels)
}

/// Width and height from the header of a PNG (its first chunk) or a JPEG (its first frame header).
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize, length: usize| {
        Some(bytes.get(at..at + length)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some((number(16, 4)?, number(20, 4)?));
    }
    if !bytes.starts_with(b"\xff\xd8") {
        return None;
    }
    let mut at = 2;
    loop {
        let marker = number(at + 1, 1)?;
        // SOF0 to SOF15 hold the size, except the three that are tables.
        if (0xC0..=0xCF).contains(&marker) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
            return Some((number(at + 7, 2)?, number(at + 5, 2)?));
        }
        at += 2 + number(at + 2, 2)? as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_follows_the_file_unless_it_is_said() {
        let check = |path: Option<&str>, format, quality| {
            Screenshot { path: path.map(Into::into), format, quality, ..Screenshot::default() }.format().ok()
        };
        assert_eq!(check(None, None, None), Some(Format::Png));
        assert_eq!(check(Some("a.JPG"), None, Some(50)), Some(Format::Jpeg));
        assert_eq!(check(Some("a.out"), Some(Format::Jpeg), None), Some(Format::Jpeg));
        assert_eq!(check(Some("a.png"), Some(Format::Jpeg), None), Some(Format::Jpeg));
        assert_eq!(check(Some("a.jpg"), Some(Format::Png), None), Some(Format::Png));
        assert_eq!(check(Some("a.webp"), None, None), None);
        assert_eq!(check(Some("a.webp"), Some(Format::Png), None), Some(Format::Png));
        assert_eq!(check(None, None, Some(50)), None, "a PNG has no quality");
    }

    #[test]
    fn nothing_that_is_cut_short_is_read_as_a_picture() {
        for bytes in [&b""[..], b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"\xff\xd8\xff\xc0\0\x10", b"GIF89a"] {
            assert_eq!(size(bytes), None);
        }
    }
}
