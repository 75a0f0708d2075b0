//! The time that several actions of one caller have together, such as the steps of one tool call. Time that is spent waiting for a
//! person's approval does not count.

use std::time::Duration;

use tokio::time::Instant;

use crate::waited::Waited;

/// A time limit that several requests share. Clones count the same time, but narrowing one does not narrow the others.
#[derive(Clone, Debug)]
pub struct Budget {
    started: Instant,
    /// The limit that nothing extends; none: no limit.
    most: Option<Duration>,
    /// A shorter limit; none: `most`.
    limit: Option<Duration>,
    waited: Waited,
}

impl Budget {
    /// A budget that starts now.
    pub fn new(most: Option<Duration>) -> Budget {
        Budget { started: Instant::now(), most, limit: None, waited: Waited::default() }
    }

    /// Ends `time` after the start, whenever it was to end before, but no later than the limit it was made with.
    pub fn end_within(&mut self, time: Duration) {
        self.limit = Some(time);
    }

    /// Adds time to the limit it was made with.
    pub fn extend(&mut self, time: Duration) {
        self.most = self.most.map(|most| most.saturating_add(time));
    }

    /// How much is left; none: there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        let limit = match (self.most, self.limit) {
            (Some(most), Some(limit)) => Some(most.min(limit)),
            (most, limit) => most.or(limit),
        };
        limit.map(|limit| limit.saturating_sub(self.used()))
    }

    fn used(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.waited.total())
    }

    pub(crate) fn waited(&self) -> Waited {
        self.waited.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(seconds_ago: u64, most: Option<u64>, limit: Option<u64>) -> Budget {
        let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
        let started = Instant::now() - Duration::from_secs(seconds_ago);
        Budget { started, most: seconds(most), limit: seconds(limit), waited: Waited::default() }
    }

    /// Half a minute is far more than these lines take.
    #[track_caller]
    fn check(budget: &Budget, seconds: u64) {
        let left = budget.remaining().unwrap().as_secs();
        assert!((seconds.saturating_sub(30)..=seconds).contains(&left), "{left} instead of {seconds}");
    }

    #[test]
    fn what_is_left() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(begun(60, None, None).remaining(), None);
        let mut budget = begun(120, None, None);
        budget.end_within(minutes(3));
        check(&budget, 60);
        budget.end_within(minutes(6));
        check(&budget, 240);
        let mut budget = begun(240, Some(300), Some(180));
        assert_eq!(budget.remaining(), Some(Duration::ZERO));
        budget.end_within(minutes(8));
        check(&budget, 60);
        budget.extend(minutes(2));
        check(&budget, 180);
    }
}
