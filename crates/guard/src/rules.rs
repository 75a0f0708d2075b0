//! Rules: which effect is allowed, asked about or denied, and where. Pure: a deed in, a judgement out.
//!
//! The first rule that fits decides. A deed may concern several places (the page, the frame, where a form goes to): each is judged by
//! itself, and the strictest judgement counts.

use std::{fmt, str::FromStr};

pub use contract::Ruling;
use contract::{AgentName, Effect, Error, Result};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::origin::{Origin, origin_of};

/// What a script that does more than read can do in a page: it is judged as the strictest of these.
const BY_SCRIPT: [Effect; 5] =
    [Effect::Input, Effect::Submit, Effect::Navigate, Effect::Download, Effect::Credential];

/// Something that is to be done, as rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What it does to the world.
    pub effect: Effect,
    /// Which way it came in: `cli`, `mcp`, `http` and so on.
    pub front: &'static str,
    /// The agent whose token the caller has, if it has one.
    pub agent: Option<AgentName>,
    /// The page that it is done in, and the frame in it.
    pub pages: Vec<Url>,
    /// Where it leads: a link's address, a form's.
    pub to: Option<Url>,
}

impl Deed {
    /// The places that rules are asked about. None: it is not known where, or everywhere.
    fn places(&self) -> Vec<Option<&Url>> {
        // Where one comes from does not matter for where one may go.
        let pages = if self.effect == Effect::Navigate { &[] } else { &*self.pages };
        let places: Vec<_> = pages.iter().chain(&self.to).map(Some).collect();
        if places.is_empty() { vec![None] } else { places }
    }

    fn leaves(&self) -> bool {
        let from = self.pages.first().and_then(origin_of);
        from.is_some_and(|from| self.to.as_ref().is_some_and(|to| origin_of(to).as_ref() != Some(&from)))
    }
}

/// One rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The effects that it is about; none: all.
    #[serde(default, skip_serializing_if = "Many::is_empty")]
    pub effect: Many<Effect>,
    /// The places that it is about, such as `example.com`, `*.example.com`, `https://example.com:8443`; none: all.
    #[serde(default, skip_serializing_if = "Many::is_empty")]
    pub origin: Many<Origin>,
    /// The fronts that it is about; none: all.
    #[serde(default, skip_serializing_if = "Many::is_empty")]
    pub front: Many<Front>,
    /// Only where it leads from one origin to another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaving: bool,
    /// What it decides.
    pub decide: Ruling,
    /// What has to come of it, checked when it is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// A front as rules name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Front {
    /// The command line.
    Cli,
    /// MCP clients.
    Mcp,
    /// HTTP clients.
    Http,
    /// Rust code.
    Library,
    /// `webhand demo`.
    Demo,
}

impl Front {
    /// As the journal spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Front::Cli => "cli",
            Front::Mcp => "mcp",
            Front::Http => "http",
            Front::Library => "library",
            Front::Demo => "demo",
        }
    }
}

/// What a rule says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What is done.
    pub effect: Effect,
    /// Where: the page, or for `navigate` the page that is gone to.
    pub url: Url,
    /// The page that it is done from, for `navigate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Url>,
    /// Which way it came in; none: the first front of the rule, or `mcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<Front>,
    /// What has to be decided.
    pub decide: Ruling,
}

/// One thing or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "OneOrMany<T>")]
pub struct Many<T>(pub Vec<T>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "a name that is known, or a list of such names")]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> From<OneOrMany<T>> for Many<T> {
    fn from(said: OneOrMany<T>) -> Self {
        match said {
            OneOrMany::One(one) => Many(vec![one]),
            OneOrMany::Many(many) => Many(many),
        }
    }
}

impl<T: Serialize> Serialize for Many<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Many(Vec::new())
    }
}

impl<T> Many<T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Rule {
    fn fits(&self, deed: &Deed, place: Option<&Url>, may_leave: bool) -> bool {
        (self.effect.is_empty() || self.effect.0.contains(&deed.effect))
            && (self.front.is_empty() || self.front.0.iter().any(|front| front.as_str() == deed.front))
            && (!self.leaving || may_leave)
            // Of a place that is not known, any rule may be the one.
            && (self.origin.is_empty() || place.is_none_or(|place| self.origin.0.iter().any(|origin| origin.has(place))))
    }

    /// Whether it holds wherever something is done.
    fn is_everywhere(&self) -> bool {
        self.origin.is_empty() || self.origin.0.contains(&Origin::Any)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: Vec<String>| names.join(", ");
        let effects = list(self.effect.0.iter().map(|effect| effect.as_str().to_owned()).collect());
        write!(f, "{} {}", self.decide, if effects.is_empty() { "everything" } else { &effects })?;
        if !self.origin.is_empty() {
            write!(f, " at {}", list(self.origin.0.iter().map(ToString::to_string).collect()))?;
        }
        if self.leaving {
            f.write_str(" when it leaves the site")?;
        }
        if !self.front.is_empty() {
            write!(f, " by {}", list(self.front.0.iter().map(|front| front.as_str().to_owned()).collect()))?;
        }
        Ok(())
    }
}

/// Rules in their order. They are only there if their examples come out as they say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Rule>", into = "Vec<Rule>")]
pub struct Rules(Vec<Rule>);

/// What was decided, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What is decided.
    pub ruling: Ruling,
    /// The rule, counted from 1; none: what holds without rules.
    pub rule: Option<usize>,
    /// Why, in words.
    pub why: String,
}

impl Rules {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is decided on a deed, with what holds where no rule fits: agents are asked about scripts that do more than read, everything
    /// else is allowed.
    pub fn judge(&self, deed: &Deed) -> Judgement {
        self.judge_or(deed, |deed| match (deed.effect, deed.front) {
            (Effect::Execute, "mcp" | "http") => {
                (Ruling::Ask, "no rule fits; agents are asked about scripts that do more than read")
            }
            _ => (Ruling::Allow, "no rule fits"),
        })
    }

    /// What these rules add to others, of which the strictest counts.
    pub fn narrow(&self, deed: &Deed) -> Judgement {
        self.judge_or(deed, |_| (Ruling::Allow, "no rule fits"))
    }

    fn judge_or(&self, deed: &Deed, otherwise: impl Fn(&Deed) -> (Ruling, &'static str)) -> Judgement {
        let places = deed.places();
        let judgement = self.judge_at(deed, &places, deed.leaves(), &otherwise);
        if deed.effect != Effect::Execute {
            return judgement;
        }
        BY_SCRIPT.into_iter().fold(judgement, |strictest, effect| {
            let does = Deed { effect, ..deed.clone() };
            // Nobody knows where a script leads: rules about any other place may be the ones.
            let leads = !matches!(effect, Effect::Input | Effect::Credential);
            let mut places = does.places();
            places.extend((leads && !places.contains(&None)).then_some(None));
            strictest.or_stricter(self.judge_at(&does, &places, leads, &otherwise))
        })
    }

    fn judge_at(
        &self,
        deed: &Deed,
        places: &[Option<&Url>],
        may_leave: bool,
        otherwise: impl Fn(&Deed) -> (Ruling, &'static str),
    ) -> Judgement {
        let mut strictest: Option<Judgement> = None;
        let mut consider = |judgement: Judgement| {
            if strictest.as_ref().is_none_or(|known| judgement.ruling > known.ruling) {
                strictest = Some(judgement);
            }
        };
        for &place in places {
            let mut fitting = self.0.iter().enumerate().filter(|(_, rule)| rule.fits(deed, place, may_leave));
            let decided = loop {
                let Some((at, rule)) = fitting.next() else { break false };
                consider(Judgement {
                    ruling: rule.decide,
                    rule: Some(at + 1),
                    why: format!("rule {} ({rule})", at + 1),
                });
                if place.is_some() || rule.is_everywhere() {
                    break true;
                }
            };
            if !decided {
                let (ruling, why) = otherwise(deed);
                consider(Judgement { ruling, rule: None, why: why.into() });
            }
        }
        strictest.unwrap_or(Judgement { ruling: Ruling::Allow, rule: None, why: "no rule fits".into() })
    }

    /// Whether any rule does more than allow one of these effects. If none does, nobody has to look what an element would do.
    pub fn care_for(&self, effects: &[Effect]) -> bool {
        self.0.iter().any(|rule| {
            rule.decide != Ruling::Allow
                && (rule.effect.is_empty() || rule.effect.0.iter().any(|effect| effects.contains(effect)))
        })
    }
}

impl Judgement {
    /// The stricter of two; of equals the first.
    #[must_use]
    pub fn or_stricter(self, other: Judgement) -> Judgement {
        if other.ruling > self.ruling { other } else { self }
    }
}

impl TryFrom<Vec<Rule>> for Rules {
    type Error = Error;

    fn try_from(rules: Vec<Rule>) -> Result<Self> {
        let rules = Rules(rules);
        for (at, rule) in rules.0.iter().enumerate() {
            for example in &rule.examples {
                let front = example.front.or(rule.front.0.first().copied()).unwrap_or(Front::Mcp);
                let is_way = example.effect == Effect::Navigate;
                let deed = Deed {
                    effect: example.effect,
                    front: front.as_str(),
                    agent: None,
                    pages: if is_way {
                        example.from.iter().cloned().collect()
                    } else {
                        vec![example.url.clone()]
                    },
                    to: is_way.then(|| example.url.clone()),
                };
                let judged = rules.judge(&deed);
                if judged.ruling != example.decide {
                    return Err(Error::invalid(format!(
                        "rule {} of the policy ({rule}) has an example that does not hold: {} at {} is to be {}, but is {} ({})",
                        at + 1,
                        example.effect.as_str(),
                        example.url.origin().ascii_serialization(),
                        example.decide,
                        judged.ruling,
                        judged.why,
                    ))
                    .with_hint("correct the rule or its example; the first rule that fits decides"));
                }
            }
        }
        Ok(rules)
    }
}

impl From<Rules> for Vec<Rule> {
    fn from(Rules(rules): Rules) -> Self {
        rules
    }
}

impl FromStr for Rules {
    type Err = Error;

    /// Reads rules from JSON: a list, or one rule.
    fn from_str(text: &str) -> Result<Self> {
        let list = if text.trim_start().starts_with('{') { format!("[{text}]") } else { text.to_owned() };
        serde_json::from_str(&list).map_err(|error| {
            Error::invalid(format!("the policy cannot be read: {error}")).with_hint(
                r#"write a list of rules as JSON, such as [{"effect": "submit", "decide": "ask"}]"#,
            )
        })
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
