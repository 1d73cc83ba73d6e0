//! The product of sparse features with weights, as a fold: vertices are the rows of the product and, after them, those of the weights. An edge leads
//! from each weight's row to each row whose feature is not zero, so that zeros cost nothing.
//!
//! ```text
//! product(v) = Σ over edges u → v of dropout(value(u, v)) · weight(u)
//! ```

use onyx_device::prelude::*;

use crate::random::{bits, kept};

/// What the product keeps of each edge and vertex.
#[graph_data]
pub struct Sparse<const K: usize> {
    /// The weights, in the rows after those of the product.
    pub weight: VertexFeatures<K>,
    /// The features that are not zero.
    pub value: EdgeScalar,
    /// The step of training, for dropout.
    pub step: GraphScalar,
    /// What random numbers are made of, a whole number below 2^24.
    pub seed: Parameter,
    /// How likely a value is to be dropped.
    pub rate: Parameter,
    /// The product.
    pub product: VertexFeatures<K>,
    /// What the loss changes by with a weight.
    pub weight_gradient: VertexFeatures<K>,
    /// What it changes by with the product.
    pub product_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Sparse<K>) -> bool {
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, e.src.0, e.dst.0)) } else { 1.0 };
    d.product[e.dst][f] += d.value[e] * share * d.weight[e.src][f];
    true
}

foldmap! {
    /// The product of the features that are not zero with the weights.
    pub sparse_product<const K: usize>(Sparse<K>) = [multiply]; features = [8, 16, 64]; gradient = [weight]
}
