//! What an algorithm's file imports.

pub use crate::heads::{EdgeHeads, VertexHeads};
pub use crate::index::{Edge, Feature, Vertex};
pub use crate::math::constant;
pub use crate::matrix::{EdgeMatrix, GraphMatrix, VertexMatrix};
pub use crate::operation::{
    all, any, argmax, broadcast, diagonal, dot, inverse, log_matvec, log_max_matvec, log_sum_exp, matvec, max,
    max_matvec, min, norm2, normalize, outer, product, softmax, solve, sum, transpose_matvec,
};
pub use crate::operator::StateOperator;
pub use crate::property::{
    EdgeFeatures, EdgeScalar, IterationNumber, Parameter, Scratch, Tracked, Untracked, VertexFeatures, VertexScalar,
};
pub use crate::row::Row;
pub use crate::table::Table;
pub use crate::total::{GraphFeatures, GraphScalar};
pub use onyx_macros::{edge_fn, foldmap, graph_data, host, vertex_fn};
