//! Controls that nobody sees, and what is drawn and clicked in their place: labels, hosts, boxes around them.

use std::time::Duration;

use contract::{Code, Target};
use engine::actions::{Check, Click, Hover, Select, Upload};
use serde_json::json;

use crate::support::{Fixture, eval_main, run_in_shell, show};

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
    run_in_shell(async |s| {
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
    run_in_shell(async |s| {
        show(&s, OTHERS).await;
        for target in ["css=#shared", "css=#skip", "css=#off", "css=#linked", "button Yes"] {
            let click = Click::new(target.parse().unwrap());
            let error = s.within(Duration::from_secs(4), click).await.unwrap_err();
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
    run_in_shell(async |s| {
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
    run_in_shell(async |s| {
        show(&s, FILLED_BOX).await;
        s.perform(Click::new(css("#box"))).await.unwrap();
        assert_eq!(of_page(&s, "opened").await, 1);
        // Buttons are another matter.
        s.perform(Click::new(css("#row"))).await.unwrap();
        assert_eq!(of_page(&s, "hits").await, json!(["DIV"]));
    });
}

/// Lists that are drawn for one of the browser's own: `deaf` hears nothing of it, shows its choice as an option, and marks the option that the
/// arrow keys are at; `many` is the same for several; `hears` is told of every change; `plain` is a text that is drawn anew, or never.
const ORIGINALS: &str = "<style>.box { width: 200px; border: 1px solid; position: relative } .box select { position: absolute; inset: 0; opacity: 0; pointer-events: none } .pop { display: none }
      .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) } .over select { pointer-events: auto }</style>
    <label for=deaf>City</label><div class=box role=combobox aria-expanded=false tabindex=0><div class=in><select id=deaf><option value=b>Berlin<option value=p>Paris<option value=r>Rome</select><div role=listbox class=shown></div></div><div class=pop><div role=listbox></div></div></div>
    <label for=many>Langs</label><div class=box role=combobox aria-expanded=false tabindex=0><div class=in><select id=many multiple><option>Go<option>Rust<option>Zig</select><div role=listbox class=shown></div></div><div class=pop><div role=listbox aria-multiselectable=true></div></div></div>
    <p><label for=hears>State</label><select id=hears multiple class=sr><option selected>Ohio<option>Texas</select><span class=beside><span role=combobox aria-expanded=false tabindex=0>Ohio</span></span>
    <div class='box over'><select id=plain onchange='this.nextElementSibling.textContent = this.value'><option>Small<option>Large</select><span>Small</span></div>
    <div class='box over'><select id=dead><option>Red<option>Blue</select><span>Red</span></div>
    <script>changes = [];
      addEventListener('change', event => changes.push(event.target.id));
      hears.onchange = () => document.querySelector('.beside span').innerHTML = [...hears.selectedOptions].map(it => `<b>×${it.text}</b>`).join('');
      for (const select of [deaf, many]) {
        const box = select.closest('.box'), shown = box.querySelector('.shown'), pop = box.querySelector('.pop'), list = pop.firstChild, chosen = new Set(select === deaf ? ['Berlin'] : []);
        const draw = () => {
          shown.innerHTML = [...chosen].map(it => `<div role=option aria-selected=true>${it}${select === many ? '<button>Remove</button>' : ''}</div>`).join('') || '&nbsp;';
          list.innerHTML = [...select.options].filter(it => select === deaf || !chosen.has(it.text)).map((it, at) => `<div role=option aria-selected=${at === 0}>${it.text}</div>`).join('');
          for (const it of select.options) it.selected = chosen.has(it.text);
        };
        const toggle = open => { pop.style.display = open ? 'block' : 'none'; box.setAttribute('aria-expanded', open); };
        box.onclick = event => {
          if (event.target.closest('.in')) return toggle(pop.style.display !== 'block');
          if (select === deaf) chosen.clear();
          chosen.add(event.target.textContent);
          draw(); toggle(false);
          select.dispatchEvent(new Event('change', { bubbles: true }));
        };
        box.onkeydown = event => event.key === 'Escape' && toggle(false);
        draw();
      }</script>";

#[test]
fn what_is_drawn_for_a_list_of_the_browser_is_chosen_from() {
    run_in_shell(async |s| {
        show(&s, ORIGINALS).await;
        let patience = Duration::from_secs(4);
        let shown = async |id: &str| {
            of_page(&s, &format!("[{id}.closest('.box').querySelector('.shown').innerText.replaceAll('Remove', ' ').split(/\\s+/).filter(Boolean).join(), [...{id}.selectedOptions].map(it => it.text).join()]")).await
        };
        for value in ["Rome", "b", "Paris"] {
            let outcome = s.within(patience, select("#deaf", &[value])).await.unwrap();
            assert!(outcome.notes.is_empty(), "{value}: {:?}", outcome.notes);
            let name = if value == "b" { "Berlin" } else { value };
            assert_eq!(shown("deaf").await, json!([name, name]));
        }
        let again = s.within(patience, select("#deaf", &["Paris"])).await.unwrap();
        assert_eq!(again.notes, ["it was selected already"]);
        let by_label = Select::new("City".parse().unwrap(), "Rome");
        s.within(patience, by_label).await.unwrap();
        assert_eq!(shown("deaf").await, json!(["Rome", "Rome"]));
        // The first one is marked, but only since the arrow keys are at it; and the list closes after each.
        s.within(patience, select("#many", &["Go", "Zig"])).await.unwrap();
        assert_eq!(shown("many").await, json!(["Go,Zig", "Go,Zig"]));
        let again = s.within(patience, select("#many", &["Go", "Zig"])).await.unwrap();
        assert_eq!(again.notes, ["it was selected already", "it was selected already"]);
        // To take something back the original is set, which only some hear of.
        let error = s.within(patience, select("#many", &["Rust"])).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect, "{error}");
        s.within(patience, select("#hears", &["Texas"])).await.unwrap();
        assert_eq!(of_page(&s, "document.querySelector('.beside').innerText").await, "×Texas");
    });
}

#[test]
fn what_is_drawn_for_a_list_has_to_show_what_was_chosen() {
    run_in_shell(async |s| {
        show(&s, ORIGINALS).await;
        s.perform(select("#plain", &["Large"])).await.unwrap();
        let error = s.perform(select("#dead", &["Blue"])).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect, "{error}");
        assert!(error.hint().contains("click what is drawn"), "{}", error.hint());
    });
}

#[test]
fn areas_of_a_picture_are_clicked_in_their_shape() {
    run_in_shell(async |s| {
        let picture = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='100' height='100'/>";
        let page = format!(
            "<p style='height: 2000px'></p><map name=mm><area shape=rect coords='0,0,60,60' href='#rect' alt='Area one'>
             <area shape=circle coords='80,80,15' href='#circle' alt='Area two'><area shape=poly coords='0,100,0,70,30,100' href='#poly' alt='Area three'>
             <area shape=default href='#rest' alt='The rest'></map><map name=unused><area shape=rect coords='0,0,9,9' href='#unused' alt=Unused></map>
             <div style='padding: 20px; border: 5px solid'><img usemap='#mm' width=100 height=100 style='padding: 7px' src=\"{picture}\"></div>"
        );
        show(&s, &page).await;
        for (name, hash) in
            [("Area one", "#rect"), ("Area two", "#circle"), ("Area three", "#poly"), ("The rest", "#rest")]
        {
            s.perform(Click::new(name.parse().unwrap()))
                .await
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(s.eval("location.hash").await, hash, "{name}");
        }
        let error = s.within(Duration::from_secs(3), Click::new(css("area[alt=Unused]"))).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotVisible, "{error}");
        // Other shapes over it, as the browser sees them.
        show(&s, &format!("<img usemap='#mm' width=100 height=100 src=\"{picture}\"><map name=mm><area shape=rect coords='20,20,80,80' href='#over' alt=Over>
            <area shape=rect coords='0,0,100,100' href='#under' alt=Under></map>")).await;
        s.perform(Hover { target: css("area[alt=Over]") }).await.unwrap();
        s.perform(Click::new(css("area[alt=Under]"))).await.unwrap();
        assert_eq!(s.eval("location.hash").await, "#under");
    });
}
