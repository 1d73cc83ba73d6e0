//! Ratings in order of users and items.

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
    pub fn new(mut ratings: Vec<Rating>) -> Self {
        // Stable, so that ratings of one pair stay in the order given.
        ratings.sort_by_key(|rating| (rating.user, rating.item));
        ratings.dedup_by(|later, earlier| {
            let is_again = (later.user, later.item) == (earlier.user, earlier.item);
            if is_again {
                earlier.value = later.value;
            }
            is_again
        });
        Self { ratings }
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
}
