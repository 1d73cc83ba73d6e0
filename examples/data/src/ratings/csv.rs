//! Files of a rating a line: `user,item,rating`, with or without a header, and whatever columns may follow.

use std::borrow::Cow;
use std::fmt;

use ::csv::{ReaderBuilder, StringRecord, Trim};
use onyx_runtime::memory;
use onyx_runtime::text::{Float, LineReader, finite, float, next_line, quoted};

use super::bipartite::Side;
use super::error::LineProblem;
use super::read::{Part, is_skipped};
use super::table::Rating;

/// What the columns hold that were asked for, and how many there are.
type Columns<'a, const N: usize> = ([Cow<'a, [u8]>; N], usize);

/// What stands between columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One character; around a comma or semicolon, columns may be quoted.
    Character(u8),
    /// `::`
    Colons,
}

/// A column that is not there.
const NOTHING: Cow<'static, [u8]> = Cow::Borrowed(b"");

/// The columns that a rating has.
pub const COLUMNS: usize = 3;

impl Separator {
    /// What separates the columns of `line`; none if it has but one, or blanks between them.
    pub fn of(line: &[u8]) -> Option<Self> {
        let found = [b'\t', b',', b';'].into_iter().find(|separator| line.contains(separator));
        if line.windows(2).any(|pair| pair == b"::") { Some(Self::Colons) } else { found.map(Self::Character) }
    }

    /// What separates the columns of a line of ratings: semicolons where there are enough of them, whatever commas names and numbers have.
    pub fn of_rating(line: &[u8]) -> Option<Self> {
        let comma = Some(Self::Character(b','));
        let are_enough = || outside_quotes(line).filter(|byte| *byte == b';').count() + 1 >= COLUMNS;
        Self::of(line).map(|found| if Some(found) == comma && are_enough() { Self::Character(b';') } else { found })
    }

    /// What separates the columns of a line of titles: of a comma and a semicolon the one that comes first, since a title may have the other.
    pub fn of_title(line: &[u8]) -> Option<Self> {
        let first = line.iter().copied().find(|byte| matches!(byte, b',' | b';'));
        let comma = Some(Self::Character(b','));
        let found = Self::of(line);
        if found == comma { first.map(Self::Character) } else { found }
    }

    /// The first columns of `line`, and how many there are, `N` at most.
    ///
    /// # Errors
    /// Its quotes do not separate columns.
    pub fn columns<const N: usize>(self, line: &[u8]) -> Result<Columns<'_, N>, LineProblem> {
        match self {
            // A tab at either end is next to a column that is empty.
            Self::Character(b'\t') => Ok(first(without_end(line).split(|byte| *byte == b'\t'))),
            Self::Character(separator) if line.contains(&b'"') => unquoted(line.trim_ascii(), separator),
            Self::Character(separator) => Ok(first(line.trim_ascii().split(|byte| *byte == separator))),
            Self::Colons => Ok(first(Pieces(Some(line.trim_ascii())))),
        }
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Character(b'\t') => "tabs",
            Self::Character(b';') => "semicolons",
            Self::Character(_) => "commas",
            Self::Colons => "::",
        })
    }
}

/// A line without what ends it.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn outside_quotes(line: &[u8]) -> impl Iterator<Item = u8> {
    line.split(|byte| *byte == b'"').step_by(2).flatten().copied()
}

/// The first `N` of the columns, and how many there are.
fn first<'a, const N: usize>(columns: impl Iterator<Item = &'a [u8]>) -> ([Cow<'a, [u8]>; N], usize) {
    let mut first = [NOTHING; N];
    let mut count = 0;
    for (place, column) in first.iter_mut().zip(columns) {
        *place = Cow::Borrowed(column.trim_ascii());
        count += 1;
    }
    (first, count)
}

/// What stands between colons.
struct Pieces<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.0.take()?;
        let end = text.windows(2).position(|pair| pair == b"::");
        self.0 = end.map(|end| &text[end + 2..]);
        Some(&text[..end.unwrap_or(text.len())])
    }
}

/// The columns of a line in which some are quoted.
fn unquoted<const N: usize>(line: &[u8], separator: u8) -> Result<Columns<'_, N>, LineProblem> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).trim(Trim::All).delimiter(separator).flexible(true);
    let record: Option<StringRecord> = builder.from_reader(line).into_records().next().and_then(Result::ok);
    let record = record.ok_or(LineProblem::Quotes)?;
    let mut columns = [NOTHING; N];
    for (place, column) in columns.iter_mut().zip(&record) {
        *place = Cow::Owned(column.as_bytes().to_vec());
    }
    Ok((columns, record.len().min(N)))
}

/// Whether the first line of a file is a header: a word stands where others have the rating.
///
/// # Errors
/// Its quotes do not separate columns.
pub fn is_header(line: &[u8], separator: Separator) -> Result<bool, LineProblem> {
    let (columns, count) = separator.columns::<COLUMNS>(line)?;
    Ok(count == COLUMNS && is_word(&columns[COLUMNS - 1]))
}

/// Whether a column starts with a letter, and is no number all the same, as `nan` is.
fn is_word(column: &[u8]) -> bool {
    column.first().is_some_and(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()) && float(column).is_none()
}

/// Reads ratings, one a line.
#[derive(Debug)]
pub struct ColumnReader<'t> {
    separator: Separator,
    part: Part<'t>,
}

impl<'t> ColumnReader<'t> {
    /// Reads columns with a separator.
    pub fn new(separator: Separator) -> Self {
        Self { separator, part: Part::default() }
    }

    /// What was read.
    pub fn part(self) -> Part<'t> {
        self.part
    }
}

impl<'t> LineReader<'t> for ColumnReader<'t> {
    type Problem = LineProblem;

    fn take(&mut self, text: &'t [u8], begin: usize) -> Result<usize, LineProblem> {
        let end = next_line(text, begin);
        let line = &text[begin..end];
        if is_skipped(line) {
            return if hides_rating(line, self.separator) { Err(LineProblem::Hidden) } else { Ok(end) };
        }
        let ([user, item, value], found) = self.separator.columns::<COLUMNS>(line)?;
        if found < COLUMNS {
            return Err(LineProblem::Columns { found, separator: self.separator });
        }
        let value = rating(&value)?;
        let user = self.part.users.number(name(user, Side::Users)?)?;
        let item = self.part.items.number(name(item, Side::Items)?)?;
        memory::push(&mut self.part.ratings, Rating { user, item, value }, "the ratings")?;
        Ok(end)
    }
}

/// Whether a comment may be the rating of a user whose id starts with `#`: no blank is there, and a number in the place of the rating.
fn hides_rating(line: &[u8], separator: Separator) -> bool {
    let is_close = line.strip_prefix(b"#").and_then(<[u8]>::first).is_some_and(|byte| !byte.is_ascii_whitespace());
    let columns = || separator.columns::<COLUMNS>(line).ok().filter(|(_, count)| *count == COLUMNS);
    is_close && columns().is_some_and(|(columns, _)| float(&columns[COLUMNS - 1]).is_some())
}

/// The rating that a column says.
fn rating(value: &[u8]) -> Result<f32, LineProblem> {
    match float(value) {
        Some(Float::Finite(rating)) => Ok(rating),
        Some(Float::TooSmall) => Err(LineProblem::TooSmall(quoted(value))),
        Some(Float::TooLarge) | None => Err(no_rating(value)),
    }
}

/// What is wrong with a rating that is no finite number.
fn no_rating(value: &[u8]) -> LineProblem {
    let with_point: Vec<u8> = value.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect();
    let has_comma = with_point != value && finite(&with_point).is_some();
    if has_comma { LineProblem::DecimalComma(quoted(value)) } else { LineProblem::Rating(quoted(value)) }
}

/// An id as text.
pub fn name(id: Cow<'_, [u8]>, side: Side) -> Result<Cow<'_, str>, LineProblem> {
    let name = match id {
        Cow::Borrowed(id) => str::from_utf8(id).ok().map(Cow::Borrowed),
        Cow::Owned(id) => String::from_utf8(id).ok().map(Cow::Owned),
    };
    match name {
        Some(name) if name.is_empty() => Err(LineProblem::NoId(side)),
        Some(name) => Ok(name),
        None => Err(LineProblem::NotText(side)),
    }
}
