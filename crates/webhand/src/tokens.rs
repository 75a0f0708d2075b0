//! The tokens by which agents are known over HTTP. Every home has one, the agent `default`'s, in the file `token`. Others have a name and
//! limits, and only a hash of each is kept (`agent-tokens.json`): a token is told once, when it is made.
//!
//! The files are read with every request, so that what is revoked is refused from then on.

use std::{
    fs::{self, File, OpenOptions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use contract::{AgentName, Code, Error, Result};
use engine::Agent;
use guard::{Domains, approvals::now_ms, rules::Rules};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::home::Home;

/// How many random bytes a token has.
const BYTES: usize = 32;

/// How many characters of a token's hash are enough to tell it from all others.
const ID: usize = 16;

/// A token with a name, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    /// Whose it is.
    pub(crate) name: AgentName,
    /// The SHA-256 of the token, in hex.
    pub(crate) sha256: String,
    /// The toolsets that it may use, of those that are served; none: all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) toolsets: Vec<String>,
    /// Rules that hold besides all others.
    #[serde(default, skip_serializing_if = "Rules::is_empty")]
    pub(crate) policy: Rules,
    /// The only domains that it may go to; none: all that are allowed otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) allowed_domains: Option<Domains>,
    /// How many sessions it may have at the same time; none: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sessions: Option<u32>,
    /// When it was made, in Unix milliseconds.
    pub(crate) since: u64,
}

/// Whose token a request has, and what that lets its agent have.
#[derive(Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) agent: Agent,
    /// The toolsets that it may use, of those that are served; none: all of them.
    pub(crate) toolsets: Vec<String>,
}

impl Known {
    /// Whether it may use a toolset.
    pub(crate) fn may_use(&self, toolset: &str) -> bool {
        self.toolsets.is_empty() || self.toolsets.iter().any(|name| name == toolset)
    }
}

/// The tokens of a home.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    home: Home,
}

impl Tokens {
    pub(crate) fn new(home: &Home) -> Tokens {
        Tokens { home: home.clone() }
    }

    /// Whose token this is; none if it is nobody's. Named tokens that cannot be read are nobody's.
    pub(crate) fn find(&self, said: &[u8]) -> Option<Known> {
        let (said, hash) = (said.trim_ascii(), hash(said));
        let id = id(&hash);
        if let Ok(token) = fs::read_to_string(self.home.token())
            && token.trim().len() >= BYTES
            && bool::from(said.ct_eq(token.trim().as_bytes()))
        {
            let agent = Agent { token: id, ..Agent::default() };
            return Some(Known { agent, toolsets: Vec::new() });
        }
        let named = self.named().unwrap_or_else(|error| {
            tracing::warn!(%error, "the tokens of agents cannot be read, so none of them is known");
            Vec::new()
        });
        let found = named.into_iter().find(|one| bool::from(one.sha256.as_bytes().ct_eq(hash.as_bytes())))?;
        let Named { name, toolsets, policy, allowed_domains, sessions, .. } = found;
        Some(Known { agent: Agent { name, token: id, policy, allowed_domains, sessions }, toolsets })
    }

    /// The tokens that have a name, in their order.
    pub(crate) fn named(&self) -> Result<Vec<Named>> {
        let path = self.home.agent_tokens();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unusable(&path, &error)),
        };
        serde_json::from_str(&text).map_err(|error| {
            Error::invalid(format!("{} has a mistake", path.display()))
                .with_cause(error)
                .with_hint("correct the file, or remove it: then no token with a name is known")
        })
    }

    /// Makes a token for an agent that has none. Returns it: it is kept nowhere.
    pub(crate) fn add(&self, agent: Agent, toolsets: Vec<String>) -> Result<String> {
        let Agent { name, policy, allowed_domains, sessions, .. } = agent;
        if name.is_default() {
            return Err(Error::invalid("default is the name of the token that every home has").with_hint(
                format!("choose another name; that token is in {}", self.home.token().display()),
            ));
        }
        let _lock = self.lock()?;
        let mut all = self.named()?;
        if all.iter().any(|one| one.name == name) {
            return Err(Error::invalid(format!("there is a token of {name} already")).with_hint(format!(
                "choose another name, or revoke it first with `webhand tokens revoke {name}`"
            )));
        }
        let token = new_token()?;
        all.push(Named {
            name,
            sha256: hash(token.as_bytes()),
            toolsets,
            policy,
            allowed_domains,
            sessions,
            since: now_ms(),
        });
        self.write(&all)?;
        Ok(token)
    }

    /// Makes an agent's token worthless. Returns by which id the engine knows it. `default` gets a new one.
    pub(crate) fn revoke(&self, name: &AgentName) -> Result<String> {
        let _lock = self.lock()?;
        if name.is_default() {
            let path = self.home.token();
            let old = fs::read_to_string(&path).map_err(|error| match error.kind() {
                ErrorKind::NotFound => none(name),
                _ => unusable(&path, &error),
            })?;
            write_private(&path, &format!("{}\n", new_token()?))?;
            return Ok(id(&hash(old.as_bytes())));
        }
        let mut all = self.named()?;
        let at = all.iter().position(|one| one.name == *name).ok_or_else(|| none(name))?;
        let revoked = all.remove(at);
        self.write(&all)?;
        Ok(id(&revoked.sha256))
    }

    fn write(&self, all: &[Named]) -> Result<()> {
        write_private(&self.home.agent_tokens(), &serde_json::to_string_pretty(all).unwrap_or_default())
    }

    /// Keeps others from changing the file at the same time, until it is dropped.
    fn lock(&self) -> Result<File> {
        let path = self.home.agent_tokens().with_extension("lock");
        let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let locked = opened.and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| unusable(&path, &error))
    }
}

/// The token in a file, which is made if it is not there. One that is too short to be a secret is replaced.
pub(crate) fn token_in(path: &Path) -> Result<String> {
    let failed = |error: std::io::Error| unusable(path, &error);
    match fs::read_to_string(path) {
        Ok(text) if text.trim().len() >= BYTES => {
            if fs::metadata(path).map_err(failed)?.permissions().mode() & 0o077 != 0 {
                tracing::warn!("other users could read the token; its file is for its owner only now");
                fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
            }
            return Ok(text.trim().to_owned());
        }
        // It was cut, or somebody's first try.
        Ok(_) => fs::remove_file(path).map_err(failed)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let token = new_token()?;
    write_private(path, &format!("{token}\n"))?;
    Ok(token)
}

fn new_token() -> Result<String> {
    let mut random = [0; BYTES];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut random));
    read.map_err(|error| Error::new(Code::Internal, "no random bytes can be had").with_cause(error))?;
    Ok(random.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

fn hash(token: &[u8]) -> String {
    Sha256::digest(token.trim_ascii()).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn id(hash: &str) -> String {
    hash.chars().take(ID).collect()
}

/// Writes beside the file and puts that in its place, so that nobody ever reads half of it.
fn write_private(path: &Path, text: &str) -> Result<()> {
    let beside = path.with_extension(format!("new-{}", std::process::id()));
    let _ = fs::remove_file(&beside);
    let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside);
    let written = written.and_then(|mut file| file.write_all(text.as_bytes()));
    written.and_then(|()| fs::rename(&beside, path)).map_err(|error| unusable(path, &error))
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Code::Internal, format!("{} cannot be used", path.display()))
        .with_cause(error)
        .with_hint("make the file readable and writable, or remove it")
}

fn none(name: &AgentName) -> Error {
    Error::invalid(format!("there is no token of {name}")).with_hint("list them with `webhand tokens list`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> (tempfile::TempDir, Tokens) {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(&Home::at(folder.path()));
        (folder, tokens)
    }

    fn agent(name: &str) -> Agent {
        Agent { name: name.parse().unwrap(), sessions: Some(2), ..Agent::default() }
    }

    #[test]
    fn only_the_whole_token_is_known() {
        let (_folder, tokens) = tokens();
        let default = token_in(&tokens.home.token()).unwrap();
        let ada = tokens.add(agent("ada"), vec!["qa".into()]).unwrap();
        let known = |said: &str| tokens.find(said.as_bytes()).map(|known| known.agent.name.to_string());
        assert_eq!(known(&default).as_deref(), Some("default"));
        assert_eq!(known(&format!(" {ada}\n")).as_deref(), Some("ada"));
        let found = tokens.find(ada.as_bytes()).unwrap();
        assert!(found.may_use("qa") && !found.may_use("browser") && found.agent.sessions == Some(2));
        let kept = tokens.named().unwrap()[0].sha256.clone();
        for wrong in ["", " ", &ada[1..], &format!("{ada}0"), &kept, "ada", &default.to_uppercase()] {
            assert_eq!(known(wrong), None, "{wrong:?}");
        }
        let path = tokens.home.agent_tokens();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!fs::read_to_string(&path).unwrap().contains(&ada), "a token is kept nowhere");
        fs::write(&path, "[{").unwrap();
        assert_eq!(
            (known(&ada), known(&default).as_deref()),
            (None, Some("default")),
            "what is damaged opens nothing"
        );
    }

    #[test]
    fn what_is_revoked_is_nobodys() {
        let (_folder, tokens) = tokens();
        let (ada, bob) =
            (tokens.add(agent("ada"), vec![]).unwrap(), tokens.add(agent("bob"), vec![]).unwrap());
        assert_eq!(tokens.add(agent("ada"), vec![]).unwrap_err().code, Code::InvalidInput);
        assert_eq!(tokens.add(agent("default"), vec![]).unwrap_err().code, Code::InvalidInput);
        let id = tokens.find(ada.as_bytes()).unwrap().agent.token;
        assert_eq!(tokens.revoke(&"ada".parse().unwrap()).unwrap(), id);
        assert!(tokens.find(ada.as_bytes()).is_none() && tokens.find(bob.as_bytes()).is_some());
        assert_eq!(tokens.revoke(&"ada".parse().unwrap()).unwrap_err().code, Code::InvalidInput);
        let again = tokens.add(agent("ada"), vec![]).unwrap();
        assert_ne!(tokens.find(again.as_bytes()).unwrap().agent.token, id);

        let default = AgentName::default();
        assert!(tokens.revoke(&default).is_err(), "there is none so far");
        let old = token_in(&tokens.home.token()).unwrap();
        tokens.revoke(&default).unwrap();
        assert!(tokens.find(old.as_bytes()).is_none());
        assert!(tokens.find(token_in(&tokens.home.token()).unwrap().as_bytes()).is_some());
    }

    #[test]
    fn two_at_the_same_time_lose_nothing() {
        let (_folder, tokens) = tokens();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let tokens = &tokens;
                scope.spawn(move || tokens.add(agent(&format!("a{number}")), vec![]).unwrap());
            }
        });
        assert_eq!(tokens.named().unwrap().len(), 8);
    }
}
