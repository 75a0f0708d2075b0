//! The folders that a client's tools may use: its roots, and webhand's own for the session. Without roots, the folder that the server
//! was started in. A client whose word does not count has only webhand's own.

#![expect(deprecated, reason = "roots are on their way out of the protocol, and what clients of today have")]

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use contract::SessionName;
use engine::Agent;
use rmcp::{RoleServer, service::Peer};
use tokio::{sync::watch, time::timeout};
use url::Url;

use crate::{
    files::{Files, Folders},
    given_folders::GivenFolders,
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
    /// It has told. Wherever its roots led when it did, that is what it was given.
    Told(Vec<PathBuf>),
}

/// The folders of one client.
pub(crate) struct Jail {
    roots: watch::Sender<Roots>,
    /// What may be given to it; none: nothing, whatever it says.
    given: Option<GivenFolders>,
    /// webhand's own folders, which may be used in any case.
    own: Vec<PathBuf>,
    /// The folder of all of webhand's state. What else is in there is nobody's business.
    home: PathBuf,
}

impl Jail {
    pub(crate) fn new(given: Option<GivenFolders>, own: Vec<PathBuf>, home: PathBuf) -> Jail {
        Jail { roots: watch::Sender::new(Roots::None), given, own, home }
    }

    /// The client has roots and will be asked for them; until then nobody knows.
    pub(crate) fn expect(&self) {
        self.roots.send_replace(Roots::Asked);
    }

    /// Asks the client. One that does not answer gets no folder but webhand's own.
    pub(crate) async fn ask(&self, peer: &Peer<RoleServer>) {
        let Some(given) = &self.given else { return };
        // What it told before holds no longer.
        self.expect();
        let told = timeout(PATIENCE, peer.list_roots()).await;
        let roots = match told {
            // Without a root it is as if it had none to tell of.
            Ok(Ok(told)) if told.roots.is_empty() => Roots::None,
            Ok(Ok(told)) => {
                Roots::Told(told.roots.iter().filter_map(|root| real_root(&root.uri, given)).collect())
            }
            _ => {
                tracing::warn!("the client did not tell its roots; only webhand's own folders can be used");
                Roots::Told(Vec::new())
            }
        };
        self.roots.send_replace(roots);
    }
}

impl Folders for Jail {
    async fn files(&self) -> Files {
        let mut roots = self.roots.subscribe();
        let known = timeout(PATIENCE * 2, roots.wait_for(|roots| *roots != Roots::Asked)).await;
        let told = match known {
            Ok(Ok(roots)) => roots.clone(),
            _ => Roots::Told(Vec::new()),
        };
        let folders = match (told, &self.given) {
            (Roots::Told(folders), Some(_)) => folders,
            (_, Some(given)) => given.working_folder().into_iter().collect(),
            (_, None) => Vec::new(),
        };
        Files::only_in(folders, self.own.clone(), self.home.clone())
    }
}

/// The folders that webhand itself keeps for a session, and the one that tools were told to write to. Pictures of all sessions lie together,
/// so an agent with a token of its own does not have those.
pub(crate) fn own(
    home: &Home,
    session: &SessionName,
    named: Option<&Agent>,
    files: Option<PathBuf>,
) -> Vec<PathBuf> {
    let pictures = named.is_none().then(|| home.path().join("screenshots"));
    [home.downloads(session)].into_iter().chain(pictures).chain(files).collect()
}

/// The folder for files of tools. The usual one is named after another dialect's tool, and says nothing to who has only `browser`.
pub(crate) fn files_for(files: &Path, is_browser: bool) -> Option<PathBuf> {
    (!is_browser || files != Path::new(settings::FILES)).then(|| files.to_owned())
}

/// Where a root leads, if it may be used.
fn real_root(uri: &str, given: &GivenFolders) -> Option<PathBuf> {
    let Some(folder) = folder(uri) else {
        tracing::warn!("a root of the client is no folder of this machine, and is not used");
        return None;
    };
    match given.check(&folder) {
        Ok(real) => Some(real),
        Err(error) => {
            tracing::warn!("a root of the client is not used: {}; {}", error.message, error.hint());
            None
        }
    }
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
        let root = root.path().canonicalize().unwrap();
        let home = Home::at("/nowhere".as_ref());
        let given = GivenFolders::new(&home, &[]);
        let jail = Jail::new(Some(given), vec!["/nowhere/downloads".into()], "/nowhere".into());
        jail.roots.send_replace(Roots::Told(vec![root.clone()]));
        let files = jail.files().await;
        assert_eq!(files.named("a.png".as_ref()).unwrap(), root.join("a.png"));
        assert!(files.named("/etc/passwd".as_ref()).is_err());
        assert!(files.named("/nowhere/downloads/a".as_ref()).is_ok());
        assert!(files.named("/nowhere/token".as_ref()).is_err());
    }
}
