//! The shape of the workspace, checked by machine: which crate may know which, and that nothing unfinished has landed.

#![expect(
    clippy::unwrap_used,
    reason = "tests: a workspace that cannot be read fails loudly, in helpers too"
)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use toml::{Table, Value};

/// Whom each crate may depend on, the highest one first. A new crate finds its place here.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("webhand", &["toolsets", "engine", "cdp", "guard", "journal", "contract"]),
    ("toolsets", &["engine", "contract"]),
    ("engine", &["cdp", "guard", "journal", "contract"]),
    ("guard", &["contract"]),
    ("journal", &["contract"]),
    ("cdp", &[]),
    ("contract", &[]),
    // Only for tests: nobody may depend on it but as a dev-dependency.
    ("testkit", &["cdp"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn table(manifest: &Path) -> Table {
    fs::read_to_string(manifest).unwrap().parse().unwrap()
}

/// The folder of every crate with its manifest.
fn crates() -> BTreeMap<String, Table> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let named = |folder: PathBuf| {
        (folder.file_name().unwrap().to_str().unwrap().to_owned(), table(&folder.join("Cargo.toml")))
    };
    folders.map(named).collect()
}

/// The crates of this workspace that a section names, under whatever alias.
fn ours(section: Option<&Value>, workspace: &Table) -> Vec<String> {
    let shared = &workspace["workspace"]["dependencies"];
    let folder = |(name, said): (&String, &Value)| {
        let is_shared = said.get("workspace").and_then(Value::as_bool) == Some(true);
        let said = if is_shared { shared.get(name)? } else { said };
        let path = Path::new(said.get("path")?.as_str()?);
        Some(path.file_name()?.to_str()?.to_owned())
    };
    section.and_then(Value::as_table).into_iter().flatten().filter_map(folder).collect()
}

/// The sections that end up in what is built, those for one platform included.
fn normal_sections(manifest: &Table) -> Vec<&Value> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let targets = targets.filter_map(|(_, target)| target.as_table());
    let all = std::iter::once(manifest).chain(targets);
    all.flat_map(|table| ["dependencies", "build-dependencies"].map(|name| table.get(name)))
        .flatten()
        .collect()
}

#[test]
fn dependencies_only_point_down() {
    let workspace = table(&root().join("Cargo.toml"));
    let crates = crates();
    let known: Vec<_> = MAY_KNOW.iter().map(|(name, _)| *name).collect();
    for (name, manifest) in &crates {
        let place = MAY_KNOW.iter().find(|(known, _)| known == name);
        let (_, allowed) = place.unwrap_or_else(|| unplaced(name, &known));
        for section in normal_sections(manifest) {
            for dependency in ours(Some(section), &workspace) {
                assert!(allowed.contains(&&*dependency), "{name} may not depend on {dependency}");
            }
        }
    }
    assert!(known.iter().all(|name| crates.contains_key(*name)), "{known:?} are not all there");
}

#[expect(clippy::panic, reason = "the failure of the test that calls it")]
fn unplaced(name: &str, known: &[&str]) -> ! {
    panic!("{name} has no place yet among {known:?}")
}

/// Guards the test above: were aliases not resolved, it would find nothing to complain about.
#[test]
fn the_dependencies_are_seen() {
    let (workspace, crates) = (table(&root().join("Cargo.toml")), crates());
    let of = |name: &str, section: &str| ours(crates[name].get(section), &workspace);
    assert_eq!(of("webhand", "dependencies"), ["cdp", "contract", "engine", "guard", "journal", "toolsets"]);
    assert_eq!(of("engine", "dev-dependencies"), ["testkit"]);
    let direct = "x = { path = \"../engine\" }\ny.workspace = true".parse().unwrap();
    assert_eq!(ours(Some(&Value::Table(direct)), &workspace), ["engine"]);
}

#[test]
fn nothing_is_left_to_be_written() {
    let mut folders: Vec<_> =
        crates().keys().map(|name| root().join("crates").join(name).join("src")).collect();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files += 1;
                let text = fs::read_to_string(&path).unwrap();
                for word in ["todo!", "unimplemented!"] {
                    assert!(!text.contains(word), "{word} in {}", path.display());
                }
            }
        }
    }
    assert!(files > 20, "only {files} files were found");
}
