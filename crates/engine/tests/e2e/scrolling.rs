//! Scrolling: the page, areas in it, to elements; exact, and with what it brings.

use contract::{Code, Outcome, Scrolled, Target};
use engine::actions::{Direction, Edge, Eval, Scroll};
use serde_json::json;

use crate::support::{Fixture, code, eval, goto, look, ref_of, run_in_shell, show, site};

fn at(target: &str) -> Scroll {
    Scroll::new(target.parse().unwrap())
}

async fn scroll(s: &Fixture, scroll: Scroll) -> (Scrolled, Outcome) {
    let outcome = s.perform(scroll).await.unwrap();
    (outcome.scrolled.clone().unwrap(), outcome)
}

#[test]
fn the_page_by_pixels_parts_and_to_its_ends() {
    run_in_shell(async |s| {
        // Smooth scrolling is what the page wants, and not what we wait for.
        show(&s, r#"<style>html { scroll-behavior: smooth } body { margin: 0 }</style><div style="height: 3000px; width: 2000px">tall</div>"#)
            .await;
        let (by, _) = scroll(&s, Scroll { by: Some(500.0), ..Scroll::default() }).await;
        let height = s.eval("document.documentElement.clientHeight").await.as_f64().unwrap();
        assert_eq!((by.x, by.y, by.left_y), (0.0, 500.0, 3000.0 - height - 500.0));
        assert_eq!(s.eval("scrollY").await, 500);
        assert_eq!(scroll(&s, Scroll { by: Some(-200.0), ..Scroll::default() }).await.0.y, -200.0);
        let (screen, _) = scroll(&s, Scroll::default()).await;
        assert_eq!(screen.y, (height * 0.8).round(), "80 % of what is visible");
        let half = Scroll { percent: Some(50.0), ..Scroll::towards(Direction::Up) };
        assert_eq!(scroll(&s, half).await.0.y.round(), -(height / 2.0).round());
        let right = Scroll { pixels: Some(120.0), ..Scroll::towards(Direction::Right) };
        assert_eq!(scroll(&s, right).await.0.x, 120.0);
        let (end, _) = scroll(&s, Scroll { to: Some(Edge::Bottom), ..Scroll::default() }).await;
        assert_eq!((end.left_y, s.eval("scrollY").await.as_f64()), (0.0, Some(3000.0 - height)));
        let (again, outcome) = scroll(&s, Scroll::default()).await;
        assert_eq!((again.y, again.left_y), (0.0, 0.0));
        assert_eq!(outcome.notes, ["it is at the bottom already"]);
        assert_eq!(
            scroll(&s, Scroll { to: Some(Edge::Top), ..Scroll::default() }).await.0.y,
            height - 3000.0
        );
        assert_eq!(scroll(&s, Scroll { to: Some(Edge::Left), ..Scroll::default() }).await.0.x, -120.0);
    });
}

#[test]
fn an_area_first_then_what_is_around_it() {
    run_in_shell(async |s| {
        show(
            &s,
            r#"<body style="margin: 0"><div id="outer" style="height: 300px; overflow: auto">
              <div id="inner" style="height: 100px; overflow-y: scroll"><p id="deep" style="height: 250px">deep</p></div>
              <div style="height: 900px">below</div></div><div style="height: 2000px">page</div>"#,
        )
        .await;
        let down = |target: &str| Scroll {
            pixels: Some(1000.0),
            ..Scroll { direction: Some(Direction::Down), ..at(target) }
        };
        let places = "[inner.scrollTop > 0, outer.scrollTop > 0, scrollY > 0]";
        let (first, outcome) = scroll(&s, down("css=#deep")).await;
        assert!(first.y > 100.0 && first.left_y == 0.0, "{first:?}");
        assert_eq!(s.eval(places).await, json!([true, false, false]));
        let scrolled =
            Eval { target: Some(Target::Ref(outcome.target.unwrap().reference)), ..eval("area => area.id") };
        assert_eq!(s.perform(scrolled).await.unwrap().value.unwrap(), "inner");
        scroll(&s, down("css=#deep")).await;
        assert_eq!(s.eval(places).await, json!([true, true, false]));
        scroll(&s, down("20,50")).await;
        assert_eq!(s.eval(places).await, json!([true, true, true]));
        let up = Scroll { to: Some(Edge::Top), ..at("css=#inner") };
        scroll(&s, up).await;
        assert_eq!(s.eval(places).await, json!([false, true, true]));
    });
}

#[test]
fn an_element_is_brought_into_view_and_only_if_it_is_not() {
    run_in_shell(async |s| {
        show(
            &s,
            r#"<style>* { scroll-behavior: smooth }</style><div style="height: 1500px">above</div>
              <div style="height: 200px; overflow: auto"><div style="height: 800px">more</div><button>There</button></div>
              <div style="height: 1500px">below</div><p id="none" hidden>hidden</p>"#,
        )
        .await;
        let button = ref_of(&look(&s).await, "- button \"There\"");
        let (there, outcome) = scroll(&s, at(&button.to_string())).await;
        assert!(there.y > 1500.0, "{there:?}");
        assert_eq!(outcome.target.unwrap().reference, button);
        let middle = "(b => b.top >= 0 && b.bottom <= innerHeight)(document.querySelector('button').getBoundingClientRect())";
        assert_eq!(s.eval(middle).await, true);
        let (again, outcome) = scroll(&s, Scroll { into_view: true, ..at("css=button") }).await;
        assert_eq!((again.x, again.y), (0.0, 0.0));
        assert_eq!(outcome.notes, ["it was in view already"]);
        assert_eq!(code(s.perform(at("css=#none")).await), Code::ElementNotVisible);
        let soon = std::time::Duration::from_secs(2);
        assert_eq!(code(s.within(soon, at("css=#nobody")).await), Code::ElementNotFound);
        assert_eq!(code(s.perform(Scroll { by: Some(0.0), ..Scroll::default() }).await), Code::InvalidInput);
    });
}

#[test]
fn a_list_without_end_has_its_new_rows_in_the_outcome() {
    run_in_shell(async |s| {
        show(
            &s,
            r#"<div id="list" style="height: 300px; overflow: auto"><ul id="rows"></ul><div id="last">…</div></div><script>
              let n = 0;
              const more = () => { for (let i = 0; i < 20; i++) rows.insertAdjacentHTML('beforeend', `<li style="height: 40px">Row ${++n}</li>`); };
              more();
              new IntersectionObserver(async ([seen]) => {
                if (!seen.isIntersecting) return;
                await fetch('/slow?ms=300');
                more();
              }, { root: list }).observe(last);</script>"#,
        )
        .await;
        assert!(!look(&s).await.contains("Row 21"));
        let (end, outcome) = scroll(&s, Scroll { to: Some(Edge::Bottom), ..at("css=#rows") }).await;
        assert!(end.y > 400.0 && end.left_y >= 700.0, "what came counts as left: {end:?}");
        let delta = outcome.delta.unwrap().text;
        assert!(delta.contains("Row 21") && delta.contains("Row 40"), "{delta}");
    });
}

#[test]
fn pages_whose_body_stands_still_and_areas_that_snap() {
    run_in_shell(async |s| {
        show(
            &s,
            r#"<style>html, body { height: 100%; margin: 0; overflow: hidden }</style>
              <main id="main" style="height: 100%; overflow: auto; scroll-snap-type: y mandatory">
                <section style="height: 600px; scroll-snap-align: start">1</section><section style="height: 600px; scroll-snap-align: start">2</section>
                <section style="height: 900px; scroll-snap-align: start">3</section></main>"#,
        )
        .await;
        let (moved, outcome) = scroll(&s, Scroll { by: Some(400.0), ..Scroll::default() }).await;
        assert_eq!(moved.y, 600.0, "how far it really went");
        assert_eq!(s.eval("main.scrollTop").await, 600);
        assert_eq!(outcome.notes, ["the page itself does not scroll; the area in its middle was scrolled"]);
    });
}

#[test]
fn areas_that_only_scripts_scroll_and_those_from_right_to_left() {
    run_in_shell(async |s| {
        show(
            &s,
            r#"<div id="clipped" style="height: 100px; overflow: hidden"><p style="height: 400px">clipped</p></div>
              <div id="arabic" dir="rtl" style="width: 200px; overflow: auto"><div style="width: 1000px">نص</div></div>"#,
        )
        .await;
        let (moved, _) = scroll(&s, Scroll { by: Some(50.0), ..at("css=#clipped") }).await;
        assert_eq!((moved.y, s.eval("clipped.scrollTop").await), (50.0, json!(50)));
        let (end, outcome) = scroll(&s, Scroll { to: Some(Edge::Right), ..at("css=#arabic") }).await;
        assert_eq!((end.x, end.left_x, outcome.notes.len()), (0.0, 0.0, 1));
        let left = Scroll { direction: Some(Direction::Left), pixels: Some(300.0), ..at("css=#arabic") };
        let (moved, _) = scroll(&s, left).await;
        assert_eq!((moved.x, moved.left_x), (-300.0, 300.0));
    });
}

#[test]
fn where_nothing_scrolls_the_wheel_is_turned() {
    run_in_shell(async |s| {
        show(
            &s,
            r#"<canvas id="map" width="300" height="200" style="background: #ccc"></canvas><p id="out">none</p><script>
              map.addEventListener('wheel', e => { e.preventDefault(); out.textContent = `${e.isTrusted} ${e.deltaX} ${e.deltaY}`; }, { passive: false });
            </script>"#,
        )
        .await;
        let (_, outcome) = scroll(&s, Scroll { by: Some(-240.0), ..at("css=#map") }).await;
        assert_eq!(s.eval("out.textContent").await, "true 0 -240");
        assert!(outcome.notes[0].contains("mouse wheel"), "{:?}", outcome.notes);
        assert_eq!(scroll(&s, Scroll::default()).await.1.notes.len(), 1);
    });
}

#[test]
fn through_frames_of_other_processes() {
    run_in_shell(async |s| {
        let inner = site()
            .on("b.localhost", "/page?body=<div style='height:600px'>inside</div><button>Deep</button>");
        let frame = format!(
            r#"<div style="height: 1500px">above</div><iframe src="{inner}" style="height: 200px"></iframe><div style="height: 1500px">below</div>"#
        );
        let page = site().page("page", &frame).replace("127.0.0.1", "a.localhost");
        s.perform(goto(&page)).await.unwrap();
        let text = look(&s).await;
        let button = ref_of(&text, "- button \"Deep\"");
        assert!(button.frame.is_some(), "{text}");
        let (moved, _) = scroll(&s, at(&button.to_string())).await;
        assert!(moved.y > 1500.0, "{moved:?}");
        assert!(s.eval("scrollY").await.as_f64().unwrap() > 800.0);
        // What is in the frame is at its end; so it is the page that goes on.
        let before = s.eval("scrollY").await.as_f64().unwrap();
        let (moved, _) = scroll(&s, Scroll { by: Some(100.0), ..at(&button.to_string()) }).await;
        assert_eq!(moved.y, 100.0);
        assert_eq!(s.eval("scrollY").await.as_f64().unwrap(), before + 100.0);
    });
}

#[test]
fn the_wheel_turns_where_the_mouse_is() {
    run_in_shell(async |s| {
        let page = "<body style='margin:0;height:3000px'><p id=said></p>
            <div id=box style='position:fixed;left:50px;top:50px;width:100px;height:100px;overflow:auto'><div style='width:900px;height:900px'></div></div>
            <script>addEventListener('wheel', e => said.textContent += `${e.clientX},${e.clientY}:${e.deltaX},${e.deltaY};`)</script>";
        show(&s, page).await;
        let wheel = |x: f64, y: f64| Scroll { wheel: Some([x, y]), ..Scroll::default() };
        s.perform(engine::actions::Hover { target: "100,100".parse().unwrap() }).await.unwrap();
        s.perform(wheel(30.0, 40.0)).await.unwrap();
        assert_eq!(s.eval("document.querySelector('#said').textContent").await, "100,100:30,40;");
        s.perform(Scroll { target: Some("400,300".parse().unwrap()), ..wheel(0.0, 60.0) }).await.unwrap();
        let said = s.eval("document.querySelector('#said').textContent").await;
        assert_eq!(said, "100,100:30,40;400,300:0,60;", "at the point that is named");
        for bad in [wheel(0.0, 0.0), wheel(f64::NAN, 1.0), Scroll { by: Some(1.0), ..wheel(1.0, 1.0) }] {
            assert_eq!(code(s.perform(bad).await), Code::InvalidInput);
        }
    });
}
