//! Files of a rating a line: `user,item,rating`, with or without a header, and whatever columns may follow.

use ::csv::{ReaderBuilder, StringRecord, Trim};

use super::bipartite::Side;
use super::error::LineProblem;
use super::names::Catalog;
use super::table::Rating;
use super::text::lines;

/// What stands between columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One character; around a comma or semicolon, columns may be quoted.
    Character(char),
    /// `::`
    Colons,
}

/// A line's number and what is wrong with it.
pub type Failure = (u64, LineProblem);

impl Separator {
    /// What separates the columns of `line`; none if it has but one, or blanks between them.
    pub fn of(line: &str) -> Option<Self> {
        let found = ['\t', ',', ';'].into_iter().find(|separator| line.contains(*separator));
        if line.contains("::") { Some(Self::Colons) } else { found.map(Self::Character) }
    }
}

/// Parses a rating a line. The first line is a header if there is no digit in its first three columns.
pub fn parse(text: &str, separator: Separator, catalog: &mut Catalog) -> Result<Vec<Rating>, Failure> {
    let mut ratings = Vec::new();
    let mut is_first = true;
    each_row(text, separator, |line, columns| {
        let is_header = is_first && columns.len() > 2 && !columns.iter().take(3).any(|column| has_digit(column));
        is_first = false;
        if !is_header {
            ratings.push(rating(columns, catalog).map_err(|problem| (line, problem))?);
        }
        Ok(())
    })?;
    Ok(ratings)
}

fn has_digit(column: &str) -> bool {
    column.contains(|character: char| character.is_ascii_digit())
}

fn rating(columns: &[&str], catalog: &mut Catalog) -> Result<Rating, LineProblem> {
    let &[user, item, value, ..] = columns else { return Err(LineProblem::Columns { found: columns.len() }) };
    for (side, id) in [(Side::Users, user), (Side::Items, item)] {
        if id.is_empty() {
            return Err(LineProblem::NoId(side));
        }
    }
    let number = value.parse().ok().filter(|value: &f32| value.is_finite());
    let value = number.ok_or_else(|| LineProblem::Rating(value.to_owned()))?;
    Ok(Rating { user: catalog.users.number(user), item: catalog.items.number(item), value })
}

/// Shows `visit` the columns of each line that is neither blank nor a comment, with its number.
pub fn each_row(
    text: &str,
    separator: Separator,
    mut visit: impl FnMut(u64, &[&str]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    lines(text).try_for_each(|(line, row)| match separator {
        Separator::Character(separator) if separator != '\t' && row.contains('"') => {
            let record = unquoted(row, separator).ok_or((line, LineProblem::Quotes))?;
            visit(line, &record.iter().collect::<Vec<&str>>())
        }
        Separator::Character(separator) => visit(line, &row.split(separator).map(str::trim).collect::<Vec<&str>>()),
        Separator::Colons => visit(line, &row.split("::").map(str::trim).collect::<Vec<&str>>()),
    })
}

/// The columns of a line in which some are quoted.
fn unquoted(row: &str, separator: char) -> Option<StringRecord> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).trim(Trim::All).delimiter(separator as u8);
    builder.from_reader(row.as_bytes()).into_records().next()?.ok()
}
