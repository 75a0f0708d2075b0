//! A client on stdio that names roots with which its tools would reach more than a project: everything, somebody's home folder, webhand's
//! own state. It spells them in every way, and changes what they are afterwards.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fronts::talk::Mcp;
use crate::support::{Home, site};

/// A user's home folder with a secret and webhand's own state in it, as most people have it.
struct User {
    folder: TempDir,
    home: Home,
}

impl User {
    fn new() -> User {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("id_rsa"), "secret").unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        fs::write(folder.path().join("project/mine.txt"), "mine").unwrap();
        User { folder, home: Home::new() }
    }

    fn start(&self, args: &[&str], started_in: &Path) -> Mcp {
        let mut command = self.home.command(&[&["mcp"], args].concat());
        Mcp::heard(command.env("HOME", self.folder.path()).current_dir(started_in))
    }

    /// A client that has said hello and told this root.
    fn with_root(&self, args: &[&str], uri: &str) -> Mcp {
        let mut mcp = self.start(args, &self.folder.path().join("project"));
        mcp.greet(&json!({"roots": {"listChanged": true}}));
        tell(&mut mcp, uri);
        mcp.text("browser_navigate", &json!({"url": site().page("page", "<input type=file>")}));
        mcp
    }
}

/// Answers the question for the roots.
fn tell(mcp: &mut Mcp, uri: &str) {
    let asked = loop {
        let message = mcp.hear();
        if message["method"] == "roots/list" {
            break message;
        }
    };
    mcp.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri}]}}));
}

fn change(mcp: &mut Mcp, uri: &str) {
    mcp.say(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    tell(mcp, uri);
}

fn upload(mcp: &mut Mcp, file: &Path) -> Value {
    let result = mcp.call("browser_file_upload", &json!({"paths": [file], "target": "css=input"}));
    match result["isError"] == true {
        true => result["structuredContent"]["error"]["code"].clone(),
        false => json!("OK"),
    }
}

#[test]
fn no_spelling_of_a_root_opens_what_is_nobodys_project() {
    let user = User::new();
    let (folder, home) = (user.folder.path(), user.home.path());
    let links = tempfile::tempdir().unwrap();
    let link = |name: &str, to: &Path| {
        let path = links.path().join(name);
        symlink(to, &path).unwrap();
        path.display().to_string()
    };
    let (to_all, to_user, to_state) = (link("all", "/".as_ref()), link("user", folder), link("state", home));
    fs::create_dir_all(home.join("profiles")).unwrap();
    let (user_name, state_name) = (folder.display(), home.display());
    let mut roots = vec![
        "file:///".to_owned(),
        "file:////".to_owned(),
        "file://localhost/".to_owned(),
        "file:///tmp/..".to_owned(),
        "file:///tmp/%2e%2e/".to_owned(),
        "file:///tmp%2f..".to_owned(),
        "file:///proc/self/root".to_owned(),
        format!("file://{to_all}"),
        format!("file://{to_all}/./"),
        format!("file://{user_name}"),
        format!("file://{user_name}/"),
        format!("file://{user_name}//"),
        format!("file://{user_name}/project/.."),
        format!("file://{user_name}/project%2F.."),
        format!("FILE://{user_name}"),
        format!("file://{to_user}"),
        format!("file://{}", folder.parent().unwrap().display()),
        format!("file://{state_name}"),
        format!("file://{state_name}/"),
        format!("file:///{state_name}"),
        format!("file://{state_name}/downloads/.."),
        format!("file://{state_name}/profiles"),
        format!("file://{to_state}"),
        format!("file://{to_state}/run"),
    ];
    roots.push(format!("file:{user_name}"));
    let mut mcp = user.with_root(&[], "file:///");
    // What another client of this home would be after.
    fs::write(home.join("approver-token"), "token").unwrap();
    fs::write(home.join("profiles/cookies"), "cookies").unwrap();
    let secrets = [
        folder.join("id_rsa"),
        home.join("approver-token"),
        home.join("profiles/cookies"),
        home.join("journal.db"),
    ];
    for root in &roots {
        change(&mut mcp, root);
        for secret in &secrets {
            assert_eq!(upload(&mut mcp, secret), "ACTION_DENIED", "{} by {root}", secret.display());
        }
        for name in ["id_rsa", "approver-token", "profiles/cookies", "cookies"] {
            assert_ne!(upload(&mut mcp, name.as_ref()), "OK", "{name} by {root}");
        }
        let write = json!({"filename": home.join("config.toml")});
        assert_eq!(mcp.code("browser_take_screenshot", &write), "ACTION_DENIED", "{root}");
    }
    change(&mut mcp, &format!("file://{user_name}/project"));
    assert_eq!(upload(&mut mcp, "mine.txt".as_ref()), "OK", "a project may be a root");
    for secret in &secrets {
        assert_eq!(upload(&mut mcp, secret), "ACTION_DENIED", "{}", secret.display());
    }
}

#[test]
fn a_root_is_what_it_was_when_it_was_told() {
    let user = User::new();
    let (folder, project) = (user.folder.path(), user.folder.path().join("project"));
    let mut mcp = user.with_root(&[], &format!("file://{}", project.display()));
    fs::write(user.home.path().join("approver-token"), "token").unwrap();
    assert_eq!(upload(&mut mcp, &project.join("mine.txt")), "OK");
    fs::rename(&project, folder.join("moved")).unwrap();
    for to in [Path::new("/"), folder, user.home.path(), folder.parent().unwrap()] {
        let _ = fs::remove_file(&project);
        symlink(to, &project).unwrap();
        for secret in [folder.join("id_rsa"), user.home.path().join("approver-token")] {
            assert_eq!(upload(&mut mcp, &secret), "ACTION_DENIED", "{}", to.display());
            let rest = secret.strip_prefix(to).or_else(|_| secret.strip_prefix("/")).unwrap();
            let through = project.join(rest);
            assert_eq!(
                upload(&mut mcp, &through),
                "ACTION_DENIED",
                "{} through {}",
                secret.display(),
                to.display()
            );
        }
    }
    fs::remove_file(&project).unwrap();
    // A link in a root leads nowhere else either.
    fs::rename(folder.join("moved"), &project).unwrap();
    symlink(user.home.path(), project.join("state")).unwrap();
    symlink(folder.join("id_rsa"), project.join("key")).unwrap();
    for name in ["state/approver-token", "key", "../id_rsa"] {
        assert_eq!(upload(&mut mcp, &project.join(name)), "ACTION_DENIED", "{name}");
    }
    assert_eq!(upload(&mut mcp, &project.join("mine.txt")), "OK");
}

#[test]
fn a_server_that_is_started_in_a_home_folder_was_not_given_it() {
    let user = User::new();
    let user_folder = user.folder.path();
    let wide = user_folder.parent().unwrap();
    for started_in in [user_folder, user.home.path(), wide, Path::new("/")] {
        let mut mcp = user.start(&[], started_in);
        mcp.greet(&json!({}));
        mcp.text("browser_navigate", &json!({"url": site().page("page", "<input type=file>")}));
        let denied = upload(&mut mcp, &user_folder.join("id_rsa"));
        assert_eq!(denied, "ACTION_DENIED", "{}", started_in.display());
        assert_ne!(upload(&mut mcp, "id_rsa".as_ref()), "OK", "{}", started_in.display());
    }
}

#[test]
fn the_operator_gives_a_wide_root_but_never_webhands_own_state() {
    let user = User::new();
    let named = user.folder.path().display().to_string();
    let mut mcp = user.with_root(&["--wide-roots", &named], &format!("file://{named}"));
    assert_eq!(upload(&mut mcp, &user.folder.path().join("id_rsa")), "OK");
    change(&mut mcp, "file:///");
    assert_eq!(upload(&mut mcp, &user.folder.path().join("id_rsa")), "ACTION_DENIED", "only what was named");
    drop(mcp);
    let mut mcp = user.with_root(&["--wide-roots", "/"], "file:///");
    assert_eq!(upload(&mut mcp, &user.folder.path().join("id_rsa")), "OK");
    fs::write(user.home.path().join("approver-token"), "token").unwrap();
    assert_eq!(upload(&mut mcp, &user.home.path().join("approver-token")), "ACTION_DENIED");
}
