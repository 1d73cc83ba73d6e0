//! What is known of the batches of a run that were launched kernel by kernel: whether a recording of one would save what it takes.

use std::collections::HashMap;
use std::time::Duration;

use super::Recording;

/// A device that takes less than so many times as long for a batch as the host takes to launch it has short kernels, and gaps between them, which a recording has not.
const SHORT: u32 = 4;

/// How often a batch is launched before it is recorded, which takes as long as three replays save (`docs/performance.md`).
const LAUNCHED: u32 = 3;

pub(super) struct BatchHistory {
    /// How often batches have come.
    came: HashMap<Recording, u32>,
    /// How long the host took to launch the last one, until it is known how long the device took.
    launching: Option<Duration>,
    has_short_kernels: bool,
}

impl Default for BatchHistory {
    /// Nothing has come, and nothing speaks against recordings.
    fn default() -> Self {
        Self { came: HashMap::new(), launching: None, has_short_kernels: true }
    }
}

impl BatchHistory {
    /// Takes note of a batch that is not recorded. Returns whether it is worth that now.
    pub(super) fn comes(&mut self, batch: &Recording) -> bool {
        let came = self.came.entry(batch.clone()).or_default();
        *came += 1;
        *came > LAUNCHED && self.has_short_kernels
    }

    /// Takes note of how long the host took to launch a batch.
    pub(super) fn was_launched(&mut self, launching: Duration) {
        self.launching = Some(launching);
    }

    /// Takes note of how long the device took for it, where it has a clock. Of a batch that was replayed it says nothing.
    pub(super) fn ran(&mut self, time: Option<Duration>) {
        if let Some(launching) = self.launching.take() {
            self.has_short_kernels = time.is_none_or(|time| time < launching * SHORT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCHING: Duration = Duration::from_micros(100);

    /// Whether a batch is recorded, each time that it comes, where the device takes so many times as long as the host.
    fn worth(times: u32) -> Vec<bool> {
        let mut history = BatchHistory::default();
        let mut come = |batch: &Recording| {
            let is_worth = history.comes(batch);
            history.was_launched(LAUNCHING);
            history.ran(Some(LAUNCHING * times));
            is_worth
        };
        let [batch, other] = [8, 4].map(Recording::of_iterations);
        (0..5).map(|_| (come(&batch), come(&other)).0).collect()
    }

    #[test]
    fn batches_of_short_kernels_are_recorded_when_they_have_come_often() {
        assert_eq!(worth(1), [false, false, false, true, true]);
        assert_eq!(worth(3), [false, false, false, true, true]);
        assert_eq!(worth(4), [false; 5]);
    }

    #[test]
    fn a_replay_says_nothing_of_launches() {
        let mut history = BatchHistory::default();
        history.was_launched(LAUNCHING);
        history.ran(Some(LAUNCHING));
        history.ran(Some(LAUNCHING * 100));
        assert!(history.has_short_kernels);
        history.was_launched(LAUNCHING);
        history.ran(None);
        assert!(history.has_short_kernels, "a device without a clock");
    }
}
