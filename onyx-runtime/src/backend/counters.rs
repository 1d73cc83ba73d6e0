//! What each iteration of a batch leaves active, counted on a device until the host reads it.

use onyx_device::arguments::{self, COUNTER_ENDED, COUNTER_FLAG, COUNTER_WORDS};

use crate::backend::device::See;
use crate::backend::memory::Memory;
use crate::engine::{Activity, Array};
use crate::error::RunError;
use crate::look::Found;
use crate::memory as host;

/// The double word of an iteration's counters in which the total of the graph lies that may end the run, a float; kernels that count do not reach it.
const TOTAL: usize = COUNTER_FLAG + 1;
const _: () = assert!(TOTAL < COUNTER_WORDS);

/// Counters for as many iterations as a batch may have.
pub(crate) struct Counters<A> {
    counters: A,
    /// What stands in for the iteration before the first: something was active.
    before_first: A,
    iterations: usize,
}

/// Where one iteration counts, and where it finds whether the one before has left anything active.
pub(crate) struct Places {
    pub(crate) counters: *mut u64,
    pub(crate) before: *const u8,
    /// Where the total of the graph goes that may end the run.
    pub(crate) total: *mut f32,
}

impl<A> Counters<A> {
    /// Counters for `iterations` iterations.
    pub(crate) fn new<M: Memory<Array = A>>(memory: &M, iterations: usize) -> Result<Self, RunError> {
        let counters = memory.zeroed(bytes(iterations))?;
        Ok(Self { counters, before_first: memory.upload(&[1])?, iterations })
    }

    /// Shows each array with what it holds.
    pub(crate) fn each_array(&self, see: See<'_, A>) {
        see(&self.counters, format_args!("the counters"));
        see(&self.before_first, format_args!("the flag before the first iteration"));
    }

    /// Sets all to zero.
    pub(crate) fn clear<M: Memory<Array = A>>(&mut self, memory: &M) -> Result<(), RunError> {
        memory.clear(&mut self.counters)
    }

    /// The places of iteration `index` of a batch.
    pub(crate) fn places<M: Memory<Array = A>>(&self, memory: &M, index: usize) -> Places {
        let place = |index: usize| memory.address(&self.counters).cast::<u64>().wrapping_add(index * COUNTER_WORDS);
        let before = match index {
            0 => memory.address(&self.before_first),
            _ => place(index - 1).wrapping_add(COUNTER_FLAG).cast(),
        };
        Places { counters: place(index), before, total: place(index).wrapping_add(TOTAL).cast() }
    }

    /// What the iterations of a batch of `count` have left active: up to the first whose flag is not set, for none ran after it.
    pub(crate) fn read<M: Memory<Array = A>>(&self, memory: &M, count: usize) -> Result<Vec<Activity>, RunError> {
        let mut words: Vec<u64> = host::zeroed(self.iterations * COUNTER_WORDS, "the counters of a batch")?;
        memory.download(&self.counters, bytemuck::cast_slice_mut(&mut words))?;
        let all = || words.chunks_exact(COUNTER_WORDS).take(count);
        let last = all().position(|words| flags(words)[0] == 0);
        Ok(all().take(last.map_or(count, |last| last + 1)).map(sum).collect())
    }
}

/// The counters of the first iteration also count what a look finds in each property, of which there are 64 at most: a set of them is 64 bits.
impl<A> Counters<A> {
    /// Where a look at the property at `index` counts.
    pub(crate) fn found<M: Memory<Array = A>>(&self, memory: &M, index: usize) -> *mut u64 {
        memory.address(&self.counters).cast::<u64>().wrapping_add(2 * index)
    }

    /// What looks have found in these arrays.
    pub(crate) fn read_found<M: Memory<Array = A>>(
        &self,
        memory: &M,
        arrays: &[Array],
    ) -> Result<Vec<Found>, RunError> {
        let mut words = [0_u64; COUNTER_WORDS];
        memory.download_part(&self.counters, 0, bytemuck::cast_slice_mut(&mut words))?;
        let found =
            |array: &Array| Found { nan: words[2 * array.property] > 0, infinite: words[2 * array.property + 1] > 0 };
        Ok(arrays.iter().map(found).collect())
    }
}

/// The bytes of counters for `iterations` iterations.
pub(crate) const fn bytes(iterations: usize) -> usize {
    iterations.saturating_mul(COUNTER_WORDS * 8)
}

/// Whether the next iteration may run, and what is noted beside that.
fn flags(words: &[u64]) -> [u8; 8] {
    words[COUNTER_FLAG].to_ne_bytes()
}

fn sum(words: &[u64]) -> Activity {
    let (vertices, edges) = arguments::counted(words);
    // What counts anything active sets the flag. A bound that a total is below takes it back, and so does a change of direction, which is noted beside it.
    let flags = flags(words);
    let is_stopped = vertices > 0 && flags[0] == 0 && flags[COUNTER_ENDED] == 0;
    Activity { vertices: vertices as usize, edges, is_stopped, total: Some(total(words)), time: None }
}

/// The total of the graph that may end the run.
fn total(words: &[u64]) -> f32 {
    let [total, _]: [f32; 2] = bytemuck::cast(words[TOTAL]);
    total
}

#[cfg(test)]
mod tests {
    use onyx_device::arguments::{COUNTER_FLAG, COUNTER_WORDS};

    use super::sum;

    #[test]
    fn counters_hold_the_largest_counts_of_vertices_and_edges() {
        let (vertices, edges) = (1_u64 << 26, 1_u64 << 36);
        let mut words = [0; COUNTER_WORDS];
        words[0] = vertices | edges << 27;
        words[COUNTER_FLAG - 4] = 3 | 5 << 27;
        words[COUNTER_FLAG] = 1;
        let activity = sum(&words);
        assert_eq!((activity.vertices as u64, activity.edges), (vertices + 3, edges + 5));
        assert!(!activity.is_stopped);
        words[COUNTER_FLAG] = 0;
        assert!(sum(&words).is_stopped);
        let ended = u64::from_ne_bytes([0, 1, 0, 0, 0, 0, 0, 0]);
        words[COUNTER_FLAG] = ended;
        assert!(!sum(&words).is_stopped, "a batch that has ended is no run that has");
    }
}
