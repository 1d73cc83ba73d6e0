//! Whether a run goes around in circles in the last bits of its values, so that no number of iterations would end it.
//!
//! Nothing is computed for it in an iteration. How many vertices are active is known anyway; where that does not shrink, what the fold keeps
//! is compared on the host with what it was a few iterations ago: first a sample, once, which a run that still gets anywhere does not pass, then
//! everything, several times. A run that fails is left alone until it has half as many iterations more.

mod snapshot;

use std::collections::VecDeque;

use onyx_device::FoldFacts;
use onyx_device::property::{Element, scratch};

use self::snapshot::Snapshot;
use crate::engine::{Array, Engine};
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Direction, Iteration, Options};

/// The numbers of active vertices that are looked at, the later half against the earlier one, and so the first iteration that is.
const COUNTS: usize = 32;
/// After how many iterations a sample is compared. Many numbers divide this and [`LEAST`]: how long a circle may be that is found to be closed.
const SAMPLED: usize = 24;
/// For how many iterations all values are compared at least: one that moves by a unit in each leaves the range of [`UNITS`].
const LEAST: usize = 48;
/// How many times as many iterations lie before a comparison as before the one before it.
const FURTHER: usize = 4;
/// Which part of the iterations before it a comparison takes.
const PART: usize = 4;
/// How many units in the last place a value may turn by, whatever comes next.
const UNITS: f32 = 32.0;
/// How many units a value may turn by at most in a closed circle.
const MOST_UNITS: f32 = 4096.0;

/// What is known of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Finding {
    /// It may still get somewhere.
    Moving,
    /// It seems to turn in its last bits, but pushes alone have said so: pulls have to look at every edge.
    Unconfirmed,
    /// It seems to turn in its last bits, as pulls compute them: pushes, which add changes to sums that they keep, may end it.
    Circling,
    /// It only turns, by this part of the greatest value of a row.
    Settled(f32),
}

/// What is compared, and when.
struct Comparison {
    snapshot: Snapshot,
    /// The number of the iteration that left the snapshot's values.
    taken: usize,
    /// The number of iterations after which it is compared next.
    due: usize,
    /// The number of iterations after which it is compared last.
    last: usize,
    /// How far from it values have been so far.
    farthest: f32,
}

/// The last iteration.
#[derive(Clone, Copy)]
struct Last {
    number: usize,
    direction: Direction,
    /// Whether it was a pull that pushes could follow.
    could_push: bool,
}

/// Looks for a run that has settled.
pub(crate) struct Settlement {
    arrays: Vec<Array>,
    active: VecDeque<usize>,
    /// The number of iterations from which it is worth looking.
    next: usize,
    comparison: Option<Comparison>,
}

impl Settlement {
    pub(crate) fn new(fold: &'static FoldFacts, engine: &dyn Engine, options: &Options) -> Self {
        let is_possible =
            options.settle && options.iterations > COUNTS && kept(fold) != 0 && !has_more_than_values(fold);
        Self {
            arrays: engine.arrays(kept(fold)),
            active: VecDeque::with_capacity(COUNTS),
            next: if is_possible { COUNTS } else { usize::MAX },
            comparison: None,
        }
    }

    /// How many iterations may follow iteration number `last` until it must look again.
    pub(crate) fn reach(&self, last: usize) -> usize {
        self.comparison.as_ref().map_or(usize::MAX, |comparison| comparison.due - last)
    }

    /// Takes note of iterations that have run and left something active. Whether pushes could come, and do not for the time that they take, decides what a run that may have settled
    /// does first.
    pub(crate) fn ran(
        &mut self,
        engine: &mut dyn Engine,
        graph: &Graph,
        iterations: &[Iteration],
        could_push: bool,
    ) -> Result<Finding, RunError> {
        let Some(Iteration { number, direction, .. }) = iterations.last().copied() else { return Ok(Finding::Moving) };
        let last = Last { number, direction, could_push };
        self.note(iterations);
        match self.comparison.take() {
            Some(comparison) if number < comparison.due => self.comparison = Some(comparison),
            Some(comparison) => return self.compare(engine, graph, comparison, last),
            None if number >= self.next && self.stays() => self.sample(engine, graph, number)?,
            None => {}
        }
        Ok(Finding::Moving)
    }

    fn note(&mut self, iterations: &[Iteration]) {
        for iteration in iterations {
            self.active.truncate(COUNTS - 1);
            self.active.push_front(iteration.active);
        }
    }

    /// Whether the number of active vertices has stopped shrinking.
    fn stays(&self) -> bool {
        let most = |counts: &mut dyn Iterator<Item = &usize>| counts.max().copied();
        let half = COUNTS / 2;
        most(&mut self.active.iter().take(half)) >= most(&mut self.active.iter().skip(half))
    }

    /// Has a sample of what iteration number `taken` has left compared once: batches of iterations stay whole.
    fn sample(&mut self, engine: &mut dyn Engine, graph: &Graph, taken: usize) -> Result<(), RunError> {
        self.expect(Snapshot::sample(engine, &self.arrays, graph), taken, taken + SAMPLED, SAMPLED)
    }

    /// Compares what follows, first after iteration number `due`, and for so many iterations, with a snapshot of what iteration number `taken` has left.
    fn expect(
        &mut self,
        snapshot: Result<Snapshot, RunError>,
        taken: usize,
        due: usize,
        age: usize,
    ) -> Result<(), RunError> {
        let begin = |snapshot| Comparison { snapshot, taken, due, last: taken + age, farthest: 0.0 };
        self.comparison = self.unless_short_of_memory(snapshot)?.map(begin);
        Ok(())
    }

    /// The result; none, and nothing is compared any more, where memory has not sufficed for it: the run itself can do without.
    fn unless_short_of_memory<T>(&mut self, result: Result<T, RunError>) -> Result<Option<T>, RunError> {
        match result {
            Err(RunError::Memory(_)) => {
                self.next = usize::MAX;
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Compares what the last iteration has left.
    fn compare(
        &mut self,
        engine: &mut dyn Engine,
        graph: &Graph,
        mut comparison: Comparison,
        last: Last,
    ) -> Result<Finding, RunError> {
        let now = last.number;
        self.next = now.saturating_add(now / 2);
        let circle = circle(graph);
        let distance = comparison.snapshot.distance(engine, circle);
        let Some(distance) = self.unless_short_of_memory(distance)? else { return Ok(Finding::Moving) };
        comparison.farthest = comparison.farthest.max(distance);
        if comparison.farthest > circle {
            return Ok(Finding::Moving);
        }
        if now < comparison.last {
            let due = comparison.last.min(comparison.taken + FURTHER * (now - comparison.taken));
            self.comparison = Some(Comparison { due, ..comparison });
            return Ok(Finding::Moving);
        }
        // Where values are what they were, all of it comes again, by whatever it turns; otherwise it must not turn by much.
        let is_at_rest = distance == 0.0 || comparison.farthest <= f32::EPSILON * UNITS;
        if is_at_rest { self.found(engine, graph, &comparison, last) } else { Ok(Finding::Moving) }
    }

    /// What it means that a comparison has found rest.
    fn found(
        &mut self,
        engine: &mut dyn Engine,
        graph: &Graph,
        comparison: &Comparison,
        last: Last,
    ) -> Result<Finding, RunError> {
        if !comparison.snapshot.is_sample() {
            return Ok(Finding::Settled(comparison.farthest));
        }
        let now = last.number;
        if last.direction == Direction::Push || last.could_push {
            self.sample(engine, graph, now)?;
            return Ok(if last.could_push { Finding::Circling } else { Finding::Unconfirmed });
        }
        // A part of the values rests: do all?
        let age = LEAST.max((now / PART).next_multiple_of(LEAST));
        self.expect(Snapshot::all(engine, &self.arrays), now, now + 1, age)?;
        Ok(Finding::Moving)
    }
}

/// How far values may turn in a closed circle, as a part of the greatest value of their row: rounding a sum of n terms is off by n units at most, and iterations add up what it does.
fn circle(graph: &Graph) -> f32 {
    let terms = graph.statistics().greatest_in_degree;
    f32::EPSILON * (UNITS * terms as f32).clamp(UNITS, MOST_UNITS)
}

/// The properties that the fold keeps from one iteration to the next.
fn kept(fold: &'static FoldFacts) -> u64 {
    (fold.vertices.writes | fold.edges.writes_edge) & !scratch(fold.properties)
}

/// Whether what comes next may be decided by more than the values: by the number of the iteration, or by what is active.
fn has_more_than_values(fold: &'static FoldFacts) -> bool {
    fold.is_active || fold.properties.iter().any(|property| property.element == Element::Iteration)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use onyx_device::stored::Number;

    use super::*;
    use crate::active::ActiveSet;
    use crate::engine::{Activity, Batch};
    use crate::graph::GraphBuilder;
    use crate::look::Found;

    fn iteration(number: usize, active: usize) -> Iteration {
        Iteration { number, direction: Direction::Pull, active, active_edges: 0, total: None, time: Duration::ZERO }
    }

    fn settlement(counts: &[usize]) -> Settlement {
        let mut settlement = Settlement { arrays: Vec::new(), active: VecDeque::new(), next: COUNTS, comparison: None };
        let iterations: Vec<Iteration> = (1..).zip(counts).map(|(number, active)| iteration(number, *active)).collect();
        settlement.note(&iterations);
        settlement
    }

    /// Values that rest.
    struct Resting;

    impl Engine for Resting {
        fn run(&mut self, _: Batch) -> Result<Vec<Activity>, RunError> {
            unreachable!("nothing is run")
        }

        fn active(&mut self) -> Result<ActiveSet, RunError> {
            Ok(ActiveSet::all(2))
        }

        fn arrays(&self, _: u64) -> Vec<Array> {
            unreachable!("nobody asks")
        }

        fn copy(&mut self, _: Array, _: usize, bytes: &mut [u8]) -> Result<(), RunError> {
            bytes.fill(0);
            Ok(())
        }

        fn look(&mut self, _: &[Array]) -> Result<Vec<Found>, RunError> {
            unreachable!("nobody looks")
        }

        fn finish(&mut self) -> Result<(), RunError> {
            Ok(())
        }

        fn schedule(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn a_sample_is_compared_once_and_everything_several_times() {
        let graph = GraphBuilder::new().edges(vec![(0, 1)]).build().unwrap();
        let mut settlement = settlement(&[2; COUNTS - 1]);
        let array = Array { property: 0, length: 2, row: 1, rows: 1, features: 1, number: Number::F32 };
        settlement.arrays = vec![array];
        let (mut now, mut batches, mut found) = (COUNTS, Vec::new(), Finding::Moving);
        while found == Finding::Moving && now < 1000 {
            found = settlement.ran(&mut Resting, &graph, &[iteration(now, 2)], false).unwrap();
            batches.push(settlement.reach(now));
            now += settlement.reach(now).min(1000);
        }
        assert_eq!(batches, [SAMPLED, 1, 3, 12, 32, usize::MAX]);
        assert_eq!(found, Finding::Settled(0.0));
    }

    #[test]
    fn pushes_come_first_where_a_sample_rests_in_pulls() {
        let graph = GraphBuilder::new().edges(vec![(0, 1)]).build().unwrap();
        let mut settlement = settlement(&[2; COUNTS - 1]);
        settlement.arrays = vec![Array { property: 0, length: 2, row: 1, rows: 1, features: 1, number: Number::F32 }];
        let mut ran =
            |number, could_push| settlement.ran(&mut Resting, &graph, &[iteration(number, 2)], could_push).unwrap();
        assert_eq!(ran(COUNTS, true), Finding::Moving);
        assert_eq!(ran(COUNTS + SAMPLED, true), Finding::Circling);
        // What follows is looked at by a sample of its own, and then by everything.
        assert_eq!(ran(COUNTS + 2 * SAMPLED, false), Finding::Moving);
        assert_eq!(settlement.reach(COUNTS + 2 * SAMPLED), 1);
    }

    #[test]
    fn numbers_that_shrink_are_told_from_those_that_stay() {
        let shrinking: Vec<usize> = (0..40).map(|number| 1000 - number).collect();
        assert!(!settlement(&shrinking).stays());
        assert!(settlement(&[200; 40]).stays());
        let turning: Vec<usize> = (0..40).map(|number| 190 + number * 7 % 20).collect();
        assert!(settlement(&turning).stays());
        let ended: Vec<usize> = shrinking.iter().map(|_| 1).chain([5; 8]).collect();
        assert_eq!(settlement(&ended).active.len(), COUNTS);
    }
}
