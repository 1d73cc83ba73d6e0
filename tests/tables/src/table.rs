//! Tables that functions read and add to.

use onyx_device::prelude::*;

/// Values of vertices, and tables whose rows edges and vertices name.
#[graph_data]
pub struct Relations<const K: usize> {
    /// A row of each vertex.
    pub x: VertexFeatures<K>,
    /// The row that each edge names.
    pub kind: EdgeScalar,
    /// The row that each vertex names.
    pub class: VertexScalar,
    /// What edges and vertices look at.
    pub relation: Table<K>,
    /// What edges bring.
    pub sum: VertexFeatures<K>,
    /// What comes of it.
    pub y: VertexFeatures<K>,
    /// What edges have added to each row.
    pub added: Table<K>,
    /// The least that edges have brought to each row.
    pub least: Table<K>,
    /// The greatest of the vertices that name each row.
    pub greatest: Table<K>,
}

/// Brings a row, feature by feature times that of the relation.
#[edge_fn]
pub fn translate<const K: usize>(f: Feature, e: Edge, d: &mut Relations<K>) -> bool {
    d.sum[e.dst][f] += d.x[e.src][f] * d.relation[d.kind[e] as u32][f];
    true
}

/// Adds the row that the vertex names.
#[vertex_fn]
pub fn shift<const K: usize>(f: Feature, v: Vertex, d: &mut Relations<K>) -> bool {
    d.y[v][f] = d.sum[v][f] + d.relation[d.class[v] as u32][f];
    true
}

foldmap! {
    /// Rows of a table that edges and vertices name.
    pub translated<const K: usize>(Relations<K>) = [translate, shift]; features = [4, 16]
}

/// Adds to the rows that the edge names.
#[edge_fn]
pub fn tally<const K: usize>(f: Feature, e: Edge, d: &mut Relations<K>) -> bool {
    let (row, value) = (d.kind[e] as u32, d.x[e.src][f]);
    d.added[row][f] += value;
    if row > 0 {
        d.added[row - 1][f] -= 2.0 * value;
    }
    d.least[row][f].min_with(value);
    true
}

/// Takes the greatest of a class.
#[vertex_fn]
pub fn rise<const K: usize>(f: Feature, v: Vertex, d: &mut Relations<K>) -> bool {
    d.greatest[d.class[v] as u32][f].max_with(d.x[v][f]);
    true
}

/// Looks at what was added up, which is there by now.
#[vertex_fn]
pub fn look<const K: usize>(f: Feature, v: Vertex, d: &mut Relations<K>) -> bool {
    d.y[v][f] = {
        let row = d.class[v] as u32;
        d.added[row][f] + d.greatest[row][f]
    };
    true
}

foldmap! {
    /// Tables that are added up, and read.
    pub tallied<const K: usize>(Relations<K>) = [tally, rise; look]; features = [4, 16]
}

foldmap! {
    /// Bounds alone, whose order does not matter.
    pub bounded<const K: usize>(Relations<K>) = [rise]; features = [4]; features_per_lane = 1
}
