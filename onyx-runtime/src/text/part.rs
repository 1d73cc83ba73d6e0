//! Lines, taken in parts of the text, several parts at a time.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::memory::OutOfMemory;
use crate::progress::{Phase, Watch};

/// A part has at least this many bytes.
const LEAST: usize = 1 << 19;

/// What reads the lines of a part, one after the other, and may keep pieces of the text.
pub trait LineReader<'t>: Send + Sized {
    /// What can be wrong with a line.
    type Problem: Send + From<OutOfMemory>;

    /// Takes the line that begins at byte `begin`, and returns where the next one does.
    ///
    /// # Errors
    /// The line does not say what it should; none after it is taken.
    fn take(&mut self, text: &'t [u8], begin: usize) -> Result<usize, Self::Problem>;
}

/// What was read of one part: everything before the first problem.
#[derive(Debug)]
pub struct Part<R, P> {
    /// What has read it.
    pub reader: R,
    /// Where the first line with a problem begins, and what that is.
    pub failure: Option<(usize, P)>,
}

/// Has readers take all lines of `text` from byte `begin` on, in `most` parts or fewer, which come back in the order of the text.
///
/// `make` is told how many bytes its reader's part has.
///
/// # Errors
/// A reader cannot be made.
pub fn read_parts<'t, R: LineReader<'t>>(
    text: &'t [u8],
    begin: usize,
    most: usize,
    make: impl Fn(usize) -> Result<R, OutOfMemory> + Sync,
    watch: Watch<'_>,
) -> Result<Vec<Part<R, R::Problem>>, OutOfMemory> {
    let done = AtomicU64::new(begin as u64);
    let read = |range: Range<usize>| {
        let part = read_part(&text[..range.end], range.start, make(range.len())?);
        let done = done.fetch_add(range.len() as u64, Ordering::Relaxed) + range.len() as u64;
        watch(Phase::Parse, done, text.len() as u64);
        Ok(part)
    };
    cut(text, begin, most).into_par_iter().map(read).collect()
}

/// As [`read_parts`], where a problem anywhere is the end.
///
/// # Errors
/// The problem that comes first in the text, and where its line begins.
pub fn read_all<'t, R: LineReader<'t>>(
    text: &'t [u8],
    begin: usize,
    make: impl Fn(usize) -> Result<R, OutOfMemory> + Sync,
    watch: Watch<'_>,
) -> Result<Vec<R>, (usize, R::Problem)> {
    // Few parts, since what they have found is joined; more than threads, since they do not take equally long.
    let parts = read_parts(text, begin, 8 * rayon::current_num_threads(), make, watch);
    let parts = parts.map_err(|error| (begin, error.into()))?;
    parts.into_iter().map(|part| part.failure.map_or(Ok(part.reader), Err)).collect()
}

fn read_part<'t, R: LineReader<'t>>(text: &'t [u8], begin: usize, mut reader: R) -> Part<R, R::Problem> {
    let mut next = begin;
    while next < text.len() {
        match reader.take(text, next) {
            Ok(end) => next = end,
            Err(problem) => return Part { reader, failure: Some((next, problem)) },
        }
    }
    Part { reader, failure: None }
}

/// Cuts `text[begin..]` into ranges that end where lines do.
fn cut(text: &[u8], begin: usize, most: usize) -> Vec<Range<usize>> {
    let size = (text.len().saturating_sub(begin) / most.max(1)).max(LEAST);
    let mut ranges = Vec::new();
    let mut start = begin;
    while start < text.len() {
        let end = next_line(text, (start + size).min(text.len()) - 1);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// The byte after the line that byte `position` is in.
#[inline]
pub fn next_line(text: &[u8], position: usize) -> usize {
    memchr::memchr(b'\n', &text[position..]).map_or(text.len(), |length| position + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::UNWATCHED;

    /// Collects lines, and stumbles over one that says `bad`.
    #[derive(Debug, Default)]
    struct Lines(Vec<(usize, Vec<u8>)>);

    #[derive(Debug, PartialEq)]
    struct Bad;

    impl From<OutOfMemory> for Bad {
        fn from(_: OutOfMemory) -> Self {
            Self
        }
    }

    impl LineReader<'_> for Lines {
        type Problem = Bad;

        fn take(&mut self, text: &[u8], begin: usize) -> Result<usize, Bad> {
            let end = next_line(text, begin);
            self.0.push((begin, text[begin..end].to_vec()));
            if &text[begin..end] == b"bad\n" { Err(Bad) } else { Ok(end) }
        }
    }

    #[test]
    fn every_line_is_taken_once_in_order() {
        let text: String = (0..300_000).map(|line| format!("line {line}\n")).collect();
        for (text, begin) in [(&text[..], 0), (&text[..text.len() - 1], 7), ("", 0), ("one", 0)] {
            let parts = read_all(text.as_bytes(), begin, |_| Ok(Lines::default()), UNWATCHED).unwrap();
            assert_eq!(parts.len() > 1, text.len() > LEAST);
            let lines: Vec<_> = parts.into_iter().flat_map(|part| part.0).collect();
            assert!(lines.iter().all(|(begin, line)| text.as_bytes()[*begin..].starts_with(line)));
            assert_eq!(lines.into_iter().flat_map(|line| line.1).collect::<Vec<_>>(), &text.as_bytes()[begin..]);
        }
    }

    #[test]
    fn the_first_problem_is_the_one_found() {
        let good = "good\n".repeat(200_000);
        let text = format!("{good}bad\n{good}bad\n");
        let failure = read_all(text.as_bytes(), 0, |_| Ok(Lines::default()), UNWATCHED).unwrap_err();
        assert_eq!(failure, (1_000_000, Bad));
    }
}
