//! Graphs as the interpreter sees them: a list of edges in the order of their numbers.

/// An edge: its ends and its reverse.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Its number.
    pub number: usize,
    /// Where it starts.
    pub source: usize,
    /// Where it ends.
    pub destination: usize,
    /// The edge that runs the other way, if every edge has one.
    pub reverse: usize,
}

/// A graph.
#[derive(Clone, Debug)]
pub struct Network {
    /// How many vertices.
    pub vertices: usize,
    /// The edges, by number.
    pub edges: Vec<Edge>,
}

impl Network {
    /// The graph of edges from a source to a destination, in the order of their numbers.
    pub fn new(vertices: usize, ends: &[(usize, usize)]) -> Self {
        let edge = |(number, (source, destination)): (usize, &(usize, usize))| {
            let reverse = reverse(ends, number);
            Edge { number, source: *source, destination: *destination, reverse }
        };
        Self { vertices, edges: ends.iter().enumerate().map(edge).collect() }
    }
}

/// Of several edges from `u` to `v`, the first is the reverse of the first from `v` to `u`, and so on; a loop is its own reverse.
fn reverse(ends: &[(usize, usize)], number: usize) -> usize {
    let (source, destination) = ends[number];
    if source == destination {
        return number;
    }
    let rank = ends[..number].iter().filter(|other| **other == ends[number]).count();
    let back = ends.iter().enumerate().filter(|(_, other)| **other == (destination, source));
    back.map(|(reverse, _)| reverse).nth(rank).unwrap_or(usize::MAX)
}
