//! What became of the texts in an element: an element that means nothing by itself is no node, so what it says is a text of the element
//! around it, between that one's other children.

use std::collections::{HashMap, HashSet};

use super::tree::{Child, Node};

/// The differences between the texts of an element and those that it had.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Texts<'n> {
    /// Texts that are new where no text was, or that came together with elements: their places among the children.
    pub(super) came: Vec<usize>,
    /// Texts that took the place of others.
    pub(super) changed: Vec<&'n str>,
    /// Texts that are gone, and whose place nothing took.
    pub(super) went: Vec<&'n str>,
}

/// What lies between two children that stayed, in the old element and in the new one.
#[derive(Default)]
struct Gap<'n> {
    fresh: Vec<(usize, &'n str)>,
    /// With whether an element beside it is gone as well.
    gone: Vec<(&'n str, bool)>,
    has_new_elements: bool,
}

impl<'n> Texts<'n> {
    /// Compares two states of an element.
    pub(super) fn of(old: &'n Node, new: &'n Node) -> Texts<'n> {
        let mut texts = Texts::default();
        for mut gap in gaps(old, new) {
            // What counts goes on counting beside what comes.
            let gone = &mut gap.gone;
            gap.fresh.retain(|(_, text)| {
                let before = gone.iter().position(|(was, torn)| !torn && is_much_the_same(was, text));
                if let Some(at) = before {
                    gone.remove(at);
                    texts.changed.push(text);
                }
                before.is_none()
            });
            if gap.has_new_elements || gap.gone.is_empty() {
                texts.came.extend(gap.fresh.iter().map(|(at, _)| *at));
                texts.went.extend(gap.gone.iter().map(|(text, _)| *text));
            } else if gap.fresh.is_empty() {
                texts.went.extend(gap.gone.iter().map(|(text, _)| *text));
            } else {
                texts.changed.extend(gap.fresh.iter().map(|(_, text)| *text));
            }
        }
        texts
    }
}

/// The gaps between the elements that are in both, in their new order.
fn gaps<'n>(old: &'n Node, new: &'n Node) -> Vec<Gap<'n>> {
    let was: HashSet<u32> = old.inner().collect();
    let is: HashSet<u32> = new.inner().collect();
    let (mut gaps, mut places) = (vec![Gap::default()], HashMap::from([(None, 0)]));
    let mut spare = counts(old);
    for (at, child) in new.children.iter().enumerate() {
        let last = gaps.len() - 1;
        match child {
            Child::Node(inner) if was.contains(inner) => {
                places.insert(Some(*inner), gaps.len());
                gaps.push(Gap::default());
            }
            Child::Node(_) => gaps[last].has_new_elements = true,
            Child::Text(text) if take(&mut spare, text) => {}
            Child::Text(text) => gaps[last].fresh.push((at, text)),
        }
    }
    let mut spare = counts(new);
    let mut place = 0;
    let is_gone = |child: Option<&Child>| matches!(child, Some(Child::Node(inner)) if !is.contains(inner));
    for (at, child) in old.children.iter().enumerate() {
        match child {
            Child::Node(inner) => place = places.get(&Some(*inner)).copied().unwrap_or(place),
            Child::Text(text) if take(&mut spare, text) => {}
            Child::Text(text) => {
                let before = at.checked_sub(1).and_then(|at| old.children.get(at));
                gaps[place].gone.push((text, is_gone(before) || is_gone(old.children.get(at + 1))));
            }
        }
    }
    gaps
}

/// How often each text is in an element.
fn counts(node: &Node) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for text in texts(node) {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

/// Uses up one of those texts. False if there is none.
fn take(counts: &mut HashMap<&str, usize>, text: &str) -> bool {
    match counts.get_mut(text) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    }
}

/// Whether more than half of a text begins and ends like another one: a count, a time.
fn is_much_the_same(one: &str, other: &str) -> bool {
    let begin = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let rest = one.len().min(other.len()) - begin;
    let end = one.bytes().rev().zip(other.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
    (begin + end) * 2 > one.len().max(other.len())
}

/// The texts directly in an element.
pub(super) fn texts(node: &Node) -> impl Iterator<Item = &str> {
    node.children.iter().filter_map(|child| match child {
        Child::Text(text) => Some(&**text),
        Child::Node(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a 1 b`: texts, and elements by their numbers.
    fn node(text: &str) -> Node {
        let child = |word: &str| match word.parse() {
            Ok(number) => Child::Node(number),
            Err(_) => Child::Text(word.into()),
        };
        Node { children: text.split_whitespace().map(child).collect(), ..Node::default() }
    }

    fn check(old: &str, new: &str, came: &[usize], changed: &[&str], went: &[&str]) {
        let (before, after) = (node(old), node(new));
        let expected = Texts { came: came.into(), changed: changed.into(), went: went.into() };
        assert_eq!(Texts::of(&before, &after), expected, "{old} -> {new}");
    }

    #[test]
    fn rows() {
        check("a 1", "a 1", &[], &[], &[]);
        check("a 1", "b 1", &[], &["b"], &[]);
        check("1", "1 a 2 b 3", &[1, 3], &[], &[]);
        check("1 2", "1 a 2 b", &[1, 3], &[], &[]);
        check("a 1 b", "a 1", &[], &[], &["b"]);
        check("a 1 b", "c 1", &[], &["c"], &["b"]);
        check("1 a 2 b 3", "1 c 4 d 5", &[1, 3], &[], &["a", "b"]);
        // A count beside what comes.
        check("1 left:599s", "1 a 2 left:598s", &[1], &["left:598s"], &[]);
        // What was there with an element of its own is not the same as what came with another one.
        check("1 takes:15h 2", "1 takes:5h 3", &[1], &[], &["takes:15h"]);
        // The same texts in another order are told as such.
        check("a 1 b", "b 1 a", &[], &[], &[]);
    }

    #[test]
    fn alike() {
        assert!(is_much_the_same("Time left: 599", "Time left: 600"));
        assert!(is_much_the_same("3 of 10 items", "4 of 10 items"));
        assert!(
            !is_much_the_same("idle", "done") && !is_much_the_same("a", "b") && !is_much_the_same("", "x")
        );
        assert!(!is_much_the_same("aaaa", "aa"));
    }
}
