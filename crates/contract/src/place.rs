//! Where a tab is: the page that what comes next is meant for.

/// The page that a tab shows after an action. Later steps carry it, so that they cannot reach another page. It is never serialised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The browser's own id for the tab.
    pub tab: String,
    /// How many pages had come to the tab and its frames.
    pub arrivals: u64,
    /// How many windows the page had opened.
    pub windows: u64,
    /// The number of the last tab that there was.
    pub tabs: u32,
    /// How often the page had asked to go elsewhere.
    pub leaves: u64,
    /// From which request on what an action asked for may still be under way, if it was not waited for to the end.
    pub unfinished: Option<u64>,
}
