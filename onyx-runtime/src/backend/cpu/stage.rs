//! One stage of a fold on the CPU: rows, sources and words of vertices, dealt out to threads.

mod pull;
mod push;
mod recompute;
mod update;

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

use onyx_device::arguments::Arguments;
use onyx_device::cpu::Cpu;
use onyx_device::launch::{self, Worker};
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{Fold, Machine, Stages};

use self::pull::{Here, Pull};
use self::push::Push;
use self::recompute::Recompute;
use self::update::Update;
use super::deal;
use super::vectors::Vectors;
use crate::active::ActiveSet;
use crate::backend::arguments::Unbound;
use crate::backend::code::needed;
use crate::graph::{Adjacency, Graph};
use crate::watch::Watch;

/// The fewest features of a row for which wide vectors pay (`docs/performance.md`).
const LEAST_FEATURES: usize = 4;

/// Launches on the CPU: a row, a source or a word is dealt to one thread. Vertex functions and pushes are launches of their own.
struct Dealt;

/// What a thread runs a stage by. It has all features of a row.
#[cfg_attr(not(debug_assertions), inline(always))]
fn worker<M: Machine, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize>(
    machine: M,
    arguments: &Arguments<D>,
) -> Worker<'_, M, D, E, W, 1, K> {
    // SAFETY: `CpuEngine` has made the arguments of live arrays, for the stage that visits, and lends them while it runs.
    unsafe { launch::Launch::<_, D, E, W, Dealt>::new(machine, arguments) }.worker()
}

/// A kernel on the CPU, for one tile; a pull is for several.
pub(crate) struct Launch<'a> {
    /// The number of the stage.
    pub(super) stage: usize,
    pub(super) arguments: &'a Unbound,
    pub(super) work: Work<'a>,
    pub(super) dealing: Dealing<'a>,
}

/// How work is dealt out.
#[derive(Clone, Copy)]
pub(super) struct Dealing<'a> {
    /// Who hears its panics.
    pub(super) watch: &'a Watch,
    /// What its code may use.
    pub(super) vectors: Vectors,
    /// How many features it is compiled for.
    pub(super) features: usize,
    /// Whether there is so little to do that other threads would wake up for longer.
    pub(super) is_small: bool,
}

/// What a kernel does.
pub(super) enum Work<'a> {
    /// [`Pull`]
    Pull { edges: &'a Adjacency, rows: &'a [Range<usize>], tiles: Range<u32> },
    /// All stages, for the vertices of each of these ranges.
    Graphs { graph: &'a Graph, blocks: &'a [Range<usize>] },
    /// [`Push`]
    Push { graph: &'a Graph, sources: &'a [u32] },
    /// [`Recompute`]
    Recompute { graph: &'a Graph, active: &'a ActiveSet },
    /// [`Update`]
    Update { active: &'a ActiveSet },
}

/// Runs a kernel of fold `F`, compiled for a width. Results in what an update does, and in no words otherwise. What no fold launches is not compiled.
pub(crate) fn launch<F: Fold, D: GraphData, S: Stages<D>, const K: usize>(launch: Launch<'_>) -> Vec<u32> {
    let Launch { stage, arguments, work, dealing } = launch;
    let bound = arguments.bind::<D>();
    let arguments = &bound.of_head(Cpu);
    let dealing = Dealing { features: K, ..dealing };
    match work {
        Work::Pull { edges, rows, tiles } => {
            let tiles: Vec<_> = tiles.map(|first_tile| Arguments { first_tile, ..bound }.of_head(Cpu)).collect();
            S::visit(stage, Pull::<D, K> { edges, tiles: &tiles, rows, dealing });
        }
        Work::Graphs { graph, blocks } => {
            if let Some(run) = const { needed(F::STAGES.len() > 1, pull_graphs::<F, D, S, K> as fn(_, &_, &[_], _)) } {
                run(graph, arguments, blocks, dealing);
            }
        }
        Work::Push { graph, sources } => {
            if let Some(run) = const { needed(F::PUSHES, push::<D, S, K> as fn(_, Push<'_, _, _>)) } {
                run(stage, Push { graph, arguments, sources, dealing });
            }
        }
        Work::Recompute { graph, active } => {
            if let Some(run) = const { needed(F::RECOMPUTES, recompute::<D, S, K> as fn(_, Recompute<'_, _, _>)) } {
                run(stage, Recompute { graph, arguments, active, dealing });
            }
        }
        Work::Update { active } => {
            if let Some(run) =
                const { needed(F::STAGES.len() == 1 || F::PUSHES, update::<D, S, K> as fn(_, Update<'_, _, _>) -> _) }
            {
                return run(stage, Update { arguments, active, dealing });
            }
        }
    }
    Vec::new()
}

fn push<D: GraphData, S: Stages<D>, const K: usize>(stage: usize, push: Push<'_, D, K>) {
    S::visit(stage, push);
}

fn recompute<D: GraphData, S: Stages<D>, const K: usize>(stage: usize, recompute: Recompute<'_, D, K>) {
    S::visit(stage, recompute);
}

fn update<D: GraphData, S: Stages<D>, const K: usize>(stage: usize, update: Update<'_, D, K>) -> Vec<u32> {
    S::visit(stage, update).unwrap_or_default()
}

/// Takes the vertices of each range through all stages, on one thread.
fn pull_graphs<F: Fold, D: GraphData, S: Stages<D>, const K: usize>(
    graph: &Graph,
    arguments: &Arguments<D>,
    blocks: &[Range<usize>],
    dealing: Dealing<'_>,
) {
    let stages: Vec<Arguments<D>> = (0..F::STAGES.len()).map(|stage| of_stage::<F, D>(arguments, stage)).collect();
    deal::deal(blocks.len(), dealing, &|block| {
        for (number, (stage, arguments)) in F::STAGES.iter().zip(&stages).enumerate() {
            let edges = if stage.is_reversed() { graph.outgoing() } else { graph.incoming() };
            let rows = &blocks[block..=block];
            S::visit(number, Here(Pull::<D, K> { edges, tiles: slice::from_ref(arguments), rows, dealing }));
        }
    });
}

/// The arguments of a stage between others: its rows of edges, and what the later stages write where it lies before they do.
fn of_stage<F: Fold, D: GraphData>(arguments: &Arguments<D>, stage: usize) -> Arguments<D> {
    let later = F::STAGES[stage + 1..].iter().fold(0, |later, stage| later ^ D::TRACKED & stage.vertices.writes);
    let incoming = if F::STAGES[stage].is_reversed() { arguments.outgoing } else { arguments.incoming };
    Arguments { data: arguments.data.exchanged(later), incoming, ..*arguments }
}

/// A kernel, for the functions of a stage.
struct Of<'a, T, E, W> {
    kernel: &'a T,
    functions: PhantomData<fn() -> (E, W)>,
}

impl<'a, T, E, W> Of<'a, T, E, W> {
    fn new(kernel: &'a T) -> Self {
        Self { kernel, functions: PhantomData }
    }
}
