//! Ratings set apart to test with.

use std::ops::Range;

use onyx_runtime::memory::{self, OutOfMemory};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::table::{Rating, Table};

/// What needs the memory.
const RATINGS: &str = "the ratings to test with";

/// Ratings to learn from, and ratings to test with.
#[derive(Clone, Debug)]
pub struct Split {
    /// To learn from.
    pub train: Table,
    /// To test with.
    pub test: Table,
}

impl Split {
    /// Draws a share of all ratings to test with, whose ever they are: for explicit feedback.
    ///
    /// # Errors
    /// There is no memory to split them.
    pub fn by_rating(table: &Table, share: f64, seed: u64) -> Result<Self, OutOfMemory> {
        let mut drawn = Drawn::new(table, seed)?;
        drawn.draw(0..table.len(), share)?;
        drawn.split()
    }

    /// Leaves out a share of the ratings of each user, but never all: for implicit feedback.
    ///
    /// # Errors
    /// There is no memory to split them.
    pub fn by_user(table: &Table, share: f64, seed: u64) -> Result<Self, OutOfMemory> {
        let mut drawn = Drawn::new(table, seed)?;
        let mut begin = 0;
        for ratings in table.by_user() {
            drawn.draw(begin..begin + ratings.len(), share)?;
            begin += ratings.len();
        }
        drawn.split()
    }
}

/// The ratings of a table, some of which were drawn.
struct Drawn<'a> {
    table: &'a Table,
    random: Pcg64Mcg,
    /// By rating, whether it was drawn.
    is_test: Vec<u8>,
}

impl<'a> Drawn<'a> {
    fn new(table: &'a Table, seed: u64) -> Result<Self, OutOfMemory> {
        let is_test = memory::zeroed(table.len(), RATINGS)?;
        Ok(Self { table, random: Pcg64Mcg::seed_from_u64(seed), is_test })
    }

    /// Draws a share of the ratings at the `places`.
    fn draw(&mut self, places: Range<usize>, share: f64) -> Result<(), OutOfMemory> {
        let left = places.len() - part(places.len(), share);
        let mut places = memory::collect(places, RATINGS)?;
        places.shuffle(&mut self.random);
        places[left..].iter().for_each(|place| self.is_test[*place] = 1);
        Ok(())
    }

    /// The ratings that were not drawn, and those that were; both are in order, as the table is.
    fn split(self) -> Result<Split, OutOfMemory> {
        let test = self.is_test.iter().filter(|is_test| **is_test == 1).count();
        let (mut train, mut tests) =
            (memory::vector(self.table.len() - test, RATINGS)?, memory::vector(test, RATINGS)?);
        for (rating, is_test) in self.table.ratings().iter().zip(self.is_test) {
            let ratings: &mut Vec<Rating> = if is_test == 1 { &mut tests } else { &mut train };
            ratings.push(*rating);
        }
        Ok(Split { train: Table::new(train)?, test: Table::new(tests)? })
    }
}

/// A share of `count`, less than all.
fn part(count: usize, share: f64) -> usize {
    ((count as f64 * share).round() as usize).min(count.saturating_sub(1))
}
