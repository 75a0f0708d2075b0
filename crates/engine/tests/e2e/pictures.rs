//! Screenshots: sizes, formats, files.

use contract::{Code, Screenshot as Picture, TabId, Target};
use engine::{
    Until, Viewport,
    actions::{Click, Format, Scale, Screenshot, Tabs, TabsOp},
};

use crate::support::{Fixture, code, eval, eval_main, run, show, site};

async fn take(s: &Fixture, screenshot: Screenshot) -> Picture {
    s.perform(screenshot).await.unwrap().screenshot.unwrap()
}

#[test]
fn the_viewport_as_png_and_jpeg() {
    run(async |s| {
        s.open(&site().url("/tall.html")).await;
        let png = take(&s, Screenshot::default()).await;
        assert_eq!((png.width, png.height, png.mime_type), (1280, 720, "image/png"));
        let jpeg = take(&s, Screenshot { format: Some(Format::Jpeg), ..Screenshot::default() }).await;
        assert_eq!((jpeg.width, jpeg.height, jpeg.mime_type), (1280, 720, "image/jpeg"));
        assert!(jpeg.bytes.starts_with(b"\xff\xd8"));
    });
}

#[test]
fn the_whole_page_and_a_page_too_tall_to_draw() {
    run(async |s| {
        s.open(&site().url("/tall.html")).await;
        let full = take(&s, Screenshot { full: true, ..Screenshot::default() }).await;
        assert_eq!((full.width, full.height, full.cut), (1280, 5000, None));
        s.open(&site().url("/very-tall.html")).await;
        let cut = take(&s, Screenshot { full: true, ..Screenshot::default() }).await;
        assert_eq!(cut.height, 16_384);
        assert_eq!(cut.cut.map(|cut| cut.of), Some(40_000), "what is missing is said");
    });
}

#[test]
fn another_viewport_and_scale() {
    run(async |mut s| {
        s.options.viewport = Some("390x844@2".parse::<Viewport>().unwrap());
        s.open(&site().url("/tall.html")).await;
        assert_eq!(
            s.eval("[innerWidth, innerHeight, devicePixelRatio]").await,
            serde_json::json!([390, 844, 2])
        );
        let picture = take(&s, Screenshot::default()).await;
        assert_eq!((picture.width, picture.height), (390, 844), "CSS pixels");
        let device = Screenshot { scale: Scale::Device, ..Screenshot::default() };
        let picture = take(&s, device.clone()).await;
        assert_eq!((picture.width, picture.height), (780, 1688));
        let picture = take(&s, Screenshot { full: true, ..Screenshot::default() }).await;
        assert_eq!((picture.width, picture.height), (390, 5000));
        let picture = take(&s, Screenshot { full: true, ..device }).await;
        assert_eq!((picture.width, picture.height), (780, 10_000));
    });
}

/// A page with a button in its corner and one far below, which note where they were clicked.
const BUTTONS: &str = "<style>body { margin: 0; height: 3000px; position: relative } button { position: absolute; width: 40px; height: 40px }</style>
    <button id=near style='left: 1500px; top: 1100px'>N</button><button id=far style='left: 100px; top: 2900px'>F</button>
    <script>clicked = []; for (const b of document.querySelectorAll('button')) b.onclick = () => clicked.push(b.id)</script>";

#[test]
fn points_are_counted_in_the_last_picture_that_was_sent() {
    run(async |mut s| {
        s.options.viewport = Some("1600x1200@3".parse::<Viewport>().unwrap());
        show(&s, BUTTONS).await;
        let click = async |x: f64, y: f64| {
            let at = Target::Pictured { x, y };
            s.perform(Click::new(at)).await.unwrap().target.unwrap().name
        };
        // Without a picture, and with one as large as the window, they are CSS pixels.
        assert_eq!(click(1520.0, 1120.0).await, "N");
        let fit = |screenshot: Screenshot| Screenshot { fit: true, ..screenshot };
        let outcome = s.perform(fit(Screenshot::default())).await.unwrap();
        let picture = outcome.screenshot.unwrap();
        assert_eq!((picture.width, picture.height), (1238, 928));
        assert!(
            outcome.notes[0].contains("1238x928") && outcome.notes[0].contains("1600x1200"),
            "{:?}",
            outcome.notes
        );
        let part = 1238.0 / 1600.0;
        assert_eq!(click(1520.0 * part, 1120.0 * part).await, "N");
        assert_eq!(
            code(s.perform(Click::new(Target::Pictured { x: 1520.0, y: 900.0 })).await),
            Code::InvalidInput
        );
        // Whoever says CSS pixels means them, and so are thousandths of the window.
        assert_eq!(
            s.perform(Click::new("1520,1120".parse().unwrap())).await.unwrap().target.unwrap().name,
            "N"
        );
        assert_eq!(
            s.perform(Click::new("950,933/1000".parse().unwrap())).await.unwrap().target.unwrap().name,
            "N"
        );
        // A picture of the whole page: what is out of view is scrolled to.
        let whole = take(&s, fit(Screenshot { full: true, ..Screenshot::default() })).await;
        let part = f64::from(whole.height) / 3000.0;
        assert_eq!(click(120.0 * part, 2920.0 * part).await, "F");
        assert_eq!(click(1520.0 * part, 1120.0 * part).await, "N");
        // A picture of an element begins at its corner.
        let of_element = Screenshot { target: Some("css=#far".parse().unwrap()), ..Screenshot::default() };
        let picture = take(&s, fit(of_element)).await;
        assert_eq!((picture.width, picture.height), (40, 40));
        assert_eq!(click(20.0, 20.0).await, "F");
        // Another page has no picture yet.
        show(&s, BUTTONS).await;
        assert_eq!(click(1520.0, 1120.0).await, "N");
        assert_eq!(eval_main(&s, "clicked.join()").await.value.unwrap(), "near");
    });
}

#[test]
fn a_file_is_written_where_it_was_asked_for() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/shot.jpg");
        let picture = take(&s, Screenshot { path: Some(path.clone()), ..Screenshot::default() }).await;
        assert_eq!(picture.mime_type, "image/jpeg");
        assert_eq!(std::fs::read(&path).unwrap(), picture.bytes);
        let nowhere = Screenshot { path: Some("/proc/nowhere/shot.png".into()), ..Screenshot::default() };
        assert_eq!(code(s.perform(nowhere).await), Code::InvalidInput);
    });
}

/// The browser draws only the tab in front: of any other a picture would be waited for in vain.
#[test]
fn tabs_behind_others_can_be_pictured() {
    run(async |s| {
        s.open(&site().page("opener", "<button onclick=\"window.open('/tall.html')\">Open</button>")).await;
        s.perform(Click::new("css=button".parse().unwrap())).await.unwrap();
        let third = TabsOp::Open { url: Some((&*site().url("/tall.html")).into()), until: Until::Load };
        s.perform(Tabs { op: Some(third) }).await.unwrap();
        for tab in [1, 2, 3, 2, 1, 1] {
            let time = Some(contract::Span::seconds(30));
            let request = engine::Request {
                tab: Some(TabId(tab)),
                timeout: time,
                ..engine::Request::new(Screenshot::default())
            };
            assert_eq!(s.request(request).await.unwrap().screenshot.unwrap().width, 1280, "t{tab}");
        }
        let at_once = [1, 2, 3, 1].map(|tab| s.in_tab(tab, Screenshot::default()));
        for taken in futures_util::future::join_all(at_once).await {
            assert_eq!(taken.unwrap().screenshot.unwrap().height, 720);
        }
        // A tab that comes meanwhile gets in front.
        s.perform(Tabs { op: Some(TabsOp::Focus { tab: TabId(1) }) }).await.unwrap();
        for _ in 0..3 {
            let opening = s.perform(eval("window.open('/tall.html'), 1"));
            let (taken, opened) =
                tokio::join!(s.in_tab(1, Screenshot { full: true, ..Screenshot::default() }), opening);
            assert_eq!((taken.is_ok(), opened.is_ok()), (true, true));
        }
    });
}
