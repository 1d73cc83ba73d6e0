//! The convergence loop: which iteration comes next, and when it is over.

use std::time::{Duration, Instant};

use onyx_device::Fold;

use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Direction, Iteration, Observer, Options, Status};

/// What a step has left active.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    pub(crate) vertices: usize,
    pub(crate) edges: u64,
    /// The device's own time for the step, where it has a clock.
    pub(crate) time: Option<Duration>,
}

/// A backend with a fold's data in place. Each step leaves the active set that the next one starts from.
pub(crate) trait Engine {
    /// All functions for every vertex and all of its incoming edges; `keep_sums` makes a push possible afterwards.
    fn pull(&mut self, keep_sums: bool) -> Result<Activity, RunError>;
    /// The changes of active vertices, then the vertex functions where something arrived.
    fn push(&mut self) -> Result<Activity, RunError>;
    /// The vertex functions for active vertices.
    fn vertex(&mut self) -> Result<Activity, RunError>;
    /// Copies the values back into the store.
    fn finish(&mut self) -> Result<(), RunError>;
    /// The schedules in words.
    fn schedule(&self) -> String;
}

/// Below this fraction of active edges a push starts to pay, since it evaluates each edge twice and adds atomically.
const PUSH_BELOW: f64 = 0.05;
/// Above this fraction a push no longer pays. The gap keeps the loop from changing its mind in every iteration.
const PULL_ABOVE: f64 = 0.10;

/// Chooses pull or push for each iteration.
struct Chooser {
    forced: Option<Direction>,
    change_driven: bool,
    edges: f64,
    refresh: usize,
    pushing: bool,
    sums_are_kept: bool,
    pushes: usize,
    /// Pushes have left nothing active: pulls confirm it, for changes within the tolerance may have added up to more.
    confirming: bool,
}

/// One choice.
struct Choice {
    direction: Direction,
    keep_sums: bool,
}

impl Chooser {
    fn new<F: Fold>(graph: &Graph, options: &Options) -> Self {
        Self {
            forced: options.direction,
            change_driven: F::IS_CHANGE_DRIVEN,
            edges: graph.edge_count() as f64,
            refresh: options.refresh.max(1),
            pushing: false,
            sums_are_kept: false,
            pushes: 0,
            confirming: false,
        }
    }

    /// Whether the loop is over: nothing is active after a pull, which has seen every edge.
    fn is_over(&mut self, iteration: &Iteration) -> bool {
        let is_settled = iteration.active == 0;
        self.confirming |= is_settled && iteration.direction == Direction::Push;
        is_settled && iteration.direction != Direction::Push
    }

    fn choose(&mut self, last: Option<Activity>) -> Choice {
        self.pushing = match self.forced {
            Some(direction) => direction == Direction::Push,
            None => self.change_driven && last.is_some_and(|last| self.push_pays(last)),
        } && !self.confirming;
        if !self.pushing || !self.sums_are_kept || last.is_none() || self.pushes == self.refresh {
            self.pushes = 0;
            self.sums_are_kept = self.pushing;
            return Choice { direction: Direction::Pull, keep_sums: self.pushing };
        }
        self.pushes += 1;
        Choice { direction: Direction::Push, keep_sums: true }
    }

    fn push_pays(&self, last: Activity) -> bool {
        let fraction = last.edges as f64 / self.edges;
        fraction < if self.pushing { PULL_ABOVE } else { PUSH_BELOW }
    }
}

/// What the loop has done.
pub(crate) struct Outcome {
    pub(crate) status: Status,
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) run: Duration,
}

/// Runs iterations until nothing is active, the limit is reached, or the observer has enough.
pub(crate) fn converge<F: Fold>(
    engine: &mut dyn Engine,
    graph: &Graph,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Outcome, RunError> {
    let start = Instant::now();
    let mut chooser = Chooser::new::<F>(graph, options);
    let mut iterations = Vec::new();
    let mut last = None;
    let mut status = Status::IterationLimit;
    while iterations.len() < options.iterations {
        let choice = if F::HAS_EDGES { chooser.choose(last) } else { vertices_only() };
        let iteration = step(engine, choice, iterations.len() + 1, &mut last)?;
        iterations.push(iteration);
        if observer(&iteration).is_break() {
            status = Status::Cancelled;
            break;
        }
        if chooser.is_over(&iteration) {
            status = Status::Converged;
            break;
        }
    }
    Ok(Outcome { status, iterations, run: start.elapsed() })
}

fn vertices_only() -> Choice {
    Choice { direction: Direction::Vertex, keep_sums: false }
}

fn step(
    engine: &mut dyn Engine,
    choice: Choice,
    number: usize,
    last: &mut Option<Activity>,
) -> Result<Iteration, RunError> {
    let start = Instant::now();
    let activity = match choice.direction {
        Direction::Pull => engine.pull(choice.keep_sums)?,
        Direction::Push => engine.push()?,
        Direction::Vertex => engine.vertex()?,
    };
    *last = Some(activity);
    Ok(Iteration {
        number,
        direction: choice.direction,
        active: activity.vertices,
        active_edges: activity.edges,
        time: activity.time.unwrap_or_else(|| start.elapsed()),
    })
}
