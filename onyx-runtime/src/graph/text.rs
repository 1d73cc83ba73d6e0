//! Lines of two vertex ids and perhaps a weight, parsed in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::error::LineProblem;

/// Text is cut into chunks of at least this many bytes.
const CHUNK: usize = 1 << 19;
/// Longer texts are cut into about this many chunks.
const CHUNKS: usize = 1 << 10;

/// Edges in the order of the text, in parts.
pub(super) type Parts<I> = Vec<Vec<(I, I)>>;

/// A width in which parsed ids are kept.
pub(super) trait Id: Copy + Send + Sync + Ord + Into<u64> {
    /// `value` in this width, if it fits.
    fn narrow(value: u64) -> Option<Self>;

    /// `edges` as they are if ids of this width can be vertices, or back again.
    fn as_vertices(edges: Parts<Self>) -> Result<Parts<u32>, Parts<Self>>;
}

impl Id for u32 {
    fn narrow(value: u64) -> Option<Self> {
        Self::try_from(value).ok()
    }

    fn as_vertices(edges: Parts<Self>) -> Result<Parts<u32>, Parts<Self>> {
        Ok(edges)
    }
}

impl Id for u64 {
    fn narrow(value: u64) -> Option<Self> {
        Some(value)
    }

    fn as_vertices(edges: Parts<Self>) -> Result<Parts<u32>, Parts<Self>> {
        Err(edges)
    }
}

/// What a line must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Columns {
    /// Two or three columns, the same on every line.
    Alike,
    /// Two columns.
    Pair,
    /// Three columns.
    Triple,
}

/// The form of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// The least id, which is read as 0.
    pub first: u64,
    /// The greatest id.
    pub last: u64,
    /// What a line holds.
    pub columns: Columns,
}

/// What a text says; weights, if any, are cut as the edges are.
pub(super) struct Parsed<I> {
    pub edges: Parts<I>,
    pub weights: Option<Vec<Vec<f32>>>,
}

/// Why a text did not parse.
#[derive(Debug, PartialEq)]
pub(super) enum Failure {
    /// The line at this byte is wrong.
    Line(usize, LineProblem),
    /// An id does not fit the width asked for.
    TooWide,
}

/// Parses `text` from byte `begin` on; `progress` hears how many more bytes are done.
pub(super) fn parse<I: Id>(
    text: &[u8],
    begin: usize,
    form: Form,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Parsed<I>, Failure> {
    let parse_range = |range: Range<usize>| {
        let chunk = Chunk::parse(text, range.clone(), form);
        progress(range.len() as u64);
        chunk
    };
    let chunks: Vec<Chunk<I>> = line_ranges(text, begin).into_par_iter().map(parse_range).collect();
    if chunks.iter().any(|chunk| chunk.failure == Some(Failure::TooWide)) {
        return Err(Failure::TooWide);
    }
    gather(chunks, form)
}

/// Cuts `text[begin..]` into ranges that end at line ends.
fn line_ranges(text: &[u8], begin: usize) -> Vec<Range<usize>> {
    let size = (text.len().saturating_sub(begin) / CHUNKS).max(CHUNK);
    let mut ranges = Vec::new();
    let mut start = begin;
    while start < text.len() {
        let end = (start + size).min(text.len());
        let end = line_end(text, end - 1);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// The byte after the line that byte `position` is in.
fn line_end(text: &[u8], position: usize) -> usize {
    text[position..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |length| position + length + 1)
}

/// Puts the chunks together; the failure that comes first in the text is the one reported.
fn gather<I>(chunks: Vec<Chunk<I>>, form: Form) -> Result<Parsed<I>, Failure> {
    let mut weighted = match form.columns {
        Columns::Alike => None,
        columns => Some(columns == Columns::Triple),
    };
    let mut parsed = Parsed { edges: Vec::new(), weights: None };
    let mut weights = Vec::new();
    for chunk in chunks {
        if let Some((begin, has_weight)) = chunk.first
            && *weighted.get_or_insert(has_weight) != has_weight
        {
            return Err(Failure::Line(begin, mismatch(form.columns, has_weight)));
        }
        if let Some(failure) = chunk.failure {
            return Err(failure);
        }
        parsed.edges.push(chunk.edges);
        weights.push(chunk.weights);
    }
    parsed.weights = (weighted == Some(true)).then_some(weights);
    Ok(parsed)
}

/// What to say of a line that has a weight, or has none, where the others are different.
fn mismatch(columns: Columns, has_weight: bool) -> LineProblem {
    match (columns, has_weight) {
        (Columns::Alike, true) => LineProblem::UnexpectedWeight,
        (Columns::Alike, false) => LineProblem::MissingWeight,
        (_, true) => LineProblem::UnexpectedValue,
        (_, false) => LineProblem::MissingValue,
    }
}

/// What one thread parsed: everything before the first failure.
struct Chunk<I> {
    edges: Vec<(I, I)>,
    weights: Vec<f32>,
    /// Where the first edge's line begins, and whether it has a weight.
    first: Option<(usize, bool)>,
    failure: Option<Failure>,
}

/// One edge as it stands in the text.
type Entry = (u64, u64, Option<f32>);

impl<I: Id> Chunk<I> {
    fn parse(text: &[u8], range: Range<usize>, form: Form) -> Self {
        // Lines of real edge lists are about this long or longer; too little room only costs a copy.
        let edges = Vec::with_capacity(range.len() / 12);
        let mut chunk = Self { edges, weights: Vec::new(), first: None, failure: None };
        let text = &text[..range.end];
        let mut begin = range.start;
        while begin < text.len() && chunk.failure.is_none() {
            begin = match plain_line(&text[begin..]) {
                Some((entry, length)) => {
                    chunk.push(entry, begin, form);
                    begin + length
                }
                None => chunk.parse_line(text, begin, form),
            };
        }
        chunk
    }

    /// Takes any line that begins at byte `begin`, and returns where the next one does.
    fn parse_line(&mut self, text: &[u8], begin: usize, form: Form) -> usize {
        let end = line_end(text, begin);
        match any_line(&text[begin..end]) {
            Ok(Some(entry)) => self.push(entry, begin, form),
            Ok(None) => {}
            Err(problem) => self.failure = Some(Failure::Line(begin, problem)),
        }
        end
    }

    /// Takes the edge of the line that begins at byte `begin`.
    #[inline]
    fn push(&mut self, (source, destination, weight): Entry, begin: usize, form: Form) {
        let (_, has_weight) = *self.first.get_or_insert((begin, weight.is_some()));
        let low = source.min(destination);
        if has_weight != weight.is_some() {
            self.failure = Some(Failure::Line(begin, mismatch(form.columns, weight.is_some())));
        } else if low < form.first || source.max(destination) > form.last {
            self.failure = Some(Failure::Line(begin, LineProblem::IndexOutOfRange { vertices: form.last }));
        } else if let (Some(source), Some(destination)) =
            (I::narrow(source - form.first), I::narrow(destination - form.first))
        {
            self.edges.push((source, destination));
            self.weights.extend(weight);
        } else {
            self.failure = Some(Failure::TooWide);
        }
    }
}

/// The edge of a line of two short numbers with one byte between them, the common case, and the line's length.
#[inline]
fn plain_line(text: &[u8]) -> Option<(Entry, usize)> {
    let (source, length) = digits(text)?;
    if !matches!(text.get(length), Some(b' ' | b'\t' | b',')) {
        return None;
    }
    let (destination, rest) = digits(&text[length + 1..])?;
    let end = length + 1 + rest;
    (text.get(end) == Some(&b'\n')).then_some(((source, destination, None), end + 1))
}

/// The number that `text` starts with and its number of digits, of which 1 to 19 surely fit 64 bits.
#[inline]
fn digits(text: &[u8]) -> Option<(u64, usize)> {
    let (mut value, mut length) = (0u64, 0);
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        length += 1;
    }
    (1..=19).contains(&length).then_some((value, length))
}

/// The edge of any line; none of a blank line or a comment.
fn any_line(line: &[u8]) -> Result<Option<Entry>, LineProblem> {
    let line = line.trim_ascii();
    if matches!(line.first(), None | Some(b'#' | b'%')) {
        return Ok(None);
    }
    let mut columns =
        line.split(|byte| byte.is_ascii_whitespace() || *byte == b',').filter(|column| !column.is_empty());
    let source = id(columns.next())?;
    let destination = id(columns.next())?;
    let weight = columns.next().map(weight).transpose()?;
    match columns.next() {
        None => Ok(Some((source, destination, weight))),
        Some(_) => Err(LineProblem::NotAnEdge),
    }
}

fn id(column: Option<&[u8]>) -> Result<u64, LineProblem> {
    let column = column.ok_or(LineProblem::NotAnEdge)?;
    let digits = column.strip_prefix(b"-").unwrap_or(column);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(LineProblem::NotAnEdge);
    }
    if digits.len() < column.len() {
        return Err(LineProblem::NegativeId);
    }
    let number = str::from_utf8(digits).map_err(|_| LineProblem::NotAnEdge)?;
    number.parse().map_err(|_| LineProblem::IdTooLarge)
}

fn weight(column: &[u8]) -> Result<f32, LineProblem> {
    let number = str::from_utf8(column).map_err(|_| LineProblem::NotAnEdge)?;
    let weight: f32 = number.parse().map_err(|_| LineProblem::NotAnEdge)?;
    if weight.is_finite() { Ok(weight) } else { Err(LineProblem::WeightNotFinite) }
}
