//! Which features of a row a lane has, and loops over them.

use super::{Group, QUAD, WARP};
use crate::machine::Machine;
use crate::unrolled::{each, each_from_last};

/// The floats of two bytes that a lane loads at once.
const TWO_QUADS: usize = 2 * QUAD;

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// Whether there is one loop, in which each feature asks for itself, and not one for the whole lane besides.
    const ASKS_EACH: bool = cfg!(target_arch = "nvptx64") || V == 1;
    /// Whether a lane that has some of its features alone asks each as well: a loop to a variable indexes arrays, which then lie in memory.
    const ASKS_EACH_OF_SOME: bool = V <= TWO_QUADS;

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
        if const { Self::ASKS_EACH } {
            return each::<V>(|index| {
                if self.is_live(index) {
                    body(index);
                }
            });
        }
        let live = self.live();
        if live == V {
            return each::<V>(body);
        }
        if const { Self::ASKS_EACH_OF_SOME } {
            return each::<V>(|index| {
                if index < live {
                    body(index);
                }
            });
        }
        (0..live).for_each(body);
    }

    /// [`Group::each_live`] on the host, and padding as well on a GPU, which has no panics.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_on_host(self, body: impl FnMut(usize)) {
        if cfg!(target_arch = "nvptx64") { each::<V>(body) } else { self.each_live(body) }
    }

    /// [`Group::each_live`], the last feature first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_from_last(self, mut body: impl FnMut(usize)) {
        if const { Self::ASKS_EACH } {
            return each_from_last::<V>(|index| {
                if self.is_live(index) {
                    body(index);
                }
            });
        }
        let live = self.live();
        if live == V {
            return each_from_last::<V>(body);
        }
        if const { Self::ASKS_EACH_OF_SOME } {
            return each_from_last::<V>(|index| {
                if index < live {
                    body(index);
                }
            });
        }
        (0..live).rev().for_each(body);
    }

    /// [`Group::each_live_on_host`], the last feature first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_on_host_from_last(self, body: impl FnMut(usize)) {
        if cfg!(target_arch = "nvptx64") { each_from_last::<V>(body) } else { self.each_live_from_last(body) }
    }
}

#[cfg(test)]
mod tests {
    use crate::cpu::Cpu;
    use crate::group::Group;

    /// The features that the loops reach, from the first and from the last.
    fn reached<const V: usize>(features: u32) -> [Vec<usize>; 2] {
        let (group, mut reached) = (Group::<_, 1, V>::of(Cpu, features), [Vec::new(), Vec::new()]);
        group.each_live(|index| reached[0].push(index));
        group.each_live_from_last(|index| reached[1].push(index));
        reached
    }

    fn check<const V: usize>() {
        for features in 0..=V {
            let expected: Vec<usize> = (0..features).collect();
            let backwards = expected.iter().rev().copied().collect();
            assert_eq!(reached::<V>(features as u32), [expected, backwards], "{features} of {V}");
        }
    }

    #[test]
    fn live_features_are_reached_in_order() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<8>();
        check::<16>();
    }
}
