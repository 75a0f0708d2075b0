//! `fill_form`: fills several fields. All of them are found and looked at before the first one is touched.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, error::ErrorKind, value_parser};
use contract::{Code, Effect, Error, Outcome, Result, Step, Target, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Run, Verb};
use crate::{
    anew::Attempt,
    fields::{self, Field, field_for},
    hands::aim,
    page,
    snapshot::frame_of,
};

/// Fill several fields, all or none where that can be known before
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FillForm {
    /// The fields, in the order in which they are filled
    pub fields: Vec<FormField>,
    /// Press Enter in the last one afterwards
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub submit: bool,
}

/// A field of a form, and what is to be in it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FormField {
    /// The field: a ref (e12), css=…, xpath=…, x,y, or a description in plain words
    pub target: Target,
    /// What to put into it; true or false for boxes, the name of an option for lists
    pub value: Typed,
}

impl FillForm {
    /// Fills these fields.
    pub fn new(fields: Vec<FormField>) -> FillForm {
        FillForm { fields, submit: false }
    }

    /// The fields after this one, as not done.
    fn undone(&self, at: usize) -> impl Iterator<Item = Step> {
        self.fields.iter().skip(at + 1).map(|field| Step {
            what: field.target.to_string(),
            message: "not done".into(),
            ..Step::default()
        })
    }
}

// By hand, since pairs of arguments are nothing that clap derives.
impl Args for FillForm {
    fn augment_args(command: Command) -> Command {
        command
            .about("Fill several fields, all or none where that can be known before")
            .arg(
                Arg::new("fields")
                    .value_names(["TARGET", "VALUE"])
                    .help("A field and what to put into it, then the next one; after -- a value may begin with -")
                    .required(true)
                    .num_args(2..)
                    .action(ArgAction::Append)
                    .allow_negative_numbers(true)
                    .value_parser(value_parser!(String)),
            )
            .arg(
                Arg::new("submit")
                    .long("submit")
                    .help("Press Enter in the last one afterwards")
                    .action(ArgAction::SetTrue),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        FillForm::augment_args(command)
    }
}

impl FromArgMatches for FillForm {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FillForm, clap::Error> {
        let given: Vec<&String> = matches.get_many("fields").unwrap_or_default().collect();
        let mut fields = Vec::new();
        for pair in given.chunks(2) {
            let [target, value] = pair else {
                let message = "the last target has no value\n";
                return Err(clap::Error::raw(ErrorKind::WrongNumberOfValues, message));
            };
            let target = target.parse().map_err(|error: Error| {
                clap::Error::raw(ErrorKind::ValueValidation, format!("{}\n", error.message))
            })?;
            fields.push(FormField { target, value: Typed::from(value.as_str()) });
        }
        Ok(FillForm { fields, submit: matches.get_flag("submit") })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = FillForm::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Verb for FillForm {
    const NAME: &'static str = "fill_form";

    fn effect(&self) -> Effect {
        if self.submit { Effect::Submit } else { Effect::Input }
    }

    fn targets(&self) -> Vec<&Target> {
        self.fields.iter().map(|field| &field.target).collect()
    }

    async fn plan(&self, run: &Run<'_>) -> Result<()> {
        let mut last = None;
        for FormField { target, value } in &self.fields {
            last = Some(fields::plan(run, target, value).await.map_err(|error| with_target(target, error))?);
        }
        match last {
            None => Err(no_fields()),
            Some(field) if self.submit => field.may_submit(run).await,
            Some(_) => Ok(()),
        }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let _turn = run.tab()?.1.turn(run.deadline).await?;
        if self.fields.is_empty() {
            return Err(no_fields());
        }
        let mut found: Vec<Field> = Vec::new();
        for field in &self.fields {
            let place = look_at(run, field).await.map_err(|error| nothing_done(&field.target, error))?;
            if let Some(at) = found.iter().position(|other| other.element == place.element) {
                let message = format!("{} is the same field as {at}", place.element, at = self.fields[at].target);
                let error = Error::invalid(message).with_hint("give each field once");
                return Err(nothing_done(&field.target, error));
            }
            found.push(place);
        }
        if let Some(field) = found.last().filter(|_| self.submit) {
            found.iter().for_each(|field| run.gate.fills(field.element));
            field.may_submit(run).await?;
        }
        let begun = run.place();
        let mut steps: Vec<Step> = Vec::new();
        let mut last = Outcome::default();
        let mut typed = 0;
        let mut notes = Vec::new();
        for (at, (field, place)) in self.fields.iter().zip(&mut found).enumerate() {
            match fill(run, field, place).await {
                Ok(outcome) => {
                    typed += outcome.typed.unwrap_or_default();
                    notes.extend(outcome.notes.iter().map(|note| format!("{}: {note}", field.target)));
                    steps.push(done(field, &outcome));
                    let left = self.fields.len() - at - 1;
                    last = outcome;
                    let is_left = match &begun {
                        Some(begun) if left > 0 => run.has_left(begun).await,
                        _ => false,
                    };
                    if is_left {
                        steps.extend(self.undone(at));
                        let left = match left {
                            1 => "1 field after it was".to_owned(),
                            left => format!("{left} fields after it were"),
                        };
                        let message = format!("{}: led to another page; {left} not filled", field.target);
                        return Err(Error::new(Code::BatchStopped, message)
                            .with_outcome(Outcome { steps, typed: Some(typed), notes, ..last }));
                    }
                }
                Err(error) => {
                    steps.push(Step {
                        what: field.target.to_string(),
                        code: Some(error.code.to_string()),
                        message: error.message.clone(),
                        ..Step::default()
                    });
                    steps.extend(self.undone(at));
                    let error = with_target(&field.target, error);
                    return Err(error
                        .with_outcome(Outcome { steps, typed: Some(typed), notes, ..Outcome::default() }));
                }
            }
        }
        if last.navigation.is_none()
            && let Some(at) = first_emptied(run, &self.fields, &found).await?
        {
            let (step, target) = (&mut steps[at], &self.fields[at].target);
            *step = Step { ok: false, code: Some(Code::NoEffect.to_string()), message: "empty again".into(), ..step.clone() };
            let message = format!("{target}: the page did not keep the text");
            return Err(Error::new(Code::NoEffect, message)
                .with_hint("if it has a list, choose from that with `webhand select`")
                .with_outcome(Outcome { steps, typed: Some(typed), notes, ..last }));
        }
        let outcome = Outcome { steps, typed: Some(typed), notes, ..last };
        match found.last() {
            Some(field) if self.submit => field.submit(run, outcome).await,
            _ => Ok(outcome),
        }
    }
}

/// The first field that is empty although a text was put into it.
async fn first_emptied(run: &Run<'_>, fields: &[FormField], found: &[Field]) -> Result<Option<usize>> {
    for (at, (field, place)) in fields.iter().zip(found).enumerate() {
        if place.is_emptied(run, &field.value).await? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Finds a field, and waits until it can be filled.
async fn look_at(run: &Run<'_>, field: &FormField) -> Result<Field> {
    let mut attempt = Attempt::new(run);
    loop {
        match look_once(run, field).await {
            Err(error) => attempt.again(run, &[&field.target], error).await?,
            found => return found,
        }
    }
}

/// Fills a field that was found. The page may have replaced it since, when those before it were filled.
async fn fill(run: &Run<'_>, field: &FormField, place: &mut Field) -> Result<Outcome> {
    let mut attempt = Attempt::new(run);
    loop {
        match place.fill(run, &field.value).await {
            Err(error) => attempt.again(run, &[&field.target], error).await?,
            filled => return filled,
        }
        *place = look_at(run, field).await?;
    }
}

async fn look_once(run: &Run<'_>, FormField { target, value }: &FormField) -> Result<Field> {
    let field = field_for(run, target, value).await?;
    let aimed = aim(run, &Target::Ref(field.element), field.needs()).await?;
    page::tell(run.tab()?.1, frame_of(aimed.element), "unwatchEffects");
    Ok(field)
}

fn no_fields() -> Error {
    Error::invalid("there are no fields to fill").with_hint("give targets and values")
}

fn nothing_done(target: &Target, error: Error) -> Error {
    let mut error = with_target(target, error);
    error.message.push_str("; nothing was typed");
    error
}

/// The error of one field among several.
fn with_target(target: &Target, mut error: Error) -> Error {
    error.message = format!("{target}: {}", error.message);
    error
}

fn done(field: &FormField, outcome: &Outcome) -> Step {
    let message = match outcome.typed {
        Some(1) => "1 character".into(),
        Some(typed) => format!("{typed} characters"),
        None => String::new(),
    };
    Step { what: field.target.to_string(), ok: true, message, ..Step::default() }
}
