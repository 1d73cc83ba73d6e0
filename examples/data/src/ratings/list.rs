//! Files of a user a line: `user item item ...`.

use std::borrow::Cow;

use onyx_runtime::memory;
use onyx_runtime::text::{LineReader, next_line};

use super::bipartite::Side;
use super::csv::name;
use super::error::LineProblem;
use super::read::{Part, is_skipped};
use super::table::Rating;

/// Reads a user a line, with the items that he had to do with: each rating is 1. A user may be without items.
#[derive(Debug, Default)]
pub struct ListReader<'t>(Part<'t>);

impl<'t> ListReader<'t> {
    /// What was read.
    pub fn part(self) -> Part<'t> {
        self.0
    }
}

impl<'t> LineReader<'t> for ListReader<'t> {
    type Problem = LineProblem;

    fn take(&mut self, text: &'t [u8], begin: usize) -> Result<usize, LineProblem> {
        let end = next_line(text, begin);
        let line = &text[begin..end];
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(Cow::Borrowed);
        let Some(user) = words.next().filter(|_| !is_skipped(line)) else { return Ok(end) };
        let user = self.0.users.number(name(user, Side::Users)?)?;
        for item in words {
            let item = self.0.items.number(name(item, Side::Items)?)?;
            memory::push(&mut self.0.ratings, Rating { user, item, value: 1.0 }, "the ratings")?;
        }
        Ok(end)
    }
}
