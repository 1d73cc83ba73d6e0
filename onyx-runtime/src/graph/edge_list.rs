//! SNAP edge lists: a line an edge, `#` and `%` before comments, any 64-bit ids.

use super::Graph;
use super::compact::compact;
use super::error::{GraphError, LineProblem};
use super::text::{Columns, Failure, Form, Id, Parsed, parse};
use crate::progress::Watch;
use crate::text::{Text, is_skipped, whole, words};

/// Any two ids, and a weight on all lines or on none.
const FORM: Form = Form { first: 0, last: u64::MAX, columns: Columns::Alike };

/// Reads the edge list `text`.
pub(super) fn read(text: &Text, undirected: bool, watch: Watch<'_>) -> Result<Graph, GraphError> {
    match parse::<u32>(text.bytes(), 0, FORM, watch) {
        Ok(parsed) => graph(text, parsed, undirected, watch),
        // Wide ids are rare and take twice the memory, so that it pays to try the narrow ones first.
        Err(Failure::TooWide) => read_wide(text, undirected, watch),
        Err(failure) => Err(failed(text, failure)),
    }
}

fn read_wide(text: &Text, undirected: bool, watch: Watch<'_>) -> Result<Graph, GraphError> {
    let parsed = parse::<u64>(text.bytes(), 0, FORM, watch).map_err(|failure| failed(text, failure))?;
    graph(text, parsed, undirected, watch)
}

/// The error that a failure is.
pub(super) fn failed(text: &Text, failure: Failure) -> GraphError {
    match failure {
        // The second line has two columns, and the first three.
        Failure::Line(begin, LineProblem::MissingWeight) if begin == line(text, 1) && sizes(text).is_some() => {
            GraphError::line(text, line(text, 0), LineProblem::SizesInList)
        }
        Failure::Line(begin, problem) => GraphError::line(text, begin, problem),
        Failure::Memory(error) => error.into(),
        Failure::TooWide => unreachable!("ids that parse fit 64 bits, and those of a matrix 32"),
    }
}

/// Where a line that counts begins.
fn line(text: &Text, index: usize) -> usize {
    text.nth_line(index, |line| !is_skipped(line))
}

/// The rows, columns and entries of a matrix, if the first line may say them: three whole numbers.
fn sizes(text: &Text) -> Option<[u64; 3]> {
    let numbers: Option<Vec<u64>> = words(text.line(line(text, 0))).take(4).map(whole).collect();
    numbers?.try_into().ok()
}

fn graph<I: Id>(text: &Text, parsed: Parsed<I>, undirected: bool, watch: Watch<'_>) -> Result<Graph, GraphError> {
    if parsed.edge_count() == 0 {
        return Err(GraphError::Empty { path: text.path().to_owned() });
    }
    if parsed.weights.is_some() && sizes(text).is_some_and(|sizes| parsed.are_entries(sizes)) {
        return Err(GraphError::line(text, line(text, 0), LineProblem::SizesInList));
    }
    let (ids, edges) = compact(parsed.edges)?;
    super::load::assemble_parts(ids, &edges, parsed.weights.as_deref(), undirected, watch)
}
