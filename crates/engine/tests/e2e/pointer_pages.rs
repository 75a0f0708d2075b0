//! Dragging, scrolling, uploading and downloading on pages that are hard to act on. Each page keeps a log of what really happened to it,
//! and that is what counts.

use std::{fs, path::PathBuf};

use contract::{Code, Outcome, Target};
use engine::actions::{Direction, Download, Drag, Edge, Scroll, Upload};

use crate::{
    hands_support::{clicked, done, fill, log, logged, open, text_of},
    support::{Fixture, ref_of, run_in_shell, show},
};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

fn drag(from: &str, to: &str) -> Drag {
    Drag::new(target(from), target(to))
}

/// The SHA-256 of `a,b\n1,2\n`, which the page makes its files of.
const SUM: &str = "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470";

#[test]
fn a_board_that_the_browser_drags_on() {
    run_in_shell(async |s| {
        let text = open(&s, "drag-html5").await;
        let delta = done(&s, drag("css=#a", "css=#done")).await.delta.unwrap().text;
        assert!(delta.contains("Write"), "{delta}");
        // By what people call them, and back again.
        let done_ = ref_of(&text, "- region \"Done\"").to_string();
        done(&s, drag("Test", &done_)).await;
        done(&s, drag("css=#a", "css=#todo")).await;
        let moved = |card: &str, zone: &str| {
            [format!("dragstart {card}"), format!("drop {card} on {zone}"), format!("dragend {card} move")]
        };
        assert_eq!(log(&s).await, [moved("a", "done"), moved("b", "done"), moved("a", "todo")].concat());
        assert_eq!((text_of(&s, "#todo").await, text_of(&s, "#done").await), ("Write".into(), "Test".into()));
    });
}

#[test]
fn a_board_that_follows_the_pointer() {
    run_in_shell(async |s| {
        open(&s, "drag-pointer").await;
        done(&s, drag("css=#a", "css=#done")).await;
        done(&s, drag("css=#a", "css=#todo")).await;
        assert_eq!(log(&s).await, ["down", "dropped on done", "down", "dropped on todo"]);
    });
}

#[test]
fn a_handle_that_the_mouse_pulls() {
    run_in_shell(async |s| {
        let text = open(&s, "slider-mouse").await;
        let handle = ref_of(&text, "- slider \"Price\"").to_string();
        let middle = "var box = document.querySelector('#track').getBoundingClientRect(); `${box.left + box.width / 2},${box.top + 5}`";
        let middle = s.eval(middle).await.as_str().unwrap().to_owned();
        let delta = done(&s, drag(&handle, &middle)).await.delta.unwrap().text;
        assert!(delta.contains("50"), "{delta}");
        assert_eq!(log(&s).await, ["value 50"]);
    });
}

#[test]
fn a_list_that_grows_when_it_is_scrolled() {
    run_in_shell(async |s| {
        open(&s, "scroll-list-endless").await;
        logged(&s, "loaded 20").await;
        let to_end = || Scroll { to: Some(Edge::Bottom), ..Scroll::new(target("css=#list")) };
        for (row, count) in [("Message 40", 40), ("Message 60", 60)] {
            let delta = done(&s, to_end()).await.delta.unwrap().text;
            assert!(delta.contains(row), "{delta}");
            assert_eq!(s.eval("document.querySelectorAll('li').length").await, count);
        }
        done(&s, Scroll::new(target("Message 3"))).await;
        assert_eq!(s.eval("scrollY").await, 0, "the page stands where it was");
    });
}

#[test]
fn a_page_that_grows_when_it_is_scrolled() {
    run_in_shell(async |s| {
        open(&s, "scroll-page-endless").await;
        logged(&s, "loaded 20").await;
        let end = || Scroll { to: Some(Edge::Bottom), ..Scroll::default() };
        for post in ["Post 40", "Post 60"] {
            let delta = done(&s, end()).await.delta.unwrap().text;
            assert!(delta.contains(post), "{delta}");
        }
        clicked(&s, "Like 60").await;
        done(&s, Scroll { pixels: Some(300.0), ..Scroll::towards(Direction::Up) }).await;
        done(&s, Scroll { to: Some(Edge::Top), ..Scroll::default() }).await;
        assert_eq!(s.eval("scrollY").await, 0);
        assert_eq!(log(&s).await, ["loaded 20", "loaded 40", "loaded 60", "liked 60"]);
    });
}

async fn uploaded(s: &Fixture, to: &str, files: &[&PathBuf]) -> Outcome {
    done(s, Upload::new(target(to), files.iter().map(|file| (*file).clone()).collect())).await
}

#[test]
fn files_to_fields_buttons_and_areas() {
    run_in_shell(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let (photo, one, two) = (file("photo.png", "png"), file("one.txt", "1"), file("zwei ü.txt", "22"));
        open(&s, "file-inputs").await;
        uploaded(&s, "Photo", &[&photo]).await;
        logged(&s, "one: photo.png 3").await;
        uploaded(&s, "css=#many", &[&one, &two]).await;
        logged(&s, "many: zwei ü.txt 2").await;
        uploaded(&s, "Choose file", &[&one]).await;
        logged(&s, "hidden: one.txt 1").await;
        let area = || Upload::new(target("css=#area"), vec![photo.clone(), two.clone()]);
        done(&s, Upload { drop: true, ..area() }).await;
        logged(&s, "area: zwei ü.txt 2").await;
        let expected = [
            "one: photo.png 3",
            "many: one.txt 1",
            "many: zwei ü.txt 2",
            "hidden: one.txt 1",
            "area: photo.png 3",
            "area: zwei ü.txt 2",
        ];
        assert_eq!(log(&s).await, expected);
    });
}

#[test]
fn files_of_three_kinds_and_their_sums() {
    run_in_shell(async |s| {
        let folder = tempfile::tempdir().unwrap();
        open(&s, "download-links").await;
        for (link, name, bytes) in [
            ("css=#header", "report.txt", 100),
            ("css=#attribute", "saved.html", 0),
            ("Large file", "slow.txt", 100),
            ("css=#blob", "export.csv", 8),
            ("css=#event", "event.csv", 8),
            ("css=#later", "later.csv", 8),
        ] {
            let path = folder.path().join(name);
            let wanted =
                Download { target: Some(target(link)), path: Some(path.clone()), ..Download::default() };
            let file = done(&s, wanted).await.downloads.remove(0);
            assert_eq!((&*file.path, fs::metadata(&path).unwrap().len()), (&*path, file.bytes), "{link}");
            assert!(bytes == 0 || file.bytes == bytes, "{link}: {file:?}");
            assert_eq!(file.sha256.len(), 64, "{link}");
            if bytes == 8 {
                assert_eq!(
                    (fs::read(&path).unwrap(), &*file.sha256),
                    (b"a,b\n1,2\n".to_vec(), SUM),
                    "{link}"
                );
            }
        }
    });
}

#[test]
fn sliders_that_say_where_they_stand_when_they_are_released() {
    run_in_shell(async |s| {
        // One that is its own track, one with a thumb, and one that goes to the nearest of a few places.
        let page = "<style>[data-track] { width: 200px; height: 20px; margin: 20px; position: relative; background: silver }
              #thumb { position: absolute; width: 20px; height: 20px; left: 10px }</style>
            <div data-track role=slider id=track tabindex=0 aria-valuenow=10 aria-valuemax=100></div>
            <div data-track><div role=slider id=thumb tabindex=0 aria-valuenow=10 aria-valuemax=100></div></div>
            <div data-track role=slider id=coarse data-step=25 tabindex=0 aria-valuenow=0 aria-valuemax=100></div>
            <script>for (const slider of document.querySelectorAll('[role=slider]')) {
              const track = slider.closest('[data-track]');
              let at = null;
              const move = event => at !== null && (at = Math.max(0, Math.min(200, event.clientX - track.getBoundingClientRect().left)));
              slider.onpointerdown = event => { at = 0; slider.setPointerCapture(event.pointerId); move(event); };
              slider.onpointermove = move;
              slider.onpointerup = () => {
                const step = Number(slider.dataset.step ?? 1);
                slider.setAttribute('aria-valuenow', Math.round(at / 2 / step) * step);
                if (slider.id === 'thumb') slider.style.left = `${at - 10}px`;
                at = null;
              };
            }</script>";
        show(&s, page).await;
        for (slider, value) in [("track", 37), ("thumb", 90), ("track", 0), ("thumb", 11), ("coarse", 75)] {
            done(&s, fill(&format!("css=#{slider}"), &value.to_string())).await;
            let now = s.eval(&format!("Number({slider}.getAttribute('aria-valuenow'))")).await;
            assert_eq!(now, value, "{slider}");
        }
        let error = s.perform(fill("css=#coarse", "60")).await.unwrap_err();
        assert!(error.code == Code::NoEffect && error.message.contains("stands at"), "{error}");
    });
}
