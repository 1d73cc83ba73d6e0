//! Label files: `id label` on every line, or a label alone on every line, for the vertices in id order.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use onyx_runtime::graph::VertexIds;

use super::error::{LabelError, LabelProblem};

/// Vertices with their classes.
pub type Labels = Vec<(u32, usize)>;

/// Reads the labels of the vertices with `ids`. Blank lines and lines that start with `#` or `%` are skipped.
///
/// # Errors
/// The file cannot be read, holds no label, or has a line that is no label of one of the vertices.
pub fn read(path: &Path, ids: &VertexIds) -> Result<Labels, LabelError> {
    let text = fs::read_to_string(path).map_err(|source| LabelError::Read { path: path.to_owned(), source })?;
    let lines: Vec<(usize, Vec<&str>)> = words(&text).collect();
    let has_ids = lines.first().ok_or_else(|| LabelError::Empty { path: path.to_owned() })?.1.len() > 1;
    if !has_ids && lines.len() != ids.len() {
        return Err(LabelError::Count { path: path.to_owned(), labels: lines.len(), vertices: ids.len() });
    }
    let mut seen = HashSet::new();
    let labels = lines.iter().enumerate().map(|(index, (line, words))| {
        let label = if has_ids { pair(words, ids, &mut seen) } else { alone(words, index) };
        label.map_err(|problem| LabelError::Line { path: path.to_owned(), line: *line, problem })
    });
    labels.collect()
}

/// The number of classes: one more than the greatest.
pub fn classes(labels: &[(u32, usize)]) -> usize {
    labels.iter().map(|&(_, class)| class.saturating_add(1)).max().unwrap_or(0)
}

/// The words of each line that counts, with its number.
fn words(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let counts = |line: &str| !line.is_empty() && !line.starts_with(['#', '%']);
    let lines = text.lines().map(str::trim).enumerate().filter(move |(_, line)| counts(line));
    lines.map(|(index, line)| (index + 1, line.split_whitespace().collect()))
}

fn pair(words: &[&str], ids: &VertexIds, seen: &mut HashSet<u32>) -> Result<(u32, usize), LabelProblem> {
    let &[id, label] = words else { return Err(LabelProblem::Form) };
    let id: u64 = id.parse().map_err(|_| LabelProblem::Id(id.to_owned()))?;
    let vertex = ids.lookup(id).ok_or(LabelProblem::UnknownVertex(id))?;
    if !seen.insert(vertex) {
        return Err(LabelProblem::Again(id));
    }
    Ok((vertex, class(label)?))
}

fn alone(words: &[&str], index: usize) -> Result<(u32, usize), LabelProblem> {
    let &[label] = words else { return Err(LabelProblem::Form) };
    Ok((index as u32, class(label)?))
}

/// Classes are features, so that more than a few hundred have no use; the widest kernel says the rest.
fn class(label: &str) -> Result<usize, LabelProblem> {
    label.parse::<u32>().map(|class| class as usize).map_err(|_| LabelProblem::Class(label.to_owned()))
}
