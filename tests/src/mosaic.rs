//! Programs in which each feature is on its own, so that there may be more of them than the widest compiled width has.

use onyx_device::prelude::*;

/// Features and scalars, of edges and of vertices.
#[graph_data]
pub struct Mosaic<const K: usize> {
    /// How heavy an edge is.
    pub weight: EdgeScalar,
    /// A factor for each edge and feature.
    pub gain: EdgeFeatures<K>,
    /// What the second edge function has seen.
    pub seen: EdgeFeatures<K>,
    /// What settles.
    pub value: VertexFeatures<K, Tracked>,
    /// The sum of what arrives.
    pub total: VertexFeatures<K>,
    /// The weight of the edges that count.
    pub mass: VertexScalar,
    /// Grows with each iteration that runs on the vertex.
    pub age: VertexScalar,
    /// What the last vertex function keeps.
    pub kept: VertexFeatures<K>,
    /// Lighter edges do not count.
    pub least_weight: Parameter,
    /// Vertices with less mass keep nothing.
    pub least_mass: Parameter,
    /// Features up to this have settled.
    pub floor: Parameter,
}

/// Collects along every edge; lighter edges go no further, with all of their features.
#[edge_fn]
pub fn carry<const K: usize>(f: Feature, e: Edge, d: &mut Mosaic<K>) -> bool {
    d.total[e.dst][f] += d.gain[e][f] * d.value[e.src][f];
    d.weight[e] > d.least_weight
}

/// Weighs the edges that count. What it returns differs between features, and stops nothing.
#[edge_fn]
pub fn note<const K: usize>(f: Feature, e: Edge, d: &mut Mosaic<K>) -> bool {
    d.mass[e.dst] += d.weight[e];
    d.seen[e][f] = d.value[e.src][f] - 0.5 * d.value[e.dst][f];
    d.value[e.src][f] > 0.0
}

/// Takes what has arrived; vertices with little mass go no further.
#[vertex_fn]
pub fn settle<const K: usize>(f: Feature, v: Vertex, d: &mut Mosaic<K>) -> bool {
    d.value[v][f] = 0.5 * d.value[v][f] + 0.25 * d.total[v][f] / (1.0 + d.mass[v]);
    d.age[v] += 1.0 + d.mass[v];
    d.mass[v] > d.least_mass
}

/// A vertex is active as long as one of its features is.
#[vertex_fn]
pub fn polish<const K: usize>(f: Feature, v: Vertex, d: &mut Mosaic<K>) -> bool {
    d.kept[v][f] = d.value[v][f] * d.age[v];
    d.value[v][f] > d.floor
}

foldmap! {
    /// At every width, in one kernel.
    pub lay<const K: usize>(Mosaic<K>) = [carry, note, settle, polish]
}

foldmap! {
    /// At one width, in two stages.
    pub lay_narrow<const K: usize>(Mosaic<K>) = [carry, note, settle; polish]; features = [4]
}

/// Halves a feature; counts how often.
#[vertex_fn]
pub fn fade<const K: usize>(f: Feature, v: Vertex, d: &mut Mosaic<K>) -> bool {
    d.value[v][f] *= 0.5;
    d.age[v] += 1.0;
    d.value[v][f] > d.floor
}

foldmap! {
    /// Without edges: it runs on active vertices alone.
    pub fade_out<const K: usize>(Mosaic<K>) = [fade]; features = [4]
}
