//! One stage of a fold on the CPU: rows, sources and words of vertices, dealt out to threads.

use std::marker::PhantomData;
use std::mem;
use std::ops::Range;
use std::slice;

use onyx_device::arguments::Arguments;
use onyx_device::cpu::Cpu;
use onyx_device::launch::{self, Owned, Worker};
use onyx_device::property::GraphData;
use onyx_device::reduction::Accumulator;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::multiplied::crosses_rows;
use onyx_device::{Fold, Machine, StageVisitor, Stages, Vertex};

use super::deal;
use super::vectors::Vectors;
use crate::active::ActiveSet;
use crate::backend::arguments::Unbound;
use crate::backend::code::needed;
use crate::graph::{Adjacency, Graph};
use crate::watch::Watch;

/// One edge at a time: the CPU looks ahead by itself.
const EDGES_IN_FLIGHT: usize = 1;
/// The fewest features of a row for which wide vectors pay (`docs/performance.md`).
const LEAST_FEATURES: usize = 4;
/// What a core is taken to have near: to fetch from there ahead of time only takes time (`docs/performance.md`).
const NEAR_BYTES: usize = 1 << 20;
/// How many edges of rows are taken through all tiles together.
const EDGES_SIDE_BY_SIDE: usize = 64;
/// How many edges are added up to a block of their own: a long row loses less to rounding.
const BLOCK: usize = 64;
/// How many blocks are added up before they join those before them.
const BLOCKS: usize = 64;

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

/// All functions of a stage, for the vertices among the arguments' units, and their rows of edges.
struct Pull<'a, D, const K: usize> {
    edges: &'a Adjacency,
    /// Those of each tile: the same but for that.
    tiles: &'a [Arguments<D>],
    rows: &'a [Range<usize>],
    dealing: Dealing<'a>,
}

/// The edge functions of a stage, for the outgoing edges of some vertices.
struct Push<'a, D, const K: usize> {
    graph: &'a Graph,
    arguments: &'a Arguments<D>,
    sources: &'a [u32],
    dealing: Dealing<'a>,
}

/// The totals that a push could not correct, of active and marked vertices.
struct Recompute<'a, D, const K: usize> {
    graph: &'a Graph,
    arguments: &'a Arguments<D>,
    active: &'a ActiveSet,
    dealing: Dealing<'a>,
}

/// The vertex functions of a stage, for active and marked vertices. Results in the words of those that have changed.
struct Update<'a, D, const K: usize> {
    arguments: &'a Arguments<D>,
    active: &'a ActiveSet,
    dealing: Dealing<'a>,
}

impl<D: GraphData, const K: usize> StageVisitor<D> for Pull<'_, D, K> {
    type Output = ();

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) {
        deal::each(self.rows.len(), self.dealing, &Of::<_, E, W>::new(&self));
    }
}

/// A pull of its first piece, on the thread that asks for it.
struct Here<'a, D, const K: usize>(Pull<'a, D, K>);

impl<D: GraphData, const K: usize> StageVisitor<D> for Here<'_, D, K> {
    type Output = ();

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) {
        self.0.dealing.vectors.run(&Of::<_, E, W>::new(&self.0), 0);
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> deal::Work for Of<'_, Pull<'_, D, K>, E, W> {
    type Data = D;
    type Output = ();
    const TAKES_VECTORS: bool = K >= LEAST_FEATURES || crosses_rows::<D, E, W, K>();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Machine>(&self, machine: M, piece: usize) {
        let mut left = self.kernel.taken(piece);
        while !left.is_empty() {
            let rows = self.kernel.side_by_side(&left);
            let end = if self.kernel.is_near::<E>() { 0 } else { self.kernel.end(&rows) };
            for arguments in self.kernel.tiles {
                // Nothing else points at a copy, so that the compiler keeps what all edges share in registers.
                let arguments = *arguments;
                let worker = worker::<M, D, E, W, K>(machine, &arguments);
                if const { crosses_rows::<D, E, W, K>() } {
                    self.kernel.across_rows(&worker, rows.clone(), end);
                    continue;
                }
                self.kernel.one_by_one(&worker, rows.clone(), end);
            }
            left.start = rows.end;
        }
    }
}

impl<D: GraphData, const K: usize> Pull<'_, D, K> {
    /// The rows of a piece that are among the units.
    fn taken(&self, piece: usize) -> Range<usize> {
        let (rows, units) = (&self.rows[piece], self.tiles[0].units);
        rows.start.max(units.first as usize)..rows.end.min(units.end as usize)
    }

    /// The first of some rows that are taken through all tiles before the next ones: what they read of neighbors are few pages of memory then, which the processor
    /// knows to find (`docs/performance.md`).
    fn side_by_side(&self, rows: &Range<usize>) -> Range<usize> {
        if self.tiles.len() == 1 {
            return rows.clone();
        }
        let offsets = self.edges.offsets();
        let most = offsets.row(rows.start).start + EDGES_SIDE_BY_SIDE;
        let count = rows.clone().skip(1).take_while(|row| offsets.row(*row).end <= most).count();
        rows.start..rows.start + 1 + count
    }

    /// Where the edges of some rows end.
    fn end(&self, rows: &Range<usize>) -> usize {
        rows.clone().last().map_or(0, |row| self.edges.offsets().row(row).end)
    }

    /// Whether all that the functions read of neighbors stays in a core's cache.
    fn is_near<E: EdgeRun<D>>(&self) -> bool {
        let (vertices, edges) = (self.tiles[0].vertex_count as usize, self.edges.edge_count());
        let count = |properties: u64| properties.count_ones() as usize;
        let rows = count(E::ACCESS.reads_source) * vertices + count(E::ACCESS.reads_reverse) * edges;
        rows * K * size_of::<f32>() < NEAR_BYTES
    }

    /// The edges of some rows, where nothing is done for a row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn across_rows<M: Machine, E: EdgeRun<D>, W: VertexRun<D>>(
        &self,
        worker: &Worker<'_, M, D, E, W, 1, K>,
        rows: Range<usize>,
        end: usize,
    ) {
        let offsets = self.edges.offsets();
        let edges_of = |row: u32| {
            let edges = offsets.row(row as usize);
            edges.start as u64..edges.end as u64
        };
        // SAFETY: `Dealt`: the rows are this thread's alone.
        unsafe { worker.gather_across_rows(rows.start as u32..rows.end as u32, end as u64, edges_of) };
    }

    /// The vertices of some rows; neighbors are fetched ahead for edges up to `end`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn one_by_one<M: Machine, E: EdgeRun<D>, W: VertexRun<D>>(
        &self,
        worker: &Worker<'_, M, D, E, W, 1, K>,
        rows: Range<usize>,
        end: usize,
    ) {
        let offsets = self.edges.offsets();
        let mut begin = offsets.get(rows.start);
        for row in rows {
            if const { E::IS_EMPTY } {
                // SAFETY: `Dealt`: the vertex is this thread's alone.
                worker.update_if_due(unsafe { Owned::claim(Vertex(row as u32)) });
                continue;
            }
            let edges = begin..offsets.get(row + 1);
            begin = edges.end;
            self.row(worker, row, edges, end);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<M: Machine, E: EdgeRun<D>, W: VertexRun<D>>(
        &self,
        worker: &Worker<'_, M, D, E, W, 1, K>,
        row: usize,
        edges: Range<usize>,
        last: usize,
    ) {
        let vertex = Vertex(row as u32);
        let (mut sums, mut reached, mut before) = (E::Sums::<K>::zero(), false, [None, None]);
        let (mut begin, mut number) = (edges.start, 0);
        // SAFETY: `Dealt`: the row is this thread's alone, and so are those after it in the piece.
        unsafe {
            loop {
                let end = edges.end.min(begin + BLOCK);
                reached |= worker.gather_looking_ahead(vertex, begin as u64..end as u64, last as u64, &mut sums);
                if end == edges.end {
                    break;
                }
                // Most rows are one block, whose sums are neither copied nor added to zeros: of matrices that takes as long as some edges.
                (begin, number) = (end, number + 1);
                join(&mut before, number, mem::replace(&mut sums, E::Sums::zero()));
            }
            if number > 0 {
                for before in before.into_iter().flatten() {
                    sums = before.combined_with(sums);
                }
            }
            worker.finish(Owned::claim(vertex), sums, reached);
        }
    }
}

/// Adds block number `number` of a row to the blocks before it, and these to all before them when they are [`BLOCKS`].
#[cfg_attr(not(debug_assertions), inline(always))]
fn join<D: GraphData, A: Accumulator<D, K>, const K: usize>(
    [blocks, rest]: &mut [Option<A>; 2],
    number: usize,
    sums: A,
) {
    let after = |before: Option<A>, sums: A| Some(before.map_or(sums, |before| before.combined_with(sums)));
    *blocks = after(*blocks, sums);
    if number.is_multiple_of(BLOCKS) {
        *rest = blocks.take().and_then(|blocks| after(*rest, blocks));
    }
}

impl<D: GraphData, const K: usize> StageVisitor<D> for Push<'_, D, K> {
    type Output = ();

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) {
        deal::each(self.sources.len(), self.dealing, &Of::<_, E, W>::new(&self));
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> deal::Work for Of<'_, Push<'_, D, K>, E, W> {
    type Data = D;
    type Output = ();
    const TAKES_VECTORS: bool = false;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Machine>(&self, machine: M, index: usize) {
        let Push { graph, arguments, sources, .. } = self.kernel;
        let (worker, source) = (worker::<M, D, E, W, K>(machine, arguments), sources[index]);
        let edges = graph.outgoing().offsets().row(source as usize);
        // SAFETY: `Dealt`: the source is this thread's alone, and all threads push.
        unsafe { worker.scatter::<EDGES_IN_FLIGHT>(Vertex(source), edges.start as u64..edges.end as u64) }
    }
}

impl<D: GraphData, const K: usize> StageVisitor<D> for Recompute<'_, D, K> {
    type Output = ();

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) {
        deal::each(self.active.words().len(), self.dealing, &Of::<_, E, W>::new(&self));
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> deal::Work for Of<'_, Recompute<'_, D, K>, E, W> {
    type Data = D;
    type Output = ();
    const TAKES_VECTORS: bool = false;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Machine>(&self, machine: M, word: usize) {
        self.kernel.word::<M, E, W>(machine, word, self.kernel.active.words()[word]);
    }
}

impl<D: GraphData, const K: usize> Recompute<'_, D, K> {
    /// Looks at the vertices of one word that will be updated.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn word<M: Machine, E: EdgeRun<D>, W: VertexRun<D>>(&self, machine: M, word: usize, active: u32) {
        let worker = worker::<M, D, E, W, K>(machine, self.arguments);
        let first = word * 32;
        for index in first..(first + 32).min(self.arguments.vertex_count as usize) {
            let row = self.graph.incoming().offsets().row(index);
            let row = row.start as u64..row.end as u64;
            // SAFETY: `Dealt`: the word's vertices are this thread's alone, and nothing but their totals is written.
            unsafe {
                if active >> (index - first) & 1 == 1 || self.arguments.mark(machine, index as u64).read() != 0 {
                    worker.recompute(Owned::claim(Vertex(index as u32)), row);
                }
            }
        }
    }
}

impl<D: GraphData, const K: usize> StageVisitor<D> for Update<'_, D, K> {
    type Output = Vec<u32>;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> Vec<u32> {
        deal::words(self.active.words().len(), self.dealing, &Of::<_, E, W>::new(&self))
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> deal::Work for Of<'_, Update<'_, D, K>, E, W> {
    type Data = D;
    type Output = u32;
    const TAKES_VECTORS: bool = K >= LEAST_FEATURES;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Machine>(&self, machine: M, word: usize) -> u32 {
        self.kernel.word::<M, E, W>(machine, word, self.kernel.active.words()[word])
    }
}

impl<D: GraphData, const K: usize> Update<'_, D, K> {
    /// Runs the vertex functions of one word of vertices, and returns the word of those that have changed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn word<M: Machine, E: EdgeRun<D>, W: VertexRun<D>>(&self, machine: M, word: usize, active: u32) -> u32 {
        // As in pulls: nothing else points at a copy.
        let arguments = *self.arguments;
        let worker = worker::<M, D, E, W, K>(machine, &arguments);
        let first = word * 32;
        let last = (first + 32).min(self.arguments.vertex_count as usize);
        (first..last).fold(0, |changed, index| {
            let slot = index - first;
            let is_active = active >> slot & 1 == 1;
            let mark = self.arguments.mark(machine, index as u64);
            // SAFETY: `Dealt`: the word's vertices and marks are this thread's alone.
            let update = unsafe {
                let is_marked = mark.replace(0) != 0;
                let update = (is_active && !E::IS_ACTIVE || is_marked)
                    && worker.update(Owned::claim(Vertex(index as u32)), is_active);
                mark.write(u8::from(update && self.arguments.tiles > 1));
                update
            };
            changed | u32::from(update) << slot
        })
    }
}
