//! A NumPy array: a header in text, and then the numbers.
//!
//! The format is described in `numpy.lib.format`. The header is a literal of Python, of which the three entries are looked up: a whole
//! parser of such literals would be more than the rest of the reader.

use onyx_runtime::memory;
use onyx_runtime::text::quoted;

use super::archive::Archive;
use crate::dataset::DatasetError;

/// What every array begins with; two bytes of version and the length of the header follow.
const MAGIC: &[u8] = b"\x93NUMPY";
/// What needs the memory.
const NUMBERS: &str = "the numbers of an array";

/// An array of one dimension.
#[derive(Debug)]
pub struct Array<'a> {
    archive: &'a Archive<'a>,
    name: &'static str,
    element: Element,
    /// The numbers, as they lie in the file.
    bytes: Vec<u8>,
    /// Where they begin.
    begin: usize,
}

/// How a number lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element {
    kind: Kind,
    /// In bytes.
    size: usize,
    is_big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

impl<'a> Array<'a> {
    /// The array that `bytes` hold.
    pub fn new(archive: &'a Archive<'a>, name: &'static str, bytes: Vec<u8>) -> Result<Self, DatasetError> {
        let error = |reason: String| archive.error(name, reason);
        let (header, begin) = header(&bytes).ok_or_else(|| error("does not begin as a NumPy array does".to_owned()))?;
        let word =
            entry(header, "descr").and_then(|word| word.strip_prefix('\'')?.split('\'').next()).unwrap_or_default();
        let kinds = "integers, truth values and floats of 4 or 8 bytes can be read";
        let element =
            Element::parse(word).ok_or_else(|| error(format!("has elements of type \"{}\": {kinds}", quoted(word))))?;
        let length = length(header).ok_or_else(|| error("is not of one dimension".to_owned()))?;
        let found = bytes.len() - begin;
        if length.checked_mul(element.size) != Some(found) {
            return Err(error(format!("has {found} bytes of numbers, and not {length} times {}", element.size)));
        }
        Ok(Self { archive, name, element, bytes, begin })
    }

    /// The numbers as whole ones of 0 and more.
    pub fn whole(&self) -> Result<Vec<u64>, DatasetError> {
        let mut numbers = memory::vector(self.bytes.len() / self.element.size, NUMBERS)?;
        for (place, bytes) in self.elements().enumerate() {
            let number = self.element.whole(bytes).and_then(|number| u64::try_from(number).ok());
            let reason = || format!("has something else than a whole number of 0 and more at place {place}");
            numbers.push(number.ok_or_else(|| self.archive.error(self.name, reason()))?);
        }
        Ok(numbers)
    }

    /// The numbers as floats, all of them finite.
    pub fn floats(&self) -> Result<Vec<f32>, DatasetError> {
        let mut numbers = memory::vector(self.bytes.len() / self.element.size, NUMBERS)?;
        for (place, bytes) in self.elements().enumerate() {
            let number = self.element.float(bytes);
            if !number.is_finite() {
                let reason = format!("has {number} at place {place}, which is no finite 32-bit float");
                return Err(self.archive.error(self.name, reason));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// The bytes of each number.
    fn elements(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes[self.begin..].chunks_exact(self.element.size)
    }
}

impl Element {
    /// What a type such as `<f4` says.
    fn parse(word: &str) -> Option<Self> {
        let mut letters = word.chars();
        let is_big_endian = match letters.next()? {
            '<' | '|' | '=' => false,
            '>' => true,
            _ => return None,
        };
        let kind = match letters.next()? {
            'i' => Kind::Signed,
            'u' | 'b' => Kind::Unsigned,
            'f' => Kind::Float,
            _ => return None,
        };
        let size = letters.as_str().parse().ok()?;
        let is_known = if kind == Kind::Float { matches!(size, 4 | 8) } else { matches!(size, 1 | 2 | 4 | 8) };
        is_known.then_some(Self { kind, size, is_big_endian })
    }

    /// The bytes as those of a number of 64 bits, the least significant first, with zeros after them.
    fn bits(self, bytes: &[u8]) -> u64 {
        let mut bits = [0; 8];
        bits[..self.size].copy_from_slice(bytes);
        if self.is_big_endian {
            bits[..self.size].reverse();
        }
        u64::from_le_bytes(bits)
    }

    /// The number, if it is whole.
    fn whole(self, bytes: &[u8]) -> Option<i128> {
        let bits = self.bits(bytes);
        let unused = 64 - 8 * self.size as u32;
        match self.kind {
            Kind::Unsigned => Some(bits.into()),
            Kind::Signed => Some((((bits << unused) as i64) >> unused).into()),
            Kind::Float => None,
        }
    }

    fn float(self, bytes: &[u8]) -> f32 {
        match (self.whole(bytes), self.size) {
            (Some(number), _) => number as f32,
            (None, 4) => f32::from_bits(self.bits(bytes) as u32),
            (None, _) => f64::from_bits(self.bits(bytes)) as f32,
        }
    }
}

/// The text of the header, and where the numbers begin.
fn header(bytes: &[u8]) -> Option<(&str, usize)> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, begin) = match rest.first()? {
        1 => (u16::from_le_bytes(rest.get(2..4)?.try_into().ok()?).into(), MAGIC.len() + 4),
        _ => (u32::from_le_bytes(rest.get(2..6)?.try_into().ok()?) as usize, MAGIC.len() + 6),
    };
    let end = begin.checked_add(length)?;
    Some((str::from_utf8(bytes.get(begin..end)?).ok()?, end))
}

/// What follows the name of an entry of the header.
fn entry<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let after = header.split_once(&format!("'{name}'"))?.1;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// The length of an array of one dimension: `(5,)`.
fn length(header: &str) -> Option<usize> {
    let sizes = entry(header, "shape")?.strip_prefix('(')?.split(')').next()?;
    let mut sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    let length = sizes.next()?.parse().ok()?;
    sizes.next().is_none().then_some(length)
}
