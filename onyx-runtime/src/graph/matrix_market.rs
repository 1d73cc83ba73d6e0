//! Matrix Market files: square sparse matrices, entry (i, j) being the edge from i to j.

use super::Graph;
use super::error::{GraphError, LineProblem};
use super::load::Input;
use super::size::check_size;
use super::text::{Columns, Failure, Form, Parsed, parse};
use super::vertex_ids::VertexIds;

/// What such a file starts with, in any case.
const BANNER: &[u8] = b"%%MatrixMarket";

/// Whether `text` is a Matrix Market file.
pub(super) fn is_matrix_market(text: &[u8]) -> bool {
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Reads the matrix of `input`; a symmetric one is an undirected graph, whatever `undirected` says.
///
/// All rows become vertices, with their 1-based numbers as original ids.
pub(super) fn read(input: &Input, undirected: bool) -> Result<Graph, GraphError> {
    let banner = Banner::read(input)?;
    let (size, body) = Size::read(input)?;
    check_size(size.rows, 0)?;
    let form = Form { first: 1, last: size.rows, columns: banner.columns };
    let parsed =
        parse::<u32>(input.text(), body, form, &|bytes| input.parsed(bytes)).map_err(|failure| match failure {
            Failure::Line(begin, problem) => input.line_error(begin, problem),
            Failure::TooWide => unreachable!("indices are checked against the size, which fits 32 bits"),
        })?;
    check_entries(input, size.entries, &parsed)?;
    let ids = VertexIds::Dense { first: 1, count: size.rows as usize };
    Ok(super::load::assemble_parts(ids, &parsed.edges, parsed.weights.as_deref(), undirected || banner.symmetric))
}

fn check_entries(input: &Input, declared: u64, parsed: &Parsed<u32>) -> Result<(), GraphError> {
    let found = parsed.edges.iter().map(|part| part.len() as u64).sum();
    if found == declared {
        return Ok(());
    }
    Err(GraphError::EntryCount { path: input.path().to_owned(), declared, found })
}

fn unsupported(input: &Input, reason: String) -> GraphError {
    GraphError::MatrixMarket { path: input.path().to_owned(), reason }
}

/// What the first line says.
struct Banner {
    columns: Columns,
    symmetric: bool,
}

impl Banner {
    fn read(input: &Input) -> Result<Self, GraphError> {
        let line = String::from_utf8_lossy(input.line(0)).to_ascii_lowercase();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, object, format, field, symmetry] = words[..] else {
            return Err(unsupported(input, format!("the first line has {} words, not 5", words.len())));
        };
        if (object, format) != ("matrix", "coordinate") {
            return Err(unsupported(input, format!("\"{object} {format}\" is not supported, only matrix coordinate")));
        }
        Ok(Self { columns: columns(input, field)?, symmetric: is_symmetric(input, symmetry)? })
    }
}

fn columns(input: &Input, field: &str) -> Result<Columns, GraphError> {
    match field {
        "pattern" => Ok(Columns::Pair),
        "real" | "integer" => Ok(Columns::Triple),
        _ => Err(unsupported(input, format!("field \"{field}\" is not supported, only pattern, real and integer"))),
    }
}

fn is_symmetric(input: &Input, symmetry: &str) -> Result<bool, GraphError> {
    match symmetry {
        "general" => Ok(false),
        "symmetric" => Ok(true),
        _ => Err(unsupported(input, format!("symmetry \"{symmetry}\" is not supported, only general and symmetric"))),
    }
}

/// What the first line that is no comment says.
struct Size {
    rows: u64,
    entries: u64,
}

impl Size {
    /// The size and the byte at which the entries begin.
    fn read(input: &Input) -> Result<(Self, usize), GraphError> {
        let mut begin = 0;
        while begin < input.text().len() {
            let line = input.line(begin);
            let end = begin + line.len();
            if !line.trim_ascii().is_empty() && !line.starts_with(b"%") {
                return Ok((Self::parse(input, begin, &String::from_utf8_lossy(line))?, end));
            }
            begin = end;
        }
        Err(unsupported(input, "the file ends before the line with the matrix's size".into()))
    }

    fn parse(input: &Input, begin: usize, line: &str) -> Result<Self, GraphError> {
        let numbers: Result<Vec<u64>, _> = line.split_ascii_whitespace().map(str::parse).collect();
        let Ok([rows, columns, entries]) = numbers.as_deref() else {
            return Err(input.line_error(begin, LineProblem::SizeLine));
        };
        if rows != columns {
            return Err(unsupported(
                input,
                format!("the matrix is {rows} x {columns}, but a graph needs a square one"),
            ));
        }
        Ok(Self { rows: *rows, entries: *entries })
    }
}
