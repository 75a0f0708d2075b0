//! A secret typed through everything that types, at every front and in every toolset, into a page that repeats it wherever it can: it is in
//! nothing that webhand answers, logs or keeps, and in no process's arguments or environment.

mod dialects;
mod questions;
mod tools;
mod verbs;
mod ways;

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use tempfile::TempDir;

use crate::support::{Home, site};

/// The secret. No page, message or name has it by chance, and every encoding writes it in another way. A path can have it.
const CANARY: &str = "Kanarien/vogel+7Q";

/// A login form that says what it was given, in all the ways that it can.
const PAGE: &str = "<form onsubmit='return false'><label>User <input id=user></label> <label>Word <input id=word type=password></label></form>
    <p id=out></p> <pre id=split></pre> <a id=file href='data:text/plain,x' download=x.txt>file</a> <select id=list aria-label=List></select> <input id=upload type=file>
    <button id=ask ondragover='event.preventDefault()' onclick='word.value = prompt(word.value); word.oninput()'>Ask</button> <script>
    word.oninput = () => {
      const text = word.value;
      document.title = text;
      history.replaceState(null, '', location.pathname + '?word=' + encodeURIComponent(text));
      out.textContent = text + ' ' + btoa(text) + ' ' + btoa('u:' + text) + ' ' + JSON.stringify(text);
      out.setAttribute('aria-label', text);
      split.textContent = text.slice(0, 9) + '\\n' + text.slice(9);
      list.replaceChildren(new Option('none'), new Option(text));
      localStorage.token = text;
      console.error(text);
      fetch('/missing?word=' + encodeURIComponent(text));
      file.download = text + '.txt';
    };
    </script>";

fn page() -> String {
    site().page("page", PAGE)
}

fn ways() -> [String; 6] {
    [
        CANARY.into(),
        CANARY.replace('/', "\\/"),
        "Kanarien%2Fvogel%2B7Q".into(),
        "vogel%2b7q".into(),
        STANDARD.encode(CANARY)[..20].into(),
        STANDARD.encode(format!("u:{CANARY}"))[4..20].into(),
    ]
}

#[track_caller]
fn has_nothing(what: &str, text: &str) {
    let shown = || text.chars().take(4_000).collect::<String>();
    for way in ways() {
        assert!(!text.contains(&way), "{what} has {way}: {}", shown());
    }
    // Also where a line, as it is or as JSON writes it, ends in the midst of it.
    let mut whole = text.replace("\\\\n", "").replace("\\n", "");
    whole.retain(|c| !c.is_whitespace());
    // What is typed key by key is said key by key: all but the last is nearly all of it.
    assert!(!whole.contains(&CANARY[..CANARY.len() - 1]), "{what} has it in pieces: {}", shown());
}

/// What a step says, without the secret that is in it.
fn named(step: &str) -> String {
    step.replace(CANARY, "…")
}

/// A home and a folder to work in, with a file whose path has the secret in it.
struct Place {
    home: Home,
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { home: Home::new(), folder: tempfile::tempdir().unwrap() };
        place.home.configure("nanobot_enabled = true\nnanobot_open = true\n");
        let file = place.file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "x").unwrap();
        place
    }

    /// The file.
    fn file(&self) -> PathBuf {
        self.folder.path().join(CANARY)
    }

    /// Where the log goes of what the test itself starts.
    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Looks through all that is kept, and at the processes that run.
    #[track_caller]
    fn look_through(&self, log: &Path) {
        self.look_at_files(log);
        let processes = self.processes();
        assert!(processes.len() > 2, "{processes:?}");
        for process in processes {
            has_nothing("a process", &process);
        }
        has_nothing("history", &format!("{:?}", self.home.history()));
    }

    /// Looks through all files. What Chromium keeps of a page is the page's: it is not ours to mask.
    #[track_caller]
    fn look_at_files(&self, log: &Path) {
        let files = walk(self.home.path());
        assert!(files.iter().any(|file| file.ends_with("journal.db")), "{files:?}");
        for file in files.into_iter().chain(walk(self.folder.path())).filter(|file| *file != self.file()) {
            has_nothing("the name of a file", &file.display().to_string());
            let content = fs::read(&file).unwrap_or_default();
            has_nothing(&file.display().to_string(), &String::from_utf8_lossy(&content));
        }
        assert!(fs::read_to_string(log).unwrap().contains("TRACE"), "it says as much as it can");
    }

    /// The arguments and the environment of everything that runs in this home: whoever is started inherits its name.
    fn processes(&self) -> Vec<String> {
        let home = self.home.path().display().to_string();
        let read = |folder: PathBuf| {
            let [arguments, environment] = ["cmdline", "environ"].map(|file| fs::read(folder.join(file)));
            Some([arguments.ok()?, environment.ok()?].concat())
        };
        let all = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| read(entry.path()));
        let all = all.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        all.filter(|process| process.contains(&home)).collect()
    }
}

/// All files below a folder, but not those that Chromium keeps for its profiles.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let ours = entries.filter(|path| !path.ends_with("profiles"));
    ours.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
