//! Components: each vertex has the least label of those that reach it, and the greatest label of those that it reaches.

use onyx_device::prelude::*;

/// Labels, which may be any numbers.
#[graph_data]
pub struct Components {
    /// The least label so far.
    pub label: VertexScalar<u32, Tracked>,
    /// The least one along edges.
    pub least: VertexScalar<u32>,
    /// The greatest label so far.
    pub top: VertexScalar<Tracked, u32>,
    /// The greatest one along edges.
    pub greatest: VertexScalar<u32>,
    /// Whether the vertex has ever taken another's label.
    pub has_moved: VertexScalar<u8>,
}

/// Sends the label along.
#[edge_fn]
pub fn send(e: Edge, d: &mut Components) -> bool {
    d.least[e.dst].min_with(d.label[e.src]);
    true
}

/// Takes the least.
#[vertex_fn]
pub fn take(v: Vertex, d: &mut Components) -> bool {
    let label = d.least[v].min(d.label[v]);
    let moved = label != d.label[v];
    if moved {
        d.has_moved[v] = 1;
    }
    d.label[v] = label;
    moved
}

/// Sends what the destination has to the source.
#[edge_fn]
pub fn answer(e: Edge, d: &mut Components) -> bool {
    d.greatest[e.src].max_with(d.top[e.dst]);
    true
}

/// Takes the greatest.
#[vertex_fn]
pub fn climb(v: Vertex, d: &mut Components) -> bool {
    let top = d.greatest[v].max(d.top[v]);
    let moved = top != d.top[v];
    d.top[v] = top;
    moved
}

foldmap! {
    /// Every edge in every iteration.
    pub components(Components) = [send, take]
}

foldmap! {
    /// The edges of vertices whose label has changed alone, which may be pushed.
    pub frontier(Components) = [send, take]; edges = active
}

foldmap! {
    /// A kernel for each function, so that totals are in memory.
    pub apart(Components) = unfolded [send, take]
}

foldmap! {
    /// Over outgoing edges.
    pub upstream(Components) = [answer, climb]
}
