//! How many iterations a device is given at once: to ask it what is active takes time, and so do iterations that were launched after the last one.

use std::time::Duration;

use crate::options::Iteration;

/// Iterations that take less are launched as many at once as was asked for: what comes after the last one is short then, and the shortest are replayed from recordings.
const SHORT: Duration = Duration::from_micros(400);
/// The same where pushes may follow, for which a look at what is active may save more.
const SHORT_BEFORE_PUSHES: Duration = Duration::from_micros(150);
/// Between two batches a device waits so long: 22 to 74 us in `docs/measurements/batch-lengths-h200.csv`.
const WAIT: Duration = Duration::from_micros(50);
/// An iteration that was launched after the last takes such a part of another one (the same file): all of its blocks find that the run is over.
const EMPTY: f64 = 0.3;
/// A run is taken to go on for as long as it has gone on, and for so many iterations at least.
const LEAST_LEFT: usize = 16;

/// The number of iterations in a batch for which a run takes least, if each takes this time and `done` have run.
///
/// With n iterations left, batches of c wait n / c times, and (c - 1) / 2 iterations come after the last one in the mean: c² = 2 n · wait / (empty · time).
pub(crate) fn longest(time: Duration, done: usize, may_push: bool) -> usize {
    if time < if may_push { SHORT_BEFORE_PUSHES } else { SHORT } {
        return usize::MAX;
    }
    let left = done.max(LEAST_LEFT) as f64;
    let square = 2.0 * left * WAIT.as_secs_f64() / (EMPTY * time.as_secs_f64());
    (square.sqrt() as usize).max(1)
}

/// After how many iterations a total is below its bound, if it goes on as in the last two.
pub(crate) fn until_below(bound: f32, iterations: &[Iteration]) -> Option<f64> {
    let [.., before, last] = iterations else { return None };
    let (before, last, bound) = (f64::from(before.total?), f64::from(last.total?), f64::from(bound));
    let is_falling = 0.0 < bound && bound <= last && last < before;
    is_falling.then(|| (bound / last).ln() / (last / before).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Direction;

    const fn micros(time: u64) -> Duration {
        Duration::from_micros(time)
    }

    #[test]
    fn batches_are_short_where_iterations_are_long_and_grow_with_the_run() {
        assert_eq!([10, 399].map(|time| longest(micros(time), 0, false)), [usize::MAX; 2]);
        assert_eq!([400, 485, 2000, 1_000_000].map(|time| longest(micros(time), 0, false)), [3, 3, 1, 1]);
        assert_eq!([16, 64, 200].map(|done| longest(micros(450), done, false)), [3, 6, 12]);
        assert_eq!([149, 150, 450].map(|time| longest(micros(time), 0, true)), [usize::MAX, 5, 3]);
    }

    #[test]
    fn the_end_is_where_a_total_that_falls_as_before_meets_its_bound() {
        let iteration = |total| {
            let (number, direction, time) = (1, Direction::Pull, Duration::ZERO);
            Iteration { number, direction, active: 1, active_edges: 1, total, time }
        };
        let until = |totals: &[Option<f32>], bound| {
            let iterations: Vec<Iteration> = totals.iter().copied().map(iteration).collect();
            until_below(bound, &iterations)
        };
        let found = until(&[Some(9.0), Some(1.0), Some(0.5)], 0.125).unwrap();
        assert!((found - 2.0).abs() < 1e-12, "{found}");
        for totals in [&[None, None][..], &[Some(1.0), Some(1.0)], &[Some(0.5), Some(1.0)], &[Some(1.0)]] {
            assert_eq!(until(totals, 0.125), None);
        }
        assert_eq!(until(&[Some(1.0), Some(f32::NAN)], 0.125), None);
        assert_eq!(until(&[Some(1.0), Some(0.5)], 0.0), None, "never");
    }
}
