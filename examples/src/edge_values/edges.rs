//! Edge lists with several numbers an edge.

use std::path::Path;

use onyx_runtime::graph::VertexIds;

use super::error::{ValueError, ValueProblem};
use super::{Shape, ValuedEdges, ValuedGraph, text};

/// Edges by the ids of a file, with their numbers.
#[derive(Default)]
struct Listed {
    edges: Vec<(u64, u64)>,
    values: Vec<f32>,
}

/// Reads a graph whose lines have the numbers of a `shape`; of as many features as the first line has, unless `features` says how many. If
/// `undirected`, each line is an edge both ways, the one back with the same weights or the transposed matrix.
///
/// # Errors
/// The file cannot be read, holds no edge, or has a line that is none, which is named.
pub fn read(path: &Path, shape: Shape, features: Option<usize>, undirected: bool) -> Result<ValuedGraph, ValueError> {
    let text = text::read(path)?;
    let mut listed = Listed::default();
    let mut known = features;
    for (line, words) in text::lines(&text) {
        let added = listed.add(&words, shape, known);
        known = Some(added.map_err(|problem| ValueError::Line { path: path.to_owned(), line, problem })?);
    }
    match known.filter(|_| !listed.edges.is_empty()) {
        Some(features) => Ok(listed.graph(shape, features, undirected)?),
        None => Err(ValueError::Empty { path: path.to_owned() }),
    }
}

impl Listed {
    /// Takes a line, and returns the number of its features.
    fn add(&mut self, words: &[&str], shape: Shape, features: Option<usize>) -> Result<usize, ValueProblem> {
        let [source, destination, weights @ ..] = words else { return Err(ValueProblem::NotAnEdge) };
        let edge = (text::id(source)?, text::id(destination)?);
        let features = match features {
            Some(features) => features,
            None if weights.is_empty() => return Err(ValueProblem::NotAnEdge),
            None => shape.features(weights.len()).ok_or(ValueProblem::NotSquare(weights.len()))?,
        };
        let values = text::numbers(weights, shape.length(features))?;
        match values.iter().find(|value| **value < 0.0) {
            Some(negative) if shape == Shape::Vector => Err(ValueProblem::Negative(*negative)),
            _ => {
                self.edges.push(edge);
                self.values.extend(values);
                Ok(features)
            }
        }
    }

    fn graph(self, shape: Shape, features: usize, undirected: bool) -> Result<ValuedGraph, ValueError> {
        let mut ids: Vec<u64> = self.edges.iter().flat_map(|edge| [edge.0, edge.1]).collect();
        ids.sort_unstable();
        ids.dedup();
        let vertex = |id: u64| ids.partition_point(|listed| *listed < id) as u32;
        let mut edges = ValuedEdges::new(shape, features);
        for (edge, values) in self.edges.iter().zip(self.values.chunks_exact(shape.length(features))) {
            let (source, destination) = (vertex(edge.0), vertex(edge.1));
            if undirected {
                edges.push_both(source, destination, values);
            } else {
                edges.push(source, destination, values);
            }
        }
        Ok(edges.graph(VertexIds::Listed(ids.into()))?)
    }
}
