//! A real browser, and what it and our script say of each element of a page.

use std::{collections::HashMap, time::Duration};

use cdp::{
    Channel, Connection, Events,
    launch::{self, Launch, Process},
    protocol::{self as p, CommandRow},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

/// Long enough for a loaded machine; no test waits for it unless something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// One element, as both see it.
#[derive(Debug)]
pub(crate) struct Element {
    pub tag: String,
    /// The case it belongs to: its own, or that of the nearest element around it that has one.
    pub case: String,
    /// Whether the case is its own.
    pub is_case: bool,
    pub ours: Ours,
    /// None for an element that is not in Chromium's tree at all.
    pub chromiums: Option<AxNode>,
}

/// What our script says.
#[derive(Debug, Deserialize)]
pub(crate) struct Ours {
    tag: String,
    case: String,
    is_case: bool,
    /// Whether nobody is shown the element.
    pub hidden: bool,
    pub role: String,
    pub name: String,
    pub description: String,
    pub states: Vec<String>,
    /// What the case says that the states are, where it does.
    pub expected_states: Option<String>,
}

/// What Chromium says.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AxNode {
    pub ignored: bool,
    role: AxValue,
    name: AxValue,
    description: AxValue,
    properties: Vec<AxProperty>,
    #[serde(rename = "backendDOMNodeId")]
    backend_id: i64,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
struct AxValue {
    value: Value,
}

impl AxValue {
    /// The text with white space as we show it.
    fn flat(&self) -> String {
        let blank = |c: char| c.is_whitespace() || c == '\u{200b}' || c == '\u{feff}';
        let words = self.value.as_str().unwrap_or_default().split(blank);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, Clone, Deserialize)]
struct AxProperty {
    name: String,
    value: AxValue,
}

impl AxNode {
    pub(crate) fn role(&self) -> &str {
        self.role.value.as_str().unwrap_or_default()
    }

    pub(crate) fn name(&self) -> String {
        self.name.flat()
    }

    pub(crate) fn description(&self) -> String {
        self.description.flat()
    }

    /// A state as text: `true`, `mixed`, `2`; none where Chromium does not say it.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        let found = self.properties.iter().find(|property| property.name == name)?;
        Some(match &found.value.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }
}

/// Walks the page as `DOM.getDocument` does (shadow roots before children) and asks our script about each element.
const ASK: &str = r"
(() => {
  const found = [];
  const hidden = element => {
    if (!element.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).display !== 'contents') return true;
    for (let inside = element; inside; inside = inside.getRootNode().host) {
      if (Element.prototype.closest.call(inside, '[aria-hidden=true], [inert]')) return true;
    }
    return false;
  };
  const walk = (node, around) => {
    for (const element of childrenOf(node)) {
      const own = Element.prototype.getAttribute.call(element, 'data-case');
      const { role, name, description, states } = webhand.describe(element);
      const tag = Object.getOwnPropertyDescriptor(Element.prototype, 'localName').get.call(element);
      const expected_states = Element.prototype.getAttribute.call(element, 'data-states');
      found.push({ tag, case: own ?? around, is_case: own !== null, hidden: hidden(element), role, name, description, states, expected_states });
      const root = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get.call(element);
      if (root) walk(root, own ?? around);
      walk(element, own ?? around);
    }
  };
  const childNodes = Object.getOwnPropertyDescriptor(Node.prototype, 'childNodes').get;
  const childrenOf = node => [...childNodes.call(node)].filter(child => child instanceof Element);
  walk(document, '');
  return JSON.stringify(found);
})()";

pub(crate) struct Chromium {
    process: Process,
    tab: Channel,
    events: Events,
    connection: Connection,
}

impl Chromium {
    pub(crate) async fn start() -> Chromium {
        let launch =
            Launch { executable: testkit::browser(), profile: None, headed: false, flags: Vec::new() };
        let (transport, process) = launch::launch(&launch).await.unwrap();
        let (connection, _events) = Connection::start(transport);
        let target = p::CreateTarget { url: "about:blank".into(), ..p::CreateTarget::default() };
        let target_id = connection.root().call(target, soon()).await.unwrap().target_id;
        let attached =
            connection.root().call(AttachToTarget { target_id, flatten: true }, soon()).await.unwrap();
        let (tab, events) = connection.open(attached["sessionId"].as_str().unwrap());
        tab.call(p::PageEnable {}, soon()).await.unwrap();
        tab.call(AccessibilityEnable {}, soon()).await.unwrap();
        Chromium { process, tab, events, connection }
    }

    /// Opens a page and returns its elements in document order.
    pub(crate) async fn look(&mut self, url: &str) -> Vec<Element> {
        self.open(url).await;
        let ours: Vec<Ours> = serde_json::from_str(&self.ask(ASK).await).unwrap();
        let document = self.tab.call(GetDocument { depth: -1, pierce: true }, soon()).await.unwrap();
        let mut nodes = Vec::new();
        elements_of(&document["root"], &mut nodes);
        let same =
            ours.iter().map(|element| element.tag.as_str()).eq(nodes.iter().map(|(tag, _)| tag.as_str()));
        assert!(same, "{url} changed while it was looked at");

        let tree = self.tab.call(GetFullAxTree {}, soon()).await.unwrap();
        let tree: Vec<AxNode> = serde_json::from_value(tree["nodes"].clone()).unwrap();
        let mut tree: HashMap<i64, AxNode> =
            tree.into_iter().rev().map(|node| (node.backend_id, node)).collect();
        ours.into_iter()
            .zip(nodes)
            .map(|(ours, (tag, id))| Element {
                tag,
                case: ours.case.clone(),
                is_case: ours.is_case,
                chromiums: tree.remove(&id),
                ours,
            })
            .collect()
    }

    pub(crate) async fn open(&mut self, url: &str) {
        let navigated =
            self.tab.call(p::Navigate { url: url.into(), transition_type: None }, soon()).await.unwrap();
        assert_eq!(navigated.error_text, None, "{url}");
        let loaded = async {
            while let Some(event) = self.events.next().await {
                if *event.method == *"Page.loadEventFired" {
                    return;
                }
            }
            panic!("the browser ended");
        };
        tokio::time::timeout(PATIENCE, loaded).await.expect("the page to be loaded");
    }

    /// Runs our script in a world of its own, as the engine does, and then an expression that gives a text.
    pub(crate) async fn ask(&self, expression: &str) -> String {
        let frame_id = self.tab.call(p::GetFrameTree {}, soon()).await.unwrap().frame_tree.frame.id;
        let world = self.tab.call(CreateIsolatedWorld { frame_id }, soon()).await.unwrap();
        let context_id = world["executionContextId"].as_i64().unwrap();
        let expression = format!("{}\n{expression}", engine::testing::page_script());
        let answer = self.tab.call(EvaluateIn { expression, context_id }, soon()).await.unwrap();
        assert_eq!(answer.exception_details, None);
        answer.result.value.unwrap().as_str().unwrap().to_owned()
    }

    pub(crate) async fn end(self) {
        self.connection.close("the test is over");
        self.process.end().await;
    }
}

/// Tag and id of every element that our script can see, in the order of [`ASK`].
fn elements_of(node: &Value, found: &mut Vec<(String, i64)>) {
    let list = |name: &str| node[name].as_array().cloned().unwrap_or_default();
    let open_roots = list("shadowRoots").into_iter().filter(|root| root["shadowRootType"] == "open");
    for root in open_roots {
        elements_of(&root, found);
    }
    for child in list("children") {
        if child["nodeType"] == 1 {
            found.push((
                child["localName"].as_str().unwrap().to_owned(),
                child["backendNodeId"].as_i64().unwrap(),
            ));
            elements_of(&child, found);
        }
    }
}

fn soon() -> Instant {
    Instant::now() + PATIENCE
}

/// Commands that only this test needs.
macro_rules! commands {
    ($($method:literal $name:ident { $($field:ident: $type:ty),* } -> $reply:ty;)*) => {$(
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct $name { $($field: $type),* }

        impl CommandRow for $name {
            const METHOD: &'static str = $method;
            type Reply = $reply;
        }
    )*};
}

commands! {
    "Target.attachToTarget" AttachToTarget { target_id: String, flatten: bool } -> Value;
    "Accessibility.enable" AccessibilityEnable {} -> Value;
    "Accessibility.getFullAXTree" GetFullAxTree {} -> Value;
    "DOM.getDocument" GetDocument { depth: i64, pierce: bool } -> Value;
    "Page.createIsolatedWorld" CreateIsolatedWorld { frame_id: String } -> Value;
    "Runtime.evaluate" EvaluateIn { expression: String, context_id: i64 } -> p::Evaluated;
}
