//! In which order the emulator runs what a GPU runs at once. Options have it whether the emulator is there or not.

use core::fmt;

/// An order of lanes, warps and blocks. A GPU promises none, so that a right kernel does the same in each, but for the rounding of sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The first lane that can go on, of the first warp, of the first block.
    #[default]
    Forward,
    /// The last of each.
    Reversed,
    /// Drawn by this seed: the same for the same seed.
    Random(u64),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forward => f.write_str("forward order"),
            Self::Reversed => f.write_str("reversed order"),
            Self::Random(seed) => write!(f, "the random order of seed {seed}"),
        }
    }
}
