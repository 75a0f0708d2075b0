//! The guardian: a small process that outlives us just long enough to leave nothing behind.
//!
//! It holds the reading end of a pipe whose writing end only we have. However we end, `kill -9` included, the pipe closes;
//! the guardian then ends the browser's process group and removes its temporary folder. Our own orderly ending takes the
//! same path, so it is tried all the time. A parent-death signal could not do this: it reaches one process, fires when the
//! *thread* that started the browser ends, and cannot remove a folder.

use std::{io, path::Path, process::Stdio};

use tokio::{
    io::AsyncWriteExt,
    process::{Child, ChildStdin, Command},
};

/// Reads process group ids until the pipe closes. `$1` is the folder to remove, or empty; `$2` is how many tenths of a second
/// the group has to leave by itself: a browser that keeps its profile wants to write it out. `kill -s` is the one spelling
/// that every shell takes with a group (dash refuses `-KILL --`). Processes that are just dying may still write: hence the tries.
const SCRIPT: &str = r#"
group=
while read -r line; do group=$line; done
if [ -n "$group" ]; then
  left=$2
  while [ "$left" -gt 0 ] && kill -s 0 -- "-$group" 2>/dev/null; do sleep 0.1; left=$((left - 1)); done
  kill -s KILL -- "-$group" 2>/dev/null
fi
tries=50
while [ -n "$1" ] && [ -e "$1" ] && [ "$tries" -gt 0 ]; do
  rm -rf -- "$1" 2>/dev/null || sleep 0.1
  tries=$((tries - 1))
done
"#;

pub(crate) struct Guardian {
    process: Child,
    pipe: Option<ChildStdin>,
}

impl Guardian {
    /// Starts a guardian that will remove `folder`, and gives a guarded group `grace` tenths of a second to leave.
    pub(crate) fn start(folder: Option<&Path>, grace: u32) -> io::Result<Guardian> {
        let mut process = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "webhand-guardian"])
            .arg(folder.unwrap_or(Path::new("")))
            .arg(grace.to_string())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own, so that Ctrl-C in a terminal does not end the guardian along with us.
            .process_group(0)
            .spawn()?;
        let pipe = process.stdin.take();
        Ok(Guardian { process, pipe })
    }

    /// Puts a process group under guard.
    pub(crate) async fn guard(&mut self, group: u32) -> io::Result<()> {
        match &mut self.pipe {
            Some(pipe) => pipe.write_all(format!("{group}\n").as_bytes()).await,
            None => Ok(()),
        }
    }

    /// Lets the guardian do its work, and waits until it is done.
    pub(crate) async fn release(&mut self) {
        self.pipe = None;
        let _ = self.process.wait().await;
    }
}
