//! Vertex functions on every vertex, between other stages of a fold, or alone where all vertices are active: a group of lanes for each vertex.

use crate::index::Vertex;
use crate::launch::{Launch, Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};

/// Launches of `every_vertex`: units are vertices.
#[derive(Debug)]
pub struct EveryVertex;

/// The body of the kernel `every_vertex`: `L` lanes for each vertex. Leaves a mark, and the active words to `activate`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, EveryVertex>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let index = launch.unit(L);
    let is_done = launch.is_done(index);
    let worker = launch.worker::<L, V>().along(u32::MAX, !is_done);
    if is_done {
        return;
    }
    // SAFETY: `EveryVertex`: the unit is a vertex, which is one group's.
    worker.update_if_due(unsafe { Owned::claim(Vertex(index as u32)) });
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Runs the vertex functions on one vertex, if it is active where that is asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn update_if_due(&self, vertex: Owned<Vertex>) {
        let is_due = self.is_due_everywhere(&vertex);
        self.finish(vertex, E::Sums::<V>::zero(), is_due);
    }

    /// Whether the vertex functions of a stage without edge functions run on a vertex, as far as the active set decides it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_due_everywhere(&self, vertex: &Owned<Vertex>) -> bool {
        !E::IS_ACTIVE || W::FOLLOWS || self.is_active(*vertex.known())
    }
}
