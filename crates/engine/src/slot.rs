//! The place of a shared browser: started when it is first needed, started again when it has ended, with a spare context
//! kept ready so that a new session need not wait for one.

use std::{path::PathBuf, sync::Arc, time::Duration};

use cdp::{fault::Faults, launch::Launch};
use contract::{Code, Error, Result};
use guard::proxy::{Resolve, Rules};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep_until, timeout_at},
};

use crate::{browser::Browser, context::Context, egress::Egress, lift::timed_out};

/// What tells shared browsers apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) executable: PathBuf,
    pub(crate) headed: bool,
}

/// How long making a spare context may take.
const SPARE: Duration = Duration::from_secs(20);

/// A spare context is made when nothing has been asked for this long: the next command should not compete with it.
const LULL: Duration = Duration::from_millis(100);

pub(crate) struct Slot {
    launch: Launch,
    faults: Option<Faults>,
    resolver: Arc<dyn Resolve>,
    browser: Mutex<Option<Arc<Browser>>>,
    /// Held while it is being made: who wants one then waits for it rather than making another.
    spare: Mutex<Option<Context>>,
    /// When an action last ended; none while no spare is wanted.
    last_action: std::sync::Mutex<Option<Instant>>,
}

impl Slot {
    pub(crate) fn new(launch: Launch, faults: Option<Faults>, resolver: Arc<dyn Resolve>) -> Arc<Slot> {
        Arc::new(Slot {
            launch,
            faults,
            resolver,
            browser: Mutex::default(),
            spare: Mutex::default(),
            last_action: std::sync::Mutex::default(),
        })
    }

    /// A context with one tab that nobody else has, and that reaches what the rules allow.
    pub(crate) async fn context(self: &Arc<Self>, rules: Rules, deadline: Instant) -> Result<Context> {
        let spare = timeout_at(deadline, self.spare.lock()).await.ok().and_then(|mut spare| spare.take());
        let context = match spare.filter(|spare| spare.browser.is_alive()) {
            Some(spare) => spare,
            None => {
                let browser = self.browser(deadline).await?;
                self.unclaimed(&browser, deadline).await?
            }
        };
        context.claim(rules, deadline).await?;
        Ok(context)
    }

    /// A context of nobody's yet, which reaches nothing.
    async fn unclaimed(&self, browser: &Arc<Browser>, deadline: Instant) -> Result<Context> {
        let egress = Egress::through_proxy(Rules::closed(), self.resolver.clone()).await?;
        Context::isolated(browser, egress, deadline).await
    }

    /// An action has ended: in the next lull a spare context is made, if there is none.
    pub(crate) fn prepare(self: &Arc<Self>) {
        let mut last_action = self.last_action();
        let under_way = last_action.is_some();
        if under_way || self.spare.try_lock().is_ok_and(|spare| spare.is_none()) {
            *last_action = Some(Instant::now());
        }
        if !under_way && last_action.is_some() {
            tokio::spawn(self.clone().prepare_in_lull());
        }
    }

    async fn prepare_in_lull(self: Arc<Self>) {
        loop {
            let lull = self.last_action().map(|last| last + LULL);
            match lull.filter(|lull| *lull > Instant::now()) {
                Some(lull) => sleep_until(lull).await,
                None => break,
            }
        }
        let mut spare = self.spare.lock().await;
        let browser = self.browser.lock().await.clone().filter(|browser| browser.is_alive());
        if let (None, Some(browser)) = (&*spare, browser) {
            // Failing is no harm: the next session makes its own.
            *spare = self.unclaimed(&browser, Instant::now() + SPARE).await.ok();
        }
        *self.last_action() = None;
    }

    fn last_action(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.last_action.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The browser that runs now, if one does.
    pub(crate) fn running(&self) -> Option<Arc<Browser>> {
        self.browser.try_lock().ok()?.clone().filter(|browser| browser.is_alive())
    }

    /// Ends the browser and waits until nothing is left of it.
    pub(crate) async fn end(&self) {
        let browser = self.browser.lock().await.take();
        if let Some(browser) = browser {
            browser.end().await;
        }
        // A spare that was just being made has failed with its browser.
        drop(self.spare.lock().await.take());
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
            // Pages are in contexts that have their own way to networks. What else there is in a browser has none.
            let nowhere = Egress::through_proxy(Rules::closed(), slot.resolver.clone()).await?;
            let new = Browser::launch(&slot.launch, slot.faults.as_ref(), nowhere).await?;
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
