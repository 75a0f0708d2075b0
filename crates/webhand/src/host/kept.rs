//! What a host application told of its tabs, in a file: a server that is started again still knows the targets.

use std::{
    fs,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Tab, Told};

/// A tab as the file has it.
#[derive(Serialize, Deserialize)]
struct Row {
    key: (String, String, String),
    #[serde(flatten)]
    tab: Tab,
}

/// The file, if there is to be one.
#[derive(Default)]
pub(super) struct Kept(pub(super) Option<PathBuf>);

impl Kept {
    /// What was told before. A file that cannot be read is as good as none: the host tells again.
    pub(super) fn load(&self) -> Told {
        let text = self.0.as_ref().and_then(|file| fs::read(file).ok()).unwrap_or_default();
        let rows: Vec<Row> = serde_json::from_slice(&text).unwrap_or_default();
        let count = rows.iter().map(|row| row.tab.order).max().unwrap_or_default();
        Told { tabs: rows.into_iter().map(|row| (row.key, row.tab)).collect(), count }
    }

    /// Writes it down, for the user alone. That it cannot be written is logged: the host's page works all the same.
    pub(super) fn save(&self, told: &Told) {
        let Some(file) = &self.0 else { return };
        let rows: Vec<Row> =
            told.tabs.iter().map(|(key, tab)| Row { key: key.clone(), tab: tab.clone() }).collect();
        if let Err(error) = write(file, &serde_json::to_vec(&rows).unwrap_or_default()) {
            tracing::warn!(%error, file = %file.display(), "the host's tabs cannot be kept");
        }
    }
}

/// All of it or nothing.
fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let unfinished = file.with_extension("part");
    let mut open = fs::OpenOptions::new();
    let mut to = open.write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    to.write_all(bytes)?;
    fs::rename(unfinished, file)
}
