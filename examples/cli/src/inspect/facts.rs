//! What is counted.

use onyx_runtime::graph::Graph;
use onyx_runtime::graph::order::{is_worth_it, rabbit};
use rayon::prelude::*;

use super::components::component_sizes;
use super::degrees::Distribution;
use crate::error::CliError;

/// What was counted of a graph.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Edges from a vertex to itself.
    pub loops: usize,
    /// Edges that are there already, from the same vertex to the same.
    pub duplicates: usize,
    /// Vertices without an edge.
    pub isolated: usize,
    /// Whether every edge has its reverse.
    pub is_symmetric: bool,
    /// The edges into each vertex.
    pub in_degrees: Distribution,
    /// The edges out of each vertex.
    pub out_degrees: Distribution,
    /// How far the ends of an edge are from each other, on average.
    pub mean_edge_span: f64,
    /// The same at most: the bandwidth.
    pub greatest_edge_span: u32,
    /// The number of vertices of each component.
    pub components: Distribution,
    /// How many components there are.
    pub component_count: usize,
    /// The number of vertices of each community.
    pub communities: Distribution,
    /// How many communities there are.
    pub community_count: usize,
    /// Whether the graph should be renumbered.
    pub is_worth_it: bool,
}

impl Facts {
    /// Counts what there is of `graph`.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn of(graph: &Graph) -> Result<Self, CliError> {
        let vertices = || 0..graph.vertex_count() as u32;
        let components = component_sizes(graph)?;
        let communities = rabbit(graph)?;
        Ok(Self {
            loops: vertices().into_par_iter().map(|vertex| loops(graph, vertex)).sum(),
            duplicates: vertices().into_par_iter().map(|vertex| duplicates(graph, vertex)).sum(),
            isolated: graph.statistics().isolated,
            is_symmetric: graph.reverse_edges().is_ok(),
            in_degrees: Distribution::of(vertices().map(|vertex| graph.in_degree(vertex) as u32))?,
            out_degrees: Distribution::of(vertices().map(|vertex| graph.out_degree(vertex) as u32))?,
            mean_edge_span: graph.mean_edge_span(),
            greatest_edge_span: graph.greatest_edge_span(),
            component_count: components.len(),
            components: Distribution::of(components.into_iter())?,
            community_count: communities.len(),
            communities: Distribution::of(communities.ranges().map(|range| range.len() as u32))?,
            is_worth_it: is_worth_it(graph),
        })
    }
}

fn loops(graph: &Graph, vertex: u32) -> usize {
    graph.incoming().row(vertex).iter().filter(|source| **source == vertex).count()
}

fn duplicates(graph: &Graph, vertex: u32) -> usize {
    graph.incoming().row(vertex).windows(2).filter(|pair| pair[0] == pair[1]).count()
}
