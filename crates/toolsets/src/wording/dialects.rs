//! The words of each dialect. To name another command in a hint of the engine, nothing has to be done here; to have a dialect name its tool
//! for it, add a row.

use super::Wording;

pub(crate) const BROWSER: Wording = Wording {
    phrases: &[
        (
            "`webhand emulate --offline=false` ends that",
            "browser_network_state_set with state: \"online\" ends that",
        ),
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
        (
            "look for a part of it with `webhand find`, or look at the page with `webhand snapshot`",
            "look for a part of it with browser_find, or look at the page with browser_snapshot",
        ),
        (
            "allow more time with --timeout; the download goes on",
            "the download goes on; browser_download without a target waits for it",
        ),
        ("allow more time with --timeout, or wait for less", "try again, or wait for less"),
        ("allow more time with --timeout", "wait again, for a shorter time"),
        ("a higher --limit lists them", "with a filename all of them are written to a file"),
        ("--all lists them", "static: true lists them"),
        ("of earlier pages are not listed", "of earlier pages are not listed; all: true lists them"),
        ("--whole reads the whole page", "with target: \"body\" the whole page is read"),
        ("take a new snapshot and use a ref from it", "take a new browser_snapshot and use a ref from it"),
        ("name the field with --target", "name the field as target of browser_type"),
        ("use --drop for an area", "use browser_drop for an area"),
        ("name another --output", "name another filename"),
        (", with --output", ", as filename"),
        ("--output writes it to a file", "with part: response-body and a filename it is written to a file"),
        ("--sent writes it to a file", "with part: request-body and a filename it is written to a file"),
        ("add --url or --domain", "add url or domain"),
        (
            "upload them to what was clicked, or by a tool without a target",
            "browser_file_upload gives them, and without paths none",
        ),
        ("use --format jpeg", "use type: \"jpeg\""),
        (
            "raise max_chars, or look at a part with scope or find",
            "raise maxChars, or look at a part with target or browser_find",
        ),
        ("raise max_chars, or take a snapshot", "look at the page with browser_snapshot"),
    ],
    tools: &[
        ("back", "browser_navigate_back"),
        ("batch", "browser_batch"),
        ("click", "browser_click"),
        ("close", "browser_close"),
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
    ],
};

pub(crate) const OPENCLAW: Wording = Wording {
    phrases: &[
        ("`webhand dialog accept` or `webhand dialog dismiss`", "action dialog, accept true or false"),
        ("allow more time with --timeout", "allow more time with timeoutMs"),
        ("raise max_chars, or look at a part with scope or find", "raise maxChars"),
        ("raise max_chars, or take a snapshot", "look at the page with action snapshot"),
        ("name another --output", "name another path"),
        (", with --output", ", as path"),
        (
            "a download is still under way; `webhand download` without a target waits for it",
            "a download is still under way; action waitfordownload waits for it",
        ),
    ],
    tools: &[
        ("click", "act kind click"),
        ("close", "action stop"),
        ("console", "action console"),
        ("dialog", "action dialog"),
        ("download", "action download"),
        ("fill", "act kind fill"),
        ("find", "action snapshot"),
        ("goto", "action navigate"),
        ("open", "action open"),
        ("press", "act kind press"),
        ("read", "action content"),
        ("requests", "action requests"),
        ("screenshot", "action screenshot"),
        ("scroll", "act kind scroll"),
        ("select", "act kind select"),
        ("snapshot", "action snapshot"),
        ("tabs", "action tabs"),
        ("type", "act kind type"),
        ("upload", "action upload"),
        ("wait", "act kind wait"),
    ],
};

pub(crate) const NANOBOT: Wording = Wording {
    phrases: &[
        ("allow more time with --timeout", "allow more time with timeout"),
        ("raise max_chars, or look at a part with scope or find", "raise maxChars"),
        ("raise max_chars, or take a snapshot", "look at the page with action snapshot"),
    ],
    tools: &[
        ("click", "action click"),
        ("close", "action stop"),
        ("download", "action download"),
        ("fill", "action type"),
        ("find", "action snapshot"),
        ("goto", "action navigate"),
        ("open", "action start"),
        ("snapshot", "action snapshot"),
        ("type", "action type"),
        ("wait", "action wait"),
    ],
};

pub(crate) const STAGEHAND: Wording = Wording {
    phrases: &[
        (
            "name the element by its ref, in plain words, or with css=… or xpath=…",
            "name the element in plain words",
        ),
        ("name one of the candidates by its ref, or say more:", "say more:"),
        (
            "take a new snapshot and choose a target from it",
            "look again with ariaTree and describe the element as it is there",
        ),
        (
            "take a new snapshot and use a ref from it",
            "look again with ariaTree and describe the element as it is there",
        ),
        (
            "take a snapshot of the whole page and name an element that is in it",
            "describe an element that ariaTree shows",
        ),
        (
            "take a snapshot to see what came of it, then try again if nothing did",
            "look with ariaTree what came of it, then try again if nothing did",
        ),
        (
            "take a snapshot, and click again if nothing has come of it",
            "look with ariaTree, and click again if nothing has come of it",
        ),
        (
            "name an element by its ref, or describe one that is in the snapshot",
            "describe one that ariaTree shows",
        ),
        ("allow more time with --timeout; the download goes on", "the download goes on"),
    ],
    tools: &[
        ("back", "navback"),
        ("click", "act"),
        ("fill", "act"),
        ("find", "ariaTree"),
        ("goto", "goto"),
        ("open", "goto"),
        ("press", "keys"),
        ("read", "extract"),
        ("screenshot", "screenshot"),
        ("scroll", "scroll"),
        ("select", "act"),
        ("snapshot", "ariaTree"),
        ("type", "act"),
        ("wait", "wait"),
    ],
};

pub(crate) const QA: Wording = Wording {
    phrases: &[
        (
            "name the element by its ref, in plain words, or with css=… or xpath=…",
            "name the element in plain words",
        ),
        ("name one of the candidates by its ref, or say more:", "say more:"),
        ("take a new snapshot and choose a target from it", "describe the element as the page shows it now"),
        ("take a new snapshot and use a ref from it", "describe the element as the page shows it now"),
        (
            "take a snapshot of the whole page and name an element that is in it",
            "describe an element that is on the page",
        ),
        (
            "take a snapshot to see what came of it, then try again if nothing did",
            "try again if nothing came of it",
        ),
        (
            "take a snapshot, and click again if nothing has come of it",
            "click again if nothing has come of it",
        ),
        (
            "name an element by its ref, or describe one that is in the snapshot",
            "describe one that is on the page",
        ),
        ("allow more time with --timeout; the download goes on", "the download goes on"),
    ],
    tools: &[
        ("click", "click"),
        ("fill", "fill"),
        ("goto", "navigate"),
        ("open", "navigate"),
        ("scroll", "scroll"),
        ("type", "fill"),
        ("wait", "wait"),
    ],
};

pub(crate) const JARVIS: Wording = Wording {
    phrases: &[("allow more time with --timeout", "allow more time with timeout")],
    tools: &[
        ("click", "action=click"),
        ("close", "action=close"),
        ("fill", "action=type"),
        ("goto", "action=navigate"),
        ("open", "action=launch"),
        ("screenshot", "action=screenshot"),
        ("type", "action=type"),
    ],
};
