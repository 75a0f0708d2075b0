//! A property of real pages: whatever a script does to a page between two looks, the second look sees what a first one would, the
//! delta leads from one to the other, and every element keeps its number.

use std::{collections::HashMap, sync::Arc, time::Duration};

use contract::{FrameId, SessionName};
use testkit::Site;
use tokio::time::Instant;

use super::{Eyes, tree::View};
use crate::{
    Config, Engine, Front, Request, SessionOptions, Until,
    actions::{Eval, Open},
    tab::Tab,
    testing::in_own_world_of,
};

/// A page that edits itself by chance, and numbers its elements in an attribute of its own.
const PAGE: &str = r#"<style>.off { display: none } .unseen { visibility: hidden } .hot { cursor: pointer } .faint { opacity: 0 }
.row:nth-child(3n) > .odd { display: none } .a + .b { visibility: hidden } .before::before { content: "mark" }</style>
<main id="root"></main><script>
let state = 1, last = 0;
const random = below => { state ^= state << 13; state ^= state >>> 17; state ^= state << 5; return (state >>> 0) % below; };
const pick = list => list[random(list.length)];
const TAGS = ['div', 'span', 'p', 'button', 'a', 'ul', 'li', 'h2', 'input', 'label', 'table', 'tr', 'td', 'select', 'details', 'section', 'b'];
const CLASSES = ['off', 'unseen', 'hot', 'faint', 'row', 'odd', 'a', 'b', 'before', 'other'];
const ATTRIBUTES = { 'aria-label': ['Name', ''], role: ['button', 'none', 'list', ''], hidden: ['', null], 'aria-hidden': ['true', null], tabindex: ['0', null],
  href: ['#x', null], type: ['checkbox', 'password', 'text', 'hidden'], open: ['', null], disabled: ['', null], inert: ['', null],
  'aria-labelledby': ['root', 'n3 n5', null], 'aria-owns': ['n4', 'n9', null], title: ['Tip', null], placeholder: ['here', null], style: ['opacity:0', 'position:absolute;left:-999px', ''] };
const make = (depth = 0) => {
  const element = document.createElement(pick(TAGS));
  element.dataset.n = element.id = 'n' + ++last;
  if (random(3)) element.append('text ' + last);
  if (random(4) === 0) element.className = pick(CLASSES);
  if (random(9) === 0 && ['DIV', 'SPAN', 'P', 'SECTION'].includes(element.tagName)) {
    const root = element.attachShadow({ mode: 'open' });
    root.append(make(depth + 1), document.createElement('slot'));
  }
  if (depth < 3) for (let n = random(4); n > 0; n--) element.append(make(depth + 1));
  return element;
};
const all = () => [...root.querySelectorAll('*')].flatMap(e => e.shadowRoot ? [e, ...e.shadowRoot.querySelectorAll('[data-n]')] : [e]);
const kept = [];
const EDITS = [
  () => pick([root, ...all()]).append(make()),
  () => pick([root, ...all()]).prepend(make()),
  () => { const gone = pick(all()); if (gone) { gone.remove(); if (random(2)) kept.push(gone); } },
  () => { const back = kept.pop(); if (back) root.append(back); },
  () => { const from = pick(all()), to = pick([root, ...all()]); if (from && !from.contains(to) && to.getRootNode() === from.getRootNode()) to.append(from); },
  () => { const one = pick(all()); if (one?.firstChild?.nodeType === 3) one.firstChild.data = 'changed ' + random(99); else one?.prepend('new ' + random(99)); },
  () => pick(all())?.classList.toggle(pick(CLASSES)),
  () => { const name = pick(Object.keys(ATTRIBUTES)), value = pick(ATTRIBUTES[name]); const one = pick(all()); value === null ? one?.removeAttribute(name) : one?.setAttribute(name, value); },
  () => { const field = pick(all().filter(e => e.matches('input'))); if (field) { field.checked = !random(2); if (field.type !== 'file') field.value = 'value ' + random(99); } },
  () => pick(all().filter(e => e.matches('button, a, input, [tabindex]')))?.focus(),
  () => { const one = pick(all()); if (one) one.onclick = () => {}; },
  () => { const one = pick(all()), copy = one?.cloneNode(true); if (!copy) return;
    for (const e of [copy, ...copy.querySelectorAll('*')]) e.dataset.n = e.id = 'n' + ++last;
    one.replaceWith(copy); },
  () => { const one = pick(all()); if (one) one.textContent = ''; },
];
function edit(seed, count) { state = seed * 2654435761 | 1; for (let n = 0; n < count; n++) pick(EDITS)(); if (all().length > 300) root.textContent = ''; return all().length; }
edit(7, 30);
</script>"#;

struct Page {
    engine: Engine,
    session: SessionName,
    options: SessionOptions,
    tab: Arc<Tab>,
    _home: tempfile::TempDir,
}

impl Page {
    async fn open(url: String) -> Page {
        let home = tempfile::tempdir().unwrap();
        let allow = vec![testkit::ALLOW.parse().unwrap()];
        let engine = Engine::new(Config { allow, ..Config::new(home.path()) }).unwrap();
        let options = SessionOptions { browser: Some(testkit::browser()), ..SessionOptions::default() };
        let session = SessionName::default();
        let open = Open { url: Some((&*url).into()), until: Until::Load };
        engine.perform(&session, &options, Request::new(open)).await.unwrap();
        let (_, tab) =
            engine.session(&session, &options, false).unwrap().live().unwrap().pages.get(None).unwrap();
        Page { engine, session, options, tab, _home: home }
    }

    async fn edit(&self, seed: u64, count: u64) {
        let eval = Eval::new(format!("edit({seed}, {count})"));
        self.engine.perform(&self.session, &self.options, Request::new(eval)).await.unwrap();
    }

    async fn look(&self, eyes: &mut Eyes) {
        eyes.look(&self.tab, Instant::now() + Duration::from_secs(30)).await.unwrap();
    }

    /// The page's own name for each element of the view.
    async fn names(&self, view: &View) -> Vec<(u32, String)> {
        let numbers: Vec<u32> =
            view.trees[&FrameId(0)].nodes().map(|(number, _)| number).filter(|n| *n > 0).collect();
        let js = format!("{numbers:?}.map(number => webhand.element(number)?.dataset.n ?? 'root')");
        let value = in_own_world_of(&self.tab, FrameId(0), &js).await.unwrap();
        numbers.into_iter().zip(serde_json::from_value::<Vec<String>>(value).unwrap()).collect()
    }
}

#[test]
fn looking_again_sees_what_looking_anew_would() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let site = Site::start();
    runtime.block_on(async {
        let page = Page::open(site.page("edits", PAGE)).await;
        let (mut number_of, mut name_of) = (HashMap::new(), HashMap::new());
        let mut eyes = Eyes::default();
        page.look(&mut eyes).await;
        for seed in 1..=40 {
            for step in 0..5 {
                let before = eyes.view.clone();
                page.edit(seed * 1000 + step, 1 + seed % 6).await;
                page.look(&mut eyes).await;
                let patched = before.patched(&before.delta(&eyes.view)).unwrap();
                assert!(patched == eyes.view, "seed {seed}, step {step}: the delta does not lead there");
            }
            let mut anew = Eyes::default();
            page.look(&mut anew).await;
            let difference = eyes.view.delta(&anew.view);
            assert!(difference.is_empty(), "seed {seed}: looking anew shows something else: {difference:#?}");
            for (number, name) in page.names(&anew.view).await {
                assert_eq!(
                    *number_of.entry(name.clone()).or_insert(number),
                    number,
                    "{name} has another number"
                );
                assert_eq!(
                    *name_of.entry(number).or_insert(name.clone()),
                    name,
                    "number {number} was used again"
                );
            }
            eyes = anew;
        }
        page.engine.close(Front::Library).await;
    });
}
