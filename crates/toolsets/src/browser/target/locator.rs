//! Playwright's locators, as far as a target of ours says the same. Others are refused: taken for words, they would lead to
//! something else.

use contract::{Error, Result, Target};

use super::{
    chain,
    selector::{is_selector, names_elements},
};

/// Roles by the word that descriptions have for them.
pub(super) const ROLES: &[(&str, &str)] = &[
    ("button", "button"),
    ("cell", "cell"),
    ("checkbox", "checkbox"),
    ("combobox", "combobox"),
    ("dialog", "dialog"),
    ("gridcell", "cell"),
    ("heading", "heading"),
    ("img", "image"),
    ("link", "link"),
    ("listbox", "listbox"),
    ("listitem", "list item"),
    ("menuitem", "menu item"),
    ("option", "option"),
    ("radio", "radio button"),
    ("row", "row"),
    ("searchbox", "field"),
    ("slider", "slider"),
    ("spinbutton", "field"),
    ("switch", "switch"),
    ("tab", "tab"),
    ("textbox", "field"),
];

/// Pseudo classes that only Playwright has.
const PSEUDO: &[&str] = &[
    ":has-text(",
    ":text(",
    ":text-is(",
    ":text-matches(",
    ":nth-match(",
    ":visible",
    ":left-of(",
    ":right-of(",
    ":above(",
    ":below(",
    ":near(",
];

/// What starts a part of a chain of Playwright's.
const ENGINES: &[&str] =
    &["nth=", "text=", "role=", "visible=", "css=", "xpath=", "internal:", "id=", "data-testid="];

/// The target that a locator means; none if the text is no locator.
pub(super) fn read(text: &str) -> Result<Option<Target>> {
    let call = text.strip_prefix("page.").unwrap_or(text);
    if let Some((method, rest)) = call.split_once('(').filter(|(method, _)| is_method(method)) {
        return called(method, rest).or_else(|| chain::of_calls(call)).map(Some).ok_or_else(refused);
    }
    let starts_engine = |part: &str| ENGINES.iter().any(|engine| part.starts_with(engine));
    let is_chain = text.contains(">>")
        && text.split(">>").map(str::trim).any(|part| starts_engine(part) || is_selector(part));
    let has_pseudo = PSEUDO.iter().any(|pseudo| {
        let before =
            text.split_once(pseudo).map(|(before, _)| before.rsplit([' ', '>']).next().unwrap_or_default());
        before.is_some_and(|before| before.is_empty() || names_elements(before))
    });
    if is_chain || has_pseudo || text.starts_with("internal:") {
        let said = chain::of_parts(text).filter(|_| !text.starts_with("internal:"));
        return said.map(Some).ok_or_else(refused);
    }
    if let Some((engine @ ("id" | "data-testid"), value)) = text.split_once('=') {
        let value = quoted(value.trim_matches(['"', '\'']));
        return value.map(|value| Some(Target::Css(format!("[{engine}={value}]")))).ok_or_else(refused);
    }
    if let Some(role) = text.strip_prefix("role=") {
        return by_role_selector(role).map(Some).ok_or_else(refused);
    }
    if let Some(words) = text.strip_prefix("text=") {
        let words = words.trim_matches(['"', '\'']);
        return named("", words).map(Some).ok_or_else(refused);
    }
    Ok(None)
}

fn is_method(name: &str) -> bool {
    name == "locator" || name.strip_prefix("getBy").is_some_and(|what| what.starts_with(char::is_uppercase))
}

/// What a call such as `getByRole('button', { name: 'Far' })` means; the text is what comes after its bracket.
fn called(method: &str, rest: &str) -> Option<Target> {
    let (first, rest) = literal(rest.trim_start())?;
    let options = rest.trim().strip_suffix(')')?.trim();
    let options = match options.strip_prefix(',') {
        Some(options) => options.trim().strip_prefix('{')?.strip_suffix('}')?.trim(),
        None if options.is_empty() => "",
        None => return None,
    };
    let mut name = None;
    let mut rest = options;
    while !rest.is_empty() {
        let (key, value) = rest.split_once(':')?;
        let value = value.trim_start();
        rest = match key.trim() {
            "name" => {
                let (text, after) = literal(value)?;
                name = Some(text);
                after
            }
            // A name in quotes is meant as it is written anyway.
            "exact" => value.strip_prefix("true").or_else(|| value.strip_prefix("false"))?,
            _ => return None,
        };
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    match (method, name) {
        ("getByRole", name) => by_role(first, name),
        ("getByText", None) => named("", first),
        ("getByLabel", None) => named("field", first),
        ("getByPlaceholder", None) => holding("placeholder", first),
        ("getByAltText", None) => holding("alt", first),
        ("getByTitle", None) => holding("title", first),
        ("getByTestId", None) => quoted(first).map(|id| Target::Css(format!("[data-testid={id}]"))),
        ("locator", None) if is_selector(first) && !first.contains(">>") => Some(Target::Css(first.into())),
        _ => None,
    }
}

/// `button[name="Far"]`, as it stands after `role=`.
fn by_role_selector(text: &str) -> Option<Target> {
    let Some((role, rest)) = text.split_once('[') else { return by_role(text.trim(), None) };
    let (name, rest) = literal(rest.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim_start())?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix(['i', 's']).unwrap_or(rest);
    (rest == "]").then(|| by_role(role.trim(), Some(name)))?
}

fn by_role(role: &str, name: Option<&str>) -> Option<Target> {
    let (_, word) = ROLES.iter().find(|(known, _)| *known == role)?;
    match name {
        Some(name) => named(word, name),
        None => Some(Target::Words((*word).into())),
    }
}

/// An element of a kind by its name.
fn named(kind: &str, name: &str) -> Option<Target> {
    let name = name.trim();
    let fits = !name.is_empty() && !name.contains(['"', '\n', '\\']);
    fits.then(|| Target::Words(format!("{kind} \"{name}\"").trim_start().to_owned()))
}

/// An element with this in an attribute, in upper or lower case as Playwright has it.
fn holding(attribute: &str, text: &str) -> Option<Target> {
    quoted(text).map(|text| Target::Css(format!("[{attribute}*={text} i]")))
}

fn quoted(text: &str) -> Option<String> {
    let fits = !text.is_empty() && !text.contains(['"', '\n', '\\']);
    fits.then(|| format!("\"{text}\""))
}

/// The text in quotes that comes first, and what comes after it.
pub(super) fn literal(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| "'\"`".contains(*c))?;
    text[1..].split_once(quote).filter(|(inside, _)| !inside.contains('\\'))
}

fn refused() -> Error {
    Error::invalid(
        "this locator of Playwright's is not understood here: give a ref such as e12, a CSS selector, or plain words such as \
         the \"Save\" button or the second Delete button",
    )
}

#[cfg(test)]
mod tests {
    use super::{super::place, *};

    #[test]
    fn simple_locators_are_translated() {
        for (locator, target) in [
            ("getByRole('button', { name: 'Far' })", "button \"Far\""),
            ("page.getByRole(\"textbox\", {name: \"E-mail\", exact: true})", "field \"E-mail\""),
            ("getByRole('heading')", "heading"),
            ("getByText('Sign in')", "\"Sign in\""),
            ("getByLabel('Name', { exact: true })", "field \"Name\""),
            ("getByPlaceholder('Search')", "css=[placeholder*=\"Search\" i]"),
            ("getByTestId('save')", "css=[data-testid=\"save\"]"),
            ("locator('#save')", "css=#save"),
            ("role=button[name=\"Far\"]", "button \"Far\""),
            ("role=link", "link"),
            ("text=Sign in", "\"Sign in\""),
            ("data-testid=save", "css=[data-testid=\"save\"]"),
            ("getByRole('button').first()", "first button"),
            ("role=link >> nth=2", "third link"),
            (".dup >> nth=1", "xpath=(//*[contains(concat(' ',normalize-space(@class),' '),' dup ')])[2]"),
            ("css=ul > li >> nth=-1", "xpath=(//ul/li)[last()]"),
            (
                "page.locator('#a input[type=text]').last()",
                "xpath=(//*[@id='a']//input[@type='text'])[last()]",
            ),
            ("locator('ul').locator('li').nth(1)", "xpath=((//ul)//li)[2]"),
        ] {
            assert_eq!(place(locator).unwrap().to_string(), target, "{locator}");
        }
    }

    #[test]
    fn others_are_refused_and_not_guessed_at() {
        for locator in [
            ".dup >> nth=-2",
            "li:has(a) >> nth=0",
            "li:visible",
            ":text(\"Far\")",
            "getByRole('button', { name: /far/i })",
            "getByRole('button').nth(20)",
            "locator('li').filter({ hasText: /x/ })",
            "locator('li').filter({ has: page.getByText('x') })",
            "getByRole('button', { name: 'a' }).nth(1)",
            "getByRole('treegrid')",
            "getByText(\"it's \\\"it\\\"\")",
            "getBySomething('x')",
            "locator('Far')",
            "role=button[pressed]",
            "internal:role=button",
        ] {
            let error = place(locator).unwrap_err();
            assert_eq!(error.code, contract::Code::InvalidInput, "{locator}");
            assert!(error.message.contains("a ref such as e12"), "{locator}");
        }
        for words in
            ["Home >> Products", "getBy", "get by role (button)", "the text=", "Delivery:visible soon"]
        {
            assert!(!matches!(place(words), Ok(Target::Css(_)) | Err(_)), "{words}");
        }
    }
}
