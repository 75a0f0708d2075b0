//! Whether a text is anywhere on a page, as people would say: wherever it is broken, and however it is written.

use contract::{FrameId, Ref};

use super::tree::{Child, View, frame_of, reference};

/// What stands in a line with what is around it.
const INLINE: [&str; 12] = [
    "strong",
    "emphasis",
    "link",
    "code",
    "mark",
    "subscript",
    "superscript",
    "deletion",
    "insertion",
    "generic",
    "time",
    "text",
];

/// What no text has: it keeps the words of two paragraphs from becoming one word.
const APART: char = '\u{1}';

impl View {
    /// Whether the text can be read somewhere. Capitals, small letters and white space make no difference.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let wanted = squashed(text);
        let mut words = String::new();
        self.gather(reference(FrameId(0), 0), &mut words);
        words.contains(&wanted)
    }

    /// All that can be read in an element, in order.
    fn gather(&self, root: Ref, words: &mut String) {
        let mut pending = vec![Step::Enter(root)];
        while let Some(step) = pending.pop() {
            let element = match step {
                Step::Enter(element) => element,
                Step::Text(text) => {
                    words.push_str(&squashed(text));
                    continue;
                }
                Step::Apart => {
                    words.push(APART);
                    continue;
                }
            };
            let tree = self.trees.get(&frame_of(element));
            let Some(node) = tree.and_then(|tree| tree.get(element.element)) else { continue };
            let is_inline = INLINE.contains(&&*node.role);
            if !is_inline {
                words.push(APART);
                pending.push(Step::Apart);
            }
            // A name may say what is in the element once more, or what is in it may say what the name does not.
            for said in
                [&*node.name, node.value().unwrap_or_default()].into_iter().filter(|said| !said.is_empty())
            {
                if !is_inline || node.children.is_empty() {
                    words.push_str(&squashed(said));
                }
                if !is_inline {
                    words.push(APART);
                }
            }
            if let Some(inner) = self.frames.get(&element) {
                pending.push(Step::Enter(reference(*inner, 0)));
            }
            pending.extend(node.children.iter().rev().map(|child| match child {
                Child::Node(number) => Step::Enter(reference(frame_of(element), *number)),
                Child::Text(text) => Step::Text(text),
            }));
        }
    }
}

enum Step<'v> {
    Enter(Ref),
    Text(&'v str),
    Apart,
}

fn squashed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}
