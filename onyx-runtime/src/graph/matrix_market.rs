//! Matrix Market files: square sparse matrices, entry (i, j) being the edge from i to j.

use super::Graph;
use super::edge_list::failed;
use super::error::{GraphError, LineProblem};
use super::size::check_size;
use super::text::{Columns, Form, Parsed, parse};
use super::vertex_ids::VertexIds;
use crate::progress::Watch;
use crate::text::{Text, next_line, quoted, whole};

/// What such a file starts with, in any case.
const BANNER: &[u8] = b"%%MatrixMarket";

/// Whether the text of a file is a Matrix Market file, by the word that it starts with.
pub fn is_matrix_market(text: &[u8]) -> bool {
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

/// Reads the matrix `text`; a symmetric one is an undirected graph, whatever `undirected` says.
///
/// All rows become vertices, with their 1-based numbers as original ids.
pub(super) fn read(text: &Text, undirected: bool, watch: Watch<'_>) -> Result<Graph, GraphError> {
    let banner = Banner::read(text)?;
    let (size, body) = Size::read(text)?;
    check_size(size.rows, 0)?;
    let form = Form { first: 1, last: size.rows, columns: banner.columns };
    let parsed = parse::<u32>(text.bytes(), body, form, watch).map_err(|failure| failed(text, failure))?;
    check_entries(text, size.entries, &parsed)?;
    let ids = VertexIds::Dense { first: 1, count: size.rows as usize };
    let undirected = undirected || banner.symmetric;
    super::load::assemble_parts(ids, &parsed.edges, parsed.weights.as_deref(), undirected, watch)
}

fn check_entries(text: &Text, declared: u64, parsed: &Parsed<u32>) -> Result<(), GraphError> {
    let found = parsed.edge_count() as u64;
    if found == declared {
        return Ok(());
    }
    Err(GraphError::EntryCount { path: text.path().to_owned(), declared, found })
}

fn unsupported(text: &Text, reason: String) -> GraphError {
    GraphError::MatrixMarket { path: text.path().to_owned(), reason }
}

/// What the first line says.
struct Banner {
    columns: Columns,
    symmetric: bool,
}

impl Banner {
    fn read(text: &Text) -> Result<Self, GraphError> {
        let line = quoted(text.line(0).trim_ascii()).to_ascii_lowercase();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, object, format, field, symmetry] = words[..] else {
            return Err(unsupported(
                text,
                format!(
                    "the first line has {} words, not 5: write it as %%MatrixMarket matrix coordinate real general",
                    words.len()
                ),
            ));
        };
        if (object, format) != ("matrix", "coordinate") {
            return Err(unsupported(
                text,
                format!("\"{object} {format}\" is not supported, only matrix coordinate: convert the file to it"),
            ));
        }
        Ok(Self { columns: columns(text, field)?, symmetric: is_symmetric(text, symmetry)? })
    }
}

fn columns(text: &Text, field: &str) -> Result<Columns, GraphError> {
    match field {
        "pattern" => Ok(Columns::Pair),
        "real" => Ok(Columns::Triple),
        "integer" => Ok(Columns::Whole),
        _ => Err(unsupported(
            text,
            format!(
                "field \"{field}\" is not supported, only pattern, real and integer: convert the file to one of them"
            ),
        )),
    }
}

fn is_symmetric(text: &Text, symmetry: &str) -> Result<bool, GraphError> {
    match symmetry {
        "general" => Ok(false),
        "symmetric" => Ok(true),
        _ => Err(unsupported(
            text,
            format!(
                "symmetry \"{symmetry}\" is not supported, only general and symmetric: convert the file to one of them"
            ),
        )),
    }
}

/// What the first line that is no comment says.
struct Size {
    rows: u64,
    entries: u64,
}

impl Size {
    /// The size and the byte at which the entries begin.
    fn read(text: &Text) -> Result<(Self, usize), GraphError> {
        let (bytes, mut begin) = (text.bytes(), 0);
        while begin < bytes.len() {
            let end = next_line(bytes, begin);
            let line = &bytes[begin..end];
            if !line.trim_ascii().is_empty() && !line.starts_with(b"%") {
                return Ok((Self::parse(text, begin, line)?, end));
            }
            begin = end;
        }
        Err(unsupported(text, "the file ends before the line with the matrix's size: write its rows, columns and entries there, or get the file again".into()))
    }

    fn parse(text: &Text, begin: usize, line: &[u8]) -> Result<Self, GraphError> {
        let numbers = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(whole);
        let numbers: Option<Vec<u64>> = numbers.take(4).collect();
        let Some([rows, columns, entries]) = numbers.as_deref() else {
            return Err(GraphError::line(text, begin, LineProblem::SizeLine));
        };
        if rows != columns {
            return Err(unsupported(
                text,
                format!(
                    "the matrix is {rows} x {columns}, but a graph needs a square one: give it as many columns as rows"
                ),
            ));
        }
        Ok(Self { rows: *rows, entries: *entries })
    }
}
