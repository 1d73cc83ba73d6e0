//! Label propagation: a few vertices have a known class, and every other one takes the mixture of classes around it.
//!
//! Figure 2.1d of the Onyx thesis, for the distribution `label(v)` over K classes:
//!
//! ```text
//! sum(v)   = Σ over edges u → v of weight(u, v) · label(u)
//! mixed(v) = alpha · normalize(sum(v)) + (1 − alpha) · seed(v)
//! label(v) = normalize(mixed(v))              normalize(x) = x / Σx, and x itself where Σx = 0
//! ```
//!
//! The figure mixes with the label of the iteration before, by which the seeds would be forgotten. As in the papers that it cites, the
//! mixture here is with the label at the start, `seed(v)`: the class of a vertex where it is known, and every class alike where it is not.
//! So all labels sum to 1, and the equations are a contraction: each iteration shrinks every difference by alpha at least, and they converge
//! to one solution at that rate.

use onyx_device::prelude::*;

/// What label propagation keeps of each edge and vertex.
#[graph_data]
pub struct LabelPropagation<const K: usize> {
    /// How much the destination listens to the source.
    weight: EdgeScalar,
    /// The distribution at the start: one class where it is known, all alike where not.
    seed: VertexFeatures<K>,
    /// The distribution found so far.
    label: VertexFeatures<K, Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexFeatures<K>,
    /// The part of a label that comes from the neighbors.
    alpha: Parameter,
    /// The change of a share that is not propagated.
    tolerance: Parameter,
}

/// Adds the source's label to what arrives at the destination.
#[edge_fn]
pub fn spread<const K: usize>(f: Feature, e: Edge, d: &mut LabelPropagation<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.label[e.src][f];
    true
}

/// Mixes what has arrived with the seed; the vertex has changed if any feature has moved by more than rounding moves it.
#[vertex_fn]
pub fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut LabelPropagation<K>) -> bool {
    let mixed = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    let label = normalize(mixed);
    let moved = (label - d.label[v][f]).abs() > d.tolerance.max(4.0 * f32::EPSILON * label);
    d.label[v][f] = label;
    any(moved)
}

foldmap! {
    /// One iteration of label propagation.
    pub step<const K: usize>(LabelPropagation<K>) = [spread, absorb]; features = [1, 2, 4, 8, 16, 32, 64, 128, 256, 640]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod verification;
#[host]
pub use host::{Labels, Settings, check_weights, classes, label_propagation, prepare};
#[host]
pub use verification::{serial, verify};
