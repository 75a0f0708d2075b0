//! What using an element would do, as the page's script tells (`page/intent.js`), and whether that may be.

use contract::{Code, Effect, Error, FrameId, Named, Ref, Result};
use guard::{approvals::Scope, origin_of, rules::Deed};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::{
    Exactly, Wish,
    identity::{Identity, Permit, files},
    words::{characters, quoted, without_secrets},
};
use crate::{
    Request,
    actions::Run,
    hands::element_for,
    keyboard::focus,
    page,
    snapshot::{frame_of, reference},
};

/// What a deed is about that is about nothing in particular.
pub(super) const NOTHING: [(); 0] = [];

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
    /// What does it: the elements by their numbers, with their names and how a form is sent. Only ever compared.
    deeds: Vec<Value>,
    fields: Vec<FormField>,
}

/// A field of the form that would be sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct FormField {
    number: u32,
    name: String,
    kind: String,
    off: bool,
    value: String,
}

/// How many fields of a form a question lists by name.
const MOST_FIELDS: usize = 40;

impl Intent {
    /// The frame's address; of one without an origin of its own, that of who made it.
    fn page(&self) -> Option<Url> {
        let page = Url::parse(&self.page).ok();
        match page.as_ref().and_then(origin_of) {
            Some(_) => page,
            None => Url::parse(&self.origin).ok().or(page),
        }
    }

    /// The name of what is used, in full; the one that is told elsewhere is short.
    fn name(&self) -> Option<&str> {
        self.deeds.last()?["name"].as_str()
    }

    /// The fields that are sent, in words: their names, and how long what is in them is.
    fn fields_in_words(&self) -> String {
        let one = |field: &FormField| {
            let hidden = if field.kind == "hidden" { "hidden " } else { "" };
            format!("{hidden}{}: {}", quoted(&field.name), characters(field.value.chars().count()))
        };
        let sent = || self.fields.iter().filter(|field| !field.off && !field.name.is_empty());
        let mut list: Vec<String> = sent().take(MOST_FIELDS).map(one).collect();
        let more = sent().count() - list.len();
        if more > 0 {
            list.push(format!("and {more} more"));
        }
        if list.is_empty() { String::new() } else { format!(" with {}", list.join(", ")) }
    }

    /// What fields hold, but for those that the action itself fills.
    fn held<'a>(&'a self, frame: FrameId, filled: &[Ref]) -> Vec<(&'a str, &'a str, bool, Option<&'a str>)> {
        let is_filled = |field: &FormField| filled.contains(&reference(frame, field.number));
        // Of several buttons with one name, ticking one changes the others.
        let is_group = |field: &FormField, other: &FormField| {
            field.kind == "radio" && other.kind == "radio" && field.name == other.name
        };
        let is_ours = |field: &FormField| {
            is_filled(field) || self.fields.iter().any(|other| is_group(field, other) && is_filled(other))
        };
        let held = |field: &'a FormField| if is_ours(field) { None } else { Some(&*field.value) };
        self.fields.iter().map(|field| (&*field.name, &*field.kind, field.off, held(field))).collect()
    }
}

impl Run<'_> {
    /// A deed in this tab, and in the frame if it is in one.
    pub(crate) fn deed(&self, effect: Effect, frame: Option<Url>, to: Option<Url>) -> Deed {
        let top = self.tab.as_ref().map(|(_, tab)| tab.read(|state| state.document.address().to_owned()));
        let mut pages: Vec<Url> = top.and_then(|top| Url::parse(&top).ok()).into_iter().collect();
        pages.extend(frame.filter(|frame| !pages.contains(frame)));
        Deed { effect, front: self.front.as_str(), agent: self.agent.cloned(), pages, to }
    }

    /// Lets a deed pass, or says why not.
    pub(crate) fn may(&self, deed: Deed, what: impl FnOnce() -> String) -> Result<()> {
        self.may_with(deed, &NOTHING, what)
    }

    /// The same for a deed that is this one only with what it is about.
    pub(crate) fn may_with(
        &self,
        deed: Deed,
        about: &impl Serialize,
        what: impl FnOnce() -> String,
    ) -> Result<()> {
        // Whoever names an address goes there from any page.
        let document = self.destination.is_none().then(|| self.document());
        let exactly = Exactly { identity: Identity::of(&(&deed.to, document, about)), used: None };
        self.session.may(self.gate, deed, || exactly, what)
    }

    /// Lets a page be gone to that nobody named: one of the tab's history.
    pub(crate) fn may_go(&self, address: &str) -> Result<()> {
        let to = Url::parse(address).ok();
        let what = || format!("goes to {}", to.as_ref().map(without_secrets).unwrap_or_default());
        self.may(self.deed(Effect::Navigate, None, to.clone()), what)
    }

    /// The document that the tab shows: when it is loaded again, it is another one.
    fn document(&self) -> Option<String> {
        self.tab.as_ref().map(|(_, tab)| tab.read(|state| state.document.loader.clone()))
    }

    /// Lets an element be used that does this, or says why not. `how` is what is done to it: `clicks`. `used` is what the caller named: if that
    /// comes to something else after it was allowed, it is asked about again.
    pub(crate) fn may_use(&self, named: &Named, how: &str, used: String, intent: &Intent) -> Result<()> {
        let page = intent.page();
        let frame = frame_of(named.reference);
        let element = || {
            let name = intent.name().filter(|name| !name.is_empty()).unwrap_or(&named.name);
            format!("{how} {} {}", role(&named.role), quoted(name))
        };
        let identity = || {
            let world = self
                .tab
                .as_ref()
                .and_then(|(_, tab)| tab.read(|state| state.world(frame, false)))
                .map(|world| world.unique_id);
            let does = (&intent.submits, &intent.goes, &intent.downloads, &intent.origin);
            let by = (named, how, &intent.deeds, intent.held(frame, &self.gate.filled()));
            Identity::of(&(self.document(), world, does, by))
        };
        let may = |effect, to: Option<Url>, words: &dyn Fn() -> String| {
            let exactly = || Exactly { identity: identity(), used: Some(used.clone()) };
            self.session.may(self.gate, self.deed(effect, page.clone(), to), exactly, words)
        };
        // The tab's own address has been judged, if it was not left to be judged here; this is about the frame.
        let is_begun = self.effect == Effect::Input && !self.gate.is_left_to_use();
        let here = |page| Scope::of(&self.deed(Effect::Input, page, None));
        let in_page = here(page.clone());
        let is_elsewhere = in_page != here(None) && !self.gate.was_allowed(&in_page);
        if !is_begun || is_elsewhere {
            may(Effect::Input, None, &element)?;
        }
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
            let fields = || if effect == Effect::Submit { intent.fields_in_words() } else { String::new() };
            let what = || format!("{}, {words} {}{}", element(), without_secrets(&to), fields());
            may(effect, Some(to.clone()), &what)?;
        }
        // What was allowed did something that has to be asked about. What it does now may not be, but that is not what was allowed.
        if let Some(allowed) = self.allowed_other(&used, identity) {
            let permit = Permit { identity: identity(), ..allowed };
            let deed = self.deed(permit.scope.effect, page, None);
            let permit = Permit { scope: Scope::of(&deed), ..permit };
            let why = "something else was allowed, and the page has changed since".into();
            let wish = Wish { deed, permit, what: element(), why, changed: true };
            return self.session.wish(self.gate, wish);
        }
        Ok(())
    }

    /// Lets the action do what it does in the frame of an element, where that is of another origin than the page, which was judged when the
    /// action began. What a click or a key on the element leads to is for [`Run::may_use`].
    pub(crate) async fn may_in_frame_of(&self, element: Ref) -> Result<()> {
        let effect = if self.effect == Effect::Submit { Effect::Input } else { self.effect };
        let is_page = frame_of(element) == FrameId(0);
        if is_page
            || !matches!(effect, Effect::Input | Effect::Upload | Effect::Download)
            || !(self.gate.is_dry() || self.session.cares_for(&[effect]))
        {
            return Ok(());
        }
        let intent = self.intent_of(element, None).await?;
        let deed = self.deed(effect, intent.page(), None);
        let scope = Scope::of(&deed);
        if scope == Scope::of(&self.deed(effect, None, None)) || self.gate.was_allowed(&scope) {
            return Ok(());
        }
        let what = || {
            let role_of = intent.deeds.last().and_then(|deed| deed["role"].as_str()).unwrap_or_default();
            let name = intent.name().unwrap_or_default();
            format!("does {} to {} {} in a frame", effect.as_str(), role(role_of), quoted(name))
        };
        self.may_with(deed, &(element, &intent.origin, &intent.deeds), what)
    }

    /// The same for an element that has not been aimed at: the page is asked what a click on it would do, or a key.
    pub(crate) async fn may_use_as(&self, named: &Named, how: &str, key: Option<&str>) -> Result<()> {
        self.may_use_of(named, how, key, format!("{how} {}", named.reference)).await
    }

    /// The same for one that the caller named otherwise.
    pub(crate) async fn may_use_of(
        &self,
        named: &Named,
        how: &str,
        key: Option<&str>,
        used: String,
    ) -> Result<()> {
        if !self.gate.cares() {
            return Ok(());
        }
        let intent = self.intent_of(named.reference, key).await?;
        // Whoever asked for a form to be sent means it, also if it is none that the browser knows.
        if self.effect == Effect::Submit && key == Some("Enter") && intent.submits.is_none() {
            let name = intent.name().unwrap_or(&named.name);
            let what = || format!("{how} {} {}, to send what is there", role(&named.role), quoted(name));
            self.may_with(self.deed(Effect::Submit, intent.page(), None), &(named, &intent.deeds), what)?;
        }
        self.may_use(named, how, used, &intent)
    }

    async fn intent_of(&self, element: Ref, key: Option<&str>) -> Result<Intent> {
        let (_, tab) = self.tab()?;
        let arguments = (element.element, key);
        let intent: Option<Intent> =
            page::ask_as(tab, frame_of(element), "intentOf", &arguments, self.deadline).await?;
        intent.ok_or_else(|| Error::new(Code::StaleRef, format!("{element} is gone")))
    }

    /// What the action is about, for a question that is put before it begins: the elements that it names or that have the focus, in words,
    /// and what makes them these.
    pub(crate) async fn described(&self, request: &Request) -> Result<(String, Vec<Value>)> {
        let (mut words, mut about) = (String::new(), Vec::new());
        about.push(json!(files(request)));
        let mut elements = Vec::new();
        if self.tab.is_some() && self.destination.is_none() {
            for target in request.action.targets() {
                elements.push(element_for(self, target).await?);
            }
            if request.action.goes_to_focus() {
                elements.extend(focus(self).await?.element.map(|named| named.reference));
            }
        }
        for element in elements {
            let intent = self.intent_of(element, None).await?;
            let (role_of, name) = match intent.deeds.last() {
                Some(deed) => (deed["role"].as_str().unwrap_or_default(), intent.name().unwrap_or_default()),
                None => ("", ""),
            };
            words += &format!("; {element} is {} {}", role(role_of), quoted(name));
            about.push(json!([element, intent.origin, intent.deeds]));
        }
        Ok((words, about))
    }
}

/// The role of an element. It is a word that browsers know; what is none may be anything.
fn role(role: &str) -> String {
    match role.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-' || byte == b' ')
        && role.len() < 30
    {
        true => role.into(),
        false => quoted(role),
    }
}

impl Run<'_> {
    /// What was allowed for a use, or asked for, if that was something else than this and nothing like it is allowed for longer.
    fn allowed_other(&self, used: &str, identity: impl Fn() -> Identity) -> Option<Permit> {
        let permits = self.gate.permits();
        let all = || permits.iter().chain(&self.gate.earlier);
        let is_granted = |permit: &&Permit| {
            self.session.shared().approvals.is_granted(
                self.session.name(),
                self.front.as_str(),
                self.agent,
                &permit.scope,
            )
        };
        let of_it = || all().filter(|permit| permit.used.as_deref() == Some(used));
        of_it().next()?;
        let identity = identity();
        if of_it().any(|permit| permit.identity == identity) {
            return None;
        }
        of_it().find(|permit| !is_granted(permit)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
