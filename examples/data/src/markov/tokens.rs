//! Words of a text file, plain or gzip-compressed, each with its line.

use std::path::Path;
use std::str::FromStr;

use onyx_runtime::memory;
use onyx_runtime::progress::{UNWATCHED, Watch};
use onyx_runtime::text::{self, quoted};

use super::error::{FileError, FileProblem};

/// The text of a file.
pub struct Text(text::Text);

/// The words of a text that are left.
pub struct Tokens<'a> {
    path: &'a Path,
    words: Vec<(usize, &'a str)>,
    next: usize,
}

impl Text {
    /// Reads a file, and decompresses it if need be.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::read_with_progress(path, UNWATCHED)
    }

    /// As [`read`](Self::read); `watch` hears how far it is.
    pub fn read_with_progress(path: &Path, watch: Watch<'_>) -> Result<Self, FileError> {
        Ok(Self(text::Text::open(path, watch)?))
    }

    /// The text of a file that was read.
    pub fn new(text: text::Text) -> Self {
        Self(text)
    }

    /// Its words.
    pub fn tokens(&self) -> Result<Tokens<'_>, FileError> {
        self.0.check_unpacked()?;
        let path = self.0.path();
        let text = str::from_utf8(self.0.bytes()).map_err(|_| FileError::NotText { path: path.to_owned() })?;
        let lines = (1..).zip(text.lines());
        let words = lines.flat_map(|(line, text)| text.split_ascii_whitespace().map(move |word| (line, word)));
        Ok(Tokens { path, words: memory::collect(words, "the words of the file")?, next: 0 })
    }
}

impl<'a> Tokens<'a> {
    /// The next word, which is to be `expected`.
    pub fn word(&mut self, expected: &str) -> Result<&'a str, FileError> {
        let Some(&(_, word)) = self.words.get(self.next) else {
            return Err(self.error(self.last_line(), FileProblem::Ends(expected.to_owned())));
        };
        self.next += 1;
        Ok(word)
    }

    /// The next word as a number, which is to be `expected`.
    pub fn number<T: FromStr>(&mut self, expected: &str) -> Result<T, FileError> {
        Ok(self.number_and_word(expected)?.1)
    }

    /// As [`number`](Self::number), with the word that says it.
    pub fn number_and_word<T: FromStr>(&mut self, expected: &str) -> Result<(&'a str, T), FileError> {
        let word = self.word(expected)?;
        let unexpected = |_| FileProblem::Unexpected { expected: expected.to_owned(), found: quoted(word) };
        let number = word.parse().map_err(unexpected).map_err(|problem| self.fail(problem))?;
        Ok((word, number))
    }

    /// How many words are left.
    pub fn left(&self) -> usize {
        self.words.len() - self.next
    }

    /// The line of the last word taken.
    pub fn line(&self) -> usize {
        self.next.checked_sub(1).map_or(1, |taken| self.words[taken].0)
    }

    /// What is wrong with the last word taken.
    pub fn fail(&self, problem: FileProblem) -> FileError {
        self.error(self.line(), problem)
    }

    /// What is wrong with a line.
    pub fn error(&self, line: usize, problem: FileProblem) -> FileError {
        FileError::Line { path: self.path.to_owned(), line, problem }
    }

    /// Refuses further words.
    pub fn end(&self) -> Result<(), FileError> {
        match self.words.get(self.next) {
            Some(&(line, word)) => Err(self.error(line, FileProblem::Trailing(quoted(word)))),
            None => Ok(()),
        }
    }

    fn last_line(&self) -> usize {
        self.words.last().map_or(1, |&(line, _)| line)
    }
}
