//! One action of `playwright_browser` from beginning to end: do it, wait, save the page, answer.

use contract::{Code, Content, Error, Outcome, Result, SessionName, Span, TabId};
use engine::{
    Request, SessionOptions, Until,
    actions::{Controls, Html, Lang, Screenshot, Tabs, TabsOp, Wait},
};

use super::{
    args::{Action, Args, Mode, Pause},
    done, failed, files,
    words::{self, Refusal},
};
use crate::{
    Caller, Reply, Step,
    dialogs::{Doer, Done},
};

/// How much of a call's time is kept for saving the page, if the network does not become idle; at most a quarter of it.
const SAVING: Span = Span::seconds(2);

/// How often waiting begins anew because a dialog interrupted it.
const AGAIN: u32 = 3;

pub(super) struct Work {
    pub(super) doer: Doer,
    pub(super) id: String,
    caller: Caller,
    action: Action,
    mode: Mode,
    pause: Option<Pause>,
    said: Vec<String>,
    /// What is said of the page that is saved.
    page: Vec<String>,
    /// How long the network was waited for in vain.
    waited: Option<Span>,
}

impl Work {
    pub(super) fn new(
        caller: &Caller,
        args: &Args,
        id: String,
        session: SessionName,
    ) -> Result<Work, Refusal> {
        // Whether there is a window is said at the launch, and only there.
        let options = SessionOptions { headed: None, ..caller.options.clone() };
        Ok(Work {
            doer: Doer { session, options, front: caller.front, starts: false },
            id,
            caller: caller.clone(),
            action: args.action,
            mode: args.content_mode.unwrap_or_default(),
            pause: args.pause()?,
            said: args.ignored(),
            page: Vec::new(),
            waited: None,
        })
    }

    pub(super) fn request(&self, action: impl Into<engine::Action>) -> Request {
        self.caller.request(action)
    }

    /// Does it; `tell` says what was done to the `subject`.
    pub(super) fn act(
        mut self,
        request: Request,
        subject: String,
        tell: impl FnOnce(&Outcome, &str) -> Vec<String> + Send + 'static,
    ) -> Step {
        self.doer.clone().perform(request, move |Done { result, dialogs }| {
            let notes: Vec<_> = dialogs.iter().map(words::dialog).collect();
            match result {
                Err(error) => {
                    self.said.extend(notes);
                    self.fail(&error, Some(&subject))
                }
                Ok(outcome) => {
                    let told = tell(&outcome, &subject);
                    self.said = [notes, std::mem::take(&mut self.said)].concat();
                    self.done(&outcome, told)
                }
            }
        })
    }

    /// Goes on after the action: `told` says what was done.
    pub(super) fn done(mut self, outcome: &Outcome, told: Vec<String>) -> Step {
        let before = std::mem::take(&mut self.said);
        self.said = [told, words::besides(outcome), before].concat();
        match outcome.opened.last() {
            Some(tab) => self.follow(tab.tab),
            None => self.wait_and_save(AGAIN),
        }
    }

    /// Goes on in a tab that the page opened: this dialect has no action to get there.
    fn follow(mut self, tab: TabId) -> Step {
        let focus = Request::new(Tabs { op: Some(TabsOp::Focus { tab }) });
        self.doer.clone().perform(focus, move |Done { result, dialogs }| {
            self.said.extend(dialogs.iter().map(words::dialog));
            self.said.push(match result {
                Ok(_) => format!("已切换到新标签页 {tab}，后续操作在该标签页中进行；要回到原页面，请使用 action=navigate 打开它的 URL"),
                Err(_) => format!("注意: 新标签页 {tab} 已关闭，仍在原标签页中"),
            });
            self.wait_and_save(AGAIN)
        })
    }

    /// Waits as the caller said. A network that does not become idle in time is told of; the action itself was done.
    fn wait_and_save(mut self, again: u32) -> Step {
        let Some(pause) = self.pause else { return self.finish() };
        let (request, before, all) = match pause {
            Pause::Time(time) => (Request::new(Wait::until(Until::Time(time))), None, None),
            // What is left of the time is for saving the page.
            Pause::Idle(Span(time)) => {
                let waiting = Span(time - SAVING.0.min(time / 4));
                let wait = Wait::until(Until::NetworkIdle);
                (Request { timeout: Some(waiting), ..Request::new(wait) }, Some(waiting), Some(Span(time)))
            }
        };
        let waiting = self.doer.clone().perform(request, move |Done { result, dialogs }| {
            self.said.extend(dialogs.iter().map(words::dialog));
            match result {
                // A network that never rests is no reason to leave the page unsaved.
                Err(error) if all.is_some() && error.code == Code::Timeout => {
                    self.waited = all;
                    self.finish().within(all)
                }
                Err(error) => self.fail(&error, None),
                Ok(_) if all.is_some() && !dialogs.is_empty() && again > 0 => self.wait_and_save(again - 1),
                Ok(_) => self.finish().within(all),
            }
        });
        waiting.within(before)
    }

    /// The same without an action before it.
    pub(super) fn picture(self) -> Step {
        self.wait_and_save(AGAIN)
    }

    fn finish(self) -> Step {
        if self.action == Action::Screenshot { self.take_picture() } else { self.save() }
    }

    fn save(self) -> Step {
        match self.mode {
            Mode::Html => self.save_html(String::new(), None),
            Mode::Abstract => {
                // All of it, however long.
                let controls = Controls { lang: Lang::Zh, max_chars: Some(u64::MAX), offset: 0 };
                self.read(Request::new(controls), |work, content| {
                    let text = files::list(&content.text, work.action.name(), work.caller.now);
                    work.write("txt", text)
                })
            }
        }
    }

    /// A very long page comes in parts, between which it may change.
    fn save_html(self, before: String, total: Option<u64>) -> Step {
        let html = Html { offset: before.chars().count() as u64, ..Html::default() };
        self.read(Request::new(html), move |mut work, content| {
            if total.is_some_and(|total| total != content.total) {
                work.said.push("注意: 页面很长，分段读取期间内容发生了变化".into());
            }
            let text = before + &content.text;
            match content.next_offset {
                Some(_) => work.save_html(text, Some(content.total)),
                None => work.write("html", text),
            }
        })
    }

    fn read(mut self, request: Request, then: impl FnOnce(Work, Content) -> Step + Send + 'static) -> Step {
        self.doer.clone().perform(request, move |Done { result, dialogs }| {
            self.said.extend(dialogs.iter().map(words::dialog));
            match result {
                Err(error) => self.fail(&error, None),
                Ok(outcome) => {
                    self.page = words::page(&outcome);
                    self.said.extend(outcome.notes.iter().filter_map(|note| words::note(note)));
                    match outcome.content {
                        Some(content) => then(self, content),
                        None => self.fail(&Error::new(Code::Internal, "there is no content"), None),
                    }
                }
            }
        })
    }

    fn write(mut self, ending: &str, text: String) -> Step {
        let path = self.path(ending);
        Step::write_private(path, text.into_bytes(), move |written| match written {
            Err(error) => self.fail(&error, None),
            Ok(path) => {
                let path = path.display().to_string();
                self.said.extend(self.waited.map(words::still_busy));
                self.said.append(&mut self.page);
                self.said.push(format!("页面内容已保存: {path}"));
                Step::Done(done(self.said, vec![path]))
            }
        })
    }

    /// A picture of the whole page, once no dialog holds it.
    fn take_picture(mut self) -> Step {
        let now = Request::new(Wait::until(Until::Time(Span::seconds(0))));
        self.doer.clone().perform(now, move |Done { result, dialogs }| {
            self.said.extend(dialogs.iter().map(words::dialog));
            if let Err(error) = result {
                return self.fail(&error, None);
            }
            let picture = self.request(Screenshot { full: true, ..Screenshot::default() });
            let Doer { session, options, .. } = self.doer.clone();
            Step::picture(session, options, picture, self.path("png"), move |taken| self.show(taken))
        })
    }

    fn show(self, taken: Result<Outcome>) -> Step {
        let picture = match taken.map(|outcome| outcome.screenshot) {
            Err(error) => return self.fail(&error, None),
            Ok(picture) => picture,
        };
        let Some((picture, path)) = picture.and_then(|picture| Some((picture.clone(), picture.path?))) else {
            return self.fail(&Error::new(Code::Internal, "there is no picture"), None);
        };
        let path = path.display().to_string();
        let mut said = vec![format!("截图已保存: {path}（{}x{}）", picture.width, picture.height)];
        said.extend(picture.cut.map(words::cut));
        said.extend(self.waited.map(words::still_busy));
        said.extend(self.said);
        Step::Done(Reply { picture: Some(picture), ..done(said, vec![path]) })
    }

    fn path(&self, ending: &str) -> std::path::PathBuf {
        let Work { caller, id, action, .. } = self;
        files::path(&caller.tools.files, id, action.name(), caller.now, ending)
    }

    fn fail(mut self, error: &Error, subject: Option<&str>) -> Step {
        self.said.extend(self.waited.map(|_| "注意: 操作已执行，但页面内容未能保存".into()));
        let why = match error.code {
            Code::SessionNotFound => words::not_launched(&self.id),
            _ => words::failure(error, subject),
        };
        Step::Done(failed(&self.said, why))
    }
}
