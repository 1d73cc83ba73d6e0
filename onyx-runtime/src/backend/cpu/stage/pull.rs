//! A pull: rows of edges, dealt out in pieces.

use std::mem;
use std::ops::Range;

use onyx_device::arguments::Arguments;
use onyx_device::launch::{Owned, Worker};
use onyx_device::property::GraphData;
use onyx_device::reduction::Accumulator;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::multiplied::crosses_rows;
use onyx_device::{Machine, StageVisitor, Vertex};

use super::{Dealing, LEAST_FEATURES, Of, worker};
use crate::backend::cpu::deal;
use crate::graph::Adjacency;

/// What a core is taken to have near: to fetch from there ahead of time only takes time (`docs/performance.md`).
const NEAR_BYTES: usize = 1 << 20;
/// How many edges of rows are taken through all tiles together.
const EDGES_SIDE_BY_SIDE: usize = 64;
/// How many edges are added up to a block of their own: a long row loses less to rounding.
const BLOCK: usize = 64;
/// How many blocks are added up before they join those before them.
const BLOCKS: usize = 64;

/// All functions of a stage, for the vertices among the arguments' units, and their rows of edges.
pub(super) struct Pull<'a, D, const K: usize> {
    pub(super) edges: &'a Adjacency,
    /// Those of each tile: the same but for that.
    pub(super) tiles: &'a [Arguments<D>],
    pub(super) rows: &'a [Range<usize>],
    pub(super) dealing: Dealing<'a>,
}

impl<D: GraphData, const K: usize> StageVisitor<D> for Pull<'_, D, K> {
    type Output = ();

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) {
        deal::each(self.rows.len(), self.dealing, &Of::<_, E, W>::new(&self));
    }
}

/// A pull of its first piece, on the thread that asks for it.
pub(super) struct Here<'a, D, const K: usize>(pub(super) Pull<'a, D, K>);

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
