//! The lines of small text files, one after the other.

use onyx_runtime::text::{Text, is_skipped, next_line, quoted, whole, words};

use super::error::{DatasetError, LineProblem};

/// A line that says something.
#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    text: &'t Text,
    begin: usize,
    bytes: &'t [u8],
}

/// The lines of `text` that are neither blank nor comments.
pub fn lines(text: &Text) -> impl Iterator<Item = Line<'_>> {
    let (bytes, mut next) = (text.bytes(), 0);
    let all = std::iter::from_fn(move || {
        let begin = next;
        (begin < bytes.len()).then(|| {
            next = next_line(bytes, begin);
            Line { text, begin, bytes: &bytes[begin..next] }
        })
    });
    all.filter(|line| !is_skipped(line.bytes))
}

/// As [`lines`], of which there is one at least: a text without any was cut off, or never written.
///
/// # Errors
/// There is none, and so no `what`.
pub fn some_lines<'t>(
    text: &'t Text,
    what: &'static str,
) -> Result<impl Iterator<Item = Line<'t>> + use<'t>, DatasetError> {
    let mut lines = lines(text).peekable();
    let empty = || DatasetError::Empty { path: text.path().to_owned(), what };
    if lines.peek().is_some() { Ok(lines) } else { Err(empty()) }
}

impl<'t> Line<'t> {
    /// The words, which blanks, tabs or commas separate.
    pub fn words(&self) -> impl Iterator<Item = &'t [u8]> + Clone + use<'t> {
        words(self.bytes)
    }

    /// What is wrong with this line.
    pub fn error(&self, problem: LineProblem) -> DatasetError {
        let line = self.text.line_number(self.begin);
        DatasetError::Line { path: self.text.path().to_owned(), line, problem }
    }

    /// The whole number that `word` says, of which there are those below `count`, numbered from `first`; counted from 0.
    ///
    /// # Errors
    /// It is no number, or none of them.
    pub fn index(&self, word: &[u8], what: &'static str, first: u64, count: usize) -> Result<u32, DatasetError> {
        let number = self.whole(word, what)?;
        let index = number.checked_sub(first).filter(|index| *index < count as u64);
        let index = index.and_then(|index| u32::try_from(index).ok());
        let last = (first + count as u64).saturating_sub(1);
        index.ok_or_else(|| self.error(LineProblem::Range { what, number, first, last }))
    }

    /// The whole number that `word` says.
    ///
    /// # Errors
    /// It says none.
    pub fn whole(&self, word: &[u8], what: &'static str) -> Result<u64, DatasetError> {
        whole(word).ok_or_else(|| self.error(LineProblem::Number { word: quoted(word), what }))
    }

    /// The whole number that `word` says, which may be below 0.
    ///
    /// # Errors
    /// It says none.
    pub fn signed(&self, word: &[u8], what: &'static str) -> Result<i64, DatasetError> {
        let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        number.ok_or_else(|| self.error(LineProblem::Number { word: quoted(word), what }))
    }

    /// The words, which are as many as `form` says.
    ///
    /// # Errors
    /// There are more or fewer.
    pub fn exactly<const N: usize>(&self, form: &'static str) -> Result<[&'t [u8]; N], DatasetError> {
        let mut words = self.words();
        let found = std::array::from_fn(|_| words.next());
        match (found.iter().all(Option::is_some), words.next()) {
            (true, None) => Ok(found.map(Option::unwrap_or_default)),
            _ => Err(self.error(LineProblem::Form(form))),
        }
    }
}
