//! The convergence loop: which iterations come next, and when it is over.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use onyx_device::FoldFacts;
use onyx_device::stored::Number;

use crate::active::ActiveSet;
use crate::chooser::DirectionChooser;
use crate::divergence::Divergence;
use crate::error::RunError;
use crate::graph::Graph;
use crate::look::Found;
use crate::options::{Direction, Iteration, Observer, Options, Status};
use crate::pushing::PushCosts;
use crate::settlement::{Finding, Settlement};

/// What a backend is asked to do with a fold and its values.
pub(crate) struct Task<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) options: &'a Options,
    pub(crate) observer: Observer<'a>,
    /// Whether the values are looked at when it is over: are they numbers?
    pub(crate) looks: bool,
}

/// What an iteration has left active.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    pub(crate) vertices: usize,
    pub(crate) edges: u64,
    /// Whether a total of the graph is below the bound that ends the run.
    pub(crate) is_stopped: bool,
    /// That total, where there is a bound.
    pub(crate) total: Option<f32>,
    /// The device's own time for the iteration, where it has a clock.
    pub(crate) time: Option<Duration>,
}

impl Activity {
    /// That the vertices of `active` are active, and their outgoing edges in `graph`.
    pub(crate) fn of(active: &ActiveSet, graph: &Graph) -> Self {
        let vertices = active.count();
        let all = vertices == graph.vertex_count();
        let edges = if all { graph.edge_count() } else { active.edge_count(graph.outgoing()) };
        Self { vertices, edges: edges as u64, is_stopped: false, total: None, time: None }
    }
}

/// Where an engine has the current values of a property: rows of numbers, of which the first `features` hold something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    /// The property's position in the data.
    pub(crate) property: usize,
    /// How many numbers it has.
    pub(crate) length: usize,
    /// How many of them are in a row.
    pub(crate) row: usize,
    /// How many rows a matrix has; 1 where there are no matrices.
    pub(crate) rows: usize,
    /// How many of a row's hold something, and of a matrix's rows.
    pub(crate) features: usize,
    /// The type of the numbers.
    pub(crate) number: Number,
}

/// How many edges may be active for a batch to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EdgeLimits {
    /// The fewest.
    pub(crate) least: u64,
    /// The most.
    pub(crate) most: u64,
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
    /// What ends it besides. An engine that returns after each iteration need not look.
    pub(crate) limits: Option<EdgeLimits>,
}

/// A backend with a fold's data in place. Each iteration leaves the active set that the next one starts from.
pub(crate) trait Engine {
    /// Runs iterations of a batch, and returns what each has left active: as many as it likes, one at least, and none after one that has left
    /// nothing active, or after one that has left its limits.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError>;
    /// What pushes take beside pulls, where that is known.
    fn push_costs(&self) -> PushCosts {
        PushCosts::default()
    }

    /// The vertices that the last iteration has left active.
    fn active(&mut self) -> Result<ActiveSet, RunError>;
    /// The arrays of the properties whose bits are set.
    fn arrays(&self, properties: u64) -> Vec<Array>;
    /// Copies numbers of an array, from number `first` on, as many as fill the bytes.
    fn copy(&mut self, array: Array, first: usize, bytes: &mut [u8]) -> Result<(), RunError>;
    /// Looks at the floats of arrays where they are: are they numbers?
    fn look(&mut self, arrays: &[Array]) -> Result<Vec<Found>, RunError>;
    /// Copies the values back into the store.
    fn finish(&mut self) -> Result<(), RunError>;
    /// The schedules in words.
    fn schedule(&self) -> String;
}

/// What the loop has done.
pub(crate) struct Outcome {
    pub(crate) status: Status,
    /// How far values turned where the run has settled.
    pub(crate) turn: f32,
    /// The property that has diverged, if one has and somebody asked.
    pub(crate) diverged: Option<&'static str>,
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) run: Duration,
}

/// Runs the fold to convergence on an engine. Returns what came of it, and the schedules in words.
pub(crate) fn finish(
    fold: &'static FoldFacts,
    engine: &mut dyn Engine,
    task: Task<'_>,
) -> Result<(Outcome, String), RunError> {
    let outcome = converge(fold, engine, task)?;
    engine.finish()?;
    Ok((outcome, engine.schedule()))
}

/// Runs iterations until nothing is active, values only turn in their last bits, the limit is reached, or the observer has enough.
fn converge(fold: &'static FoldFacts, engine: &mut dyn Engine, task: Task<'_>) -> Result<Outcome, RunError> {
    let looks = task.looks;
    let divergence = looks.then(|| Divergence::begin(fold, engine)).transpose()?;
    let outcome = iterate(fold, engine, task)?;
    let diverged = divergence.map(|divergence| divergence.find(fold, engine)).transpose()?.flatten();
    Ok(Outcome { diverged, ..outcome })
}

fn iterate(fold: &'static FoldFacts, engine: &mut dyn Engine, task: Task<'_>) -> Result<Outcome, RunError> {
    let Task { graph, options, observer, .. } = task;
    let start = Instant::now();
    let mut chooser = DirectionChooser::new(fold, graph, options, engine.push_costs());
    let mut settlement = Settlement::new(fold, engine, options);
    let mut iterations = Vec::new();
    let (mut status, mut turn) = (Status::IterationLimit, 0.0);
    while iterations.len() < options.iterations {
        let first = iterations.len();
        let rest = (options.iterations - first).min(settlement.reach(first));
        let batch = chooser.choose(&iterations, rest);
        let (ran, is_stopped) = step(engine, batch, first + 1)?;
        iterations.extend(ran);
        let is_over = chooser.ran(&iterations[first..]);
        let new = &iterations[first..];
        let found = if is_over {
            Finding::Moving
        } else {
            settlement.ran(engine, graph, new, chooser.could_push(&iterations))?
        };
        match found {
            Finding::Unconfirmed => chooser.confirm(),
            Finding::Circling => chooser.circles(),
            Finding::Settled(by) => turn = by,
            Finding::Moving => {}
        }
        let ended = if is_over { Some(Status::Converged) } else { is_stopped.then_some(Status::Below) };
        if let Some(end) = end(&iterations[first..], ended, found, observer) {
            status = end;
            break;
        }
    }
    Ok(Outcome { status, turn, diverged: None, iterations, run: start.elapsed() })
}

/// Runs a batch, whose first iteration is number `first`. Says as well whether a total has ended the run.
fn step(
    engine: &mut dyn Engine,
    batch: Batch,
    first: usize,
) -> Result<(impl Iterator<Item = Iteration> + use<>, bool), RunError> {
    let start = Instant::now();
    let activities = engine.run(batch)?;
    let share = start.elapsed() / activities.len().max(1) as u32;
    let is_stopped = activities.iter().any(|activity| activity.is_stopped);
    let iteration = move |(number, activity): (usize, Activity)| Iteration {
        number,
        direction: batch.direction,
        active: activity.vertices,
        active_edges: activity.edges,
        total: activity.total,
        time: activity.time.unwrap_or(share),
    };
    Ok(((first..).zip(activities).map(iteration), is_stopped))
}

/// Shows the observer what has run, all of it, and says why the loop is over, if it is.
fn end(ran: &[Iteration], ended: Option<Status>, found: Finding, observer: Observer<'_>) -> Option<Status> {
    let shown: Vec<ControlFlow<()>> = ran.iter().map(observer).collect();
    if shown.iter().any(ControlFlow::is_break) {
        return Some(Status::Cancelled);
    }
    ended.or(matches!(found, Finding::Settled(_)).then_some(Status::Settled))
}
