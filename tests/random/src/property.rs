//! Properties: the fields of a structure of graph data.

/// What a property has a value for, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `K` floats a vertex.
    VertexFeatures,
    /// One float a vertex.
    VertexScalar,
    /// `K` x `K` floats a vertex.
    VertexMatrix,
    /// `K` floats an edge.
    EdgeFeatures,
    /// One float an edge.
    EdgeScalar,
    /// `K` x `K` floats an edge.
    EdgeMatrix,
    /// `K` x `K` floats for the graph.
    GraphMatrix,
    /// `K` floats for each of [`crate::limits::TABLE_ROWS`] rows.
    Table,
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
    /// What it starts from.
    pub start: Start,
}

impl Element {
    /// Whether it is a vertex's.
    pub fn is_of_vertex(self) -> bool {
        matches!(self, Self::VertexFeatures | Self::VertexScalar | Self::VertexMatrix)
    }

    /// Whether it is an edge's.
    pub fn is_of_edge(self) -> bool {
        matches!(self, Self::EdgeFeatures | Self::EdgeScalar | Self::EdgeMatrix)
    }

    /// Whether it is indexed by a feature.
    pub fn is_row(self) -> bool {
        !matches!(self, Self::VertexScalar | Self::EdgeScalar | Self::Parameter | Self::Iteration)
    }

    /// Whether a feature sees a row of a matrix.
    pub fn is_matrix(self) -> bool {
        matches!(self, Self::VertexMatrix | Self::EdgeMatrix | Self::GraphMatrix)
    }

    /// How many floats one vertex, one edge, a row of a table or the graph has, of which `features` are asked for.
    pub fn floats(self, features: usize) -> usize {
        match self {
            Self::VertexScalar | Self::EdgeScalar | Self::Parameter | Self::Iteration => 1,
            Self::VertexFeatures | Self::EdgeFeatures | Self::Table => features,
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
