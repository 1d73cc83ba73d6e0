//! A push: sources, dealt out one by one.

use onyx_device::arguments::Arguments;
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{Machine, StageVisitor, Vertex};

use super::{Dealing, Of, worker};
use crate::backend::cpu::deal;
use crate::graph::Graph;

/// One edge at a time: the CPU looks ahead by itself.
const EDGES_IN_FLIGHT: usize = 1;

/// The edge functions of a stage, for the outgoing edges of some vertices.
pub(super) struct Push<'a, D, const K: usize> {
    pub(super) graph: &'a Graph,
    pub(super) arguments: &'a Arguments<D>,
    pub(super) sources: &'a [u32],
    pub(super) dealing: Dealing<'a>,
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
