//! The network of a noisy picture, and the picture of a network's answer.
//!
//! Each sample of each channel is a variable whose states are grey levels:
//!
//! ```text
//! φ_v(l)    = exp(−(sample(v) − grey(l))² / 2 deviation²)                        what the noise says
//! ψ(k, l)   = exp(−smoothness · min(|grey(k) − grey(l)|, step) / deviation)       what neighbors say: equal, or an edge
//! ```

use std::fs;

use super::error::ImageError;
use super::picture::{Picture, colors};
use onyx_examples::belief_propagation::greatest_states;
use onyx_examples::markov::generate::grid;
use onyx_examples::markov::{Beliefs, MarkovNetwork, Table};

/// What is known of the picture.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The grey levels of a channel, K.
    pub levels: usize,
    /// The standard deviation of the noise, in steps of 1 of 255.
    pub deviation: f64,
    /// How much neighbors want to be alike.
    pub smoothness: f64,
    /// The difference of neighbors from which on a greater one is no less likely.
    pub step: f64,
}

impl Model {
    /// What suits most pictures with noise of this deviation.
    pub fn new(levels: usize, deviation: f64) -> Self {
        Self { levels, deviation, smoothness: 1.0, step: 60.0 }
    }

    /// Refuses a number of levels that is none.
    ///
    /// # Errors
    /// Fewer than 2 levels, or more than a variable may have states.
    pub fn check(&self) -> Result<(), ImageError> {
        let (levels, limit) = (self.levels, greatest_states());
        if (2..=limit).contains(&levels) { Ok(()) } else { Err(ImageError::Levels { levels, limit }) }
    }

    /// The grey of a level, between 0 and 255.
    pub fn grey(&self, level: usize) -> f64 {
        255.0 * level as f64 / (self.levels - 1) as f64
    }

    /// The network of a noisy picture: each color has a grid of its own, one after the other.
    ///
    /// # Errors
    /// The number of levels is none.
    pub fn network(&self, picture: &Picture) -> Result<MarkovNetwork, ImageError> {
        self.check()?;
        let planes = picture.planes();
        let mut network = MarkovNetwork::new(&vec![self.levels; planes.len()])?;
        for (variable, &sample) in planes.iter().enumerate() {
            network.multiply_log_unary(variable, &self.log_unary(sample))?;
        }
        let pairs = grid(picture.width, picture.height);
        let pixels = picture.pixels() as u32;
        let pairs: Vec<_> = (0..picture.colors() as u32)
            .flat_map(|color| pairs.iter().map(move |(one, other)| (one + color * pixels, other + color * pixels)))
            .collect();
        network.join(&pairs, &self.table()?)?;
        Ok(network)
    }

    /// How likely each level is where this noisy sample was seen, as logarithms.
    fn log_unary(&self, sample: u8) -> Vec<f64> {
        let distance = |level| (f64::from(sample) - self.grey(level)) / self.deviation;
        (0..self.levels).map(|level| -0.5 * distance(level).powi(2)).collect()
    }

    fn table(&self) -> Result<Table, ImageError> {
        let levels = 0..self.levels;
        let entries = levels.clone().flat_map(|row| levels.clone().map(move |column| (row, column)));
        let logarithms: Vec<f64> = entries
            .map(|(row, column)| (self.grey(row) - self.grey(column)).abs().min(self.step))
            .map(|difference| -self.smoothness * difference / self.deviation)
            .collect();
        Ok(Table::of_logarithms(self.levels, self.levels, &logarithms)?.0)
    }

    /// The picture of marginals: at each sample the mean grey, which lies between the levels.
    pub fn mean(&self, noisy: &Picture, beliefs: &Beliefs) -> Picture {
        let mean = |row: &[f64]| row.iter().enumerate().map(|(level, share)| share * self.grey(level)).sum::<f64>();
        let planes: Vec<u8> = beliefs.rows().map(|row| mean(row).round() as u8).collect();
        noisy.with_planes(&planes)
    }

    /// The picture of an assignment.
    pub fn picture(&self, noisy: &Picture, assignment: &[usize]) -> Picture {
        let planes: Vec<u8> = assignment.iter().map(|&level| self.grey(level).round() as u8).collect();
        noisy.with_planes(&planes)
    }

    /// What a picture's network and its messages take, in bytes; and whether there is that much memory.
    ///
    /// # Errors
    /// There is not.
    pub fn check_memory(&self, width: u32, height: u32, channels: usize) -> Result<(), ImageError> {
        self.check()?;
        let colors = colors(channels);
        let bytes = self.bytes(width, height, colors);
        let (available, levels) = (available(), self.levels);
        let variables = u64::from(width) * u64::from(height) * colors as u64;
        if bytes <= available && variables < u64::from(u32::MAX) {
            return Ok(());
        }
        Err(ImageError::Memory { width, height, channels: colors, levels, bytes, available })
    }

    /// A sample has 64-bit unary potentials and beliefs, 8 rows of 32-bit floats, and four incoming edges with two 32-bit messages, of which the
    /// verifier has two in 64 bits; and about 100 bytes for each pair.
    fn bytes(&self, width: u32, height: u32, colors: usize) -> u64 {
        let samples = (u64::from(width) * u64::from(height)).saturating_mul(colors as u64);
        let (levels, padded) = (self.levels as u64, self.levels.next_power_of_two() as u64);
        samples.saturating_mul((2 + 4 * 2) * 8 * levels + (8 + 4 * 2) * 4 * padded + 2 * 100)
    }
}

/// The memory that is free, in bytes; where the system does not say, any is.
fn available() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    kibibytes.map_or(u64::MAX, |kibibytes| kibibytes * 1024)
}
