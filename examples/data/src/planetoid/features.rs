//! A vertex and its columns on each line.

use std::path::Path;

use ndarray::Array2;
use onyx_runtime::memory;
use onyx_runtime::text::{Text, finite, quoted, whole, words};

use crate::dataset::{DatasetError, Line, LineProblem, some_lines, zeros};

/// What needs the memory.
const FEATURES: &str = "the features of the vertices";

/// The value of a column of a vertex.
type Entry = (u32, u32, f32);

/// The features of `vertices`, a row each, as many as `labels` says. A vertex without a line has none but zeros.
pub fn parse(text: &Text, vertices: usize, labels: &Path) -> Result<Array2<f32>, DatasetError> {
    let declared = declared(text);
    if let Some((found, _)) = declared.filter(|(rows, _)| *rows != vertices) {
        let (path, other) = (text.path().to_owned(), labels.to_owned());
        return Err(DatasetError::Sizes { path, what: "vertices", found, other, expected: vertices });
    }
    let entries = entries(text, vertices, declared.map_or(u32::MAX as usize, |(_, columns)| columns))?;
    let greatest = entries.iter().map(|entry| entry.1 as usize + 1).max().unwrap_or(0);
    let mut features = zeros(vertices, declared.map_or(greatest, |(_, columns)| columns))?;
    for (vertex, column, value) in entries {
        features[[vertex as usize, column as usize]] = value;
    }
    Ok(features)
}

/// The rows and columns that the comment in the first line declares.
fn declared(text: &Text) -> Option<(usize, usize)> {
    let words: Vec<&[u8]> = words(text.line(0)).collect();
    let before = |unit: &[u8]| {
        let place = words.iter().position(|word| *word == unit)?.checked_sub(1)?;
        usize::try_from(whole(words[place])?).ok()
    };
    text.bytes().starts_with(b"#").then(|| Some((before(b"nodes")?, before(b"features")?)))?
}

fn entries(text: &Text, vertices: usize, columns: usize) -> Result<Vec<Entry>, DatasetError> {
    let mut entries = Vec::new();
    let mut seen: Vec<u8> = memory::zeroed(vertices, FEATURES)?;
    for line in some_lines(text, "vertex")? {
        let mut words = line.words();
        let vertex = line.index(words.next().unwrap_or_default(), "vertex", 0, vertices)?;
        if std::mem::replace(&mut seen[vertex as usize], 1) == 1 {
            return Err(line.error(LineProblem::Again { what: "vertex", number: vertex.into() }));
        }
        let first = entries.len();
        for word in words {
            let (column, value) = column(&line, word, columns)?;
            memory::push(&mut entries, (vertex, column, value), FEATURES)?;
        }
        if let Some(column) = repeated(&mut entries[first..]) {
            return Err(line.error(LineProblem::Repeated { what: "column", number: column.into() }));
        }
    }
    Ok(entries)
}

/// A column that several entries of a vertex are of. Leaves the entries in the order of their columns.
fn repeated(entries: &mut [Entry]) -> Option<u32> {
    entries.sort_unstable_by_key(|entry| entry.1);
    entries.windows(2).find(|pair| pair[0].1 == pair[1].1).map(|pair| pair[0].1)
}

/// A column and its value, which is 1 unless the word has one.
fn column(line: &Line<'_>, word: &[u8], columns: usize) -> Result<(u32, f32), DatasetError> {
    let mut parts = word.splitn(2, |byte| *byte == b':');
    let column = line.index(parts.next().unwrap_or_default(), "column", 0, columns)?;
    let Some(value) = parts.next() else { return Ok((column, 1.0)) };
    let problem = || LineProblem::Number { word: quoted(word), what: "column with a finite value" };
    Ok((column, finite(value).ok_or_else(|| line.error(problem()))?))
}
