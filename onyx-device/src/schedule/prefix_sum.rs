//! Sums from lane to lane of a warp, and the search in them.

use crate::machine::Machine;

const WARP: u32 = 32;

/// The sum of the values of all lanes up to this one. All lanes of the warp must arrive, and the sum must fit.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn inclusive<M: Machine>(machine: M, value: u32) -> u32 {
    let mut total = value;
    let mut distance = 1;
    while distance < WARP {
        let before = machine.shuffle_from(u32::MAX, total, machine.lane().wrapping_sub(distance) % WARP);
        if machine.lane() >= distance {
            total += before;
        }
        distance *= 2;
    }
    total
}

/// The first lane whose inclusive sum is above `item`, the last lane if there is none. All lanes of the warp must arrive.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn owner<M: Machine>(machine: M, inclusive: u32, item: u32) -> u32 {
    let mut owner = 0;
    let mut step = WARP / 2;
    while step > 0 {
        if machine.shuffle_from(u32::MAX, inclusive, owner + step - 1) <= item {
            owner += step;
        }
        step /= 2;
    }
    owner
}
