//! Whether a result agrees with what a serial loop of 64-bit floats computes.

use onyx_runtime::{Direction, Report};

/// How far a result is from the serial loop's, and how far it may be.
#[derive(Clone, Copy, Debug)]
pub struct Verification {
    /// The distance, in the algorithm's own norm.
    pub difference: f64,
    /// The greatest distance that rounding and unpropagated changes explain.
    pub allowed: f64,
}

impl Verification {
    /// Whether the result agrees; one that is not a number does not.
    pub fn agrees(&self) -> bool {
        self.difference <= self.allowed
    }
}

/// How many iterations of a run have pushed changes only, and so left those within the tolerance behind.
pub fn pushes(report: &Report) -> usize {
    report.iterations.iter().filter(|iteration| iteration.direction == Direction::Push).count()
}
