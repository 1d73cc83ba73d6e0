//! The factors of users and items.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::bipartite::Bipartite;
use super::settings::{Feedback, Settings};

/// A row of numbers for each vertex, users first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Factors {
    /// All rows, one after the other.
    pub values: Vec<f64>,
    /// The numbers in a row.
    pub features: usize,
}

impl Factors {
    /// What a run starts from: [`initial`](Self::initial) factors, of explicit ratings times the root of how large these are, so that products are as large.
    /// With ratings and lambda multiplied by one number, a run does the same but for scale.
    pub fn start(bipartite: &Bipartite, settings: &Settings) -> Self {
        let mut factors = Self::initial(bipartite, settings.features, settings.seed);
        let size = if settings.feedback == Feedback::Explicit { size(bipartite.ratings()) } else { 1.0 };
        let scale = size.sqrt() as f32;
        factors.values.iter_mut().for_each(|value| *value = f64::from(*value as f32 * scale));
        factors
    }

    /// Numbers between -1 / √K and 1 / √K, drawn with `seed`; zeros where there are no ratings. All are 32-bit floats.
    pub fn initial(bipartite: &Bipartite, features: usize, seed: u64) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let greatest = 1.0 / (features.max(1) as f32).sqrt();
        let mut values = Vec::with_capacity(bipartite.graph.vertex_count() * features);
        for vertex in 0..bipartite.graph.vertex_count() as u32 {
            let is_rated = bipartite.graph.in_degree(vertex) > 0;
            // Drawn in any case, so that a vertex's factor does not depend on which others are rated.
            let row = (0..features).map(|_| random.random_range(-greatest..greatest));
            values.extend(row.map(|value| if is_rated { f64::from(value) } else { 0.0 }));
        }
        Self { values, features }
    }

    /// The factor of a vertex.
    pub fn row(&self, vertex: u32) -> &[f64] {
        &self.values[vertex as usize * self.features..][..self.features]
    }

    /// The factor of a vertex, to be set.
    pub fn row_mut(&mut self, vertex: u32) -> &mut [f64] {
        &mut self.values[vertex as usize * self.features..][..self.features]
    }

    /// The product of two factors: what the one thinks of the other.
    pub fn product(&self, one: u32, other: u32) -> f64 {
        dot(self.row(one), self.row(other))
    }

    /// Whether each number is one.
    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|value| value.is_finite())
    }
}

/// The root of the mean of the squares, or 1 where that is 0.
fn size(ratings: &[f32]) -> f64 {
    let squares: f64 = ratings.iter().map(|rating| f64::from(*rating).powi(2)).sum();
    let size = (squares / ratings.len() as f64).sqrt();
    if size > 0.0 { size } else { 1.0 }
}

/// The sum of the products.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
