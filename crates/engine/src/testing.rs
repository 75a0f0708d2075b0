//! What tests need of the inside; no part of the engine's interface.

/// The script that runs in pages.
pub fn page_script() -> &'static str {
    crate::page::script()
}
