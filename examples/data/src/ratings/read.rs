//! Reading ratings in whatever form a file has them.

use std::path::Path;

use onyx_runtime::memory::{self, OutOfMemory};
use onyx_runtime::progress::{UNWATCHED, Watch};
use onyx_runtime::text::{Text, next_line, read_all};
use rayon::prelude::*;

use super::csv::{ColumnReader, Separator, is_header};
use super::error::{LineProblem, RatingsError};
use super::list::ListReader;
use super::names::Catalog;
use super::seen::Seen;
use super::table::{Rating, Table};

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `user,item,rating` on each line.
    Columns(Separator),
    /// `user item item ...` on each line: all that is known is that the user had to do with the items.
    Lists,
}

/// The ratings in a part of a file, by the numbers that users and items have in that part.
#[derive(Debug, Default)]
pub struct Part<'t> {
    /// The users.
    pub users: Seen<'t>,
    /// The items.
    pub items: Seen<'t>,
    /// The ratings, in the order of the file.
    pub ratings: Vec<Rating>,
}

/// Reads ratings and names their users and items, after those that `catalog` has already.
///
/// The form is told by the first line: columns are separated by commas, semicolons, tabs or `::`, by semicolons where it has two, whatever
/// commas there are; lists by blanks. It is a header if a word stands in the place of the rating.
///
/// # Errors
/// The file cannot be read, holds no rating, or has a line that does not say what it should.
pub fn read(path: &Path, catalog: &mut Catalog) -> Result<(Table, Form), RatingsError> {
    read_with_progress(path, catalog, UNWATCHED)
}

/// As [`read`]; `watch` hears how far it is.
///
/// # Errors
/// As [`read`].
pub fn read_with_progress(path: &Path, catalog: &mut Catalog, watch: Watch<'_>) -> Result<(Table, Form), RatingsError> {
    parse(&Text::open(path, watch)?, catalog, watch)
}

/// Reads ratings from the text of a file, as [`read`] does.
///
/// # Errors
/// The text holds no rating, or has a line that does not say what it should.
pub fn parse(text: &Text, catalog: &mut Catalog, watch: Watch<'_>) -> Result<(Table, Form), RatingsError> {
    text.check_unpacked()?;
    let first = text.nth_line(0, |line| !is_skipped(line));
    let line = text.line(first);
    let form = Separator::of_rating(line.trim_ascii()).map_or(Form::Lists, Form::Columns);
    let parts = parts(text, first, form, watch).map_err(|(begin, problem)| failed(text, begin, problem))?;
    let ratings = joined(parts, catalog)?;
    if ratings.is_empty() {
        return Err(no_rating(text, first, form));
    }
    Ok((Table::new(ratings)?, form))
}

/// What is wrong with a text without ratings, whose first line that counts begins at byte `first`.
fn no_rating(text: &Text, first: usize, form: Form) -> RatingsError {
    let path = text.path().to_owned();
    let has_lines = first < text.bytes().len();
    if form == Form::Lists && has_lines {
        RatingsError::NotSeparated { path }
    } else {
        RatingsError::Empty { path, what: "rating" }
    }
}

/// The parts of a text whose first line that counts begins at byte `first`.
fn parts<'t>(
    text: &'t Text,
    first: usize,
    form: Form,
    watch: Watch<'_>,
) -> Result<Vec<Part<'t>>, (usize, LineProblem)> {
    let bytes = text.bytes();
    Ok(match form {
        Form::Columns(separator) => {
            let is_header = is_header(text.line(first), separator).map_err(|problem| (first, problem))?;
            // Comments before the first rating are looked at, too.
            let begin = if is_header { next_line(bytes, first) } else { 0 };
            let readers = read_all(bytes, begin, |_| Ok(ColumnReader::new(separator)), watch)?;
            readers.into_iter().map(ColumnReader::part).collect()
        }
        Form::Lists => {
            let readers = read_all(bytes, first, |_| Ok(ListReader::default()), watch)?;
            readers.into_iter().map(ListReader::part).collect()
        }
    })
}

/// The ratings of all parts, by the numbers that users and items have in the catalog: those of their first appearance in the file.
fn joined(parts: Vec<Part<'_>>, catalog: &mut Catalog) -> Result<Vec<Rating>, OutOfMemory> {
    let mut numbered = Vec::new();
    for Part { users, items, ratings } in parts {
        numbered.push((users.joined(&mut catalog.users)?, items.joined(&mut catalog.items)?, ratings));
    }
    let renumbered = |(users, items, mut ratings): (Vec<u32>, Vec<u32>, Vec<Rating>)| {
        for rating in &mut ratings {
            (rating.user, rating.item) = (users[rating.user as usize], items[rating.item as usize]);
        }
        ratings
    };
    let parts: Vec<Vec<Rating>> = numbered.into_par_iter().map(renumbered).collect();
    memory::concat(&parts, "the ratings")
}

/// What is wrong with the line that begins at byte `begin`.
pub(super) fn failed(text: &Text, begin: usize, problem: LineProblem) -> RatingsError {
    match problem {
        LineProblem::Memory(error) => error.into(),
        problem => RatingsError::Line { path: text.path().to_owned(), line: text.line_number(begin), problem },
    }
}

/// Whether a line says nothing: it is blank, or a comment.
pub fn is_skipped(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#'))
}
