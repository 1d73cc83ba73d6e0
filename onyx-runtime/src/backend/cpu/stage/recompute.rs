//! Totals that are computed again: words of vertices, dealt out one by one.

use onyx_device::arguments::Arguments;
use onyx_device::launch::Owned;
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{Machine, StageVisitor, Vertex};

use super::{Dealing, Of, worker};
use crate::active::ActiveSet;
use crate::backend::cpu::deal;
use crate::graph::Graph;

/// The totals that a push could not correct, of active and marked vertices.
pub(super) struct Recompute<'a, D, const K: usize> {
    pub(super) graph: &'a Graph,
    pub(super) arguments: &'a Arguments<D>,
    pub(super) active: &'a ActiveSet,
    pub(super) dealing: Dealing<'a>,
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
