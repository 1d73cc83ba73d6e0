//! Which properties are rows of floats, and how those lie in memory.

use onyx_device::matrix::GraphMatrix;
use onyx_device::projection::{EdgeInputs, VertexInputs, padded};
use onyx_device::property::{EdgeFeatures, EdgeScalar, EdgeTracking, Tracking, VertexFeatures, VertexScalar};
use onyx_device::total::{GraphFeatures, GraphScalar};

use super::Shaped;
use super::shape::Counts;

/// A property whose values are rows of floats: those of vertices or edges, of one float each where it is a scalar, or the one row of the graph.
pub trait Rows: Shaped {
    /// How many rows and columns there are, and from which float to which a row begins.
    #[doc(hidden)]
    fn layout(counts: Counts) -> Layout;
}

/// Where the floats of a matrix lie, row after row.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// From the beginning of a row to that of the next, in floats.
    pub(crate) stride: usize,
}

impl Layout {
    fn of_rows(rows: usize, counts: Counts) -> Self {
        Self { rows, columns: counts.features, stride: counts.width }
    }

    fn of_inputs(rows: usize, counts: Counts) -> Self {
        Self { rows, columns: counts.rows, stride: padded(counts.rows) }
    }

    fn of_scalars(rows: usize) -> Self {
        Self { rows, columns: 1, stride: 1 }
    }
}

impl<S: Tracking> Rows for VertexFeatures<0, S> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_rows(counts.vertices, counts)
    }
}

impl<S: EdgeTracking> Rows for EdgeFeatures<0, S> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_rows(counts.edges, counts)
    }
}

impl<const N: usize> Rows for VertexInputs<N> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_inputs(counts.vertices, counts)
    }
}

impl<const N: usize> Rows for EdgeInputs<N> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_inputs(counts.edges, counts)
    }
}

impl Rows for GraphFeatures<0> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_rows(1, counts)
    }
}

impl Rows for GraphMatrix<0> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_rows(counts.features, counts)
    }
}

impl<S: Tracking> Rows for VertexScalar<S> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_scalars(counts.vertices)
    }
}

impl<S: EdgeTracking> Rows for EdgeScalar<S> {
    fn layout(counts: Counts) -> Layout {
        Layout::of_scalars(counts.edges)
    }
}

impl Rows for GraphScalar {
    fn layout(_counts: Counts) -> Layout {
        Layout::of_scalars(1)
    }
}
