//! All stages of a fold in one launch, a block for some whole graphs of a batch: its groups of lanes take the rows of those graphs, and the block meets after
//! each stage.
//!
//! No edge leads from one graph of a batch into another, so that what a block reads it has written itself. Nothing is added to memory, no other kernel and no other
//! block is waited for, and rows of one stage are still in the caches when the next one reads them. Scratch rows, which nobody reads after the fold, lie in the block's shared
//! memory where it has room for them. A row that the whole graph has in common, such as the bias of a
//! layer, a group loads once a stage, and keeps while it goes from row to row.

use core::cell::Cell;
use core::marker::PhantomData;

use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::{Registers, Taking};
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, has_large_edges};
use crate::stage::{EachStage, Stages};

/// Launches of `graph_per_block`, and of each of its stages: units are blocks of [`Arguments::blocks`](crate::arguments::Arguments::blocks), whose vertices have edges among
/// themselves alone, [`MOST_EDGES`](crate::schedule::incoming::MOST_EDGES) at most in a row; both adjacencies have offsets where stages take them; no stage reads at an index that it computes what another one writes, or a total that another
/// one adds to, and rows are no tiles. Contributions to totals have a row for each block where stages gather them, and a block has
/// [`gather_totals::shared_floats`](crate::schedule::gather_totals::shared_floats) of each such stage, before the rows of [`Arguments::passed`](crate::arguments::Arguments::passed).
#[derive(Debug)]
pub struct GraphPerBlock;

/// What a lane keeps of the graph from row to row, at most, in bytes: half of its registers.
const MOST_HELD: usize = 512;

/// The body of the kernel `graph_per_block`: a block of warps for some of a batch's graphs, and all stages `S` of the fold.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, S, const L: usize, const V: usize>(launch: Launch<'_, M, D, (), (), GraphPerBlock>)
where
    M: Block,
    D: GraphData,
    S: Stages<D>,
{
    let (machine, arguments) = (launch.machine(), launch.arguments());
    // The whole block returns, or none of it.
    let block = arguments.units.first + machine.block();
    if launch.is_done(block) {
        return;
    }
    // SAFETY: `GraphPerBlock`: there is an entry for the block, and one for its end.
    let vertices = unsafe {
        let first = arguments.blocks.add(block as usize);
        (machine.load_u32(first), machine.load_u32(first.add(1)))
    };
    let arguments = arguments.passing::<M, L, V>(machine, S::PASSED, vertices.0);
    // SAFETY: the clauses of the launch; the block's shared memory has the rows that the stages leave for later ones.
    let launch = unsafe { Launch::new(machine, &arguments) };
    S::each(&Graphs::<M, D, L, V> { launch: &launch, vertices, data: PhantomData });
}

/// The graphs of a block, for the groups of its lanes.
struct Graphs<'a, M, D, const L: usize, const V: usize> {
    launch: &'a Launch<'a, M, D, (), (), GraphPerBlock>,
    vertices: (u32, u32),
    data: PhantomData<fn() -> D>,
}

impl<M: Block, D: GraphData, const L: usize, const V: usize> EachStage<D> for Graphs<'_, M, D, L, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn stage<E: EdgeRun<D>, W: VertexRun<D>>(&self, later: u64) {
        let machine = self.launch.machine();
        let arguments = self.launch.arguments().of_stage::<E>(later);
        // SAFETY: the clauses of the launch are those of each stage: the block alone reaches its graphs, and meets between two stages.
        let worker = unsafe { Launch::<_, D, E, W, GraphPerBlock>::new(machine, &arguments) }.worker::<L, V>();
        if const { size_of::<W::Held<V>>() <= MOST_HELD } {
            self.take_stage(&worker, worker.held());
        } else {
            self.take_stage(&worker, ());
        }
        machine.synchronize_block();
    }
}

impl<M: Block, D: GraphData, const L: usize, const V: usize> Graphs<'_, M, D, L, V> {
    /// Runs a stage on every vertex that the calling group has, and leaves what it adds to totals of the graph.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_stage<E: EdgeRun<D>, W: VertexRun<D>>(
        &self,
        worker: &Worker<'_, M, D, E, W, L, V>,
        held: impl Registers<D, V>,
    ) {
        if const { !W::GATHERS_TOTALS } {
            return self.take_rows(worker, held, |_| ());
        }
        let totals = Cell::new(W::Totals::<V>::zero());
        self.take_rows(worker, (held, Taking(&totals)), |worker| worker.settle(&totals));
        // SAFETY: `GraphPerBlock`: the block has a row of its own; it has met after each stage.
        unsafe { worker.leave_totals(totals.get(), self.launch.machine().block() as u32) }
    }

    /// Runs a stage on every vertex that the calling group has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_rows<E: EdgeRun<D>, W: VertexRun<D>>(
        &self,
        worker: &Worker<'_, M, D, E, W, L, V>,
        held: impl Registers<D, V>,
        settle: impl Fn(&Worker<'_, M, D, E, W, L, V>),
    ) {
        let machine = self.launch.machine();
        let groups = machine.warps() * (32 / L as u32);
        let (mut vertex, end) = (self.vertices.0 + (machine.warp() * 32 + machine.lane()) / L as u32, self.vertices.1);
        let mut worker = worker.along(u32::MAX, vertex < end);
        while worker.goes_on(vertex < end) {
            if vertex < end {
                // SAFETY: `GraphPerBlock`: the vertex is the block's alone, of which one group has it in each stage.
                unsafe { worker.take_row(Owned::claim(Vertex(vertex)), held) }
                vertex += groups;
                worker = worker.still_along(vertex < end);
            }
            settle(&worker);
        }
    }
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// The rows of the graph that vertex functions read.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn held(&self) -> W::Held<V> {
        // SAFETY: `Launch`, arrays: they are there; functions: nothing writes them.
        unsafe { W::hold(self.group, &self.arguments.data) }
    }

    /// Runs all functions of a stage for one vertex and its row, with what the group holds of the graph.
    ///
    /// # Safety
    /// The rows have offsets where there are edge functions.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_row(&self, vertex: Owned<Vertex>, held: impl Registers<D, V>) {
        if const { E::IS_EMPTY } {
            let is_due = self.is_due_everywhere(&vertex);
            return self.finish_holding(vertex, E::Sums::<V>::zero(), is_due, held);
        }
        let (machine, incoming, index) = (self.machine(), &self.arguments.incoming, vertex.get());
        // SAFETY: the caller's; the row is of a vertex that is the group's alone.
        let (sums, reached) = unsafe {
            let begin = incoming.offset(machine, u64::from(index.0));
            let end = incoming.offset(machine, u64::from(index.0) + 1);
            if const { has_large_edges::<D, E, L, V>() } {
                self.gather::<1>(index, begin, end)
            } else {
                self.gather::<EDGES_IN_FLIGHT>(index, begin, end)
            }
        };
        self.finish_holding(vertex, sums, reached, held);
    }
}
