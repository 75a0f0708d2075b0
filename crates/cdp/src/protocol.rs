//! The commands and events in use, one row each.
//!
//! Field names are the protocol's in snake case. Answers and events are read tolerantly: unknown fields are ignored,
//! missing ones take their default, and what the protocol calls an enum is a string here, so that a value added by a newer
//! browser is never an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A command: its method, its parameters (the struct itself) and the shape of its answer.
pub trait CommandRow: Serialize {
    /// For example `Page.navigate`.
    const METHOD: &'static str;
    /// What the browser answers.
    type Reply: DeserializeOwned;
}

/// An event: its method and its parameters (the struct itself).
pub trait EventRow {
    /// For example `Page.frameNavigated`.
    const METHOD: &'static str;
}

/// An answer without content.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Done {}

/// The doc comment of a field: the protocol's own documentation describes it.
macro_rules! field {
    ($field:ident) => {
        concat!("`", stringify!($field), "` of the protocol, in its own case there.")
    };
}

/// `"Domain.method" Command { parameters } -> Reply;` or, where the answer is empty, `"Domain.method" Command { … };`
macro_rules! commands {
    ($($method:literal $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? } $(-> $reply:ident)?;)*) => {$(
        #[doc = concat!("`", $method, "`")]
        #[derive(Clone, Debug, Default, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $(#[doc = field!($field)] $(#[$attribute])* #[serde(skip_serializing_if = "Skip::skip")] pub $field: $type),* }

        impl CommandRow for $name {
            const METHOD: &'static str = $method;
            type Reply = commands!(@reply $($reply)?);
        }
    )*};
    (@reply) => { Done };
    (@reply $reply:ident) => { $reply };
}

/// `"Domain.event" Event { parameters };`
macro_rules! events {
    ($($method:literal $name:ident { $($field:ident: $type:ty),* $(,)? };)*) => {$(
        #[doc = concat!("`", $method, "`")]
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $(#[doc = field!($field)] pub $field: $type),* }

        impl EventRow for $name {
            const METHOD: &'static str = $method;
        }
    )*};
}

/// `Name { fields };` for answers and for the structures inside them.
macro_rules! shapes {
    ($($name:ident { $($field:ident: $type:ty),* $(,)? };)*) => {$(
        #[doc = concat!("The protocol's `", stringify!($name), "`, as far as it is in use.")]
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $(#[doc = field!($field)] pub $field: $type),* }
    )*};
}

/// Which values are left out of a message: only those that were not given.
trait Skip {
    fn skip(&self) -> bool {
        false
    }
}
impl<T> Skip for Option<T> {
    fn skip(&self) -> bool {
        self.is_none()
    }
}
impl<T> Skip for Vec<T> {}
impl Skip for String {}
impl Skip for bool {}
impl Skip for f64 {}
impl Skip for i64 {}
impl Skip for u32 {}
impl<K, V> Skip for BTreeMap<K, V> {}
impl Skip for PermissionDescriptor {}
impl Skip for Value {}

commands! {
    "Browser.close" BrowserClose {};
    "Browser.getVersion" GetVersion {} -> Version;
    "Browser.setDownloadBehavior" SetDownloadBehavior {
        behavior: String, browser_context_id: Option<String>, download_path: Option<String>, events_enabled: bool,
    };
    "Browser.cancelDownload" CancelDownload { guid: String, browser_context_id: Option<String> };

    "Browser.setPermission" SetPermission {
        permission: PermissionDescriptor, setting: String, browser_context_id: Option<String>,
    };

    "Target.setAutoAttach" SetAutoAttach { auto_attach: bool, wait_for_debugger_on_start: bool, flatten: bool };
    "Target.setDiscoverTargets" SetDiscoverTargets { discover: bool };
    "Target.createBrowserContext" CreateBrowserContext {
        dispose_on_detach: bool, proxy_server: Option<String>, proxy_bypass_list: Option<String>,
    } -> CreatedContext;
    "Target.disposeBrowserContext" DisposeBrowserContext { browser_context_id: String };
    "Target.createTarget" CreateTarget {
        url: String, browser_context_id: Option<String>, hidden: Option<bool>, window_state: Option<String>,
    } -> CreatedTarget;
    "Target.closeTarget" CloseTarget { target_id: String };
    "Target.activateTarget" ActivateTarget { target_id: String };
    "Target.getTargets" GetTargets {} -> Targets;
    "Target.getTargetInfo" GetTargetInfo { target_id: String } -> TargetInfoReply;
    "Target.attachToTarget" AttachToTarget { target_id: String, flatten: bool };
    "Target.detachFromTarget" DetachFromTarget { session_id: String };

    "Page.enable" PageEnable {};
    "Page.setLifecycleEventsEnabled" SetLifecycleEventsEnabled { enabled: bool };
    "Page.addScriptToEvaluateOnNewDocument" AddScript {
        source: String, world_name: Option<String>, run_immediately: Option<bool>,
        #[serde(rename = "includeCommandLineAPI")] include_command_line_api: Option<bool>,
    };
    "Page.createIsolatedWorld" CreateIsolatedWorld { frame_id: String, world_name: String };
    "Page.getFrameTree" GetFrameTree {} -> FrameTreeReply;
    "Page.navigate" Navigate { url: String, transition_type: Option<String> } -> Navigated;
    "Page.reload" Reload { ignore_cache: Option<bool> };
    "Page.stopLoading" StopLoading {};
    "Page.getNavigationHistory" GetNavigationHistory {} -> NavigationHistory;
    "Page.navigateToHistoryEntry" NavigateToHistoryEntry { entry_id: i64 };
    "Page.getLayoutMetrics" GetLayoutMetrics {} -> LayoutMetrics;
    "Page.captureScreenshot" CaptureScreenshot {
        format: String, quality: Option<u32>, clip: Option<Viewport>, capture_beyond_viewport: Option<bool>,
        optimize_for_speed: Option<bool>,
    } -> Captured;
    "Page.handleJavaScriptDialog" HandleDialog { accept: bool, prompt_text: Option<String> };
    "Page.setInterceptFileChooserDialog" InterceptFileChooser { enabled: bool };
    "Page.printToPDF" PrintToPdf {
        landscape: bool, print_background: bool, scale: Option<f64>, paper_width: Option<f64>, paper_height: Option<f64>,
        page_ranges: Option<String>, transfer_mode: String,
    } -> Printed;

    "IO.read" ReadStream { handle: String, size: Option<u32> } -> StreamPart;
    "IO.close" CloseStream { handle: String };

    "Runtime.enable" RuntimeEnable {};
    "Runtime.runIfWaitingForDebugger" RunIfWaitingForDebugger {};
    "Runtime.evaluate" Evaluate {
        expression: String, unique_context_id: Option<String>, return_by_value: Option<bool>, await_promise: Option<bool>,
        user_gesture: Option<bool>, timeout: Option<f64>, repl_mode: Option<bool>, object_group: Option<String>,
        throw_on_side_effect: Option<bool>,
    } -> Evaluated;
    "Runtime.callFunctionOn" CallFunctionOn {
        function_declaration: String, object_id: Option<String>, arguments: Option<Vec<Value>>,
        return_by_value: Option<bool>, await_promise: Option<bool>, user_gesture: Option<bool>,
        throw_on_side_effect: Option<bool>,
    } -> Evaluated;
    "Runtime.releaseObject" ReleaseObject { object_id: String };
    "Runtime.releaseObjectGroup" ReleaseObjectGroup { object_group: String };
    "Runtime.terminateExecution" TerminateExecution {};

    "Runtime.getProperties" GetProperties { object_id: String, own_properties: Option<bool> } -> Properties;

    "Runtime.addBinding" AddBinding { name: String, execution_context_name: Option<String> };

    "Input.dispatchMouseEvent" DispatchMouse {
        r#type: String, x: f64, y: f64, button: Option<String>, buttons: Option<u32>, click_count: Option<u32>,
        modifiers: Option<u32>, delta_x: Option<f64>, delta_y: Option<f64>,
    };
    "Input.dispatchKeyEvent" DispatchKey {
        r#type: String, modifiers: Option<u32>, text: Option<String>, unmodified_text: Option<String>, key: Option<String>,
        code: Option<String>, windows_virtual_key_code: Option<u32>, location: Option<u32>, is_keypad: Option<bool>,
        auto_repeat: Option<bool>, commands: Option<Vec<String>>,
    };
    "Input.insertText" InsertText { text: String };
    "Input.setInterceptDrags" SetInterceptDrags { enabled: bool };
    "Input.dispatchDragEvent" DispatchDrag { r#type: String, x: f64, y: f64, data: Value };

    "DOM.describeNode" DescribeNode { object_id: Option<String>, depth: Option<i64>, pierce: Option<bool> } -> Described;
    "DOM.getFrameOwner" GetFrameOwner { frame_id: String } -> FrameOwner;
    "DOM.resolveNode" ResolveNode {
        backend_node_id: i64, execution_context_id: Option<i64>, object_group: Option<String>,
    } -> Resolved;

    "Log.enable" LogEnable {};

    "Network.enable" NetworkEnable {
        max_total_buffer_size: Option<i64>, max_resource_buffer_size: Option<i64>, max_post_data_size: Option<i64>,
    };
    "Network.getResponseBody" GetResponseBody { request_id: String } -> Body;
    "Network.getRequestPostData" GetRequestPostData { request_id: String } -> PostData;
    "Network.setExtraHTTPHeaders" SetExtraHeaders { headers: BTreeMap<String, String> };
    "Network.setBypassServiceWorker" SetBypassServiceWorker { bypass: bool };
    "Network.emulateNetworkConditions" EmulateNetwork {
        offline: bool, latency: f64, download_throughput: f64, upload_throughput: f64,
    };
    "Network.deleteCookies" DeleteCookies {
        name: String, domain: Option<String>, path: Option<String>, partition_key: Option<Value>,
    };
    "Fetch.enable" FetchEnable { patterns: Vec<Value> };
    "Fetch.continueRequest" ContinueRequest { request_id: String };
    "Fetch.continueResponse" ContinueResponse {
        request_id: String, response_code: u32, response_headers: Vec<HeaderEntry>,
    };
    "Fetch.failRequest" FailRequest { request_id: String, error_reason: String };
    "Fetch.fulfillRequest" FulfillRequest {
        request_id: String, response_code: i64, response_headers: Vec<Value>, body: Option<String>,
    };
    "Storage.clearCookies" ClearCookies { browser_context_id: Option<String> };
    "DOM.setFileInputFiles" SetFiles { files: Vec<String>, object_id: Option<String>, backend_node_id: Option<i64> };

    "Storage.getCookies" GetCookies { browser_context_id: Option<String> } -> Cookies;
    "Storage.setCookies" SetCookies { cookies: Vec<Value>, browser_context_id: Option<String> };

    "Emulation.setFocusEmulationEnabled" SetFocusEmulation { enabled: bool };
    "Emulation.setDeviceMetricsOverride" SetDeviceMetrics {
        width: u32, height: u32, device_scale_factor: f64, mobile: bool, screen_width: u32, screen_height: u32,
    };
    "Emulation.clearDeviceMetricsOverride" ClearDeviceMetrics {};
    "Emulation.setTouchEmulationEnabled" SetTouchEmulation { enabled: bool, max_touch_points: Option<i64> };
    "Emulation.setUserAgentOverride" SetUserAgent {
        user_agent: String, accept_language: Option<String>, platform: Option<String>,
    };
    "Emulation.setLocaleOverride" SetLocale { locale: Option<String> };
    "Emulation.setTimezoneOverride" SetTimezone { timezone_id: String };
    "Emulation.setGeolocationOverride" SetGeolocation { latitude: f64, longitude: f64, accuracy: f64 };
    "Emulation.clearGeolocationOverride" ClearGeolocation {};
    "Emulation.setEmulatedMedia" SetEmulatedMedia { features: Vec<MediaFeature> };
}

shapes! {
    Version { product: String };
    CreatedContext { browser_context_id: String };
    CreatedTarget { target_id: String };
    Navigated { frame_id: String, loader_id: Option<String>, error_text: Option<String>, is_download: bool };
    NavigationHistory { current_index: i64, entries: Vec<HistoryEntry> };
    HistoryEntry { id: i64, url: String, title: String };
    LayoutMetrics { css_content_size: Rect };
    Rect { width: f64, height: f64 };
    Viewport { x: f64, y: f64, width: f64, height: f64, scale: f64 };
    Captured { data: String };
    Printed { stream: String };
    StreamPart { base64_encoded: bool, data: String, eof: bool };
    HeaderEntry { name: String, value: String };
    Evaluated { result: RemoteObject, exception_details: Option<ExceptionDetails> };
    RemoteObject {
        r#type: String, subtype: Option<String>, value: Option<Value>, unserializable_value: Option<String>,
        description: Option<String>, object_id: Option<String>, preview: Option<ObjectPreview>,
    };
    ObjectPreview {
        subtype: Option<String>, description: Option<String>, overflow: bool, properties: Vec<PropertyPreview>,
        entries: Vec<EntryPreview>,
    };
    PropertyPreview { name: String, r#type: String, value: Option<String>, value_preview: Option<Box<ObjectPreview>> };
    EntryPreview { key: Option<Box<ObjectPreview>>, value: Box<ObjectPreview> };
    StackTrace { call_frames: Vec<CallFrame> };
    CallFrame { url: String, line_number: i64, column_number: i64 };
    LogEntry { source: String, level: String, text: String, url: String, line_number: Option<i64> };
    Properties { result: Vec<Property> };
    Property { name: String, value: Option<RemoteObject> };
    Described { node: DomNode };
    DomNode { backend_node_id: i64, frame_id: Option<String>, shadow_root_type: String, shadow_roots: Vec<DomNode> };
    FrameOwner { backend_node_id: i64 };
    Resolved { object: RemoteObject };
    ExceptionDetails {
        exception_id: i64, text: String, exception: Option<RemoteObject>, url: String, line_number: i64, column_number: i64,
        stack_trace: Option<StackTrace>,
    };
    PermissionDescriptor { name: String };
    MediaFeature { name: String, value: String };
    Body { body: String, base64_encoded: bool };
    PostData { post_data: String, base64_encoded: bool };
    Cookies { cookies: Vec<Value> };
    Targets { target_infos: Vec<TargetInfo> };
    TargetInfoReply { target_info: TargetInfo };
    TargetInfo {
        target_id: String, r#type: String, title: String, url: String, opener_id: Option<String>,
        browser_context_id: Option<String>,
    };
    FrameTreeReply { frame_tree: FrameTree };
    FrameTree { frame: FrameInfo, child_frames: Vec<FrameTree> };
    FrameInfo { id: String, parent_id: Option<String>, loader_id: String, name: String, url: String, url_fragment: String, unreachable_url: String };
    ContextDescription { id: i64, unique_id: String, name: String, aux_data: ContextAux };
    ContextAux { frame_id: String, is_default: bool };
    ResponseInfo {
        url: String, status: i64, status_text: String, headers: Headers, mime_type: String, charset: String, protocol: String,
        from_disk_cache: bool, from_service_worker: bool, from_prefetch_cache: bool,
        timing: Option<ResourceTiming>,
    };
    ResourceTiming {
        request_time: f64, dns_start: f64, dns_end: f64, connect_start: f64, connect_end: f64, ssl_start: f64, ssl_end: f64,
        send_start: f64, send_end: f64, receive_headers_end: f64,
    };
    RequestInfo { url: String, method: String, headers: Headers, post_data: Option<String>, has_post_data: bool };
    CorsStatus { cors_error: String };
}

/// Headers by name. Their values are texts.
pub type Headers = serde_json::Map<String, Value>;

events! {
    "Target.attachedToTarget" AttachedToTarget { session_id: String, target_info: TargetInfo };
    "Target.detachedFromTarget" DetachedFromTarget { session_id: String };
    "Target.targetInfoChanged" TargetInfoChanged { target_info: TargetInfo };
    "Target.targetDestroyed" TargetDestroyed { target_id: String };
    "Inspector.targetCrashed" TargetCrashed {};

    "Browser.downloadWillBegin" DownloadWillBegin { frame_id: String, guid: String, url: String, suggested_filename: String };
    "Browser.downloadProgress" DownloadProgress { guid: String, state: String, received_bytes: f64, total_bytes: f64 };

    "Page.frameAttached" FrameAttached { frame_id: String, parent_frame_id: String };
    "Page.frameDetached" FrameDetached { frame_id: String, reason: String };
    "Page.frameNavigated" FrameNavigated { frame: FrameInfo, r#type: String };
    "Page.navigatedWithinDocument" NavigatedWithinDocument { frame_id: String, url: String };
    "Page.lifecycleEvent" LifecycleEvent { frame_id: String, loader_id: String, name: String };
    "Page.javascriptDialogOpening" DialogOpening { url: String, message: String, r#type: String, default_prompt: String };

    "Page.fileChooserOpened" FileChooserOpened { frame_id: String, backend_node_id: Option<i64> };
    "Input.dragIntercepted" DragIntercepted { data: Value };
    "Fetch.requestPaused" RequestPaused {
        request_id: String, request: RequestInfo, frame_id: String, resource_type: String,
        response_status_code: Option<i64>, response_headers: Vec<HeaderEntry>, response_error_reason: Option<String>,
    };

    "Page.frameRequestedNavigation" FrameRequestedNavigation { frame_id: String, disposition: String };
    "Page.frameStartedLoading" FrameStartedLoading { frame_id: String };
    "Page.frameStoppedLoading" FrameStoppedLoading { frame_id: String };
    "Page.documentOpened" DocumentOpened { frame: FrameInfo };
    "Page.windowOpen" WindowOpen { url: String };

    "Runtime.bindingCalled" BindingCalled { name: String, payload: String };
    "Runtime.executionContextCreated" ContextCreated { context: ContextDescription };
    "Runtime.consoleAPICalled" ConsoleCalled { r#type: String, args: Vec<RemoteObject>, stack_trace: Option<StackTrace> };
    "Runtime.exceptionThrown" ExceptionThrown { exception_details: ExceptionDetails };
    "Runtime.exceptionRevoked" ExceptionRevoked { exception_id: i64 };
    "Log.entryAdded" LogEntryAdded { entry: LogEntry };
    "Runtime.executionContextDestroyed" ContextDestroyed { execution_context_unique_id: String };

    "Network.requestWillBeSent" RequestWillBeSent {
        request_id: String, loader_id: String, frame_id: String, r#type: String, request: RequestInfo,
        redirect_response: Option<ResponseInfo>, timestamp: f64,
    };
    "Network.requestWillBeSentExtraInfo" RequestExtraInfo { request_id: String, headers: Headers };
    "Network.requestServedFromCache" RequestServedFromCache { request_id: String };
    "Network.responseReceived" ResponseReceived {
        request_id: String, loader_id: String, frame_id: String, r#type: String, response: ResponseInfo,
    };
    "Network.responseReceivedExtraInfo" ResponseExtraInfo { request_id: String, headers: Headers };
    "Network.loadingFinished" LoadingFinished { request_id: String, timestamp: f64, encoded_data_length: f64 };
    "Network.loadingFailed" LoadingFailed {
        request_id: String, timestamp: f64, error_text: String, canceled: bool, blocked_reason: String,
        cors_error_status: Option<CorsStatus>,
    };
    "Network.webSocketCreated" WebSocketCreated { request_id: String, url: String };
    "Network.webSocketWillSendHandshakeRequest" WebSocketRequest { request_id: String, timestamp: f64, request: RequestInfo };
    "Network.webSocketHandshakeResponseReceived" WebSocketResponse { request_id: String, timestamp: f64, response: ResponseInfo };
    "Network.webSocketFrameError" WebSocketError { request_id: String, timestamp: f64, error_message: String };
    "Network.webSocketClosed" WebSocketClosed { request_id: String, timestamp: f64 };

}
