//! The names in a part of a file, which borrow from it.

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use onyx_runtime::memory::{self, OutOfMemory};

use super::names::Names;

/// What needs the memory.
const NAMES: &str = "the ids of users and items";

/// Names in order of their first appearance.
#[derive(Debug, Default)]
pub struct Seen<'t> {
    names: Vec<Cow<'t, str>>,
    numbers: HashTable<u32>,
    hasher: RandomState,
    /// The number that was asked for last: users often have their ratings one after the other.
    last: u32,
}

impl<'t> Seen<'t> {
    /// The number of `name`, which is a new one if it is new.
    #[inline]
    pub fn number(&mut self, name: Cow<'t, str>) -> Result<u32, OutOfMemory> {
        if self.names.get(self.last as usize) != Some(&name) {
            let hash = self.hasher.hash_one(&*name);
            let found = self.numbers.find(hash, |number| self.names[*number as usize] == name).copied();
            self.last = match found {
                Some(number) => number,
                None => self.add(name, hash)?,
            };
        }
        Ok(self.last)
    }

    fn add(&mut self, name: Cow<'t, str>, hash: u64) -> Result<u32, OutOfMemory> {
        // A part has fewer lines than 32 bits can number, or there is no memory for its text.
        let number = self.names.len() as u32;
        memory::push(&mut self.names, name, NAMES)?;
        let Self { names, numbers, hasher, .. } = self;
        let hash_of = |number: &u32| hasher.hash_one(&*names[*number as usize]);
        let reserved = memory::trying(|| numbers.try_reserve(1, hash_of));
        reserved.map_err(|_| OutOfMemory::new(NAMES, 4 * names.len() as u64))?;
        numbers.insert_unique(hash, number, hash_of);
        Ok(number)
    }

    /// The number that each name has among `names`, to which new ones are added.
    pub fn joined(&self, names: &mut Names) -> Result<Vec<u32>, OutOfMemory> {
        let mut numbers = memory::vector(self.names.len(), NAMES)?;
        for name in &self.names {
            numbers.push(names.number(name)?);
        }
        Ok(numbers)
    }
}
