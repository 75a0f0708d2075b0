//! Which pages belong to which browsing context.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use super::Pages;

/// Which pages belong to which browsing context; what belongs to none of them goes to the default.
#[derive(Default)]
pub(crate) struct Directory {
    contexts: HashMap<String, Weak<Pages>>,
    default: Weak<Pages>,
}

impl Directory {
    pub(crate) fn add(&mut self, context: Option<&str>, pages: &Arc<Pages>) {
        match context {
            Some(context) => drop(self.contexts.insert(context.into(), Arc::downgrade(pages))),
            None => self.default = Arc::downgrade(pages),
        }
    }

    pub(crate) fn find(&self, context: Option<&str>) -> Option<Arc<Pages>> {
        let known = context.and_then(|context| self.contexts.get(context));
        known.unwrap_or(&self.default).upgrade()
    }

    pub(crate) fn all(&mut self) -> Vec<Arc<Pages>> {
        self.contexts.retain(|_, pages| pages.strong_count() > 0);
        self.contexts.values().chain([&self.default]).filter_map(Weak::upgrade).collect()
    }
}
