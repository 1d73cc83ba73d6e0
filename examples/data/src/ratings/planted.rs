//! Ratings made of factors that are known: what runs without a file, and what tests recover.

use onyx_runtime::memory::OutOfMemory;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::names::Catalog;
use super::settings::Feedback;
use super::table::{Rating, Table};

/// What tells the numbers drawn here from those that a run draws with the same seed.
const STREAM: u64 = 0x0a15;

/// What ratings are drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of users.
    pub users: usize,
    /// The number of items.
    pub items: usize,
    /// The numbers in a planted factor.
    pub features: usize,
    /// The share of all items that a user rates, or takes.
    pub share: f64,
    /// The greatest error of a rating.
    pub noise: f32,
    /// What everything is drawn with.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self { users: 120, items: 80, features: 4, share: 0.4, noise: 0.1, seed: 0 }
    }
}

impl Plan {
    /// Draws ratings, with names for all users and items.
    ///
    /// Explicit ratings are the products of planted factors, with noise, of items drawn at random. Implicit ones say that a user took the
    /// items with the greatest products, from one to five times.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn draw(&self, feedback: Feedback) -> Result<(Table, Catalog), OutOfMemory> {
        let mut random = Pcg64Mcg::seed_from_u64(self.seed ^ STREAM);
        let [users, items] = [self.users, self.items].map(|count| self.rows(count, &mut random));
        let mut ratings = Vec::new();
        for (user, factor) in (0..).zip(&users) {
            let products: Vec<f32> = items.iter().map(|item| dot(factor, item)).collect();
            match feedback {
                Feedback::Explicit => self.rate(user, &products, &mut random, &mut ratings),
                Feedback::Implicit { .. } => self.take(user, &products, &mut random, &mut ratings),
            }
        }
        Ok((Table::new(ratings)?, Catalog::numbered(self.users, self.items)?))
    }

    fn rows(&self, count: usize, random: &mut Pcg64Mcg) -> Vec<Vec<f32>> {
        (0..count).map(|_| (0..self.features).map(|_| random.random_range(-1.0..1.0)).collect()).collect()
    }

    fn rate(&self, user: u32, products: &[f32], random: &mut Pcg64Mcg, ratings: &mut Vec<Rating>) {
        for (item, product) in (0..).zip(products) {
            let (is_rated, noise) = (random.random_bool(self.share), random.random_range(-1.0..1.0) * self.noise);
            ratings.extend(is_rated.then_some(Rating { user, item, value: product + noise }));
        }
    }

    fn take(&self, user: u32, products: &[f32], random: &mut Pcg64Mcg, ratings: &mut Vec<Rating>) {
        let mut order: Vec<u32> = (0..products.len() as u32).collect();
        order.sort_by(|a, b| products[*b as usize].total_cmp(&products[*a as usize]));
        // Some take little, others much.
        let count = (products.len() as f64 * self.share * random.random_range(0.25..1.0)) as usize;
        let taken = order.iter().take(count.max(1));
        ratings.extend(taken.map(|&item| Rating { user, item, value: random.random_range(1..=5_u8).into() }));
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
