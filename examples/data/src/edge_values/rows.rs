//! Numbers for vertices: `id number number ...` on every line.

use std::path::Path;

use onyx_runtime::graph::VertexIds;
use onyx_runtime::memory;
use onyx_runtime::progress::{UNWATCHED, Watch};
use onyx_runtime::text::{LineReader, Text, has_empty_field, is_skipped, next_line, read_all, words};

use super::error::{ValueError, ValueProblem};
use super::number::{id, number};

/// What needs the memory.
const ROWS: &str = "the numbers of the vertices";

/// Vertices with a row of numbers each.
pub type Rows = Vec<(u32, Vec<f32>)>;

/// Reads rows of `features` numbers for vertices with `ids`.
///
/// # Errors
/// The file cannot be read, holds no row, or has a line that is none of one of the vertices, which is named.
pub fn read(path: &Path, ids: &VertexIds, features: usize) -> Result<Rows, ValueError> {
    parse(&Text::open(path, UNWATCHED)?, ids, features, UNWATCHED)
}

/// Reads rows from the text of a file, as [`read`] does.
///
/// # Errors
/// The text holds no row, or has a line that is none of one of the vertices.
pub fn parse(text: &Text, ids: &VertexIds, features: usize, watch: Watch<'_>) -> Result<Rows, ValueError> {
    let (vertices, values) = lines(text, ids, features, false, watch)?;
    let mut rows = memory::vector(vertices.len(), ROWS)?;
    for (vertex, row) in vertices.into_iter().zip(values.chunks_exact(features.max(1))) {
        rows.push((vertex, memory::collect(row.iter().copied(), ROWS)?));
    }
    Ok(rows)
}

/// Reads a weight of 0 or more for vertices with `ids`.
///
/// # Errors
/// As [`read`], or a weight is below 0.
pub fn read_weights(path: &Path, ids: &VertexIds) -> Result<Vec<(u32, f32)>, ValueError> {
    parse_weights(&Text::open(path, UNWATCHED)?, ids, UNWATCHED)
}

/// Reads weights from the text of a file, as [`read_weights`] does.
///
/// # Errors
/// As [`parse`], or a weight is below 0.
pub fn parse_weights(text: &Text, ids: &VertexIds, watch: Watch<'_>) -> Result<Vec<(u32, f32)>, ValueError> {
    let (vertices, weights) = lines(text, ids, 1, true, watch)?;
    Ok(memory::collect(vertices.into_iter().zip(weights), ROWS)?)
}

/// The vertices in the order of the text, and their numbers.
fn lines(
    text: &Text,
    ids: &VertexIds,
    features: usize,
    are_weights: bool,
    watch: Watch<'_>,
) -> Result<(Vec<u32>, Vec<f32>), ValueError> {
    text.check_unpacked()?;
    let make = |_| Ok(RowReader { ids, features, are_weights, vertices: Vec::new(), values: Vec::new() });
    let readers = read_all(text.bytes(), 0, make, watch);
    let readers = readers.map_err(|(begin, problem)| ValueError::line(text, begin, problem))?;
    let (vertices, values): (Vec<_>, Vec<_>) =
        readers.into_iter().map(|reader| (reader.vertices, reader.values)).unzip();
    let (vertices, values) = (memory::concat(&vertices, ROWS)?, memory::concat(&values, ROWS)?);
    if vertices.is_empty() {
        return Err(ValueError::Empty { path: text.path().to_owned() });
    }
    match again(&vertices, ids.len())? {
        None => Ok((vertices, values)),
        Some(row) => {
            let begin = text.nth_line(row, |line| !is_skipped(line));
            Err(ValueError::line(text, begin, ValueProblem::Again(ids.original(vertices[row]))))
        }
    }
}

/// The place of the first vertex that was there before.
pub fn again(vertices: &[u32], count: usize) -> Result<Option<usize>, memory::OutOfMemory> {
    let mut seen: Vec<u8> = memory::zeroed(count, ROWS)?;
    Ok(vertices.iter().position(|&vertex| std::mem::replace(&mut seen[vertex as usize], 1) == 1))
}

struct RowReader<'i> {
    ids: &'i VertexIds,
    features: usize,
    are_weights: bool,
    vertices: Vec<u32>,
    values: Vec<f32>,
}

impl LineReader<'_> for RowReader<'_> {
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

impl RowReader<'_> {
    fn add(&mut self, line: &[u8]) -> Result<(), ValueProblem> {
        if has_empty_field(line) {
            return Err(ValueProblem::EmptyField);
        }
        let mut words = words(line);
        let id = id(words.next().unwrap_or_default())?;
        let vertex = self.ids.lookup(id).ok_or(ValueProblem::UnknownVertex(id))?;
        let found = words.clone().count();
        if found != self.features {
            return Err(ValueProblem::Length { expected: self.features, found });
        }
        for word in words {
            let value = number(word)?;
            if self.are_weights && value < 0.0 {
                return Err(ValueProblem::BelowZero(value));
            }
            memory::push(&mut self.values, value, ROWS)?;
        }
        Ok(memory::push(&mut self.vertices, vertex, ROWS)?)
    }
}
