//! Reading ratings in whatever form a file has them.

use std::path::Path;

use super::csv::{self, Separator};
use super::error::RatingsError;
use super::list;
use super::names::Catalog;
use super::table::Table;
use super::text;

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `user,item,rating` on each line.
    Columns(Separator),
    /// `user item item ...` on each line: all that is known is that the user had to do with the items.
    Lists,
}

/// Reads ratings and names their users and items, after those that `catalog` has already.
///
/// The form is told by the first line: columns are separated by commas, semicolons, tabs or `::`; lists by blanks.
///
/// # Errors
/// The file cannot be read, holds no rating, or has a line that does not say what it should.
pub fn read(path: &Path, catalog: &mut Catalog) -> Result<(Table, Form), RatingsError> {
    let text = text::read(path)?;
    let empty = || RatingsError::Empty { path: path.to_owned(), what: "rating" };
    let (_, first) = text::lines(&text).next().ok_or_else(empty)?;
    let form = Separator::of(first).map_or(Form::Lists, Form::Columns);
    let ratings = match form {
        Form::Columns(separator) => csv::parse(&text, separator, catalog),
        Form::Lists => Ok(list::parse(&text, catalog)),
    };
    let ratings = ratings.map_err(|(line, problem)| RatingsError::Line { path: path.to_owned(), line, problem })?;
    if ratings.is_empty() {
        return Err(empty());
    }
    Ok((Table::new(ratings), form))
}
