//! The factors of users and items.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::bipartite::Bipartite;

/// A row of numbers for each vertex, users first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Factors {
    /// All rows, one after the other.
    pub values: Vec<f64>,
    /// The numbers in a row.
    pub features: usize,
}

impl Factors {
    /// What a run starts from: numbers between -1 / √K and 1 / √K, drawn with `seed`; zeros where there are no ratings. All are 32-bit floats.
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

/// The sum of the products.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
