//! Downloads that a navigation turns out to be.

use contract::NavigationKind;
use testkit::download_bytes;

use crate::support::{goto, run, site};

#[test]
fn a_navigation_that_is_a_download_says_so_and_keeps_the_file() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        let outcome = s.perform(goto(&site().url("/download?name=report.txt&bytes=5000"))).await.unwrap();
        assert_eq!(outcome.navigation.unwrap().kind, NavigationKind::Download);
        assert_eq!(outcome.title.as_deref(), Some("before"), "the tab stays where it was");
        let [file] = &outcome.downloads[..] else { panic!("{:?}", outcome.downloads) };
        assert_eq!((&*file.name, file.bytes), ("report.txt", 5000));
        assert_eq!(std::fs::read(&file.path).unwrap(), download_bytes(5000));
    });
}

#[test]
fn names_cannot_leave_the_folder_and_do_not_replace_each_other() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let mut paths = Vec::new();
        for _ in 0..2 {
            let url = site().url("/download?name=..%2F..%2Fevil.txt&bytes=3");
            let outcome = s.perform(goto(&url)).await.unwrap();
            paths.push(outcome.downloads[0].path.clone());
        }
        assert_ne!(paths[0], paths[1]);
        for path in paths {
            assert!(path.parent().unwrap().ends_with(format!("downloads/{}", s.name)), "{path:?}");
        }
    });
}
