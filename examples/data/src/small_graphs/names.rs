//! The numbers by which files name tags and classes.

use onyx_runtime::memory::{self, OutOfMemory};

/// What needs the memory.
const NAMES: &str = "the tags and classes of the graphs";

/// Names of any kind, numbered from 0 in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The number of each that was named.
    pub numbers: Vec<u32>,
    /// The name of each number, ascending.
    pub names: Vec<i64>,
}

impl Named {
    /// Numbers what has the names `given`.
    pub fn new(given: &[i64]) -> Result<Self, OutOfMemory> {
        let mut names = memory::collect(given.iter().copied(), NAMES)?;
        names.sort_unstable();
        names.dedup();
        // Every name is there, so that the place where it would be is where it is.
        let number = |name: &i64| names.partition_point(|other| other < name) as u32;
        Ok(Self { numbers: memory::collect(given.iter().map(number), NAMES)?, names })
    }
}
