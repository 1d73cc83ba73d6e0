//! Vertex functions alone: words of vertices, dealt out one by one.

use onyx_device::arguments::Arguments;
use onyx_device::launch::Owned;
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{Machine, StageVisitor, Vertex};

use super::{Dealing, LEAST_FEATURES, Of, worker};
use crate::active::ActiveSet;
use crate::backend::cpu::deal;

/// The vertex functions of a stage, for active and marked vertices. Results in the words of those that have changed.
pub(super) struct Update<'a, D, const K: usize> {
    pub(super) arguments: &'a Arguments<D>,
    pub(super) active: &'a ActiveSet,
    pub(super) dealing: Dealing<'a>,
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
