//! A distribution for each variable.

use super::error::NetworkError;
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
    /// # Errors
    /// There are not as many shares as states.
    pub fn new(network: &MarkovNetwork, shares: Vec<f64>) -> Result<Self, NetworkError> {
        let offsets = network.offsets().to_vec();
        let (found, expected) = (shares.len(), offsets.last().copied().unwrap_or(0));
        if found == expected { Ok(Self { offsets, shares }) } else { Err(NetworkError::Shares { found, expected }) }
    }

    /// The beliefs in rows of `width`, of which those of a variable's own states are kept.
    ///
    /// # Errors
    /// There is not a row of as many shares for each variable.
    pub fn of_rows(network: &MarkovNetwork, rows: &[f32], width: usize) -> Result<Self, NetworkError> {
        let rows = rows.chunks_exact(width.max(1)).zip(0..network.variable_count());
        let shares = rows.flat_map(|(row, variable)| row.iter().take(network.states(variable)).copied().map(f64::from));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_another_network_are_refused() {
        let network = MarkovNetwork::new(&[2, 3]).unwrap();
        let refused = Beliefs::new(&network, vec![0.5; 4]).unwrap_err();
        assert_eq!(refused, NetworkError::Shares { found: 4, expected: 5 });
        let rows = |width, rows: &[f32]| Beliefs::of_rows(&network, rows, width).map(|beliefs| beliefs.shares.len());
        assert_eq!(rows(3, &[0.5; 6]), Ok(5));
        for (width, found) in [(0, 2), (2, 4), (6, 2)] {
            assert_eq!(rows(width, &[0.5; 6]), Err(NetworkError::Shares { found, expected: 5 }), "{width}");
        }
    }
}
