//! PageRank: how often a walker who follows random links, and now and then jumps anywhere, is at each vertex.
//!
//! Figure 2.1f of the Onyx thesis, with damping d and n vertices:
//!
//! ```text
//! rank(v) = (1 − d) / n + d · Σ over edges u → v of rank(u) / out_degree(u)
//! ```
//!
//! Personalised, the walker jumps to some vertices only: 1 / n becomes `restart(v)`, a distribution. How much rank a vertex then has says how
//! near it is to those.
//!
//! Equal edges count each, weights do not count. A vertex without outgoing edges ("dangling") passes nothing on, and so the ranks sum to
//! less than 1. Spreading what it has over the vertices as a jump does, as is usual, only makes (1 − d) · restart(v) greater by a factor that
//! is the same at every vertex; and as the equation is linear, the ranks are then greater by one common factor. So dividing by the sum at the end, on the host,
//! gives exactly that PageRank without a sum over all vertices in every iteration.

use onyx_device::prelude::*;

/// What PageRank keeps of each vertex.
#[graph_data]
pub struct PageRank {
    /// One over the number of outgoing edges; zero where there are none.
    inverse_out_degree: VertexScalar,
    /// How often the walker is here.
    rank: VertexScalar,
    /// What each outgoing edge gets of the rank.
    share: VertexScalar<Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexScalar,
    /// The rank of the vertex if nothing arrives.
    teleport: VertexScalar,
    /// How likely the walker follows a link.
    damping: Parameter,
    /// The change of a rank, as a part of it, that is not propagated.
    tolerance: Parameter,
}

/// Passes the share of each outgoing edge on.
#[edge_fn]
fn send(e: Edge, d: &mut PageRank) -> bool {
    d.sum[e.dst] += d.share[e.src];
    true
}

/// Computes the new rank; the vertex has changed if the rank has by more than the tolerance, as a part of itself, and by more than rounding
/// does to it.
#[vertex_fn]
fn update(v: Vertex, d: &mut PageRank) -> bool {
    let rank = d.teleport[v] + d.damping * d.sum[v];
    let moved = (rank - d.rank[v]).abs() > d.tolerance.max(4.0 * f32::EPSILON) * rank;
    d.rank[v] = rank;
    d.share[v] = rank * d.inverse_out_degree[v];
    moved
}

foldmap! {
    /// One iteration of PageRank.
    pub step(PageRank) = [send, update]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod verification;
#[host]
pub use host::{Ranks, Settings, pagerank, personalize, personalized, prepare, ranks, top};
#[host]
pub use verification::{serial, verify};
