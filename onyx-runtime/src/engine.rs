//! The convergence loop: which iterations come next, and when it is over.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use onyx_device::Fold;

use crate::active::ActiveSet;
use crate::chooser::Chooser;
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Direction, Iteration, Observer, Options, Status};

/// What an iteration has left active.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    pub(crate) vertices: usize,
    pub(crate) edges: u64,
    /// The device's own time for the iteration, where it has a clock.
    pub(crate) time: Option<Duration>,
}

impl Activity {
    /// That the vertices of `active` are active, and their outgoing edges in `graph`.
    pub(crate) fn of(active: &ActiveSet, graph: &Graph) -> Self {
        let vertices = active.count();
        let all = vertices == graph.vertex_count();
        let edges = if all { graph.edge_count() } else { active.edge_count(graph.outgoing()) };
        Self { vertices, edges: edges as u64, time: None }
    }
}

/// Iterations of one direction that an engine may run without being asked in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Batch {
    /// Pull runs all functions for every vertex and all of its incoming edges; push propagates the changes of active vertices, then runs the
    /// vertex functions where something arrived; vertex runs those of active vertices alone.
    pub(crate) direction: Direction,
    /// Whether a pull stores its sums, so that a push is possible afterwards.
    pub(crate) keep_sums: bool,
    /// How many iterations at most.
    pub(crate) count: usize,
}

/// A backend with a fold's data in place. Each iteration leaves the active set that the next one starts from.
pub(crate) trait Engine {
    /// Runs iterations of a batch, and returns what each has left active: as many as it likes, one at least, and none behind one that has left
    /// nothing active.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError>;
    /// The vertices that the last iteration has left active.
    fn active(&mut self) -> Result<ActiveSet, RunError>;
    /// Puts others in their place.
    fn activate(&mut self, active: &ActiveSet) -> Result<(), RunError>;
    /// Copies the values back into the store.
    fn finish(&mut self) -> Result<(), RunError>;
    /// The schedules in words.
    fn schedule(&self) -> String;
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
    let mut status = Status::IterationLimit;
    while iterations.len() < options.iterations {
        let first = iterations.len();
        let batch = chooser.choose(iterations.last(), options.iterations - first);
        iterations.extend(step(engine, batch, first + 1)?);
        let is_over = chooser.ran(&iterations[first..]);
        if let Some(end) = end(&iterations[first..], is_over, observer) {
            status = end;
            break;
        }
    }
    Ok(Outcome { status, iterations, run: start.elapsed() })
}

/// Runs a batch, whose first iteration is number `first`.
fn step(
    engine: &mut dyn Engine,
    batch: Batch,
    first: usize,
) -> Result<impl Iterator<Item = Iteration> + use<>, RunError> {
    let start = Instant::now();
    let activities = engine.run(batch)?;
    let share = start.elapsed() / activities.len().max(1) as u32;
    Ok((first..).zip(activities).map(move |(number, activity)| Iteration {
        number,
        direction: batch.direction,
        active: activity.vertices,
        active_edges: activity.edges,
        time: activity.time.unwrap_or(share),
    }))
}

/// Shows the observer what has run, all of it, and says why the loop is over, if it is.
fn end(ran: &[Iteration], is_over: bool, observer: Observer<'_>) -> Option<Status> {
    let shown: Vec<ControlFlow<()>> = ran.iter().map(observer).collect();
    if shown.iter().any(ControlFlow::is_break) {
        return Some(Status::Cancelled);
    }
    is_over.then_some(Status::Converged)
}
