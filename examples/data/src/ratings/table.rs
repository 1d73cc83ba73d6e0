//! Ratings in order of users and items.

use onyx_runtime::memory::{self, OutOfMemory};
use rayon::prelude::*;

/// What needs the memory.
const RATINGS: &str = "the ratings";

/// What a user thinks of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The user's number.
    pub user: u32,
    /// The item's number.
    pub item: u32,
    /// The rating, or how often or long the user had to do with the item.
    pub value: f32,
}

/// Ratings.
///
/// Invariant: ascending by user, then by item; each pair once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    ratings: Vec<Rating>,
}

impl Table {
    /// The ratings in any order. Of several ratings of one item by one user the last one counts, as a user may change his mind.
    ///
    /// # Errors
    /// There is no memory to sort them.
    pub fn new(ratings: Vec<Rating>) -> Result<Self, OutOfMemory> {
        let key = |rating: &Rating| (rating.user, rating.item);
        let mut ratings = if ratings.is_sorted_by_key(key) { ratings } else { sorted(&ratings)? };
        ratings.dedup_by(|later, earlier| {
            let is_again = key(later) == key(earlier);
            if is_again {
                earlier.value = later.value;
            }
            is_again
        });
        Ok(Self { ratings })
    }

    /// The ratings but those of 0, which as implicit feedback say that a user had nothing to do with an item.
    pub fn without_zeros(mut self) -> Self {
        self.ratings.retain(|rating| rating.value != 0.0);
        self
    }

    /// The ratings in order.
    pub fn ratings(&self) -> &[Rating] {
        &self.ratings
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ratings.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ratings.is_empty()
    }

    /// The ratings of each user who has any.
    pub fn by_user(&self) -> impl Iterator<Item = &[Rating]> {
        self.ratings.chunk_by(|a, b| a.user == b.user)
    }

    /// The ratings of one user.
    pub fn of_user(&self, user: u32) -> &[Rating] {
        let start = self.ratings.partition_point(|rating| rating.user < user);
        let length = self.ratings[start..].partition_point(|rating| rating.user == user);
        &self.ratings[start..start + length]
    }

    /// The mean of all ratings; 0 if there are none.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.ratings.iter().map(|rating| f64::from(rating.value)).sum();
        sum / self.ratings.len().max(1) as f64
    }

    /// The root of the mean square of how far ratings are from their mean; 0 if there are none.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.ratings.iter().map(|rating| (f64::from(rating.value) - mean).powi(2)).sum();
        (squares / self.ratings.len().max(1) as f64).sqrt()
    }
}

/// The ratings by user, then by item, those of one pair in the order given.
fn sorted(ratings: &[Rating]) -> Result<Vec<Rating>, OutOfMemory> {
    let users = ratings.iter().map(|rating| rating.user as usize + 1).max().unwrap_or(0);
    let mut places: Vec<usize> = memory::zeroed(users, RATINGS)?;
    ratings.iter().for_each(|rating| places[rating.user as usize] += 1);
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    let mut sorted = memory::filled(Rating { user: 0, item: 0, value: 0.0 }, ratings.len(), RATINGS)?;
    for rating in ratings {
        let place = &mut places[rating.user as usize];
        sorted[*place] = *rating;
        *place += 1;
    }
    // Stable, so that ratings of one pair stay in the order given.
    let users = sorted.par_chunk_by_mut(|one, other| one.user == other.user);
    users.for_each(|ratings| ratings.sort_by_key(|rating| rating.item));
    Ok(sorted)
}
