//! Random programs whose gradient is asked for: `tests/random/src/smooth` draws them.
#![allow(missing_docs, unused_assignments, unused_variables, unused_mut, clippy::all)]

use onyx_device::prelude::*;

/// What programs without heads read and leave, with the adjoints.
#[graph_data]
pub struct Smooth<const K: usize, const J: usize> {
    pub x: VertexFeatures<K>,
    pub y: VertexFeatures<K, f16>,
    pub size: VertexScalar,
    pub sort: VertexScalar<u32>,
    pub weight: EdgeScalar,
    pub kind: EdgeScalar<u32>,
    pub message: EdgeFeatures<K, bf16>,
    pub bias: GraphFeatures<K>,
    pub relation: Table<K>,
    pub scale: GraphScalar,
    pub alpha: Parameter,
    pub mix: GraphMatrix<K>,
    pub lift: GraphMatrix<K, J>,
    pub wide: VertexFeatures<J>,
    pub total: VertexFeatures<K>,
    pub level: VertexScalar,
    pub log_sum: VertexFeatures<K>,
    pub pool: Table<K>,
    pub middle: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub y_gradient: VertexFeatures<K>,
    pub y_gradient_part: VertexFeatures<K>,
    pub size_gradient: VertexScalar,
    pub size_gradient_part: VertexScalar,
    pub weight_gradient: EdgeScalar,
    pub message_gradient: EdgeFeatures<K>,
    pub bias_gradient: GraphFeatures<K>,
    pub relation_gradient: Table<K>,
    pub scale_gradient: GraphScalar,
    pub alpha_gradient: GraphScalar,
    pub mix_gradient: GraphMatrix<K>,
    pub lift_gradient: GraphMatrix<K, J>,
    pub wide_gradient: VertexFeatures<J>,
    pub total_gradient: VertexFeatures<K>,
    pub total_gradient_count: VertexFeatures<K>,
    pub total_gradient_rest: VertexFeatures<K>,
    pub level_gradient: VertexScalar,
    pub level_gradient_count: VertexScalar,
    pub level_gradient_rest: VertexScalar,
    pub pool_gradient: Table<K>,
    pub pool_gradient_count: Table<K>,
    pub middle_gradient: VertexFeatures<K>,
    pub out_gradient: VertexFeatures<K>,
}

/// What programs of one head read and leave, with the adjoints.
#[graph_data]
pub struct Many<const K: usize> {
    pub x: VertexFeatures<K>,
    pub y: VertexFeatures<K, f16>,
    pub size: VertexHeads,
    pub sort: VertexScalar<u32>,
    pub weight: EdgeHeads,
    pub kind: EdgeScalar<u32>,
    pub message: EdgeFeatures<K, bf16>,
    pub bias: GraphFeatures<K>,
    pub relation: Table<K>,
    pub total: VertexFeatures<K>,
    pub level: VertexHeads,
    pub log_sum: VertexFeatures<K>,
    pub pool: Table<K>,
    pub middle: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub y_gradient: VertexFeatures<K>,
    pub y_gradient_part: VertexFeatures<K>,
    pub size_gradient: VertexHeads,
    pub size_gradient_part: VertexHeads,
    pub weight_gradient: EdgeHeads,
    pub message_gradient: EdgeFeatures<K>,
    pub bias_gradient: GraphFeatures<K>,
    pub relation_gradient: Table<K>,
    pub total_gradient: VertexFeatures<K>,
    pub total_gradient_count: VertexFeatures<K>,
    pub total_gradient_rest: VertexFeatures<K>,
    pub level_gradient: VertexHeads,
    pub level_gradient_count: VertexHeads,
    pub level_gradient_rest: VertexHeads,
    pub pool_gradient: Table<K>,
    pub pool_gradient_count: Table<K>,
    pub middle_gradient: VertexFeatures<K>,
    pub out_gradient: VertexFeatures<K>,
}

/// What programs call to keep a number small.
pub fn bent(x: f32) -> f32 {
    onyx_device::math::tanh(0.25 * x)
}

pub fn bent_slope(x: f32) -> f32 {
    let y = bent(x);
    0.25 * (1.0 - y * y)
}

/// What programs call in place of a division.
pub fn shared(x: f32, y: f32) -> f32 {
    x / (2.0 + y * y)
}

pub fn shared_slopes(x: f32, y: f32) -> [f32; 2] {
    let whole = 2.0 + y * y;
    [1.0 / whole, -2.0 * x * y / (whole * whole)]
}

include!(concat!(env!("OUT_DIR"), "/smooth.rs"));
