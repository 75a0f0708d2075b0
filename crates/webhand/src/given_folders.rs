//! Which folders agents may be given as a whole: those that their clients name as roots, and the one that a server was started in. A folder
//! that holds webhand's own state, a whole home folder, or everything there is, is nobody's project. Only the operator can give those, by
//! the setting `wide_roots`.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use contract::{Code, Error, Result};

use crate::home::{Home, here};

/// Where systems keep the home folders of their users.
const FOLDERS_OF_HOMES: [&str; 2] = ["/home", "/Users"];

/// The first number that systems give to people: macOS begins here, Linux at 1000. Below are services, and 0, which is root.
const FIRST_PERSON: u32 = 500;

/// What decides whether a folder may be given.
#[derive(Clone, Debug)]
pub(crate) struct GivenFolders {
    home: Home,
    /// What the operator gives although it is wide.
    wide_roots: Vec<PathBuf>,
}

impl GivenFolders {
    pub(crate) fn new(home: &Home, wide_roots: &[PathBuf]) -> GivenFolders {
        GivenFolders { home: home.clone(), wide_roots: wide_roots.to_vec() }
    }

    /// Where the folder really is, if it may be given. It has to be there: nobody knows where a name will lead later.
    pub(crate) fn check(&self, folder: &Path) -> Result<PathBuf> {
        let refused =
            |why: &str| Error::new(Code::ActionDenied, format!("{} is not given: {why}", folder.display()));
        let real = folder.canonicalize().ok().filter(|real| real.is_dir()).ok_or_else(|| {
            refused("it is no folder that is there").with_hint("name a folder that is there")
        })?;
        let named = |wide: &PathBuf| wide.canonicalize().is_ok_and(|wide| wide == real);
        if self.wide_roots.iter().any(named) {
            return Ok(real);
        }
        match self.why_wide(&real) {
            None => Ok(real),
            Some(why) => {
                Err(refused(why)
                    .with_hint("name a folder inside it, or let the operator list it in wide_roots"))
            }
        }
    }

    /// The folder that the server was started in. Nobody chose it where an application starts its servers at the root of everything or in
    /// the user's home folder.
    pub(crate) fn working_folder(&self) -> Option<PathBuf> {
        self.check(&here()).ok()
    }

    fn why_wide(&self, real: &Path) -> Option<&'static str> {
        let home = self.home.path();
        let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        if real.parent().is_none() {
            Some("it is the root of all folders")
        } else if home.starts_with(real) || real.starts_with(&home) {
            Some("webhand keeps its own state there")
        } else if holds_a_home(real) {
            Some("it is or holds a whole home folder")
        } else {
            None
        }
    }
}

/// Whether a folder is somebody's home folder or holds one.
fn holds_a_home(real: &Path) -> bool {
    let of_homes = |folder: &str| {
        let folder = Path::new(folder);
        folder == real || real.parent() == Some(folder)
    };
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let homes = passwd.lines().filter_map(home_in).chain(env::home_dir());
    let mut homes = homes.filter_map(|home| home.canonicalize().ok());
    FOLDERS_OF_HOMES.into_iter().any(of_homes) || homes.any(|home| home.starts_with(real))
}

/// The home folder in a line of `/etc/passwd`, if it is a person's or root's. Services have theirs in places like `/var/www`.
fn home_in(line: &str) -> Option<PathBuf> {
    let mut fields = line.split(':').skip(2);
    let user: u32 = fields.next()?.parse().ok()?;
    let home = fields.nth(2)?;
    (user == 0 || user >= FIRST_PERSON).then(|| PathBuf::from(home))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn wide_folders_are_only_the_operators_to_give() {
        let around = tempfile::tempdir().unwrap();
        let around = around.path().canonicalize().unwrap();
        let home = around.join("state");
        for folder in ["state/downloads", "project"] {
            fs::create_dir_all(around.join(folder)).unwrap();
        }
        symlink("/", around.join("link")).unwrap();
        let mut folders = GivenFolders::new(&Home::at(&home), &[]);
        assert_eq!(folders.check(&around.join("project")).unwrap(), around.join("project"));
        let own = env::home_dir().unwrap();
        for wide in [
            Path::new("/"),
            &around,
            &home,
            &home.join("downloads"),
            &around.join("link"),
            &around.join("project/.."),
            &around.join("missing"),
            &own,
            own.parent().unwrap(),
        ] {
            assert_eq!(folders.check(wide).unwrap_err().code, Code::ActionDenied, "{}", wide.display());
        }
        folders.wide_roots = vec!["/".into()];
        assert_eq!(folders.check(&around.join("link")).unwrap(), Path::new("/"));
        assert!(folders.check(&around).is_err(), "only what is named");
    }

    #[test]
    fn homes_of_people_are_known() {
        for (line, home) in [
            ("ada:x:1000:1000:Ada:/srv/ada:/bin/sh", Some("/srv/ada")),
            ("root:x:0:0:root:/root:/bin/bash", Some("/root")),
            ("www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin", None),
            ("", None),
            ("# a comment", None),
        ] {
            assert_eq!(home_in(line), home.map(PathBuf::from), "{line}");
        }
    }
}
