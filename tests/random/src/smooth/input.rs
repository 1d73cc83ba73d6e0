//! What programs read: the properties of the structures that they share.

/// Who has a value of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Each vertex.
    Vertex,
    /// Each edge.
    Edge,
    /// The whole graph.
    Graph,
    /// The whole graph, a matrix.
    Matrix,
    /// The whole graph, a matrix that makes features of a row of [`COLUMNS`].
    Lift,
    /// A table of [`KINDS`] rows.
    Table,
}

/// How many floats a row of another width has.
pub const COLUMNS: usize = 5;
/// How many rows a table has.
pub const KINDS: usize = 3;

/// A property that programs read.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// Who has a value.
    pub owner: Owner,
    /// How long that is.
    pub width: Width,
    /// Whether it is held in half precision.
    pub is_half: bool,
}

/// How many floats there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One.
    Scalar,
    /// One for each feature.
    Features,
    /// [`COLUMNS`].
    Columns,
}

const fn input(name: &'static str, owner: Owner, width: Width) -> Input {
    Input { name, owner, width, is_half: false }
}

const fn half(name: &'static str, owner: Owner) -> Input {
    Input { name, owner, width: Width::Features, is_half: true }
}

/// All of them. Where there are heads, there are those before the scale alone.
pub const INPUTS: [Input; 12] = [
    input("x", Owner::Vertex, Width::Features),
    half("y", Owner::Vertex),
    input("size", Owner::Vertex, Width::Scalar),
    input("weight", Owner::Edge, Width::Scalar),
    half("message", Owner::Edge),
    input("bias", Owner::Graph, Width::Features),
    input("relation", Owner::Table, Width::Features),
    input("scale", Owner::Graph, Width::Scalar),
    input("alpha", Owner::Graph, Width::Scalar),
    input("mix", Owner::Matrix, Width::Features),
    input("lift", Owner::Lift, Width::Features),
    input("wide", Owner::Vertex, Width::Columns),
];

/// The number of the first input that a structure with heads does not have.
pub const FIRST_WITHOUT_HEADS: usize = 7;
/// The number of the matrix.
pub const MATRIX: usize = 9;
/// The number of the matrix that makes features of rows of another width.
pub const LIFT: usize = 10;
/// The number of these rows.
pub const WIDE: usize = 11;
