//! A network as a graph whose edges carry messages, and the arrays that a fold starts from.

use onyx_device::logarithmic::factor;
use onyx_runtime::graph::{Graph, GraphBuilder};

use super::error::{LayoutError, NetworkError};
use super::network::MarkovNetwork;
use super::order::Order;
use super::table::Table;

/// A network in which each pair is two directed edges, with every row padded to `width` states.
///
/// Invariant: states that a variable does not have get the potential 0.
#[derive(Clone, Debug)]
pub struct DirectedNetwork {
    /// One vertex a variable; an edge each way between the variables of a pair.
    pub graph: Graph,
    /// The padded number of states, K.
    pub width: usize,
    /// The number of states of each vertex, at most K.
    pub states: Vec<u32>,
    /// The logarithms of the unary potentials, vertices x K; the greatest of a vertex is 0.
    pub log_unary: Vec<f64>,
    /// The edge from v to u for each edge from u to v, by edge id.
    pub reverse: Vec<u32>,
    /// The pairwise potentials.
    pub potentials: Potentials,
    /// Whether a message may sink forever: around a loop, past potentials of 0. Others are bounded by the potentials.
    pub may_fade: bool,
}

/// The pairwise potentials: K x K for an edge from u to v, with the state of v as row and the state of u as column, each as [`factor`] writes it.
///
/// So a product of matrix and vector gives the message: `m(x_v) = Σ over x_u of ψ[x_v][x_u] · cavity(x_u)`.
#[derive(Clone, Debug, PartialEq)]
pub enum Potentials {
    /// One symmetric matrix for all edges.
    Shared(Vec<f32>),
    /// Edges x K x K, by edge id.
    OfEdges(Vec<f32>),
}

impl DirectedNetwork {
    /// Lays out a network with room for `width` states.
    ///
    /// # Errors
    /// A variable has more states, or there is no memory.
    pub fn new(network: &MarkovNetwork, width: usize) -> Result<Self, LayoutError> {
        check_width(network, width)?;
        let edges = network.pairs().iter().map(|pair| (pair.first, pair.second)).collect();
        let graph = GraphBuilder::new().vertices(network.variable_count()).undirected(true).edges(edges).build()?;
        let potentials = match network.shared_table() {
            Some(table) => Potentials::Shared(padded(table, width)),
            None => Potentials::OfEdges(matrices(network, &graph, width)?),
        };
        let states = (0..network.variable_count()).map(|variable| network.states(variable) as u32).collect();
        let log_unary = (0..network.variable_count()).flat_map(|variable| {
            let row = network.log_unary(variable);
            (0..width).map(|state| row.get(state).copied().unwrap_or(f64::NEG_INFINITY))
        });
        let log_unary = log_unary.collect();
        let reverse = reverse(&graph);
        let may_fade = network.has_zeros() && !Order::of(network).is_forest;
        Ok(Self { graph, width, states, log_unary, reverse, potentials, may_fade })
    }

    /// The potentials of an edge, K x K: the destination's state is the row.
    pub fn matrix(&self, edge: usize) -> &[f32] {
        let size = self.width * self.width;
        match &self.potentials {
            Potentials::Shared(matrix) => matrix,
            Potentials::OfEdges(matrices) => &matrices[edge * size..(edge + 1) * size],
        }
    }

    /// The messages to start from, edges x K: the logarithms of like shares of the destination's states, and minus infinity in the padding.
    pub fn uniform_messages(&self) -> Vec<f32> {
        let destinations = self.graph.edges().map(|(_, _, destination)| self.states[destination as usize]);
        let rows = destinations.flat_map(|states| {
            (0..self.width as u32)
                .map(move |state| if state < states { -(states as f32).ln() } else { f32::NEG_INFINITY })
        });
        rows.collect()
    }
}

fn check_width(network: &MarkovNetwork, width: usize) -> Result<(), NetworkError> {
    let states = network.greatest_states();
    if states <= width {
        return Ok(());
    }
    let variable = (0..network.variable_count()).find(|&variable| network.states(variable) == states).unwrap_or(0);
    Err(NetworkError::Width { variable, states, width })
}

/// The potentials of every edge, each with its own direction.
fn matrices(network: &MarkovNetwork, graph: &Graph, width: usize) -> Result<Vec<f32>, LayoutError> {
    let edges = graph.edge_count();
    let bytes =
        [width, width, size_of::<f32>()].iter().fold(edges as u64, |bytes, &size| bytes.saturating_mul(size as u64));
    let floats = usize::try_from(bytes / size_of::<f32>() as u64).unwrap_or(usize::MAX);
    let mut matrices = Vec::new();
    matrices.try_reserve_exact(floats).map_err(|_| LayoutError::Memory { edges, width, bytes })?;
    for (_, source, destination) in graph.edges() {
        let Some(pair) = network.pair(source, destination) else { continue };
        let table = network.table(pair);
        // The table's rows are the first variable's states, the matrix's the destination's.
        let turned = (pair.first != destination).then(|| table.transposed());
        let table = turned.as_ref().unwrap_or(table);
        matrices.extend(padded(table, width));
    }
    Ok(matrices)
}

/// A table in the corner of a matrix of `width` x `width`.
fn padded(table: &Table, width: usize) -> Vec<f32> {
    let mut matrix = vec![0.0; width * width];
    for (row, logarithms) in matrix.chunks_exact_mut(width).zip(table.logarithms().chunks_exact(table.columns())) {
        row.iter_mut().zip(logarithms).for_each(|(entry, &logarithm)| *entry = factor(logarithm));
    }
    matrix
}

/// The opposite of each edge. Both are there, since the graph was built as undirected from pairs that are there once.
fn reverse(graph: &Graph) -> Vec<u32> {
    let incoming = graph.incoming();
    let opposite = |(_, source, destination): (usize, u32, u32)| {
        let begin = incoming.offsets().row(source as usize).start;
        let position = incoming.row(source).partition_point(|&neighbor| neighbor < destination);
        (begin + position) as u32
    };
    graph.edges().map(opposite).collect()
}
