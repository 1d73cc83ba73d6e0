//! Degrees of a graph, summed up.

use std::fmt;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::{FEW, Graph};

/// What the degrees of a graph look like.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// The number of vertices.
    pub vertices: usize,
    /// The number of directed edges.
    pub edges: usize,
    /// The greatest number of edges into a vertex.
    pub greatest_in_degree: usize,
    /// The greatest number of edges out of a vertex.
    pub greatest_out_degree: usize,
    /// Edges a vertex, which is the mean of the in-degrees and of the out-degrees; 0 without vertices.
    pub mean_degree: f64,
    /// The number of vertices without an edge.
    pub isolated: usize,
}

/// What follows from the edges of a graph, once somebody has asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(OnceLock<Statistics>);

impl PartialEq for Known {
    /// Graphs are no different because of what was asked of them.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Graph {
    /// Sums up the degrees, in time linear in the number of vertices when it is asked first.
    pub fn statistics(&self) -> Statistics {
        self.statistics.0.get_or_init(|| self.summed_up()).clone()
    }

    fn summed_up(&self) -> Statistics {
        let vertices = self.vertex_count();
        let degrees = (0..vertices as u32).into_par_iter().with_min_len(FEW).map(|vertex| {
            let (incoming, outgoing) = (self.in_degree(vertex), self.out_degree(vertex));
            (incoming, outgoing, usize::from(incoming + outgoing == 0))
        });
        let (greatest_in_degree, greatest_out_degree, isolated) =
            degrees.reduce(|| (0, 0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1), a.2 + b.2));
        let mean_degree = self.edge_count() as f64 / vertices.max(1) as f64;
        let edges = self.edge_count();
        Statistics { vertices, edges, greatest_in_degree, greatest_out_degree, mean_degree, isolated }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vertices, edges, greatest_in_degree, greatest_out_degree, mean_degree, isolated } = self;
        write!(
            formatter,
            "{vertices} vertices ({isolated} isolated), {edges} edges, degree {mean_degree:.2} on average, "
        )?;
        write!(formatter, "at most {greatest_in_degree} in and {greatest_out_degree} out")
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::GraphBuilder;

    #[test]
    fn degrees_are_summed_up() {
        let graph = GraphBuilder::new().vertices(4).edges(vec![(0, 1), (2, 1)]).build().unwrap();
        let statistics = graph.statistics();
        assert_eq!((statistics.greatest_in_degree, statistics.greatest_out_degree), (2, 1));
        assert_eq!((statistics.mean_degree, statistics.isolated), (0.5, 1));
        let shown = "4 vertices (1 isolated), 2 edges, degree 0.50 on average, at most 2 in and 1 out";
        assert_eq!(statistics.to_string(), shown);
    }

    #[test]
    fn a_graph_without_vertices_has_statistics() {
        assert_eq!(GraphBuilder::new().build().unwrap().statistics().mean_degree, 0.0);
    }
}
