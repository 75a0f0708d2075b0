//! What the engine says for people at a command line, in the words of this toolset: its tools and their arguments.

/// Sayings that are more than the name of a command.
const SAYINGS: &[(&str, &str)] = &[
    ("`webhand dialog accept` or `webhand dialog dismiss`", "browser_handle_dialog"),
    ("`webhand storage local` or `webhand storage session`", "browser_storage"),
    ("give true or false, or use `webhand check` and `webhand uncheck`", "give true or false"),
    ("`webhand type`, which presses", "browser_type with slowly: true, which presses"),
    ("`webhand requests --failed`", "browser_network_requests"),
    ("`webhand requests --all`", "browser_network_requests with static and all"),
    ("`webhand download --url`", "browser_download with its url"),
    (
        "wait for less with --until, or longer with --timeout",
        "go on with it as it is, or wait for what you need of it with browser_wait_for",
    ),
    ("allow more time with --timeout, or wait for less", "try again, or wait with browser_wait_for first"),
    (
        "allow more time with --timeout; the download goes on",
        "the download goes on; browser_download without a target waits for it",
    ),
    ("allow more time with --timeout", "wait again, for a shorter time"),
    ("a higher --limit lists them", "with a filename all of them are written to a file"),
    ("--all lists them", "static: true lists them"),
    ("of earlier pages are not listed", "of earlier pages are not listed; all: true lists them"),
    ("--whole reads the whole page", "with target: \"body\" the whole page is read"),
    ("take a new snapshot and use a ref from it", "take a new browser_snapshot and use a ref from it"),
    ("name the field with --target", "name the field as target of browser_type"),
    ("use --world main", "use world: \"page\", which somebody may have to approve"),
    ("use --drop for an area", "use browser_drop for an area"),
    ("name another --output", "name another filename"),
    (", with --output", ", as filename"),
];

/// The tools that do what a command does. Commands that are for people only are not here.
const TOOLS: &[(&str, &str)] = &[
    ("back", "browser_navigate_back"),
    ("batch", "browser_batch"),
    ("click", "browser_click"),
    ("console", "browser_console_messages"),
    ("cookies", "browser_cookies"),
    ("dialog", "browser_handle_dialog"),
    ("download", "browser_download"),
    ("fill", "browser_type"),
    ("find", "browser_find"),
    ("goto", "browser_navigate"),
    ("open", "browser_navigate"),
    ("press", "browser_press_key"),
    ("read", "browser_read"),
    ("requests", "browser_network_requests"),
    ("screenshot", "browser_take_screenshot"),
    ("scroll", "browser_scroll"),
    ("select", "browser_select_option"),
    ("snapshot", "browser_snapshot"),
    ("state", "browser_storage_state"),
    ("storage", "browser_storage"),
    ("tabs", "browser_tabs"),
    ("type", "browser_type"),
    ("upload", "browser_file_upload"),
    ("wait", "browser_wait_for"),
];

/// A hint or a note with tools in the place of commands.
pub(super) fn as_tools(text: &str) -> String {
    let said = SAYINGS.iter().fold(text.to_owned(), |text, (command, tool)| match text.contains(command) {
        true => text.replace(command, tool),
        false => text,
    });
    let mut parts = said.split("`webhand ");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let tool = part.split_once('`').and_then(|(command, rest)| {
            let verb = command.split(' ').next().unwrap_or_default();
            TOOLS.iter().find(|(known, _)| *known == verb).map(|(_, tool)| (tool, rest))
        });
        match tool {
            Some((tool, rest)) => told += &format!("{tool}{rest}"),
            None => told += &format!("`webhand {part}"),
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use contract::Code;

    use super::*;

    #[test]
    fn commands_become_tools() {
        let check = |text: &str, told: &str| assert_eq!(as_tools(text), told);
        check(Code::DialogOpen.hint(), "answer it with browser_handle_dialog");
        check(Code::StaleRef.hint(), "take a new browser_snapshot and use a ref from it");
        check(Code::TabNotFound.hint(), "list the tabs with browser_tabs");
        check(Code::SessionNotFound.hint(), "start it with browser_navigate");
        check("open one with `webhand goto URL`", "open one with browser_navigate");
        check(
            "look at the page, then try `webhand type`, which presses a key for each character",
            "look at the page, then try browser_type with slowly: true, which presses a key for each character",
        );
        check("use `webhand click` or `webhand press`", "use browser_click or browser_press_key");
        check(
            "the page is there but not done; wait for less with --until, or longer with --timeout",
            "the page is there but not done; go on with it as it is, or wait for what you need of it with browser_wait_for",
        );
        check("run `webhand install`", "run `webhand install`");
        check("an open ` quote", "an open ` quote");
    }

    #[test]
    fn no_code_hints_at_a_flag_or_a_command_that_has_a_tool() {
        for code in Code::ALL {
            let hint = as_tools(code.hint());
            let is_for_people = hint.contains("webhand install") || hint.contains("webhand doctor");
            assert!(!hint.contains("--") && (is_for_people || !hint.contains("`webhand")), "{code}: {hint}");
        }
    }
}
