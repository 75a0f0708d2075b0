//! Pictures with numbered boxes, and of single elements.

use contract::{Code, FrameId, Label, Outcome};
use engine::{
    Viewport,
    actions::{Eval, Scale, Screenshot},
};
use image::RgbImage;
use serde_json::Value;

use crate::support::{Fixture, code, eval, eval_main, run_in_shell, show};

async fn labelled(s: &Fixture, full: bool) -> (Outcome, RgbImage) {
    let outcome = s.perform(Screenshot { labels: true, full, ..Screenshot::default() }).await.unwrap();
    let picture = image::load_from_memory(&outcome.screenshot.as_ref().unwrap().bytes).unwrap().to_rgb8();
    (outcome, picture)
}

/// The box of an element as the page itself says it.
async fn bounds(s: &Fixture, frame: u32, selector: &str) -> [i32; 4] {
    let js = format!(
        "const b = document.querySelector('{selector}').getBoundingClientRect(); [b.left, b.top, b.width, b.height].map(Math.round)"
    );
    let value = s.perform(Eval { frame: Some(FrameId(frame)), ..eval(&js) }).await.unwrap().value.unwrap();
    serde_json::from_value(value).unwrap()
}

fn named<'o>(outcome: &'o Outcome, name: &str) -> &'o Label {
    outcome
        .labels
        .iter()
        .find(|label| label.name == name)
        .unwrap_or_else(|| panic!("{name} in {:?}", outcome.labels))
}

/// The middles of the four edges have the colour of a label, which nothing in these pages has: they are black and white.
#[track_caller]
fn has_frame(picture: &RgbImage, [left, top, width, height]: [i32; 4], scale: i32) {
    let (right, bottom) = (left + width, top + height);
    for (x, y) in [
        (left + width / 2, top),
        (left + width / 2, bottom - 1),
        (left, top + height / 2),
        (right - 1, top + height / 2),
    ] {
        let pixel = picture.get_pixel((x * scale) as u32, (y * scale) as u32).0;
        assert!(
            pixel.iter().max() != pixel.iter().min(),
            "{pixel:?} at {x},{y} of {left},{top},{width},{height}"
        );
    }
}

const PAGE: &str = "<style>* { margin: 0; color: black; background: white; border-color: black; font: 16px monospace }</style>\
    <div style='height: 100px'></div><button style='margin-left: 50px'>One</button><p>Text</p><a href=/x>Two</a>\
    <iframe title=F style='position: absolute; left: 300px; top: 200px; border: 7px solid; padding: 5px' width=300 height=200 srcdoc='<style>* { margin: 0; background: white; border-color: black }</style><p style=\"height: 60px\"></p><button style=\"margin-left: 40px\">Inner</button>'></iframe>\
    <div style='height: 3000px'></div><button id=far style='width: 120px; height: 40px'>Far</button>";

#[test]
fn boxes_are_where_the_elements_are_and_are_drawn_there() {
    run_in_shell(async |s| {
        show(&s, PAGE).await;
        let (outcome, picture) = labelled(&s, false).await;
        let names: Vec<_> =
            outcome.labels.iter().map(|label| (label.number, &*label.name, &*label.role)).collect();
        assert_eq!(names, [(1, "One", "button"), (2, "Two", "link"), (3, "Inner", "button")]);
        assert_eq!(named(&outcome, "One").bounds, bounds(&s, 0, "button").await);
        assert_eq!(named(&outcome, "Two").bounds, bounds(&s, 0, "a").await);
        let [left, top, width, height] = bounds(&s, 1, "button").await;
        assert_eq!(
            named(&outcome, "Inner").bounds,
            [left + 312, top + 212, width, height],
            "border and padding of the frame"
        );
        for label in &outcome.labels {
            has_frame(&picture, label.bounds, 1);
        }
    });
}

#[test]
fn the_whole_page_and_a_scrolled_one() {
    run_in_shell(async |s| {
        show(&s, PAGE).await;
        let far = bounds(&s, 0, "#far").await;
        let (outcome, picture) = labelled(&s, true).await;
        assert_eq!(named(&outcome, "Far").bounds, far);
        has_frame(&picture, far, 1);
        s.eval("scrollTo(0, 1e6)").await;
        let (outcome, picture) = labelled(&s, true).await;
        assert_eq!(named(&outcome, "Far").bounds, far, "the same in a scrolled page");
        has_frame(&picture, far, 1);
        let (outcome, picture) = labelled(&s, false).await;
        assert_eq!(outcome.labels.len(), 1, "only what is in the picture: {:?}", outcome.labels);
        assert_eq!(outcome.labels[0].bounds, bounds(&s, 0, "#far").await);
        has_frame(&picture, outcome.labels[0].bounds, 1);
    });
}

#[test]
fn at_twice_the_pixels() {
    run_in_shell(async |mut s| {
        s.options.viewport = Some("800x600@2".parse::<Viewport>().unwrap());
        show(&s, PAGE).await;
        let (outcome, picture) = labelled(&s, false).await;
        assert_eq!(picture.dimensions(), (800, 600));
        for label in &outcome.labels {
            has_frame(&picture, label.bounds, 1);
        }
        let device = Screenshot { labels: true, scale: Scale::Device, ..Screenshot::default() };
        let outcome = s.perform(device).await.unwrap();
        let picture = image::load_from_memory(&outcome.screenshot.unwrap().bytes).unwrap().to_rgb8();
        assert_eq!(picture.dimensions(), (1600, 1200));
        for label in &outcome.labels {
            has_frame(&picture, label.bounds, 2);
        }
    });
}

#[test]
fn the_page_is_not_touched() {
    run_in_shell(async |s| {
        show(&s, PAGE).await;
        eval_main(&s, "window.count = 0; new MutationObserver(list => count += list.length).observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); 1").await;
        labelled(&s, true).await;
        let keys = "JSON.stringify([count, Object.keys(document.querySelector('button')), Object.getOwnPropertySymbols(document.querySelector('button')).length, scrollY])";
        assert_eq!(eval_main(&s, keys).await.value, Some(Value::from("[0,[],0,0]")));
    });
}

#[test]
fn one_element_has_its_own_size_wherever_it_is() {
    run_in_shell(async |s| {
        show(&s, PAGE).await;
        for (target, frame, selector) in
            [("css=#far", 0, "#far"), ("css=a", 0, "a"), ("xpath=//button[.='Inner']", 1, "button")]
        {
            let shot = Screenshot { target: Some(target.parse().unwrap()), ..Screenshot::default() };
            let picture = s.perform(shot).await.unwrap().screenshot.unwrap();
            let [_, _, width, height] = bounds(&s, frame, selector).await;
            assert!(
                picture.width.abs_diff(width as u32) <= 1 && picture.height.abs_diff(height as u32) <= 1,
                "{target}: {picture:?}"
            );
        }
        let labelled =
            Screenshot { target: Some("css=#far".parse().unwrap()), labels: true, ..Screenshot::default() };
        let outcome = s.perform(labelled).await.unwrap();
        assert_eq!(outcome.labels.len(), 1, "{:?}", outcome.labels);
        assert_eq!(outcome.labels[0].bounds, [0, 0, 120, 40]);
        for (target, expected) in [
            ("css=table", Code::ElementNotFound),
            ("css=button", Code::ElementAmbiguous),
            ("css=title", Code::ElementNotVisible),
        ] {
            let shot = Screenshot { target: Some(target.parse().unwrap()), ..Screenshot::default() };
            let soon = std::time::Duration::from_secs(2);
            assert_eq!(code(s.within(soon, shot).await), expected, "{target}");
        }
    });
}
