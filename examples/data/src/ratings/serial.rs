//! Alternating least squares on one thread in 64-bit floats.
//!
//! The factor x of a user or an item minimises the objective while all others stay, which a system of K equations says:
//!
//! ```text
//! explicit:  (Σ y·yᵀ + λ·I) x = Σ r·y                                  over the ratings r and the factors y at their other ends
//! implicit:  (Y·Yᵀ + Σ α·r·y·yᵀ + λ·I) x = Σ (1 + α·r)·y               Y has the factors of all of the other side
//! ```
//!
//! λ counts once for each rating if the regularisation is weighted. Implicit feedback is that of Y. Hu, Y. Koren and C. Volinsky,
//! "Collaborative Filtering for Implicit Feedback Datasets", 2008; the weights are those of Y. Zhou, D. Wilkinson, R. Schreiber and R. Pan,
//! "Large-scale Parallel Collaborative Filtering for the Netflix Prize", 2008.

use super::bipartite::{Bipartite, Side};
use super::cholesky;
use super::error::SolveError;
use super::factors::Factors;
use super::settings::{Feedback, Settings};

/// Factors while they are fitted.
#[derive(Debug)]
pub struct Serial<'a> {
    bipartite: &'a Bipartite,
    settings: Settings,
    /// The factors so far.
    pub factors: Factors,
}

impl<'a> Serial<'a> {
    /// Starts from `factors`.
    pub fn new(bipartite: &'a Bipartite, settings: Settings, factors: Factors) -> Self {
        Self { bipartite, settings, factors }
    }

    /// Fits all users, then all items.
    ///
    /// # Errors
    /// A system has no single solution.
    pub fn sweep(&mut self) -> Result<(), SolveError> {
        self.half_sweep(Side::Users)?;
        self.half_sweep(Side::Items)
    }

    /// Fits the factors of one side to those of the other.
    ///
    /// # Errors
    /// A system has no single solution.
    pub fn half_sweep(&mut self, side: Side) -> Result<(), SolveError> {
        let gram = self.shared_gram(side);
        for vertex in self.bipartite.vertices(side) {
            let factor = self.fitted(vertex, &gram)?;
            self.factors.row_mut(vertex).copy_from_slice(&factor);
        }
        Ok(())
    }

    /// Fits both sides at once, each to what the other was before. The objective may rise.
    ///
    /// # Errors
    /// A system has no single solution.
    pub fn fit_together(&mut self) -> Result<(), SolveError> {
        let mut next = self.factors.clone();
        for side in [Side::Users, Side::Items] {
            let gram = self.shared_gram(side);
            for vertex in self.bipartite.vertices(side) {
                next.row_mut(vertex).copy_from_slice(&self.fitted(vertex, &gram)?);
            }
        }
        self.factors = next;
        Ok(())
    }

    /// The part of the systems of one side that is the same for all its vertices.
    fn shared_gram(&self, side: Side) -> Vec<f64> {
        match self.settings.feedback {
            Feedback::Explicit => vec![0.0; self.factors.features * self.factors.features],
            Feedback::Implicit { .. } => gram(self.bipartite, &self.factors, side.other()),
        }
    }

    fn fitted(&self, vertex: u32, shared: &[f64]) -> Result<Vec<f64>, SolveError> {
        let features = self.factors.features;
        let (mut matrix, mut right) = (shared.to_vec(), vec![0.0; features]);
        for (other, rating) in self.bipartite.incoming(vertex) {
            let factor = self.factors.row(other);
            let (weight, pull) = weights(self.settings.feedback, f64::from(rating));
            add_outer(&mut matrix, weight, factor);
            right.iter_mut().zip(factor).for_each(|(right, factor)| *right += pull * factor);
        }
        let penalty = f64::from(self.settings.penalty(self.bipartite.graph.in_degree(vertex)));
        (0..features).for_each(|feature| matrix[feature * features + feature] += penalty);
        let is_solved = cholesky::solve(&matrix, &mut right);
        if is_solved { Ok(right) } else { Err(SolveError::Singular { vertex, lambda: self.settings.lambda }) }
    }
}

/// By how much a rating counts in the matrix and in the right side.
pub fn weights(feedback: Feedback, rating: f64) -> (f64, f64) {
    match feedback {
        Feedback::Explicit => (1.0, rating),
        Feedback::Implicit { alpha } => (f64::from(alpha) * rating, 1.0 + f64::from(alpha) * rating),
    }
}

/// The sum of the outer products of the factors of one side, row after row.
pub fn gram(bipartite: &Bipartite, factors: &Factors, side: Side) -> Vec<f64> {
    let mut gram = vec![0.0; factors.features * factors.features];
    bipartite.vertices(side).for_each(|vertex| add_outer(&mut gram, 1.0, factors.row(vertex)));
    gram
}

fn add_outer(matrix: &mut [f64], weight: f64, factor: &[f64]) {
    for (row, value) in matrix.chunks_exact_mut(factor.len()).zip(factor) {
        row.iter_mut().zip(factor).for_each(|(entry, other)| *entry += weight * value * other);
    }
}
