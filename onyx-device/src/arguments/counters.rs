//! The counters of an iteration: how many vertices are active, and how many edges leave them.

/// How many counters there are, so that thousands of warps do not add to one address.
pub const COUNTER_SLOTS: usize = 64;

/// From one counter to the next, in double words: what lies in one sector of the cache is added to one after the other.
const COUNTER_STRIDE: usize = 4;

/// Where the double word lies whose first byte says whether anything is active.
pub const COUNTER_FLAG: usize = COUNTER_SLOTS * COUNTER_STRIDE;

/// How far from that byte another one lies: whether the batch ends since too few or too many edges are active.
pub const COUNTER_ENDED: usize = 1;

/// The double words that one iteration counts in: [`COUNTER_SLOTS`] counters of vertices and edges, each in a sector, then [`COUNTER_FLAG`].
pub const COUNTER_WORDS: usize = COUNTER_FLAG + COUNTER_STRIDE;

/// The lowest bits of a counter, which count vertices, of 2³² at most in 64 slots; the others count edges, of which 2³⁷ would take more than 500 GB.
pub(super) const VERTEX_BITS: u32 = 27;

/// What the counters of one iteration say: active vertices, and their outgoing edges.
pub fn counted(words: &[u64]) -> (u64, u64) {
    let slots = words[..COUNTER_FLAG].iter().step_by(COUNTER_STRIDE);
    slots.fold((0, 0), |(vertices, edges), slot| {
        (vertices + (slot & ((1 << VERTEX_BITS) - 1)), edges + counted_edges(*slot))
    })
}

/// The place of a counter among the double words.
#[cfg_attr(not(debug_assertions), inline(always))]
pub const fn counter(slot: usize) -> usize {
    slot * COUNTER_STRIDE
}

/// The edges that a counter has counted.
#[cfg_attr(not(debug_assertions), inline(always))]
pub const fn counted_edges(counter: u64) -> u64 {
    counter >> VERTEX_BITS
}
