//! Pages made with real frameworks (React, Vue, Svelte): their sources are in `frameworks/`, the pages are built on this
//! machine before the first test that wants them. Nothing of the frameworks is in the repository.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use axum::extract::Path as UrlPath;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::install;

/// The frameworks that there is a page of, `/frameworks/NAME/form.html`. It is the same page in each.
pub const FRAMEWORKS: [&str; 3] = ["react", "vue", "svelte"];

/// The folder of the built pages, which the site serves as `/frameworks/`. The first call builds them if their sources
/// are new, which takes some seconds, and longer where Node has to be installed first; so call this before you go there.
///
/// # Panics
/// Where they cannot be built, with what to do: a test that needs them fails, it is never skipped.
pub fn frameworks() -> &'static Path {
    static PAGES: OnceLock<PathBuf> = OnceLock::new();
    PAGES.get_or_init(find_or_build)
}

fn find_or_build() -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("frameworks");
    let inputs = files_of(&sources);
    let builds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/frameworks");
    let built = builds.join(digest(&inputs));
    if built.is_dir() {
        return built;
    }
    fs::create_dir_all(&builds).expect("a folder for the built pages");
    // Several test processes may come at once; whoever is second finds what the first has built.
    let lock = File::create(builds.join("lock")).expect("a lock file");
    lock.lock().expect("the lock for building");
    if built.is_dir() {
        return built;
    }
    let work = builds.join("work");
    if work.is_dir() {
        fs::remove_dir_all(&work).expect("what a killed process left goes");
    }
    for (name, content) in &inputs {
        let copy = work.join(name);
        fs::create_dir_all(copy.parent().unwrap_or(&work)).expect("a folder to work in");
        fs::write(copy, content).expect("a copy of a source");
    }
    build(&work);
    fs::rename(work.join("pages"), &built).expect("a place for the built pages");
    fs::remove_dir_all(&work).expect("what is no longer needed goes");
    built
}

fn build(work: &Path) {
    // One after the other: where Node comes with its npm, asking for both at once can be a conflict.
    for (program, package) in [("node", "nodejs"), ("npm", "npm")] {
        if !cdp::install::on_path(program) {
            install::package(package);
        }
    }
    eprintln!("building the pages of the frameworks, which takes some seconds");
    // esbuild has its program in a package for each platform; its install script is only a short cut to that.
    run(work, "npm", &["ci", "--ignore-scripts", "--include=optional"]);
    run(work, "node", &["build.mjs", "pages"]);
}

#[expect(clippy::panic, reason = "pages that cannot be built are a loud failure, never a skipped test")]
fn run(work: &Path, program: &str, args: &[&str]) {
    let line = format!("{program} {}", args.join(" "));
    let output = Command::new(program).args(args).current_dir(work).stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("`{line}` could not be run: {error}"));
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        panic!(
            "these tests need pages that are built with npm: check that the npm registry can be reached and that \
             Node is 18 or newer; `{line}` failed ({}): {words}",
            output.status
        );
    }
}

/// Every file below the folder as (name from there, content), sorted by name.
fn files_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of sources") {
        let entry = entry.expect("an entry of it");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        // Left by whoever tried a build in place.
        if name == "node_modules" {
            continue;
        }
        if entry.path().is_dir() {
            let below = files_of(&entry.path()).into_iter();
            files.extend(below.map(|(rest, content)| (format!("{name}/{rest}"), content)));
        } else {
            files.push((name, fs::read(entry.path()).expect("a source")));
        }
    }
    files.sort();
    files
}

fn digest(inputs: &[(String, Vec<u8>)]) -> String {
    let mut hasher = DefaultHasher::new();
    inputs.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// `/frameworks/{path}`: a built file, or 404.
pub(crate) async fn serve(UrlPath(path): UrlPath<String>) -> Response {
    let path = PathBuf::from(path);
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let kind = match path.extension().and_then(OsStr::to_str) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    let read = tokio::task::spawn_blocking(move || fs::read(frameworks().join(path)));
    match read.await {
        Ok(Ok(content)) => ([(header::CONTENT_TYPE, kind)], content).into_response(),
        Ok(_) => StatusCode::NOT_FOUND.into_response(),
        // Building has panicked, and said why.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FRAMEWORKS, digest, frameworks};

    #[test]
    fn every_framework_has_its_page() {
        for framework in FRAMEWORKS {
            for file in ["form.html", "form.js"] {
                assert!(frameworks().join(framework).join(file).is_file(), "{framework}/{file}");
            }
        }
    }

    #[test]
    fn other_sources_are_another_build() {
        let one = |name: &str, content: &str| digest(&[(name.to_owned(), content.as_bytes().to_vec())]);
        assert_eq!(one("a", "b"), one("a", "b"));
        assert_ne!(one("a", "b"), one("a", "c"));
        assert_ne!(one("a", "b"), one("c", "b"));
    }
}
