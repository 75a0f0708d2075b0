//! Pages for tests, written as indented text.
//!
//! A line is `role "name" property, property=value`, or `'text`; what stands deeper is in it. Elements are numbered from 1 in their
//! order, unless a line begins with a number: `12 button "Save" ref`.

use contract::{FrameId, Ref};

use super::{
    text::TextOptions,
    tree::{Tree, View, reference},
};

/// A page of one frame.
pub(crate) fn page(text: &str) -> View {
    View { trees: [(FrameId(0), tree(text))].into(), frames: Default::default() }
}

/// A page with a frame in the element of that number.
pub(crate) fn with_frame(text: &str, holder: u32, inner: &str) -> View {
    let mut view = page(text);
    view.trees.insert(FrameId(1), tree(inner));
    view.frames.insert(e(holder), FrameId(1));
    view
}

/// The ref of an element of the page itself.
pub(crate) fn e(number: u32) -> Ref {
    reference(FrameId(0), number)
}

pub(super) fn tree(text: &str) -> Tree {
    struct Told {
        depth: usize,
        number: u32,
        head: String,
        children: Vec<String>,
    }
    let document = Told { depth: 0, number: 0, head: "document\tTitle\t".into(), children: vec![] };
    let (mut open, mut done, mut last) = (vec![document], Vec::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2 + 1;
        while open.last().unwrap().depth >= depth {
            done.push(open.pop().unwrap());
        }
        let line = line.trim_start();
        let around = open.last_mut().unwrap();
        if line.starts_with('\'') {
            around.children.push(line.into());
            continue;
        }
        let (number, line) = match line.split_once(' ') {
            Some((number, rest)) if number.parse::<u32>().is_ok() => (number.parse().unwrap(), rest),
            _ => (last + 1, line),
        };
        last = number;
        around.children.push(number.to_string());
        let (role, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (name, rest) = match rest.strip_prefix('"') {
            Some(rest) => rest.rsplit_once('"').unwrap(),
            None => ("", rest),
        };
        let properties: String =
            rest.split(',').map(str::trim).filter(|p| !p.is_empty()).map(|p| format!("{p}\t")).collect();
        open.push(Told { depth, number, head: format!("{role}\t{name}\t{properties}"), children: vec![] });
    }
    done.append(&mut open);
    let line = |told: &Told| match told.children.as_slice() {
        [] => format!("{}\t{}", told.number, told.head),
        children => format!("{}\t{}\t{}", told.number, told.head, children.join("\t")),
    };
    let lines: Vec<String> = done.iter().map(line).collect();
    Tree::whole(lines.iter().map(String::as_str)).unwrap()
}

/// Elements in each other, that many levels, and a button in the innermost.
pub(super) fn deep(levels: u32) -> View {
    let lines: Vec<String> = (0..levels).map(|at| format!("{at}\tgroup\t{at}\t\t{}", at + 1)).collect();
    let button = format!("{levels}\tbutton\tdeep\tref");
    let tree = Tree::whole(lines.iter().chain([&button]).map(String::as_str)).unwrap();
    View { trees: [(FrameId(0), tree)].into(), ..View::default() }
}

/// Compares the text of a page with one that may be indented and begin with a line break.
pub(super) fn check(source: &str, expected: &str) {
    assert_eq!(page(source).render(&TextOptions::default()).text, unindented(expected), "of {source}");
}

pub(super) fn unindented(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let margin = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    lines.iter().map(|line| &line[margin..]).collect::<Vec<_>>().join("\n")
}
