//! Memory for what grows with the input: it is had, or it is said how much was needed and how much there is.
//!
//! A vector of the standard library ends the program when there is no memory for it. What is allocated here comes back as an
//! [`OutOfMemory`] in its place. Programs install [`ExitingAllocator`] besides, for the many small allocations that do not ask.

mod allocator;
mod available;

use std::borrow::Cow;
use std::fmt;

use bytemuck::Zeroable;
use memmap2::MmapMut;

pub use allocator::{ExitingAllocator, before_exit, trying};
pub use available::{available, is_limited};

/// From this size on, what is available is looked up first: a system that promises more than it has grants any request, and ends the program
/// when the memory is used.
const LARGE: u64 = 1 << 26;

/// Memory that there is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// What it was for.
    pub purpose: Cow<'static, str>,
    /// How much it was, in bytes.
    pub needed: u64,
    /// How much there was, in bytes, where that is known.
    pub available: Option<u64>,
}

impl OutOfMemory {
    /// That `needed` bytes cannot be had.
    pub fn new(purpose: impl Into<Cow<'static, str>>, needed: u64) -> Self {
        Self { purpose: purpose.into(), needed, available: available() }
    }

    /// That `count` elements cannot be had.
    fn of<T>(purpose: &'static str, count: usize) -> Self {
        Self::new(purpose, bytes::<T>(count))
    }
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory for {}: {} needed", self.purpose, Bytes(self.needed))?;
        match self.available {
            // What is free may lie in pieces, none of which is large enough.
            Some(available) => write!(f, ", and {} available", Bytes(available))?,
            None => f.write_str(", which cannot be allocated")?,
        }
        f.write_str("; end other programs, or take a smaller input")
    }
}

impl std::error::Error for OutOfMemory {}

/// A number of bytes as people say it: `3.2 GiB`.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(
    /// How many there are.
    pub u64,
);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return write!(f, "{} bytes", self.0);
        }
        let unit = (self.0.ilog2() / 10) as usize;
        write!(f, "{:.1} {}", self.0 as f64 / (1_u64 << (10 * unit)) as f64, UNITS[unit - 1])
    }
}

/// The bytes of `count` elements, and the greatest number if they are more.
fn bytes<T>(count: usize) -> u64 {
    (count as u64).saturating_mul(size_of::<T>() as u64)
}

/// Refuses what is more than there is, before anything is allocated.
///
/// # Errors
/// `needed` bytes are more than are available, as far as that is known, or than an allocation may have.
pub fn check(purpose: impl Into<Cow<'static, str>>, needed: u64) -> Result<(), OutOfMemory> {
    let available = if needed < LARGE { None } else { available() };
    if needed > available.unwrap_or(u64::MAX).min(isize::MAX as u64) {
        return Err(OutOfMemory { purpose: purpose.into(), needed, available });
    }
    Ok(())
}

/// Room for `additional` more elements, and no more than that.
///
/// # Errors
/// There is no memory.
pub fn reserve<T>(values: &mut Vec<T>, additional: usize, purpose: &'static str) -> Result<(), OutOfMemory> {
    check(purpose, bytes::<T>(additional))?;
    let reserved = trying(|| values.try_reserve_exact(additional));
    reserved.map_err(|_| OutOfMemory::of::<T>(purpose, additional))
}

/// A vector with room for `count` elements.
///
/// # Errors
/// There is no memory.
pub fn vector<T>(count: usize, purpose: &'static str) -> Result<Vec<T>, OutOfMemory> {
    let mut values = Vec::new();
    reserve(&mut values, count, purpose)?;
    Ok(values)
}

/// A vector of `count` zeros, which takes no time for memory that is zero already.
///
/// # Errors
/// There is no memory.
pub fn zeroed<T: Zeroable>(count: usize, purpose: &'static str) -> Result<Vec<T>, OutOfMemory> {
    check(purpose, bytes::<T>(count))?;
    let values = trying(|| bytemuck::allocation::try_zeroed_vec(count));
    values.map_err(|()| OutOfMemory::of::<T>(purpose, count))
}

/// Whole pages of zeros, which become memory when they are touched.
///
/// # Errors
/// There is no memory.
pub(crate) fn pages(length: u64, purpose: &'static str) -> Result<MmapMut, OutOfMemory> {
    check(purpose, length)?;
    let pages = usize::try_from(length).ok().and_then(|length| MmapMut::map_anon(length).ok());
    let pages = pages.ok_or_else(|| OutOfMemory::new(purpose, length))?;
    // Large pages halve the time; a system without them needs none.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Ok(pages)
}

/// A vector of `count` times the same.
///
/// # Errors
/// There is no memory.
pub fn filled<T: Clone>(value: T, count: usize, purpose: &'static str) -> Result<Vec<T>, OutOfMemory> {
    let mut values = vector(count, purpose)?;
    values.resize(count, value);
    Ok(values)
}

/// A vector of all `items`, of whatever number they are.
///
/// # Errors
/// There is no memory.
pub fn collect<T>(items: impl IntoIterator<Item = T>, purpose: &'static str) -> Result<Vec<T>, OutOfMemory> {
    let items = items.into_iter();
    let mut values = vector(items.size_hint().0, purpose)?;
    for item in items {
        push(&mut values, item, purpose)?;
    }
    Ok(values)
}

/// Adds an element; the vector grows by a part of its length, so that many of them cost little each.
///
/// # Errors
/// There is no memory.
#[inline]
pub fn push<T>(values: &mut Vec<T>, value: T, purpose: &'static str) -> Result<(), OutOfMemory> {
    if values.len() == values.capacity() {
        grow(values, 1, purpose)?;
    }
    values.push(value);
    Ok(())
}

/// Adds all of `slice`, as [`push`] does.
///
/// # Errors
/// There is no memory.
#[inline]
pub fn extend<T: Copy>(values: &mut Vec<T>, slice: &[T], purpose: &'static str) -> Result<(), OutOfMemory> {
    if values.capacity() - values.len() < slice.len() {
        grow(values, slice.len(), purpose)?;
    }
    values.extend_from_slice(slice);
    Ok(())
}

/// Room for `additional` elements and for some that may follow.
///
/// # Errors
/// There is no memory.
#[cold]
pub fn grow<T>(values: &mut Vec<T>, additional: usize, purpose: &'static str) -> Result<(), OutOfMemory> {
    let length = values.len().saturating_add(additional.max(values.len()));
    check(purpose, bytes::<T>(length))?;
    let reserved = trying(|| values.try_reserve(additional));
    reserved.map_err(|_| OutOfMemory::of::<T>(purpose, length))
}

/// The vectors one after the other.
///
/// # Errors
/// There is no memory.
pub fn concat<T: Copy>(parts: &[Vec<T>], purpose: &'static str) -> Result<Vec<T>, OutOfMemory> {
    let mut values = vector(parts.iter().map(Vec::len).sum(), purpose)?;
    parts.iter().for_each(|part| values.extend_from_slice(part));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_said() {
        let error = zeroed::<u64>(1 << 57, "the rows").unwrap_err();
        assert_eq!((error.needed, &*error.purpose), (1 << 60, "the rows"));
        assert!(error.to_string().starts_with("not enough memory for the rows: 1.0 EiB needed, "), "{error}");
        for error in [
            vector::<u8>(usize::MAX, "x").unwrap_err(),
            filled(1_u32, usize::MAX, "x").unwrap_err(),
            collect(std::iter::repeat_n([0_u64; 8], usize::MAX), "x").unwrap_err(),
        ] {
            assert!(error.needed >= 1 << 62, "{error:?}");
        }
    }

    #[test]
    fn what_can_be_had_is_there() {
        assert_eq!(zeroed::<u32>(3, "x").unwrap(), [0; 3]);
        assert_eq!(filled(7_u8, 3, "x").unwrap(), [7; 3]);
        assert_eq!(collect((0..100).filter(|number| number % 2 == 0), "x").unwrap().len(), 50);
        assert_eq!(concat(&[vec![1, 2], vec![], vec![3]], "x").unwrap(), [1, 2, 3]);
        let mut values = vec![1];
        extend(&mut values, &[2, 3], "x").unwrap();
        push(&mut values, 4, "x").unwrap();
        assert_eq!(values, [1, 2, 3, 4]);
        assert!(check("x", 1).is_ok());
    }

    #[test]
    fn sizes_are_said_in_units() {
        let said = [(0, "0 bytes"), (1023, "1023 bytes"), (1 << 10, "1.0 KiB"), (3 << 29, "1.5 GiB")];
        said.into_iter().for_each(|(bytes, words)| assert_eq!(Bytes(bytes).to_string(), words));
        assert_eq!(Bytes(u64::MAX).to_string(), "16.0 EiB");
    }
}
