//! Reachability of up to 32 sources at once: a bit of each vertex for every source.

use onyx_device::prelude::*;

/// Sets of bits.
#[graph_data]
pub struct Reach {
    /// The bits of all that reach the vertex.
    pub mask: VertexScalar<u32, Tracked>,
    /// What comes along edges.
    pub arriving: VertexScalar<u32>,
    /// The bits that all have that reach the vertex.
    pub held: VertexScalar<Tracked, u32>,
    /// What all edges bring.
    pub shared: VertexScalar<u32>,
}

/// Sends both sets along.
#[edge_fn]
pub fn spread(e: Edge, d: &mut Reach) -> bool {
    d.arriving[e.dst] |= d.mask[e.src];
    d.shared[e.dst] &= d.held[e.src];
    true
}

/// Takes what is new, and lets go of what is not shared.
#[vertex_fn]
pub fn absorb(v: Vertex, d: &mut Reach) -> bool {
    let (mask, held) = (d.mask[v] | d.arriving[v], d.held[v] & d.shared[v]);
    let moved = mask != d.mask[v] || held != d.held[v];
    d.mask[v] = mask;
    d.held[v] = held;
    moved
}

foldmap! {
    /// Every edge in every iteration.
    pub reach(Reach) = [spread, absorb]
}

foldmap! {
    /// The edges of vertices whose sets have changed alone, which may be pushed.
    pub frontier(Reach) = [spread, absorb]; edges = active
}

foldmap! {
    /// What neighbors have, which is left in memory.
    pub neighbors(Reach) = [spread]
}
