//! Graphs from lists of edges.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::Graph;
use super::csr::{Adjacency, Indices, is_narrow};
use super::edge_order::{BothWays, ByDestination, BySource};
use super::error::GraphError;
use super::grouping::{MergeError, Rows, group};
use super::meter::Meter;
use super::place::{Place, Places};
use super::size::check_size;
use super::statistics::Known;
use super::vertex_ids::VertexIds;
use crate::memory::OutOfMemory;
use crate::progress::{UNWATCHED, Watch};

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
    /// Equal edges, in either direction, become one, and their weights must be equal; a loop stays one edge.
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
    /// An edge that leads out of the graph, a number of weights other than that of edges, a weight that is not finite, an undirected edge
    /// with two weights, more than `u32::MAX` vertices, or not enough memory.
    pub fn build(self) -> Result<Graph, GraphError> {
        let ids = self.checked()?;
        let edges: Vec<_> = self.edges.chunks(PART).collect();
        let weights: Option<Vec<_>> = self.weights.as_ref().map(|weights| weights.chunks(PART).collect());
        assemble(ids, &edges, weights.as_deref(), self.undirected, UNWATCHED)
    }

    /// Builds the graph, without weights, and says which of the edges given each of its edges is. So edges may carry anything.
    ///
    /// Equal edges of an undirected graph become one if they `agree`; otherwise they are an error.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); edges that do not agree.
    pub fn build_placed(self, agree: impl Fn(Place, Place) -> bool + Sync) -> Result<(Graph, Places), GraphError> {
        let ids = self.checked()?;
        let edges: Vec<_> = self.edges.chunks(PART).collect();
        let agree = |one: u64, other: u64| agree(Place::unpacked(one), Place::unpacked(other));
        let place = |part: usize, edge: usize| Place::packed(part * PART + edge);
        let meter = Meter::new(UNWATCHED, 0);
        let rows = sorted(&ids, self.undirected, &edges, place, Place::back, agree, &meter);
        let rows = rows.map_err(|error| match error {
            MergeError::Memory(error) => error.into(),
            MergeError::Differ { row, neighbor, first, second } => GraphError::EdgesDiffer {
                one: ids.original(row as u32),
                other: ids.original(neighbor),
                first: Place::unpacked(first).edge,
                second: Place::unpacked(second).edge,
            },
        })?;
        let (incoming, places) = incoming(rows)?;
        let outgoing = outgoing(&incoming, &meter)?;
        Ok((
            Graph {
                incoming,
                outgoing,
                weights: None,
                ids,
                symmetric: self.undirected,
                members: None,
                statistics: Known::default(),
            },
            Places(places),
        ))
    }

    /// The ids of the vertices, if all that was given fits together.
    fn checked(&self) -> Result<VertexIds, GraphError> {
        let vertices = self.vertices.unwrap_or_else(|| highest_end(&self.edges).map_or(0, |end| end as usize + 1));
        check_size(vertices as u64, self.edges.len() as u64)?;
        self.check_edges(vertices)?;
        self.check_weights()?;
        Ok(VertexIds::Dense { first: 0, count: vertices })
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
pub(super) fn assemble(
    ids: VertexIds,
    edges: &[&[(u32, u32)]],
    weights: Option<&[&[f32]]>,
    undirected: bool,
    watch: Watch<'_>,
) -> Result<Graph, GraphError> {
    let edge_count: usize = edges.iter().map(|part| part.len()).sum();
    // Each direction is counted, then placed, and undirected edges are two.
    let meter = Meter::new(watch, 4 * edge_count * (1 + usize::from(undirected)));
    let (incoming, weights) = match weights {
        None => {
            let rows = sorted(&ids, undirected, edges, |_, _| (), |()| (), |(), ()| true, &meter);
            (incoming(rows.map_err(|error| weights_differ(&ids, error, |()| 0.0))?)?.0, None)
        }
        Some(weights) => {
            let weight = |part: usize, edge: usize| weights[part][edge];
            let rows = sorted(&ids, undirected, edges, weight, |weight| weight, |one, other| one == other, &meter);
            let (incoming, weights) = incoming(rows.map_err(|error| weights_differ(&ids, error, |weight| weight))?)?;
            (incoming, Some(weights.into()))
        }
    };
    let outgoing = outgoing(&incoming, &meter)?;
    meter.finish();
    Ok(Graph { incoming, outgoing, weights, ids, symmetric: undirected, members: None, statistics: Known::default() })
}

fn weights_differ<P>(ids: &VertexIds, error: MergeError<P>, weight: impl Fn(P) -> f32) -> GraphError {
    match error {
        MergeError::Memory(error) => error.into(),
        MergeError::Differ { row, neighbor, first, second } => GraphError::WeightsDiffer {
            one: ids.original(row as u32),
            other: ids.original(neighbor),
            first: weight(first),
            second: weight(second),
        },
    }
}

/// The edges by destination; both ways and merged if `undirected`, where those that are merged must `agree`.
fn sorted<P, W, B, A>(
    ids: &VertexIds,
    undirected: bool,
    edges: &[&[(u32, u32)]],
    payload: W,
    back: B,
    agree: A,
    meter: &Meter,
) -> Result<Rows<P>, MergeError<P>>
where
    P: Copy + Zeroable + Send + Sync,
    W: Fn(usize, usize) -> P + Sync,
    B: Fn(P) -> P + Sync,
    A: Fn(P, P) -> bool + Sync,
{
    let there = ByDestination { edges, payload };
    if undirected {
        group(ids.len(), &BothWays { there, back }, meter)?.merged(agree)
    } else {
        Ok(group(ids.len(), &there, meter)?)
    }
}

fn incoming<P>(rows: Rows<P>) -> Result<(Adjacency, Vec<P>), OutOfMemory> {
    let offsets = Indices::narrowed(&rows.offsets, rows.neighbors.len())?;
    Ok((Adjacency { offsets, neighbors: rows.neighbors.into(), edge_ids: None }, rows.payload))
}

/// The same edges as `incoming`, by source.
fn outgoing(incoming: &Adjacency, meter: &Meter) -> Result<Adjacency, OutOfMemory> {
    let (vertices, edges) = (incoming.vertex_count(), incoming.edge_count());
    let parts = incoming.balanced_rows(edges / PART + 1);
    if is_narrow(edges) {
        let rows = group(vertices, &BySource { incoming, parts, id: |id| id as u32 }, meter)?;
        let (outgoing, ids) = self::incoming(rows)?;
        Ok(Adjacency { edge_ids: Some(Indices::U32(ids.into())), ..outgoing })
    } else {
        let rows = group(vertices, &BySource { incoming, parts, id: |id| id as u64 }, meter)?;
        let (outgoing, ids) = self::incoming(rows)?;
        Ok(Adjacency { edge_ids: Some(Indices::U64(ids.into())), ..outgoing })
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
    fn undirected_graphs_merge_duplicates() {
        let builder = GraphBuilder::new().undirected(true).edges(vec![(1, 0), (0, 1), (2, 2), (1, 0)]);
        let graph = builder.clone().weights(vec![2.0, 2.0, 3.0, 2.0]).build().unwrap();
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1, 0), (1, 0, 1), (2, 2, 2)]);
        assert_eq!(graph.weights().unwrap(), [2.0, 2.0, 3.0]);
        assert!(graph.is_symmetric());
        let (placed, places) = builder.build_placed(|_, _| true).unwrap();
        assert_eq!(placed.incoming(), graph.incoming());
        let places: Vec<_> = places.iter().map(|place| (place.edge, place.is_back)).collect();
        assert_eq!(places, [(0, false), (0, true), (2, false)]);
    }

    #[test]
    fn an_undirected_edge_has_one_weight() {
        for (edges, weights) in
            [(vec![(1, 0), (0, 1)], vec![1.0, 2.0]), (vec![(2, 2), (0, 1), (2, 2)], vec![1.0, 5.0, 2.0])]
        {
            let builder = GraphBuilder::new().edges(edges).weights(weights);
            assert!(builder.clone().build().is_ok());
            let error = builder.undirected(true).build().unwrap_err();
            assert!(matches!(error, GraphError::WeightsDiffer { first: 1.0, second: 2.0, .. }), "{error}");
        }
        let builder = GraphBuilder::new().undirected(true).edges(vec![(3, 4), (1, 0), (0, 1)]);
        let error = builder.build_placed(|one, other| one.is_back == other.is_back).unwrap_err();
        assert!(matches!(error, GraphError::EdgesDiffer { first: 1, second: 2, .. }), "{error}");
    }

    #[test]
    fn each_edge_knows_its_place() {
        let builder = GraphBuilder::new().edges(vec![(1, 0), (0, 0), (1, 0), (0, 1)]);
        let (graph, places) = builder.build_placed(|_, _| false).unwrap();
        assert_eq!(graph.edge_count(), 4);
        assert_eq!(places.iter().map(|place| place.edge).collect::<Vec<_>>(), [1, 0, 2, 3]);
        assert_eq!(places.get(3), Place { edge: 3, is_back: false });
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
        assert!(error.to_string().starts_with("edge 1 from 1 to 2 leads out of a graph of 2 vertices: "), "{error}");
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
