//! Pull, a group of lanes for each edge, all sums added to memory: `clear` runs before it and `finish` after it, on every row. Totals that are states
//! of more than a float are stored instead, a row of the partials for each edge.
//!
//! As many groups as edges, whatever the degrees: for graphs too small to fill the GPU otherwise.

use crate::index::Vertex;
use crate::launch::{Launch, Shared};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};

/// Launches of `edge_flat`: units are incoming edges, and so are the neighbor groups. All totals were cleared, or the partials have a row for each edge.
#[derive(Debug)]
pub struct EdgeFlat;

/// The body of the kernel `edge_flat`: `L` lanes for each incoming edge.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, EdgeFlat>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    launch.machine().let_next_begin();
    let position = launch.unit(L);
    if launch.is_done(position) {
        return;
    }
    let (machine, worker) = (launch.machine(), launch.worker::<L, V>());
    let mut sums = E::Sums::<V>::zero();
    let is_atomic = const { <E::Sums<V> as Accumulator<D, V>>::IS_ATOMIC };
    // SAFETY: `EdgeFlat`: the unit is an edge, which is one group's, as a row of the partials is; no group owns a vertex.
    unsafe {
        let vertex = Vertex(machine.load_u32(launch.arguments().incoming.vertex.add(position as usize)));
        let edge = worker.incoming_edge(vertex, position);
        let is_due = !E::IS_ACTIVE || worker.is_active(edge.known().source());
        if is_atomic && !is_due {
            return;
        }
        let reached = is_due && {
            let loads = worker.load_previous(edge.known());
            worker.compute(&edge, loads, &mut sums)
        };
        if is_atomic {
            worker.add_part(Shared::claim(vertex), sums, reached);
        } else {
            worker.store_part(Shared::claim(vertex), position as u32, sums, reached);
        }
    }
}
