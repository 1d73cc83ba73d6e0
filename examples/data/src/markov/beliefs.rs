//! A distribution for each variable.

use super::messages::greatest;
use super::network::MarkovNetwork;

/// What is believed of each variable: a share for each of its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Beliefs {
    offsets: Vec<usize>,
    shares: Vec<f64>,
}

impl Beliefs {
    /// The shares of all states of all variables of a network, in order.
    ///
    /// # Panics
    /// There are not as many shares as states.
    pub fn new(network: &MarkovNetwork, shares: Vec<f64>) -> Self {
        let offsets = network.offsets().to_vec();
        assert_eq!(offsets.last(), Some(&shares.len()), "a share for each state");
        Self { offsets, shares }
    }

    /// The beliefs in rows of `width`, of which those of a variable's own states are kept.
    pub fn of_rows(network: &MarkovNetwork, rows: &[f32], width: usize) -> Self {
        let rows = rows.chunks_exact(width).enumerate();
        let shares = rows.flat_map(|(variable, row)| row[..network.states(variable)].iter().copied().map(f64::from));
        Self::new(network, shares.collect())
    }

    /// The number of variables.
    pub fn variable_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The shares of a variable's states.
    pub fn row(&self, variable: usize) -> &[f64] {
        &self.shares[self.offsets[variable]..self.offsets[variable + 1]]
    }

    /// All rows, variable after variable.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.variable_count()).map(|variable| self.row(variable))
    }

    /// The state with the greatest share of each variable, the lowest of equal ones.
    pub fn assignment(&self) -> Vec<usize> {
        self.rows().map(greatest).collect()
    }

    /// How far these beliefs are from others of the same network.
    pub fn distance(&self, other: &Self) -> Distance {
        let differences: Vec<f64> = self.shares.iter().zip(&other.shares).map(|(a, b)| (a - b).abs()).collect();
        // Unlike f64::max, this keeps a difference that is not a number.
        let worse = |most, &next: &f64| if next > most || next.is_nan() { next } else { most };
        let greatest = differences.iter().fold(0.0, worse);
        Distance { greatest, mean: differences.iter().sum::<f64>() / differences.len().max(1) as f64 }
    }
}

/// How far two lists of beliefs are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The greatest difference of a share.
    pub greatest: f64,
    /// The mean difference of a share.
    pub mean: f64,
}
