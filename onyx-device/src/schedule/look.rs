//! A look for values that are no numbers any more: NaN and infinity are counted where the values are, so that nobody has to copy them.

use super::activate::warp_sum;
use crate::machine::Machine;

/// What the kernel `look` is launched with: one array, and where what is found is counted.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The array's floats, of two bytes each where `exponent` says so.
    pub floats: *const f32,
    /// How many there are, padding included.
    pub length: u64,
    /// The bits of +inf in an array of floats of two bytes; 0 where they have four.
    pub exponent: u32,
    /// How many are in a row: a power of two where there are matrices.
    pub row: u32,
    /// How many rows a matrix has: as many as a row has floats, or 1 where there are no matrices.
    pub rows: u32,
    /// How many floats of a row hold something, and how many rows of a matrix. The rest is padding, and not looked at.
    pub features: u32,
    /// How many threads look: a multiple of `row` times `rows`.
    pub threads: u64,
    /// Two counters, of NaN and of infinities. What is found is added.
    pub found: *mut u64,
}

// SAFETY: the floats are only read, the counters only reached atomically.
unsafe impl Send for Look {}
// SAFETY: as above.
unsafe impl Sync for Look {}

impl Look {
    /// The number of threads that look at an array whose matrices, or rows, have `period` floats: `most`, or as many as there are floats.
    pub fn threads(length: u64, period: u64, most: u64) -> u64 {
        let period = if period.is_power_of_two() { period.max(32) } else { period };
        length.min(most).max(1).next_multiple_of(period)
    }

    /// Whether what a thread looks at is no padding. It is the same place of each row, and the same row of each matrix.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn has_values(&self, thread: u64) -> bool {
        let feature = thread as u32 % self.row.max(1);
        let row = if self.rows == 1 { 0 } else { (thread >> self.row.trailing_zeros()) as u32 & (self.rows - 1) };
        thread < self.threads && feature < self.features && row < self.features
    }

    /// Whether the float at a place is NaN, and whether it is infinite.
    ///
    /// # Safety
    /// The place is inside of the array.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn value<M: Machine>(&self, machine: M, at: usize) -> (bool, bool) {
        if self.exponent == 0 {
            // SAFETY: the caller's.
            let [value] = unsafe { machine.load::<1>(self.floats.add(at)) };
            return (value.is_nan(), value.is_infinite());
        }
        // SAFETY: the caller's.
        let [half] = unsafe { machine.load_halves::<1>(self.floats.cast::<u16>().add(at)) };
        let magnitude = u32::from(half & 0x7fff);
        (magnitude > self.exponent, magnitude == self.exponent)
    }
}

/// The body of the kernel `look`: each thread looks at every `threads`th float.
///
/// # Safety
/// The arguments are as said at [`Look`], the array holds something wherever it is no padding, and nothing writes it during the launch.
#[cfg_attr(not(debug_assertions), inline(always))]
pub unsafe fn run<M: Machine>(machine: M, look: &Look) {
    let thread = machine.thread();
    let (mut nan, mut infinite) = (0, 0);
    let mut at = if look.has_values(thread) { thread } else { look.length };
    while at < look.length {
        // SAFETY: `at` lies inside of the array.
        let (is_nan, is_infinite) = unsafe { look.value(machine, at as usize) };
        nan += u32::from(is_nan);
        infinite += u32::from(is_infinite);
        at += look.threads;
    }
    // SAFETY: there are two counters, and all lanes of the warp arrive.
    unsafe {
        count(machine, look.found, nan);
        count(machine, look.found.add(1), infinite);
    }
}

/// Adds up what the lanes of a warp have found, where any has found something.
///
/// # Safety
/// The counter is valid, and all lanes of the warp arrive.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn count<M: Machine>(machine: M, counter: *mut u64, found: u32) {
    if machine.ballot(u32::MAX, found > 0) == 0 {
        return;
    }
    let sum = warp_sum(machine, [found]);
    if machine.lane() == 0 {
        // SAFETY: the caller's.
        unsafe { machine.add_u64(counter, sum) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator;

    /// What is found in floats by so many threads.
    fn found(floats: &[f32], row: u32, rows: u32, features: u32, most: u64) -> [u64; 2] {
        let mut found = [0; 2];
        let length = floats.len() as u64;
        let threads = Look::threads(length, u64::from(row * rows), most);
        let exponent = 0;
        let look =
            Look { floats: floats.as_ptr(), length, exponent, row, rows, features, threads, found: found.as_mut_ptr() };
        // SAFETY: both arrays are alive, and the lanes run one at a time.
        emulator::launch(threads + 32, &|lane| unsafe { run(lane, &look) }).unwrap();
        found
    }

    #[test]
    fn halves_are_looked_at_as_what_they_are() {
        for exponent in [0x7c00_u16, 0x7f80] {
            let mut halves = vec![exponent - 1; 200];
            halves[3] = exponent;
            halves[70] = exponent | 0x8000;
            halves[199] = exponent + 1;
            let (mut found, length) = ([0; 2], halves.len() as u64);
            let (floats, threads) = (halves.as_ptr().cast(), Look::threads(length, 1, 64));
            let (exponent, found_at) = (u32::from(exponent), found.as_mut_ptr());
            let look = Look { floats, length, exponent, row: 1, rows: 1, features: 1, threads, found: found_at };
            // SAFETY: both arrays are alive, and the lanes run one at a time.
            emulator::launch(threads, &|lane| unsafe { run(lane, &look) }).unwrap();
            assert_eq!(found, [1, 2]);
        }
    }

    #[test]
    fn every_value_is_looked_at_once() {
        let mut floats = vec![1.0; 1000];
        assert_eq!(found(&floats, 1, 1, 1, 64), [0, 0]);
        [0, 31, 64, 500, 999].iter().for_each(|at| floats[*at] = f32::NAN);
        [1, 998].iter().for_each(|at| floats[*at] = f32::NEG_INFINITY);
        for most in [1, 64, 1 << 20] {
            assert_eq!(found(&floats, 1, 1, 1, most), [5, 2], "{most} threads");
        }
    }

    #[test]
    fn padding_is_left_out() {
        // Rows of 4 floats, of which 3 hold something.
        let mut floats = vec![0.5; 4 * 20];
        (3..80).step_by(4).for_each(|at| floats[at] = f32::NAN);
        assert_eq!(found(&floats, 4, 1, 3, 1 << 10), [0, 0]);
        floats[42] = f32::INFINITY;
        assert_eq!(found(&floats, 4, 1, 3, 1 << 10), [0, 1]);
        // Matrices of 4 rows, of which 2 hold something in the first 2 places.
        let mut floats = vec![f32::NAN; 16 * 9];
        floats.chunks_mut(16).for_each(|matrix| [0, 1, 4, 5].iter().for_each(|at| matrix[*at] = 1.0));
        assert_eq!(found(&floats, 4, 4, 2, 32), [0, 0]);
        (floats[16 * 8 + 5], floats[4]) = (f32::NAN, f32::INFINITY);
        assert_eq!(found(&floats, 4, 4, 2, 32), [1, 1]);
    }
}
