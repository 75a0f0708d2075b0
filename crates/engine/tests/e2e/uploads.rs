//! Files given to pages: to fields, to what opens a chooser, dropped.

use std::{path::PathBuf, time::Duration};

use contract::Code;
use engine::actions::{Tabs, Upload};
use serde_json::json;

use crate::{
    clicking::click,
    support::{Fixture, code, eval_main, goto, run, show, site},
};

/// A file with this in it, for as long as the folder lives.
fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn upload(target: &str, files: &[&PathBuf]) -> Upload {
    Upload::new(target.parse().unwrap(), files.iter().map(|file| file.to_path_buf()).collect())
}

async fn out(s: &Fixture) -> String {
    eval_main(s, "out.textContent").await.value.unwrap().as_str().unwrap().to_owned()
}

/// Says what it was given, with the content of each file.
const SAYS: &str = r#"<output id="out"></output><script>
  const say = async (event, files) => out.textContent += `${event.type}${event.isTrusted ? '' : '!'} ` + (await Promise.all([...files].map(async f => `${f.name}=${await f.text()}`))).join(' ') + ';';
  </script>"#;

#[test]
fn a_field_takes_files_though_nobody_sees_it() {
    run(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (file(&folder, "a.txt", "one"), file(&folder, "b.png", "two"));
        show(&s, &format!(r#"{SAYS}<label id="label">Photo <input id="one" type="file" accept="image/*" hidden onchange="say(event, this.files)"></label>
          <input id="many" type="file" multiple onchange="say(event, this.files)"><input id="off" type="file" disabled>"#))
            .await;
        let outcome = s.perform(upload("css=#one", &[&b])).await.unwrap();
        assert_eq!(out(&s).await, "change b.png=two;");
        assert_eq!(outcome.value.unwrap(), json!([{"name": "b.png", "bytes": 3}]));
        assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
        let unfit = s.perform(upload("css=#label", &[&a])).await.unwrap();
        assert!(out(&s).await.ends_with("change a.txt=one;"), "{}", out(&s).await);
        assert!(unfit.notes[0].contains("image/*"), "{:?}", unfit.notes);
        s.perform(upload("css=#many", &[&a, &b])).await.unwrap();
        assert!(out(&s).await.ends_with("change a.txt=one b.png=two;"), "{}", out(&s).await);
        assert_eq!(code(s.perform(upload("css=#one", &[&a, &b])).await), Code::InvalidInput);
        assert_eq!(code(s.perform(upload("css=#off", &[&a])).await), Code::ElementNotEnabled);
        assert_eq!(
            code(s.perform(upload("css=#one", &[&folder.path().to_owned()])).await),
            Code::InvalidInput
        );
    });
}

#[test]
fn a_button_that_opens_the_chooser() {
    run(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (file(&folder, "a.txt", "one"), file(&folder, "b.txt", "two"));
        show(&s, &format!(r#"{SAYS}<button id="go" onclick="const f = document.createElement('input'); f.type = 'file'; f.onchange = e => say(e, f.files); f.click()">Choose</button>
          <button id="no" onclick="out.textContent += 'no;'">Nothing</button>"#))
            .await;
        let outcome = s.perform(upload("css=#go", &[&a])).await.unwrap();
        assert_eq!(out(&s).await, "change a.txt=one;");
        assert_eq!(outcome.target.unwrap().name, "Choose");
        assert_eq!(code(s.perform(upload("css=#go", &[&a, &b])).await), Code::InvalidInput);
        assert_eq!(code(s.perform(upload("css=#no", &[&a])).await), Code::NoEffect);
        assert_eq!(out(&s).await, "change a.txt=one;no;");
        // What is no file is found before anything is clicked.
        let missing = s.perform(upload("css=#no", &[&folder.path().join("missing.txt")])).await.unwrap_err();
        assert_eq!(missing.code, Code::InvalidInput);
        assert!(missing.message.contains("missing.txt"), "{missing}");
        assert_eq!(out(&s).await, "change a.txt=one;no;");
    });
}

#[test]
fn a_chooser_that_a_click_opened() {
    run(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (file(&folder, "a.txt", "one"), file(&folder, "b.txt", "two"));
        let inner = site()
            .page(
                "inner",
                &format!(r#"{SAYS}<input id="far" type="file" onchange="say(event, this.files)">"#),
            )
            .replace("127.0.0.1", "localhost");
        show(
            &s,
            &format!(
                r#"{SAYS}<label>Photo <input id="one" type="file" onchange="say(event, this.files)"></label>
          <iframe src="{}"></iframe>"#,
                inner.replace('"', "&quot;")
            ),
        )
        .await;
        let to_open = |files: &[&PathBuf]| {
            Upload::to_open_chooser(files.iter().map(|file| file.to_path_buf()).collect())
        };
        assert_eq!(code(s.perform(to_open(&[&a])).await), Code::InvalidInput, "none is open");
        let clicked = s.perform(click("css=#one")).await.unwrap();
        assert!(clicked.notes.iter().any(|note| note.contains("asks for files")), "{:?}", clicked.notes);
        assert_eq!(code(s.perform(to_open(&[&a, &b])).await), Code::InvalidInput, "it takes one");
        let given = s.perform(to_open(&[&a])).await.unwrap();
        assert_eq!(given.value.unwrap(), json!([{"name": "a.txt", "bytes": 3}]));
        assert_eq!(out(&s).await, "change a.txt=one;");
        assert_eq!(code(s.perform(to_open(&[&b])).await), Code::InvalidInput, "it has its files");
        // Left without files, it is no longer open.
        s.perform(click("css=#one")).await.unwrap();
        s.perform(to_open(&[])).await.unwrap();
        assert_eq!(code(s.perform(to_open(&[])).await), Code::InvalidInput);
        assert_eq!(out(&s).await, "change a.txt=one;");
        // In a frame of another process, and gone with its page.
        s.perform(click("css=#far")).await.unwrap();
        s.perform(to_open(&[&b])).await.unwrap();
        let said = engine::actions::Eval {
            frame: Some(contract::FrameId(1)),
            ..engine::actions::Eval::new("out.textContent")
        };
        assert_eq!(s.perform(said).await.unwrap().value.unwrap(), "change b.txt=two;");
        s.perform(click("css=#one")).await.unwrap();
        show(&s, "<p>another page").await;
        assert_eq!(code(s.perform(to_open(&[&a])).await), Code::InvalidInput);
        let dropped = Upload { drop: true, ..to_open(&[&a]) };
        assert_eq!(code(s.perform(dropped).await), Code::InvalidInput);
    });
}

#[test]
fn files_are_dropped_onto_an_area() {
    run(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let a = file(&folder, "a.txt", "one");
        show(&s, &format!(r#"{SAYS}<div style="height: 1500px">above</div><div id="area" style="height: 100px; background: #eee" ondragover="event.preventDefault()"
          ondrop="event.preventDefault(); say(event, event.dataTransfer.files)">Drop here</div><div id="other" style="height: 100px">Not here</div>
          <div id="careless" style="height: 100px" ondragover="event.preventDefault()">Here, but nobody listens</div>
          <div id="sly" style="height: 100px" ondragover="event.preventDefault(); this.innerHTML = '<iframe srcdoc=x style=width:100%;height:100%></iframe>'">In a frame</div>"#))
            .await;
        s.perform(Upload { drop: true, ..upload("css=#area", &[&a]) }).await.unwrap();
        assert_eq!(out(&s).await, "drop a.txt=one;");
        assert_eq!(
            code(s.perform(Upload { drop: true, ..upload("css=#other", &[&a]) }).await),
            Code::NoEffect
        );
        assert_eq!(out(&s).await, "drop a.txt=one;");
        let tabs = async || s.perform(Tabs { op: None }).await.unwrap().tabs.unwrap();
        let _ = s.perform(Upload { drop: true, ..upload("css=#careless", &[&a]) }).await;
        assert_eq!(tabs().await.len(), 1, "the file was not opened in a tab");
        // A page can put a frame below it that does not even know that something comes. Then there may be a tab for a moment.
        let _ = s.perform(Upload { drop: true, ..upload("css=#sly", &[&a]) }).await;
        let closed = async {
            while tabs().await.len() > 1 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), closed).await.expect("the file is closed again");
        assert!(
            s.eval("location.href").await.as_str().unwrap().starts_with("http:"),
            "the file was not opened"
        );
    });
}

#[test]
fn a_folder_and_its_field() {
    run(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let a = file(&folder, "a.txt", "one");
        show(
            &s,
            &format!(
                r#"{SAYS}<input id="folder" type="file" webkitdirectory onchange="say(event, this.files)">"#
            ),
        )
        .await;
        s.perform(upload("css=#folder", &[&folder.path().to_owned()])).await.unwrap();
        assert_eq!(out(&s).await, "change a.txt=one;");
        assert_eq!(code(s.perform(upload("css=#folder", &[&a])).await), Code::InvalidInput);
    });
}

#[test]
fn in_a_frame_of_another_process() {
    run(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let a = file(&folder, "a.txt", "one");
        let inner = format!(
            r#"{SAYS}<input id="in" type="file" onchange="say(event, this.files)">
          <button id="go" onclick="document.querySelector('input').click()">Choose</button>"#
        );
        let inner = site().page("inner", &inner).replace("127.0.0.1", "b.localhost");
        let frame =
            format!(r#"<iframe width="600" height="300" src="{}"></iframe>"#, inner.replace('"', "&quot;"));
        let page = site().page("outer", &frame).replace("127.0.0.1", "a.localhost");
        s.perform(goto(&page)).await.unwrap();
        s.perform(upload("css=#in", &[&a])).await.unwrap();
        // The same one again would be no change.
        s.perform(upload("css=#go", &[&file(&folder, "b.txt", "two")])).await.unwrap();
        let said = engine::actions::Eval {
            frame: Some(contract::FrameId(1)),
            ..engine::actions::Eval::new("out.textContent")
        };
        assert_eq!(s.perform(said).await.unwrap().value.unwrap(), "change a.txt=one;change b.txt=two;");
    });
}

/// Puts something else in the place of a file: of the first, the second.
type Swap = fn(&std::path::Path, &std::path::Path);

/// An attack: once a file has been checked and given, its name comes to lead to another one. The page reads what was checked.
#[test]
fn what_was_checked_is_what_a_page_gets() {
    run(async |s| {
        let folder = tempfile::tempdir().unwrap();
        let secret = file(&folder, "secret", "secret");
        let read =
            "Promise.all([...f.files].map(async f => `${f.name}=${await f.text()}`)).then(t => t.join())";
        show(&s, "<input id=f type=file multiple><input id=d type=file webkitdirectory>").await;
        let swaps: [(&str, Swap); 5] = [
            ("a link", |path, secret| std::os::unix::fs::symlink(secret, path).unwrap()),
            ("a hard link", |path, secret| std::fs::hard_link(secret, path).unwrap()),
            ("another file", |path, _| std::fs::write(path, "swapped").unwrap()),
            ("nothing", |_, _| {}),
            ("a folder", |path, _| std::fs::create_dir(path).unwrap()),
        ];
        for (way, swap) in swaps {
            let a = file(&folder, &format!("{way}.txt"), "checked");
            s.perform(upload("css=#f", &[&a])).await.unwrap();
            std::fs::remove_file(&a).unwrap();
            swap(&a, &secret);
            assert_eq!(
                eval_main(&s, read).await.value.unwrap(),
                json!(format!("{way}.txt=checked")),
                "{way}"
            );
        }
        // The file that is there grows, and a folder becomes a link.
        let grown = file(&folder, "grown.txt", "checked");
        s.perform(upload("css=#f", &[&grown])).await.unwrap();
        std::fs::write(&grown, "checked and more").unwrap();
        assert_eq!(eval_main(&s, read).await.value.unwrap(), json!("grown.txt=checked"));
        let inner = folder.path().join("inner");
        std::fs::create_dir_all(inner.join("deep")).unwrap();
        std::fs::write(inner.join("deep/a"), "checked").unwrap();
        s.perform(upload("css=#d", &[&inner])).await.unwrap();
        std::fs::rename(&inner, folder.path().join("moved")).unwrap();
        std::os::unix::fs::symlink(folder.path(), &inner).unwrap();
        let read = "Promise.all([...d.files].map(async f => `${f.webkitRelativePath}=${await f.text()}`)).then(t => t.join())";
        assert_eq!(eval_main(&s, read).await.value.unwrap(), json!("inner/deep/a=checked"));
    });
}
