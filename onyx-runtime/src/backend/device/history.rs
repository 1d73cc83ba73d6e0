//! What is known of the batches of a fold that were launched kernel by kernel, in this run and in earlier ones: whether a recording of one would save what it takes.

use std::collections::HashMap;
use std::time::Duration;

use super::Recording;

/// A device that takes less than so many times as long for a batch as the host takes to launch it has short kernels, and gaps between them, which a recording has not.
const SHORT: u32 = 4;

/// How often a batch is launched before it is recorded, which takes as long as three replays save (`docs/performance.md`).
const LAUNCHED: u32 = 3;

/// How many batches are known at most: those of runs on other graphs and values are others.
const MOST: usize = 64;

#[derive(Default)]
pub(crate) struct BatchHistory {
    batches: HashMap<Recording, Known>,
    /// How many runs have begun.
    runs: u64,
}

/// What is known of a batch.
struct Known {
    /// How often it has come.
    came: u32,
    /// The run in which it came first.
    first_run: u64,
    has_short_kernels: bool,
}

impl BatchHistory {
    /// Takes note that a run begins.
    pub(super) fn begin(&mut self) {
        self.runs += 1;
    }

    /// Takes note of a batch that is not recorded. Returns whether it is worth that now: where it has come in an earlier run, or the run may go on with it.
    pub(super) fn comes(&mut self, batch: &Recording, may_go_on: bool) -> bool {
        if self.batches.len() == MOST && !self.batches.contains_key(batch) {
            self.batches.clear();
        }
        let first = Known { came: 0, first_run: self.runs, has_short_kernels: true };
        let known = self.batches.entry(batch.clone()).or_insert(first);
        known.came += 1;
        known.came > LAUNCHED && known.has_short_kernels && (may_go_on || known.first_run < self.runs)
    }

    /// Takes note of how long the host took to launch a batch, and the device to run it, where it has a clock.
    pub(super) fn ran(&mut self, batch: &Recording, launching: Duration, time: Option<Duration>) {
        if let Some(known) = self.batches.get_mut(batch) {
            known.has_short_kernels = time.is_none_or(|time| time < launching * SHORT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCHING: Duration = Duration::from_micros(100);

    /// Whether a batch is recorded, each time that it comes, where the device takes so many times as long as the host, if it has a clock.
    fn worth(history: &mut BatchHistory, times: Option<u32>, may_go_on: bool) -> [bool; 5] {
        let mut come = |batch: &Recording, times: Option<u32>| {
            let is_worth = history.comes(batch, may_go_on);
            history.ran(batch, LAUNCHING, times.map(|times| LAUNCHING * times));
            is_worth
        };
        let [batch, other] = [8, 4].map(Recording::of_iterations);
        std::array::from_fn(|_| (come(&batch, times), come(&other, Some(100))).0)
    }

    #[test]
    fn batches_of_short_kernels_are_recorded_when_they_have_come_often() {
        let of = |times| worth(&mut BatchHistory::default(), times, true);
        assert_eq!(of(Some(1)), [false, false, false, true, true]);
        assert_eq!(of(Some(3)), [false, false, false, true, true]);
        assert_eq!(of(Some(4)), [false; 5]);
        assert_eq!(of(None), [false, false, false, true, true], "a device without a clock");
    }

    #[test]
    fn a_run_that_is_about_to_end_records_what_earlier_runs_have_had() {
        let mut history = BatchHistory::default();
        history.begin();
        assert_eq!(worth(&mut history, Some(1), false), [false; 5]);
        history.begin();
        assert_eq!(worth(&mut history, Some(1), false), [true; 5]);
    }

    #[test]
    fn many_batches_are_forgotten() {
        let mut history = BatchHistory::default();
        (0..10 * MOST).for_each(|count| assert!(!history.comes(&Recording::of_iterations(count), true)));
        assert!(history.batches.len() <= MOST);
    }
}
