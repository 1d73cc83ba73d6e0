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

/// Goes through all joint states.
///
/// # Errors
/// There are too many, or none is possible.
pub fn enumerate(network: &MarkovNetwork) -> Result<Exact, NetworkError> {
    check_size(network)?;
    let mut state = vec![0; network.variable_count()];
    let mut shares = vec![0.0; network.offsets().last().copied().unwrap_or(0)];
    let (mut assignment, mut greatest, mut total) = (state.clone(), 0.0, 0.0);
    loop {
        let weight = weight(network, &state);
        total += weight;
        state.iter().enumerate().for_each(|(variable, own)| shares[network.offsets()[variable] + own] += weight);
        if weight > greatest {
            (greatest, assignment) = (weight, state.clone());
        }
        if !advance(network, &mut state) {
            break;
        }
    }
    if total == 0.0 {
        return Err(NetworkError::Contradiction);
    }
    shares.iter_mut().for_each(|share| *share /= total);
    let log_partition = total.ln() + network.log_scale();
    Ok(Exact { marginals: Beliefs::new(network, shares), assignment, log_partition })
}

fn check_size(network: &MarkovNetwork) -> Result<(), NetworkError> {
    let mut sizes = (0..network.variable_count()).map(|variable| network.states(variable));
    let product = sizes.try_fold(1usize, |product, states| product.checked_mul(states));
    match product {
        Some(product) if product <= GREATEST_STATES => Ok(()),
        _ => Err(NetworkError::TooManyStates { limit: GREATEST_STATES }),
    }
}

/// The product of all potentials of a joint state, up to a factor.
fn weight(network: &MarkovNetwork, state: &[usize]) -> f64 {
    let unary: f64 = state.iter().enumerate().map(|(variable, &own)| network.unary(variable)[own]).product();
    let pairs = network.pairs().iter();
    let potentials =
        pairs.map(|&pair| network.table(pair).get(state[pair.first as usize], state[pair.second as usize]));
    unary * potentials.product::<f64>()
}

/// Goes on to the next joint state; false behind the last one.
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
