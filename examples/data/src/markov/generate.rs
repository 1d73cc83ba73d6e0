//! Random networks whose answer is known.

use std::ops::RangeInclusive;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::error::NetworkError;
use super::network::MarkovNetwork;
use super::table::Table;

/// The least potential that is drawn; the greatest is 1.
const LEAST: f64 = 0.05;

/// A random tree, or a part of one: variable v > 0 is joined with one below it. Belief propagation is exact there.
///
/// # Errors
/// No state is in `states`.
pub fn tree(variables: usize, states: RangeInclusive<usize>, seed: u64) -> Result<MarkovNetwork, NetworkError> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let states: Vec<usize> = (0..variables).map(|_| random.random_range(states.clone())).collect();
    let mut network = MarkovNetwork::new(&states)?;
    for variable in 0..variables {
        network.multiply_unary(variable, &potentials(&mut random, states[variable]))?;
        if variable > 0 {
            let parent = random.random_range(0..variable);
            let values = potentials(&mut random, states[parent] * states[variable]);
            network.multiply_pair(parent, variable, &values)?;
        }
    }
    Ok(network)
}

/// The form of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each variable is joined with any one before it.
    Random,
    /// Each variable is joined with the one before it.
    Path,
    /// All variables are joined with the first.
    Star,
}

impl Shape {
    fn parent(self, variable: usize, random: &mut Pcg64Mcg) -> usize {
        match self {
            Self::Random => random.random_range(0..variable),
            Self::Path => variable - 1,
            Self::Star => 0,
        }
    }
}

/// How potentials are drawn that span more than floats do.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The standard deviation of their logarithms, which are normally distributed.
    pub deviation: f64,
    /// The part of them that is 0. One joint state stays possible.
    pub zeros: f64,
}

impl Spread {
    /// A logarithm for each state, or joint state, of which one is never impossible.
    fn draw(self, random: &mut Pcg64Mcg, count: usize, possible: usize) -> Vec<f64> {
        let draw = |state| {
            let logarithm = self.deviation * normal(random);
            let is_zero = random.random::<f64>() < self.zeros && state != possible;
            if is_zero { f64::NEG_INFINITY } else { logarithm }
        };
        (0..count).map(draw).collect()
    }
}

/// A random tree with potentials of any size.
///
/// # Errors
/// No state is in `states`.
pub fn spread_tree(
    variables: usize,
    states: RangeInclusive<usize>,
    shape: Shape,
    spread: Spread,
    seed: u64,
) -> Result<MarkovNetwork, NetworkError> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let states: Vec<usize> = (0..variables).map(|_| random.random_range(states.clone())).collect();
    let possible: Vec<usize> = states.iter().map(|&states| random.random_range(0..states)).collect();
    let mut network = MarkovNetwork::new(&states)?;
    for (variable, &own) in states.iter().enumerate() {
        network.multiply_log_unary(variable, &spread.draw(&mut random, own, possible[variable]))?;
        if variable > 0 {
            let parent = shape.parent(variable, &mut random);
            let joint = possible[parent] * own + possible[variable];
            network.multiply_log_pair(parent, variable, &spread.draw(&mut random, states[parent] * own, joint))?;
        }
    }
    Ok(network)
}

/// A draw from the standard normal distribution, by Box and Muller.
pub fn normal(random: &mut Pcg64Mcg) -> f64 {
    let (radius, angle): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

fn potentials(random: &mut Pcg64Mcg, count: usize) -> Vec<f64> {
    (0..count).map(|_| random.random_range(LEAST..1.0)).collect()
}

/// The Potts model on a grid, for two states the Ising model: random unary potentials, and equal neighbors are e^strength times as likely.
///
/// # Errors
/// There are no states, or too many.
pub fn potts(width: u32, height: u32, states: usize, strength: f64, seed: u64) -> Result<MarkovNetwork, NetworkError> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let variables = width as usize * height as usize;
    let mut network = MarkovNetwork::new(&vec![states; variables])?;
    for variable in 0..variables {
        network.multiply_unary(variable, &potentials(&mut random, states))?;
    }
    network.join(&grid(width, height), &potts_table(states, strength)?)?;
    Ok(network)
}

/// A spin glass on a grid: variables of two states, of which a pair prefers equal or different ones by a draw of `strength`, and weak fields. Not all
/// preferences can be followed, so that belief propagation may have several fixed points, or never come to rest.
///
/// # Errors
/// There are too many variables.
pub fn glass(width: u32, height: u32, strength: f64, seed: u64) -> Result<MarkovNetwork, NetworkError> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut network = MarkovNetwork::new(&vec![2; width as usize * height as usize])?;
    for variable in 0..network.variable_count() {
        network.multiply_log_unary(variable, &[0.1 * normal(&mut random), 0.0])?;
    }
    for (one, other) in grid(width, height) {
        let preference = strength * normal(&mut random);
        network.multiply_log_pair(one as usize, other as usize, &[preference, 0.0, 0.0, preference])?;
    }
    Ok(network)
}

/// A Potts model whose answer is a pattern of stripes: each variable sees its stripe's state, or with probability `noise` another one.
///
/// Returns the network and the true states.
///
/// # Errors
/// There are fewer than two states, or too many.
pub fn stripes(
    width: u32,
    height: u32,
    states: usize,
    noise: f64,
    seed: u64,
) -> Result<(MarkovNetwork, Vec<usize>), NetworkError> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let variables = width as usize * height as usize;
    let mut network = MarkovNetwork::new(&vec![states; variables])?;
    let stripe = |variable: usize| (variable % width as usize) * states / width as usize;
    let truth: Vec<usize> = (0..variables).map(stripe).collect();
    for (variable, &state) in truth.iter().enumerate() {
        let is_wrong = states > 1 && random.random_bool(noise);
        let seen = if is_wrong { (state + random.random_range(1..states)) % states } else { state };
        let other = noise / (states.max(2) - 1) as f64;
        let row: Vec<f64> = (0..states).map(|state| if state == seen { 1.0 - noise } else { other }).collect();
        network.multiply_unary(variable, &row)?;
    }
    network.join(&grid(width, height), &potts_table(states, 1.5)?)?;
    Ok((network, truth))
}

/// The table of the Potts model: 1 for equal states, e^−strength for others.
///
/// # Errors
/// There are no states.
pub fn potts_table(states: usize, strength: f64) -> Result<Table, NetworkError> {
    let entries = (0..states * states).map(|entry| if entry % (states + 1) == 0 { 0.0 } else { -strength });
    let logarithms: Vec<f64> = entries.collect();
    Ok(Table::of_logarithms(states, states, &logarithms)?.0)
}

/// The pairs of neighbors on a grid, whose variables are numbered row after row.
pub fn grid(width: u32, height: u32) -> Vec<(u32, u32)> {
    let cells = (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    let pairs = cells.flat_map(move |(x, y)| {
        let cell = y * width + x;
        [(x + 1 < width).then_some((cell, cell + 1)), (y + 1 < height).then(|| (cell, cell + width))]
    });
    pairs.flatten().collect()
}
