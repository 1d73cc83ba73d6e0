//! What programs read: the properties of the structure that they share.

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
}

/// A property that programs read.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// Who has a value.
    pub owner: Owner,
    /// Whether that is a row.
    pub is_row: bool,
}

const fn input(name: &'static str, owner: Owner, is_row: bool) -> Input {
    Input { name, owner, is_row }
}

/// All of them; the matrix is the last one.
pub const INPUTS: [Input; 9] = [
    input("x", Owner::Vertex, true),
    input("y", Owner::Vertex, true),
    input("size", Owner::Vertex, false),
    input("weight", Owner::Edge, false),
    input("message", Owner::Edge, true),
    input("bias", Owner::Graph, true),
    input("scale", Owner::Graph, false),
    input("alpha", Owner::Graph, false),
    input("mix", Owner::Matrix, true),
];

/// The number of the matrix.
pub const MATRIX: usize = INPUTS.len() - 1;
