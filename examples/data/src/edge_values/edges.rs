//! Edge lists with several numbers an edge.

use std::path::Path;

use onyx_runtime::graph::{GraphBuilder, GraphError, Place, Places, VertexIds, is_matrix_market};
use onyx_runtime::memory::{self, OutOfMemory};
use onyx_runtime::progress::{UNWATCHED, Watch};
use onyx_runtime::text::{LineReader, Text, has_empty_field, is_skipped, next_line, read_all, whole, words};

use super::error::{ValueError, ValueProblem};
use super::number::{id, number};
use super::{Shape, ValuedEdges, ValuedGraph, matrix};

/// What needs the memory.
pub(super) const EDGES: &str = "the numbers of the edges";

/// Reads a graph whose lines have the numbers of a `shape`; of as many features as the first line has, unless `features` says how many. If
/// `undirected`, each line is an edge both ways, the one back with the same weights or the transposed matrix, and an edge that is given more
/// than once, in whichever direction, is one edge. A Matrix Market file has one number an edge.
///
/// # Errors
/// The file cannot be read, holds no edge, or has a line that is none, which is named; an undirected edge is not given alike.
pub fn read(path: &Path, shape: Shape, features: Option<usize>, undirected: bool) -> Result<ValuedGraph, ValueError> {
    read_with_progress(path, shape, features, undirected, UNWATCHED)
}

/// As [`read`]; `watch` hears how far it is.
///
/// # Errors
/// As [`read`].
pub fn read_with_progress(
    path: &Path,
    shape: Shape,
    features: Option<usize>,
    undirected: bool,
    watch: Watch<'_>,
) -> Result<ValuedGraph, ValueError> {
    parse(&Text::open(path, watch)?, shape, features, undirected, watch)
}

/// Reads a graph from the text of a file, as [`read`] does.
///
/// # Errors
/// The text holds no edge, or has a line that is none; an undirected edge is not given alike.
pub fn parse(
    text: &Text,
    shape: Shape,
    features: Option<usize>,
    undirected: bool,
    watch: Watch<'_>,
) -> Result<ValuedGraph, ValueError> {
    text.check_unpacked()?;
    if is_matrix_market(text.bytes()) {
        return matrix::read(text, shape, features, undirected, watch);
    }
    let first = text.nth_line(0, |line| !is_skipped(line));
    if first == text.bytes().len() {
        return Err(ValueError::Empty { path: text.path().to_owned() });
    }
    let known = features.map_or_else(|| features_of(text.line(first), shape), Ok);
    let failed = |(begin, problem)| ValueError::line(text, begin, problem);
    let features = known.map_err(|problem| failed((first, problem)))?;
    let make = |_| Ok(EdgeReader { shape, length: shape.length(features), edges: Vec::new(), values: Vec::new() });
    let readers = read_all(text.bytes(), first, make, watch).map_err(failed)?;
    if shape.length(features) == 1 && are_entries(text.line(first), &readers) {
        return Err(failed((first, ValueProblem::SizesInList)));
    }
    let (edges, values): (Vec<_>, Vec<_>) = readers.into_iter().map(|reader| (reader.edges, reader.values)).unzip();
    let (ids, edges) = VertexIds::of_edges(edges)?;
    let (edges, values) = (memory::concat(&edges, EDGES)?, memory::concat(&values, EDGES)?);
    let edges = ValuedEdges { edges, values, shape, features };
    let graph = if undirected { edges.undirected_graph(ids) } else { edges.graph(ids) };
    graph.map_err(|error| differ(text, error))
}

/// Where edges do not agree, the lines that they stand on.
fn differ(text: &Text, error: GraphError) -> ValueError {
    let GraphError::EdgesDiffer { one, other, first, second } = error else { return error.into() };
    let [first, second] = [first, second].map(|edge| text.nth_line(edge, |line| !is_skipped(line)));
    ValueError::line(text, second, ValueProblem::Differs { one, other, line: text.line_number(first) })
}

/// Names the ends of edges that do not agree by their ids.
fn with_ids(error: GraphError, ids: &VertexIds) -> GraphError {
    match error {
        GraphError::EdgesDiffer { one, other, first, second } => {
            let [one, other] = [one, other].map(|vertex| ids.original(vertex as u32));
            GraphError::EdgesDiffer { one, other, first, second }
        }
        error => error,
    }
}

/// Whether the first line says the rows, columns and entries of a matrix, of which the others are the entries.
fn are_entries(first: &[u8], readers: &[EdgeReader]) -> bool {
    let sizes: Option<Vec<u64>> = words(first).map(whole).collect();
    let Some([rows, columns, entries]) = sizes.as_deref() else { return false };
    let count: usize = readers.iter().map(|reader| reader.edges.len()).sum();
    let is_within = |&(row, column): &(u64, u64)| (1..=*rows).contains(&row) && (1..=*columns).contains(&column);
    let mut others = readers.iter().flat_map(|reader| &reader.edges).skip(1);
    *entries > 0 && *entries == count as u64 - 1 && others.all(is_within)
}

/// How many features the first line has numbers for.
fn features_of(line: &[u8], shape: Shape) -> Result<usize, ValueProblem> {
    match words(line).count().saturating_sub(2) {
        0 => Err(ValueProblem::NotAnEdge),
        count => shape.features(count).ok_or(ValueProblem::NotSquare(count)),
    }
}

/// Edges by the ids of a file, with their numbers.
struct EdgeReader {
    shape: Shape,
    /// How many numbers an edge has.
    length: usize,
    edges: Vec<(u64, u64)>,
    values: Vec<f32>,
}

impl LineReader<'_> for EdgeReader {
    type Problem = ValueProblem;

    fn take(&mut self, text: &[u8], begin: usize) -> Result<usize, ValueProblem> {
        let end = next_line(text, begin);
        let line = &text[begin..end];
        if !is_skipped(line) {
            self.add(line)?;
        }
        Ok(end)
    }
}

impl EdgeReader {
    fn add(&mut self, line: &[u8]) -> Result<(), ValueProblem> {
        if has_empty_field(line) {
            return Err(ValueProblem::EmptyField);
        }
        let mut words = words(line);
        let (Some(source), Some(destination)) = (words.next(), words.next()) else {
            return Err(ValueProblem::NotAnEdge);
        };
        let edge = (id(source)?, id(destination)?);
        let found = words.clone().count();
        if found != self.length {
            return Err(ValueProblem::Length { expected: self.length, found });
        }
        for word in words {
            let value = number(word)?;
            if value < 0.0 && self.shape == Shape::Vector {
                return Err(ValueProblem::Negative(value));
            }
            memory::push(&mut self.values, value, EDGES)?;
        }
        Ok(memory::push(&mut self.edges, edge, EDGES)?)
    }
}

impl ValuedEdges {
    /// The graph of these edges. Equal edges all stay.
    ///
    /// # Errors
    /// More vertices than 32 bits can number, an edge that leads out of the graph, or not enough memory.
    pub fn graph(self, ids: VertexIds) -> Result<ValuedGraph, GraphError> {
        self.placed(ids, false)
    }

    /// The graph of these edges and of their reverses, which have the same weights or the transposed matrix. An edge that is given more than
    /// once, in whichever direction, is one edge; a loop has no reverse.
    ///
    /// # Errors
    /// As [`graph`](Self::graph); [`GraphError::EdgesDiffer`] if an edge is given more than once, and not alike.
    pub fn undirected_graph(self, ids: VertexIds) -> Result<ValuedGraph, GraphError> {
        self.placed(ids, true)
    }

    fn placed(mut self, ids: VertexIds, undirected: bool) -> Result<ValuedGraph, GraphError> {
        let edges = std::mem::take(&mut self.edges);
        let builder = GraphBuilder::new().vertices(ids.len()).edges(edges).undirected(undirected);
        let built = builder.build_placed(|one, other| self.values_of(one).eq(self.values_of(other)));
        let (graph, places) = built.map_err(|error| with_ids(error, &ids))?;
        let values = self.sorted(&places)?;
        Ok(ValuedGraph { graph, ids, values, features: self.features })
    }

    /// The numbers of all edges, by edge number.
    fn sorted(&self, places: &Places) -> Result<Vec<f32>, OutOfMemory> {
        let length = self.shape.length(self.features);
        let mut values = memory::vector(places.iter().len().saturating_mul(length), EDGES)?;
        places.iter().for_each(|place| values.extend(self.values_of(place)));
        Ok(values)
    }

    /// The numbers of an edge, taken the one way or the other.
    fn values_of(&self, place: Place) -> impl Iterator<Item = f32> {
        let length = self.shape.length(self.features);
        let (values, rows) = (&self.values[place.edge * length..][..length], self.features);
        let is_turned = place.is_back && self.shape == Shape::Matrix;
        (0..length).map(move |index| if is_turned { values[index % rows * rows + index / rows] } else { values[index] })
    }
}
