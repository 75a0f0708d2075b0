//! What one MCP client talks to: lists the tools and calls them, in sessions of its own.

#![expect(
    deprecated,
    reason = "roots and logging are on their way out of the protocol, and what clients of today have"
)]

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use axum::http::request::Parts;
use contract::{SessionName, Span};
use engine::{Agent, Engine, Front, Request, SessionOptions, actions::Close};
use guard::approvals::Approval;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
        InitializeRequestParams, InitializeResult, ListToolsResult, LoggingLevel, PaginatedRequestParams,
        ProtocolVersion, ServerCapabilities, ServerConfig, SetLevelRequestParams, Tool,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::Value;
use tokio::sync::watch;
use toolsets::{Caller, TimeLimit, Toolset};

use crate::{
    dry_run,
    given_folders::GivenFolders,
    http::{Asker, FromPerson, Turns},
    mcp::{
        Catalogue, Logs, answer, elicit, progress,
        roots::{self, Jail},
    },
    tools::{self, Tools},
};

/// The newest protocol that is spoken. The next one has no lasting clients, and so no sessions of theirs.
const NEWEST: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// How long a call waits for a person whom the client cannot ask itself: not at all. Its model has to hear at once that an approval is
/// missing, so that it can say so to somebody.
const PATIENCE: Span = Span::seconds(0);

/// Whether what a client says of its user counts: the answers to questions, and its roots. A model that has the agents' token can write a
/// client of its own that says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Every client is a person's: its user started the server, or the operator said so.
    Persons,
    /// Only one that proved it when it said hello.
    Proved,
}

/// What all clients of a server have in common.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) tools: Tools,
    pub(crate) catalogue: Arc<Catalogue>,
    /// How sessions are to be.
    pub(crate) options: SessionOptions,
    /// Which folders clients may be given.
    pub(crate) folders: GivenFolders,
    pub(crate) trust: Trust,
    /// Warnings of ours; none where they may be about other clients.
    pub(crate) logs: Option<Logs>,
    /// How long a call may take.
    pub(crate) limit: Option<TimeLimit>,
    /// How much is done at once; none: whatever the client asks for.
    pub(crate) turns: Option<Turns>,
}

/// Gives a client of this agent its session.
type GiveSession = dyn Fn(Option<&Agent>) -> SessionName + Send + Sync;

/// The server of one client.
pub(crate) struct Server {
    setup: Setup,
    client: OnceLock<Client>,
    /// Whether it is a person's, which is settled when it first says hello.
    persons: OnceLock<bool>,
    /// Whose token it has, over HTTP, and the tools that this lets it have; settled then as well.
    asker: OnceLock<(Asker, Arc<Catalogue>)>,
    /// Gives the client its session.
    session: Box<GiveSession>,
    private: bool,
    level: watch::Sender<LoggingLevel>,
    asked: elicit::Asked,
}

/// What is known once the client has said hello.
struct Client {
    session: SessionName,
    jail: Arc<Jail>,
    /// How the tools are set for it.
    tools: toolsets::Options,
    /// Ends what is only this client's.
    _leaving: Option<Leaving>,
}

/// Closes every session of a client when it has gone.
struct Leaving {
    engine: Engine,
    session: SessionName,
    agent: Option<Agent>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let (engine, session, agent) = (self.engine.clone(), self.session.clone(), self.agent.take());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let children = format!("{session}.");
            for info in engine.list() {
                if info.session == session || info.session.as_str().starts_with(&children) {
                    let close = Request { front: Front::Mcp, ..Request::new(Close {}) };
                    let options = SessionOptions { agent: agent.clone(), ..SessionOptions::default() };
                    let _ = engine.perform(&info.session, &options, close).await;
                }
            }
        });
    }
}

impl Server {
    /// For the only client of an engine.
    pub(crate) fn new(setup: Setup, session: SessionName) -> Server {
        Server::with(setup, move |_| session.clone(), false)
    }

    /// For one of many: it gets a session of its own when it says hello, which ends when it goes.
    pub(crate) fn private(
        setup: Setup,
        session: impl Fn(Option<&Agent>) -> SessionName + Send + Sync + 'static,
    ) -> Server {
        Server::with(setup, session, true)
    }

    fn with(
        setup: Setup,
        session: impl Fn(Option<&Agent>) -> SessionName + Send + Sync + 'static,
        private: bool,
    ) -> Server {
        let level = watch::Sender::new(LoggingLevel::Warning);
        Server {
            setup,
            client: OnceLock::new(),
            persons: OnceLock::new(),
            asker: OnceLock::new(),
            session: Box::new(session),
            private,
            level,
            asked: elicit::Asked::default(),
        }
    }

    fn client(&self) -> &Client {
        self.client.get_or_init(|| {
            let (agent, named) = (self.agent(), self.named());
            let session = (self.session)(agent);
            let Tools { engine, home, .. } = &self.setup.tools;
            let options = tools::options_for(home, self.catalogue().options(), named);
            let files = roots::files_for(&options.files, self.catalogue().is_only("browser"));
            let given = self.is_persons().then(|| self.setup.folders.clone());
            let own = roots::own(home, &session, named, files);
            let leaving =
                || Leaving { engine: engine.clone(), session: session.clone(), agent: agent.cloned() };
            Client {
                jail: Arc::new(Jail::new(given, own, home.path().to_owned())),
                _leaving: self.private.then(leaving),
                session,
                tools: options,
            }
        })
    }

    /// Whether what it says of its user counts.
    fn is_persons(&self) -> bool {
        self.setup.trust == Trust::Persons || self.persons.get() == Some(&true)
    }

    /// The agent whose token it has.
    fn agent(&self) -> Option<&Agent> {
        self.asker.get().and_then(|(asker, _)| asker.agent())
    }

    /// The same, if the token is its own.
    fn named(&self) -> Option<&Agent> {
        self.asker.get().and_then(|(asker, _)| asker.named())
    }

    /// The tools that it is offered.
    fn catalogue(&self) -> &Arc<Catalogue> {
        self.asker.get().map_or(&self.setup.catalogue, |(_, catalogue)| catalogue)
    }

    /// The toolset that has a tool. That there is none is the protocol's error, and what the other fronts answer is its data.
    fn toolset_of(&self, name: &str) -> Result<&'static Toolset, ErrorData> {
        let set = self.catalogue().toolset_of(name);
        match set.tool(name, self.catalogue().options()) {
            Ok(_) => Ok(set),
            Err(error) => {
                let message = format!("{}; {}", error.message, error.hint());
                Err(ErrorData::invalid_params(message, Some(set.refused(error).value)))
            }
        }
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        patience: Option<Span>,
    ) -> Result<CallToolResponse, ErrorData> {
        let set = self.toolset_of(name)?;
        let client = self.client();
        let _turn = match &self.setup.turns {
            Some(turns) => Some(turns.wait().await),
            None => None,
        };
        let call = tools::Call {
            toolset: set.name.into(),
            tool: name.into(),
            args: tools::Secret(Value::Null),
            session: client.session.clone(),
            options: SessionOptions { agent: self.agent().cloned(), ..self.setup.options.clone() },
            tools: client.tools.clone(),
            limit: self.setup.limit,
        };
        let caller = Caller { patience, ..tools::caller(&call, Front::Mcp, self.private) };
        let reply = self.setup.tools.call(set.name, name, args, &caller, &*client.jail).await;
        Ok(answer::result(reply).await.into())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = match self.setup.logs {
            Some(_) => capabilities.enable_logging().build(),
            None => capabilities.build(),
        };
        InitializeResult::new(capabilities)
            .with_protocol_version(NEWEST)
            .with_server_info(Implementation::new("webhand", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.catalogue().instructions())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&NEWEST))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let proved = parts.is_some_and(|parts| parts.extensions.get::<FromPerson>().is_some());
        // Saying hello again changes nothing.
        let _ = self.persons.set(proved);
        if let Some(asker) = parts.and_then(|parts| parts.extensions.get::<Asker>()) {
            let catalogue = self.setup.catalogue.only(|set| asker.may_use(set));
            let catalogue = catalogue.map_err(|error| ErrorData::invalid_request(error.message, None))?;
            let _ = self.asker.set((asker.clone(), catalogue));
        }
        if self.is_persons() && request.capabilities.roots.is_some() {
            self.client().jail.expect();
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(logs) = &self.setup.logs {
            tokio::spawn(logs.pass_on(context.peer.clone(), self.level.subscribe()));
        }
        let has_roots = context.peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if self.is_persons() && has_roots {
            self.client().jail.ask(&context.peer).await;
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if self.is_persons() {
            self.client().jail.ask(&context.peer).await;
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.level.send_replace(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.catalogue().listed()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.catalogue().listed().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let limit = self.setup.tools.engine.timeout();
        let mut args = Value::Object(request.arguments.unwrap_or_default());
        dry_run::ask_by_meta(&mut args, context.meta.iter());
        // On its own every session is the client's; among others, those that are named after it.
        let (own, private) = (self.client().session.clone(), self.private);
        let children = format!("{own}.");
        let is_own =
            |session: &SessionName| !private || *session == own || session.as_str().starts_with(&children);
        let approvals = self.setup.tools.engine.approvals();
        let waiting = || {
            let mine = |approval: &Arc<Approval>| approval.front == "mcp" && is_own(&approval.session);
            approvals.list().into_iter().find(mine).map(|approval| approval.id.clone())
        };
        let token = context.meta.get_progress_token();
        let asks_person = self.is_persons() && elicit::is_able(&context.peer);
        let patience = (!asks_person).then_some(PATIENCE);
        let attending = async {
            if asks_person {
                elicit::attend(&context.peer, approvals, &self.asked, is_own).await;
            } else {
                // There are other ways to answer.
                std::future::pending::<()>().await;
            }
        };
        // Dropping the call is what cancels it.
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the request was cancelled", None)),
            reply = self.call(&request.name, args, patience) => reply,
            () = attending => {
                Err(ErrorData::internal_error("listening never ends", None))
            }
            () = progress::tell(&context.peer, token, &request.name, limit, waiting) => {
                Err(ErrorData::internal_error("telling of progress never ends", None))
            }
        }
    }

    /// A call whose arguments are no object comes here: the protocol's own types do not know it.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        match (&*request.method, params["name"].as_str()) {
            ("tools/call", Some(name)) => {
                let refused = answer::result(self.toolset_of(name)?.refused(toolsets::no_object())).await;
                Ok(CustomResult::new(serde_json::to_value(refused).unwrap_or_default()))
            }
            ("tools/call", None) => Err(ErrorData::invalid_params("name: a tool's name is missing", None)),
            (method, _) if KNOWN.contains(&method) => {
                Err(ErrorData::invalid_params(format!("{method} has wrong parameters"), None))
            }
            (method, _) => Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method {method:?}"),
                None,
            )),
        }
    }
}

/// Methods that are known, and come in as unknown ones if their parameters are wrong.
const KNOWN: [&str; 4] = ["initialize", "tools/list", "logging/setLevel", "ping"];
