//! The active words: from the marks that a pull has left, or from the votes of a vertex kernel. A vertex is active if it is so in any tile.

use crate::launch::{Launch, Word};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};

/// Launches of `activate`, which are of one tile.
#[derive(Debug)]
pub struct Activate;

/// The body of the kernel `activate`: a lane for each vertex. Writes the active words from the marks and clears the marks.
#[inline(always)]
pub fn run<M: Machine, D: GraphData>(launch: Launch<'_, M, D, (), (), Activate>) {
    let word = launch.word();
    if launch.is_word_done(&word) {
        return;
    }
    let vertex = word.own_vertex(launch.machine());
    // SAFETY: `Word`: the vertex is the warp's alone, of which one lane has it.
    unsafe {
        let changed = vertex < launch.arguments().vertex_count && take_marks(&launch, vertex);
        publish(&launch, word, changed);
    }
}

/// Whether a vertex is marked in any tile. Clears its marks.
///
/// # Safety
/// The vertex exists, and is the calling lane's alone.
#[inline(always)]
unsafe fn take_marks<M: Machine, D: GraphData>(launch: &Launch<'_, M, D, (), (), Activate>, vertex: u64) -> bool {
    let (machine, arguments) = (launch.machine(), launch.arguments());
    let (mut tile, mut is_marked) = (0, false);
    while tile < arguments.tiles {
        let mark = arguments.mark_of(tile, vertex);
        // SAFETY: the caller's; `Activate`: the tiles are no other thread's.
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
/// All lanes of the warp must arrive.
///
/// # Safety
/// What has changed exists.
#[inline(always)]
pub unsafe fn publish<M, D, E, W, S>(launch: &Launch<'_, M, D, E, W, S>, word: Word, changed: bool)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, arguments) = (launch.machine(), launch.arguments());
    let vertex = word.own_vertex(machine);
    let bits = machine.ballot(u32::MAX, changed);
    // SAFETY: `Word`: the word is the warp's alone; what has changed exists.
    unsafe {
        let degree = if changed { machine.load_u32(arguments.out_degree.add(vertex as usize)) } else { 0 };
        let edges = if bits == 0 { 0 } else { warp_sum(machine, degree) };
        if machine.lane() == 0 {
            machine.store_u32(arguments.active.add(word.number() as usize), bits);
            if bits != 0 {
                arguments.count(machine, word.number(), bits.count_ones(), edges);
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
