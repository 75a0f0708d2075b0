//! Which texts are CSS selectors without a prefix. A text that is both, such as `menu`, is words: descriptions say more.

/// Elements whose names nobody uses for something that is seen in a page.
const TECHNICAL: &str = "a abbr bdi bdo blockquote body br col colgroup datalist dd dfn div \
    dl dt em figcaption g h1 h2 h3 h4 h5 h6 hgroup hr html kbd li \
    noscript ol optgroup p pre rect samp span svg \
    tbody td tfoot th thead tr tspan ul wbr";

/// Elements whose names are also words that people use for what they see.
const ORDINARY: &str = "address area article aside audio b button canvas caption circle cite code data del details dialog embed fieldset figure footer form head header i iframe \
    image img input ins label legend line main map mark menu meter nav object option output param path picture progress q s search \
    script section select slot small source strong style sub summary sup table template text textarea time title track u use var video";

/// The pseudo classes of CSS. What else may stand behind a colon is a name.
const PSEUDO: &str = "active any-link autofill checked default defined dir disabled empty enabled first-child \
    first-of-type focus focus-visible focus-within has hover in-range indeterminate invalid is lang \
    last-child last-of-type link modal not nth-child nth-last-child nth-last-of-type nth-of-type \
    only-child only-of-type open optional out-of-range placeholder-shown popover-open read-only \
    read-write required root scope target user-invalid user-valid valid visited where";

/// Whether a text is meant as a CSS selector.
pub(super) fn is_selector(text: &str) -> bool {
    starts_like_one(text) || Scan::of(text).is_some_and(|scan| scan.is_selector())
}

/// Whether a text can be read as a selector at all, be it words as well.
pub(super) fn names_elements(text: &str) -> bool {
    starts_like_one(text) || Scan::of(text).is_some_and(|scan| scan.names.iter().all(|name| is_known(name)))
}

/// An id, a class or an attribute comes first.
fn starts_like_one(text: &str) -> bool {
    text.starts_with(['#', '.', '['])
        && text[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "-_".contains(c))
}

/// What a text has in it that can be read as a selector from its beginning to its end.
#[derive(Default)]
struct Scan<'a> {
    /// The names of elements, in order.
    names: Vec<&'a str>,
    /// There is an id, a class, an attribute or a pseudo class.
    signs: bool,
    /// There is a `>`, `+` or `~`.
    combined: bool,
    /// There are several, parted by commas.
    several: bool,
}

impl<'a> Scan<'a> {
    /// None if it cannot be a selector.
    fn of(text: &'a str) -> Option<Scan<'a>> {
        let mut scan = Scan::default();
        let mut rest = text;
        loop {
            rest = scan.compound(rest)?;
            let next = rest.trim_start();
            if next.is_empty() {
                return Some(scan);
            }
            rest = match next.strip_prefix(['>', '+', '~']) {
                Some(after) => {
                    scan.combined = true;
                    after.trim_start()
                }
                None => match next.strip_prefix(',') {
                    Some(after) => {
                        scan.several = true;
                        after.trim_start()
                    }
                    None if next.len() < rest.len() => next,
                    None => return None,
                },
            };
        }
    }

    /// Reads what stands together without a blank, such as `li.open:first-child`, and gives what comes after it.
    fn compound(&mut self, text: &'a str) -> Option<&'a str> {
        let name = ident(text);
        let mut rest = &text[name.len()..];
        if !name.is_empty() {
            self.names.push(name);
        } else if let Some(after) = text.strip_prefix('*') {
            rest = after;
        }
        while let Some(sign) = rest.chars().next().filter(|c| "#.[:".contains(*c)) {
            let after = rest[1..].strip_prefix(':').filter(|_| sign == ':').unwrap_or(&rest[1..]);
            let name = ident(after);
            if name.is_empty() || sign == ':' && !is_in(PSEUDO, name) {
                return None;
            }
            rest = match sign {
                '[' => closed(after, ']')?,
                _ => &after[name.len()..],
            };
            if sign == ':'
                && let Some(inner) = rest.strip_prefix('(')
            {
                rest = closed(inner, ')')?;
            }
            self.signs = true;
        }
        (rest.len() < text.len()).then_some(rest)
    }

    fn is_selector(&self) -> bool {
        let is_own = |name: &str| name.contains('-') && name.bytes().all(|b| !b.is_ascii_uppercase());
        if self.signs || self.combined {
            return self.names.iter().all(|name| is_known(name) || is_own(name));
        }
        let is_technical = |name: &&str| is_in(TECHNICAL, name);
        // Beside others it is the element: people say "navigation", and "nav menu".
        let is_nav = |names: &[&str]| names.contains(&"nav") && !names.contains(&"menu");
        match &*self.names {
            [] => false,
            [name] => is_technical(name),
            // "a button" is English, and no button is in a link.
            ["a", name] if is_in(ORDINARY, name) && *name != "img" => false,
            names if self.several => names.iter().all(is_technical),
            names => {
                names.iter().all(|name| is_known(name)) && (is_nav(names) || names.iter().any(is_technical))
            }
        }
    }
}

/// Whether a list of words has this one.
fn is_in(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

fn is_known(name: &str) -> bool {
    is_in(TECHNICAL, name) || is_in(ORDINARY, name)
}

/// The name that a text starts with, as CSS has names; empty if with none.
fn ident(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || "-_".contains(c)) {
        return "";
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    &text[..end.unwrap_or(text.len())]
}

/// What comes after the bracket that closes, with those inside it and in quotes passed over.
fn closed(text: &str, close: char) -> Option<&str> {
    let (mut quote, mut depth) = (None, 0);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c == close && depth == 0 => return Some(&text[at + c.len_utf8()..]),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}
