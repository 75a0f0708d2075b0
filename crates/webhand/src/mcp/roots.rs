//! The folders that a client's tools may use: its roots, and webhand's own for the session. Without roots, the folder that the server
//! was started in.

#![expect(deprecated, reason = "roots are on their way out of the protocol, and what clients of today have")]

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use contract::SessionName;
use rmcp::{RoleServer, service::Peer};
use tokio::{sync::watch, time::timeout};
use url::Url;

use crate::{
    files::{Files, Folders},
    home::Home,
    settings,
};

/// How long a client may take to tell its roots.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known of a client's roots.
#[derive(Clone, Debug, PartialEq)]
enum Roots {
    /// It has none to tell of.
    None,
    /// It is being asked.
    Asked,
    /// It has told.
    Told(Vec<PathBuf>),
}

/// The folders of one client.
pub(crate) struct Jail {
    roots: watch::Sender<Roots>,
    /// webhand's own folders, which may be used in any case.
    own: Vec<PathBuf>,
    /// The folder of all of webhand's state. What else is in there is nobody's business.
    home: PathBuf,
}

impl Jail {
    pub(crate) fn new(own: Vec<PathBuf>, home: PathBuf) -> Jail {
        Jail { roots: watch::Sender::new(Roots::None), own, home }
    }

    /// The client has roots and will be asked for them; until then nobody knows.
    pub(crate) fn expect(&self) {
        self.roots.send_replace(Roots::Asked);
    }

    /// Asks the client. One that does not answer gets no folder but webhand's own.
    pub(crate) async fn ask(&self, peer: &Peer<RoleServer>) {
        let told = timeout(PATIENCE, peer.list_roots()).await;
        let roots = match told {
            Ok(Ok(told)) => told.roots.iter().filter_map(|root| folder(&root.uri)).collect(),
            _ => {
                tracing::warn!("the client did not tell its roots; only webhand's own folders can be used");
                self.own.clone()
            }
        };
        self.roots.send_replace(Roots::Told(roots));
    }
}

impl Folders for Jail {
    async fn files(&self) -> Files {
        let mut roots = self.roots.subscribe();
        let known = timeout(PATIENCE * 2, roots.wait_for(|roots| *roots != Roots::Asked)).await;
        let told = match known {
            Ok(Ok(roots)) => roots.clone(),
            _ => Roots::Told(self.own.clone()),
        };
        let folders = match told {
            Roots::Told(folders) if !folders.is_empty() => folders,
            _ => working_folder().into_iter().collect(),
        };
        Files::only_in([folders, self.own.clone()].concat(), self.home.clone())
    }
}

/// The folders that webhand itself keeps for a session, and the one that tools were told to write to.
pub(crate) fn own(home: &Home, session: &SessionName, files: Option<PathBuf>) -> Vec<PathBuf> {
    let downloads = home.downloads(session);
    [downloads, home.path().join("screenshots")].into_iter().chain(files).collect()
}

/// The folder for files of tools. The usual one is named after another dialect's tool, and says nothing to who has only `browser`.
pub(crate) fn files_for(files: &Path, is_browser: bool) -> Option<PathBuf> {
    (!is_browser || files != Path::new(settings::FILES)).then(|| files.to_owned())
}

/// The folder that the server was started in. Desktop applications start theirs at the root of everything, which is no choice of
/// anybody's.
pub(crate) fn working_folder() -> Option<PathBuf> {
    std::env::current_dir().ok().filter(|folder| folder.parent().is_some())
}

fn folder(uri: &str) -> Option<PathBuf> {
    Url::parse(uri).ok().filter(|uri| uri.scheme() == "file")?.to_file_path().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_folders() {
        assert_eq!(folder("file:///home/ada/my%20work"), Some("/home/ada/my work".into()));
        for bad in ["https://example.com/", "/home/ada", "file://elsewhere/share", "", "relative"] {
            assert_eq!(folder(bad), None, "{bad}");
        }
    }

    #[tokio::test]
    async fn files_stay_in_the_roots() {
        let root = tempfile::tempdir().unwrap();
        let jail = Jail::new(vec!["/nowhere/downloads".into()], "/nowhere".into());
        jail.roots.send_replace(Roots::Told(vec![root.path().to_owned()]));
        let files = jail.files().await;
        assert_eq!(files.named("a.png".as_ref()).unwrap(), root.path().join("a.png"));
        assert!(files.named("/etc/passwd".as_ref()).is_err());
        assert!(files.named("/nowhere/downloads/a".as_ref()).is_ok());
        assert!(files.named("/nowhere/token".as_ref()).is_err());
    }
}
