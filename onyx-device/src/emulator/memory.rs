//! The arrays that a launch may reach, by name.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::Access;

/// One array: its name, and the addresses from `begin` up to `end`.
#[derive(Clone, Debug)]
pub(super) struct Array {
    name: Rc<str>,
    begin: usize,
    end: usize,
    /// The bytes that hold nothing until they are stored; empty where all hold something. Launches write it, in all copies of the memory.
    empty: Rc<RefCell<Vec<bool>>>,
}

impl Array {
    fn new(name: impl Into<String>, begin: usize, bytes: usize) -> Self {
        Self { name: name.into().into(), begin, end: begin + bytes, empty: Rc::default() }
    }

    /// Whether an access finds what it reads. What is stored holds something from then on.
    pub(super) fn passes(&self, access: Access, addresses: Range<usize>) -> bool {
        let mut empty = self.empty.borrow_mut();
        let bytes = empty.get_mut(addresses.start - self.begin..addresses.end - self.begin);
        bytes.is_none_or(|bytes| {
            let is_found = !access.needs_value() || !bytes.contains(&true);
            bytes.fill(false);
            is_found
        })
    }
}

/// The arrays of a launch. An access outside of all of them is an error that names the nearest.
///
/// A clone knows the same arrays, and what is in them.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Ascending by address; arrays do not overlap.
    arrays: Vec<Array>,
}

/// Where an address lies: in an array, or beside the nearest one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The array's name; empty where there is no array at all.
    pub array: String,
    /// The distance from the array's beginning, in bytes; negative before it.
    pub offset: i64,
    /// The array's length in bytes.
    pub length: u64,
}

impl Memory {
    /// Adds the array of `bytes` bytes at `address`. An array of nothing is never reached, and not kept.
    pub fn add(&mut self, name: impl Into<String>, address: usize, bytes: usize) {
        if bytes > 0 {
            let at = self.arrays.partition_point(|array| array.begin < address);
            self.arrays.insert(at, Array::new(name, address, bytes));
        }
    }

    /// One array, which may be of nothing.
    pub(super) fn of(name: &str, addresses: Range<usize>) -> Self {
        Self { arrays: vec![Array::new(name, addresses.start, addresses.len())] }
    }

    /// Gives the array at `address` another name.
    pub fn rename(&mut self, address: usize, name: impl Into<String>) {
        if let Some(array) = self.arrays.iter_mut().find(|array| array.begin == address) {
            array.name = name.into().into();
        }
    }

    /// Takes from the arrays of this name what they hold: it is an error to read it before something is stored there.
    pub fn forget(&self, name: &str) {
        for array in self.arrays.iter().filter(|array| *array.name == *name) {
            *array.empty.borrow_mut() = vec![true; array.end - array.begin];
        }
    }

    /// Takes out the array at `address`.
    pub fn remove(&mut self, address: usize) {
        self.arrays.retain(|array| array.begin != address);
    }

    /// Whether `bytes` bytes at `address` lie inside of one array.
    pub fn contains(&self, address: usize, bytes: usize) -> bool {
        self.array_of(address..address + bytes).is_some()
    }

    /// The array in which all of these addresses lie.
    pub(super) fn array_of(&self, addresses: Range<usize>) -> Option<&Array> {
        let before = self.arrays.partition_point(|array| array.begin <= addresses.start);
        let array = &self.arrays[before.checked_sub(1)?];
        (addresses.end <= array.end).then_some(array)
    }

    /// The array that an address lies in, or the nearest one.
    pub fn place(&self, address: usize) -> Place {
        let distance = |array: &&Array| array.begin.saturating_sub(address).max(address.saturating_sub(array.end));
        let Some(array) = self.arrays.iter().min_by_key(distance) else {
            return Place { array: String::new(), offset: address as i64, length: 0 };
        };
        let offset = address.wrapping_sub(array.begin) as i64;
        Place { array: array.name.to_string(), offset, length: (array.end - array.begin) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Memory, Range};

    fn two() -> Memory {
        let mut memory = Memory::default();
        memory.add("label", 2000, 16);
        memory.add("weight", 1000, 8);
        memory.add("nothing", 1500, 0);
        memory
    }

    #[test]
    fn accesses_lie_inside_of_one_array() {
        let memory = two();
        assert!(memory.contains(1000, 8) && memory.contains(2012, 4));
        assert!(!memory.contains(1004, 8) && !memory.contains(999, 4) && !memory.contains(1500, 1));
    }

    #[test]
    fn the_nearest_array_is_named() {
        let place = two().place(2016);
        assert_eq!((place.array.as_str(), place.offset, place.length), ("label", 16, 16));
        let place = two().place(996);
        assert_eq!((place.array.as_str(), place.offset), ("weight", -4));
        assert_eq!(Memory::default().place(7).array, "");
    }

    #[test]
    fn arrays_are_renamed_and_removed() {
        let mut memory = two();
        memory.rename(1000, "mass");
        assert_eq!(memory.place(1000).array, "mass");
        memory.remove(1000);
        assert!(!memory.contains(1000, 4));
    }

    #[test]
    fn what_is_forgotten_must_be_stored_again() {
        let memory = two();
        let passes =
            |access, addresses: Range<usize>| memory.array_of(addresses.clone()).unwrap().passes(access, addresses);
        assert!(passes(Access::Load, 2000..2004));
        memory.forget("label");
        assert!(passes(Access::Load, 1000..1008) && passes(Access::Store, 2000..2004));
        assert!(passes(Access::Load, 2000..2004) && !passes(Access::Add, 2004..2008));
    }
}
