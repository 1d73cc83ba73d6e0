//! Label files: `id label` on every line, or a label alone on every line, for the vertices in id order.

use std::path::Path;

use onyx_runtime::graph::VertexIds;
use onyx_runtime::memory;
use onyx_runtime::progress::Watch;
use onyx_runtime::text::{LineReader, Text, is_skipped, next_line, quoted, read_all, whole, words};

use super::error::{LabelError, LabelProblem};
use onyx_examples::edge_values::again;

/// What needs the memory.
const LABELS: &str = "the labels";

/// Vertices with their classes.
pub type Labels = Vec<(u32, usize)>;

/// Reads the labels of the vertices with `ids`, separated by blanks, tabs or commas. Blank lines and lines that start with `#` or `%` are
/// skipped. `watch` hears how far it is.
///
/// # Errors
/// The file cannot be read, holds no label, or has a line that is no label of one of the vertices.
pub fn read(path: &Path, ids: &VertexIds, watch: Watch<'_>) -> Result<Labels, LabelError> {
    parse(&Text::open(path, watch)?, ids, watch)
}

/// Reads labels from the text of a file, as [`read`] does.
///
/// # Errors
/// The text holds no label, or has a line that is no label of one of the vertices.
pub fn parse(text: &Text, ids: &VertexIds, watch: Watch<'_>) -> Result<Labels, LabelError> {
    text.check_unpacked()?;
    let has_ids = words(text.line(text.nth_line(0, counts))).count() > 1;
    let make = |_| Ok(LabelReader { ids: has_ids.then_some(ids), vertices: Vec::new(), classes: Vec::new() });
    let readers = read_all(text.bytes(), 0, make, watch);
    let readers = readers.map_err(|(begin, problem)| LabelError::line(text, begin, problem))?;
    let (vertices, classes): (Vec<_>, Vec<_>) =
        readers.into_iter().map(|reader| (reader.vertices, reader.classes)).unzip();
    let classes = memory::concat(&classes, LABELS)?;
    if classes.is_empty() {
        return Err(LabelError::Empty { path: text.path().to_owned() });
    }
    let vertices =
        if has_ids { once(text, memory::concat(&vertices, LABELS)?, ids)? } else { all(text, classes.len(), ids)? };
    Ok(memory::collect(vertices.into_iter().zip(classes.into_iter().map(|class| class as usize)), LABELS)?)
}

/// The vertices, if none stands on two lines.
fn once(text: &Text, vertices: Vec<u32>, ids: &VertexIds) -> Result<Vec<u32>, LabelError> {
    match again(&vertices, ids.len())? {
        None => Ok(vertices),
        Some(label) => {
            let problem = LabelProblem::Again(ids.original(vertices[label]));
            Err(LabelError::line(text, text.nth_line(label, counts), problem))
        }
    }
}

/// All vertices, if there is a label for each.
fn all(text: &Text, labels: usize, ids: &VertexIds) -> Result<Vec<u32>, LabelError> {
    if labels != ids.len() {
        return Err(LabelError::Count { path: text.path().to_owned(), labels, vertices: ids.len() });
    }
    Ok(memory::collect(0..labels as u32, LABELS)?)
}

/// The number of classes: one more than the greatest.
pub fn classes(labels: &[(u32, usize)]) -> usize {
    labels.iter().map(|&(_, class)| class.saturating_add(1)).max().unwrap_or(0)
}

fn counts(line: &[u8]) -> bool {
    !is_skipped(line)
}

struct LabelReader<'i> {
    /// The ids of the vertices, where lines name them.
    ids: Option<&'i VertexIds>,
    vertices: Vec<u32>,
    classes: Vec<u32>,
}

impl LineReader<'_> for LabelReader<'_> {
    type Problem = LabelProblem;

    fn take(&mut self, text: &[u8], begin: usize) -> Result<usize, LabelProblem> {
        let end = next_line(text, begin);
        let line = &text[begin..end];
        if counts(line) {
            self.add(line)?;
        }
        Ok(end)
    }
}

impl LabelReader<'_> {
    fn add(&mut self, line: &[u8]) -> Result<(), LabelProblem> {
        let mut words = words(line);
        if let Some(ids) = self.ids {
            memory::push(&mut self.vertices, vertex(words.next().unwrap_or_default(), ids)?, LABELS)?;
        }
        let (Some(label), None) = (words.next(), words.next()) else { return Err(LabelProblem::Form) };
        Ok(memory::push(&mut self.classes, class(label)?, LABELS)?)
    }
}

fn vertex(word: &[u8], ids: &VertexIds) -> Result<u32, LabelProblem> {
    let id = whole(word).ok_or_else(|| LabelProblem::Id(quoted(word)))?;
    ids.lookup(id).ok_or(LabelProblem::UnknownVertex(id))
}

/// Classes are features, so that more than a few hundred have no use; the widest kernel says the rest.
fn class(word: &[u8]) -> Result<u32, LabelProblem> {
    let class = whole(word).and_then(|class| u32::try_from(class).ok());
    class.ok_or_else(|| LabelProblem::Class(quoted(word)))
}
