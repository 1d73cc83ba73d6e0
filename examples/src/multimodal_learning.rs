//! Multimodal learning: vertices that speak different languages, such as pictures and captions, learn from each other what they are.
//!
//! Figure 2.1e of the Onyx thesis, for the K values `mode(v)` and a K × K matrix an edge, which translates from the source to the destination:
//!
//! ```text
//! mode(v) = alpha · Σ over edges u → v of W(u, v)ᵀ · mode(u) + (1 − alpha) · seed(v)
//! ```
//!
//! So that this converges whatever the matrices are, each vertex's are divided, before the run, by the sum over its incoming edges of the
//! absolute values in each column: `Σ over u, i of |W(u, v)[i][j]|` for column `j`; where it is 0, nothing arrives. A value is then alpha
//! times a mean of others, some with their signs changed, and an iteration shrinks every difference by alpha at least. With diagonal
//! matrices of positive weights this is multi-manifold ranking.

use onyx_device::prelude::*;

/// What multimodal learning keeps of each edge and vertex.
#[graph_data]
pub struct MultimodalLearning<const K: usize> {
    /// Translates what the source says into what the destination understands.
    weight: EdgeMatrix<K>,
    /// What is known of the vertex at the start.
    seed: VertexFeatures<K>,
    /// What the vertex has learned, in its own language.
    mode: VertexFeatures<K, Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexFeatures<K>,
    /// The part of a mode that comes from the neighbors.
    alpha: Parameter,
    /// The change of a value that is not propagated.
    tolerance: Parameter,
}

/// Adds the source's mode, as the destination understands it, to what arrives there.
#[edge_fn]
pub fn translate<const K: usize>(f: Feature, e: Edge, d: &mut MultimodalLearning<K>) -> bool {
    d.sum[e.dst][f] += transpose_matvec(d.weight[e][f], d.mode[e.src][f]);
    true
}

/// Mixes what has arrived with the seed; the vertex has changed if any value has moved by more than rounding moves it.
#[vertex_fn]
pub fn learn<const K: usize>(f: Feature, v: Vertex, d: &mut MultimodalLearning<K>) -> bool {
    let mode = d.alpha * d.sum[v][f] + (1.0 - d.alpha) * d.seed[v][f];
    let moved = (mode - d.mode[v][f]).abs() > d.tolerance.max(4.0 * f32::EPSILON * mode.abs());
    d.mode[v][f] = mode;
    any(moved)
}

foldmap! {
    /// One iteration of multimodal learning. With a feature in each lane, lanes side by side read rows of a matrix side by side; two rows fit one lane.
    pub step<const K: usize>(MultimodalLearning<K>) = [translate, learn]; features = [1, 2, 4, 8, 16, 32]; features_per_lane = [1, 2, 1, 1, 1, 1]
}

#[host]
pub use crate::fixed_point::Settings;

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod verification;
#[host]
pub use host::{Modes, greatest, multimodal_learning, prepare};
#[host]
pub use verification::{serial, verify};
