//! Every word that an outcome or an error tells, one after the other: for those who mask or clean all of them. The lists below name
//! every field, so that one that is added has to find its place here before anything compiles.

use serde_json::Value;

use crate::{
    Candidate, ConsoleMessage, Content, Delta, Dialog, Download, Error, Frame, Healed, Label, Named,
    Navigation, NetworkRequest, Outcome, Plan, PlannedEffect, Ref, Snapshot, SnapshotNode, Step, TabInfo,
};

/// Something that is told, by its kind.
pub enum Told<'a> {
    /// A name, an address, a message: one line.
    Line(&'a mut String),
    /// Many lines: a snapshot, what was read.
    Text(&'a mut String),
    /// The page's own markup.
    Markup(&'a mut String),
    /// What a script returned, and other data.
    Data(&'a mut Value),
    /// The ref of an element.
    Ref(Ref),
}

type Visit<'v> = dyn FnMut(Told<'_>) + 'v;

fn line(text: &mut String, visit: &mut Visit<'_>) {
    visit(Told::Line(text));
}

fn lines<'a>(texts: impl IntoIterator<Item = &'a mut String>, visit: &mut Visit<'_>) {
    texts.into_iter().for_each(|text| line(text, visit));
}

fn refs(refs: impl IntoIterator<Item = Ref>, visit: &mut Visit<'_>) {
    refs.into_iter().for_each(|reference| visit(Told::Ref(reference)));
}

impl Error {
    /// Visits every word and every ref of it, those of the outcome that it carries included.
    pub fn each_told(&mut self, visit: &mut Visit<'_>) {
        let Error { code: _, repeats: _, message, cause, outcome, hint } = self;
        line(message, visit);
        lines(cause, visit);
        lines(hint, visit);
        if let Some(outcome) = outcome {
            outcome.each_told(visit);
        }
    }
}

impl Outcome {
    /// Visits every word and every ref of it. Other ids, numbers and places of files are no words.
    pub fn each_told(&mut self, visit: &mut Visit<'_>) {
        let Outcome {
            session: _,
            tab: _,
            url,
            title,
            status: _,
            navigation,
            target,
            typed: _,
            scrolled: _,
            candidates,
            steps,
            value,
            snapshot,
            delta,
            content,
            tabs,
            frames,
            labels,
            opened,
            dialog,
            downloads,
            console,
            requests,
            recovered: _,
            healed,
            plan,
            notes,
            unchanged: _,
            screenshot: _,
            left: _,
            place: _,
        } = self;
        lines(url, visit);
        lines(title, visit);
        if let Some(Navigation { kind: _, redirects }) = navigation {
            lines(redirects, visit);
        }
        target.iter_mut().for_each(|target| named(target, visit));
        for Candidate { element, score: _, reasons } in candidates {
            named(element, visit);
            lines(reasons, visit);
        }
        for Step { what, ok: _, code: _, message, outcome } in steps {
            line(what, visit);
            line(message, visit);
            if let Some(outcome) = outcome {
                outcome.each_told(visit);
            }
        }
        if let Some(value) = value {
            visit(Told::Data(value));
        }
        if let Some(Snapshot { text, nodes, refs: _, cut: _ }) = snapshot {
            visit(Told::Text(text));
            nodes.iter_mut().for_each(|at| node(at, visit));
        }
        if let Some(Delta { text, appeared, changed, went, cut: _ }) = delta {
            visit(Told::Text(text));
            refs([appeared, changed, went].into_iter().flatten().map(|at| *at), visit);
        }
        if let Some(Content { text, format, offset: _, total: _, next_offset: _ }) = content {
            visit(if format == "html" { Told::Markup(text) } else { Told::Text(text) });
        }
        tabs.iter_mut().flatten().chain(opened).for_each(|at| tab(at, visit));
        for Frame { frame: _, parent: _, url, name, out_of_process: _ } in frames.iter_mut().flatten() {
            lines([url, name], visit);
        }
        for Label { number: _, reference, role, name, bounds: _ } in labels {
            visit(Told::Ref(*reference));
            lines([role, name], visit);
        }
        if let Some(Dialog { kind: _, message, suggestion, accepted: _ }) = dialog {
            lines([message, suggestion], visit);
        }
        // The name was made when the file was; where it is has to stay true.
        for Download { name: _, url, path: _, bytes: _, sha256: _ } in downloads {
            line(url, visit);
        }
        for ConsoleMessage { number: _, level: _, text, at, repeated: _ } in console {
            lines([text, at], visit);
        }
        for request in requests {
            let NetworkRequest {
                number: _,
                method: _,
                url,
                kind: _,
                status: _,
                error,
                ms: _,
                bytes: _,
                details,
            } = request;
            line(url, visit);
            lines(error, visit);
            if let Some(details) = details {
                visit(Told::Data(details));
            }
        }
        if let Some(Healed { gone, now }) = healed {
            refs([*gone, *now], visit);
        }
        plan.iter_mut().for_each(|at| planned(at, visit));
        lines(notes, visit);
    }
}

fn named(Named { reference, role, name }: &mut Named, visit: &mut Visit<'_>) {
    visit(Told::Ref(*reference));
    lines([role, name], visit);
}

fn planned(at: &mut Plan, visit: &mut Visit<'_>) {
    let Plan { verb: _, elements, effects, files: _, decide: _, notes, steps } = at;
    elements.iter_mut().for_each(|element| named(element, visit));
    for effect in effects {
        let PlannedEffect { effect: _, origins, to, decide: _, granted: _, rule: _, of, why } = effect;
        lines(origins, visit);
        lines(to, visit);
        lines(of, visit);
        line(why, visit);
    }
    lines(notes, visit);
    steps.iter_mut().for_each(|step| planned(step, visit));
}

fn node(at: &mut SnapshotNode, visit: &mut Visit<'_>) {
    let SnapshotNode { role, name, reference, properties, bounds: _, children } = at;
    refs(*reference, visit);
    lines([role, name], visit);
    properties.values_mut().for_each(|value| visit(Told::Data(value)));
    children.iter_mut().for_each(|child| node(child, visit));
}

fn tab(at: &mut TabInfo, visit: &mut Visit<'_>) {
    let TabInfo { tab: _, target_id: _, url, title, active: _, opener: _, label } = at;
    lines([url, title], visit);
    lines(label, visit);
}
