//! Screenshots: sizes, formats, files.

use contract::{Code, Screenshot as Picture};
use engine::{
    Viewport,
    actions::{Format, Screenshot},
};

use crate::support::{Fixture, code, run, site};

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
        assert_eq!((picture.width, picture.height), (780, 1688));
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
