//! Exact answers of small networks, by going through all joint states.

use super::beliefs::Beliefs;
use super::error::NetworkError;
use super::network::MarkovNetwork;

/// More joint states than this take too long.
const GREATEST_STATES: usize = 1 << 22;

/// What is true of a network.
#[derive(Clone, Debug)]
pub struct Exact {
    /// The distribution of each variable.
    pub marginals: Beliefs,
    /// The most probable joint state, the first of equal ones.
    pub assignment: Vec<usize>,
    /// The logarithm of the sum of all products of factors.
    pub log_partition: f64,
}

/// Goes through all joint states, twice: the most probable one is the scale of the others.
///
/// # Errors
/// There are too many, or none is possible.
pub fn enumerate(network: &MarkovNetwork) -> Result<Exact, NetworkError> {
    check_size(network)?;
    let (mut assignment, mut greatest) = (Vec::new(), f64::NEG_INFINITY);
    for_each_state(network, |state, score| {
        if score > greatest {
            (greatest, assignment) = (score, state.to_vec());
        }
    });
    if greatest == f64::NEG_INFINITY {
        return Err(NetworkError::Contradiction);
    }
    let (mut shares, mut total) = (vec![0.0; network.offsets().last().copied().unwrap_or(0)], 0.0);
    for_each_state(network, |state, score| {
        let weight = (score - greatest).exp();
        total += weight;
        state.iter().enumerate().for_each(|(variable, own)| shares[network.offsets()[variable] + own] += weight);
    });
    shares.iter_mut().for_each(|share| *share /= total);
    Ok(Exact { marginals: Beliefs::new(network, shares)?, assignment, log_partition: greatest + total.ln() })
}

/// Calls `visit` with each joint state and the logarithm of its product of factors.
fn for_each_state(network: &MarkovNetwork, mut visit: impl FnMut(&[usize], f64)) {
    let mut state = vec![0; network.variable_count()];
    loop {
        visit(&state, network.log_score(&state));
        if !advance(network, &mut state) {
            return;
        }
    }
}

fn check_size(network: &MarkovNetwork) -> Result<(), NetworkError> {
    let mut sizes = (0..network.variable_count()).map(|variable| network.states(variable));
    let product = sizes.try_fold(1usize, |product, states| product.checked_mul(states));
    match product {
        Some(product) if product <= GREATEST_STATES => Ok(()),
        _ => Err(NetworkError::TooManyStates { limit: GREATEST_STATES }),
    }
}

/// Goes on to the next joint state; false after the last one.
fn advance(network: &MarkovNetwork, state: &mut [usize]) -> bool {
    for (variable, own) in state.iter_mut().enumerate().rev() {
        *own += 1;
        if *own < network.states(variable) {
            return true;
        }
        *own = 0;
    }
    false
}
