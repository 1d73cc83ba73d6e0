//! Programs on matrices: of vertices, of edges, and of the whole graph.

use onyx_device::prelude::*;

/// Least squares over neighbors, as alternating least squares has it: change-driven, so that differences of matrices are pushed, too.
#[graph_data]
pub struct Factors<const K: usize> {
    /// What an edge says of the product of its ends.
    pub rating: EdgeScalar,
    /// What is fitted.
    pub factor: VertexFeatures<K, Tracked>,
    /// The sum of the neighbors' outer products.
    pub gram: VertexMatrix<K>,
    /// The sum of the neighbors, by their ratings.
    pub right: VertexFeatures<K>,
    /// How much large factors are held back.
    pub lambda: Parameter,
    /// Smaller moves do not count.
    pub tolerance: Parameter,
}

/// Adds a neighbor to the normal equations.
#[edge_fn]
pub fn normal<const K: usize>(f: Feature, e: Edge, d: &mut Factors<K>) -> bool {
    let factor = d.factor[e.src][f];
    d.gram[e.dst][f] += outer(factor, factor);
    d.right[e.dst][f] += d.rating[e] * factor;
    true
}

/// Solves the normal equations of a vertex.
#[vertex_fn]
pub fn fit<const K: usize>(f: Feature, v: Vertex, d: &mut Factors<K>) -> bool {
    let factor = solve(d.gram[v][f] + diagonal(d.lambda), d.right[v][f]);
    let moved = norm2(factor - d.factor[v][f]) > d.tolerance;
    d.factor[v][f] = factor;
    moved
}

foldmap! {
    /// The normal equations stay in registers.
    pub factorize<const K: usize>(Factors<K>) = [normal, fit]; features = [1, 4, 8, 16]
}

foldmap! {
    /// The same with one feature in each lane.
    pub factorize_spread<const K: usize>(Factors<K>) = [normal, fit]; features = [16]; features_per_lane = 1
}

/// Every kind of matrix, and every operation but `solve`.
#[graph_data]
pub struct Relations<const K: usize> {
    /// Turns what passes along an edge.
    pub turn: EdgeMatrix<K>,
    /// What is at a vertex.
    pub value: VertexFeatures<K>,
    /// What is the same for all edges.
    pub coupling: GraphMatrix<K>,
    /// The sum of what arrives.
    pub arrived: VertexFeatures<K>,
    /// The sum of the outer products.
    pub spread: VertexMatrix<K>,
    /// The inverse of a matrix made of it.
    pub inverse: VertexMatrix<K>,
    /// A vector times that.
    pub kept: VertexFeatures<K>,
}

/// Passes a value along an edge, and halves the edge's matrix where the value is large.
#[edge_fn]
pub fn pass<const K: usize>(f: Feature, e: Edge, d: &mut Relations<K>) -> bool {
    let turn = d.turn[e][f];
    let value = d.value[e.src][f];
    let turned = matvec(turn, value + 1.0) - transpose_matvec(d.coupling[f], d.value[e.dst][f]);
    d.arrived[e.dst][f] += turned + transpose_matvec(turn, value);
    d.spread[e.dst][f] -= 0.5 * outer(value, turned) / 2.0;
    if value > 0.5 {
        d.turn[e][f] = turn * 0.5;
    }
    true
}

/// Inverts a matrix that is symmetric, whatever has arrived.
#[vertex_fn]
pub fn invert<const K: usize>(f: Feature, v: Vertex, d: &mut Relations<K>) -> bool {
    let row = d.spread[v][f];
    let value = d.value[v][f];
    let mut matrix = outer(value, value) + diagonal(1.0 + value * value);
    matrix += -0.25 * outer(1.0, 1.0) + diagonal(f.index() as f32 + 6.0);
    let inverse = inverse(matrix);
    d.inverse[v][f] = inverse;
    d.kept[v][f] = matvec(inverse, d.arrived[v][f]) + matvec(row, value) + max_matvec(inverse, value);
    false
}

foldmap! {
    /// Runs once; the sums stay in registers.
    pub relate<const K: usize>(Relations<K>) = [pass, invert]; features = [1, 4, 16]
}

foldmap! {
    /// Runs once; the sums go to memory.
    pub gather_relations<const K: usize>(Relations<K>) = [pass]; features = [1, 8]
}

/// A system of equations in each vertex.
#[graph_data]
pub struct Systems<const K: usize> {
    /// The left side.
    pub matrix: VertexMatrix<K, Tracked>,
    /// The right side.
    pub right: VertexFeatures<K>,
    /// What solves them.
    pub solution: VertexFeatures<K>,
    /// The inverse of the left side.
    pub inverse: VertexMatrix<K>,
}

/// Solves it in both ways.
#[vertex_fn]
pub fn solve_system<const K: usize>(f: Feature, v: Vertex, d: &mut Systems<K>) -> bool {
    d.solution[v][f] = solve(d.matrix[v][f], d.right[v][f]);
    d.inverse[v][f] = inverse(d.matrix[v][f]);
    d.matrix[v][f] /= 2.0;
    false
}

foldmap! {
    /// Runs once.
    pub solve_systems<const K: usize>(Systems<K>) = [solve_system]; features = [2, 4, 8, 16]
}
