//! Files of titles: `item,title` on each line, in the form of MovieLens's `movies.csv` and `movies.dat`.

use std::collections::HashMap;
use std::path::Path;

use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::{Text, next_line};

use super::bipartite::Side;
use super::csv::Separator;
use super::error::{LineProblem, RatingsError};
use super::read::{failed, is_skipped};

/// Titles by the items' ids. A header is an item like others, which nobody has rated.
#[derive(Clone, Debug, Default)]
pub struct Titles(HashMap<String, String>);

impl Titles {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, holds no title, or has a line without one.
    pub fn read(path: &Path) -> Result<Self, RatingsError> {
        Self::parse(&Text::open(path, UNWATCHED)?)
    }

    /// Reads the text of a file. What is no UTF-8 is replaced: titles are only shown.
    ///
    /// # Errors
    /// The text holds no title, or has a line without one.
    pub fn parse(text: &Text) -> Result<Self, RatingsError> {
        text.check_unpacked()?;
        let bytes = text.bytes();
        let mut begin = text.nth_line(0, |line| !is_skipped(line));
        let separator = Separator::of_title(text.line(begin)).unwrap_or(Separator::Character(b','));
        let mut titles = HashMap::new();
        while begin < bytes.len() {
            let end = next_line(bytes, begin);
            let line = &bytes[begin..end];
            if !is_skipped(line) {
                titles.extend([titled(line, separator).map_err(|problem| failed(text, begin, problem))?]);
            }
            begin = end;
        }
        if titles.is_empty() {
            return Err(RatingsError::Empty { path: text.path().to_owned(), what: "title" });
        }
        Ok(Self(titles))
    }

    /// The title of an item.
    pub fn title(&self, item: &str) -> Option<&str> {
        self.0.get(item).map(String::as_str)
    }
}

/// An item and its title.
fn titled(line: &[u8], separator: Separator) -> Result<(String, String), LineProblem> {
    let ([item, title], found) = separator.columns::<2>(line)?;
    if item.is_empty() {
        return Err(LineProblem::NoId(Side::Items));
    }
    if found < 2 {
        return Err(LineProblem::Title);
    }
    Ok((String::from_utf8_lossy(&item).into_owned(), String::from_utf8_lossy(&title).into_owned()))
}
