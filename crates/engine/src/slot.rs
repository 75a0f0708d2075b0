//! The place of a shared browser: started when it is first needed, started again when it has ended, with a spare context
//! kept ready so that a new session need not wait for one.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use cdp::{fault::Faults, launch::Launch};
use contract::{Code, Error, Result};
use tokio::time::{Instant, timeout_at};

use crate::{browser::Browser, context::Context, lift::timed_out};

/// What tells shared browsers apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) executable: PathBuf,
    pub(crate) headed: bool,
}

/// How long making a spare context may take.
const SPARE: Duration = Duration::from_secs(20);

pub(crate) struct Slot {
    launch: Launch,
    faults: Option<Faults>,
    browser: tokio::sync::Mutex<Option<Arc<Browser>>>,
    spare: Mutex<Option<Context>>,
    preparing: AtomicBool,
}

impl Slot {
    pub(crate) fn new(launch: Launch, faults: Option<Faults>) -> Arc<Slot> {
        Arc::new(Slot {
            launch,
            faults,
            browser: tokio::sync::Mutex::default(),
            spare: Mutex::default(),
            preparing: AtomicBool::new(false),
        })
    }

    /// A context with one tab that nobody else has.
    pub(crate) async fn context(self: &Arc<Self>, deadline: Instant) -> Result<Context> {
        if let Some(spare) = self.take_spare() {
            return Ok(spare);
        }
        let browser = self.browser(deadline).await?;
        Context::isolated(&browser, deadline).await
    }

    /// Makes a spare context in the background, if there is none. Failing is no harm: the next session makes its own.
    pub(crate) fn prepare(self: &Arc<Self>) {
        let has_spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if has_spare || self.preparing.swap(true, Ordering::Relaxed) {
            return;
        }
        let slot = self.clone();
        tokio::spawn(async move {
            let browser = slot.browser.lock().await.clone().filter(|browser| browser.is_alive());
            if let Some(browser) = browser {
                let made = Context::isolated(&browser, Instant::now() + SPARE).await.ok();
                *slot.spare.lock().unwrap_or_else(PoisonError::into_inner) = made;
            }
            slot.preparing.store(false, Ordering::Relaxed);
        });
    }

    /// The browser that runs now, if one does.
    pub(crate) fn running(&self) -> Option<Arc<Browser>> {
        self.browser.try_lock().ok()?.clone().filter(|browser| browser.is_alive())
    }

    /// Ends the browser and waits until nothing is left of it.
    pub(crate) async fn end(&self) {
        drop(self.take_spare());
        if let Some(browser) = self.browser.lock().await.take() {
            browser.end().await;
        }
    }

    fn take_spare(&self) -> Option<Context> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        spare.filter(|spare| spare.browser.is_alive())
    }

    /// The running browser, or a new one. Starting it is a task of its own: others may be waiting for the same browser,
    /// so it goes on when the one who asked first goes away.
    async fn browser(self: &Arc<Self>, deadline: Instant) -> Result<Arc<Browser>> {
        let slot = self.clone();
        let started = tokio::spawn(async move {
            let mut browser = slot.browser.lock().await;
            if let Some(running) = browser.as_ref().filter(|browser| browser.is_alive()) {
                return Ok(running.clone());
            }
            let new = Browser::launch(&slot.launch, slot.faults.as_ref()).await?;
            new.attach_to_pages(Instant::now() + SPARE).await?;
            Ok(browser.insert(new).clone())
        });
        match timeout_at(deadline, started).await {
            Err(_) => Err(timed_out("the browser to start")),
            Ok(Err(failed)) => {
                Err(Error::new(Code::Internal, "starting the browser failed").with_cause(failed))
            }
            Ok(Ok(browser)) => browser,
        }
    }
}
