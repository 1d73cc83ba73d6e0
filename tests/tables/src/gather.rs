//! Rows and scalars of vertices that functions compute.

use onyx_device::prelude::*;

/// Values of vertices, and which vertices others look at.
#[graph_data]
pub struct Links<const K: usize> {
    /// A row of each vertex.
    pub x: VertexFeatures<K>,
    /// A number of each vertex.
    pub weight: VertexScalar,
    /// The vertex that each vertex looks at.
    pub next: VertexScalar,
    /// The vertex that each edge looks at.
    pub kind: EdgeScalar,
    /// What edges bring.
    pub sum: VertexFeatures<K>,
    /// What comes of it.
    pub y: VertexFeatures<K>,
    /// A row that is read while others are written.
    pub place: VertexFeatures<K, Tracked>,
    /// What it was moved by.
    pub moved: VertexScalar,
}

/// Brings the row of the vertex that the edge looks at, times what that looks at weighs.
#[edge_fn]
pub fn bring<const K: usize>(f: Feature, e: Edge, d: &mut Links<K>) -> bool {
    let other = d.kind[e] as u32;
    let weight = d.weight[Vertex(d.next[Vertex(other)] as u32)];
    if weight > 0.0 {
        d.sum[e.dst][f] += weight * d.x[Vertex(other)][f];
    }
    true
}

/// Adds the row of the vertex that this one looks at.
#[vertex_fn]
pub fn follow<const K: usize>(f: Feature, v: Vertex, d: &mut Links<K>) -> bool {
    let row = |number: u32| d.x[Vertex(number)][f];
    d.y[v][f] = d.sum[v][f] + row(d.next[v] as u32);
    true
}

foldmap! {
    /// Rows of vertices that edges and vertices name.
    pub gathered<const K: usize>(Links<K>) = [bring, follow]; features = [4, 16]
}

/// The row of the vertex that has the number of the greatest feature.
#[vertex_fn]
pub fn choose<const K: usize>(f: Feature, v: Vertex, d: &mut Links<K>) -> bool {
    let best = argmax(d.x[v][f]);
    d.y[v][f] = if d.weight[v] > 0.0 { d.x[Vertex(best)][f] } else { 0.0 };
    true
}

foldmap! {
    /// Rows of vertices that an operation names.
    pub chosen<const K: usize>(Links<K>) = [choose]; features = [4, 16]
}

/// Brings the row that a vertex had before.
#[edge_fn]
pub fn recall<const K: usize>(f: Feature, e: Edge, d: &mut Links<K>) -> bool {
    d.sum[e.dst][f] += d.place[Vertex(d.kind[e] as u32)][f];
    true
}

/// Keeps a number for the next function.
#[vertex_fn]
pub fn weigh<const K: usize>(v: Vertex, d: &mut Links<K>) -> bool {
    d.moved[v] = d.weight[v] + 1.0;
    true
}

/// Replaces the row by one that another vertex had before.
#[vertex_fn]
pub fn replace<const K: usize>(f: Feature, v: Vertex, d: &mut Links<K>) -> bool {
    d.place[v][f] = d.moved[v] * d.place[Vertex(d.next[v] as u32)][f] + d.sum[v][f] - d.place[v][f];
    true
}

foldmap! {
    /// Rows are read while they are written.
    pub exchanged<const K: usize>(Links<K>) = [recall, weigh, replace]; features = [4, 16]
}

foldmap! {
    /// The same from kernels of their own.
    pub parted<const K: usize>(Links<K>) = [recall; weigh, replace]; features = [4]; features_per_lane = all
}
