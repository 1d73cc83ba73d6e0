//! Pull or push: what comes next, and for how many iterations.

use onyx_device::FoldFacts;

use crate::active::ActiveSet;
use crate::engine::{Batch, EdgeLimits};
use crate::graph::Graph;
use crate::options::{Direction, Iteration, Options};
use crate::schedule::rule::WORDS_BELOW;

/// Below this fraction of active edges a push starts to pay, since it evaluates each edge twice and adds atomically.
const PUSH_BELOW: f64 = 0.05;
/// Above this fraction a push no longer pays. The gap keeps the loop from changing its mind in every iteration.
const PULL_ABOVE: f64 = 0.10;
/// Within this factor of a threshold the next iterations may pass it, so that the device looks after each of them.
const NEAR: f64 = 4.0;

/// Chooses pull or push for each batch of iterations.
///
/// The choice is made where the counters are read. A batch is of one direction, and as long as `read_every` allows where the direction is
/// forced, or where no change is in sight. Where the fraction of active edges is within a factor of [`NEAR`] of the threshold, the device
/// ends the batch when it passes that, and the batch is no longer than that seems to take, since what is left of it is launched for nothing. Where a pull
/// prepares for a push it is a single iteration. No batch of pushes goes past a refresh.
#[derive(Debug)]
pub(crate) struct DirectionChooser {
    forced: Option<Direction>,
    /// Sums are over the edges of active sources, in each iteration again.
    is_active: bool,
    edges: f64,
    /// The part of them that is active before the first iteration.
    start: f64,
    refresh: usize,
    read_every: usize,
    pushing: bool,
    sums_are_kept: bool,
    pushes: usize,
    /// How many pulls there were: after two, values that are computed from others agree with them, whatever the run started from.
    pulls: usize,
    /// Pushes have left nothing active, or only what turns in its last bits: pulls confirm it, for changes within the tolerance may have added up to more.
    confirming: bool,
}

impl DirectionChooser {
    pub(crate) fn new(fold: &'static FoldFacts, graph: &Graph, options: &Options) -> Self {
        let pull_only = Some(Direction::Pull).filter(|_| !options.may_push(fold));
        Self {
            forced: if is_of_vertices(fold) { Some(Direction::Vertex) } else { options.direction.or(pull_only) },
            is_active: fold.is_active,
            edges: graph.edge_count() as f64,
            start: start(graph, options),
            refresh: options.refresh.max(1),
            read_every: options.batch(),
            pushing: false,
            sums_are_kept: false,
            pushes: 0,
            pulls: 0,
            confirming: false,
        }
    }

    /// The next batch, of `rest` iterations at most.
    pub(crate) fn choose(&mut self, iterations: &[Iteration], rest: usize) -> Batch {
        if self.forced == Some(Direction::Vertex) {
            let count = self.read_every.min(rest);
            return Batch { direction: Direction::Vertex, keep_sums: false, count, limits: None };
        }
        self.pushing = match self.forced {
            Some(direction) => direction == Direction::Push,
            None => iterations.last().is_some_and(|last| self.push_pays(last)),
        } && !self.confirming;
        let (count, limits) = self.reach(iterations);
        let count = count.min(rest);
        if self.is_active {
            let direction = if self.pushing { Direction::Push } else { Direction::Pull };
            return Batch { direction, keep_sums: false, count, limits };
        }
        if self.pushing && (!self.sums_are_kept || self.pulls < 2 || self.pushes >= self.refresh) {
            (self.pushes, self.sums_are_kept) = (0, true);
            return Batch { direction: Direction::Pull, keep_sums: true, count: 1, limits: None };
        }
        if !self.pushing {
            (self.pushes, self.sums_are_kept) = (0, false);
            return Batch { direction: Direction::Pull, keep_sums: false, count, limits };
        }
        let count = count.min(self.refresh - self.pushes);
        Batch { direction: Direction::Push, keep_sums: true, count, limits }
    }

    /// Takes note of iterations that have run. Returns whether the loop is over: nothing is active, and all edges were looked at.
    pub(crate) fn ran(&mut self, iterations: &[Iteration]) -> bool {
        let pushes = iterations.iter().filter(|iteration| iteration.direction == Direction::Push).count();
        self.pushes += pushes;
        self.pulls += iterations.len() - pushes;
        let is_settled = iterations.last().is_none_or(|last| last.active == 0);
        let is_final = pushes == 0 || self.is_active;
        self.confirming |= is_settled && !is_final;
        is_settled && is_final
    }

    /// Has pulls look at every edge from now on.
    pub(crate) fn confirm(&mut self) {
        self.confirming = true;
    }

    fn push_pays(&self, last: &Iteration) -> bool {
        self.fraction(last) < if self.pushing { PULL_ABOVE } else { PUSH_BELOW }
    }

    fn fraction(&self, last: &Iteration) -> f64 {
        last.active_edges as f64 / self.edges
    }

    /// How many iterations may run before something else would pay, and what ends them when it does: pulls where few edges are active, pushes where many are, and pushes by neighbor groups where so
    /// few are that words of the active set do better.
    fn reach(&self, iterations: &[Iteration]) -> (usize, Option<EdgeLimits>) {
        let fraction = iterations.last().map_or(self.start, |last| self.fraction(last));
        let is_far = if self.pushing { fraction < WORDS_BELOW } else { fraction > PUSH_BELOW * NEAR };
        if self.forced.is_some() || self.confirming || is_far {
            return (self.read_every, None);
        }
        let least = self.edges * if self.pushing { WORDS_BELOW } else { PUSH_BELOW };
        let most = if self.pushing { (self.edges * PULL_ABOVE) as u64 } else { u64::MAX };
        let limits = EdgeLimits { least: least.ceil() as u64, most };
        (self.until(&limits, iterations), Some(limits))
    }

    /// After how many iterations the limits will be left, if the number of active edges goes on as in the last two.
    fn until(&self, limits: &EdgeLimits, iterations: &[Iteration]) -> usize {
        let [.., before, last] = iterations else { return self.read_every };
        let (before, last) = (before.active_edges.max(1) as f64, last.active_edges.max(1) as f64);
        let limit = if last < before { limits.least } else { limits.most };
        let steps = (limit.max(1) as f64 / last).ln() / (last / before).ln();
        // What stays as it is never gets there.
        if steps >= 0.0 { (steps.ceil() as usize).clamp(1, self.read_every) } else { self.read_every }
    }
}

/// The part of the edges that is active at first.
fn start(graph: &Graph, options: &Options) -> f64 {
    let edges = |active: &ActiveSet| active.edge_count(graph.outgoing()) as f64 / graph.edge_count().max(1) as f64;
    options.start.as_ref().map_or(1.0, edges)
}

/// Whether a fold has nothing but vertex functions that share one kernel.
pub(crate) fn is_of_vertices(fold: &'static FoldFacts) -> bool {
    !fold.has_edges && fold.stages.len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn chooser(forced: Option<Direction>) -> DirectionChooser {
        let (edges, refresh, read_every) = (1000.0, 10, 8);
        DirectionChooser {
            forced,
            is_active: false,
            edges,
            start: 1.0,
            refresh,
            read_every,
            pushing: false,
            sums_are_kept: false,
            pushes: 0,
            pulls: 2,
            confirming: false,
        }
    }

    fn iteration(active_edges: u64) -> Iteration {
        Iteration { number: 1, direction: Direction::Pull, active: 1, active_edges, time: Duration::ZERO }
    }

    /// What is chosen after iterations that have left so many edges active, one after the other.
    fn counts(chooser: &mut DirectionChooser, edges: &[u64]) -> Vec<(Direction, usize)> {
        batches(chooser, edges).iter().map(|batch| (batch.direction, batch.count)).collect()
    }

    fn batches(chooser: &mut DirectionChooser, edges: &[u64]) -> Vec<Batch> {
        let mut iterations = Vec::new();
        let choose = |edges: &u64| {
            iterations.push(iteration(*edges));
            let batch = chooser.choose(&iterations, 100);
            let ran = Iteration { direction: batch.direction, ..iteration(*edges) };
            chooser.ran(&vec![ran; batch.count]);
            batch
        };
        edges.iter().map(choose).collect()
    }

    #[test]
    fn batches_have_limits_near_a_threshold_and_are_as_long_as_that_seems_far() {
        let mut chooser = chooser(None);
        let (pulls, pushes) =
            (Some(EdgeLimits { least: 50, most: u64::MAX }), Some(EdgeLimits { least: 10, most: 100 }));
        let first = chooser.choose(&[], 100);
        assert_eq!((first.count, first.limits), (8, None));
        let few = DirectionChooser { start: 0.1, ..self::chooser(None) }.choose(&[], 100);
        assert_eq!((few.count, few.limits), (8, pulls));
        let found = batches(&mut chooser, &[900, 150, 120, 120, 40, 40, 90, 95, 200]);
        let (pull, push) = (Direction::Pull, Direction::Push);
        let expected = [
            (pull, 8, None),
            // A sixth each time.
            (pull, 1, pulls),
            (pull, 4, pulls),
            // Nothing changes.
            (pull, 8, pulls),
            // A pull keeps its sums.
            (pull, 1, None),
            (push, 8, pushes),
            (push, 1, pushes),
            (push, 1, pushes),
            (pull, 8, pulls),
        ];
        assert_eq!(
            found.iter().map(|batch| (batch.direction, batch.count, batch.limits)).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn forced_batches_are_full_and_end_at_a_refresh() {
        assert_eq!(counts(&mut chooser(Some(Direction::Pull)), &[10; 2]), [(Direction::Pull, 8); 2]);
        let batches = counts(&mut chooser(Some(Direction::Push)), &[10; 5]);
        let (pull, push) = (Direction::Pull, Direction::Push);
        assert_eq!(batches, [(pull, 1), (push, 8), (push, 2), (pull, 1), (push, 8)]);
    }

    #[test]
    fn what_pushes_have_settled_is_confirmed_by_pulls() {
        let mut chooser = chooser(Some(Direction::Push));
        assert_eq!(counts(&mut chooser, &[10, 10])[1].0, Direction::Push);
        let settled = Iteration { direction: Direction::Push, active: 0, ..iteration(0) };
        assert!(!chooser.ran(&[settled]));
        let batch = chooser.choose(&[settled], 100);
        assert_eq!((batch.direction, batch.count, batch.limits), (Direction::Pull, 8, None));
        assert!(chooser.ran(&[Iteration { direction: Direction::Pull, ..settled }]));
    }

    #[test]
    fn no_batch_goes_past_the_limit() {
        assert_eq!(chooser(Some(Direction::Vertex)).choose(&[], 3).count, 3);
    }
}
