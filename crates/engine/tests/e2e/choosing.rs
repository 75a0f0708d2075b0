//! `select`: lists of the browser's own, and those that pages make.

use std::time::Duration;

use contract::{Code, Target};
use engine::actions::{Fill, Select, SelectBy};
use serde_json::json;

use crate::support::{Fixture, code, eval_main, run_in_shell, show};

fn css(selector: &str) -> Target {
    format!("css={selector}").parse().unwrap()
}

fn select(selector: &str, values: &[&str]) -> Select {
    Select { values: values.iter().map(|value| (*value).into()).collect(), ..Select::new(css(selector), "") }
}

async fn chosen(s: &Fixture, selector: &str) -> serde_json::Value {
    s.eval(&format!("[...document.querySelector('{selector}').selectedOptions].map(option => option.value)"))
        .await
}

const LISTS: &str = "<select id=one><option value=r>Red<option value=g>Dark  Green<option value=Red>Not red<option value=b disabled>Blue\
    <optgroup disabled label=Off><option value=x>X</optgroup><option value=t1>Twice<option value=t2>Twice</select>\
    <select id=many multiple><option>a<option>b<option>c</select><select id=off disabled><option>a<option>b</select>\
    <script>heard = []; for (const type of ['input', 'change']) document.addEventListener(type, event => heard.push(type + ' ' + event.target.id), true)</script>";

#[test]
fn a_list_that_takes_several_can_be_cleared() {
    run_in_shell(|s| async move {
        show(&s, LISTS).await;
        s.perform(select("#many", &["a", "c"])).await.unwrap();
        eval_main(&s, "heard.splice(0)").await;
        s.perform(select("#many", &[])).await.unwrap();
        assert_eq!(chosen(&s, "#many").await, json!([]));
        assert_eq!(eval_main(&s, "heard").await.value.unwrap(), json!(["input many", "change many"]));
    });
}

#[test]
fn lists_of_the_browser() {
    run_in_shell(|s| async move {
        show(&s, LISTS).await;
        let outcome = s.perform(select("#one", &["Dark Green"])).await.unwrap();
        assert_eq!(chosen(&s, "#one").await, json!(["g"]));
        assert_eq!(outcome.target.unwrap().role, "combobox");
        let heard = async || eval_main(&s, "heard.splice(0)").await.value.unwrap();
        assert_eq!(heard().await, json!(["input one", "change one"]));
        let again = s.perform(select("#one", &["g"])).await.unwrap();
        assert_eq!((again.notes, heard().await), (vec!["it was selected already".to_owned()], json!([])));
        assert_eq!(code(s.perform(select("#one", &[])).await), Code::InvalidInput);
        assert_eq!(chosen(&s, "#one").await, json!(["g"]));
        // What people read goes before what programs read, and the same before the alike.
        for (by, value, expected) in [
            (SelectBy::Any, "Red", "r"),
            (SelectBy::Value, "Red", "Red"),
            (SelectBy::Label, "not RED", "Red"),
            (SelectBy::Index, "1", "g"),
            (SelectBy::Any, " red ", "r"),
            (SelectBy::Value, "t2", "t2"),
        ] {
            s.perform(Select { by, ..select("#one", &[value]) })
                .await
                .unwrap_or_else(|error| panic!("{value}: {error}"));
            assert_eq!(chosen(&s, "#one").await, json!([expected]), "{value}");
        }
        heard().await;
        s.perform(select("#many", &["a", "c"])).await.unwrap();
        assert_eq!(chosen(&s, "#many").await, json!(["a", "c"]));
        s.perform(select("#many", &["b"])).await.unwrap();
        assert_eq!((chosen(&s, "#many").await, heard().await.as_array().unwrap().len()), (json!(["b"]), 4));
        s.perform(Fill::new(css("#one"), "dark green".into())).await.unwrap();
        assert_eq!(chosen(&s, "#one").await, json!(["g"]));
    });
}

#[test]
fn what_a_list_of_the_browser_refuses() {
    run_in_shell(|s| async move {
        show(&s, &format!("{LISTS}<select id=back onchange=\"value = 'a'\"><option>a<option>b</select><p id=p>no list</p>")).await;
        let check = async |selector: &str, values: &[&str], expected: Code, hint: &str| {
            let error = s.within(Duration::from_secs(4), select(selector, values)).await.unwrap_err();
            assert_eq!(error.code, expected, "{selector} {values:?}: {error}");
            assert!(error.hint().contains(hint), "{}", error.hint());
        };
        check("#one", &["Purple"], Code::ElementNotFound, "\"Red\", \"Dark Green\", \"Not red\"").await;
        check("#one", &["Blue"], Code::ElementNotEnabled, "").await;
        check("#one", &["X"], Code::ElementNotEnabled, "").await;
        check("#one", &["Twice"], Code::ElementAmbiguous, "value or index").await;
        check("#one", &["Red", "Blue"], Code::InvalidInput, "one value").await;
        check("#off", &["b"], Code::ElementNotEnabled, "").await;
        check("#many", &["a", "z"], Code::ElementNotFound, "\"a\", \"b\", \"c\"").await;
        check("#back", &["b"], Code::NoEffect, "").await;
        check("#p", &["b"], Code::InvalidInput, "name the list itself").await;
        check("#one", &[], Code::InvalidInput, "").await;
        assert_eq!(
            code(s.perform(Select { by: SelectBy::Index, ..select("#one", &["two"]) }).await),
            Code::InvalidInput
        );
        assert_eq!(
            code(s.perform(Select { by: SelectBy::Index, ..select("#one", &["99"]) }).await),
            Code::ElementNotFound
        );
        assert_eq!(
            (chosen(&s, "#one").await, chosen(&s, "#many").await),
            (json!(["r"]), json!([])),
            "nothing was touched"
        );
        assert_eq!(eval_main(&s, "heard").await.value.unwrap(), json!(["input back", "change back"]));
    });
}

/// A list as component libraries make them: a button that opens a layer at the end of the page, after a moment.
const CUSTOM: &str = "<div id=box role=combobox aria-haspopup=listbox aria-expanded=false tabindex=0>Choose</div>
    <ul role=listbox id=other><li role=option>Green</li></ul>
    <script>
      log = []; layer = null;
      close_ = () => { layer?.remove(); layer = null; box.ariaExpanded = 'false'; };
      open_ = () => {
        layer = document.createElement('div');
        layer.setAttribute('role', 'listbox');
        for (const name of ['Red', 'Green', 'Blue', 'Grey']) {
          const option = document.createElement('div');
          option.setAttribute('role', 'option');
          option.textContent = name;
          option.ariaSelected = String(box.textContent === name);
          if (name === 'Grey') option.ariaDisabled = 'true';
          option.onclick = event => { log.push(name + ' ' + event.isTrusted); box.textContent = name; close_(); };
          layer.append(option);
        }
        document.body.append(layer);
        box.ariaExpanded = 'true';
      };
      box.onclick = () => { log.push('open'); layer ? close_() : setTimeout(open_, 150); };
      addEventListener('keydown', event => { if (event.key === 'Escape') { log.push('escape'); close_(); } });
    </script>";

#[test]
fn lists_that_pages_make() {
    run_in_shell(|s| async move {
        show(&s, CUSTOM).await;
        let log = async || eval_main(&s, "log.splice(0)").await.value.unwrap();
        let outcome = s.perform(select("#box", &["green"])).await.unwrap();
        assert_eq!(
            (log().await, s.eval("document.querySelector('#box').textContent").await),
            (json!(["open", "Green true"]), json!("Green"))
        );
        assert_eq!(outcome.target.unwrap().role, "combobox");
        let again = s.perform(select("#box", &["Green"])).await.unwrap();
        assert_eq!(
            (log().await, again.notes),
            (json!(["open", "escape"]), vec!["it was selected already".to_owned()])
        );
        let error = s.perform(select("#box", &["Purple"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
        assert_eq!(error.hint(), "choose one of \"Red\", \"Green\", \"Blue\", \"Grey\"");
        assert_eq!(
            (log().await, s.eval("!document.querySelector('#box + ul + script ~ div')").await),
            (json!(["open", "escape"]), json!(true))
        );
        assert_eq!(code(s.perform(select("#box", &["Grey"])).await), Code::ElementNotEnabled);
        assert_eq!(code(s.perform(select("#box", &["Red", "Blue"])).await), Code::InvalidInput);
        log().await;
        s.perform(Select { by: SelectBy::Index, ..select("#box", &["2"]) }).await.unwrap();
        assert_eq!(log().await, json!(["open", "Blue true"]));
        // One that is open already is not clicked.
        eval_main(&s, "box.setAttribute('aria-controls', 'layer'); open_(); layer.id = 'layer'").await;
        s.perform(Fill::new(css("#box"), "Red".into())).await.unwrap();
        assert_eq!(log().await, json!(["Red true"]));
    });
}

#[test]
fn lists_that_do_not_open_or_do_not_take() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<div id=dead role=combobox tabindex=0>dead</div>\
             <div id=stuck role=listbox><div role=option aria-selected=false>a</div><div role=option aria-selected=false>b</div></div>",
        )
        .await;
        let error = s.within(Duration::from_secs(4), select("#dead", &["a"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound, "{error}");
        assert_eq!(code(s.perform(select("#stuck", &["b"])).await), Code::NoEffect);
    });
}

#[test]
fn lists_that_take_several() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<div id=list role=listbox aria-multiselectable=true onclick=\"event.target.ariaSelected = event.target.ariaSelected !== 'true'\">\
             <div role=option aria-selected=false>a</div><div role=option aria-selected=true>b</div><div role=option aria-selected=false>c</div></div>",
        )
        .await;
        let outcome = s.perform(select("#list", &["a", "b", "c"])).await.unwrap();
        assert_eq!(outcome.notes, ["it was selected already"]);
        assert_eq!(
            s.eval("[...document.querySelectorAll('[role=option]')].map(option => option.ariaSelected)")
                .await,
            json!(["true", "true", "true"])
        );
    });
}

#[test]
fn lists_that_are_searched_by_typing() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<input id=box role=combobox aria-expanded=false aria-controls=list><div id=list role=listbox></div><script>
             const words = ['Aachen', 'Berlin', 'Bern', 'Zagreb'];
             box.oninput = () => {
               list.replaceChildren(...words.filter(word => box.value && word.startsWith(box.value)).map(word => {
                 const option = document.createElement('div');
                 option.setAttribute('role', 'option');
                 option.textContent = word;
                 option.onclick = () => { box.value = word; list.replaceChildren(); taken = word; };
                 return option;
               }));
             };</script>",
        )
        .await;
        s.perform(select("#box", &["Bern"])).await.unwrap();
        assert_eq!(eval_main(&s, "taken").await.value.unwrap(), "Bern");
    });
}

#[test]
fn menus_behind_buttons() {
    run_in_shell(|s| async move {
        show(
            &s,
            "<button id=b aria-haspopup=menu aria-expanded=false onclick=\"menu.hidden = !menu.hidden\">More</button>\
             <div id=menu role=menu hidden><div role=menuitem onclick=\"done = 'edit'; menu.hidden = true\">Edit</div><div role=menuitemradio aria-checked=true>Small</div></div>",
        )
        .await;
        s.perform(select("#b", &["Edit"])).await.unwrap();
        assert_eq!(eval_main(&s, "done").await.value.unwrap(), "edit");
    });
}

/// What only looked like a list: nothing was chosen, and that is not told as if it had been.
#[test]
fn lists_that_lead_elsewhere() {
    run_in_shell(|s| async move {
        let page = "<div role=combobox id=away aria-expanded=false onclick='location.hash = \"#x\"; location.search = \"?title=away\"'>Away</div>
            <input id=asks readonly value=1 onclick='alert(1)'><div id=leaves tabindex=0 onclick='location.search = \"?title=left\"'>Leave</div>";
        for (selector, expected) in
            [("#away", Code::NoEffect), ("#leaves", Code::NoEffect), ("#asks", Code::DialogOpen)]
        {
            show(&s, page).await;
            let error = s.perform(select(selector, &["1"])).await.unwrap_err();
            assert_eq!(error.code, expected, "{selector}: {error}");
            let has_gone = error.outcome.is_some_and(|outcome| outcome.navigation.is_some());
            assert_eq!(has_gone, expected == Code::NoEffect, "{selector}");
        }
    });
}

/// The option that the arrow keys are at is marked as one that is chosen is.
#[test]
fn lists_whose_first_option_is_only_marked() {
    run_in_shell(|s| async move {
        let page = "<div><input role=combobox id=list aria-expanded=true aria-controls=options></div><ul role=listbox id=options>
            <li role=option aria-selected=true>bug<li role=option aria-selected=false>chore<li role=option aria-selected=true>hor</ul>
            <script>options.onclick = event => list.value = event.target.textContent</script>";
        show(&s, page).await;
        let outcome = s.perform(select("#list", &["bug"])).await.unwrap();
        assert_eq!(
            (outcome.notes.len(), s.eval("document.querySelector('#list').value").await),
            (0, json!("bug"))
        );
        let outcome = s.perform(select("#list", &["bug"])).await.unwrap();
        assert_eq!(outcome.notes, ["it was selected already"]);
        // A part of what is shown is not what is shown.
        s.perform(select("#list", &["chore"])).await.unwrap();
        let outcome = s.perform(select("#list", &["hor"])).await.unwrap();
        assert_eq!(
            (outcome.notes.len(), s.eval("document.querySelector('#list').value").await),
            (0, json!("hor"))
        );
    });
}

/// Lists as libraries make them: `find` has options once something is typed, and marks the first one; `tags` closes after each choice and puts
/// it beside the field; `one` is the same but for one choice; `hint` has a style add words to an option.
const OF_LIBRARIES: &str = "<style>.box { width: 300px; border: 1px solid } .pop { display: none } .hint [role=option]::after { content: 'Press enter to select' }</style>
    <div class=box><input id=find role=combobox aria-expanded=false aria-controls=p1></div><div class=pop role=listbox id=p1></div>
    <div class=box><span class=tags></span><input id=tags role=combobox aria-expanded=false aria-controls=p2></div><div class=pop role=listbox id=p2></div>
    <div class=box><span class=tags></span><input id=one role=combobox aria-expanded=false aria-controls=p3></div><div class=pop role=listbox id=p3></div>
    <div class=box id=hint role=combobox aria-expanded=false aria-controls=p4 tabindex=0>Choose</div><div class='pop hint' role=listbox id=p4></div>
    <script>chosen = { find: [], tags: [], one: [], hint: [] };
      for (const field of document.querySelectorAll('[role=combobox]')) {
        const list = document.getElementById(field.getAttribute('aria-controls'));
        const toggle = open => { list.style.display = open ? 'block' : 'none'; field.setAttribute('aria-expanded', open); };
        const fill = () => {
          const names = ['Alpha', 'Beta', 'Gamma'].filter(name => field.id !== 'find' || (field.value && name.startsWith(field.value)));
          list.innerHTML = names.map((name, at) => `<div role=option aria-selected=${at === 0}>${name}</div>`).join('');
          toggle(names.length > 0);
        };
        field.onclick = fill; field.oninput = fill;
        field.onkeydown = event => event.key === 'Escape' && toggle(false);
        list.onclick = ({ target: { textContent: name } }) => {
          if (field.id === 'tags') chosen.tags.push(name); else chosen[field.id] = [name];
          const tags = field.closest('.box').querySelector('.tags');
          if (tags) tags.innerHTML = chosen[field.id].map(it => field.id === 'tags' ? `<span role=button tabindex=0>${it}<svg width=8 height=8></svg></span>` : `<span>${it}</span>`).join('');
          else if (field.id === 'hint') field.textContent = name; else field.value = name;
          toggle(false);
        };
      }</script>";

#[test]
fn what_is_only_marked_or_typed_is_not_chosen_yet() {
    run_in_shell(|s| async move {
        show(&s, OF_LIBRARIES).await;
        let outcome = s.perform(select("#find", &["Beta"])).await.unwrap();
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
        assert_eq!(eval_main(&s, "chosen.find").await.value.unwrap(), json!(["Beta"]));
        let outcome = s.perform(select("#hint", &["Alpha"])).await.unwrap();
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
        assert_eq!(eval_main(&s, "chosen.hint").await.value.unwrap(), json!(["Alpha"]));
        let again = s.perform(select("#hint", &["Alpha"])).await.unwrap();
        assert_eq!(again.notes, ["it was selected already"]);
        let error = s.within(Duration::from_secs(4), select("#hint", &["Delta"])).await.unwrap_err();
        assert!(error.hint().contains("\"Alpha\", \"Beta\""), "{}", error.hint());
    });
}

#[test]
fn a_list_that_closes_after_each_choice_is_opened_again() {
    run_in_shell(|s| async move {
        show(&s, OF_LIBRARIES).await;
        s.perform(select("#tags", &["Alpha", "Gamma"])).await.unwrap();
        assert_eq!(eval_main(&s, "chosen.tags").await.value.unwrap(), json!(["Alpha", "Gamma"]));
        let error = s.within(Duration::from_secs(4), select("#one", &["Alpha", "Gamma"])).await.unwrap_err();
        assert_eq!((error.code, error.hint()), (Code::InvalidInput, "the first one is selected now"));
        assert_eq!(eval_main(&s, "chosen.one").await.value.unwrap(), json!(["Alpha"]));
    });
}

#[test]
fn only_the_option_that_is_missing_is_named() {
    run_in_shell(|s| async move {
        show(&s, LISTS).await;
        let error = s.perform(select("#many", &["b", "q"])).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotFound);
        assert!(error.message.ends_with("has no option q"), "{error}");
        assert_eq!(chosen(&s, "#many").await, json!([]));
    });
}

#[test]
fn a_list_that_closes_without_showing_the_choice_is_told() {
    run_in_shell(|s| async move {
        let page = "<div id=box role=combobox aria-controls=lb aria-expanded=false tabindex=0 aria-label=Fruit>Plum</div>
            <div id=lb role=listbox hidden><div role=option>Pear</div><div role=option>Plum</div></div>
            <script>box.onclick = () => lb.hidden = false; lb.onclick = event => { lb.hidden = true; TAKE }</script>";
        for (take, is_told) in [("", true), ("box.textContent = event.target.textContent", false)] {
            show(&s, &page.replace("TAKE", take)).await;
            let outcome = s.perform(select("#box", &["Pear"])).await.unwrap();
            let told = outcome.notes.iter().any(|note| note.contains("nothing shows the choice"));
            assert_eq!(told, is_told, "{take:?}: {:?}", outcome.notes);
        }
        // What stands there already was not chosen in vain.
        show(&s, &page.replace("TAKE", "")).await;
        assert_eq!(s.perform(select("#box", &["Plum"])).await.unwrap().notes, [""; 0]);
    });
}
