//! The word that HTTP clients have to know: made at the first start, in a file that only its user can read.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use axum::http::{HeaderMap, header::AUTHORIZATION};
use contract::{Code, Error, Result};
use subtle::ConstantTimeEq;

/// How many bytes of chance it has.
const BYTES: usize = 32;

/// The token in a file.
pub(crate) struct Token(String);

impl Token {
    /// Reads the token, or makes one.
    pub(crate) fn of(path: &Path) -> Result<Token> {
        let failed = |error: std::io::Error| {
            Error::new(Code::Internal, format!("{} cannot be used", path.display()))
                .with_cause(error)
                .with_hint("make the file readable and writable, or remove it")
        };
        match fs::read_to_string(path) {
            Ok(text) if text.trim().len() >= BYTES => {
                if fs::metadata(path).map_err(failed)?.permissions().mode() & 0o077 != 0 {
                    tracing::warn!("other users could read the token; its file is for its owner only now");
                    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
                }
                return Ok(Token(text.trim().to_owned()));
            }
            // Too short to be a secret: it was cut, or somebody's first try.
            Ok(_) => fs::remove_file(path).map_err(failed)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let mut chance = [0; BYTES];
        File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut chance)).map_err(failed)?;
        let token = chance.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
        file.write_all(format!("{token}\n").as_bytes()).map_err(failed)?;
        Ok(Token(token))
    }

    /// Whether a request has it.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let said = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let said = said.and_then(|value| value.split_once(' '));
        said.is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && self.is(token.as_bytes()))
    }

    /// Whether this is the token.
    pub(crate) fn is(&self, said: &[u8]) -> bool {
        // How long the comparison takes must not tell how much of a guess was right.
        bool::from(said.trim_ascii().ct_eq(self.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_will_do() {
        let token = Token("0123456789abcdef0123456789abcdef".into());
        let check = |said: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, said.parse().unwrap());
            token.is_in(&headers)
        };
        assert!(check("Bearer 0123456789abcdef0123456789abcdef"));
        assert!(check("bearer  0123456789abcdef0123456789abcdef"));
        for bad in ["Bearer 0123", "Bearer ", "Bearer", "Basic 0123456789abcdef0123456789abcdef", ""] {
            assert!(!check(bad), "{bad}");
        }
        assert!(!check("Bearer 0123456789abcdef0123456789abcdef0"));
        assert!(!token.is_in(&HeaderMap::new()));
    }
}
