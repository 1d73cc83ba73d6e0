//! How far the ends of edges are from each other.

use rayon::prelude::*;

use super::super::Graph;

/// What the rule of GNNAdvisor divides the root of the number of vertices by.
const DIVISOR: f64 = 100.0;

impl Graph {
    /// The average edge span: how far the numbers of an edge's two ends are from each other, on average; 0 without edges.
    pub fn mean_edge_span(&self) -> f64 {
        let rows = (0..self.vertex_count() as u32).into_par_iter();
        let sum: u128 = rows.map(|vertex| self.spans(vertex).map(u128::from).sum::<u128>()).sum();
        sum as f64 / self.edge_count().max(1) as f64
    }

    /// The bandwidth: how far the numbers of an edge's two ends are from each other, at most; 0 without edges.
    pub fn greatest_edge_span(&self) -> u32 {
        let rows = (0..self.vertex_count() as u32).into_par_iter();
        rows.map(|vertex| self.spans(vertex).max().unwrap_or(0)).max().unwrap_or(0)
    }

    /// The spans of the edges into `vertex`.
    fn spans(&self, vertex: u32) -> impl Iterator<Item = u32> {
        self.incoming().row(vertex).iter().map(move |source| source.abs_diff(vertex))
    }
}

/// Whether a graph should be renumbered, by the rule of GNNAdvisor: where the root of the average edge span is greater than [`span_bound`].
/// Graphs of fewer than 10,000 vertices are, unless all their edges are loops.
pub fn is_worth_it(graph: &Graph) -> bool {
    graph.mean_edge_span().sqrt() > span_bound(graph)
}

/// What the root of the average edge span is compared with: a hundredth of the root of the number of vertices, rounded down.
pub fn span_bound(graph: &Graph) -> f64 {
    ((graph.vertex_count() as f64).sqrt() / DIVISOR).floor()
}
