//! Graphs: loading, generating, storing.

mod bucket;
mod buffer;
mod builder;
mod cache;
mod checksum;
mod compact;
mod csr;
mod direct;
mod edge_list;
mod edge_order;
mod error;
mod excerpt;
mod generate;
mod group_size;
mod grouping;
mod header;
mod load;
mod matrix_market;
mod members;
mod meter;
mod neighbor_group;
pub mod order;
mod origin;
mod place;
mod random_edges;
mod reverse;
mod reversed;
mod ring;
mod size;
mod soundness;
mod statistics;
mod text;
mod vertex_ids;

pub use buffer::Buffer;
pub use builder::GraphBuilder;
pub use cache::CacheState;
pub use csr::{Adjacency, EdgeIds, Indices, Offsets};
pub use error::{CacheProblem, GraphError, LineProblem, Staleness};
pub use generate::Generator;
pub use group_size::GroupSize;
pub use load::LoadOptions;
pub use matrix_market::is_matrix_market;
pub use neighbor_group::NeighborGroups;
pub use place::{Place, Places};
pub use reverse::OneWay;
pub use statistics::Statistics;
pub use vertex_ids::VertexIds;

/// So few vertices are looked at by the thread that asks: others take longer to wake up. Tests have several threads at work on small graphs as well.
const FEW: usize = if cfg!(debug_assertions) { 1 << 6 } else { 1 << 13 };

/// A directed multigraph on the vertices `0..vertex_count()`, stored by destination and by source.
///
/// An edge's *id* is its position in the incoming order: the edges into vertex 0 first, within a row by source,
/// equal edges in the order they were given.
///
/// Invariants: both adjacencies describe the same edges; `outgoing` carries the edge ids, ascending in each row;
/// weights, if any, are finite and in edge-id order; `ids` has one entry a vertex; `members`, if any, begin at 0, never fall, end at the vertex count, and no
/// edge leads from one of their ranges into another.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    incoming: Adjacency,
    outgoing: Adjacency,
    weights: Option<Buffer<f32>>,
    ids: VertexIds,
    symmetric: bool,
    members: Option<Buffer<u32>>,
    statistics: statistics::Known,
}

impl Graph {
    /// The number of vertices, at most `u32::MAX`.
    pub fn vertex_count(&self) -> usize {
        self.incoming.vertex_count()
    }

    /// The number of directed edges; an undirected edge counts twice, an undirected loop once.
    pub fn edge_count(&self) -> usize {
        self.incoming.edge_count()
    }

    /// The edges by destination: row = destination, neighbors = sources (CSC).
    pub fn incoming(&self) -> &Adjacency {
        &self.incoming
    }

    /// The edges by source: row = source, neighbors = destinations (CSR).
    pub fn outgoing(&self) -> &Adjacency {
        &self.outgoing
    }

    /// The number of edges into `vertex`; panics if there is no such vertex.
    pub fn in_degree(&self, vertex: u32) -> usize {
        self.incoming.degree(vertex)
    }

    /// The number of edges out of `vertex`; panics if there is no such vertex.
    pub fn out_degree(&self, vertex: u32) -> usize {
        self.outgoing.degree(vertex)
    }

    /// The weight of each edge in edge-id order, if the graph is weighted.
    pub fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    /// The ids that the vertices had in the file.
    pub fn ids(&self) -> &VertexIds {
        &self.ids
    }

    /// Whether the graph was built as undirected, so that every edge has its reverse.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Each edge as (edge id, source, destination), in id order.
    pub fn edges(&self) -> impl Iterator<Item = (usize, u32, u32)> + '_ {
        (0..self.vertex_count()).flat_map(move |destination| {
            let row = self.incoming.offsets.row(destination);
            row.map(move |edge| (edge, self.incoming.neighbors[edge], destination as u32))
        })
    }
}
