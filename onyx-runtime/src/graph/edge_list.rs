//! SNAP edge lists: a line an edge, `#` and `%` before comments, any 64-bit ids.

use super::Graph;
use super::compact::compact;
use super::error::GraphError;
use super::load::Input;
use super::text::{Columns, Failure, Form, Id, Parsed, parse};

/// Reads the edge list of `input`.
pub(super) fn read(input: &Input, undirected: bool) -> Result<Graph, GraphError> {
    let form = Form { first: 0, last: u64::MAX, columns: Columns::Alike };
    match parse::<u32>(input.text(), 0, form, &|bytes| input.parsed(bytes)) {
        Ok(parsed) => graph(input, parsed, undirected),
        // Wide ids are rare and take twice the memory, so that it pays to try the narrow ones first.
        Err(Failure::TooWide) => read_wide(input, form, undirected),
        Err(Failure::Line(begin, problem)) => Err(input.line_error(begin, problem)),
    }
}

fn read_wide(input: &Input, form: Form, undirected: bool) -> Result<Graph, GraphError> {
    match parse::<u64>(input.text(), 0, form, &|_| ()) {
        Ok(parsed) => graph(input, parsed, undirected),
        Err(Failure::Line(begin, problem)) => Err(input.line_error(begin, problem)),
        Err(Failure::TooWide) => unreachable!("every id that parses fits 64 bits"),
    }
}

fn graph<I: Id>(input: &Input, parsed: Parsed<I>, undirected: bool) -> Result<Graph, GraphError> {
    if parsed.edges.iter().all(Vec::is_empty) {
        return Err(GraphError::Empty { path: input.path().to_owned() });
    }
    let (ids, edges) = compact(parsed.edges)?;
    Ok(super::load::assemble_parts(ids, &edges, parsed.weights.as_deref(), undirected))
}
