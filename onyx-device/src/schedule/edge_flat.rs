//! Pull, a group of lanes for each edge, all sums added to memory: `clear` runs before it and `finish` after it, on every row. Totals that are states
//! of more than a float are stored instead, a row of the partials for each edge.
//!
//! As many groups as edges, whatever the degrees: for graphs too small to fill the GPU otherwise.

use crate::arguments::Arguments;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::pull;

/// The body of the kernel `edge_flat`: `L` lanes for each incoming edge.
///
/// # Safety
/// As [`pull::run`].
#[inline(always)]
pub unsafe fn run<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let position = arguments.units.first + machine.thread() / L as u64;
    // SAFETY: the caller's.
    if position >= arguments.units.end || unsafe { arguments.is_over(machine) } {
        return;
    }
    let group = arguments.group::<M, L, V>(machine);
    let mut sums = E::Sums::<V>::zero();
    let is_atomic = const { <E::Sums<V> as Accumulator<D, V>>::IS_ATOMIC };
    // SAFETY: the edge is this group's alone; all rows were cleared, and are only added to atomically. A row of the partials is an edge's alone.
    unsafe {
        let vertex = Vertex(machine.load_u32(arguments.incoming.vertex.add(position as usize)));
        let edge = arguments.incoming_edge::<M, E>(machine, vertex, position);
        let is_due = !E::IS_ACTIVE || arguments.is_active(machine, edge.src);
        if is_atomic && !is_due {
            return;
        }
        let reached = is_due && {
            let loads = E::load::<M, PreviousVersion<D, W>, L, V>(group, edge, &arguments.data);
            E::compute(group, edge, &arguments.data, loads, &mut sums)
        };
        if is_atomic {
            pull::add_part::<M, D, E, W, L, V>(group, arguments, vertex, sums, reached);
        } else {
            pull::store_part::<M, D, E, W, L, V>(group, arguments, vertex, position as u32, sums, reached);
        }
    }
}
