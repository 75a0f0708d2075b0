//! Downloads: those that a navigation turns out to be, and those that are asked for.

use std::time::Duration;

use contract::{Code, NavigationKind, Target};
use engine::{
    Until,
    actions::{Download, Emulate, Header, Tabs, Wait},
};
use testkit::download_bytes;

use crate::{
    hands_support::click,
    support::{code, eval_main, goto, run, show, site},
};

/// The SHA-256 of `download_bytes(5000)`, by another program.
const SUM: &str = "de6e4191ff15d0483f8e393f013d7716ec326b9fa70749f8ece35d0f7dbed46a";

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

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
        assert_eq!(file.sha256, SUM);
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

#[test]
fn a_click_is_waited_for_until_the_whole_file_is_there() {
    run(async |s| {
        let link = r#"<a id="go" href="/download-slow?name=slow.txt&bytes=5000&ms=1500">Report</a>"#;
        show(&s, link).await;
        let outcome = s.perform(Download::new(target("css=#go"))).await.unwrap();
        let [file] = &outcome.downloads[..] else { panic!("{:?}", outcome.downloads) };
        assert_eq!((&*file.name, file.bytes, &*file.sha256), ("slow.txt", 5000, SUM));
        assert_eq!(std::fs::read(&file.path).unwrap(), download_bytes(5000));
        assert!(file.path.parent().unwrap().ends_with(format!("downloads/{}", s.name)), "{file:?}");
        assert_eq!(outcome.target.unwrap().name, "Report");
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
    });
}

/// Whatever locale we were started in.
#[test]
fn names_of_files_keep_their_letters() {
    run(async |s| {
        show(&s, "<a id=go href='data:text/plain,x' download='图 报表😀.txt'>Report</a>").await;
        let outcome = s.perform(Download::new(target("css=#go"))).await.unwrap();
        assert_eq!(outcome.downloads[0].name, "图 报表😀.txt");
        assert!(outcome.downloads[0].path.ends_with("图 报表😀.txt"), "{:?}", outcome.downloads);
    });
}

#[test]
fn a_file_that_is_under_way_or_comes_by_itself_can_be_waited_for() {
    run(async |s| {
        let page = r#"<button id="later" onclick="setTimeout(() => location = '/download?name=later.txt&bytes=9', 1000)">Later</button>
            <a id="slow" href="/download-slow?name=slow.txt&bytes=5000&ms=4500">Slow</a>"#;
        show(&s, page).await;
        let waiting = s.within(Duration::from_secs(1), Download::default()).await.unwrap_err();
        assert_eq!(
            (waiting.code, &*waiting.message),
            (Code::Timeout, "the time ran out while waiting for a download to begin")
        );
        let clicked = s.perform(click("css=#later")).await.unwrap();
        assert!(clicked.downloads.is_empty(), "{:?}", clicked.downloads);
        let later = s.perform(Download::default()).await.unwrap().downloads.remove(0);
        assert_eq!((&*later.name, later.bytes), ("later.txt", 9));
        let clicked = s.perform(click("css=#slow")).await.unwrap();
        assert!(clicked.notes[0].starts_with("a download is still under way"), "{:?}", clicked.notes);
        let folder = tempfile::tempdir().unwrap();
        let into = Download { path: Some(folder.path().to_owned()), ..Download::default() };
        let slow = s.perform(into).await.unwrap().downloads.remove(0);
        assert_eq!((&slow.path, &*slow.sha256), (&folder.path().join("slow.txt"), SUM));
        let told = s.within(Duration::from_secs(1), Download::default()).await;
        assert_eq!(code(told), Code::Timeout, "no file is told of twice");
    });
}

#[test]
fn files_that_scripts_make_and_that_new_windows_turn_out_to_be() {
    run(async |s| {
        let page = r#"<button id="blob" onclick="
                const a = document.createElement('a');
                a.href = window.URL.createObjectURL(new Blob(['made here']));
                a.download = 'made.txt';
                setTimeout(() => a.click(), 700)">Make</button>
            <a id="blank" target="_blank" href="/download?name=window.txt&bytes=10">Window</a>"#;
        show(&s, page).await;
        let made = s.perform(Download::new(target("css=#blob"))).await.unwrap();
        assert_eq!(std::fs::read(&made.downloads[0].path).unwrap(), b"made here");
        let window = s.perform(Download::new(target("css=#blank"))).await.unwrap();
        assert_eq!((&*window.downloads[0].name, window.downloads[0].bytes), ("window.txt", 10));
    });
}

#[test]
fn an_address_is_saved_whatever_it_is_and_with_the_cookies_of_the_session() {
    run(async |s| {
        s.open(&site().url("/page?title=before")).await;
        eval_main(&s, "document.cookie = 'who=ada'").await;
        let page = s.perform(Download::of(&*site().url("/echo"))).await.unwrap();
        let [file] = &page.downloads[..] else { panic!("{:?}", page.downloads) };
        let text = std::fs::read_to_string(&file.path).unwrap();
        assert!(text.contains("who=ada"), "{text}");
        assert!(file.name.starts_with("echo"), "{}", file.name);

        let image = s.perform(Download::of(&*site().url("/image.png"))).await.unwrap();
        assert_eq!(image.downloads[0].name, "image.png");
        let named =
            s.perform(Download::of(&*site().url("/download?name=named.bin&bytes=5000"))).await.unwrap();
        assert_eq!((&*named.downloads[0].name, &*named.downloads[0].sha256), ("named.bin", SUM));
        let there = site().url("/download?name=there.bin&bytes=7").replace("?", "%3F").replace("&", "%26");
        let redirected =
            s.perform(Download::of(&*site().url(&format!("/redirect?to={there}")))).await.unwrap();
        assert_eq!((&*redirected.downloads[0].name, redirected.downloads[0].bytes), ("there.bin", 7));

        // The page that it took is nobody's.
        let tabs = s.perform(Tabs::default()).await.unwrap();
        let tabs = tabs.tabs.unwrap();
        assert_eq!((tabs.len(), &*tabs[0].title, tabs[0].tab.0), (1, "before", 1), "{tabs:?}");
        assert!(redirected.opened.is_empty() && redirected.tab.is_none(), "{redirected:?}");
        s.perform(Tabs { op: Some(engine::actions::TabsOp::Open { url: None, until: Until::Load }) })
            .await
            .unwrap();
        let tabs = s.perform(Tabs::default()).await.unwrap().tabs.unwrap();
        assert_eq!(tabs[1].tab.0, 2, "no number was lost");
    });
}

#[test]
fn what_pages_are_made_to_believe_holds_for_an_address_as_well() {
    run(async |s| {
        let headers = vec![Header { name: "x-key".into(), value: "open sesame".into() }];
        let emulate = Emulate { user_agent: Some("Teapot/1".into()), headers, ..Emulate::default() };
        s.perform(Emulate { locale: Some("de-AT".into()), ..emulate }).await.unwrap();
        let asked = s.perform(Download::of(&*site().url("/echo"))).await.unwrap();
        let sent = std::fs::read_to_string(&asked.downloads[0].path).unwrap();
        for header in ["Teapot/1", "open sesame", "de-AT,de"] {
            assert!(sent.contains(header), "{header:?} in {sent}");
        }
        s.perform(Emulate { offline: Some(true), ..Emulate::default() }).await.unwrap();
        let url = site().url("/download?bytes=3&test=offline");
        assert_eq!(code(s.perform(Download::of(&*url)).await), Code::DownloadFailed);
        assert_eq!(site().hits("/download?bytes=3&test=offline"), 0);
    });
}

#[test]
fn two_at_a_time_do_not_get_each_other_s_file() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let one = Download::of(&*site().url("/download-slow?name=one.txt&bytes=5&ms=300"));
        let two = Download::of(&*site().url("/download?name=two.txt&bytes=6"));
        let (one, two) = tokio::join!(s.perform(one), s.perform(two));
        assert_eq!(one.unwrap().downloads.first().map(|file| &*file.name), Some("one.txt"));
        assert_eq!(two.unwrap().downloads.first().map(|file| &*file.name), Some("two.txt"));
    });
}

#[test]
fn a_session_may_begin_with_a_download() {
    run(async |s| {
        let outcome = s.perform(Download::of(&*site().url("/download?name=a.txt&bytes=3"))).await.unwrap();
        assert_eq!(outcome.downloads[0].bytes, 3);
    });
}

#[test]
fn what_cannot_be_downloaded_says_so() {
    run(async |s| {
        show(
            &s,
            r#"<button id="no">Nothing</button><a id="page" href="/page?title=other">Page</a>
            <a id="broken" href="/download-broken?bytes=50000">Broken</a>"#,
        )
        .await;
        let missing = s.perform(Download::of(&*site().url("/status/404"))).await.unwrap_err();
        assert_eq!(missing.code, Code::DownloadFailed);
        assert!(missing.cause.as_deref().unwrap_or_default().contains("404"), "{missing}");
        assert_eq!(code(s.perform(Download::of(&*site().url("/status/204"))).await), Code::DownloadFailed);
        assert_eq!(code(s.perform(Download::of(&*site().refused_url())).await), Code::DownloadFailed);
        assert_eq!(code(s.perform(Download::of("file:///etc/passwd")).await), Code::NavigationBlocked);
        let broken = site().url("/download-broken?bytes=50000");
        assert_eq!(code(s.perform(Download::of(&*broken)).await), Code::DownloadFailed);
        assert_eq!(code(s.perform(Download::new(target("css=#broken"))).await), Code::DownloadFailed);
        let slow = site().url("/download-slow?bytes=5000&ms=20000");
        let late = s.within(Duration::from_secs(6), Download::of(&*slow)).await.unwrap_err();
        assert_eq!(late.code, Code::Timeout);
        assert!(late.message.contains("2500 of 5000 bytes"), "{late}");
        let nothing = s.within(Duration::from_secs(4), Download::new(target("css=#no"))).await;
        assert_eq!(code(nothing), Code::DownloadFailed);
        assert_eq!(code(s.perform(Download::new(target("css=#page"))).await), Code::DownloadFailed);
        let both = Download { target: Some(target("css=#no")), ..Download::of(&*slow) };
        assert_eq!(code(s.perform(both).await), Code::InvalidInput);
        let outcome = s.perform(goto(&site().url("/page?title=after"))).await.unwrap();
        assert!(outcome.notes.is_empty(), "what was told is not told again: {:?}", outcome.notes);
    });
}

/// The browser asks again by itself, with GET: what comes then may be another file, and is not what was asked for.
#[test]
fn a_download_that_breaks_off_is_not_begun_anew() {
    run(async |s| {
        let path = |test: &str| format!("/download-broken?bytes=50000&test={test}");
        let form = format!("<form method=post action='{}'><button>Export</button></form>", path("form"));
        s.open(&site().page("export", &format!("{form}<a href='{}'>Get</a>", path("link")))).await;
        for (button, test) in [("Export", "form"), ("Get", "link")] {
            let error = s.perform(Download::new(target(button))).await.unwrap_err();
            assert_eq!(error.code, Code::DownloadFailed);
            let cause = error.cause.unwrap_or_default();
            assert!(cause.contains("of 50000 bytes"), "{cause}");
            // Not once more after it has been called off; the browser may have asked once by then.
            s.perform(Wait::until(Until::NetworkIdle)).await.unwrap();
            assert!(site().hits(&path(test)) <= 2, "{test}: {}", site().hits(&path(test)));
        }
    });
}

#[test]
fn a_file_goes_where_it_is_wanted_and_replaces_nothing_unasked() {
    run(async |s| {
        s.open(&site().url("/page")).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new folder").join("mine.txt");
        let url = site().url("/download?name=a.txt&bytes=5");
        let download = Download { path: Some(file.clone()), ..Download::of(&*url) };
        let first = s.perform(download.clone()).await.unwrap().downloads.remove(0);
        assert_eq!((&first.path, &*first.name), (&file, "mine.txt"));
        let second = s.perform(download.clone()).await.unwrap().downloads.remove(0);
        assert_eq!(second.path, file.with_file_name("mine (1).txt"));
        std::fs::write(&file, "other").unwrap();
        let third =
            s.perform(Download { force: true, ..download.clone() }).await.unwrap().downloads.remove(0);
        assert_eq!((third.path, std::fs::read(&file).unwrap()), (file.clone(), b"abcde".to_vec()));
        let into = Download { path: Some(folder.path().to_owned()), ..download.clone() };
        assert_eq!(s.perform(into).await.unwrap().downloads[0].path, folder.path().join("a.txt"));
        let nowhere = Download { path: Some(file.join("below a file")), ..download };
        assert_eq!(code(s.perform(nowhere).await), Code::InvalidInput);
    });
}
