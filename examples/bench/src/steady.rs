//! A diffusion whose active set stays as it was chosen: what `bench_sparse` times.
//!
//! Vertices that are marked take the mean of their value and of what arrives, and are always active; the others keep their value. So a push
//! from the marked vertices alone gives what a full pull gives, in every iteration. That a vertex which is not marked keeps its value is more than
//! the compiler sees, so changes are asked for.

use onyx_device::prelude::*;

/// What the diffusion keeps of each edge and vertex.
#[graph_data]
pub struct Steady<const K: usize> {
    /// What an edge counts.
    weight: EdgeScalar,
    /// Above a half where the vertex moves.
    moves: VertexScalar,
    /// What diffuses.
    value: VertexFeatures<K, Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexFeatures<K>,
}

/// Adds the source's value to what arrives at the destination.
#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Steady<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.value[e.src][f];
    true
}

/// Moves the value of a marked vertex halfway to what has arrived.
#[vertex_fn]
fn move_halfway<const K: usize>(f: Feature, v: Vertex, d: &mut Steady<K>) -> bool {
    let moves = d.moves[v] > 0.5;
    let value = if moves { 0.5 * (d.value[v][f] + d.sum[v][f]) } else { d.value[v][f] };
    d.value[v][f] = value;
    moves
}

foldmap! {
    /// One iteration of the diffusion.
    pub step<const K: usize>(Steady<K>) = [spread, move_halfway]; features = [4, 16, 64]; edges = changed
}
