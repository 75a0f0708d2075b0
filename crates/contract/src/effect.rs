//! Effects: what an action does to the world, which is what policies speak about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an action does to the world outside webhand. Policies allow, ask about or deny these, whatever verb causes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks, and changes nothing.
    Read,
    /// Loads a page.
    Navigate,
    /// Presses keys or buttons in a page.
    Input,
    /// Sends a form.
    Submit,
    /// Writes a file from the web to this machine.
    Download,
    /// Sends a file from this machine to the web.
    Upload,
    /// Runs a script that does more than read: all that the page's own scripts can do.
    Execute,
    /// Uses a stored secret.
    Credential,
}

impl Effect {
    /// The effect as it is spelled in policies and the journal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Navigate => "navigate",
            Effect::Input => "input",
            Effect::Submit => "submit",
            Effect::Download => "download",
            Effect::Upload => "upload",
            Effect::Execute => "execute",
            Effect::Credential => "credential",
        }
    }
}
