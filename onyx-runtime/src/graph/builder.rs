//! Graphs from lists of edges.

use rayon::prelude::*;

use super::Graph;
use super::csr::{Adjacency, Indices, is_narrow};
use super::edge_order::{BothWays, ByDestination, BySource};
use super::error::GraphError;
use super::grouping::{Rows, group};
use super::size::check_size;
use super::vertex_ids::VertexIds;

/// Edges are sorted in parts of this many.
const PART: usize = 1 << 17;

/// Makes a [`Graph`] of a list of edges.
///
/// ```
/// use onyx_runtime::graph::GraphBuilder;
///
/// let graph = GraphBuilder::new().edges(vec![(0, 1), (0, 2)]).build()?;
/// assert_eq!(graph.outgoing().row(0), [1, 2]);
/// # Ok::<(), onyx_runtime::graph::GraphError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    vertices: Option<usize>,
    undirected: bool,
    edges: Vec<(u32, u32)>,
    weights: Option<Vec<f32>>,
}

impl GraphBuilder {
    /// A directed graph without vertices or edges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of vertices; without it, the graph ends at the greatest vertex that an edge names.
    pub fn vertices(mut self, count: usize) -> Self {
        self.vertices = Some(count);
        self
    }

    /// Makes each edge lead both ways.
    ///
    /// Equal edges, in either direction, become one, and the first one's weight is kept; a loop stays one edge.
    /// A directed graph keeps equal edges and loops as they are.
    pub fn undirected(mut self, undirected: bool) -> Self {
        self.undirected = undirected;
        self
    }

    /// Sets the edges, each as (source, destination).
    pub fn edges(mut self, edges: Vec<(u32, u32)>) -> Self {
        self.edges = edges;
        self
    }

    /// Sets the weights, one for each edge given to [`edges`](Self::edges), in the same order.
    pub fn weights(mut self, weights: Vec<f32>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Builds the graph in time linear in its size, the same one on any number of threads.
    ///
    /// # Errors
    ///
    /// An edge that leads out of the graph, a number of weights other than that of edges, a weight that is not finite,
    /// more than `u32::MAX` vertices.
    pub fn build(self) -> Result<Graph, GraphError> {
        let vertices = self.vertices.unwrap_or_else(|| highest_end(&self.edges).map_or(0, |end| end as usize + 1));
        check_size(vertices as u64, self.edges.len() as u64)?;
        self.check_edges(vertices)?;
        self.check_weights()?;
        let edges: Vec<_> = self.edges.chunks(PART).collect();
        let weights: Option<Vec<_>> = self.weights.as_ref().map(|weights| weights.chunks(PART).collect());
        let ids = VertexIds::Dense { first: 0, count: vertices };
        Ok(assemble(ids, &edges, weights.as_deref(), self.undirected))
    }

    fn check_edges(&self, vertices: usize) -> Result<(), GraphError> {
        let leads_out = |edge: &(u32, u32)| edge.0.max(edge.1) as usize >= vertices;
        let Some(index) = self.edges.par_iter().position_first(leads_out) else { return Ok(()) };
        let (origin, destination) = self.edges[index];
        Err(GraphError::EdgeOutOfRange { index, origin, destination, vertices })
    }

    fn check_weights(&self) -> Result<(), GraphError> {
        let Some(weights) = &self.weights else { return Ok(()) };
        if weights.len() != self.edges.len() {
            return Err(GraphError::WeightCount { edges: self.edges.len(), weights: weights.len() });
        }
        match weights.par_iter().position_first(|weight| !weight.is_finite()) {
            Some(index) => Err(GraphError::WeightNotFinite { index, weight: weights[index] }),
            None => Ok(()),
        }
    }
}

fn highest_end(edges: &[(u32, u32)]) -> Option<u32> {
    edges.par_iter().map(|edge| edge.0.max(edge.1)).max()
}

/// Builds a graph of edges in parts; every end must be below `ids.len()`, and weights must be cut as the edges are.
pub(super) fn assemble(ids: VertexIds, edges: &[&[(u32, u32)]], weights: Option<&[&[f32]]>, undirected: bool) -> Graph {
    let (incoming, weights) = match weights {
        None => (incoming(sorted(&ids, undirected, edges, |_, _| ())).0, None),
        Some(weights) => {
            let rows = sorted(&ids, undirected, edges, |part, edge| weights[part][edge]);
            let (incoming, weights) = incoming(rows);
            (incoming, Some(weights.into()))
        }
    };
    let outgoing = outgoing(&incoming);
    Graph { incoming, outgoing, weights, ids, symmetric: undirected }
}

/// The edges by destination; merged and both ways if `undirected`.
fn sorted<P, W>(ids: &VertexIds, undirected: bool, edges: &[&[(u32, u32)]], payload: W) -> Rows<P>
where
    P: Copy + Default + Send + Sync,
    W: Fn(usize, usize) -> P + Sync,
{
    if undirected {
        group(ids.len(), &BothWays(ByDestination { edges, payload })).merged()
    } else {
        group(ids.len(), &ByDestination { edges, payload })
    }
}

fn incoming<P>(rows: Rows<P>) -> (Adjacency, Vec<P>) {
    let offsets = Indices::narrowed(rows.offsets, rows.neighbors.len());
    (Adjacency { offsets, neighbors: rows.neighbors.into(), edge_ids: None }, rows.payload)
}

/// The same edges as `incoming`, by source.
fn outgoing(incoming: &Adjacency) -> Adjacency {
    let (vertices, edges) = (incoming.vertex_count(), incoming.edge_count());
    let parts = incoming.balanced_rows(edges / PART + 1);
    if is_narrow(edges) {
        let rows = group(vertices, &BySource { incoming, parts, id: |id| id as u32 });
        let (outgoing, ids) = self::incoming(rows);
        Adjacency { edge_ids: Some(Indices::U32(ids.into())), ..outgoing }
    } else {
        let rows = group(vertices, &BySource { incoming, parts, id: |id| id as u64 });
        let (outgoing, ids) = self::incoming(rows);
        Adjacency { edge_ids: Some(Indices::U64(ids.into())), ..outgoing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directed_graphs_keep_duplicates_and_loops() {
        let edges = vec![(1, 0), (0, 0), (1, 0), (0, 1)];
        let graph = GraphBuilder::new().vertices(3).edges(edges).weights(vec![1.0, 2.0, 3.0, 4.0]).build().unwrap();
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 0, 0), (1, 1, 0), (2, 1, 0), (3, 0, 1)]);
        assert_eq!(graph.weights().unwrap(), [2.0, 1.0, 3.0, 4.0]);
        assert_eq!((graph.vertex_count(), graph.in_degree(0), graph.out_degree(2)), (3, 3, 0));
    }

    #[test]
    fn undirected_graphs_merge_duplicates_and_keep_the_first_weight() {
        let edges = vec![(1, 0), (0, 1), (2, 2), (1, 0)];
        let builder = GraphBuilder::new().undirected(true).edges(edges).weights(vec![1.0, 2.0, 3.0, 4.0]);
        let graph = builder.build().unwrap();
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1, 0), (1, 0, 1), (2, 2, 2)]);
        assert_eq!(graph.weights().unwrap(), [1.0, 1.0, 3.0]);
        assert!(graph.is_symmetric());
    }

    #[test]
    fn a_graph_may_be_empty() {
        for graph in [GraphBuilder::new(), GraphBuilder::new().vertices(0).undirected(true)] {
            let graph = graph.build().unwrap();
            assert_eq!((graph.vertex_count(), graph.edge_count(), graph.edges().count()), (0, 0, 0));
        }
        assert_eq!(GraphBuilder::new().vertices(5).build().unwrap().incoming().offsets().len(), 6);
    }

    #[test]
    fn an_edge_out_of_the_graph_is_named() {
        let error = GraphBuilder::new().vertices(2).edges(vec![(0, 1), (1, 2)]).build().unwrap_err();
        assert_eq!(error.to_string(), "edge 1 from 1 to 2 leads out of a graph of 2 vertices");
    }

    #[test]
    fn weights_must_fit_the_edges() {
        let builder = GraphBuilder::new().edges(vec![(0, 1)]);
        let error = builder.clone().weights(vec![]).build().unwrap_err();
        assert!(matches!(error, GraphError::WeightCount { edges: 1, weights: 0 }));
        let error = builder.weights(vec![f32::NAN]).build().unwrap_err();
        assert!(matches!(error, GraphError::WeightNotFinite { index: 0, .. }));
    }

    #[test]
    fn more_vertices_than_32_bits_are_refused() {
        let error = GraphBuilder::new().vertices(1 << 32).build().unwrap_err();
        assert!(matches!(error, GraphError::TooManyVertices { vertices } if vertices == 1 << 32));
        let error = GraphBuilder::new().edges(vec![(0, u32::MAX)]).build().unwrap_err();
        assert!(matches!(error, GraphError::TooManyVertices { .. }));
    }
}
