//! Matrix Market files: one number an edge, so that there is one feature.

use onyx_runtime::graph::{Graph, LoadOptions};
use onyx_runtime::memory;
use onyx_runtime::progress::Watch;
use onyx_runtime::text::Text;

use super::edges::EDGES;
use super::error::ValueError;
use super::{Shape, ValuedGraph};

/// Reads the matrix `text`, as [`Graph::parse`] does: all rows are vertices, and a symmetric one is an undirected graph.
///
/// # Errors
/// It is no graph, has no numbers, or one below 0 where a `shape` has none; or `features` asks for several numbers an edge.
pub(super) fn read(
    text: &Text,
    shape: Shape,
    features: Option<usize>,
    undirected: bool,
    watch: Watch<'_>,
) -> Result<ValuedGraph, ValueError> {
    let path = || text.path().to_owned();
    if let Some(features) = features.filter(|features| *features != 1) {
        return Err(ValueError::OneWeight { path: path(), features });
    }
    let graph = Graph::parse(text, &LoadOptions { undirected }, watch)?;
    let weights = graph.weights().ok_or_else(|| ValueError::Pattern { path: path() })?;
    if shape == Shape::Vector
        && let Some((edge, weight)) = weights.iter().copied().enumerate().find(|(_, weight)| *weight < 0.0)
    {
        return Err(negative(text, &graph, edge, weight));
    }
    let values = memory::collect(weights.iter().copied(), EDGES)?;
    Ok(ValuedGraph { ids: graph.ids().clone(), graph, values, features: 1 })
}

/// Names an entry of the matrix that is below 0.
fn negative(text: &Text, graph: &Graph, edge: usize, weight: f32) -> ValueError {
    let (_, source, destination) = graph.edges().nth(edge).expect("each weight is of an edge");
    let [row, column] = [source, destination].map(|vertex| graph.ids().original(vertex));
    ValueError::NegativeEntry { path: text.path().to_owned(), row, column, weight }
}
