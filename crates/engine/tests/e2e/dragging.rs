//! Dragging, by scripts that follow the pointer and by the browser itself.

use contract::Code;
use engine::actions::Drag;

use crate::support::{Fixture, code, eval_main, goto, run_in_shell, show, site};

fn drag(from: &str, to: &str) -> Drag {
    Drag::new(from.parse().unwrap(), to.parse().unwrap())
}

/// What the page noted, with blanks in between.
async fn log(s: &Fixture) -> String {
    eval_main(s, "log.join(' ')").await.value.unwrap().as_str().unwrap().to_owned()
}

/// A card and a box that the browser drags between.
const BOARD: &str = r#"<style>body { margin: 0 } div { width: 120px; height: 80px; margin: 10px; background: #ddd }</style>
  <div id="card" draggable="true">Card</div><div id="box">Box</div><div id="closed">Closed</div><script>
  const log = [];
  for (const type of ['mousedown', 'mouseup', 'click', 'dragstart', 'dragenter', 'drop', 'dragend']) {
    addEventListener(type, e => log.push(type + (e.isTrusted ? '' : '!') + (e.target.id ? `:${e.target.id}` : '')));
  }
  card.addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', 'card'));
  box.addEventListener('dragover', e => e.preventDefault());
  box.addEventListener('drop', e => { e.preventDefault(); box.append(document.getElementById(e.dataTransfer.getData('text/plain'))); });
  </script>"#;

#[test]
fn the_browser_drags_and_the_page_gets_its_data() {
    run_in_shell(async |s| {
        show(&s, BOARD).await;
        let outcome = s.perform(drag("css=#card", "css=#box")).await.unwrap();
        assert_eq!(outcome.target.unwrap().name, "Card");
        assert_eq!(s.eval("box.contains(card)").await, true);
        let log = log(&s).await;
        assert_eq!(
            log.replace("dragenter:card ", "").replace("dragenter ", ""),
            "mousedown:card dragstart:card dragenter:box drop:box dragend:card"
        );
        // Drags are the browser's own again, and no button is down.
        assert_eq!(eval_main(&s, "log.length = 0; 1").await.value.unwrap(), 1);
        s.perform(engine::actions::Click::new("css=#closed".parse().unwrap())).await.unwrap();
        assert_eq!(self::log(&s).await, "mousedown:closed mouseup:closed click:closed");
    });
}

#[test]
fn what_is_not_taken_is_an_error_and_leaves_nothing_pressed() {
    run_in_shell(async |s| {
        show(&s, BOARD).await;
        let error = s.perform(drag("css=#card", "css=#closed")).await.unwrap_err();
        assert_eq!(error.code, Code::NoEffect, "{error}");
        assert!(!log(&s).await.contains("drop:"), "{}", log(&s).await);
        s.perform(drag("css=#card", "css=#box")).await.unwrap();
        assert_eq!(s.eval("box.contains(card)").await, true);
    });
}

/// A knob that scripts move, measured on frames as libraries do.
const SLIDER: &str = r#"<style>body { margin: 0; height: 2500px } #knob { position: absolute; left: 20px; top: 40px; width: 30px; height: 30px; background: red; touch-action: none }
  #goal { position: absolute; left: 420px; top: 140px; width: 60px; height: 60px; background: #cfc } #low { position: absolute; top: 2200px; left: 200px; width: 80px; height: 80px; background: #ccf }</style>
  <div id="knob" role="slider" aria-label="Knob"></div><div id="goal">Goal</div><div id="low">Low</div><script>
  const log = [];
  let at = null, moves = 0, frames = 0;
  knob.addEventListener('pointerdown', e => { knob.setPointerCapture(e.pointerId); log.push(`down${e.buttons}`); at = e; draw(); });
  const draw = () => { if (!at) return; frames++; knob.style.left = at.pageX - 15 + 'px'; knob.style.top = at.pageY - 15 + 'px'; requestAnimationFrame(draw); };
  knob.addEventListener('pointermove', e => { if (at) { moves++; if (e.buttons !== 1) log.push('lost'); at = e; } });
  knob.addEventListener('pointerup', e => { knob.style.left = e.pageX - 15 + 'px'; knob.style.top = e.pageY - 15 + 'px'; log.push(`up${e.buttons}`, document.elementsFromPoint(e.clientX, e.clientY).map(x => x.id).join('/')); at = null; });
  </script>"#;

#[test]
fn scripts_follow_the_pointer_over_real_frames() {
    run_in_shell(async |s| {
        show(&s, SLIDER).await;
        s.perform(Drag { steps: Some(15), ..drag("css=#knob", "css=#goal") }).await.unwrap();
        let log = log(&s).await;
        assert!(log.starts_with("down1 up0 goal/knob/"), "{log}");
        assert!(eval_main(&s, "moves").await.value.unwrap().as_i64().unwrap() >= 15);
        assert!(eval_main(&s, "frames").await.value.unwrap().as_i64().unwrap() >= 5);
    });
}

#[test]
fn points_are_dragged_between_as_well() {
    run_in_shell(async |s| {
        show(&s, SLIDER).await;
        s.perform(drag("35,55", "300,200")).await.unwrap();
        assert_eq!(eval_main(&s, "knob.style.left + knob.style.top").await.value.unwrap(), "285px185px");
        assert_eq!(code(s.perform(drag("35,55", "9000,9000")).await), Code::InvalidInput);
    });
}

#[test]
fn what_does_not_fit_into_view_is_scrolled_to_while_dragging() {
    run_in_shell(async |s| {
        show(&s, SLIDER).await;
        s.perform(drag("css=#knob", "css=#low")).await.unwrap();
        let log = log(&s).await;
        assert!(log.starts_with("down1 up0 low/knob/"), "{log}");
        show(&s, &BOARD.replace("<div id=\"box\">", "<p style=\"height: 2000px\"></p><div id=\"box\">"))
            .await;
        s.perform(drag("css=#card", "css=#box")).await.unwrap();
        assert_eq!(s.eval("box.contains(card)").await, true);
    });
}

#[test]
fn the_press_lands_on_what_was_meant_or_nothing_happens() {
    run_in_shell(async |s| {
        let cover = r#"<div style="position: fixed; inset: 0; width: auto; height: auto; margin: 0; background: #0002" id="cover"></div>"#;
        show(&s, &format!("{BOARD}{cover}")).await;
        assert_eq!(
            code(s.within(std::time::Duration::from_secs(4), drag("css=#card", "css=#box")).await),
            Code::ElementCovered
        );
        assert_eq!(log(&s).await, "");
        let soon = std::time::Duration::from_secs(2);
        assert_eq!(code(s.within(soon, drag("css=#card", "css=#nobody")).await), Code::ElementNotFound);
        assert_eq!(
            code(s.perform(Drag { steps: Some(0), ..drag("css=#card", "css=#box") }).await),
            Code::InvalidInput
        );
        assert_eq!(log(&s).await, "");
    });
}

#[test]
fn between_frames_and_in_frames_of_other_processes() {
    run_in_shell(async |s| {
        let inner = site().page("inner", BOARD).replace("127.0.0.1", "b.localhost");
        let frame = format!(
            r#"<iframe id="f" width="300" height="400" src="{}"></iframe>"#,
            inner.replace('"', "&quot;")
        );
        let page = site().page("outer", &frame).replace("127.0.0.1", "a.localhost");
        s.perform(goto(&page)).await.unwrap();
        s.perform(drag("css=#card", "css=#box")).await.unwrap();
        let in_frame = engine::actions::Eval {
            frame: Some(contract::FrameId(1)),
            ..engine::actions::Eval::new("box.contains(card)")
        };
        assert_eq!(s.perform(in_frame).await.unwrap().value.unwrap(), true);
    });
}

/// A list whose items make room once the middle of one is passed in the direction of the drag, as sortable lists do.
const SORTABLE: &str = r#"<style>li { height: 30px; width: 100px; user-select: none }</style><ul><li>a<li>b<li>c<li>d</ul><script>
  let held = null, last = 0;
  addEventListener('mousedown', e => { held = e.target.closest('li'); last = e.clientY; });
  addEventListener('mouseup', () => { held = null; });
  addEventListener('mousemove', e => {
    const over = held && [...document.querySelectorAll('li')].find(item => { const { top, bottom } = item.getBoundingClientRect(); return item !== held && e.clientY >= top && e.clientY < bottom; });
    const way = e.clientY - last;
    last = e.clientY;
    if (!over || way === 0) return;
    const { top, height } = over.getBoundingClientRect();
    const isLower = e.clientY >= top + height / 2;
    if (way > 0 && isLower) over.after(held);
    if (way < 0 && !isLower) over.before(held);
  });
  </script>"#;

#[test]
fn items_of_a_list_take_the_place_of_the_one_they_are_dropped_on() {
    run_in_shell(async |s| {
        for (from, to, order) in
            [(4, 2, "adbc"), (2, 1, "bacd"), (4, 1, "dabc"), (1, 3, "bcad"), (1, 4, "bcda")]
        {
            show(&s, SORTABLE).await;
            let outcome = s
                .perform(drag(&format!("css=li:nth-child({from})"), &format!("css=li:nth-child({to})")))
                .await;
            let moved =
                format!("what was dragged is 0 px further right and {} px further down", (to - from) * 30);
            assert_eq!(outcome.unwrap().notes, [moved], "{from} to {to}");
            let now = "[...document.querySelectorAll('li')].map(item => item.textContent.trim()).join('')";
            assert_eq!(s.eval(now).await, order, "{from} to {to}");
        }
        // Nothing listens for that.
        show(&s, "<p id=still>Still</p>").await;
        assert_eq!(code(s.perform(drag("css=#still", "300,300")).await), Code::NoEffect);
        // What is drawn cannot be compared.
        show(&s, "<canvas id=still></canvas>").await;
        let outcome = s.perform(drag("css=#still", "300,300")).await.unwrap();
        assert_eq!(outcome.notes, ["what was dragged is where it was"]);
    });
}

/// A list that the browser drags in, and that hears nothing for a moment after it has made room, until it has been drawn anew.
const SORTED_BY_BROWSER: &str = r#"<style>li { height: 30px; width: 100px } li.moved { animation: move .1s } @keyframes move { from { transform: translateY(30px) } }</style>
  <ul><li draggable=true>a<li draggable=true>b<li draggable=true>c<li draggable=true>d</ul><script>
  let held = null, isDeaf = false, frames = new Set();
  addEventListener('dragstart', e => { held = e.target; });
  addEventListener('dragover', e => {
    e.preventDefault();
    requestAnimationFrame(time => frames.add(time));
    const over = e.target.closest('li');
    if (isDeaf || !over || over === held || over.classList.contains('moved')) return;
    const isLower = held.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING;
    over[isLower ? 'after' : 'before'](held);
    over.classList.add('moved');
    over.onanimationend = () => over.classList.remove('moved');
    isDeaf = true;
    setTimeout(() => { isDeaf = false; }, 30);
  });
  addEventListener('drop', e => e.preventDefault());
  </script>"#;

#[test]
fn a_list_that_the_browser_drags_in_ends_as_it_was_pointed_at() {
    run_in_shell(async |s| {
        for (from, to, order) in [(1, 3, "bcad"), (4, 2, "adbc"), (1, 4, "bcda"), (4, 1, "dabc")] {
            show(&s, SORTED_BY_BROWSER).await;
            s.perform(drag(&format!("css=li:nth-child({from})"), &format!("css=li:nth-child({to})")))
                .await
                .unwrap();
            let now = "[...document.querySelectorAll('li')].map(item => item.textContent.trim()).join('')";
            assert_eq!(s.eval(now).await, order, "{from} to {to}");
        }
        assert!(
            eval_main(&s, "frames.size").await.value.unwrap().as_i64().unwrap() >= 5,
            "a frame for each move"
        );
    });
}

/// Where the cards of SortableJS's board are.
async fn cards(s: &Fixture) -> String {
    let columns = "[...document.querySelectorAll('ul')].map(list => [...list.children].map(card => card.id).join('')).join(' ')";
    s.eval(columns).await.as_str().unwrap().to_owned()
}

#[test]
fn a_board_of_sortablejs_is_told_as_it_is() {
    testkit::frameworks();
    run_in_shell(async |s| {
        for mode in ["", "?fallback"] {
            let page = site().url(&format!("/frameworks/sortable/board.html{mode}"));
            for (to, expected, notes) in [
                ("css=#done", "b c a", vec!["it is in"]),
                ("css=#c", "b ac ", vec!["it is in"]),
                ("css=#doing", "b ca ", vec!["it is in"]),
                ("css=#b", "ba c ", vec![]),
            ] {
                s.perform(goto(&page)).await.unwrap();
                let outcome =
                    s.perform(drag("css=#a", to)).await.unwrap_or_else(|error| panic!("{to}: {error}"));
                assert_eq!(cards(&s).await, expected, "to {to} {mode}");
                for note in notes {
                    assert!(
                        outcome.notes.iter().any(|said| said.starts_with(note)),
                        "{to}: {:?}",
                        outcome.notes
                    );
                }
            }
            // The heading takes nothing, but on the way to it the card came into another column.
            s.perform(goto(&page)).await.unwrap();
            let outcome = s.perform(drag("css=#a", "Done")).await.unwrap();
            assert_eq!(cards(&s).await, "b ac ", "{mode}");
            assert!(outcome.notes.iter().any(|note| note.starts_with("it is in")), "{:?}", outcome.notes);
            // The card is let go of where it was.
            s.perform(goto(&page)).await.unwrap();
            assert_eq!(code(s.perform(drag("css=#a", "css=#a")).await), Code::NoEffect, "{mode}");
            assert_eq!(cards(&s).await, "ab c ");
            // The column below that heading is empty and not to be seen; the one beside it is not meant.
            let error = s.perform(drag("css=#a", "the area below Done")).await.unwrap_err();
            assert!(matches!(error.code, Code::ElementNotFound | Code::ElementAmbiguous), "{error}");
            assert_eq!(cards(&s).await, "ab c ");
        }
    });
}
