//! Layers of a graph convolutional network over a batch of small graphs: "SmallGraphGCN: accelerating GNN
//! training on batched small graphs", 2025.
//!
//! ```text
//! sum(v) = Σ over edges u → v of share(u, v) · x(u)
//! out(v) = max(0, weight · (sum(v) + own(v) · x(v)) + bias)          share(u, v) = scale(u) · scale(v), own(v) = scale(v)², of `gcn.rs`
//! ```
//!
//! Four layers are one fold, two stages of rows after each other in two buffers. On a batch of small graphs they are one kernel: a block takes some of the graphs
//! through all four. The product is a function of the fold, so that the rows stay where they are. To compare with, one layer is a fold whose product comes before it.

use onyx_device::prelude::*;

/// What four layers keep.
#[graph_data]
pub struct Stack<const K: usize> {
    /// How much an edge counts.
    pub share: EdgeScalar,
    /// How much a vertex counts for itself.
    pub own: VertexScalar,
    /// The rows that the first layer takes.
    pub x: VertexFeatures<K>,
    /// What the first and the third layer make.
    pub hidden: VertexFeatures<K>,
    /// What the second and the fourth layer make.
    pub out: VertexFeatures<K>,
    /// The weights of the first layer, a row for each of its inputs.
    pub weight_1: GraphMatrix<K>,
    /// Those of the second.
    pub weight_2: GraphMatrix<K>,
    /// Those of the third.
    pub weight_3: GraphMatrix<K>,
    /// Those of the fourth.
    pub weight_4: GraphMatrix<K>,
    /// Added to each row by the first layer.
    pub bias_1: GraphFeatures<K>,
    /// By the second.
    pub bias_2: GraphFeatures<K>,
    /// By the third.
    pub bias_3: GraphFeatures<K>,
    /// By the fourth.
    pub bias_4: GraphFeatures<K>,
    /// What arrives in the first layer.
    pub sum_1: VertexFeatures<K>,
    /// In the second.
    pub sum_2: VertexFeatures<K>,
    /// In the third.
    pub sum_3: VertexFeatures<K>,
    /// In the fourth.
    pub sum_4: VertexFeatures<K>,
}

/// The functions of a layer that takes rows of one property and makes those of another.
macro_rules! layer {
    ($gather:ident, $activate:ident: $from:ident to $to:ident by $sum:ident, $weight:ident, $bias:ident) => {
        #[edge_fn]
        fn $gather<const K: usize>(f: Feature, e: Edge, d: &mut Stack<K>) -> bool {
            d.$sum[e.dst][f] += d.share[e] * d.$from[e.src][f];
            true
        }

        #[vertex_fn]
        fn $activate<const K: usize>(f: Feature, v: Vertex, d: &mut Stack<K>) -> bool {
            let mixed = d.$sum[v][f] + d.own[v] * d.$from[v][f];
            d.$to[v][f] = (transpose_matvec(d.$weight[f], mixed) + d.$bias[f]).max(0.0);
            true
        }
    };
}

layer!(gather_1, activate_1: x to hidden by sum_1, weight_1, bias_1);
layer!(gather_2, activate_2: hidden to out by sum_2, weight_2, bias_2);
layer!(gather_3, activate_3: out to hidden by sum_3, weight_3, bias_3);
layer!(gather_4, activate_4: hidden to out by sum_4, weight_4, bias_4);

/// A layer whose rows have been multiplied already.
#[vertex_fn]
fn rectify<const K: usize>(f: Feature, v: Vertex, d: &mut Stack<K>) -> bool {
    d.out[v][f] = (d.sum_1[v][f] + d.own[v] * d.x[v][f] + d.bias_1[f]).max(0.0);
    true
}

foldmap! {
    /// Four layers.
    pub four_layers<const K: usize>(Stack<K>) = [
        gather_1, activate_1, gather_2, activate_2, gather_3, activate_3, gather_4, activate_4
    ]; features = [32]
}

foldmap! {
    /// One layer, after the product of its rows with the weights.
    pub one_layer<const K: usize>(Stack<K>) = [gather_1, rectify]; features = [32]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{FoldedLayers, LayerWeights, PlainLayers};
