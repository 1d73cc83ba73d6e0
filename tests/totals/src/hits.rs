//! Hubs and authorities (Kleinberg): who points to good ones is a good hub, and whom good ones point to is an authority.

use onyx_device::prelude::*;

/// How good vertices are as either, of length 1 over all vertices.
#[graph_data]
pub struct Hits {
    /// As hubs.
    pub hub: VertexScalar<Tracked>,
    /// As authorities.
    pub authority: VertexScalar<Tracked>,
    /// What comes from hubs.
    pub heard: VertexScalar,
    /// What comes from authorities.
    pub told: VertexScalar,
    /// The square of the length of what was heard.
    pub heard_square: GraphScalar,
    /// The square of the length of what was told.
    pub told_square: GraphScalar,
    /// How far hubs have moved.
    pub moved: GraphScalar,
}

/// Hubs say who is an authority.
#[edge_fn]
pub fn point(e: Edge, d: &mut Hits) -> bool {
    d.heard[e.dst] += d.hub[e.src];
    true
}

/// How long what was heard is.
#[vertex_fn]
pub fn measure_authorities(v: Vertex, d: &mut Hits) -> bool {
    d.heard_square += d.heard[v] * d.heard[v];
    d.authority[v] = d.heard[v];
    true
}

/// Makes it 1.
#[vertex_fn]
pub fn scale_authorities(v: Vertex, d: &mut Hits) -> bool {
    let length = d.heard_square.sqrt();
    d.authority[v] = if length > 0.0 { d.authority[v] / length } else { 0.0 };
    true
}

/// Authorities say who is a hub, along the same edges, the other way.
#[edge_fn]
pub fn vouch(e: Edge, d: &mut Hits) -> bool {
    d.told[e.src] += d.authority[e.dst];
    true
}

/// How long what was told is, and how far from what was there.
#[vertex_fn]
pub fn measure_hubs(v: Vertex, d: &mut Hits) -> bool {
    d.told_square += d.told[v] * d.told[v];
    true
}

/// The new hubs.
#[vertex_fn]
pub fn scale_hubs(v: Vertex, d: &mut Hits) -> bool {
    let length = d.told_square.sqrt();
    let hub = if length > 0.0 { d.told[v] / length } else { 0.0 };
    d.moved += (hub - d.hub[v]).abs();
    d.hub[v] = hub;
    true
}

foldmap! {
    /// An iteration: both directions of every edge, and two norms.
    pub hits(Hits) = [point, measure_authorities; scale_authorities; vouch, measure_hubs; scale_hubs]
}
