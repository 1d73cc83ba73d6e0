//! Lines of vertex ids and numbers.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::error::{ValueError, ValueProblem};

/// What a gzip file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The text of a file, plain or gzip-compressed.
pub(super) fn read(path: &Path) -> Result<String, ValueError> {
    let read = || {
        let bytes = fs::read(path)?;
        let mut text = String::new();
        if bytes.starts_with(&GZIP) {
            MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text)?;
        } else {
            bytes.as_slice().read_to_string(&mut text)?;
        }
        Ok(text)
    };
    read().map_err(|source| ValueError::Read { path: path.to_owned(), source })
}

/// The words of each line that counts, with its number.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let counts = |line: &str| !line.is_empty() && !line.starts_with(['#', '%']);
    let lines = text.lines().map(str::trim).enumerate().filter(move |(_, line)| counts(line));
    let is_between = |character: char| character.is_whitespace() || character == ',';
    lines.map(move |(index, line)| (index + 1, line.split(is_between).filter(|word| !word.is_empty()).collect()))
}

pub(super) fn id(word: &str) -> Result<u64, ValueProblem> {
    word.parse().map_err(|_| ValueProblem::Id(word.to_owned()))
}

/// The numbers of a line, of which there must be `expected`.
pub(super) fn numbers(words: &[&str], expected: usize) -> Result<Vec<f32>, ValueProblem> {
    if words.len() != expected {
        return Err(ValueProblem::Length { expected, found: words.len() });
    }
    words.iter().map(|word| number(word)).collect()
}

fn number(word: &str) -> Result<f32, ValueProblem> {
    let number = word.parse().ok().filter(|number: &f32| number.is_finite());
    number.ok_or_else(|| ValueProblem::Number(word.to_owned()))
}
