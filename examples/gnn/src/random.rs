//! Random numbers without memory: a hash of where and when a number is asked for, so that the gradient of a layer finds those of the layer.

/// 32 bits that are the same each time for the same seed, step of training, row and column, and look random for all others.
#[inline]
pub fn bits(seed: u32, step: u32, row: u32, column: u32) -> u32 {
    mix(mix(mix(mix(seed) ^ step) ^ row) ^ column)
}

/// An output of the generator PCG-RXS-M-XS of O'Neill, 2014: a permutation of 32 bits.
#[inline]
fn mix(bits: u32) -> u32 {
    let state = bits.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// What a value is multiplied by in dropout (Srivastava et al., 2014): 0 with probability `rate`, otherwise what leaves the mean as it is.
#[inline]
pub fn kept(rate: f32, bits: u32) -> f32 {
    // 24 bits are a float between 0 and 1 exactly.
    let uniform = (bits >> 8) as f32 / 16_777_216.0;
    if uniform < rate { 0.0 } else { 1.0 / (1.0 - rate) }
}

#[cfg(test)]
mod tests {
    use super::{bits, kept};

    #[test]
    fn as_many_are_dropped_as_asked_for() {
        for (rate, column) in [(0.5, 0), (0.6, 1), (0.1, 2)] {
            let dropped = (0..20_000).filter(|row| kept(rate, bits(7, 3, *row, column)) == 0.0).count();
            assert!((dropped as f32 / 20_000.0 - rate).abs() < 0.015, "{dropped} of 20000 at {rate}");
        }
        assert!((0..20_000).all(|row| kept(0.0, bits(7, 3, row, 0)) == 1.0));
    }

    #[test]
    fn every_coordinate_counts() {
        let here = bits(1, 2, 3, 4);
        assert_eq!(here, bits(1, 2, 3, 4));
        let others = [bits(2, 2, 3, 4), bits(1, 3, 3, 4), bits(1, 2, 4, 4), bits(1, 2, 3, 5)];
        assert!(others.iter().all(|other| *other != here));
        // Neighbours in one coordinate do not go together: half of all bits differ.
        let differing: u32 = (0..1000).map(|row| (bits(1, 1, row, 0) ^ bits(1, 1, row, 1)).count_ones()).sum();
        assert!((15_000..17_000).contains(&differing), "{differing} of 32000 bits");
    }
}
