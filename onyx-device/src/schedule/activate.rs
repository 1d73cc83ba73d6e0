//! The active words: from the marks that a pull has left, or from the votes of a vertex kernel. A vertex is active if it is so in any tile.

use crate::arguments::Arguments;
use crate::machine::Machine;

/// The body of the kernel `activate`: a lane for each vertex. Writes the active words from the marks and clears the marks.
///
/// # Safety
/// As [`crate::schedule::pull::run`].
#[inline(always)]
pub unsafe fn run<M: Machine, D>(machine: M, arguments: &Arguments<D>) {
    let word = machine.thread() / 32;
    // SAFETY: the caller's.
    if word >= arguments.vertex_count.div_ceil(32) || unsafe { arguments.is_over(machine) } {
        return;
    }
    let vertex = word * 32 + u64::from(machine.lane());
    // SAFETY: the warp owns the word and its marks.
    unsafe {
        let changed = vertex < arguments.vertex_count && take_marks(machine, arguments, vertex);
        publish(machine, arguments, word, changed);
    }
}

/// Whether a vertex is marked in any tile. Clears its marks.
#[inline(always)]
unsafe fn take_marks<M: Machine, D>(machine: M, arguments: &Arguments<D>, vertex: u64) -> bool {
    let (mut tile, mut is_marked) = (0, false);
    while tile < arguments.tiles {
        let mark = arguments.mark_of(tile, vertex);
        // SAFETY: the calling lane alone reaches the vertex's marks.
        unsafe {
            is_marked |= machine.load_mark(mark) != 0;
            machine.store_mark(mark, 0);
        }
        tile += 1;
    }
    is_marked
}

/// Writes one word of the active set by ballot, and adds to the counters. `changed` is of the lane's own vertex.
///
/// # Safety
/// All lanes of the warp that owns the word arrive.
#[inline(always)]
pub unsafe fn publish<M: Machine, D>(machine: M, arguments: &Arguments<D>, word: u64, changed: bool) {
    let vertex = word * 32 + u64::from(machine.lane());
    let bits = machine.ballot(u32::MAX, changed);
    // SAFETY: the warp owns the word; the vertex is read only where it exists.
    unsafe {
        let degree = if changed { machine.load_u32(arguments.out_degree.add(vertex as usize)) } else { 0 };
        let edges = if bits == 0 { 0 } else { warp_sum(machine, degree) };
        if machine.lane() == 0 {
            machine.store_u32(arguments.active.add(word as usize), bits);
            if bits != 0 {
                arguments.count(machine, word, bits.count_ones(), edges);
            }
        }
    }
}

/// The sum of a value over the warp. The halves are summed apart, so that 32 large values do not overflow.
#[inline(always)]
pub(super) fn warp_sum<M: Machine>(machine: M, value: u32) -> u64 {
    let (mut low, mut high) = (value & 0xffff, value >> 16);
    let mut distance = 16;
    while distance > 0 {
        low += machine.shuffle_xor_u32(u32::MAX, low, distance);
        high += machine.shuffle_xor_u32(u32::MAX, high, distance);
        distance /= 2;
    }
    (u64::from(high) << 16) + u64::from(low)
}
