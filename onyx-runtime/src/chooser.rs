//! Pull or push: what comes next, and for how many iterations.

use std::time::Duration;

use onyx_device::FoldFacts;

use crate::active::ActiveSet;
use crate::batch_length::{self, until_below};
use crate::engine::{Batch, EdgeLimits};
use crate::graph::Graph;
use crate::options::{Direction, Iteration, Options};
use crate::pushing::PushCosts;
use crate::schedule::rule::WORDS_BELOW;

/// Above this fraction of active edges a push no longer pays: twice that below which it starts to. The gap keeps the loop from changing its mind in every iteration.
const PULL_ABOVE: f64 = 0.10;
/// Below this fraction the next iterations may be the last pulls, so that the device looks after each of them.
const FEW: f64 = 0.20;
/// A batch of pulls that seems to be the last one is so many iterations longer than that: the last ones leave less active than those before, but seldom by the same factor.
const MARGIN: usize = 1;

/// Chooses pull or push for each batch of iterations.
///
/// The choice is made where the counters are read. A batch is of one direction, and as long as `read_every` and [`batch_length`] allow where no change is in sight. Pulls turn to pushes where those
/// save more than turning takes ([`PushCosts`]): where few edges are active, if the run goes on for long enough. How long it goes on is what the last two iterations say, of which
/// each leaves so many times as many edges active as the one before. Where few are active the device ends a batch of pulls once pushes take less time, and the batch is no longer
/// than that, or the run, seems to take, since what is left of it is launched for nothing. Where a pull prepares for a push it is a single iteration. No batch of pushes goes past a
/// refresh.
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
    /// The bound below which a total of the graph ends the run.
    bound: Option<f32>,
    /// How long a pull seems to take before one has run, on a device that waits for the host between two batches; none where batches are as long as was asked for.
    pull_time: Option<Duration>,
    costs: PushCosts,
    pushing: bool,
    sums_are_kept: bool,
    pushes: usize,
    /// How many pulls there were: after two, values that are computed from others agree with them, whatever the run started from.
    pulls: usize,
    /// Pushes have left nothing active, or only what turns in its last bits: pulls confirm it, for changes within the tolerance may have added up to more.
    confirming: bool,
}

impl DirectionChooser {
    pub(crate) fn new(fold: &'static FoldFacts, graph: &Graph, options: &Options, costs: PushCosts) -> Self {
        let pull_only = Some(Direction::Pull).filter(|_| !options.may_push(fold));
        let read_every = options.batch();
        Self {
            forced: if is_of_vertices(fold) { Some(Direction::Vertex) } else { options.direction.or(pull_only) },
            is_active: fold.is_active,
            edges: graph.edge_count() as f64,
            start: start(graph, options),
            refresh: options.refresh.max(1),
            read_every,
            bound: options.until.map(|until| until.bound),
            // Pulls along active edges take less time from one to the next, and shorter batches of them were slower (`docs/performance.md`).
            pull_time: costs.time(graph.edge_count() as f64).filter(|_| !fold.is_active),
            costs: if read_every == 1 { costs.one_by_one() } else { costs },
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
            None => self.push_pays(iterations),
        } && !self.confirming;
        let (count, limits) = if self.pushing { self.pushes_ahead(iterations) } else { self.pulls_ahead(iterations) };
        let most = if self.pushing { rest } else { self.longest(iterations).min(rest) };
        let count = count.min(most);
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

    /// Whether pushes could come now, and do not for the time that they take.
    pub(crate) fn could_push(&self, iterations: &[Iteration]) -> bool {
        let active = iterations.last().map_or(0, |last| last.active_edges) as f64;
        let is_held_back = self.forced.is_none() && !self.confirming && !self.pushing && !self.is_active;
        is_held_back && self.costs != PushCosts::default() && PushCosts::default().saved(self.edges, active) > 0.0
    }

    /// The run goes around in circles: pushes may end it, whatever they take.
    pub(crate) fn circles(&mut self) {
        self.costs = PushCosts::default();
    }

    fn push_pays(&self, iterations: &[Iteration]) -> bool {
        let Some(last) = iterations.last() else { return false };
        if self.pushing {
            return self.fraction(iterations) < PULL_ABOVE;
        }
        self.costs.pay(self.left(iterations), self.costs.saved(self.edges, last.active_edges as f64))
    }

    /// The part of the edges that is active.
    fn fraction(&self, iterations: &[Iteration]) -> f64 {
        iterations.last().map_or(self.start, |last| last.active_edges as f64 / self.edges)
    }

    /// How many iterations seem to be left until the next refresh.
    fn left(&self, iterations: &[Iteration]) -> f64 {
        steps(iterations, 1.0).unwrap_or(f64::INFINITY).min(self.refresh as f64)
    }

    /// How many pushes may run before something else would pay, and what ends them when it does: pulls where many edges are active, and pushes by neighbor groups where so few are that words
    /// of the active set do better.
    fn pushes_ahead(&self, iterations: &[Iteration]) -> (usize, Option<EdgeLimits>) {
        if self.forced.is_some() || self.fraction(iterations) < WORDS_BELOW {
            return (self.read_every, None);
        }
        let of_edges = |fraction: f64| self.edges * fraction;
        let limits = EdgeLimits { least: of_edges(WORDS_BELOW).ceil() as u64, most: of_edges(PULL_ABOVE) as u64 };
        (self.until(&limits, iterations), Some(limits))
    }

    /// How many pulls may be launched at once, so that waiting between batches takes no longer than what is launched after the last iteration, and no more than seem to be left.
    fn longest(&self, iterations: &[Iteration]) -> usize {
        let Some(estimate) = self.pull_time else { return usize::MAX };
        let last = iterations.last().filter(|last| last.direction == Direction::Pull);
        let time = last.map_or(estimate, |last| last.time);
        let longest = batch_length::longest(time, iterations.len(), self.forced != Some(Direction::Pull));
        let left = self.bound.and_then(|bound| until_below(bound, iterations));
        left.map_or(longest, |left| longest.min(left.ceil() as usize + MARGIN))
    }

    /// How many pulls may run before pushes would pay, and how few active edges end them; or before nothing is active.
    fn pulls_ahead(&self, iterations: &[Iteration]) -> (usize, Option<EdgeLimits>) {
        if self.fraction(iterations) > FEW {
            return (self.read_every, None);
        }
        if !self.pushes_are_in_sight(iterations) {
            return (self.last_pulls(iterations), None);
        }
        let limits = EdgeLimits { least: self.costs.least(self.edges).ceil() as u64, most: u64::MAX };
        (self.until(&limits, iterations), Some(limits))
    }

    /// Whether pushes will pay, once less is active than now.
    fn pushes_are_in_sight(&self, iterations: &[Iteration]) -> bool {
        let least = self.costs.least(self.edges);
        let is_past = iterations.last().is_some_and(|last| (last.active_edges as f64) < least);
        let until = steps(iterations, least.max(1.0)).unwrap_or(0.0);
        let left = self.left(iterations) - until;
        self.forced.is_none() && !self.confirming && !is_past && self.costs.pay(left, self.costs.saved(self.edges, 0.0))
    }

    /// After how many iterations the limits will be left.
    fn until(&self, limits: &EdgeLimits, iterations: &[Iteration]) -> usize {
        let limit = [limits.least, limits.most].map(|limit| steps(iterations, limit.max(1) as f64));
        let steps = limit.into_iter().flatten().fold(f64::INFINITY, f64::min);
        (steps.ceil() as usize).clamp(1, self.read_every)
    }

    /// A batch of pulls which is the last one, if the number of active edges goes on as it does.
    fn last_pulls(&self, iterations: &[Iteration]) -> usize {
        let are_pulls = iterations.iter().rev().take(2).all(|iteration| iteration.direction == Direction::Pull);
        let left = steps(iterations, 1.0).filter(|_| are_pulls);
        left.map_or(self.read_every, |left| (left.ceil() as usize + MARGIN).min(self.read_every))
    }
}

/// After how many iterations so many edges will be active, if their number goes on as in the last two. `None` where it never gets there.
fn steps(iterations: &[Iteration], edges: f64) -> Option<f64> {
    let [.., before, last] = iterations else { return None };
    let (before, last) = (before.active_edges.max(1) as f64, last.active_edges.max(1) as f64);
    let steps = (edges / last).ln() / (last / before).ln();
    Some(steps).filter(|steps| steps.is_finite() && *steps >= 0.0)
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

    fn chooser(forced: Option<Direction>) -> DirectionChooser {
        let (edges, refresh, read_every) = (1000.0, 10, 8);
        DirectionChooser {
            forced,
            is_active: false,
            edges,
            start: 1.0,
            refresh,
            read_every,
            bound: None,
            pull_time: None,
            costs: PushCosts::default(),
            pushing: false,
            sums_are_kept: false,
            pushes: 0,
            pulls: 2,
            confirming: false,
        }
    }

    fn iteration(active_edges: u64) -> Iteration {
        Iteration { number: 1, direction: Direction::Pull, active: 1, active_edges, total: None, time: Duration::ZERO }
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
    fn pushes_come_where_they_save_more_than_turning_takes() {
        // A push takes as long as a pull of 200 edges of the 1000, and turning as long as three pulls.
        let costs = PushCosts::of(200.0, 3000.0);
        let chooser = || DirectionChooser { costs, ..chooser(None) };
        let last = |edges: &[u64]| *batches(&mut chooser(), edges).last().unwrap();
        let pulls = |count| Batch { direction: Direction::Pull, keep_sums: false, count, limits: None };
        // A single active edge is left after the next iteration, and one more may come.
        assert_eq!(last(&[400, 20]), pulls(2));
        let turning = Batch { keep_sums: true, ..pulls(1) };
        // As many stay active for long.
        assert_eq!(last(&[400, 21, 20]), turning);
        // 38 active edges take as long as all others.
        assert_eq!(last(&[39, 38]).limits, None);
        // In five iterations there are few enough.
        let limits = EdgeLimits { least: 40, most: u64::MAX };
        assert_eq!(last(&[80, 70]), Batch { limits: Some(limits), ..pulls(5) });
        let mut asked = DirectionChooser { costs: costs.one_by_one(), ..chooser() };
        assert_eq!(*batches(&mut asked, &[400, 20]).last().unwrap(), turning);
    }

    #[test]
    fn pushes_come_whatever_they_take_where_a_run_goes_around_in_circles() {
        let costs = PushCosts::of(1e6, 1e9);
        let held_back = DirectionChooser { costs, ..chooser(None) };
        let could_push = |chooser: &DirectionChooser, active| chooser.could_push(&[iteration(active)]);
        assert_eq!([40, 60].map(|active| could_push(&held_back, active)), [true, false]);
        let is_forced = DirectionChooser { costs, ..chooser(Some(Direction::Pull)) };
        let confirms = DirectionChooser { costs, confirming: true, ..chooser(None) };
        assert!(![is_forced, confirms, chooser(None)].iter().any(|other| could_push(other, 40)));
        let mut circling = held_back;
        assert!(!circling.choose(&[iteration(40)], 100).keep_sums);
        circling.circles();
        assert!(circling.choose(&[iteration(40)], 100).keep_sums);
    }

    #[test]
    fn the_last_batch_of_pulls_is_as_short_as_the_run_seems_to_be() {
        let counts = |edges: &[u64]| batches(&mut chooser(Some(Direction::Pull)), edges).last().unwrap().count;
        assert_eq!(counts(&[900, 300]), 8, "many are active");
        assert_eq!(counts(&[100, 10]), 2);
        assert_eq!(counts(&[120, 100]), 8);
        assert_eq!([counts(&[100, 100]), counts(&[10, 100])], [8, 8], "never over");
    }

    #[test]
    fn batches_of_pulls_are_short_where_pulls_are_long_or_a_total_nears_its_bound() {
        let ran = |total, time| Iteration { total: Some(total), time: Duration::from_micros(time), ..iteration(900) };
        let timed =
            |forced, bound| DirectionChooser { pull_time: Some(Duration::from_millis(1)), bound, ..chooser(forced) };
        let count = |forced, bound, ran: &[Iteration]| timed(forced, bound).choose(ran, 100).count;
        let pull = Some(Direction::Pull);
        assert_eq!(count(pull, None, &[]), 2);
        assert_eq!([20, 200, 450, 2000].map(|time| count(pull, None, &[ran(1.0, time)])), [8, 8, 3, 1]);
        assert_eq!(count(None, None, &[ran(1.0, 200)]), 5, "pushes may follow");
        assert_eq!(count(pull, Some(0.125), &[ran(1.0, 20), ran(0.5, 20)]), 3);
        assert_eq!(count(pull, Some(0.125), &[ran(1.0, 20), ran(0.99, 20)]), 8);
        let push = Some(Direction::Push);
        assert_eq!(count(push, None, &[ran(1.0, 2000)]), 1, "a pull that keeps its sums");
        assert_eq!(chooser(pull).choose(&[ran(1.0, 2000)], 100).count, 8, "nobody waits");
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
