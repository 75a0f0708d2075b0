//! `controls`: the page's controls as a list that is easy to search, each with a selector that means it alone.

use std::{collections::BTreeSet, fmt::Write};

use clap::{Args, ValueEnum};
use contract::{Code, Effect, Error, FrameId, Outcome, Ref, Result};
use futures_util::future::join_all;
use jiff::{Zoned, civil::DateTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{cut, first_look, page};

/// List the page's controls, each with a selector
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Controls {
    /// The language of the list
    #[serde(default)]
    #[arg(long, value_enum, default_value_t)]
    pub lang: Lang,
    /// At most this many characters; 20000 if none is said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_chars: Option<u64>,
    /// The first character: where an earlier list was cut
    #[serde(default)]
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
}

/// A language to list controls in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// 中文
    #[default]
    Zh,
    /// English
    En,
}

impl Verb for Controls {
    const NAME: &'static str = "controls";

    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let mut notes = first_look::rest(run).await?;
        let frames = tab.read(|state| state.frames());
        let asked = frames.iter().map(|frame| {
            let deadline = page::frame_deadline(tab, frame.frame, run.deadline);
            page::ask(tab, frame.frame, "controls", &page::NO_ARGUMENTS, deadline)
        });
        let url = frames.first().map(|frame| frame.url.clone()).unwrap_or_default();
        let mut text = header(Self::NAME, &url, Zoned::now().datetime(), self.lang);
        let mut found: Vec<(FrameId, String, Vec<Control>)> = Vec::new();
        for (frame, answer) in frames.iter().zip(join_all(asked).await) {
            match answer {
                Ok(answer) => {
                    let controls = serde_json::from_value(answer).map_err(|error| {
                        Error::new(Code::Internal, "the page's controls cannot be read").with_cause(error)
                    })?;
                    found.push((frame.frame, frame.url.clone(), controls));
                }
                Err(error) if frame.frame == FrameId(0) => return Err(error),
                Err(error) => notes.push(format!("the controls of {} are missing: {error}", frame.frame)),
            }
        }
        if found.len() > 1 {
            name_frames(run, &mut found).await?;
        }
        for (frame, url, controls) in &found {
            if frame.0 > 0 && !controls.is_empty() {
                let _ = write!(text, "\n--- {frame} {url} ---\n");
            }
            list(&mut text, controls, *frame, self.lang);
        }
        // Before it is cut, or a secret could be read in two parts.
        run.session.secrets().redactor().mask(&mut text);
        let max_chars = self.max_chars.unwrap_or(cut::DEFAULT_CHARS);
        let content = cut::part(text.trim_end(), "controls", self.offset, max_chars)?;
        Ok(Outcome { content: Some(content), notes, ..Outcome::default() })
    }
}

/// Puts the frame before every selector that means something in another frame as well: a selector is looked for in all of them.
async fn name_frames(run: &Run<'_>, found: &mut [(FrameId, String, Vec<Control>)]) -> Result<()> {
    let (_, tab) = run.tab()?;
    let all = |found: &[(FrameId, String, Vec<Control>)]| -> BTreeSet<String> {
        found.iter().flat_map(|(.., controls)| controls).filter_map(|control| control.selector.clone()).collect()
    };
    let selectors: Vec<String> = all(found).into_iter().collect();
    let arguments = (&selectors,);
    let asking = found.iter().map(|(frame, ..)| {
        page::ask(tab, *frame, "matching", &arguments, page::frame_deadline(tab, *frame, run.deadline))
    });
    let mut times = vec![0; selectors.len()];
    for answer in join_all(asking).await {
        // A frame that went away has no elements to mix up.
        let places: Vec<usize> = answer.ok().and_then(|places| serde_json::from_value(places).ok()).unwrap_or_default();
        for place in places {
            if let Some(times) = times.get_mut(place) {
                *times += 1;
            }
        }
    }
    let several: BTreeSet<&String> =
        selectors.iter().zip(&times).filter(|(_, times)| **times > 1).map(|(selector, _)| selector).collect();
    for (frame, _, controls) in found {
        for selector in controls.iter_mut().filter_map(|control| control.selector.as_mut()) {
            if several.contains(selector) {
                *selector = format!("{frame} >> {selector}");
            }
        }
    }
    Ok(())
}

/// The lines above a list of controls: what was done, where and when. Ends with an empty line for the controls to follow.
pub fn header(action: &str, url: &str, time: DateTime, lang: Lang) -> String {
    let time = time.strftime("%Y-%m-%d %H:%M:%S");
    match lang {
        Lang::Zh => format!("操作: {action}\nURL: {url}\n时间: {time}\n\n=== 可交互控件 ===\n"),
        Lang::En => format!("Action: {action}\nURL: {url}\nTime: {time}\n\n=== Interactive controls ===\n"),
    }
}

/// A control, as the page's script tells of it.
#[derive(Debug, Deserialize)]
struct Control {
    kind: Kind,
    number: u32,
    label: String,
    /// None if no selector means it alone.
    selector: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    checked: bool,
}

/// The kinds of controls, in the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Link,
    Button,
    Input,
    Select,
    Checkbox,
    Radio,
}

impl Kind {
    const ALL: [Kind; 6] =
        [Kind::Link, Kind::Button, Kind::Input, Kind::Select, Kind::Checkbox, Kind::Radio];

    fn word(self, lang: Lang) -> &'static str {
        let (zh, en) = match self {
            Kind::Link => ("链接", "Link"),
            Kind::Button => ("按钮", "Button"),
            Kind::Input => ("输入", "Input"),
            Kind::Select => ("选择", "Select"),
            Kind::Checkbox => ("复选框", "Checkbox"),
            Kind::Radio => ("单选框", "Radio"),
        };
        lang.pick(zh, en)
    }
}

impl Lang {
    fn pick(self, zh: &'static str, en: &'static str) -> &'static str {
        match self {
            Lang::Zh => zh,
            Lang::En => en,
        }
    }
}

/// Writes the controls of one frame, grouped by kind.
fn list(text: &mut String, controls: &[Control], frame: FrameId, lang: Lang) {
    for kind in Kind::ALL {
        for control in controls.iter().filter(|control| control.kind == kind) {
            block(text, control, frame, lang);
        }
    }
}

fn block(text: &mut String, control: &Control, frame: FrameId, lang: Lang) {
    let Control { kind, number, label, selector, .. } = control;
    let label = if label.is_empty() { lang.pick("(无名称)", "(no name)") } else { label };
    // What no selector means alone still has a ref.
    let reference = Ref { frame: Some(frame).filter(|frame| frame.0 > 0), element: *number };
    let selector = selector.clone().unwrap_or_else(|| reference.to_string());
    let (name, value) = match kind {
        Kind::Link | Kind::Button => (lang.pick("文本", "Text"), format!("\"{}\"", control.text)),
        Kind::Input => (lang.pick("类型", "Type"), control.r#type.clone()),
        Kind::Select => (lang.pick("选项", "Options"), control.options.join(", ")),
        Kind::Checkbox | Kind::Radio if control.checked => {
            (lang.pick("状态", "State"), lang.pick("已选中", "checked").to_owned())
        }
        Kind::Checkbox | Kind::Radio => (lang.pick("状态", "State"), lang.pick("未选中", "unchecked").to_owned()),
    };
    let _ = write!(text, "\n[{}] {label} -> {selector}\n  {name}: {value}\n", kind.word(lang));
}
