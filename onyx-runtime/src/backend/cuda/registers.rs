//! How many registers the lanes of a kernel have: as many as the driver's compiler takes by itself, or a few less where more warps run at once then.
//!
//! A multiprocessor hands out registers by eights a lane: of a kernel that takes 34, as few warps run as of one that takes 40. So those that are just above a step are compiled
//! again with a bound, and stay as they were if values would have to go to memory for that (`docs/performance.md`).

use std::collections::HashMap;

/// What a multiprocessor hands out at a time to each lane.
const STEP: u32 = 8;

/// With so few, as many warps run as a multiprocessor can have.
const ENOUGH: u32 = 32;

/// Kernels with more run so few warps that one more is little.
const MOST: u32 = 128;

/// How far above a step a kernel may be: the compiler then only puts instructions in another order.
const FAR: u32 = 6;

/// The bounds of kernels, by name.
pub(super) type Bounds = HashMap<String, u32>;

/// What a compiled kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// The registers of a lane.
    pub registers: u32,
    /// The bytes of memory that a lane has for what registers do not hold.
    pub local_bytes: u32,
}

impl Taken {
    /// The bound to try, if there is one.
    pub(super) fn bound(self) -> Option<u32> {
        let above = self.registers % STEP;
        let is_worth_it = self.registers > ENOUGH && self.registers <= MOST && (1..=FAR).contains(&above);
        is_worth_it.then_some(self.registers - above)
    }

    /// Whether what it takes with a bound is better than this.
    pub(super) fn is_worse_than(self, bounded: Self) -> bool {
        bounded.registers.div_ceil(STEP) < self.registers.div_ceil(STEP) && bounded.local_bytes <= self.local_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn taken(registers: u32, local_bytes: u32) -> Taken {
        Taken { registers, local_bytes }
    }

    #[test]
    fn only_what_is_just_above_a_step_is_bounded() {
        let bounds = [16, 32, 33, 34, 38, 39, 40, 42, 46, 47, 48, 122, 128, 130].map(|count| taken(count, 0).bound());
        let of = Some;
        assert_eq!(
            bounds,
            [None, None, of(32), of(32), of(32), None, None, of(40), of(40), None, None, of(120), None, None]
        );
    }

    #[test]
    fn a_bound_is_kept_where_nothing_goes_to_memory() {
        assert!(taken(34, 0).is_worse_than(taken(32, 0)));
        assert!(!taken(34, 0).is_worse_than(taken(32, 8)));
        assert!(taken(34, 16).is_worse_than(taken(32, 16)));
        assert!(!taken(34, 0).is_worse_than(taken(34, 0)));
    }
}
