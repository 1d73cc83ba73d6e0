//! Which features of a row a lane has, and loops over them.

use super::{Group, QUAD, WARP};
use crate::machine::Machine;
use crate::unrolled::{each, each_from_last};

/// The floats of two bytes that a lane loads at once.
const TWO_QUADS: usize = 2 * QUAD;

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// Whether each of the lane's features has code of its own: an array that a variable indexes lies in memory, and few features are no vectors that were worth it.
    const IS_WRITTEN_OUT: bool = cfg!(target_arch = "nvptx64") || V < QUAD;

    /// How many of a lane's features lie side by side.
    ///
    /// Eight are one access where they have two bytes each. Those of rows that take a whole warp lie by fours, so that its lanes load what lies side by side.
    pub(super) const SIDE_BY_SIDE: usize = if L == 1 || V <= QUAD || V == TWO_QUADS && L < WARP { V } else { QUAD };

    /// Whether lanes beside each other exchange halves of what they add to memory: the two accesses of a lane with eight floats fill half of a sector each.
    pub(super) const EXCHANGES: bool = L > 1 && V == TWO_QUADS && Self::SIDE_BY_SIDE == TWO_QUADS;

    /// The first of the `V` features that the calling lane holds, by its number in the row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn first_feature(self) -> u32 {
        self.first + self.lane * Self::SIDE_BY_SIDE as u32
    }

    /// The lane's feature `index`, `0..V`, by its number in the row. Later ones have greater numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn feature(self, index: usize) -> u32 {
        self.first_feature() + Self::step(index) as u32
    }

    /// How far it is in a row from a lane's first feature to its feature `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) const fn step(index: usize) -> usize {
        index / Self::SIDE_BY_SIDE * (L * Self::SIDE_BY_SIDE) + index % Self::SIDE_BY_SIDE
    }

    /// How many floats there are before what the calling lane has, where each lane has `V` side by side.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn place(self) -> u32 {
        self.lane * V as u32
    }

    /// Whether the lane's feature `index`, `0..V`, is one that the user asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn is_live(self, index: usize) -> bool {
        self.feature(index) < self.features
    }

    /// How many of the lane's features are ones that the user asked for: the first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn live(self) -> usize {
        if const { Self::SIDE_BY_SIDE == V } {
            return (self.features.saturating_sub(self.first_feature()) as usize).min(V);
        }
        (0..V).filter(|index| self.is_live(*index)).count()
    }

    /// Calls `body` with each of the lane's features, `0..V`, that the user asked for.
    ///
    /// The whole lane has a loop of its own, of which the compiler makes vector instructions, where it has enough for them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live(self, mut body: impl FnMut(usize)) {
        if const { Self::IS_WRITTEN_OUT } {
            return each::<V>(|index| {
                if self.is_live(index) {
                    body(index);
                }
            });
        }
        if self.live() == V {
            return each::<V>(body);
        }
        (0..self.live()).for_each(body);
    }

    /// [`Group::each_live`] on the host, and padding as well on a GPU, which has no panics.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_on_host(self, body: impl FnMut(usize)) {
        if cfg!(target_arch = "nvptx64") { each::<V>(body) } else { self.each_live(body) }
    }

    /// [`Group::each_live`], the last feature first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_from_last(self, mut body: impl FnMut(usize)) {
        if const { Self::IS_WRITTEN_OUT } {
            return each_from_last::<V>(|index| {
                if self.is_live(index) {
                    body(index);
                }
            });
        }
        if self.live() == V {
            return each_from_last::<V>(body);
        }
        (0..self.live()).rev().for_each(body);
    }

    /// [`Group::each_live_on_host`], the last feature first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_on_host_from_last(self, body: impl FnMut(usize)) {
        if cfg!(target_arch = "nvptx64") { each_from_last::<V>(body) } else { self.each_live_from_last(body) }
    }
}
