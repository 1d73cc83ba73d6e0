//! Numbers for vertices: `id number number ...` on every line.

use std::collections::HashSet;
use std::path::Path;

use onyx_runtime::graph::VertexIds;

use super::error::{ValueError, ValueProblem};
use super::text;

/// Reads rows of `features` numbers for vertices with `ids`.
///
/// # Errors
/// The file cannot be read, holds no row, or has a line that is none of one of the vertices, which is named.
pub fn read(path: &Path, ids: &VertexIds, features: usize) -> Result<Vec<(u32, Vec<f32>)>, ValueError> {
    let mut seen = HashSet::new();
    each_line(path, |words| row(words, ids, features, &mut seen))
}

/// Reads a weight of 0 or more for vertices with `ids`.
///
/// # Errors
/// As [`read`], or a weight is below 0.
pub fn read_weights(path: &Path, ids: &VertexIds) -> Result<Vec<(u32, f32)>, ValueError> {
    let mut seen = HashSet::new();
    each_line(path, |words| match row(words, ids, 1, &mut seen)? {
        (_, weight) if weight[0] < 0.0 => Err(ValueProblem::BelowZero(weight[0])),
        (vertex, weight) => Ok((vertex, weight[0])),
    })
}

fn each_line<T>(path: &Path, mut read: impl FnMut(&[&str]) -> Result<T, ValueProblem>) -> Result<Vec<T>, ValueError> {
    let text = text::read(path)?;
    let rows = text::lines(&text)
        .map(|(line, words)| read(&words).map_err(|problem| ValueError::Line { path: path.to_owned(), line, problem }));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() { Err(ValueError::Empty { path: path.to_owned() }) } else { Ok(rows) }
}

fn row(
    words: &[&str],
    ids: &VertexIds,
    features: usize,
    seen: &mut HashSet<u32>,
) -> Result<(u32, Vec<f32>), ValueProblem> {
    let id = text::id(words.first().copied().unwrap_or_default())?;
    let vertex = ids.lookup(id).ok_or(ValueProblem::UnknownVertex(id))?;
    if !seen.insert(vertex) {
        return Err(ValueProblem::Again(id));
    }
    Ok((vertex, text::numbers(&words[1..], features)?))
}
