//! Reductions into the sources of edges, alone and beside reductions into destinations.

use onyx_device::prelude::*;

/// What is gathered in both directions.
#[graph_data]
pub struct Outward<const K: usize> {
    /// What is gathered.
    pub value: VertexFeatures<K>,
    /// What multiplies it.
    pub weight: EdgeScalar,
    /// What each edge leaves.
    pub trace: EdgeScalar,
    /// The sum over outgoing edges.
    pub out: VertexFeatures<K>,
    /// The sum over incoming edges.
    pub into: VertexFeatures<K>,
    /// The number of outgoing edges.
    pub degree: VertexScalar,
    /// The least value over outgoing edges.
    pub least: VertexFeatures<K>,
    /// The greatest weight over outgoing edges.
    pub heaviest: VertexScalar,
    /// The product over outgoing edges.
    pub product: VertexScalar,
    /// The two sums, the second less the first.
    pub result: VertexFeatures<K>,
    /// What is read at the far end while it is written.
    pub state: VertexFeatures<K, Tracked>,
}

/// Sums what the destinations have, into the source.
#[edge_fn]
pub fn outward<const K: usize>(f: Feature, e: Edge, d: &mut Outward<K>) -> bool {
    d.out[e.src][f] += d.weight[e] * d.value[e.dst][f];
    d.degree[e.src] += 1.0;
    d.trace[e] = e.id as f32;
    true
}

/// Sums what the sources have, into the destination.
#[edge_fn]
pub fn inward<const K: usize>(f: Feature, e: Edge, d: &mut Outward<K>) -> bool {
    d.into[e.dst][f] += d.weight[e] * d.value[e.src][f];
    true
}

/// Bounds and a product over outgoing edges.
#[edge_fn]
pub fn bounds<const K: usize>(f: Feature, e: Edge, d: &mut Outward<K>) -> bool {
    d.least[e.src][f].min_with(d.value[e.dst][f]);
    d.heaviest[e.src].max_with(d.weight[e]);
    d.product[e.src] *= d.weight[e];
    true
}

/// Takes one total from registers and the other from memory.
#[vertex_fn]
pub fn compare<const K: usize>(f: Feature, v: Vertex, d: &mut Outward<K>) -> bool {
    d.result[v][f] = d.into[v][f] - d.out[v][f];
    true
}

/// Steps along the edges turned, from the previous values of the destinations.
#[edge_fn]
pub fn backwards<const K: usize>(f: Feature, e: Edge, d: &mut Outward<K>) -> bool {
    d.out[e.src][f] += d.state[e.dst][f] - 0.5 * d.state[e.src][f];
    true
}

/// Takes the step.
#[vertex_fn]
pub fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Outward<K>) -> bool {
    d.state[v][f] = 0.1 * d.out[v][f] + d.value[v][f];
    d.value[v][f] > 0.0
}

foldmap! { pub gather_out<const K: usize>(Outward<K>) = [outward]; features = [4] }
foldmap! { pub both<const K: usize>(Outward<K>) = [outward, inward, compare]; features = [4] }
foldmap! { pub bounded<const K: usize>(Outward<K>) = [bounds]; features = [4] }
foldmap! { pub walk<const K: usize>(Outward<K>) = [backwards, take]; features = [4] }
foldmap! { pub walk_active<const K: usize>(Outward<K>) = [backwards, take]; features = [4]; edges = active }
