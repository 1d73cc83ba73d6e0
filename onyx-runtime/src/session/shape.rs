//! What the values of a property look like on the host: arrays of one to three dimensions.

use bytemuck::Pod;
use ndarray::{Dimension, Ix0, Ix1, Ix2, Ix3, ShapeBuilder, StrideShape};
use onyx_device::heads::{EdgeHeads, VertexHeads};
use onyx_device::matrix::{EdgeMatrix, GraphMatrix, VertexMatrix};
use onyx_device::projection::{EdgeInputs, Projection, VertexInputs, padded};
use onyx_device::property::{EdgeFeatures, EdgeScalar, EdgeTracking, Property, Tracking, VertexFeatures, VertexScalar};
use onyx_device::stored::{Float, Scalar};
use onyx_device::table::Table;
use onyx_device::total::{GraphFeatures, GraphScalar};

/// How many there are of what values belong to.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub(crate) vertices: usize,
    pub(crate) edges: usize,
    pub(crate) features: usize,
    /// What rows are padded to.
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// The rows of a table; the numbers in a row of another width.
    pub(crate) rows: usize,
}

/// A property whose values are an array on the host.
///
/// | property | shape |
/// | --- | --- |
/// | `VertexScalar`, `EdgeScalar` | vertices, or edges, of the type that the property has: `f32`, `u32` or `u8` |
/// | `VertexHeads`, `EdgeHeads` | vertices or edges x heads, of the type that the property has |
/// | `VertexFeatures`, `EdgeFeatures` | vertices or edges x features; of `f16`, `saturating_f16` and `bf16`, too, what is written and read is `f32` |
/// | `VertexMatrix`, `EdgeMatrix` | vertices or edges x features x features |
/// | `GraphMatrix` | features x features |
/// | `GraphFeatures` | features |
/// | `GraphScalar` | one float, of no dimension |
/// | `Table` | rows x features |
/// | `VertexFeatures<J>`, `EdgeFeatures<J>`, of another width | vertices or edges x J; what is written and read is `f32` |
/// | `GraphMatrix<K, J>` | features x J |
///
/// Edges are numbered by destination, then by source, as in [`Graph`](crate::graph::Graph).
#[diagnostic::on_unimplemented(
    message = "the values of `{Self}` are no array",
    label = "a parameter is one number, which `data.set(..)` gives and `data.get(..)` returns"
)]
pub trait Shaped: Property {
    /// The number of dimensions.
    type Dimension: Dimension;
    /// The type of the numbers that are written and read.
    type Number: Pod;
    /// Whether it has as many rows as it is given.
    #[doc(hidden)]
    const IS_TABLE: bool = false;

    /// Shape and strides among the numbers of a store.
    #[doc(hidden)]
    fn shape(counts: Counts) -> StrideShape<Self::Dimension>;
}

/// A property whose values are changed where they are: not those of half precision, which are converted on their way.
#[diagnostic::on_unimplemented(
    message = "the values of `{Self}` are not `f32` in memory, and cannot be changed where they are",
    label = "read them, change them, and write them: `data.read(..)` and `data.write(..)`"
)]
pub trait InPlace: Shaped {}

impl<S: Tracking, T: Scalar + Pod> InPlace for VertexScalar<S, T> {}

impl<S: EdgeTracking, T: Scalar + Pod> InPlace for EdgeScalar<S, T> {}

impl<S: Tracking, T: Scalar + Pod> InPlace for VertexHeads<S, T> {}

impl<S: EdgeTracking, T: Scalar + Pod> InPlace for EdgeHeads<S, T> {}

impl<S: Tracking> InPlace for VertexFeatures<0, S> {}

impl<S: EdgeTracking> InPlace for EdgeFeatures<0, S> {}

impl<S: Tracking> InPlace for VertexMatrix<0, S> {}

impl InPlace for EdgeMatrix<0> {}

impl InPlace for GraphMatrix<0> {}

impl InPlace for GraphFeatures<0> {}

impl InPlace for Table<0> {}

impl InPlace for GraphScalar {}

impl<const N: usize> InPlace for VertexInputs<N> {}

impl<const N: usize> InPlace for EdgeInputs<N> {}

impl<const N: usize> InPlace for Projection<0, N> {}

fn rows(count: usize, counts: Counts) -> StrideShape<Ix2> {
    let shape = Ix2(count, counts.features);
    // Strides would lead out of what is empty.
    if count == 0 { shape.into() } else { shape.strides(Ix2(counts.width, 1)) }
}

fn heads(count: usize, counts: Counts) -> StrideShape<Ix2> {
    Ix2(count, counts.heads).into()
}

/// Rows of another width.
fn inputs(count: usize, counts: Counts) -> StrideShape<Ix2> {
    let shape = Ix2(count, counts.rows);
    if count == 0 { shape.into() } else { shape.strides(Ix2(padded(counts.rows), 1)) }
}

fn matrices(count: usize, counts: Counts) -> StrideShape<Ix3> {
    let Counts { features, width, .. } = counts;
    let shape = Ix3(count, features, features);
    if count == 0 { shape.into() } else { shape.strides(Ix3(width * width, width, 1)) }
}

impl<S: Tracking, T: Scalar + Pod> Shaped for VertexScalar<S, T> {
    type Dimension = Ix1;
    type Number = T;

    fn shape(counts: Counts) -> StrideShape<Ix1> {
        Ix1(counts.vertices).into()
    }
}

impl<S: EdgeTracking, T: Scalar + Pod> Shaped for EdgeScalar<S, T> {
    type Dimension = Ix1;
    type Number = T;

    fn shape(counts: Counts) -> StrideShape<Ix1> {
        Ix1(counts.edges).into()
    }
}

impl<S: Tracking, T: Scalar + Pod> Shaped for VertexHeads<S, T> {
    type Dimension = Ix2;
    type Number = T;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        heads(counts.vertices, counts)
    }
}

impl<S: EdgeTracking, T: Scalar + Pod> Shaped for EdgeHeads<S, T> {
    type Dimension = Ix2;
    type Number = T;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        heads(counts.edges, counts)
    }
}

impl<S: Tracking, T: Float> Shaped for VertexFeatures<0, S, T> {
    type Dimension = Ix2;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        rows(counts.vertices, counts)
    }
}

impl<S: EdgeTracking, T: Float> Shaped for EdgeFeatures<0, S, T> {
    type Dimension = Ix2;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        rows(counts.edges, counts)
    }
}

impl<S: Tracking> Shaped for VertexMatrix<0, S> {
    type Dimension = Ix3;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix3> {
        matrices(counts.vertices, counts)
    }
}

impl Shaped for EdgeMatrix<0> {
    type Dimension = Ix3;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix3> {
        matrices(counts.edges, counts)
    }
}

impl Shaped for GraphMatrix<0> {
    type Dimension = Ix2;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        rows(counts.features, counts)
    }
}

impl Shaped for GraphFeatures<0> {
    type Dimension = Ix1;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix1> {
        Ix1(counts.features).into()
    }
}

impl Shaped for Table<0> {
    type Dimension = Ix2;
    type Number = f32;
    const IS_TABLE: bool = true;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        rows(counts.rows, counts)
    }
}

impl Shaped for GraphScalar {
    type Dimension = Ix0;
    type Number = f32;

    fn shape(_: Counts) -> StrideShape<Ix0> {
        Ix0().into()
    }
}

impl<const N: usize, T: Float> Shaped for VertexInputs<N, T> {
    type Dimension = Ix2;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        inputs(counts.vertices, counts)
    }
}

impl<const N: usize, T: Float> Shaped for EdgeInputs<N, T> {
    type Dimension = Ix2;
    type Number = f32;

    fn shape(counts: Counts) -> StrideShape<Ix2> {
        inputs(counts.edges, counts)
    }
}

impl<const N: usize> Shaped for Projection<0, N> {
    type Dimension = Ix2;
    type Number = f32;

    /// The numbers of a column follow each other in memory.
    fn shape(counts: Counts) -> StrideShape<Ix2> {
        Ix2(counts.features, counts.rows).strides(Ix2(1, counts.width))
    }
}
