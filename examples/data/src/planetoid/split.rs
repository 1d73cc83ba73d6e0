//! Which vertices are learned from, validated with and tested with.

use std::ops::Range;

use onyx_runtime::memory;
use onyx_runtime::text::{Text, next_line, whole, words};

use crate::dataset::{DatasetError, LineProblem, Split, lines};

/// What needs the memory.
const SPLIT: &str = "the split of the vertices";
/// What the first line has to say.
const FORM: &str =
    "a first line \"# train A..B ; val C..D\" with vertices of the graph, the last of each included, and none in both";

/// The split that a text says: two ranges in its first line, then a vertex to test with on each line.
pub fn parse(text: &Text, vertices: usize) -> Result<Split, DatasetError> {
    let [train, validation] = ranges(text, vertices)?;
    let mut test = Vec::new();
    let mut seen: Vec<u8> = memory::zeroed(vertices, SPLIT)?;
    for line in lines(text) {
        let [word] = line.exactly("a vertex to test with, and nothing else")?;
        let vertex = line.index(word, "vertex", 0, vertices)?;
        let number = u64::from(vertex);
        if train.contains(&vertex) || validation.contains(&vertex) {
            return Err(line.error(LineProblem::Overlap(number)));
        }
        if std::mem::replace(&mut seen[vertex as usize], 1) == 1 {
            return Err(line.error(LineProblem::Again { what: "vertex", number }));
        }
        memory::push(&mut test, vertex, SPLIT)?;
    }
    Ok(Split { train: memory::collect(train, SPLIT)?, validation: memory::collect(validation, SPLIT)?, test })
}

/// The vertices to learn from and to validate with, of which the comment in the first line has the first and the last.
fn ranges(text: &Text, vertices: usize) -> Result<[Range<u32>; 2], DatasetError> {
    let line = &text.bytes()[..next_line(text.bytes(), 0)];
    let words: Vec<&[u8]> = words(line).collect();
    let after = |name: &[u8]| range(words.get(1 + words.iter().position(|word| *word == name)?)?, vertices);
    let found = text.bytes().starts_with(b"#").then(|| Some([after(b"train")?, after(b"val")?])).flatten();
    let apart = found.filter(|[train, validation]| train.end <= validation.start || validation.end <= train.start);
    let problem = LineProblem::Form(FORM);
    apart.ok_or_else(|| DatasetError::Line { path: text.path().to_owned(), line: 1, problem })
}

/// The vertices `first..last`, of which the last is one as well.
fn range(word: &[u8], vertices: usize) -> Option<Range<u32>> {
    let place = word.windows(2).position(|pair| pair == b"..")?;
    let (first, last) = (whole(&word[..place])?, whole(&word[place + 2..])?);
    let is_range = first <= last && last < vertices as u64;
    is_range.then_some(first as u32..last as u32 + 1)
}
