//! Cores: vertices that have too few neighbors are taken away, until none has.

use onyx_device::prelude::*;

/// Who is still there.
#[graph_data]
pub struct Core {
    /// 1 as long as the vertex is there.
    pub is_there: VertexScalar<u8, Tracked>,
    /// How many of its neighbors are.
    pub support: VertexScalar<u32>,
}

/// Counts neighbors.
#[edge_fn]
pub fn support(e: Edge, d: &mut Core) -> bool {
    d.support[e.dst] += d.is_there[e.src] as u32;
    true
}

/// Goes where there are fewer than three.
#[vertex_fn]
pub fn peel(v: Vertex, d: &mut Core) -> bool {
    let stays = if d.support[v] >= 3 { d.is_there[v] } else { 0 };
    let moved = stays != d.is_there[v];
    d.is_there[v] = stays;
    moved
}

foldmap! {
    /// The core of order three: changes are pushed.
    pub core_of_three(Core) = [support, peel]
}
