//! The end of a batch of iterations where so few or so many edges have become active that another way would pay: the other direction, or other groups of a push. Nothing after this
//! iteration runs, as if it had left nothing active, and the host, which finds a note beside the flag, chooses again.

use crate::arguments::{COUNTER_ENDED, COUNTER_FLAG, COUNTER_SLOTS, counted_edges, counter};
use crate::machine::Machine;

/// What the kernel `limit` is launched with: what an iteration has counted, and how many edges may be active for the next one to run.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The [`COUNTER_WORDS`](crate::arguments::COUNTER_WORDS) of the iteration.
    pub counters: *mut u64,
    /// The fewest edges.
    pub least: u64,
    /// The most.
    pub most: u64,
}

// SAFETY: a single thread writes, and what it writes no other one reads.
unsafe impl Send for Limit {}
// SAFETY: as above.
unsafe impl Sync for Limit {}

/// How many threads there are to be: a warp.
pub const THREADS: u64 = LANES as u64;
const LANES: usize = 32;

/// The body of the kernel `limit`: a warp adds up the counters.
///
/// # Safety
/// The counters are there, nothing else writes them during the launch, and all threads of each warp arrive.
#[cfg_attr(not(debug_assertions), inline(always))]
pub unsafe fn run<M: Machine>(machine: M, limit: &Limit) {
    let thread = machine.thread() as usize;
    if thread >= LANES {
        return;
    }
    let mut edges = 0;
    let mut slot = thread;
    while slot < COUNTER_SLOTS {
        // SAFETY: the caller's: the slot is one of the counters'.
        edges += counted_edges(unsafe { machine.load_u64(limit.counters.add(counter(slot))) });
        slot += LANES;
    }
    let mut distance = LANES as u32 / 2;
    while distance > 0 {
        edges += machine.shuffle_from_u64(u32::MAX, edges, machine.lane() ^ distance);
        distance /= 2;
    }
    if thread == 0 && (edges < limit.least || edges > limit.most) {
        // SAFETY: the caller's. An iteration that has left nothing active, or has not run, ends the batch anyway.
        unsafe {
            let flag = limit.counters.add(COUNTER_FLAG).cast::<u8>();
            if machine.load_mark(flag) != 0 {
                machine.store_mark(flag, 0);
                machine.store_mark(flag.add(COUNTER_ENDED), 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{COUNTER_WORDS, counted};
    use crate::emulator;

    /// The flag and the note after a launch where an iteration has counted `edges` in slots far from each other.
    fn after(edges: [u64; 3], flag: u64, (least, most): (u64, u64)) -> (u8, u8) {
        let mut counters = [0_u64; COUNTER_WORDS];
        for (slot, edges) in [0, 31, 63].into_iter().zip(edges) {
            counters[counter(slot)] = 5 | edges << 27;
        }
        counters[COUNTER_FLAG] = flag;
        let limit = Limit { counters: counters.as_mut_ptr(), least, most };
        // SAFETY: the counters are alive, and the lanes run one at a time.
        emulator::launch(THREADS + 32, &|lane| unsafe { run(lane, &limit) }).unwrap();
        assert_eq!(counted(&counters), (15, edges.iter().sum()), "what is counted stays");
        let [flag, ended, rest @ ..] = counters[COUNTER_FLAG].to_ne_bytes();
        assert_eq!(rest, [0; 6]);
        (flag, ended)
    }

    #[test]
    fn a_batch_goes_on_within_its_limits_and_ends_outside_of_them() {
        let edges = [3, 1 << 36, 4];
        let sum = edges.iter().sum();
        assert_eq!(after(edges, 1, (sum, sum)), (1, 0));
        assert_eq!(after(edges, 1, (sum + 1, u64::MAX)), (0, 1));
        assert_eq!(after(edges, 1, (0, sum - 1)), (0, 1));
        assert_eq!(after(edges, 0, (0, 1)), (0, 0), "what has ended already is no change of direction");
    }
}
