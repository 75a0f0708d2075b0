//! Keeping a session's cookies outside the browser, so that they outlive it.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::Instant;

use crate::{context::Context, session::Memory};

/// How long the browser may take to hand them over.
const TIME: Duration = Duration::from_secs(5);

/// Copies the cookies whenever they may have changed, until the context is gone. Changes that come while a copy is made
/// cost one more copy, not one each.
pub(crate) async fn keep(context: Weak<Context>, memory: Arc<Memory>) {
    let Some(changed) = context.upgrade().map(|context| context.pages.cookies.clone()) else { return };
    loop {
        changed.notified().await;
        let Some(context) = context.upgrade() else { return };
        if !context.browser.is_alive() {
            return;
        }
        if let Ok(cookies) = context.cookies(Instant::now() + TIME).await {
            memory.set_cookies(cookies);
        }
    }
}
