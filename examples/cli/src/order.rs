//! Runs on a renumbered graph, whose results are in the numbers of the graph that was given.
//!
//! What an option or a file names, and what is reported, is by the vertices of [`Input::graph`]. What runs is [`Input::running`], where a vertex
//! has the number [`Input::number`].

use std::time::{Duration, Instant};

use clap::ValueEnum;
use onyx_runtime::graph::Graph;
use onyx_runtime::graph::order::{Method, OrderError, Renumbered, is_worth_it};
use onyx_runtime::ndarray::ArrayView2;
use serde::Serialize;

use super::error::CliError;
use super::input::Input;
use super::solution::Values;

/// How vertices are numbered for a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// As in the file
    #[default]
    None,
    /// By communities of communities
    Rabbit,
    /// By falling degree
    Degree,
    /// Reverse Cuthill-McKee: level after level of a search
    Rcm,
    /// Rabbit, where the average edge span is so great that it pays
    Auto,
}

/// A graph as it runs.
#[derive(Debug)]
pub struct Ordered {
    renumbered: Renumbered,
    /// What became of it.
    pub summary: Summary,
}

/// What became of the vertices' numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The name of the order.
    pub name: &'static str,
    /// How long ordering and renumbering took.
    pub seconds: f64,
    /// The average edge span that the graph had.
    pub span_before: f64,
    /// The average edge span that it has.
    pub span_after: f64,
}

impl Order {
    /// The order that `graph` gets, if any.
    fn method(self, graph: &Graph) -> Option<Method> {
        match self {
            Self::None => None,
            Self::Rabbit => Some(Method::Rabbit),
            Self::Degree => Some(Method::Degree),
            Self::Rcm => Some(Method::ReverseCuthillMckee),
            Self::Auto => is_worth_it(graph).then_some(Method::Rabbit),
        }
    }
}

impl Ordered {
    /// Renumbers `graph` by `method`.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(graph: &Graph, method: Method) -> Result<Self, OrderError> {
        let start = Instant::now();
        let renumbered = graph.renumbered(&method.order(graph)?)?;
        let seconds = start.elapsed().as_secs_f64();
        let [span_before, span_after] = [graph, &renumbered.graph].map(Graph::mean_edge_span);
        Ok(Self { renumbered, summary: Summary { name: method.name(), seconds, span_before, span_after } })
    }
}

impl Summary {
    /// In words.
    pub fn text(&self) -> String {
        let Self { name, seconds, span_before, span_after } = self;
        let time = Duration::from_secs_f64(*seconds).as_secs_f64() * 1e3;
        format!("vertices in {name} order after {time:.3} ms: average edge span {span_after:.1}, was {span_before:.1}")
    }
}

impl Input {
    /// The same, with the graph to run on in another order; the numbers of its edges follow.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn ordered(mut self, order: Order) -> Result<Self, CliError> {
        if let Some(method) = order.method(&self.graph) {
            let ordered = Ordered::new(&self.graph, method)?;
            let width = self.values.len() / self.graph.edge_count().max(1);
            self.values = ordered.renumbered.edges.to_new(&self.values, width)?;
            self.order = Some(ordered);
        }
        Ok(self)
    }

    /// The graph to run on.
    pub fn running(&self) -> &Graph {
        self.order.as_ref().map_or(&self.graph, |order| &order.renumbered.graph)
    }

    /// The number that a vertex has in the graph to run on.
    pub fn number(&self, vertex: u32) -> u32 {
        self.order.as_ref().map_or(vertex, |order| order.renumbered.vertices.new_ids()[vertex as usize])
    }

    /// What the vertices of the graph to run on have, one each, by the vertices of the graph that was given.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn to_own<T: Copy>(&self, values: Vec<T>) -> Result<Vec<T>, CliError> {
        match &self.order {
            None => Ok(values),
            Some(order) => Ok(order.renumbered.vertices.to_old(&values, 1)?),
        }
    }

    /// As [`to_own`](Self::to_own), of a row a vertex.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn rows_to_own(&self, rows: ArrayView2<'_, f32>) -> Result<Values, CliError> {
        let Values { values, width } = Values::of(rows)?;
        match &self.order {
            None => Ok(Values { values, width }),
            Some(order) => Ok(Values { values: order.renumbered.vertices.to_old(&values, width)?, width }),
        }
    }
}
