//! Random programs whose gradient is asked for: `tests/random/src/smooth` draws them.
#![allow(missing_docs, unused_assignments, unused_variables, unused_mut, clippy::all)]

use onyx_device::prelude::*;

/// What all of them read and leave, with the adjoints.
#[graph_data]
pub struct Smooth<const K: usize> {
    pub x: VertexFeatures<K>,
    pub y: VertexFeatures<K>,
    pub size: VertexScalar,
    pub weight: EdgeScalar,
    pub message: EdgeFeatures<K>,
    pub bias: GraphFeatures<K>,
    pub scale: GraphScalar,
    pub alpha: Parameter,
    pub mix: GraphMatrix<K>,
    pub total: VertexFeatures<K>,
    pub level: VertexScalar,
    pub log_sum: VertexFeatures<K>,
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
    pub scale_gradient: GraphScalar,
    pub alpha_gradient: GraphScalar,
    pub mix_gradient: GraphMatrix<K>,
    pub total_gradient: VertexFeatures<K>,
    pub total_gradient_count: VertexFeatures<K>,
    pub total_gradient_rest: VertexFeatures<K>,
    pub level_gradient: VertexScalar,
    pub level_gradient_count: VertexScalar,
    pub level_gradient_rest: VertexScalar,
    pub out_gradient: VertexFeatures<K>,
}

include!(concat!(env!("OUT_DIR"), "/smooth.rs"));
