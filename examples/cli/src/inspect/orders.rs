//! What each order of the vertices does to edge spans.

use std::time::Instant;

use onyx_runtime::graph::Graph;
use onyx_runtime::graph::order::Method;
use serde::Serialize;

use crate::error::CliError;

/// What an order does.
#[derive(Clone, Debug, Serialize)]
pub struct OrderFacts {
    /// Its name.
    pub name: &'static str,
    /// How far the ends of an edge are from each other afterwards, on average.
    pub mean_edge_span: f64,
    /// The same at most.
    pub greatest_edge_span: u32,
    /// How long it took to order the vertices.
    pub order_seconds: f64,
    /// How long it took to renumber the graph by that.
    pub renumber_seconds: f64,
}

/// What each order does to `graph`.
///
/// # Errors
/// There is not enough memory.
pub fn all(graph: &Graph) -> Result<Vec<OrderFacts>, CliError> {
    Method::ALL.into_iter().map(|method| of(graph, method)).collect()
}

fn of(graph: &Graph, method: Method) -> Result<OrderFacts, CliError> {
    let start = Instant::now();
    let order = method.order(graph)?;
    let ordered = Instant::now();
    let renumbered = graph.renumbered(&order)?.graph;
    Ok(OrderFacts {
        name: method.name(),
        order_seconds: (ordered - start).as_secs_f64(),
        renumber_seconds: ordered.elapsed().as_secs_f64(),
        mean_edge_span: renumbered.mean_edge_span(),
        greatest_edge_span: renumbered.greatest_edge_span(),
    })
}
