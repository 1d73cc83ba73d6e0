//! Properties: the fields of a structure of graph data.

use crate::limits::COLUMNS;

/// What a property has a value for, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `K` floats a vertex.
    VertexFeatures,
    /// One float a vertex.
    VertexScalar,
    /// `K` x `K` floats a vertex.
    VertexMatrix,
    /// One float a vertex and head.
    VertexHeads,
    /// `K` floats an edge.
    EdgeFeatures,
    /// One float an edge.
    EdgeScalar,
    /// `K` x `K` floats an edge.
    EdgeMatrix,
    /// One float an edge and head.
    EdgeHeads,
    /// `K` x `K` floats for the graph.
    GraphMatrix,
    /// `K` floats for the graph.
    GraphFeatures,
    /// One float for the graph, which functions may add to.
    GraphScalar,
    /// `K` floats for each of [`crate::limits::TABLE_ROWS`] rows.
    Table,
    /// [`crate::limits::COLUMNS`] floats a vertex, read as a product with the matrix of the graph.
    VertexInputs,
    /// The same of an edge.
    EdgeInputs,
    /// The matrix of these products.
    Lift,
    /// One float for the graph.
    Parameter,
    /// The number of the iteration that runs, from 1.
    Iteration,
}

/// How long the values of a property last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// They have no previous value.
    Untracked,
    /// Neighbors see the previous value.
    Tracked,
    /// They live in registers.
    Scratch,
}

/// How the numbers of a property lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// As `f32`.
    Single,
    /// As `f16`.
    Half,
    /// As `bf16`.
    Brain,
    /// As `u32`: whole numbers.
    Word,
    /// As `u8`: whole numbers.
    Byte,
}

/// What a property starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Zeros.
    Zero,
    /// Multiples of an eighth between -4 and 4.
    Dense,
    /// The same in one of eight places, zeros elsewhere.
    Sparse,
    /// -1, 0, 1 and their like: see [`crate::limits::UNITS`].
    Units,
    /// Numbers of vertices, and so they remain; of the graph, how many there are.
    Vertices,
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// The field's name.
    pub name: String,
    /// What it has a value for.
    pub element: Element,
    /// How long the values last.
    pub lasting: Lasting,
    /// How its numbers lie in memory.
    pub precision: Precision,
    /// What it starts from.
    pub start: Start,
}

impl Precision {
    /// Whether functions see whole numbers.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Word | Self::Byte)
    }

    /// The significant bits, and the exponent of the lowest bit that any number has.
    fn bits(self) -> Option<(i32, i32)> {
        match self {
            Self::Single | Self::Word | Self::Byte => None,
            Self::Half => Some((11, -24)),
            Self::Brain => Some((8, -133)),
        }
    }

    /// The nearest number that memory holds, of two the one whose last bit is zero. No number of a program is too great.
    pub fn nearest(self, value: f64) -> f64 {
        let Some((bits, lowest)) = self.bits().filter(|_| value != 0.0 && value.is_finite()) else { return value };
        let step = 2.0_f64.powi((value.abs().log2().floor() as i32 + 1 - bits).max(lowest));
        (value / step).round_ties_even() * step
    }
}

impl Element {
    /// Whether it is a vertex's.
    pub fn is_of_vertex(self) -> bool {
        matches!(
            self,
            Self::VertexFeatures | Self::VertexScalar | Self::VertexMatrix | Self::VertexHeads | Self::VertexInputs
        )
    }

    /// Whether it is an edge's.
    pub fn is_of_edge(self) -> bool {
        matches!(self, Self::EdgeFeatures | Self::EdgeScalar | Self::EdgeMatrix | Self::EdgeHeads | Self::EdgeInputs)
    }

    /// Whether it has one float for each head.
    pub fn is_of_heads(self) -> bool {
        matches!(self, Self::VertexHeads | Self::EdgeHeads)
    }

    /// Whether it has one float, which all heads have in common.
    pub fn is_scalar(self) -> bool {
        matches!(self, Self::VertexScalar | Self::EdgeScalar | Self::GraphScalar | Self::Parameter | Self::Iteration)
    }

    /// Whether it is indexed by a feature.
    pub fn is_row(self) -> bool {
        !self.is_scalar() && !self.is_of_heads()
    }

    /// Whether it is read as a product with the matrix of the graph.
    pub fn is_inputs(self) -> bool {
        matches!(self, Self::VertexInputs | Self::EdgeInputs)
    }

    /// Whether a feature sees a row of a matrix.
    pub fn is_matrix(self) -> bool {
        matches!(self, Self::VertexMatrix | Self::EdgeMatrix | Self::GraphMatrix)
    }

    /// How many floats one vertex, one edge, a row of a table or the graph has for `heads` heads of `features` features.
    pub fn floats(self, heads: usize, features: usize) -> usize {
        match self {
            Self::VertexScalar | Self::EdgeScalar | Self::GraphScalar | Self::Parameter | Self::Iteration => 1,
            Self::VertexHeads | Self::EdgeHeads => heads,
            Self::VertexFeatures | Self::EdgeFeatures | Self::GraphFeatures | Self::Table => heads * features,
            Self::VertexInputs | Self::EdgeInputs => COLUMNS,
            Self::Lift => features * COLUMNS,
            Self::VertexMatrix | Self::EdgeMatrix | Self::GraphMatrix => features * features,
        }
    }
}

impl Property {
    /// Whether it keeps its previous value.
    pub fn is_tracked(&self) -> bool {
        self.lasting == Lasting::Tracked
    }

    /// Whether it lives in registers alone.
    pub fn is_scratch(&self) -> bool {
        self.lasting == Lasting::Scratch
    }
}
