//! Clicking and pointing: that it lands where it was meant to, and what is said when it cannot.

use std::time::Duration;

use contract::{Code, Error, NavigationKind, Outcome, Span};
use engine::{
    Request,
    actions::{Button, Click, Hover, Modifier},
};

use crate::support::{Fixture, code, eval_main, look, ref_of, run_in_shell, show, site};

pub(crate) fn click(target: &str) -> Click {
    Click::new(target.parse().unwrap())
}

/// A page that writes down what happens to it.
const LOG: &str = "<script>window.log = []; const note = (...words) => log.push(words.join(' '));</script>";

async fn logged(s: &Fixture) -> Vec<String> {
    serde_json::from_value(eval_main(s, "log").await.value.unwrap()).unwrap()
}

/// Waits only a moment for an element that cannot be used.
async fn impatient(s: &Fixture, click: Click) -> Result<Outcome, Error> {
    s.request(Request { timeout: Some(Span(Duration::from_secs(4))), ..Request::new(click) }).await
}

#[test]
fn a_click_is_trusted_and_comes_with_all_its_events() {
    run_in_shell(async |s| {
        let events = "['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']";
        let page = format!(
            "{LOG}<button id=b>Save</button><script>for (const type of {events}) b.addEventListener(type, event => note(type, event.isTrusted))</script>"
        );
        show(&s, &page).await;
        let outcome = s.perform(click("css=#b")).await.unwrap();
        let target = outcome.target.unwrap();
        assert_eq!((&*target.role, &*target.name), ("button", "Save"));
        let expected = ["pointerdown true", "mousedown true", "pointerup true", "mouseup true", "click true"];
        assert_eq!(logged(&s).await, expected);
    });
}

#[test]
fn buttons_modifiers_twice_and_held() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<button id=b>Save</button><script>
            for (const type of ['click', 'auxclick', 'contextmenu', 'dblclick'])
              b.addEventListener(type, event => note(type, event.button, event.shiftKey, event.ctrlKey, event.detail));
            let down;
            b.addEventListener('mousedown', () => (down = performance.now()));
            b.addEventListener('mouseup', () => {{ if (performance.now() - down >= 200) note('held'); }});
            </script>"
        );
        show(&s, &page).await;
        s.perform(Click { button: Button::Right, ..click("css=#b") }).await.unwrap();
        s.perform(Click { button: Button::Middle, ..click("css=#b") }).await.unwrap();
        s.perform(Click { modifiers: vec![Modifier::Shift, Modifier::Control], ..click("css=#b") })
            .await
            .unwrap();
        s.perform(Click { double: true, ..click("css=#b") }).await.unwrap();
        s.perform(Click { hold: Some(Span(Duration::from_millis(200))), ..click("css=#b") }).await.unwrap();
        let log = logged(&s).await;
        let expected = [
            "contextmenu 2 false false 0",
            "auxclick 2 false false 1",
            "auxclick 1 false false 1",
            "click 0 true true 1",
            "click 0 false false 1",
            "click 0 false false 2",
            "dblclick 0 false false 2",
            "held",
            "click 0 false false 1",
        ];
        let mut sorted = log.clone();
        sorted.sort();
        let mut wanted = expected.to_vec();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted, "{log:?}");
    });
}

#[test]
fn twice_and_held_is_refused() {
    run_in_shell(async |s| {
        show(&s, "<button id=b>Save</button>").await;
        for times in [0, 11] {
            let wrong = Click { times: Some(times), ..click("css=#b") };
            assert_eq!(code(s.perform(wrong).await), Code::InvalidInput);
        }
        let both = Click { double: true, hold: Some(Span(Duration::from_millis(5))), ..click("css=#b") };
        assert_eq!(code(s.perform(both).await), Code::InvalidInput);
    });
}

#[test]
fn points_in_pixels_and_in_thousandths() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<body style=margin:0><button style='position:fixed;left:600px;top:340px;width:80px;height:40px' onclick=\"note('hit')\">Middle</button>"
        );
        show(&s, &page).await;
        for target in ["640,360", "500,500/1000"] {
            let outcome = s.perform(click(target)).await.unwrap();
            assert_eq!(outcome.target.unwrap().name, "Middle");
        }
        assert_eq!(logged(&s).await, ["hit", "hit"]);
        assert_eq!(code(s.perform(click("2000,10")).await), Code::InvalidInput);
        s.perform(click("1000,1000/1000")).await.unwrap();
        assert_eq!(logged(&s).await.len(), 2);
    });
}

#[test]
fn what_is_disabled_hidden_gone_or_covered_says_so() {
    run_in_shell(async |s| {
        show(
            &s,
            "<button id=off disabled>Off</button><button id=aria aria-disabled=true>Aria</button>
             <button id=none style=display:none>None</button><button id=empty style='visibility:hidden'>Empty</button>
             <div style=position:relative><button id=under>Under</button><div id=sheet class=overlay style='position:absolute;inset:0'>Sheet of glass</div></div>
             <button id=gone>Gone</button>",
        )
        .await;
        let failure = async |target: &str| impatient(&s, click(target)).await.unwrap_err();
        assert_eq!(failure("css=#off").await.code, Code::ElementNotEnabled);
        assert_eq!(failure("css=#aria").await.code, Code::ElementNotEnabled);
        assert_eq!(failure("css=#none").await.code, Code::ElementNotVisible);
        assert_eq!(failure("css=#empty").await.code, Code::ElementNotVisible);
        let covered = failure("css=#under").await;
        assert_eq!(covered.code, Code::ElementCovered);
        assert!(covered.message.contains("<div id=\"sheet\">"), "{covered}");
        assert!(covered.message.contains("Sheet of glass"), "{covered}");
        let text = look(&s).await;
        let gone = ref_of(&text, "- button \"Gone\"");
        s.eval("document.querySelector('#gone').remove()").await;
        assert_eq!(failure(&gone.to_string()).await.code, Code::StaleRef);
        let missing = s.within(Duration::from_secs(2), click("css=.nowhere")).await;
        assert_eq!(code(missing), Code::ElementNotFound);
        assert_eq!(failure("css=button").await.code, Code::ElementAmbiguous);
    });
}

#[test]
fn what_becomes_usable_is_waited_for() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<button id=later disabled onclick=\"note('later')\">Later</button>
             <div style=position:relative><button id=under onclick=\"note('under')\">Under</button><div id=sheet style='position:absolute;inset:0'></div></div>
             <button id=hidden hidden onclick=\"note('hidden')\">Hidden</button>
             <script>
             const when = (id, change) => setTimeout(change, 150);
             addEventListener('start', () => {{
               setTimeout(() => (later.disabled = false), 300);
               setTimeout(() => sheet.remove(), 600);
               setTimeout(() => (hidden.hidden = false), 900);
             }});
             </script>"
        );
        show(&s, &page).await;
        eval_main(&s, "dispatchEvent(new Event('start'))").await;
        for target in ["css=#later", "css=#under", "css=#hidden"] {
            s.perform(click(target)).await.unwrap();
        }
        assert_eq!(logged(&s).await, ["later", "under", "hidden"]);
    });
}

#[test]
fn a_page_that_changes_between_aiming_and_clicking_gets_no_click_elsewhere() {
    run_in_shell(async |s| {
        // What is under the pointer is another button as soon as the pointer comes; only when the press arrives that is seen.
        let page = format!(
            "{LOG}<div style=position:relative;width:200px><button id=meant style=width:200px onclick=\"note('meant')\">Meant</button>
             <button id=twin style='position:absolute;left:0;top:0;width:200px;display:none' onclick=\"note('twin')\" onmousedown=\"note('down')\">Twin</button></div>
             <script>document.addEventListener('mousemove', () => (twin.style.display = 'block'))</script>"
        );
        show(&s, &page).await;
        let failed = impatient(&s, click("css=#meant")).await.unwrap_err();
        assert_eq!(failed.code, Code::ElementCovered, "{failed}");
        assert!(logged(&s).await.is_empty(), "{:?}", logged(&s).await);
        // Afterwards the page can be clicked as ever.
        s.perform(click("css=#twin")).await.unwrap();
        assert_eq!(logged(&s).await, ["down", "twin"]);
    });
}

#[test]
fn what_is_out_of_sight_is_scrolled_to_past_what_sticks() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<header style='position:sticky;top:0;height:300px;background:#ccc;z-index:2'>Head</header>
             <div style='height:200px;overflow:auto' id=box><div style=height:3000px></div><button id=inner onclick=\"note('inner')\">Inner</button></div>
             <div style=height:3000px></div><button id=far onclick=\"note('far')\">Far</button><div style=height:3000px></div>
             <footer style='position:sticky;bottom:0;height:200px;background:#ddd;z-index:2'>Foot</footer>"
        );
        show(&s, &page).await;
        for target in ["css=#far", "css=#inner", "css=#far"] {
            s.perform(click(target)).await.unwrap();
        }
        assert_eq!(logged(&s).await, ["far", "inner", "far"]);
    });
}

#[test]
fn a_row_is_clicked_beside_its_button_and_a_label_ticks_its_box() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<div id=row onclick=\"note('row', event.target.id)\" style='width:300px;text-align:center'><button id=del style=width:150px>Delete</button></div>
             <style>.box {{ position:absolute; opacity:0; width:0; height:0 }}</style>
             <label id=l><input id=c type=checkbox class=box onchange=\"note('ticked', this.checked)\"> I agree</label>
             <a id=link href='#x' onclick=\"note('link')\"><span style=pointer-events:none id=in>Inside</span></a>"
        );
        show(&s, &page).await;
        s.perform(click("css=#row")).await.unwrap();
        s.perform(click("css=#c")).await.unwrap();
        s.perform(click("css=#in")).await.unwrap();
        assert_eq!(logged(&s).await, ["row row", "ticked true", "link"]);
    });
}

#[test]
fn frames_and_shadow_roots() {
    run_in_shell(async |s| {
        let far = site().on("b.localhost", "/page?title=far&body=<div style=height:2000px></div><button onclick=\"this.textContent='Far done'\">Far</button>");
        let page = format!(
            "<div style=height:1500px></div><iframe style='width:400px;height:200px;transform:scale(0.5);border:7px solid' src=\"{}\"></iframe>
             <div id=host></div><script>
             const root = host.attachShadow({{mode: 'closed'}});
             root.innerHTML = '<button>Closed</button>';
             root.firstChild.onclick = () => (root.firstChild.textContent = 'Closed done');
             </script>",
            far.replace('"', "&quot;")
        );
        show(&s, &page).await;
        let text = look(&s).await;
        for (name, done) in [("Far", "Far done"), ("Closed", "Closed done")] {
            let reference = ref_of(&text, &format!("- button \"{name}\""));
            let outcome = s.perform(click(&reference.to_string())).await.unwrap();
            assert!(outcome.delta.unwrap().text.contains(done));
        }
    });
}

#[test]
fn a_frame_that_is_covered_says_by_what() {
    run_in_shell(async |s| {
        let page = format!(
            "<div style=position:relative;width:320px><iframe width=300 height=100 src=\"{}\"></iframe>
             <div id=ad style='position:absolute;inset:0'>Advert</div></div>",
            site().on("b.localhost", "/page?title=in&body=<button>In</button>")
        );
        show(&s, &page).await;
        let text = look(&s).await;
        let reference = ref_of(&text, "- button \"In\"");
        let failed = impatient(&s, click(&reference.to_string())).await.unwrap_err();
        assert_eq!(failed.code, Code::ElementCovered);
        assert!(failed.message.contains("Advert"), "{failed}");
    });
}

#[test]
fn hovering_opens_what_opens_on_hovering() {
    run_in_shell(async |s| {
        show(
            &s,
            "<style>#menu:not(:hover) ul { display: none }</style><div id=menu style=width:200px>Menu<ul><li><button>Item</button></ul></div>
             <div style=position:relative><p id=under>Under</p><div style='position:absolute;inset:0'></div></div>",
        )
        .await;
        look(&s).await;
        let outcome = s.perform(Hover { target: "css=#menu".parse().unwrap() }).await.unwrap();
        assert!(outcome.delta.unwrap().text.contains("button \"Item\""));
        let covered = Hover { target: "css=#under".parse().unwrap() };
        assert_eq!(code(s.within(Duration::from_secs(4), covered).await), Code::ElementCovered);
    });
}

#[test]
fn a_link_leads_to_its_page_and_the_outcome_shows_it() {
    run_in_shell(async |s| {
        show(&s, &format!("<a href='{}'>Go</a>", site().url("/page?title=There"))).await;
        look(&s).await;
        let outcome = s.perform(click("css=a")).await.unwrap();
        assert_eq!(outcome.title.as_deref(), Some("There"));
        assert_eq!(outcome.navigation.unwrap().kind, NavigationKind::Document);
        assert!(outcome.snapshot.unwrap().text.contains("heading \"There\""));
    });
}

#[test]
fn an_option_of_a_closed_list_is_refused_with_the_way_to_do_it() {
    run_in_shell(async |s| {
        show(&s, "<select><option>One<option id=two>Two</select>").await;
        let failed = impatient(&s, click("css=#two")).await.unwrap_err();
        assert_eq!(failed.code, Code::ElementNotVisible);
        assert!(failed.hint().contains("select"), "{}", failed.hint());
    });
}

#[test]
fn a_document_that_is_written_anew_is_clicked_once() {
    run_in_shell(async |s| {
        show(
            &s,
            "<iframe id=f></iframe><script>const d = f.contentDocument; d.open();
             d.write('<p id=q>0</p><button onclick=\"q.textContent = +q.textContent + 1\">Pay</button>'); d.close()</script>",
        )
        .await;
        let pay = ref_of(&look(&s).await, "- button \"Pay\"");
        s.perform(click(&pay.to_string())).await.unwrap();
        assert_eq!(
            s.eval("document.querySelector('#f').contentDocument.querySelector('#q').textContent").await,
            "1"
        );
    });
}

#[test]
fn a_button_that_the_press_moves_is_clicked_where_it_is_then() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<input id=i onblur=\"msg.style.height = '90px'\"><div id=msg></div><button id=b onclick=\"note('sent')\">Send</button>
             <button id=flees onmousedown=\"this.style.marginLeft = (this.offsetLeft + 300) % 900 + 'px'\" onclick=\"note('fled')\">Flees</button>
             <div style='position:relative;margin-top:150px'><button id=opens onmousedown=\"over.hidden = false; note('opened')\">Opens</button>
             <div id=over hidden style='position:absolute;inset:-20px;background:#eee'>Menu</div></div>"
        );
        show(&s, &page).await;
        s.perform(click("css=#i")).await.unwrap();
        s.perform(click("css=#b")).await.unwrap();
        assert_eq!(logged(&s).await, ["sent"]);
        // What the press itself opens over the button is what was wanted.
        s.perform(click("css=#opens")).await.unwrap();
        assert_eq!(logged(&s).await, ["sent", "opened"]);
        let failed = s.perform(click("css=#flees")).await.unwrap_err();
        assert_eq!(failed.code, Code::NoEffect, "{failed}");
    });
}

#[test]
fn a_style_that_leaves_nothing_of_an_element_when_it_is_pressed() {
    run_in_shell(async |s| {
        let picture = site().url("/image.png");
        let page = format!(
            "{LOG}<style>#gone:focus {{ visibility: hidden }} #chosen.off {{ display: none }}
               #heart {{ display: block; width: 40px; content: url({picture}) }} #heart:hover {{ content: url({picture}?ms=200) }}</style>
             <div><button id=gone onclick=\"note('gone')\">Gone</button></div>
             <div><span id=chosen onmousedown=\"this.classList.add('off'); note('chosen')\">Chosen</span></div>
             <div><span id=heart onclick=\"note('liked')\"></span></div>"
        );
        show(&s, &page).await;
        let failed = s.perform(click("css=#gone")).await.unwrap_err();
        assert_eq!(failed.code, Code::NoEffect, "{failed}");
        // What the page hides when it is pressed has been used.
        s.perform(click("css=#chosen")).await.unwrap();
        assert_eq!(logged(&s).await, ["chosen"]);
        s.perform(click("css=#heart")).await.unwrap();
        assert_eq!(logged(&s).await, ["chosen", "liked"]);
    });
}

#[test]
fn what_gives_way_to_the_pointer_lets_nothing_else_be_clicked() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<style>button {{ position: absolute; left: 20px; top: 20px; width: 80px; height: 30px }} #shy:hover {{ visibility: hidden }}</style>
             <button id=behind onclick=\"note('behind')\" onmousedown=\"note('pressed')\">Behind</button><button id=shy onclick=\"note('shy')\">Shy</button>"
        );
        show(&s, &page).await;
        let failed = impatient(&s, click("css=#shy")).await.unwrap_err();
        assert!(
            matches!(failed.code, Code::ElementCovered | Code::ElementNotVisible | Code::NoEffect),
            "{failed}"
        );
        assert_eq!(logged(&s).await, [""; 0]);
    });
}

#[test]
fn what_the_page_makes_of_a_press_is_not_pressed_again() {
    run_in_shell(async |s| {
        let page = format!(
            "{LOG}<div id=area onpointerdown='this.setPointerCapture(event.pointerId)' onclick=\"note('area')\"><span id=caught tabindex=0>Caught</span></div>
             <div><button id=once onclick=\"note('once'); this.style.pointerEvents = 'none'\">Once</button></div>"
        );
        show(&s, &page).await;
        s.perform(click("css=#caught")).await.unwrap();
        assert_eq!(logged(&s).await, ["area"]);
        s.perform(Click { double: true, ..click("css=#once") }).await.unwrap();
        assert_eq!(logged(&s).await, ["area", "once"]);
    });
}

#[test]
fn what_is_in_a_field_is_not_its_name() {
    run_in_shell(async |s| {
        show(&s, "<textarea>correct horse</textarea><div contenteditable>battery staple</div>").await;
        for css in ["css=textarea", "css=div"] {
            let outcome = s.perform(click(css)).await.unwrap();
            assert_eq!(outcome.target.unwrap().name, "", "{css}");
        }
    });
}

#[test]
fn a_form_that_the_browser_finds_fault_with_says_so() {
    run_in_shell(async |s| {
        show(
            &s,
            "<form action=/page><label>Mail <input type=email value=bad></label><button>Go</button></form>",
        )
        .await;
        let outcome = s.perform(click("css=button")).await.unwrap();
        assert!(
            outcome.notes.iter().any(|note| note.contains("not sent") && note.contains("Mail")),
            "{:?}",
            outcome.notes
        );
    });
}

#[test]
fn what_is_switched_off_is_said_to_be() {
    run_in_shell(async |s| {
        show(&s, "<div inert><button id=off>Off</button></div>").await;
        let error = s.within(Duration::from_secs(3), click("css=#off")).await.unwrap_err();
        assert_eq!(error.code, Code::ElementNotEnabled, "{error}");
    });
}
