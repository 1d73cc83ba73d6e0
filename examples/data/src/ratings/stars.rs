//! Ratings from one to five stars as people give them: what the defaults are chosen and tested on.
//!
//! Few items are known to nearly all, most to few, and some users rate ten times as much as others. Users differ in how strict they are, items in
//! how good, known ones are better, and less than a fifth of what is left is taste; the rest is mood. The shares are about those of the
//! hundred thousand ratings of MovieLens: F. M. Harper and J. A. Konstan, "The MovieLens Datasets: History and Context", 2015.

use std::f64::consts::TAU;

use onyx_runtime::memory::OutOfMemory;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::factors::dot;
use super::names::Catalog;
use super::table::{Rating, Table};

/// The mean of all ratings, but for known items.
const MEAN: f64 = 3.3;
/// The deviations of what a rating is made of.
const USER: f64 = 0.42;
const ITEM: f64 = 0.45;
const FAME: f64 = 0.25;
const TASTE: f64 = 0.45;
const MOOD: f64 = 0.82;
/// The numbers of a taste, of which each has half the square of the one before.
const TASTES: usize = 8;
/// The fewest ratings of a user.
const LEAST: f64 = 20.0;
/// The deviation of the logarithm of how much users rate.
const ACTIVITY: f64 = 0.9;
/// The weight of the item with rank r is 1 / (r + this part of all items).
const HEAD: f64 = 0.03;

/// What ratings are drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Stars {
    /// The number of users.
    pub users: usize,
    /// The number of items.
    pub items: usize,
    /// How many items a user rates, in the mean.
    pub each: usize,
    /// What everything is drawn with.
    pub seed: u64,
}

impl Default for Stars {
    fn default() -> Self {
        Self { users: 943, items: 1682, each: 106, seed: 0 }
    }
}

/// A user or an item.
struct Person {
    effect: f64,
    taste: Vec<f64>,
}

impl Stars {
    /// Draws ratings, with names for all users and items.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn draw(&self) -> Result<(Table, Catalog), OutOfMemory> {
        let random = &mut Pcg64Mcg::seed_from_u64(self.seed);
        let users: Vec<Person> = (0..self.users).map(|_| person(USER, random)).collect();
        let items: Vec<Person> = (0..self.items).map(|_| person(ITEM, random)).collect();
        let mut ratings = Vec::new();
        for (number, user) in (0..).zip(&users) {
            for item in self.known(random) {
                let value = self.rate(user, &items[item], item, random);
                ratings.push(Rating { user: number, item: item as u32, value });
            }
        }
        Ok((Table::new(ratings)?, Catalog::numbered(self.users, self.items)?))
    }

    /// The items that a user rates: no item twice, known ones first of all.
    fn known(&self, random: &mut Pcg64Mcg) -> Vec<usize> {
        let middle = (self.each as f64).ln() - ACTIVITY * ACTIVITY / 2.0;
        let count = (middle + ACTIVITY * normal(random)).exp().clamp(LEAST, self.items as f64 / 2.0) as usize;
        // The first of clocks that ring at random, each with the rate that is its item's weight.
        let mut clocks: Vec<(f64, usize)> = (0..self.items)
            .map(|item| (-random.random_range(f64::EPSILON..1.0_f64).ln() / self.weight(item), item))
            .collect();
        clocks.sort_by(|one, other| one.0.total_cmp(&other.0));
        clocks.iter().take(count).map(|clock| clock.1).collect()
    }

    fn weight(&self, item: usize) -> f64 {
        1.0 / (item as f64 + 1.0 + HEAD * self.items as f64)
    }

    fn rate(&self, user: &Person, item: &Person, rank: usize, random: &mut Pcg64Mcg) -> f32 {
        let fame = FAME * (1.5 - 3.0 * rank as f64 / self.items as f64);
        let like = MEAN + user.effect + item.effect + fame + TASTE * dot(&user.taste, &item.taste);
        (like + MOOD * normal(random)).round().clamp(1.0, 5.0) as f32
    }
}

fn person(deviation: f64, random: &mut Pcg64Mcg) -> Person {
    let effect = deviation * normal(random);
    // The squares of the products of two tastes are 1 in the mean.
    let whole: f64 = (0..TASTES).map(|taste| 0.5_f64.powi(taste as i32)).sum();
    let taste = (0..TASTES).map(|taste| (0.5_f64.powi(taste as i32) / whole).powf(0.25) * normal(random)).collect();
    Person { effect, taste }
}

/// A number with the mean 0 and the deviation 1, by the transformation of G. E. P. Box and M. E. Muller, 1958.
fn normal(random: &mut Pcg64Mcg) -> f64 {
    let (radius, angle) = (random.random_range(f64::EPSILON..1.0_f64), random.random_range(0.0..TAU));
    (-2.0 * radius.ln()).sqrt() * angle.cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_about_as_many_and_as_far_apart_as_those_of_movielens() {
        let (table, catalog) = Stars::default().draw().unwrap();
        assert_eq!((catalog.users.len(), catalog.items.len()), (943, 1682));
        assert!((90_000..120_000).contains(&table.len()), "{}", table.len());
        assert!((3.3..3.8).contains(&table.mean()), "{}", table.mean());
        assert!((1.05..1.2).contains(&table.deviation()), "{}", table.deviation());
        assert!(
            table.ratings().iter().all(|rating| (1.0..=5.0).contains(&rating.value) && rating.value.fract() == 0.0)
        );
        let mut degrees = vec![0; 1682];
        table.ratings().iter().for_each(|rating| degrees[rating.item as usize] += 1);
        degrees.sort_unstable();
        // There it is steeper: 583 of the most rated item, 27 of the one in the middle.
        assert!((300..800).contains(&degrees[1681]) && (18..40).contains(&degrees[841]), "{degrees:?}");
    }
}
