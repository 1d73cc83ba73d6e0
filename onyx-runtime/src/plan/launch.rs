//! A kernel that an iteration launches, and how much it takes.

use onyx_device::FoldFacts;
use onyx_device::arguments::Units;

use crate::schedule::rule::BLOCK_THREADS;
use crate::schedule::{Kernel, Team, WARP_LANES};

/// The most groups that a GPU counts in a block where heads lie side by side: the greatest third dimension.
const MOST_GROUPS: u64 = 64;

/// Tiles of each row that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tiles {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Tiles {
    /// The first one, which stores what all tiles have in common.
    pub(crate) const FIRST: Self = Self { first: 0, end: 1 };

    /// How many there are.
    pub(crate) const fn count(self) -> u32 {
        self.end - self.first
    }
}

/// A kernel of a stage, and how much it takes of what its work is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    /// The number of the stage.
    pub(crate) stage: usize,
    pub(crate) units: Units,
    pub(crate) tiles: Tiles,
}

impl Launch {
    /// How many of its heads lie side by side in a block, where a row of a head has so many lanes: what they read of an edge and of its ends is
    /// then asked for together.
    pub(crate) fn heads_beside(&self, fold: &FoldFacts, lanes: u64) -> u32 {
        let are_beside = fold.has_heads && matches!(self.kernel.row().team, Team::Lanes | Team::Gathering);
        if are_beside { heads_beside(self.tiles.count(), lanes) } else { 1 }
    }
}

/// How many of so many heads lie side by side in a warp, where each has so many lanes.
pub(crate) fn heads_beside(heads: u32, lanes: u64) -> u32 {
    let most = WARP_LANES.div_euclid(lanes).max(1) as u32;
    let beside = 1 << heads.trailing_zeros().min(most.ilog2());
    // One after the other where a block would have more groups of theirs than it counts.
    if BLOCK_THREADS / (lanes * u64::from(beside)) > MOST_GROUPS { 1 } else { beside }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_beside_each_other_fit_a_warp_and_the_dimensions_of_a_block() {
        assert_eq!([8, 4, 6, 3].map(|heads| heads_beside(heads, 2)), [8, 4, 2, 1]);
        assert_eq!([1, 2, 4, 64].map(|heads| heads_beside(heads, 1)), [1, 1, 4, 32]);
        assert_eq!([2, 8].map(|heads| heads_beside(heads, 32)), [1, 1]);
        for (heads, lanes) in (0..7).flat_map(|heads| (0..6).map(move |lanes| (1_u32 << heads, 1_u64 << lanes))) {
            let beside = u64::from(heads_beside(heads, lanes));
            assert!(lanes * beside <= WARP_LANES && heads % beside as u32 == 0, "{heads} heads of {lanes} lanes");
            assert!(beside == 1 || BLOCK_THREADS / (lanes * beside) <= MOST_GROUPS, "{heads} heads of {lanes} lanes");
        }
    }
}
