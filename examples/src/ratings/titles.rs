//! Files of titles: `item,title` on each line, in the form of MovieLens's `movies.csv` and `movies.dat`.

use std::collections::HashMap;
use std::path::Path;

use super::bipartite::Side;
use super::csv::{Separator, each_row};
use super::error::{LineProblem, RatingsError};
use super::text;

/// Titles by the items' ids. A header is an item like others, which nobody has rated.
#[derive(Clone, Debug, Default)]
pub struct Titles(HashMap<String, String>);

impl Titles {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, holds no title, or has a line without one.
    pub fn read(path: &Path) -> Result<Self, RatingsError> {
        let text = text::read(path)?;
        let empty = || RatingsError::Empty { path: path.to_owned(), what: "title" };
        let (_, first) = text::lines(&text).next().ok_or_else(empty)?;
        let separator = Separator::of(first).unwrap_or(Separator::Character(','));
        let mut titles = HashMap::new();
        let parsed = each_row(&text, separator, |line, columns| match columns {
            ["", ..] => Err((line, LineProblem::NoId(Side::Items))),
            [item, title, ..] => {
                titles.insert((*item).to_owned(), (*title).to_owned());
                Ok(())
            }
            _ => Err((line, LineProblem::Title)),
        });
        parsed.map_err(|(line, problem)| RatingsError::Line { path: path.to_owned(), line, problem })?;
        Ok(Self(titles))
    }

    /// The title of an item.
    pub fn title(&self, item: &str) -> Option<&str> {
        self.0.get(item).map(String::as_str)
    }
}
