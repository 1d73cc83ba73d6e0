//! The ids of users and items as files have them.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use onyx_runtime::memory::{self, OutOfMemory};

/// What needs the memory.
const NAMES: &str = "the ids of users and items";

/// Names in order of their first appearance.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// All names, one after the other.
    text: String,
    /// Where each name ends.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

/// The names of users and items, apart from each other.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The users.
    pub users: Names,
    /// The items.
    pub items: Names,
}

impl Catalog {
    /// Users u1, u2 and so on, and items i1, i2 and so on.
    ///
    /// # Errors
    /// There is no memory for the names.
    pub fn numbered(users: usize, items: usize) -> Result<Self, OutOfMemory> {
        let mut catalog = Self::default();
        (1..=users).try_for_each(|user| catalog.users.number(&format!("u{user}")).map(drop))?;
        (1..=items).try_for_each(|item| catalog.items.number(&format!("i{item}")).map(drop))?;
        Ok(catalog)
    }
}

impl Names {
    /// The number of `name`, which is a new one if it is new.
    ///
    /// # Errors
    /// There is no memory for a new name, or there are as many as 32 bits can number.
    pub fn number(&mut self, name: &str) -> Result<u32, OutOfMemory> {
        match self.find(name) {
            Some(number) => Ok(number),
            None => self.add(name),
        }
    }

    fn add(&mut self, name: &str) -> Result<u32, OutOfMemory> {
        let no_memory =
            OutOfMemory { purpose: NAMES.into(), needed: (self.text.len() + name.len()) as u64, available: None };
        let Ok(number) = u32::try_from(self.ends.len()) else { return Err(no_memory) };
        memory::trying(|| self.text.try_reserve(name.len())).map_err(|_| no_memory.clone())?;
        memory::push(&mut self.ends, self.text.len() + name.len(), NAMES)?;
        self.text.push_str(name);
        let Self { text, ends, numbers, hasher } = self;
        let hash = |number: &u32| hasher.hash_one(name_of(text, ends, *number));
        memory::trying(|| numbers.try_reserve(1, hash)).map_err(|_| no_memory)?;
        numbers.insert_unique(hash(&number), number, hash);
        Ok(number)
    }

    /// The number of `name`, if it has one.
    pub fn find(&self, name: &str) -> Option<u32> {
        let is_name = |number: &u32| name_of(&self.text, &self.ends, *number) == name;
        self.numbers.find(self.hasher.hash_one(name), is_name).copied()
    }

    /// The name with a number. Panics if there is none.
    pub fn name(&self, number: u32) -> &str {
        name_of(&self.text, &self.ends, number)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn name_of<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &text[start..ends[number]]
}
