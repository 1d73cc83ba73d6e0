//! An order without order.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use super::ORDER;
use super::error::OrderError;
use super::vertex_order::VertexOrder;
use crate::memory;

impl VertexOrder {
    /// An order of `count` vertices in which nothing is near to anything, to compare others with.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn shuffled(count: u32, seed: u64) -> Result<Self, OrderError> {
        let mut sequence = memory::collect(0..count, ORDER)?;
        sequence.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        Self::of_sequence(sequence)
    }
}
