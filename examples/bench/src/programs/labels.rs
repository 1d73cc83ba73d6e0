//! The vertex function of label propagation in three: mix what has arrived with the start, normalize, and compare with the label before.

use onyx_device::prelude::*;

/// Labels, and what has arrived for them.
#[graph_data]
pub struct Labels<const K: usize> {
    /// What has arrived by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// The distribution at the start.
    pub seed: VertexFeatures<K>,
    /// The distribution found so far.
    pub label: VertexFeatures<K>,
    /// The mixture of both.
    pub mixture: VertexFeatures<K, Scratch>,
    /// The mixture as a distribution.
    pub share: VertexFeatures<K, Scratch>,
    /// The part of what has arrived.
    pub alpha: Parameter,
    /// The change of a share that counts.
    pub tolerance: Parameter,
}

/// Mixes what has arrived with the start.
#[vertex_fn]
pub fn blend<const K: usize>(f: Feature, v: Vertex, d: &mut Labels<K>) -> bool {
    d.mixture[v][f] = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    true
}

/// The mixture as a distribution.
#[vertex_fn]
pub fn distribute<const K: usize>(f: Feature, v: Vertex, d: &mut Labels<K>) -> bool {
    d.share[v][f] = normalize(d.mixture[v][f]);
    true
}

/// Takes the new label; the vertex has changed if any share has moved.
#[vertex_fn]
pub fn compare<const K: usize>(f: Feature, v: Vertex, d: &mut Labels<K>) -> bool {
    let moved = (d.share[v][f] - d.label[v][f]).abs() > d.tolerance;
    d.label[v][f] = d.share[v][f];
    any(moved)
}

/// All three steps in one function.
#[vertex_fn]
pub fn relabel<const K: usize>(f: Feature, v: Vertex, d: &mut Labels<K>) -> bool {
    let mixture = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    let label = normalize(mixture);
    let moved = (label - d.label[v][f]).abs() > d.tolerance;
    d.label[v][f] = label;
    any(moved)
}

foldmap! {
    /// All three functions in one kernel.
    pub labels_folded<const K: usize>(Labels<K>) = [blend, distribute, compare]; features = [4, 16, 64]
}

foldmap! {
    /// Each function in a kernel of its own.
    pub labels_unfolded<const K: usize>(Labels<K>) = unfolded [blend, distribute, compare]; features = [4, 16, 64]
}

foldmap! {
    /// The kernel that one function gives.
    pub labels_by_hand<const K: usize>(Labels<K>) = [relabel]; features = [4, 16, 64]
}
