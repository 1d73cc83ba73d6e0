//! What is expected of a rating before factors say more: the mean of all, and by how much a user's and an item's ratings differ from it.

use onyx_runtime::memory::{self, OutOfMemory};
use serde::Serialize;

use super::bipartite::{Bipartite, Side};
use super::factors::Factors;
use super::metric::{self, Errors};
use super::table::{Rating, Table};

/// What needs the memory.
const RATINGS: &str = "the ratings, less what is expected of them";
/// An effect counts as if it had as many ratings more, which are as expected: the square of the noise of a rating is about five times that of an effect.
const DAMPING: f64 = 5.0;
/// User and item effects are found in turn, each given the other, so many times.
const ROUNDS: usize = 10;

/// What is taken from ratings before factors are fitted to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// The mean, and what each user and each item is above or below it.
    Effects,
    /// The mean of all ratings.
    Mean,
    /// Nothing.
    Zero,
}

/// What is expected of each rating: the mean, and the sum of a user's and an item's effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    expected: Expected,
    /// The mean of all ratings.
    mean: f64,
    /// The mean, if it is expected, or 0.
    common: f64,
    users: Vec<f64>,
    items: Vec<f64>,
}

impl Baseline {
    /// What `table`'s ratings lead to expect of `users` users and `items` items. An effect is the mean of what the ratings have more than everything
    /// else expects, drawn towards zero where there are few.
    ///
    /// Y. Koren, "Factor in the Neighbors: Scalable and Accurate Collaborative Filtering", 2010, section 2.1, has the same effects by gradient descent.
    ///
    /// # Errors
    /// There is no memory for the effects.
    pub fn learn(expected: Expected, table: &Table, users: usize, items: usize) -> Result<Self, OutOfMemory> {
        let mean = table.mean();
        let common = if expected == Expected::Zero { 0.0 } else { mean };
        let zeros = |count| memory::zeroed(count, RATINGS);
        let mut baseline = Self { expected, mean, common, users: zeros(users)?, items: zeros(items)? };
        if expected == Expected::Effects {
            for round in 0..2 * ROUNDS {
                baseline.fit(table, [Side::Items, Side::Users][round % 2])?;
            }
        }
        Ok(baseline)
    }

    /// Fits the effects of one side, given those of the other.
    fn fit(&mut self, table: &Table, side: Side) -> Result<(), OutOfMemory> {
        let effects = if side == Side::Users { &mut self.users } else { &mut self.items };
        effects.fill(0.0);
        let mut counts: Vec<f64> = memory::filled(DAMPING, effects.len(), RATINGS)?;
        let mut sums: Vec<f64> = memory::zeroed(counts.len(), RATINGS)?;
        for rating in table.ratings() {
            let index = if side == Side::Users { rating.user } else { rating.item } as usize;
            sums[index] += f64::from(rating.value) - self.of(rating);
            counts[index] += 1.0;
        }
        let effects = if side == Side::Users { &mut self.users } else { &mut self.items };
        let means = sums.iter().zip(counts).map(|(sum, count)| sum / count);
        effects.iter_mut().zip(means).for_each(|(effect, mean)| *effect = mean);
        Ok(())
    }

    /// What is taken from ratings.
    pub fn expected(&self) -> Expected {
        self.expected
    }

    /// What is expected of a rating, whatever its value.
    pub fn of(&self, rating: &Rating) -> f64 {
        self.common + self.users[rating.user as usize] + self.items[rating.item as usize]
    }

    /// The ratings, less what is expected of them.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn left(&self, table: &Table) -> Result<Table, OutOfMemory> {
        let left = |rating: &Rating| Rating { value: (f64::from(rating.value) - self.of(rating)) as f32, ..*rating };
        Table::new(memory::collect(table.ratings().iter().map(left), RATINGS)?)
    }

    /// Factors whose products are ratings, given those whose products are what is left: with two numbers more, unless nothing is expected. These are a
    /// user's effect and 1, and for an item 1 and its effect with the mean.
    pub fn extended(&self, bipartite: &Bipartite, factors: &Factors) -> Factors {
        if self.expected == Expected::Zero {
            return factors.clone();
        }
        let features = factors.features + 2;
        let mut values = Vec::with_capacity(bipartite.graph.vertex_count() * features);
        let users = self.users.iter().map(|effect| [*effect, 1.0]);
        let items = self.items.iter().map(|effect| [1.0, self.common + effect]);
        for (vertex, more) in (0..).zip(users.chain(items)) {
            values.extend(factors.row(vertex).iter().chain(&more));
        }
        Factors { values, features }
    }

    /// How well `ratings` are predicted by what is expected of them and the products of factors. Where nothing is expected, users and items that
    /// nothing was learned about are predicted to have the mean rating. None if there are no ratings.
    pub fn errors(&self, bipartite: &Bipartite, factors: &Factors, ratings: &Table) -> Option<Errors> {
        if self.expected == Expected::Zero {
            return metric::errors(bipartite, factors, self.mean, ratings);
        }
        let item = |rating: &Rating| bipartite.users() as u32 + rating.item;
        metric::errors_of(ratings, |rating| self.of(rating) + factors.product(rating.user, item(rating)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rating = |user, item, value| Rating { user, item, value };
        let ratings =
            [(0, 0, 5.0), (0, 1, 4.0), (1, 0, 3.0), (1, 1, 2.0)].map(|(user, item, value)| rating(user, item, value));
        Table::new(ratings.to_vec()).unwrap()
    }

    #[test]
    fn effects_lie_between_nothing_and_the_difference_of_means() {
        let baseline = Baseline::learn(Expected::Effects, &table(), 3, 2).unwrap();
        // The user is one star above the mean, of two ratings, and the item half a star.
        let (user, item) = (1.0 * 2.0 / (2.0 + DAMPING), 0.5 * 2.0 / (2.0 + DAMPING));
        assert!((baseline.users[0] - user).abs() < 1e-9 && (baseline.users[1] + user).abs() < 1e-9, "{baseline:?}");
        assert!((baseline.items[0] - item).abs() < 1e-9 && (baseline.mean - 3.5).abs() < 1e-9, "{baseline:?}");
        assert_eq!(baseline.users[2], 0.0);
    }

    #[test]
    fn extended_factors_give_what_is_expected_and_what_is_left() {
        let table = table();
        for expected in [Expected::Effects, Expected::Mean, Expected::Zero] {
            let baseline = Baseline::learn(expected, &table, 2, 2).unwrap();
            let bipartite = Bipartite::new(&baseline.left(&table).unwrap(), 2, 2).unwrap();
            let factors = Factors { values: vec![1.0, 2.0, 3.0, 4.0], features: 1 };
            let extended = baseline.extended(&bipartite, &factors);
            for (rating, left) in table.ratings().iter().zip(baseline.left(&table).unwrap().ratings()) {
                let product = factors.product(rating.user, 2 + rating.item);
                let predicted = extended.product(rating.user, 2 + rating.item);
                assert!((predicted - product - baseline.of(rating)).abs() < 1e-12);
                assert!((f64::from(rating.value - left.value) - baseline.of(rating)).abs() < 1e-6);
            }
        }
    }
}
