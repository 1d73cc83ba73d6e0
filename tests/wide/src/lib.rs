//! Folds over rows that are wider than any compiled width: each of them is several tiles.
#![cfg_attr(target_arch = "nvptx64", no_std)]

use onyx_device::prelude::*;

/// Rows of vertices and edges, with scalars that all features have in common.
#[graph_data]
pub struct Wide<const K: usize> {
    /// A number of each edge.
    pub weight: EdgeScalar,
    /// How often an edge has been gone along.
    pub uses: EdgeScalar,
    /// What an edge has brought last.
    pub last: EdgeFeatures<K>,
    /// What a vertex is drawn to.
    pub seed: VertexFeatures<K>,
    /// What a vertex has come to.
    pub value: VertexFeatures<K, Tracked>,
    /// What reaches it.
    pub sum: VertexFeatures<K>,
    /// The weight of what reaches it.
    pub mass: VertexScalar,
    /// The iterations that it has seen.
    pub age: VertexScalar,
    /// A number that its neighbors see.
    pub level: VertexScalar<Tracked>,
    /// The value, once for each year.
    pub kept: VertexFeatures<K>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The sum of all rows that are kept.
    pub column: GraphFeatures<K>,
    /// The sum of the levels of all vertices that are not too high.
    pub years: GraphScalar,
    /// How much of what reaches a vertex it takes.
    pub taken: Parameter,
    /// A vertex of this level keeps no more rows.
    pub highest: Parameter,
    /// What is no change.
    pub tolerance: Parameter,
}

/// Brings a row and a number, both of which are tracked.
#[edge_fn]
pub fn bring<const K: usize>(f: Feature, e: Edge, d: &mut Wide<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.value[e.src][f];
    d.mass[e.dst] += d.weight[e] * d.level[e.src];
    true
}

/// Takes what was brought, for each feature by itself.
#[vertex_fn]
pub fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Wide<K>) -> bool {
    let (value, level) = (d.taken * d.sum[v][f] + d.seed[v][f], d.taken * d.mass[v] + 1.0);
    let moved = (value - d.value[v][f]).abs() > d.tolerance || (level - d.level[v]).abs() > d.tolerance;
    d.value[v][f] = value;
    d.level[v] = level;
    any(moved)
}

foldmap! {
    /// Rows and levels spread, which pushes of changes do as well.
    pub spread<const K: usize>(Wide<K>) = [bring, absorb]; features = [4, 16]
}

/// Writes what belongs to the edge: a row, and a scalar that it reads.
#[edge_fn]
pub fn note<const K: usize>(f: Feature, e: Edge, d: &mut Wide<K>) -> bool {
    d.last[e][f] = d.value[e.src][f] - d.value[e.dst][f];
    d.uses[e] += 1.0;
    d.sum[e.dst][f] += d.last[e][f];
    d.mass[e.dst] += d.weight[e] * d.uses[e];
    true
}

/// Writes a row, and then a level that is of before where it is read again.
#[vertex_fn]
pub fn settle<const K: usize>(f: Feature, v: Vertex, d: &mut Wide<K>) -> bool {
    d.value[v][f] += d.taken / 16.0 * d.sum[v][f];
    d.age[v] += 1.0 + d.mass[v];
    true
}

/// Raises the level by itself, after a function that does not write it.
#[vertex_fn]
pub fn raise<const K: usize>(v: Vertex, d: &mut Wide<K>) -> bool {
    d.level[v] += d.age[v];
    d.level[v] < d.highest
}

/// Keeps a product of row and scalars that an earlier stage has written.
#[vertex_fn]
pub fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Wide<K>) -> bool {
    d.kept[v][f] = d.value[v][f] * d.age[v] + d.level[v];
    d.column[f] += d.kept[v][f];
    d.years += d.level[v];
    true
}

foldmap! {
    /// Scalars of vertices and edges that are read and written, in two stages, with totals of the graph.
    pub grow<const K: usize>(Wide<K>) = [note, settle, raise; keep]; features = [4, 16]
}

/// The greatest value of any feature that reaches a vertex.
#[edge_fn]
pub fn offer<const K: usize>(f: Feature, e: Edge, d: &mut Wide<K>) -> bool {
    d.sum[e.dst][f].max_with(d.value[e.src][f]);
    d.mass[e.dst] += 1.0;
    true
}

/// Takes what is greater, and counts what has reached the vertex.
#[vertex_fn]
pub fn take_greater<const K: usize>(f: Feature, v: Vertex, d: &mut Wide<K>) -> bool {
    let is_greater = d.sum[v][f] > d.value[v][f];
    d.value[v][f] = d.value[v][f].max(d.sum[v][f]);
    d.age[v] += d.mass[v];
    is_greater
}

foldmap! {
    /// The greatest value of all that lead to a vertex, along the edges of vertices that have just got one.
    pub climb<const K: usize>(Wide<K>) = [offer, take_greater]; edges = active; features = [4, 16]
}

/// What depends on the number of a feature, and on how many there are.
#[vertex_fn]
pub fn number<const K: usize>(f: Feature, v: Vertex, d: &mut Wide<K>) -> bool {
    d.value[v][f] = d.value[v][f] * 0.5 - f.index() as f32 / K as f32 + d.bias[f];
    d.age[v] += 1.0;
    d.value[v][f] > d.tolerance
}

foldmap! {
    /// Vertex functions alone, on the vertices that are active in any tile.
    pub numbered<const K: usize>(Wide<K>) = [number]; features = [4, 16]
}

/// Multiplies what changes, and a number with it.
#[edge_fn]
pub fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Wide<K>) -> bool {
    d.sum[e.dst][f] *= 1.0 + d.weight[e] * d.value[e.src][f];
    d.mass[e.dst] *= 1.0 + d.weight[e] * d.level[e.src];
    true
}

/// Rows of which functions need all features at once.
#[graph_data]
pub struct Whole<const K: usize> {
    /// The rows.
    pub x: VertexFeatures<K>,
    /// Those of sources, by how close they are.
    pub sum: VertexFeatures<K>,
    /// What is made of them.
    pub y: VertexFeatures<K>,
    /// How close the ends of an edge are.
    pub closeness: EdgeScalar,
    /// How long a row is.
    pub length: VertexScalar,
    /// The feature of the greatest value.
    pub best: VertexScalar,
}

/// Compares whole rows.
#[edge_fn]
pub fn compare<const K: usize>(f: Feature, e: Edge, d: &mut Whole<K>) -> bool {
    let closeness = dot(d.x[e.src][f], d.x[e.dst][f]);
    d.closeness[e] = closeness;
    d.sum[e.dst][f] += closeness * d.x[e.src][f];
    true
}

/// Brings whole rows.
#[edge_fn]
pub fn carry<const K: usize>(f: Feature, e: Edge, d: &mut Whole<K>) -> bool {
    d.sum[e.dst][f] += d.x[e.src][f];
    true
}

/// Makes shares of a whole row.
#[vertex_fn]
pub fn share<const K: usize>(f: Feature, v: Vertex, d: &mut Whole<K>) -> bool {
    let total = d.sum[v][f] + f.index() as f32 / K as f32;
    d.length[v] = norm2(total);
    d.best[v] = argmax(total) as f32;
    d.y[v][f] = softmax(total) + normalize(total * total);
    true
}

foldmap! {
    /// Two products of all features, for rows of a warp.
    pub compared<const K: usize>(Whole<K>) = [compare, share]; features = [4, 640]
}

foldmap! {
    /// Shares of rows that are wider.
    pub shared<const K: usize>(Whole<K>) = [carry, share]; features = [1536]
}

foldmap! {
    /// Products, of which a push changes those that have quotients, and computes the others again.
    pub multiplied<const K: usize>(Wide<K>) = [multiply, absorb]; features = [4, 16]
}

pub mod heads;
pub mod layer;
