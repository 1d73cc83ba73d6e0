//! What a property has a value for.

/// What a property has a value for, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// One float for the whole graph.
    Parameter,
    /// The number of the iteration.
    Iteration,
    /// One number a vertex.
    VertexScalar,
    /// `K` floats a vertex.
    VertexFeatures,
    /// One number an edge.
    EdgeScalar,
    /// `K` floats an edge.
    EdgeFeatures,
    /// One number a vertex and head.
    VertexHeads,
    /// One number an edge and head.
    EdgeHeads,
    /// `K` x `K` floats a vertex.
    VertexMatrix,
    /// `K` x `K` floats an edge.
    EdgeMatrix,
    /// `K` x `K` floats for the whole graph.
    GraphMatrix,
    /// One float for the whole graph, in memory.
    GraphScalar,
    /// `K` floats for the whole graph.
    GraphFeatures,
    /// Rows of `K` floats for the whole graph, as many as the host has given.
    Table,
    /// A row of another width a vertex.
    VertexInputs,
    /// A row of another width an edge.
    EdgeInputs,
    /// A matrix that makes `K` floats of a row of another width, for the whole graph.
    Projection,
}

impl Element {
    /// Whether there is one value for the whole graph.
    pub const fn is_of_graph(self) -> bool {
        matches!(self, Self::Parameter | Self::Iteration | Self::GraphMatrix | Self::GraphScalar | Self::GraphFeatures)
            || matches!(self, Self::Projection)
    }

    /// Whether it is one number: of the graph, or of each vertex or edge.
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::VertexScalar | Self::EdgeScalar | Self::GraphScalar) || self.is_of_heads()
    }

    /// Whether it is `K` x `K` floats.
    pub const fn is_matrix(self) -> bool {
        matches!(self, Self::VertexMatrix | Self::EdgeMatrix | Self::GraphMatrix)
    }

    /// Whether it is one number of each head.
    pub const fn is_of_heads(self) -> bool {
        matches!(self, Self::VertexHeads | Self::EdgeHeads)
    }

    /// Whether it is rows of another width than the functions' features, or a matrix of as many columns.
    pub const fn is_of_inputs(self) -> bool {
        matches!(self, Self::VertexInputs | Self::EdgeInputs | Self::Projection)
    }

    /// The numbers of one property that a lane has, of which each lane of `lanes` has `features`.
    pub(super) const fn lane_numbers(self, lanes: usize, features: usize) -> usize {
        match self {
            Self::Parameter | Self::Iteration | Self::VertexScalar | Self::EdgeScalar | Self::GraphScalar => 1,
            Self::VertexHeads | Self::EdgeHeads => 1,
            Self::VertexFeatures | Self::EdgeFeatures | Self::GraphFeatures | Self::Table => features,
            // Of a product a lane keeps the features.
            Self::VertexInputs | Self::EdgeInputs => features,
            Self::Projection => 0,
            Self::VertexMatrix | Self::EdgeMatrix | Self::GraphMatrix => features * features * lanes,
        }
    }
}
