//! `storage`: what the page keeps in `localStorage` or `sessionStorage`.

use clap::{Args, Subcommand};
use contract::{Effect, Error, Outcome, Result, Typed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Run, Verb};
pub use crate::storage::Area;
use crate::{
    secrets,
    storage::{self, What},
};

/// List or change what the page's origin keeps in its storage
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// Which storage
    #[arg(value_enum)]
    pub area: Area,
    /// What to do with it; without it the names are listed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[command(subcommand)]
    pub op: Option<StorageOp>,
}

/// What to do with a storage.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Subcommand)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StorageOp {
    /// List what is in it
    List {
        /// With the values, instead of only their length
        #[serde(default)]
        #[arg(long)]
        values: bool,
    },
    /// Print a value
    Get {
        /// Its name
        name: String,
    },
    /// Store a value
    Set {
        /// Its name
        name: String,
        /// The value. It is never written down
        value: Typed,
    },
    /// Delete a value
    Delete {
        /// Its name
        name: String,
    },
    /// Delete everything
    Clear,
}

impl Verb for Storage {
    const NAME: &'static str = "storage";

    fn effect(&self) -> Effect {
        match self.op {
            None | Some(StorageOp::List { .. } | StorageOp::Get { .. }) => Effect::Read,
            _ => Effect::Input,
        }
    }

    async fn run(&self, run: &Run<'_>) -> Result<Outcome> {
        let (_, tab) = run.tab()?;
        let ask = async |what, items: &[(&str, &str)]| {
            storage::ask(tab, self.area, what, items, run.deadline).await
        };
        let missing = |name: &str| {
            Err(Error::invalid(format!("nothing is stored as {name:?}"))
                .with_hint("list what there is with `webhand storage local` or `webhand storage session`"))
        };
        let value = match &self.op {
            None | Some(StorageOp::List { .. }) => {
                let values = matches!(self.op, Some(StorageOp::List { values: true }));
                let stored = ask(What::List, &[]).await?;
                let show = |value: String| if values { value } else { secrets::masked(&value) };
                stored
                    .items
                    .into_iter()
                    .map(|(name, value)| json!({"name": name, "value": show(value)}))
                    .collect()
            }
            Some(StorageOp::Get { name }) => match ask(What::Get, &[(name, "")]).await?.items.pop() {
                Some((_, value)) => value.into(),
                None => return missing(name),
            },
            Some(StorageOp::Set { name, value }) => {
                run.session.secrets().stored(name, value.expose(), false);
                ask(What::Put, &[(name, value.expose())]).await?;
                json!({"name": name, "value": value})
            }
            Some(StorageOp::Delete { name }) => match ask(What::Delete, &[(name, "")]).await?.items.len() {
                0 => return missing(name),
                deleted => json!({"deleted": deleted}),
            },
            Some(StorageOp::Clear) => json!({"deleted": ask(What::Clear, &[]).await?.items.len()}),
        };
        Ok(Outcome { value: Some(value), ..Outcome::default() })
    }
}
