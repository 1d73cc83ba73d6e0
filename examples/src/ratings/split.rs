//! Ratings set apart to test with.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::table::{Rating, Table};

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
    pub fn by_rating(table: &Table, share: f64, seed: u64) -> Self {
        let mut ratings = table.ratings().to_vec();
        ratings.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        let test = ratings.split_off(ratings.len() - part(ratings.len(), share));
        Self { train: Table::new(ratings), test: Table::new(test) }
    }

    /// Leaves out a share of the ratings of each user, but never all: for implicit feedback.
    pub fn by_user(table: &Table, share: f64, seed: u64) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for ratings in table.by_user() {
            let mut ratings: Vec<Rating> = ratings.to_vec();
            ratings.shuffle(&mut random);
            test.extend(ratings.split_off(ratings.len() - part(ratings.len(), share)));
            train.extend(ratings);
        }
        Self { train: Table::new(train), test: Table::new(test) }
    }
}

/// A share of `count`, less than all.
fn part(count: usize, share: f64) -> usize {
    ((count as f64 * share).round() as usize).min(count.saturating_sub(1))
}
