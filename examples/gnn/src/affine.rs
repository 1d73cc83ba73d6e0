//! What comes after a product with weights where nothing travels along edges: bias, activation and dropout.

use onyx_device::prelude::*;

use crate::random::{bits, kept};
use crate::rectifier::{rectifier, rectifier_slopes};

/// Rows that get a bias.
#[graph_data]
pub struct Affine<const K: usize> {
    /// The input times the weights.
    pub x: VertexFeatures<K>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The step of training, for dropout.
    pub step: GraphScalar,
    /// What random numbers are made of, a whole number below 2^24.
    pub seed: Parameter,
    /// How likely a value is to be dropped.
    pub rate: Parameter,
    /// What a value below 0 is multiplied by: 0 for a rectifier, 1 for no activation.
    pub slope: Parameter,
    /// The output.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Affine<K>) -> bool {
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index())) } else { 1.0 };
    d.out[v][f] = rectifier((d.x[v][f] + d.bias[f]) * share, d.slope);
    true
}

foldmap! {
    /// Adds the bias, and what comes after it.
    pub affine<const K: usize>(Affine<K>) = [activate]; features = [8, 16, 64];
    gradient = [x, bias]; derivative = [rectifier = rectifier_slopes(value)]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::AffineRows;
