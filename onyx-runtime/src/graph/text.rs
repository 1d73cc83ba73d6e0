//! Lines of two vertex ids and perhaps a weight, parsed in parallel.

use super::error::LineProblem;
use crate::memory::{self, OutOfMemory};
use crate::progress::Watch;
use crate::text::{Float, LineReader, Part, float, has_empty_field, is_skipped, next_line, quoted, read_parts, words};

/// Texts are cut into about this many parts.
const PARTS: usize = 1 << 10;
/// What needs the memory.
const EDGES: &str = "the edges of the file";

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
    /// Three columns, of which the last has whole numbers.
    Whole,
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
    /// There is no memory for the edges.
    Memory(OutOfMemory),
}

/// Why a line was not taken.
#[derive(Debug, PartialEq)]
enum Problem {
    Line(LineProblem),
    TooWide,
    Memory(OutOfMemory),
}

impl From<LineProblem> for Problem {
    fn from(problem: LineProblem) -> Self {
        Self::Line(problem)
    }
}

impl From<OutOfMemory> for Problem {
    fn from(error: OutOfMemory) -> Self {
        Self::Memory(error)
    }
}

/// Parses `text` from byte `begin` on.
pub(super) fn parse<I: Id>(text: &[u8], begin: usize, form: Form, watch: Watch<'_>) -> Result<Parsed<I>, Failure> {
    let make = |bytes| EdgeReader::<I>::new(bytes, form);
    let parts = read_parts(text, begin, PARTS, make, watch).map_err(Failure::Memory)?;
    let is_too_wide = |part: &Part<_, _>| matches!(part.failure, Some((_, Problem::TooWide)));
    if parts.iter().any(is_too_wide) { Err(Failure::TooWide) } else { gather(parts, form) }
}

/// Puts the parts together; the failure that comes first in the text is the one reported.
fn gather<I: Id>(parts: Vec<Part<EdgeReader<I>, Problem>>, form: Form) -> Result<Parsed<I>, Failure> {
    let mut weighted = match form.columns {
        Columns::Alike => None,
        columns => Some(columns != Columns::Pair),
    };
    let mut parsed = Parsed { edges: Vec::new(), weights: None };
    let mut weights = Vec::new();
    for Part { reader, failure } in parts {
        if let Some((begin, has_weight)) = reader.first
            && *weighted.get_or_insert(has_weight) != has_weight
        {
            return Err(Failure::Line(begin, mismatch(form.columns, has_weight)));
        }
        match failure {
            None => {}
            Some((begin, Problem::Line(problem))) => return Err(Failure::Line(begin, problem)),
            Some((_, Problem::TooWide)) => return Err(Failure::TooWide),
            Some((_, Problem::Memory(error))) => return Err(Failure::Memory(error)),
        }
        parsed.edges.push(reader.edges);
        weights.push(reader.weights);
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

impl<I: Id> Parsed<I> {
    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Whether the edges after the first one are as many entries as `sizes`, the rows, columns and entries of a matrix, say.
    pub fn are_entries(&self, [rows, columns, entries]: [u64; 3]) -> bool {
        let edges = self.edges.iter().flatten().map(|&(source, destination)| (source.into(), destination.into()));
        let is_within = |(row, column): (u64, u64)| (1..=rows).contains(&row) && (1..=columns).contains(&column);
        entries > 0 && entries == self.edge_count() as u64 - 1 && edges.skip(1).all(is_within)
    }
}

/// What one thread parses.
#[derive(Debug)]
struct EdgeReader<I> {
    form: Form,
    edges: Vec<(I, I)>,
    weights: Vec<f32>,
    /// Where the first edge's line begins, and whether it has a weight.
    first: Option<(usize, bool)>,
}

/// One edge as it stands in the text.
type Entry = (u64, u64, Option<f32>);

impl<I: Id> LineReader<'_> for EdgeReader<I> {
    type Problem = Problem;

    #[inline]
    fn take(&mut self, text: &[u8], begin: usize) -> Result<usize, Problem> {
        if let Some((entry, length)) = plain_line(&text[begin..]) {
            self.push(entry, begin)?;
            return Ok(begin + length);
        }
        let end = next_line(text, begin);
        if let Some(entry) = any_line(&text[begin..end], self.form.columns)? {
            self.push(entry, begin)?;
        }
        Ok(end)
    }
}

impl<I: Id> EdgeReader<I> {
    fn new(bytes: usize, form: Form) -> Result<Self, OutOfMemory> {
        // Lines of real edge lists are about this long or longer; too little room only costs a copy.
        Ok(Self { form, edges: memory::vector(bytes / 12, EDGES)?, weights: Vec::new(), first: None })
    }

    /// Takes the edge of the line that begins at byte `begin`.
    #[inline]
    fn push(&mut self, (source, destination, weight): Entry, begin: usize) -> Result<(), Problem> {
        let (_, has_weight) = *self.first.get_or_insert((begin, weight.is_some()));
        let Form { first, last, columns } = self.form;
        if has_weight != weight.is_some() {
            return Err(mismatch(columns, weight.is_some()).into());
        }
        if source.min(destination) < first || source.max(destination) > last {
            return Err(LineProblem::IndexOutOfRange { vertices: last }.into());
        }
        let ends = I::narrow(source - first).zip(I::narrow(destination - first));
        memory::push(&mut self.edges, ends.ok_or(Problem::TooWide)?, EDGES)?;
        if let Some(weight) = weight {
            memory::push(&mut self.weights, weight, EDGES)?;
        }
        Ok(())
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

/// The edge of any line of a form; none of a blank line or a comment.
fn any_line(line: &[u8], form: Columns) -> Result<Option<Entry>, LineProblem> {
    if is_skipped(line) {
        return Ok(None);
    }
    if has_empty_field(line) {
        return Err(LineProblem::EmptyField);
    }
    let mut columns = words(line);
    let source = id(columns.next())?;
    let destination = id(columns.next())?;
    let weight = columns.next().map(|column| weight(column, form)).transpose()?;
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
    crate::text::whole(digits).ok_or(LineProblem::IdTooLarge)
}

fn weight(column: &[u8], form: Columns) -> Result<f32, LineProblem> {
    match float(column) {
        Some(Float::Finite(_) | Float::TooSmall) if form == Columns::Whole && !is_whole(column) => {
            Err(LineProblem::NotWhole(quoted(column)))
        }
        Some(Float::Finite(weight)) => Ok(weight),
        Some(Float::TooLarge) => Err(LineProblem::WeightNotFinite),
        Some(Float::TooSmall) => Err(LineProblem::WeightTooSmall),
        None => Err(LineProblem::NotAnEdge),
    }
}

/// Whether a column says a whole number, of which 64-bit floats know the fraction even if 32-bit ones do not.
fn is_whole(column: &[u8]) -> bool {
    let number: Option<f64> = str::from_utf8(column).ok().and_then(|word| word.parse().ok());
    number.is_some_and(|number| number.fract() == 0.0)
}
