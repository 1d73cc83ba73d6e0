//! The types of traits that unsafe code trusts and that nobody implements outside of this crate: numbers, values, states and properties.

use crate::half::{bf16, f16, saturating_f16};
use crate::heads::{EdgeHeads, VertexHeads};
use crate::matrix::{EdgeMatrix, GraphMatrix, VertexMatrix};
use crate::passed::Passed;
use crate::projection::{EdgeInputs, Projection, VertexInputs};
use crate::property::{
    EdgeFeatures, EdgeScalar, EdgeTracking, IterationNumber, Parameter, Tracking, VertexFeatures, VertexScalar,
};
use crate::row::Row;
use crate::stored::{Float, Scalar};
use crate::streamed::Streamed;
use crate::table::Table;
use crate::total::{GraphFeatures, GraphScalar};

/// A type of this crate.
pub trait Sealed {}

impl Sealed for f32 {}
impl Sealed for u32 {}
impl Sealed for u8 {}
impl Sealed for f16 {}
impl Sealed for saturating_f16 {}
impl Sealed for bf16 {}
impl<T: Float> Sealed for Passed<T> {}
impl<T: Float> Sealed for Streamed<T> {}
impl<const K: usize> Sealed for Row<K> {}
impl<const N: usize> Sealed for [f32; N] {}

impl Sealed for Parameter {}
impl Sealed for IterationNumber {}
impl Sealed for GraphScalar {}
impl<const K: usize> Sealed for GraphFeatures<K> {}
impl<const K: usize> Sealed for GraphMatrix<K> {}
impl<const K: usize> Sealed for Table<K> {}
impl<S: Tracking, T: Scalar> Sealed for VertexScalar<S, T> {}
impl<S: Tracking, T: Scalar> Sealed for VertexHeads<S, T> {}
impl<const K: usize, S: Tracking, T: Float> Sealed for VertexFeatures<K, S, T> {}
impl<const K: usize, S: Tracking> Sealed for VertexMatrix<K, S> {}
impl<S: Tracking, T: Scalar> Sealed for EdgeScalar<S, T> {}
impl<S: EdgeTracking, T: Scalar> Sealed for EdgeHeads<S, T> {}
impl<const K: usize, S: Tracking, T: Float> Sealed for EdgeFeatures<K, S, T> {}
impl<const K: usize> Sealed for EdgeMatrix<K> {}
impl<const N: usize, T: Float> Sealed for VertexInputs<N, T> {}
impl<const N: usize, T: Float> Sealed for EdgeInputs<N, T> {}
impl<const K: usize, const N: usize> Sealed for Projection<K, N> {}
