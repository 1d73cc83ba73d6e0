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
