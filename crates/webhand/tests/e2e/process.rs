//! Processes as the system has them, told from later ones that get the same number.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// Long enough for a loaded machine; what never happens fails the test after it.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long it takes until the next look at something that has no event. Looking all the time would take a core from what is waited for.
const NEXT_LOOK: Duration = Duration::from_millis(10);

/// Waits for something that has no event. Where there is an event to wait for, that is better.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let limit = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < limit, "waited in vain: {what}");
        thread::sleep(NEXT_LOOK);
    }
}

/// A process that was running when it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub pid: i32,
    /// In clock ticks since the system started.
    began: u64,
    /// The arguments, with blanks between them.
    pub command: String,
}

impl Process {
    /// The process of this number, which must be running.
    #[track_caller]
    pub(crate) fn find(pid: &Value) -> Process {
        let pid = pid.as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("a process id");
        Process::running(pid).expect("it is running")
    }

    fn running(pid: i32) -> Option<Process> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in parentheses and may hold anything. After it: the state, and 19 fields on the start time.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        // One that has ended but was not collected by its parent is gone as well.
        let ended = matches!(fields.next()?, "Z" | "X");
        let began = fields.nth(18)?.parse().ok()?;
        let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?.replace('\0', " ");
        (!ended).then_some(Process { pid, began, command })
    }

    /// Every process whose arguments have this text among them.
    pub(crate) fn all_with(text: &str) -> Vec<Process> {
        let entries =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let running = entries.filter_map(|name| Process::running(name.parse().ok()?));
        running.filter(|process| process.command.contains(text)).collect()
    }

    pub(crate) fn is_running(&self) -> bool {
        Process::running(self.pid).is_some_and(|now| now.began == self.began)
    }

    pub(crate) fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// Lets it hang.
    pub(crate) fn stop(&self) {
        self.signal(rustix::process::Signal::STOP);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid).expect("a process id");
        rustix::process::kill_process(pid, signal).expect("it can be signalled");
    }

    #[track_caller]
    pub(crate) fn until_gone(&self) {
        eventually(&format!("{self:?} ends"), || !self.is_running());
    }

    /// The value of an argument `--name=value`.
    #[track_caller]
    pub(crate) fn argument(&self, name: &str) -> &str {
        let start = format!("--{name}=");
        self.command.split(' ').find_map(|argument| argument.strip_prefix(&*start)).expect(name)
    }
}
