//! What became of all inputs.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::target::{Reading, Target};

/// No more failures than these are told in words.
const TOLD: usize = 20;

/// What became of all inputs.
#[derive(Debug, Serialize)]
pub struct Record {
    seed: u64,
    /// Whether real files were among those that were damaged.
    real_files: bool,
    inputs: u64,
    bytes: u64,
    seconds: f64,
    readers: BTreeMap<Target, Counts>,
    failures: u64,
    told: Vec<String>,
}

/// What became of the inputs of one reader.
#[derive(Debug, Default, Serialize)]
struct Counts {
    accepted: u64,
    refused: u64,
    /// The greatest part of its share of memory that an input took.
    greatest_share: f64,
    slowest_milliseconds: f64,
}

impl Record {
    /// Nothing yet.
    pub fn new(seed: u64, real_files: bool) -> Self {
        let (readers, told) = (BTreeMap::new(), Vec::new());
        Self { seed, real_files, inputs: 0, bytes: 0, seconds: 0.0, readers, failures: 0, told }
    }

    /// Counts an input that a reader took or refused.
    pub fn count(
        &mut self,
        target: Target,
        reading: Reading,
        bytes: usize,
        taken: usize,
        allowed: usize,
        time: Duration,
    ) {
        self.inputs += 1;
        self.bytes += bytes as u64;
        let counts = self.readers.entry(target).or_default();
        *if reading == Reading::Accepted { &mut counts.accepted } else { &mut counts.refused } += 1;
        counts.greatest_share = counts.greatest_share.max(taken as f64 / allowed as f64);
        counts.slowest_milliseconds = counts.slowest_milliseconds.max(time.as_secs_f64() * 1e3);
    }

    /// Counts an input at which a reader failed.
    pub fn fail(&mut self, number: u64, target: Target, how: &str) {
        self.inputs += 1;
        self.failures += 1;
        if self.told.len() < TOLD {
            self.told.push(format!("input {number} of seed {}: the reader {target:?} {how}", self.seed));
        }
    }

    /// That all inputs were read in some time.
    pub fn end(&mut self, time: Duration) {
        self.seconds = time.as_secs_f64();
    }

    /// Whether no reader failed.
    pub fn is_clean(&self) -> bool {
        self.failures == 0
    }
}
