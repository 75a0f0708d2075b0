//! Controls as libraries of the web make them: lists in two parts, sliders of plain elements, values laid over their fields, popups that
//! fade in, editors that draw by themselves.

use std::time::Duration;

use contract::{Code, Target};
use engine::actions::{Check, Click, Fill, FillForm, FormField, Hover, Locate, Select, SelectBy, Type};
use serde_json::json;

use crate::{
    hands_support::{log, open, press},
    support::{Fixture, code, eval_main, look, run_in_shell, show},
};

fn css(selector: &str) -> Target {
    format!("css={selector}").parse().unwrap()
}

fn fill(selector: &str, text: &str) -> Fill {
    Fill::new(css(selector), text.into())
}

fn select(selector: &str, values: &[&str]) -> Select {
    Select { values: values.iter().map(|value| (*value).into()).collect(), ..Select::new(css(selector), "") }
}

async fn of_page(s: &Fixture, js: &str) -> serde_json::Value {
    eval_main(s, js).await.value.unwrap()
}

/// A list whose options for screen readers have no size, beside those that are clicked, which have no role. `many` stays open.
const TWO_PARTS: &str = "<style>.box { width: 200px; border: 1px solid } .pop { display: none } .open .pop { display: block } .item { cursor: pointer }
    .item[aria-disabled=true] { cursor: not-allowed }</style>
    <div class=box id=one><input role=combobox aria-haspopup=listbox aria-expanded=false readonly aria-controls=l1>
      <div class=pop><div role=listbox id=l1 style='height: 0; width: 0; overflow: hidden'></div><div class=items></div></div></div>
    <div class=box id=many><input role=combobox aria-haspopup=listbox aria-expanded=false readonly aria-controls=l2>
      <div class=pop><div role=listbox id=l2 style='height: 0; width: 0; overflow: hidden'></div><div class=items></div></div></div>
    <script>chosen = { one: [], many: [] };
      for (const box of document.querySelectorAll('.box')) {
        const field = box.querySelector('input'), list = box.querySelector('[role=listbox]'), items = box.querySelector('.items');
        const close = () => { box.classList.remove('open'); field.setAttribute('aria-expanded', 'false'); };
        field.onclick = () => { box.classList.toggle('open'); field.setAttribute('aria-expanded', box.classList.contains('open')); };
        for (const name of ['Oslo', 'Rome', 'Bern']) {
          list.insertAdjacentHTML('beforeend', `<div role=option aria-label=${name} aria-selected=false>${name.toLowerCase()}</div>`);
          const twin = list.lastChild, item = items.appendChild(Object.assign(document.createElement('div'), { className: 'item', innerHTML: `<b>${name}</b>` }));
          item.setAttribute('aria-disabled', name === 'Bern');
          item.onclick = () => {
            if (name === 'Bern') return;
            if (box.id === 'one') { chosen.one = [name]; field.value = name; close(); }
            else { chosen.many.push(name); twin.setAttribute('aria-selected', 'true'); }
          };
        }
      }</script>";

#[test]
fn a_list_with_a_part_for_screen_readers_and_one_to_click() {
    run_in_shell(async |s| {
        show(&s, TWO_PARTS).await;
        s.perform(select("#one input", &["Rome"])).await.unwrap();
        assert_eq!(of_page(&s, "chosen.one").await, json!(["Rome"]));
        s.perform(select("#many input", &["Oslo", "Rome"])).await.unwrap();
        assert_eq!(of_page(&s, "chosen.many").await, json!(["Oslo", "Rome"]));
        let error =
            s.within(Duration::from_secs(4), select("#one input", &["Oslo", "Rome"])).await.unwrap_err();
        assert_eq!(error.code, Code::InvalidInput, "{error}");
        assert!(error.hint().contains("the first one is selected"), "{}", error.hint());
        assert_eq!(of_page(&s, "chosen.one").await, json!(["Oslo"]));
        let error = s.within(Duration::from_secs(4), select("#one input", &["Paris"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
        assert!(error.hint().contains("\"Oslo\", \"Rome\", \"Bern\""), "{}", error.hint());
        let error = s.within(Duration::from_secs(4), select("#one input", &["Bern"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotEnabled);
    });
}

/// What has been chosen is laid over the field, or the field lets clicks through to what is around it.
const LAID_OVER: &str = "<style>.select { position: relative; width: 200px; border: 1px solid; padding: 4px }
      .select span, .cover { position: absolute; inset: 0; background: #fff } .through { pointer-events: none }</style>
    <div class=select id=laid onclick='hits.push(event.target.tagName)'><input role=combobox aria-label=City readonly><span>Please choose</span></div>
    <div role=combobox id=around aria-expanded=false tabindex=0 onclick='hits.push(\"around\")' style='width: 200px; border: 1px solid'>
      <select class=through aria-label=Country><option>Norway</select></div>
    <div class=select id=blank onclick='hits.push(\"blank\")'><input aria-label=Street><span></span></div>
    <div class=select id=beside onclick='hits.push(\"beside\")'><input aria-label=Zip><span>99 <button>clear</button></span></div>
    <div style='position: relative; height: 300px; width: 300px'><input aria-label=Name><div class=cover>Wait, please</div></div>
    <a href=#elsewhere><button class=through id=off>Buy</button></a>
    <script>hits = []</script>";

#[test]
fn what_is_laid_over_a_field_is_clicked_for_it() {
    run_in_shell(async |s| {
        show(&s, LAID_OVER).await;
        for (target, expected) in [("#laid input", "SPAN"), ("#around select", "around")] {
            s.within(Duration::from_secs(4), Click::new(css(target))).await.unwrap();
            assert_eq!(of_page(&s, "hits.splice(0)").await, json!([expected]), "{target}");
        }
        // Nothing to be read, another control in it, or much more than the field: those are in the way.
        for target in ["#blank input", "#beside input", "[aria-label=Name]", "#off"] {
            let error = s.within(Duration::from_secs(4), Click::new(css(target))).await.unwrap_err();
            assert_eq!(error.code, Code::ElementCovered, "{target}: {error}");
        }
        assert_eq!(of_page(&s, "hits").await, json!([]));
    });
}

/// A popup that takes three frames before it begins to fade in, as large as nothing at first.
const FADES_IN: &str = "<style>@keyframes in { from { opacity: 0; transform: scale(0) } }
      .pop { animation-duration: .3s; animation-fill-mode: both; opacity: 0; transform: scale(0) } .pop.active { animation-name: in; opacity: 1; transform: none }</style>
    <button>Open</button>
    <script>const open = () => {
        const wrapper = document.createElement('div');
        wrapper.innerHTML = '<div class=pop><p>Exported</p></div>';
        document.body.append(wrapper);
        let frames = 3;
        const next = () => frames-- ? requestAnimationFrame(next) : wrapper.firstChild.classList.add('active');
        next();
      };
      document.querySelector('button').onclick = open;
      document.querySelector('button').onmouseenter = () => document.querySelector('#hovers') && setTimeout(open, 100);</script>";

#[test]
fn what_fades_in_is_in_the_outcome() {
    run_in_shell(async |s| {
        show(&s, FADES_IN).await;
        look(&s).await;
        let outcome = s.perform(Click::new(css("button"))).await.unwrap();
        assert!(outcome.delta.unwrap().text.contains("Exported"));
        show(&s, &format!("<p id=hovers>{FADES_IN}")).await;
        look(&s).await;
        let outcome = s.perform(Hover { target: css("button") }).await.unwrap();
        assert!(outcome.delta.unwrap().text.contains("Exported"));
    });
}

/// Sliders that are moved by some keys or others, in steps.
const SLIDERS: &str = "<div role=slider id=fine tabindex=0 aria-valuenow=20 aria-label=Volume>=</div>
    <div role=slider id=coarse tabindex=0 aria-valuenow=0 aria-valuemin=-50 aria-valuemax=50 data-step=5 data-sideways>=</div>
    <div role=slider id=stuck tabindex=0 aria-valuenow=3>=</div>
    <label for=holder>Level</label><div id=holder><div role=slider id=inner tabindex=0 aria-valuenow=1>=</div></div>
    <script>for (const slider of document.querySelectorAll('[role=slider]')) slider.onkeydown = event => {
        const step = slider.id === 'stuck' ? 0 : Number(slider.dataset.step ?? 1);
        const [up, down] = 'sideways' in slider.dataset ? ['ArrowRight', 'ArrowLeft'] : ['ArrowUp', 'ArrowDown'];
        const now = Number(slider.getAttribute('aria-valuenow')) + (event.key === up ? step : event.key === down ? -step : 0);
        slider.setAttribute('aria-valuenow', now);
      };</script>";

#[test]
fn sliders_of_plain_elements() {
    run_in_shell(async |s| {
        show(&s, SLIDERS).await;
        let now = async |id: &str| s.eval(&format!("document.querySelector('#{id}').ariaValueNow")).await;
        s.perform(fill("#fine", "75")).await.unwrap();
        assert_eq!(now("fine").await, "75");
        s.perform(fill("#fine", "2")).await.unwrap();
        assert_eq!(now("fine").await, "2");
        let again = s.perform(fill("#fine", "2")).await.unwrap();
        assert_eq!(again.notes, ["it held that value already"]);
        let near = s.perform(fill("#coarse", "-32")).await.unwrap();
        assert_eq!(now("coarse").await, "-30");
        assert_eq!(near.notes, ["it stands at -30, as near as its steps let it come"]);
        // From between two steps there is none that is nearer.
        s.perform(fill("#coarse", "-29")).await.unwrap();
        assert_eq!(now("coarse").await, "-30");
        s.perform(fill("label", "4")).await.unwrap();
        assert_eq!(now("inner").await, "4", "a label for what holds the slider");
        for (id, text, expected) in [
            ("#stuck", "5", Code::NoEffect),
            ("#fine", "101", Code::InvalidInput),
            ("#fine", "high", Code::InvalidInput),
        ] {
            let error = s.within(Duration::from_secs(4), fill(id, text)).await.unwrap_err();
            assert_eq!(error.code, expected, "{id} {text}: {error}");
        }
        assert_eq!(now("fine").await, "2");
    });
}

#[test]
fn a_cell_is_meant_rather_than_the_table_that_listens_for_it() {
    run_in_shell(async |s| {
        show(
            &s,
            "<div tabindex=-1 style='cursor: pointer' id=all onclick='clicked = event.target.id'><table><tr><td id=a1>a1<td id=b1>b1<tr><td id=a2>a2<td id=b2>b2</table></div>",
        )
        .await;
        let words = || Target::Words("a2".into());
        let found = s.perform(Locate { target: words() }).await.unwrap().target.unwrap();
        assert_eq!((found.role.as_str(), found.name.as_str()), ("cell", "a2"));
        s.perform(Click::new(words())).await.unwrap();
        assert_eq!(of_page(&s, "clicked").await, "a2");
    });
}

#[test]
fn a_field_that_does_not_keep_its_text_is_told() {
    run_in_shell(async |s| {
        show(
            &s,
            "<div><div><input id=list onblur='value = \"\"'></div></div> <div><div><span id=tags></span><input id=tag onblur='tags.textContent = value; value = \"\"'></div></div>
             <form onsubmit='return sent = false'><input id=plain></form>",
        )
        .await;
        let form = |ids: &[&str]| {
            let field = |id: &&str| FormField { target: css(id), value: "blue".into() };
            FillForm::new(ids.iter().map(field).collect())
        };
        s.perform(form(&["#tag", "#plain"])).await.unwrap();
        let error = s.perform(FillForm { submit: true, ..form(&["#list", "#plain"]) }).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect, "{error}");
        assert!(error.message.contains("css=#list"), "{error}");
        let steps: Vec<bool> = error.outcome.unwrap().steps.iter().map(|step| step.ok).collect();
        assert_eq!(steps, [false, true]);
        assert_eq!(of_page(&s, "typeof sent").await, "undefined", "nothing was sent");
    });
}

/// An editor that has no text in the page: it takes what is typed from an `EditContext` and draws it.
const DRAWN: &str = "<div style='position: relative; width: 300px; height: 100px; border: 1px solid' id=editor>
      <div id=input role=textbox aria-label=Source tabindex=0 style='position: absolute; width: 0; height: 20px; overflow: auto'></div><canvas width=300 height=100></canvas></div>
    <script>text = 'first'; const context = new EditContext({ text }); input.editContext = context;
      context.addEventListener('textupdate', event => { text = text.slice(0, event.updateRangeStart) + event.text + text.slice(event.updateRangeEnd); });
      editor.onclick = () => input.focus();
      input.onkeydown = event => {
        if (event.key === 'a' && event.ctrlKey) { context.updateSelection(0, text.length); event.preventDefault(); }
        if (event.key === 'End') context.updateSelection(text.length, text.length);
        if (event.key === 'Delete') { text = ''; context.updateText(0, context.text.length, ''); context.updateSelection(0, 0); }
      };</script>";

#[test]
fn an_editor_that_draws_by_itself() {
    run_in_shell(async |s| {
        show(&s, DRAWN).await;
        assert!(look(&s).await.contains("textbox \"Source\""));
        let outcome = s.perform(fill("#input", "second")).await.unwrap();
        assert_eq!(of_page(&s, "text").await, "second");
        assert_eq!(outcome.notes, ["what it holds now cannot be read; look at the page"]);
        s.perform(Type { target: Some(css("#input")), ..Type::new(" line".into()) }).await.unwrap();
        assert_eq!(of_page(&s, "text").await, "second line");
        s.perform(fill("#input", "")).await.unwrap();
        assert_eq!(of_page(&s, "text").await, "");
        s.perform(Click::new(css("#input"))).await.unwrap();
    });
}

/// Forms whose labels do not say what they are for.
const BESIDE: &str = "<div><label id=l1>城市</label><div><input id=city></div></div>
    <div><span id=l2>Notify</span><div><button role=switch id=switch aria-checked=false onclick='ariaChecked = ariaChecked !== \"true\"'></button></div></div>
    <div><span id=l3>Animal</span><button id=animal aria-haspopup=listbox aria-controls=pets onclick='pets.hidden = false'>Select an item</button>
      <div aria-hidden=true style='position: absolute; opacity: 0'><select><option>Cat</select></div>
      <ul role=listbox id=pets hidden><li role=option onclick='animal.textContent = textContent; pets.hidden = true'>Cat<li role=option onclick='animal.textContent = textContent; pets.hidden = true'>Dog</ul></div>
    <div><span id=l4>From to</span><input id=from><input id=to></div>
    <div><button id=save>Save</button><input id=note></div>";

/// Texts that have something else beside them than what is further out.
const NOT_BESIDE: &str = "<form><div><label for=name>Name</label><input id=name></div><div><span id=birth>Date of birth</span><button type=button aria-haspopup=dialog>Pick</button></div></form>
    <fieldset><div role=radiogroup aria-label=Plan id=plan><div role=radio tabindex=0 aria-checked=false>A</div><div role=radio tabindex=-1 aria-checked=false>B</div></div>
      <label><input type=checkbox id=terms>Accept terms</label></fieldset>
    <div><label for=mail id=for-mail>Email</label><input type=checkbox id=news> <input id=mail></div>
    <div><p id=other>Street</p><input aria-label=City id=city></div>
    <form><p id=clobbered>Zip</p><input id=zip><input type=hidden name=contains><input type=hidden name=parentNode></form>";

#[test]
fn a_text_never_stands_for_what_goes_by_another_name() {
    run_in_shell(async |s| {
        show(&s, NOT_BESIDE).await;
        for id in ["#birth", "#other"] {
            let error = s.within(Duration::from_secs(4), fill(id, "x")).await.unwrap_err();
            assert_eq!(error.code, Code::ElementNotEditable, "{id}: {error}");
        }
        for id in ["#plan", "#for-mail"] {
            s.within(Duration::from_secs(4), Check::new(css(id))).await.unwrap_err();
        }
        let left = "[...document.querySelectorAll('#name, #city, #mail')].map(field => field.value).join('') + document.querySelectorAll(':checked').length";
        assert_eq!(s.eval(left).await, "0");
        s.perform(fill("#clobbered", "1010")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#zip').value").await, "1010");
    });
}

#[test]
fn a_text_beside_the_only_control_stands_for_it() {
    run_in_shell(async |s| {
        show(&s, BESIDE).await;
        s.perform(Fill::new("城市".parse().unwrap(), "上海".into())).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#city').value").await, "上海");
        s.perform(fill("#l2", "true")).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#switch').ariaChecked").await, "true");
        s.perform(select("#l3", &["Dog"])).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#animal').textContent").await, "Dog");
        // Two of them, or something that is used itself: nothing is filled in its place.
        for id in ["#l4", "#save"] {
            let error = s.within(Duration::from_secs(4), fill(id, "x")).await.unwrap_err();
            assert_eq!(error.code, Code::ElementNotEditable, "{id}: {error}");
        }
        assert_eq!(
            s.eval("[...document.querySelectorAll('#from, #to, #note')].map(field => field.value).join('')")
                .await,
            ""
        );
    });
}

/// Controls that nobody sees, with something else drawn in their place.
const BEHIND: &str = "<style>.speck { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; border: 0; overflow: hidden; clip: rect(0, 0, 0, 0) }</style>
    <label><input type=checkbox class=speck id=box aria-label=Dark><span aria-hidden=true style='display: inline-block; width: 40px; height: 20px; background: #ccc'></span></label>
    <div id=drop onclick='hits++' style='position: relative; width: 200px; height: 30px; border: 1px solid'><input id=inside aria-label=City style='position: absolute; pointer-events: none; opacity: 0'>
      <span style='position: absolute; inset: 0'>&nbsp;</span><div role=button aria-label=Toggle style='position: absolute; right: 0; width: 30px; height: 30px'></div></div>
    <script>hits = 0</script>";

#[test]
fn controls_behind_what_is_drawn_for_them() {
    run_in_shell(async |s| {
        show(&s, BEHIND).await;
        s.within(Duration::from_secs(4), Check::new(css("#box"))).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#box').checked").await, true);
        s.within(Duration::from_secs(4), Click::new(css("#inside"))).await.unwrap();
        assert_eq!(of_page(&s, "hits").await, 1);
    });
}

#[test]
fn a_page_in_a_frame_that_is_edited_as_a_whole() {
    run_in_shell(async |s| {
        show(
            &s,
            "<input id=first><iframe srcdoc='<body contenteditable aria-label=Editor>old</body>'></iframe>",
        )
        .await;
        s.perform(fill("#first", "one")).await.unwrap();
        s.perform(Fill::new("Editor".parse().unwrap(), "two".into())).await.unwrap();
        let texts = "[document.querySelector('#first').value, document.querySelector('iframe').contentDocument.body.innerText]";
        assert_eq!(of_page(&s, texts).await, json!(["one", "two"]));
    });
}

/// A mask that appears with the focus, with the caret where it begins. What is typed behind it is not taken.
const MASK: &str = "<input id=mask onfocus='value ||= \"__-__\"; setTimeout(() => setSelectionRange(0, 0), 10)' onkeypress='event.preventDefault();
      const at = value.indexOf(\"_\"); if (at >= 0 && selectionStart <= at) { value = value.replace(\"_\", event.key); setSelectionRange(at + 1, at + 1) }'>";

#[test]
fn typing_begins_where_a_mask_wants_it() {
    run_in_shell(async |s| {
        show(&s, MASK).await;
        s.perform(Type { target: Some(css("#mask")), ..Type::new("1234".into()) }).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#mask').value").await, "12-34");
    });
}

#[test]
fn what_a_page_is_about_to_show_is_waited_for() {
    run_in_shell(async |s| {
        let page = "<div id=app>Loading</div><script>let left = 5; const timer = setInterval(() => {
            app.textContent = 'Loading ' + left;
            if (left-- === 0) { clearInterval(timer); app.innerHTML = '<button onclick=\"clicked = 1\">Pay now</button>'; } }, 100)</script>";
        show(&s, page).await;
        s.perform(Click::new("Pay now".parse().unwrap())).await.unwrap();
        assert_eq!(of_page(&s, "clicked").await, 1);
        let missing = Click::new("Cancel the order".parse().unwrap());
        let error = s.within(Duration::from_secs(2), missing).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
    });
}

/// Lists without a word of what they are: one of a field that nothing can be typed into, and one of nothing but a box, which takes several.
/// The option of the third does nothing, and the fourth opens nothing. A button elsewhere is called as an option is.
const SILENT: &str = "<style>.open { position: absolute; top: 300px; border: 1px solid } li { cursor: pointer } .box { border: 1px solid; width: 200px; min-height: 24px }</style>
    <button onclick='wrong++'>Oslo</button>
    <div>City <span><input id=city readonly placeholder=Choose onclick='toggle(\"cities\", [\"Bergen\", \"Oslo\"], li => { city.value = li.textContent; shut(\"cities\") })'></span></div>
    <div>Tags <div id=tags class=box tabindex=0 onclick='toggle(\"all\", [\"Red\", \"Green\"], li => {
      const known = [...tags.children].find(tag => tag.textContent === li.textContent);
      known ? known.remove() : tags.append(Object.assign(document.createElement(\"span\"), {textContent: li.textContent})) })'></div></div>
    <input id=dead readonly aria-label=Dead onclick='toggle(\"none\", [\"One\"], () => 0)'>
    <input id=still readonly aria-label=Still value=1>
    <div id=inner style='position: relative; width: 200px'><input id=sizes readonly aria-label=Size onclick='toggle(\"inside\", [\"Small\", \"Large\"], li => { sizes.value = li.textContent; shut(\"inside\") }, inner)'></div>
    <script>wrong = 0;
      const shut = id => document.getElementById(id)?.remove();
      const toggle = (id, options, choose, where = document.body) => {
        if (document.getElementById(id)) return shut(id);
        setTimeout(() => {
          const list = where.appendChild(document.createElement('ul'));
          list.id = id; list.className = 'open'; list.innerHTML = options.map(option => '<li>' + option).join('');
          for (const li of list.children) li.onclick = () => choose(li); }, 30) };
      addEventListener('keydown', event => event.key === 'Escape' && document.querySelectorAll('.open').forEach(list => list.remove()))
    </script>";

#[test]
fn lists_that_say_nothing_of_themselves() {
    run_in_shell(async |s| {
        show(&s, SILENT).await;
        let state = async || of_page(&s, "[city.value, tags.innerText, wrong]").await;
        s.perform(select("#city", &["Oslo"])).await.unwrap();
        assert_eq!(state().await, json!(["Oslo", "", 0]));
        let outcome = s.perform(select("#city", &["oslo"])).await.unwrap();
        assert_eq!(outcome.notes, ["it was selected already"]);
        assert_eq!(of_page(&s, "document.querySelectorAll('.open').length").await, 0, "it was closed again");
        s.perform(Select { by: SelectBy::Index, ..Select::new("City".parse().unwrap(), "0") }).await.unwrap();
        assert_eq!(state().await, json!(["Bergen", "", 0]));
        // One whose options are in one box with it.
        let outcome = s.perform(select("#sizes", &["Large"])).await.unwrap();
        assert_eq!((outcome.notes.len(), of_page(&s, "sizes.value").await), (0, json!("Large")));
        let outcome = s.perform(select("#sizes", &["Large"])).await.unwrap();
        assert_eq!(outcome.notes, ["it was selected already"]);
        // Several, of one that is open already; what is chosen is not taken back.
        s.perform(Click::new(css("#tags"))).await.unwrap();
        s.perform(select("#tags", &["Green"])).await.unwrap();
        s.perform(select("#tags", &["Green", "Red"])).await.unwrap();
        assert_eq!(state().await, json!(["Bergen", "GreenRed", 0]));
        s.perform(press("Escape")).await.unwrap();

        let error = s.perform(select("#city", &["Rome"])).await.unwrap_err();
        assert_eq!((error.code, error.hint()), (Code::ElementNotFound, "choose one of \"Bergen\", \"Oslo\""));
        let error = s.perform(select("#city", &["Oslo", "Bergen"])).await.unwrap_err();
        assert_eq!((error.code, error.hint()), (Code::InvalidInput, "the first one is selected now"));
        assert_eq!(code(s.perform(select("#dead", &["One"])).await), Code::NoEffect);
        assert_eq!(code(s.perform(select("#still", &["One"])).await), Code::ElementNotFound);
        let by_value = Select { by: SelectBy::Value, ..select("#city", &["Oslo"]) };
        assert_eq!(code(s.perform(by_value).await), Code::InvalidInput);
        assert_eq!(state().await, json!(["Oslo", "GreenRed", 0]));
    });
}

#[test]
fn sliders_that_count_when_they_are_released() {
    run_in_shell(async |s| {
        open(&s, "slider-release").await;
        // More values than pixels: it stands at exactly this one when it is released.
        for (slider, value) in
            [("volume", "737"), ("volume", "3"), ("to", "40"), ("from", "33"), ("deaf", "60")]
        {
            eval_main(&s, "log.length = 0; 1").await;
            let outcome = s.perform(fill(&format!("#{slider}"), value)).await.unwrap();
            assert_eq!(outcome.notes, [""; 0], "{slider} {value}");
            let log = log(&s).await;
            let heard =
                |what: &str| log.iter().filter(|row| row.starts_with(&format!("{what} {slider}"))).count();
            for what in ["pointerdown", "mousedown", "pointerup", "mouseup", "change"] {
                assert_eq!(heard(what), 1, "{what}: {log:?}");
            }
            for what in ["pointerup", "mouseup", "change"] {
                assert!(log.contains(&format!("{what} {slider} {value}")), "{what}: {log:?}");
            }
            assert!(log.iter().all(|row| row.contains(slider)), "{log:?}");
        }
        assert_eq!(code(s.perform(fill("#back", "60")).await), Code::NoEffect);
        let outcome = s.perform(fill("#tens", "62")).await.unwrap();
        assert_eq!(outcome.notes, ["the page moved it on: it stands at 60"]);
    });
}

#[test]
fn a_slider_that_only_the_mouse_moves() {
    run_in_shell(async |s| {
        open(&s, "slider-mouse").await;
        for value in ["37", "90", "4"] {
            s.perform(fill("#handle", value)).await.unwrap();
        }
        assert_eq!(log(&s).await, ["value 37", "value 90", "value 4"]);
    });
}

/// A slider and a date field that say nothing of themselves, a field whose number ARIA does not keep up with, and a box with a list that only
/// screen readers see.
const UNSAID: &str = "<a id=handle tabindex=0 style='display: inline-block; width: 20px; height: 20px'></a> <div role=slider id=stuck tabindex=0 aria-valuenow=3>=</div>
    <input id=date aria-label=Departure readonly> <input role=spinbutton aria-label=Price aria-valuenow=0 value='$12.50'> <input role=spinbutton aria-label=Weight aria-valuenow=7>
    <div id=box style='width: 200px; height: 30px; border: 1px solid; position: relative'><div style='position: absolute; width: 1px; height: 1px; overflow: hidden'><input role=combobox aria-expanded=false aria-controls=cities readonly></div>
      <div id=shown>Select Cities</div></div><ul role=listbox id=cities aria-multiselectable=true style='display: none'><li role=option aria-selected=false>Oslo<li role=option aria-selected=false>Rome</ul>
    <script>box.onclick = () => { cities.style.display = 'block'; box.querySelector('input').setAttribute('aria-expanded', true); };
      cities.onclick = event => event.target.setAttribute('aria-selected', true);</script>";

#[test]
fn what_says_nothing_of_itself_is_hinted_at() {
    run_in_shell(async |s| {
        show(&s, UNSAID).await;
        for (target, hint) in [("#handle", "ArrowRight"), ("#stuck", "ArrowRight"), ("#date", "calendar")] {
            let error = s.within(Duration::from_secs(4), fill(target, "4")).await.unwrap_err();
            assert!(error.hint().contains(hint), "{target}: {}", error.hint());
        }
        let error =
            s.perform(Type { target: Some(css("#date")), ..Type::new("4".into()) }).await.unwrap_err();
        assert!(error.hint().contains("calendar"), "{}", error.hint());
        let text = look(&s).await;
        assert!(text.lines().any(|line| line.contains("\"Price\"") && line.ends_with(": $12.50")), "{text}");
        assert!(text.lines().any(|line| line.contains("\"Weight\"") && line.ends_with(']')), "{text}");
    });
}

#[test]
fn a_box_with_a_list_for_screen_readers_is_chosen_from() {
    run_in_shell(async |s| {
        show(&s, UNSAID).await;
        let outcome = s.within(Duration::from_secs(4), select("#box", &["Rome"])).await.unwrap();
        assert_eq!(outcome.notes, ["the list is still open; press Escape to close it"]);
        assert_eq!(of_page(&s, "cities.querySelector('[aria-selected=true]').textContent").await, "Rome");
    });
}
