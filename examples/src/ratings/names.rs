//! The ids of users and items as files have them.

use std::collections::HashMap;

/// Names in order of their first appearance.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

/// The names of users and items, apart from each other.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The users.
    pub users: Names,
    /// The items.
    pub items: Names,
}

impl Names {
    /// The number of `name`, which is a new one if it is new.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The number of `name`, if it has one.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name with a number. Panics if there is none.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
