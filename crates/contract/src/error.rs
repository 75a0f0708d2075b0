//! The error table: one row a code, append-only, from which the enum, the answers and `docs/errors.md` all follow.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// The result of everything that can fail in webhand.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Declares [`Code`] from rows of `NAME, retriable, meaning, hint`.
macro_rules! codes {
    ($($variant:ident $name:literal $retriable:literal $meaning:literal $hint:literal;)*) => {
        /// What went wrong, stable and machine-readable. Codes are only ever added.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] #[serde(rename = $name)] $variant,)*
        }

        impl Code {
            /// Every code there is, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// The code as it is spelled in answers.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// Whether the same call may succeed when it is simply made again.
            pub const fn retriable(self) -> bool {
                match self { $(Code::$variant => $retriable,)* }
            }

            /// One sentence on what the code stands for.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }

            /// The next thing to do, where the place that raised the error knew nothing better.
            pub const fn hint(self) -> &'static str {
                match self { $(Code::$variant => $hint,)* }
            }
        }
    };
}

codes! {
    InvalidInput "INVALID_INPUT" false "An argument is missing, malformed or contradicts another." "correct the argument that the message names";
    UnknownTool "UNKNOWN_TOOL" false "There is no tool of that name." "list the tools that there are";
    Unsupported "UNSUPPORTED" false "The browser or platform in use cannot do this." "see the message for what is supported";
    ElementNotFound "ELEMENT_NOT_FOUND" true "No element matches the target." "take a new snapshot and choose a target from it";
    ElementAmbiguous "ELEMENT_AMBIGUOUS" false "Several elements match the target equally well. (`qa` calls it retriable, as its document does: with another description.)" "use the ref of one of the candidates";
    ElementNotVisible "ELEMENT_NOT_VISIBLE" true "The element is there, but not visible." "make it visible first, or choose another target";
    ElementNotEnabled "ELEMENT_NOT_ENABLED" true "The element is disabled." "do first what enables it";
    ElementNotEditable "ELEMENT_NOT_EDITABLE" false "The element takes no text, or is read-only." "choose a field that can be edited";
    ElementCovered "ELEMENT_COVERED" true "Another element would receive the click." "close or move what covers it";
    NoEffect "NO_EFFECT" true "The element was used, but did not take what it was given." "look at the page, then try another way";
    StaleRef "STALE_REF" true "The element that the ref stood for is gone." "take a new snapshot and use a ref from it";
    Timeout "TIMEOUT" true "The action did not finish by its deadline." "allow more time with --timeout, or wait for less";
    Cancelled "CANCELLED" false "The caller went away, or the session was closed or halted meanwhile." "run the action again if it is still wanted";
    NavigationFailed "NAVIGATION_FAILED" true "The page could not be loaded." "check the address and that its server is running";
    NavigationBlocked "NAVIGATION_BLOCKED" false "The policy does not let the browser go there." "use an http or https address that the policy allows";
    DownloadFailed "DOWNLOAD_FAILED" true "The download did not finish." "try the download again";
    DialogOpen "DIALOG_OPEN" false "A JavaScript dialog is open and holds the page." "answer it with `webhand dialog accept` or `webhand dialog dismiss`";
    EvaluateFailed "EVALUATE_FAILED" false "The script threw, or its value cannot be returned." "correct the script";
    BatchStopped "BATCH_STOPPED" false "A step of a batch led to another page, and the steps after it were not done." "look at the new page, then do what is left";
    ActionDenied "ACTION_DENIED" false "The policy denies this action." "ask for the policy to be changed";
    ApprovalDenied "APPROVAL_DENIED" false "A person was asked and said no." "do without this action";
    ApprovalExpired "APPROVAL_EXPIRED" true "A person was asked and nobody answered in time." "ask again when somebody is there";
    ApprovalPending "APPROVAL_PENDING" true "A person has been asked and has not answered yet." "do the same again when they have answered";
    CredentialNotFound "CREDENTIAL_NOT_FOUND" false "There is no stored credential for this site." "store one first";
    OriginMismatch "ORIGIN_MISMATCH" false "The credential belongs to another site." "go to the site that the credential is for";
    LoginFailed "LOGIN_FAILED" false "The site did not accept the login." "check the credential";
    LoginNeedsHuman "LOGIN_NEEDS_HUMAN" false "The login needs a person, for a captcha or a second factor." "let a person finish the login";
    BrowserNotInstalled "BROWSER_NOT_INSTALLED" false "No Chromium was found on this machine." "run `webhand install`";
    BrowserNotRunning "BROWSER_NOT_RUNNING" true "There is no browser at the given address." "start the browser, or check the address";
    BrowserLaunchFailed "BROWSER_LAUNCH_FAILED" true "Chromium was found, but did not start." "run `webhand doctor`";
    BrowserCrashed "BROWSER_CRASHED" true "The browser ended in the middle of the action." "run the action again; the session comes back with its tabs and cookies";
    PageCrashed "PAGE_CRASHED" true "The page's process ended in the middle of the action." "run the action again; the tab is opened anew";
    ProfileInUse "PROFILE_IN_USE" true "Another browser is using the profile." "close the holder, or use another profile";
    TabNotFound "TAB_NOT_FOUND" false "There is no such tab in the session." "list the tabs with `webhand tabs`";
    SessionNotFound "SESSION_NOT_FOUND" false "There is no such session." "start it with `webhand open URL`";
    ModelFailed "MODEL_FAILED" true "The language model did not answer." "do it in steps of your own: this version has no model";
    StepLimit "STEP_LIMIT" false "The agent used up its steps before it was done." "allow more steps, or ask for less";
    Internal "INTERNAL" false "Something in webhand itself went wrong." "please report it, with the cause";
    Busy "BUSY" true "More is asked for at once than is done at once." "try again in a moment";
}

impl Code {
    /// The table as Markdown, the content of `docs/errors.md`.
    pub fn table() -> String {
        let mut page = String::from(
            "# Error codes\n\nGenerated from `crates/contract/src/error.rs` by `cargo docs`; do not edit by hand.\n\n\
             Codes are stable: they are added, never renamed or given another meaning. `retriable` says whether the same\n\
             call may succeed when it is simply made again. An answer says no where the table says yes if the call has, or may have,\n\
             done something by then that it would do twice.\n\n\
             | code | retriable | meaning | what to do |\n|---|---|---|---|\n",
        );
        for code in Code::ALL {
            let retriable = if code.retriable() { "yes" } else { "no" };
            let (meaning, hint) = (code.meaning(), code.hint());
            page.push_str(&format!("| `{code}` | {retriable} | {meaning} | {hint} |\n"));
        }
        page
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failure as callers see it: a code, a sentence, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// What went wrong, for machines.
    pub code: Code,
    /// What went wrong, for people.
    pub message: String,
    /// The browser's or the system's own words, where there are any.
    pub cause: Option<String>,
    /// What had been done or found out by then, where that helps.
    pub outcome: Option<Box<Outcome>>,
    /// Whether the same call would do again what this one has, or may have, done.
    pub repeats: bool,
    pub(crate) hint: Option<String>,
}

impl Error {
    /// An error with the hint of its code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), cause: None, outcome: None, repeats: false, hint: None }
    }

    /// Shorthand for the most common code.
    pub fn invalid(message: impl Into<String>) -> Self {
        Error::new(Code::InvalidInput, message)
    }

    /// Adds the browser's or the system's own words.
    #[must_use]
    pub fn with_cause(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Adds what had been done or found out by then.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(Box::new(outcome));
        self
    }

    /// Replaces the hint of the code with one that fits better.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says that the same call would do again what this one has, or may have, done.
    #[must_use]
    pub fn once_only(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// Whether the same call may succeed when it is simply made again.
    pub fn retriable(&self) -> bool {
        self.code.retriable() && !self.repeats
    }

    /// The next thing to do.
    pub fn hint(&self) -> &str {
        self.hint.as_deref().unwrap_or(self.code.hint())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.cause {
            Some(cause) => write!(f, " ({cause})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_upper_snake_and_unique() {
        let mut seen = std::collections::HashSet::new();
        for code in Code::ALL {
            let name = code.as_str();
            assert!(name.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{name}");
            assert!(seen.insert(name), "{name} twice");
            assert_eq!(serde_json::to_value(code).unwrap(), name, "serde and as_str agree");
        }
    }

    #[test]
    fn hints_start_lower_case_and_carry_no_full_stop() {
        for code in Code::ALL {
            assert!(code.hint().starts_with(|c: char| c.is_lowercase()), "{code}");
            assert!(!code.hint().ends_with('.'), "{code}");
        }
    }
}
