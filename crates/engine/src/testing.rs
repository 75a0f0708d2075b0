//! What tests need of the inside; no part of the engine's interface.

/// The scripts that run in pages, in webhand's own world.
pub fn page_script() -> String {
    crate::page::script().to_owned()
}
