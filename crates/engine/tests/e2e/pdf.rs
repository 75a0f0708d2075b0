//! Printing to a file.

use contract::Code;
use engine::{
    Action,
    actions::{Find, Paper, Pdf, Read, Snapshot},
};

use crate::support::{code, goto, run, show, site};

#[test]
fn a_page_is_printed_as_it_was_asked_for() {
    run(async |s| {
        let pages =
            r#"<p>one</p><p style="break-before: page">two</p><p style="break-before: page">three</p>"#;
        show(&s, pages).await;
        let folder = tempfile::tempdir().unwrap();
        let printed = async |name: &str, pdf: Pdf| {
            let path = folder.path().join("new").join(name);
            let outcome = s.perform(Pdf { path: Some(path.clone()), ..pdf }).await.unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert!(
                bytes.starts_with(b"%PDF-") && outcome.notes[0].contains(&format!("{} bytes", bytes.len())),
                "{outcome:?}"
            );
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let whole = printed("whole.pdf", Pdf::default()).await;
        assert!(whole.contains("/Count 3") && whole.contains("/MediaBox [0 0 59"), "{whole}");
        let some = Pdf {
            pages: Some("2-3".into()),
            paper: Some(Paper::Letter),
            landscape: true,
            scale: Some(0.5),
            background: true,
            ..Pdf::default()
        };
        let some = printed("some.pdf", some).await;
        assert!(some.contains("/Count 2") && some.contains("/MediaBox [0 0 792 612]"), "{some}");
        assert_eq!(std::fs::read_dir(folder.path().join("new")).unwrap().count(), 2, "nothing else is left");
        let outcome = s.perform(Pdf::default()).await.unwrap();
        assert!(outcome.notes[0].ends_with(".pdf") && outcome.notes[0].contains("/pdf/"), "{outcome:?}");
    });
}

#[test]
fn what_cannot_be_printed_says_so() {
    run(async |s| {
        show(&s, "<p>one</p>").await;
        let folder = tempfile::tempdir().unwrap();
        for bad in [
            Pdf { pages: Some("three".into()), ..Pdf::default() },
            Pdf { pages: Some("7-9".into()), ..Pdf::default() },
            Pdf { scale: Some(3.0), ..Pdf::default() },
            Pdf { path: Some(folder.path().to_owned()), ..Pdf::default() },
            Pdf { path: Some("/proc/none/of/this.pdf".into()), ..Pdf::default() },
        ] {
            assert_eq!(code(s.perform(bad.clone()).await), Code::InvalidInput, "{bad:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    });
}

/// The browser shows it in a viewer that has nothing in common with a page: what is seen of it is nothing, and that is said.
#[test]
fn of_a_pdf_nothing_is_seen_and_that_is_said() {
    run(async |s| {
        s.perform(goto(&site().url("/document.pdf"))).await.unwrap();
        let looks: [Action; 3] = [
            Snapshot::default().into(),
            Read::default().into(),
            Find { words: "text".into(), ..Find::default() }.into(),
        ];
        for look in looks {
            let name = look.name();
            let outcome = s.perform(look).await.unwrap();
            assert!(outcome.notes.iter().any(|note| note.contains("PDF")), "{name}: {outcome:?}");
        }
        show(&s, "<p>page</p>").await;
        let outcome = s.perform(Snapshot::default()).await.unwrap();
        assert!(outcome.notes.is_empty(), "{outcome:?}");
    });
}
