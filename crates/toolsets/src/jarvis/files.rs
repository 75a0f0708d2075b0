//! The names of the files that `playwright_browser` leaves behind, and what is in them.

use std::path::{Path, PathBuf};

use engine::actions::{Lang, header};
use jiff::civil::DateTime;

/// The heading between what was done and the controls.
const HEADING: &str = "=== 可交互控件 ===";

/// The longest id in a file's name, in bytes. File systems allow 255 for all of it.
const LONGEST_ID: usize = 120;

/// `<browser_id>_<action>_<timestamp>.<ext>` in the folder.
pub(super) fn path(folder: &Path, id: &str, action: &str, time: DateTime, ending: &str) -> PathBuf {
    folder.join(format!("{}_{action}_{}.{ending}", safe(id), time.strftime("%Y%m%d_%H%M%S")))
}

/// An id as part of a file's name: what could lead out of the folder, or cannot be in a name, becomes `_`. A name that is not the id itself
/// ends with a hash of the id, so that no two ids have one name.
fn safe(id: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut name: String = id.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    name.truncate(name.floor_char_boundary(LONGEST_ID));
    // Nobody looks for hidden files.
    if let Some(rest) = name.strip_prefix('.') {
        name = format!("_{rest}");
    }
    if name == id { name } else { format!("{name}-{:08x}", hash(id)) }
}

/// FNV-1a: short, and the same in every run.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The list of controls as the engine makes it, under a head that says what this tool did.
pub(super) fn list(listed: &str, action: &str, time: DateTime) -> String {
    let (head, controls) = listed.split_once(HEADING).unwrap_or(("", listed));
    let url = head.lines().find_map(|line| line.strip_prefix("URL: ")).unwrap_or_default();
    let head = header(action, url, time, Lang::Zh);
    format!("{}{}\n", head.trim_end(), controls.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> DateTime {
        jiff::civil::date(2024, 1, 1).at(12, 0, 0, 0)
    }

    #[test]
    fn names_are_those_of_the_document_and_stay_in_the_folder() {
        let folder = Path::new("/tmp/playwright_browser");
        let name = |id: &str| path(folder, id, "navigate", noon(), "txt");
        assert_eq!(name("default"), folder.join("default_navigate_20240101_120000.txt"));
        assert_eq!(name("浏览器"), folder.join("浏览器_navigate_20240101_120000.txt"));
        let names = ["a/b", "a b", "a_b", "a:b", ".a", "_a"].map(name);
        for (at, one) in names.iter().enumerate() {
            assert!(!names[..at].contains(one), "{one:?} is the file of two browsers");
        }
        assert_eq!(names[2], folder.join("a_b_navigate_20240101_120000.txt"));
        for id in ["../../etc/passwd", "/etc/x", "..", ".", "a/b", "a\0b", "a\\b", "", &"长".repeat(500)] {
            let path = name(id);
            assert_eq!(path.parent(), Some(folder), "{id:?}");
            assert!(path.file_name().is_some_and(|name| name.len() < 200), "{id:?}");
        }
    }

    #[test]
    fn the_head_says_what_the_tool_did() {
        let engines = header("controls", "https://example.com/", noon(), Lang::Zh) + "\n[链接] 首页 -> a";
        assert_eq!(
            list(&engines, "navigate", noon()),
            "操作: navigate\nURL: https://example.com/\n时间: 2024-01-01 12:00:00\n\n=== 可交互控件 ===\n\n[链接] 首页 -> a\n"
        );
        let empty = header("controls", "about:blank", noon(), Lang::Zh);
        assert!(list(empty.trim_end(), "launch", noon()).ends_with("\n=== 可交互控件 ===\n"));
    }
}
