//! Controls that nobody sees, and what is drawn and clicked in their place: labels, hosts, boxes around them.

use std::time::Duration;

use contract::{Code, Target};
use engine::actions::{Check, Click, Hover, Select, Upload};
use serde_json::json;

use crate::support::{Fixture, eval_main, run, show};

fn css(selector: &str) -> Target {
    format!("css={selector}").parse().unwrap()
}

fn select(selector: &str, values: &[&str]) -> Select {
    Select { values: values.iter().map(|value| (*value).into()).collect(), ..Select::new(css(selector), "") }
}

async fn of_page(s: &Fixture, js: &str) -> serde_json::Value {
    eval_main(s, js).await.value.unwrap()
}

/// Clipped and let through beside its label; transparent behind a label that is for nothing; a button that leaves clicks to its host; one
/// for screen readers in an area to drop files on.
const STAND_INS: &str = "<style>.clip { position: absolute; clip: rect(0, 0, 0, 0); pointer-events: none } .toggle { position: relative; width: 200px; height: 24px }
      .behind { position: absolute; top: 0; left: 0; width: 40px; height: 20px; opacity: 0; z-index: -1 } .toggle label { position: relative; display: block }
      .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) } .area { position: relative; height: 80px; width: 200px; border: 1px dashed }</style>
    <input type=radio name=r id=r1 class=clip><label for=r1>One</label> <input type=radio name=r id=r2 class=clip><label for=r2>Two</label>
    <div class=toggle id=toggle><input type=checkbox id=weekly class=behind><label>Weekly</label></div>
    <x-tab id=first>First</x-tab><x-tab id=second>Second</x-tab>
    <div class=area id=area><div class=sr><button id=zone>Drop files</button></div><span>Drop here</span></div>
    <script>hits = []; hovered = [];
      toggle.onclick = () => weekly.checked = !weekly.checked;
      customElements.define('x-tab', class extends HTMLElement { connectedCallback() {
        this.attachShadow({ mode: 'open' }).innerHTML = '<style>:host { display: inline-block } button { pointer-events: none }</style><button role=tab><slot></slot></button>';
        this.onclick = () => hits.push(this.id);
        this.onmouseenter = () => hovered.push(this.id);
      } });
      area.ondragover = event => event.preventDefault();
      area.ondrop = event => { event.preventDefault(); hits.push(event.dataTransfer.files[0].name); };</script>";

#[test]
fn what_stands_for_a_control_is_clicked_for_it() {
    run(async |s| {
        show(&s, STAND_INS).await;
        let patience = Duration::from_secs(4);
        s.within(patience, Check::new(css("#r2"))).await.unwrap();
        assert_eq!(of_page(&s, "r2.checked").await, true);
        s.within(patience, Click::new(css("#r1"))).await.unwrap();
        assert_eq!(of_page(&s, "r1.checked").await, true);
        s.within(patience, Check::new(css("#weekly"))).await.unwrap();
        assert_eq!(of_page(&s, "weekly.checked").await, true);
        s.within(patience, Click::new("tab Second".parse().unwrap())).await.unwrap();
        s.within(patience, Hover { target: "tab Second".parse().unwrap() }).await.unwrap();
        assert_eq!(of_page(&s, "[hits.splice(0), hovered]").await, json!([["second"], ["second"]]));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        std::fs::write(&file, "a").unwrap();
        let dropped = Upload { drop: true, ..Upload::new(css("#zone"), vec![file]) };
        s.within(patience, dropped).await.unwrap();
        assert_eq!(of_page(&s, "hits").await, json!(["a.txt"]));
    });
}

/// Another thing to use in the box, a link to skip to, a button that is off in all but name, a box that is a link, a host of two.
const OTHERS: &str = "<style>.behind { position: absolute; top: 0; left: 0; width: 40px; height: 20px; opacity: 0; z-index: -1 } .box { position: relative; width: 200px; height: 24px }
      .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) } .through { pointer-events: none }</style>
    <div class=box onclick='hits.push(1)'><input type=checkbox id=shared class=behind><label>Agree</label> <button>More</button></div>
    <div class=box onclick='hits.push(2)'><a href=#main id=skip class=sr>Skip</a> Title</div>
    <ul><li onclick='hits.push(3)'><button id=off class=through>Buy</button></ul>
    <a href=#there class=box style='display: block'><input type=checkbox id=linked class=behind>Read</a>
    <x-two id=two></x-two>
    <script>hits = [];
      two.attachShadow({ mode: 'open' }).innerHTML = '<button id=yes style=\"pointer-events: none\">Yes</button><button>No</button>';
      two.onclick = () => hits.push(4);</script>";

#[test]
fn nothing_stands_for_a_control_that_has_business_of_its_own() {
    run(async |s| {
        show(&s, OTHERS).await;
        for target in ["css=#shared", "css=#skip", "css=#off", "css=#linked", "button Yes"] {
            let click = Click::new(target.parse().unwrap());
            let error = s.within(Duration::from_secs(2), click).await.unwrap_err();
            assert_eq!(error.code, Code::ElementCovered, "{target}: {error}");
        }
        assert_eq!(of_page(&s, "[hits, location.hash]").await, json!([[], ""]));
    });
}

/// A list in a shadow root: the field is transparent and behind, what has been chosen is before it with a button to take it back, and its
/// options are in a slot.
const SLOTTED: &str = "<x-list id=list><div role=option aria-selected=false>Ex</div><div role=option aria-selected=false>Why</div><div role=option aria-selected=false>Zed</div></x-list>
    <script>clicks = 0;
      customElements.define('x-list', class extends HTMLElement { connectedCallback() {
        this.attachShadow({ mode: 'open' }).innerHTML = `<style>.box { position: relative; width: 300px; height: 30px; border: 1px solid } .field { position: absolute; inset: 0; opacity: 0; z-index: -1 } #options { display: none } .open #options { display: block }</style>
          <div class=box><input class=field role=combobox aria-controls=options aria-expanded=false aria-label=Letters readonly><span id=tags></span><input class=field tabindex=-1 aria-hidden=true></div>
          <div id=options role=listbox aria-multiselectable=true><slot></slot></div>`;
        const [box, field, tags] = ['.box', 'input', '#tags'].map(it => this.shadowRoot.querySelector(it));
        const toggle = open => { this.shadowRoot.querySelector('#options').style.display = open ? 'block' : 'none'; field.setAttribute('aria-expanded', open); };
        box.onclick = () => { clicks++; toggle(field.getAttribute('aria-expanded') === 'false'); };
        this.onkeydown = event => event.key === 'Escape' && toggle(false);
        for (const option of this.children) option.onclick = () => {
          option.setAttribute('aria-selected', option.getAttribute('aria-selected') === 'false');
          tags.innerHTML = [...this.children].filter(it => it.ariaSelected === 'true').map(it => `<b>${it.textContent}</b><button onclick='event.stopPropagation()'>x</button>`).join('');
        };
      } });</script>";

#[test]
fn a_list_that_nobody_sees_behind_what_was_chosen() {
    run(async |s| {
        show(&s, SLOTTED).await;
        let chosen = "[...list.children].filter(it => it.ariaSelected === 'true').map(it => it.textContent)";
        s.within(Duration::from_secs(4), select("#list", &["Ex", "Why"])).await.unwrap();
        assert_eq!(of_page(&s, chosen).await, json!(["Ex", "Why"]));
        s.within(Duration::from_secs(4), select("#list", &["Zed"])).await.unwrap();
        assert_eq!(of_page(&s, chosen).await, json!(["Ex", "Why", "Zed"]));
    });
}

/// A box that a field for a search fills, but for a rim where nothing happens.
const FILLED_BOX: &str = "<style>#box { position: relative; width: 300px; height: 60px; border: 1px solid } #box input { position: absolute; left: 0; top: 0; width: 100%; height: 30px; opacity: .5 }</style>
    <div id=box><input id=search onfocus='open_()'><div>Select Country</div></div>
    <div id=row style='width: 300px; height: 60px; position: relative' onclick='hits.push(event.target.tagName)'><button style='position: absolute; left: 100px; width: 100px; height: 60px'>Delete</button>Row</div>
    <script>opened = 0; hits = []; open_ = () => opened++</script>";

#[test]
fn a_box_that_a_field_fills_is_clicked_in_the_field() {
    run(async |s| {
        show(&s, FILLED_BOX).await;
        s.perform(Click::new(css("#box"))).await.unwrap();
        assert_eq!(of_page(&s, "opened").await, 1);
        // Buttons are another matter.
        s.perform(Click::new(css("#row"))).await.unwrap();
        assert_eq!(of_page(&s, "hits").await, json!(["DIV"]));
    });
}
