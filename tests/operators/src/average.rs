//! Means: of features and of scalars, of what comes through a gate, kept in memory or taken by a vertex function.

use onyx_device::prelude::*;

/// Values that are averaged over the incoming edges.
#[graph_data]
pub struct Average<const K: usize> {
    /// What each edge counts, or whether it counts.
    pub weight: EdgeScalar,
    /// What is averaged.
    pub value: VertexFeatures<K>,
    /// The mean of weighted values.
    pub mean: VertexFeatures<K>,
    /// The mean of the weights.
    pub heft: VertexScalar,
    /// A sum beside the means.
    pub sum: VertexFeatures<K>,
    /// What a vertex function makes of the means.
    pub kept: VertexFeatures<K>,
}

/// All edges contribute.
#[edge_fn]
fn average<const K: usize>(f: Feature, e: Edge, d: &mut Average<K>) -> bool {
    d.mean[e.dst][f].mean_with(d.weight[e] * d.value[e.src][f]);
    d.heft[e.dst].mean_with(d.weight[e]);
    d.sum[e.dst][f] += d.value[e.src][f];
    true
}

/// Edges of a positive weight contribute, twice: the number is the same for all features.
#[edge_fn]
fn gated<const K: usize>(f: Feature, e: Edge, d: &mut Average<K>) -> bool {
    if d.weight[e] > 0.0 {
        d.mean[e.dst][f].mean_with(d.value[e.src][f]);
        d.heft[e.dst].mean_with(d.weight[e]);
        d.mean[e.dst][f].mean_with(0.5);
    }
    true
}

/// Whether a value counts, by a function whose effects nobody knows.
fn is_counted(value: f32) -> bool {
    value > 0.0
}

/// Positive values contribute: each feature has a number of its own.
#[edge_fn]
fn positive<const K: usize>(f: Feature, e: Edge, d: &mut Average<K>) -> bool {
    if is_counted(d.value[e.src][f]) {
        d.mean[e.dst][f].mean_with(d.value[e.src][f]);
    }
    d.weight[e] > 0.0
}

/// Takes the means from registers.
#[vertex_fn]
fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Average<K>) -> bool {
    d.kept[v][f] = d.mean[v][f] + 2.0 * d.heft[v];
    true
}

/// Takes the means, and what stands in memory.
#[vertex_fn]
fn copy<const K: usize>(f: Feature, v: Vertex, d: &mut Average<K>) -> bool {
    d.kept[v][f] = d.mean[v][f];
    true
}

foldmap! { pub means<const K: usize>(Average<K>) = [average]; features = [2, 16] }
foldmap! { pub taken<const K: usize>(Average<K>) = [average, keep]; features = [1, 16] }
foldmap! { pub through_gate<const K: usize>(Average<K>) = [gated]; features = [4, 16] }
foldmap! { pub of_positive<const K: usize>(Average<K>) = [positive; copy]; features = [1, 16] }
foldmap! { pub of_active<const K: usize>(Average<K>) = [average, keep]; features = [4]; edges = active }
foldmap! { pub by_threads<const K: usize>(Average<K>) = [average, keep]; features = [4]; features_per_lane = all }
