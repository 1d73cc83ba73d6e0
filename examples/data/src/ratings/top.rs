//! The items that a user is likely to like best.

use super::bipartite::{Bipartite, Side};
use super::factors::Factors;
use super::table::Rating;

/// The factors of all items, a feature after the other, so that all items are scored at once.
#[derive(Debug)]
pub struct Ranking {
    columns: Vec<Vec<f32>>,
    items: usize,
}

impl Ranking {
    /// The ranking by `factors`.
    pub fn new(bipartite: &Bipartite, factors: &Factors) -> Self {
        let column =
            |feature: usize| bipartite.vertices(Side::Items).map(|item| factors.row(item)[feature] as f32).collect();
        Self { columns: (0..factors.features).map(column).collect(), items: bipartite.items() }
    }

    /// The `count` items with the greatest products with a user's factor, the greatest first, equal ones in order; without those that are
    /// `known`.
    pub fn top(&self, user: &[f64], known: &[Rating], count: usize) -> Vec<(u32, f32)> {
        let mut scores = self.scores(user);
        known.iter().for_each(|rating| scores[rating.item as usize] = f32::NEG_INFINITY);
        let mut items: Vec<(u32, f32)> = (0..).zip(scores).filter(|(_, score)| *score > f32::NEG_INFINITY).collect();
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if count < items.len() {
            items.select_nth_unstable_by(count, order);
            items.truncate(count);
        }
        items.sort_by(order);
        items
    }

    fn scores(&self, user: &[f64]) -> Vec<f32> {
        let mut scores = vec![0.0; self.items];
        for (column, feature) in self.columns.iter().zip(user) {
            let feature = *feature as f32;
            scores.iter_mut().zip(column).for_each(|(score, value)| *score += feature * value);
        }
        scores
    }
}
