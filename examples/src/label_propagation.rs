//! Label propagation: each vertex mixes what its neighbors believe with its own seed.

use onyx_device::prelude::*;

/// The properties of label propagation.
#[graph_data]
pub struct LabelPropagation<const K: usize> {
    /// How strongly an edge carries a label.
    weight: EdgeScalar,
    /// What is known of a vertex.
    seed: VertexFeatures<K>,
    /// What is believed of a vertex.
    label: VertexFeatures<K, Tracked>,
    /// What arrives from the neighbors.
    sum: VertexFeatures<K>,
    /// How much the neighbors count.
    alpha: Parameter,
    /// Which change counts.
    epsilon: Parameter,
}

/// Carries a label along an edge.
#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut LabelPropagation<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.label[e.src][f];
    true
}

/// Mixes what has arrived with the seed.
#[vertex_fn]
fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut LabelPropagation<K>) -> bool {
    let mixed = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    let label = normalize(mixed);
    let moved = (label - d.label[v][f]).abs() > d.epsilon;
    d.label[v][f] = label;
    any(moved)
}

foldmap! {
    /// One step of label propagation.
    pub step<const K: usize>(LabelPropagation<K>) = [spread, absorb]; features = [1, 2, 4, 8, 16, 32, 64, 128]
}
