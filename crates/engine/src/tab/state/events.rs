//! Taking in what the browser tells of a page.

use cdp::{Event, protocol as p};
use contract::Dialog;

use super::{Chooser, Document, End, FrameState, REMEMBERED_LOADERS, TabState, Untold};
use crate::page;

impl TabState {
    /// Takes in the frames that were there before we were.
    /// Events that came meanwhile know better than the tree, which was asked for before them.
    pub(crate) fn add_tree(&mut self, tree: &p::FrameTree, session: Option<&str>) {
        if self.frames.get(&tree.frame.id).is_none_or(|frame| frame.url.is_empty()) {
            self.frame_at(&tree.frame, session);
        }
        if tree.frame.id == self.main
            && (self.document.loader.is_empty() || self.document.loader == tree.frame.loader_id)
        {
            self.document.loader = tree.frame.loader_id.clone();
            self.document.url = address(&tree.frame);
        }
        for child in &tree.child_frames {
            self.add_tree(child, session);
        }
    }

    /// Whether there is a document that is known only by what happened in it.
    pub(crate) fn has_untold_document(&self) -> bool {
        self.untold.is_some()
    }

    /// Takes in what the page shows, if that is the document of which nobody told.
    pub(crate) fn catch_up(&mut self, tree: &p::FrameTree, session: Option<&str>) {
        if self.untold.as_ref().is_some_and(|untold| untold.loader == tree.frame.loader_id) {
            self.navigated(&tree.frame, session);
            self.add_tree(tree, session);
        }
    }

    /// Takes in an event. Returns whether cookies may have changed by it.
    pub(crate) fn apply(&mut self, session: Option<&str>, event: &Event) -> bool {
        // One `match` on the name, so that an event that nobody cares about costs one comparison of strings.
        match &*event.method {
            "Page.frameNavigated" => {
                event.read::<p::FrameNavigated>().map(|event| self.navigated(&event.frame, session))
            }
            "Page.frameAttached" => event.read::<p::FrameAttached>().map(|event| {
                let frame = self.frame(&event.frame_id);
                frame.parent = Some(event.parent_frame_id);
                frame.session = session.map(str::to_owned);
            }),
            "Page.frameDetached" => event.read::<p::FrameDetached>().map(|event| {
                // A frame that only moves to another process stays a frame.
                if event.reason != "swap" {
                    self.remove(&event.frame_id);
                }
            }),
            "Page.navigatedWithinDocument" => event.read::<p::NavigatedWithinDocument>().map(|event| {
                if event.frame_id == self.main {
                    self.document.url = event.url.clone();
                    self.moves += 1;
                }
                self.frame(&event.frame_id).url = event.url;
            }),
            "Page.lifecycleEvent" => event.read::<p::LifecycleEvent>().map(|event| self.lifecycle(&event)),
            "Page.javascriptDialogOpening" => event.read::<p::DialogOpening>().map(|event| {
                self.dialog = Some(Dialog {
                    kind: event.r#type,
                    message: event.message,
                    suggestion: event.default_prompt,
                    accepted: None,
                });
            }),
            "Page.javascriptDialogClosed" => {
                self.dialog = None;
                self.dialogs_closed += 1;
                None
            }
            "Runtime.executionContextCreated" => {
                event.read::<p::ContextCreated>().map(|event| self.world_made(event.context, session))
            }
            "Runtime.executionContextDestroyed" => event.read::<p::ContextDestroyed>().map(|event| {
                self.forget_worlds(|_, world| world == event.execution_context_unique_id);
            }),
            "Runtime.executionContextsCleared" => {
                self.forget_worlds(|frame, _| frame.session.as_deref() == session);
                None
            }
            "Runtime.consoleAPICalled" => {
                event.read::<p::ConsoleCalled>().map(|event| self.console.called(&event))
            }
            "Runtime.exceptionThrown" => event
                .read::<p::ExceptionThrown>()
                .map(|event| self.console.thrown(&event.exception_details, session)),
            "Runtime.exceptionRevoked" => event
                .read::<p::ExceptionRevoked>()
                .map(|event| self.console.revoked(event.exception_id, session)),
            "Log.entryAdded" => {
                event.read::<p::LogEntryAdded>().map(|event| self.console.logged(event.entry))
            }
            "Network.responseReceivedExtraInfo" => {
                return event.read::<p::ResponseExtraInfo>().is_some_and(|event| {
                    self.log.received(&event);
                    sets_cookie(&event.headers)
                });
            }
            "Page.frameRequestedNavigation" => event.read::<p::FrameRequestedNavigation>().map(|event| {
                if event.frame_id == self.main && event.disposition == "currentTab" {
                    self.leaves += 1;
                }
            }),
            "Page.frameStartedLoading" => {
                event.read::<p::FrameStartedLoading>().map(|event| self.set_loading(&event.frame_id, true))
            }
            "Page.frameStoppedLoading" => {
                event.read::<p::FrameStoppedLoading>().map(|event| self.set_loading(&event.frame_id, false))
            }
            "Page.documentOpened" => {
                event.read::<p::DocumentOpened>().map(|event| self.arrive(&event.frame.id))
            }
            "Page.windowOpen" => {
                self.windows += 1;
                None
            }
            "Runtime.bindingCalled" => event.read::<p::BindingCalled>().map(|event| match &*event.payload {
                _ if event.name != page::TELL => {}
                page::ANOTHER_VIEW => self.arrive(&self.main.clone()),
                _ => self.verdict = Some(event.payload),
            }),
            "Input.dragIntercepted" => {
                event.read::<p::DragIntercepted>().map(|event| self.drag = Some(event.data))
            }
            "Page.fileChooserOpened" => event.read::<p::FileChooserOpened>().map(|event| {
                self.choosers += 1;
                self.chooser = event.backend_node_id.map(|field| Chooser {
                    session: session.map(str::to_owned),
                    frame: event.frame_id,
                    field,
                });
            }),
            method if method.starts_with("Network.") => self.network(session, event),
            "Inspector.targetCrashed" => {
                self.crashed(session);
                None
            }
            _ => None,
        };
        false
    }

    fn set_loading(&mut self, frame: &str, loading: bool) {
        if frame == self.main {
            self.loading = loading;
        }
    }

    /// Takes in an event about a request: what is under way, and the log.
    fn network(&mut self, session: Option<&str>, event: &Event) -> Option<()> {
        match &*event.method {
            "Network.requestWillBeSent" => event.read::<p::RequestWillBeSent>().map(|event| {
                self.log.begin(&event, session);
                let is_main = event.frame_id == self.main;
                self.requests.begin(event, is_main);
            }),
            "Network.responseReceived" => event.read::<p::ResponseReceived>().map(|event| {
                self.requests.respond(&event);
                self.log.respond(&event.request_id, event.response);
            }),
            "Network.loadingFinished" => event.read::<p::LoadingFinished>().map(|event| {
                self.log.finish(&event);
                self.requests.end(&event.request_id, None);
            }),
            "Network.loadingFailed" => event.read::<p::LoadingFailed>().map(|event| {
                self.log.fail(&event);
                self.requests.end(&event.request_id, Some(event.error_text));
                self.end_broken_document();
            }),
            "Network.requestWillBeSentExtraInfo" => {
                event.read::<p::RequestExtraInfo>().map(|event| self.log.sent(event))
            }
            "Network.requestServedFromCache" => {
                event.read::<p::RequestServedFromCache>().map(|event| self.log.remembered(&event.request_id))
            }
            "Network.webSocketCreated" => {
                event.read::<p::WebSocketCreated>().map(|event| self.log.socket(event, session))
            }
            "Network.webSocketWillSendHandshakeRequest" => {
                event.read::<p::WebSocketRequest>().map(|event| self.log.socket_asks(event))
            }
            "Network.webSocketHandshakeResponseReceived" => event
                .read::<p::WebSocketResponse>()
                .map(|event| self.log.respond(&event.request_id, event.response)),
            "Network.webSocketFrameError" => {
                event.read::<p::WebSocketError>().map(|event| self.log.socket_error(event))
            }
            "Network.webSocketClosed" => {
                event.read::<p::WebSocketClosed>().map(|event| self.log.socket_closed(&event))
            }
            _ => None,
        }
    }

    fn navigated(&mut self, info: &p::FrameInfo, session: Option<&str>) {
        let children: Vec<String> = self
            .frames
            .iter()
            .filter(|(_, frame)| frame.parent.as_deref() == Some(&info.id))
            .map(|(id, _)| id.clone())
            .collect();
        for child in children {
            self.remove(&child);
        }
        if info.id == self.main {
            self.frames.retain(|id, _| *id == info.id);
            self.last_frame = 0;
            self.worlds_changed += 1;
            self.dialog = None;
            self.chooser = None;
            self.title.clear();
            self.document = Document {
                loader: info.loader_id.clone(),
                url: address(info),
                unreachable: Some(info.unreachable_url.clone()).filter(|url| !url.is_empty()),
                ..Document::default()
            };
            if let Some(untold) = self.untold.take().filter(|untold| untold.loader == info.loader_id) {
                (self.document.dom, self.document.load) = (true, untold.load);
            }
            self.end_broken_document();
            if self.loaders.len() == REMEMBERED_LOADERS {
                self.loaders.pop_front();
            }
            self.loaders.push_back(info.loader_id.clone());
            self.requests.keep_only_loader(&info.loader_id);
            self.log.keep_only_loader(&info.loader_id);
            self.console.new_document();
        } else {
            self.requests.forget_frame_but(&info.id, &info.loader_id);
            self.log.forget_frame_but(&info.id, &info.loader_id);
        }
        self.frame_at(info, session);
        self.arrive(&info.id);
    }

    /// Of a document whose connection ended in the middle the browser tells no `load`: nothing more comes.
    fn end_broken_document(&mut self) {
        if self.broken_off().is_some() {
            (self.document.dom, self.document.load) = (true, true);
        }
    }

    /// Another page has come to a frame.
    fn arrive(&mut self, frame: &str) {
        self.arrivals += 1;
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.arrived = self.arrivals;
        }
    }

    fn lifecycle(&mut self, event: &p::LifecycleEvent) {
        if event.frame_id != self.main {
            return;
        }
        // Of a page that was there before us, the past events come first, before we know its document.
        if self.document.loader.is_empty() {
            self.document.loader.clone_from(&event.loader_id);
        }
        if event.loader_id != self.document.loader {
            if matches!(&*event.name, "DOMContentLoaded" | "load") && !self.has_shown(&event.loader_id) {
                self.untold = Some(Untold { loader: event.loader_id.clone(), load: event.name == "load" });
            }
            return;
        }
        match &*event.name {
            "DOMContentLoaded" => self.document.dom = true,
            "load" => self.document.load = true,
            _ => {}
        }
    }

    fn world_made(&mut self, context: p::ContextDescription, session: Option<&str>) {
        let frame = self.frame(&context.aux_data.frame_id);
        frame.session = session.map(str::to_owned);
        if context.aux_data.is_default {
            frame.main_world = Some(context.unique_id);
        } else if context.name == page::world_name() {
            frame.world = Some(context.unique_id);
            frame.context = context.id;
            self.worlds_changed += 1;
        } else if context.name == page::scripts_world_name() {
            frame.scripts_world = Some((context.unique_id, context.id));
        }
    }

    fn forget_worlds(&mut self, which: impl Fn(&FrameState, &str) -> bool) {
        for frame in self.frames.values_mut() {
            if frame.world.as_deref().is_some_and(|world| which(frame, world)) {
                frame.world = None;
                self.worlds_changed += 1;
            }
            if frame.main_world.as_deref().is_some_and(|world| which(frame, world)) {
                frame.main_world = None;
            }
            if frame.scripts_world.as_ref().is_some_and(|(world, _)| which(frame, world)) {
                frame.scripts_world = None;
            }
        }
    }

    fn crashed(&mut self, session: Option<&str>) {
        let main_session = self.frames.get(&self.main).and_then(|main| main.session.as_deref());
        if main_session.is_none() || session == main_session {
            self.end.get_or_insert(End::Crashed);
        }
    }

    fn frame_at(&mut self, info: &p::FrameInfo, session: Option<&str>) {
        let frame = self.frame(&info.id);
        frame.url = address(info);
        frame.name = info.name.clone();
        frame.session = session.map(str::to_owned);
        if info.parent_id.is_some() {
            frame.parent = info.parent_id.clone();
        }
    }

    fn frame(&mut self, id: &str) -> &mut FrameState {
        if !self.frames.contains_key(id) {
            let number = if id == self.main {
                0
            } else {
                self.last_frame += 1;
                self.last_frame
            };
            self.frames.insert(id.into(), FrameState { number, ..FrameState::default() });
        }
        self.frames.entry(id.into()).or_default()
    }

    fn remove(&mut self, id: &str) {
        let mut gone = vec![id.to_owned()];
        while let Some(id) = gone.pop() {
            self.frames.remove(&id);
            self.worlds_changed += 1;
            self.requests.forget_frame(&id);
            self.log.forget_frame(&id);
            gone.extend(
                self.frames.iter().filter(|(_, f)| f.parent.as_ref() == Some(&id)).map(|(id, _)| id.clone()),
            );
        }
    }
}

fn address(info: &p::FrameInfo) -> String {
    format!("{}{}", info.url, info.url_fragment)
}

fn sets_cookie(headers: &p::Headers) -> bool {
    headers.keys().any(|name| name.eq_ignore_ascii_case("set-cookie"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_nobody_told_of_is_known_by_its_events() {
        let mut state =
            TabState::new(&p::TargetInfo { target_id: "main".into(), ..p::TargetInfo::default() });
        let frame = |loader: &str| p::FrameInfo {
            id: "main".into(),
            loader_id: loader.into(),
            url: format!("http://host/{loader}"),
            ..p::FrameInfo::default()
        };
        let tree = |loader| p::FrameTree { frame: frame(loader), ..p::FrameTree::default() };
        let happened = |loader: &str, name: &str| p::LifecycleEvent {
            frame_id: "main".into(),
            loader_id: loader.into(),
            name: name.into(),
        };
        state.navigated(&frame("one"), None);
        for name in ["init", "commit", "DOMContentLoaded", "load"] {
            state.lifecycle(&happened("one", name));
        }
        assert!(!state.has_untold_document() && state.document.load);
        state.navigated(&frame("two"), None);
        state.lifecycle(&happened("one", "load"));
        assert!(!state.has_untold_document(), "that one was told of");

        state.lifecycle(&happened("three", "init"));
        assert!(!state.has_untold_document(), "it is told of in a moment");
        state.lifecycle(&happened("three", "DOMContentLoaded"));
        state.lifecycle(&happened("three", "load"));
        assert!(state.has_untold_document() && !state.has_shown("three"));
        state.catch_up(&tree("two"), None);
        assert!(!state.has_shown("three"), "the answer was about the one before");
        state.catch_up(&tree("three"), None);
        assert!(state.has_shown("three") && !state.has_untold_document());
        assert_eq!(
            (state.document.address(), state.document.dom, state.document.load),
            ("http://host/three", true, true)
        );
    }
}
