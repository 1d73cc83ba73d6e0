//! Batch normalization: S. Ioffe and C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift", 2015.
//!
//! ```text
//! mean     = Σ over vertices of x(v) / count          variance = Σ over vertices of (x(v) - mean)² / count
//! out(v)   = max(scale · (x(v) - mean) / √(variance + 1e-5) + shift, 0)
//! ```
//!
//! Mean and variance are totals of the graph, a stage before who reads them, and the gradient that is derived goes through both.

use onyx_device::prelude::*;

/// Added to the variance.
const EPSILON: f32 = 1e-5;

/// Rows that are normalized, feature by feature.
#[graph_data]
pub struct Normalization<const K: usize> {
    /// The rows.
    pub x: VertexFeatures<K>,
    /// What a normalized feature is multiplied by.
    pub scale: GraphFeatures<K>,
    /// What is added to it.
    pub shift: GraphFeatures<K>,
    /// One over the number of rows.
    pub share: Parameter,
    /// The mean of each feature.
    pub mean: GraphFeatures<K>,
    /// The mean square of what is off from the mean.
    pub variance: GraphFeatures<K>,
    /// How far each row is off from the mean.
    pub centered: VertexFeatures<K>,
    /// The output, rectified.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// What it changes by with the scale.
    pub scale_gradient: GraphFeatures<K>,
    /// What it changes by with the shift.
    pub shift_gradient: GraphFeatures<K>,
    /// What it changes by with the mean.
    pub mean_gradient: GraphFeatures<K>,
    /// What it changes by with the variance.
    pub variance_gradient: GraphFeatures<K>,
    /// What it changes by with `centered`.
    pub centered_gradient: VertexFeatures<K>,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[vertex_fn]
fn measure<const K: usize>(f: Feature, v: Vertex, d: &mut Normalization<K>) -> bool {
    d.mean[f] += d.share * d.x[v][f];
    true
}

#[vertex_fn]
fn center<const K: usize>(f: Feature, v: Vertex, d: &mut Normalization<K>) -> bool {
    let off = d.x[v][f] - d.mean[f];
    d.centered[v][f] = off;
    d.variance[f] += d.share * off * off;
    true
}

#[vertex_fn]
fn stretch<const K: usize>(f: Feature, v: Vertex, d: &mut Normalization<K>) -> bool {
    let normal = d.centered[v][f] / (d.variance[f] + EPSILON).sqrt();
    let mixed = d.scale[f] * normal + d.shift[f];
    d.out[v][f] = if mixed <= 0.0 { 0.0 } else { mixed }; // what is no number stays so
    true
}

#[vertex_fn]
fn stretch_by_known<const K: usize>(f: Feature, v: Vertex, d: &mut Normalization<K>) -> bool {
    let normal = (d.x[v][f] - d.mean[f]) / (d.variance[f] + EPSILON).sqrt();
    let mixed = d.scale[f] * normal + d.shift[f];
    d.out[v][f] = if mixed <= 0.0 { 0.0 } else { mixed }; // what is no number stays so
    true
}

foldmap! {
    /// Normalizes rows by their own mean and variance, and rectifies them.
    pub normalize_rows<const K: usize>(Normalization<K>) = [measure; center; stretch]; features = [16, 32];
    gradient = [x, scale, shift]
}

foldmap! {
    /// Normalizes rows by a mean and a variance that are given, as a network does that has learned.
    pub normalize_by_known<const K: usize>(Normalization<K>) = [stretch_by_known]; features = [16, 32]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Normalized, Normalizer};
