//! Words of a text file, plain or gzip-compressed, each with its line.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use flate2::read::MultiGzDecoder;

use super::error::{FileError, FileProblem};

/// The two bytes that every gzip member starts with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The text of a file.
pub struct Text {
    path: PathBuf,
    text: String,
}

/// The words of a text that are left.
pub struct Tokens<'a> {
    path: &'a Path,
    words: Vec<(usize, &'a str)>,
    next: usize,
}

impl Text {
    /// Reads a file, and decompresses it if need be.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = fs::read(path).map_err(|source| FileError::Read { path: path.to_owned(), source })?;
        let bytes = if bytes.starts_with(&GZIP) { decoded(path, &bytes)? } else { bytes };
        let text = String::from_utf8(bytes).map_err(|_| FileError::NotText { path: path.to_owned() })?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// Its words.
    pub fn tokens(&self) -> Tokens<'_> {
        let lines = (1..).zip(self.text.lines());
        let words = lines.flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word))).collect();
        Tokens { path: &self.path, words, next: 0 }
    }
}

fn decoded(path: &Path, bytes: &[u8]) -> Result<Vec<u8>, FileError> {
    let mut decoded = Vec::new();
    let read = MultiGzDecoder::new(bytes).read_to_end(&mut decoded);
    read.map_err(|source| FileError::Gzip { path: path.to_owned(), source })?;
    Ok(decoded)
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
        let word = self.word(expected)?;
        let unexpected = |_| FileProblem::Unexpected { expected: expected.to_owned(), found: word.to_owned() };
        word.parse().map_err(unexpected).map_err(|problem| self.fail(problem))
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
            Some(&(line, word)) => Err(self.error(line, FileProblem::Trailing(word.to_owned()))),
            None => Ok(()),
        }
    }

    fn last_line(&self) -> usize {
        self.words.last().map_or(1, |&(line, _)| line)
    }
}
