//! PageRank: each vertex is as important as what its neighbors pass on.

use onyx_device::prelude::*;

/// The properties of PageRank.
#[graph_data]
pub struct PageRank {
    /// What a vertex passes to each of its neighbors.
    share: VertexScalar<Tracked>,
    /// The importance of a vertex.
    rank: VertexScalar,
    /// One over the number of outgoing edges.
    inverse_degree: VertexScalar,
    /// What arrives from the neighbors.
    sum: VertexScalar,
    /// How much of a rank comes from neighbors.
    damping: Parameter,
    /// The rank of a vertex without neighbors.
    base: Parameter,
    /// Which change counts.
    tolerance: Parameter,
}

/// Collects the share of a neighbor.
#[edge_fn]
fn gather(e: Edge, d: &mut PageRank) -> bool {
    d.sum[e.dst] += d.share[e.src];
    true
}

/// Computes the rank from what has arrived.
#[vertex_fn]
fn update(v: Vertex, d: &mut PageRank) -> bool {
    let rank = d.base + d.damping * d.sum[v];
    let moved = (rank - d.rank[v]).abs() > d.tolerance;
    d.rank[v] = rank;
    d.share[v] = rank * d.inverse_degree[v];
    moved
}

foldmap! {
    /// One step of PageRank.
    pub rank_step(PageRank) = [gather, update]
}
