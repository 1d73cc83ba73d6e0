//! A total of the graph: the contributions of all vertices, combined in an order that depends on their number alone.
//!
//! One launch leaves a row for each block, whose threads meet in shared memory, or for each round of threads where rows do not fit blocks, and further launches do the
//! same to what the one before has left, until a single row is left.

use crate::block::Block;
use crate::machine::Machine;
use crate::operator::{Max, Min, Operator, Sum};
use crate::stage::TotalOperator;
use crate::unrolled::{array, each};

/// The [`AddUp::operator`] that takes the rows as they are, and puts [`AddUp::bound`] in their place: the contributions to a table.
pub const TAKE: u32 = 3;
/// The lanes of a warp.
const LANES: u64 = 32;
/// The most threads of a block.
const BLOCK: u64 = 512;
/// How many floats a thread combines, where there are enough of them.
const FLOATS_PER_THREAD: u64 = 32;
/// As many for each thread of a block are still combined by one block alone: a second launch takes longer.
const FLOATS_OF_ONE_BLOCK: u64 = 128;
/// How many of them it asks for at once: one after the other, each would wait for memory.
const IN_FLIGHT: usize = 16;

/// What the kernel `total` is launched with: rows of floats, and where fewer rows go.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AddUp {
    /// The rows. [`TAKE`] alone writes them.
    pub from: *mut f32,
    /// Where the results go: rows as well.
    pub to: *mut f32,
    /// How many floats the rows have together.
    pub length: u64,
    /// How many threads there are: see [`threads`].
    pub threads: u64,
    /// How many of them are a block: see [`block`].
    pub block: u32,
    /// How many floats are in a row.
    pub row: u32,
    /// How many floats of a row hold something.
    pub features: u32,
    /// How they are combined: a [`TotalOperator`].
    pub operator: u32,
    /// Whether the iteration before has left anything active: [`Arguments::before`](crate::arguments::Arguments::before).
    pub before: *const u8,
    /// What is set to 0 if the first result is below the bound, where it is no null pointer: whether this iteration has left anything active.
    pub stop: *mut u8,
    /// The bound; for [`TAKE`] what the rows begin with again.
    pub bound: f32,
}

// SAFETY: what is read is not written, and each result is written by one thread.
unsafe impl Send for AddUp {}
// SAFETY: as above.
unsafe impl Sync for AddUp {}

/// Whether several threads of a block have the same place of a row, which they combine with each other.
const fn is_joined(row: u64, block: u64) -> bool {
    row <= block && row.is_power_of_two()
}

/// How many threads a block has at most, where there are `most`: half of them, so that there may be several blocks.
pub const fn block(most: u64) -> u64 {
    let half = if most / 2 > BLOCK { BLOCK } else { most / 2 };
    if half < LANES { LANES } else { 1 << half.ilog2() }
}

/// How many floats of shared memory a block has.
pub const fn shared_floats(block: u64) -> usize {
    block as usize
}

/// How many threads combine rows of `row` floats, `length` together: whole rows, and where threads join, whole warps and blocks.
pub fn threads(length: u64, row: u64, most: u64) -> u64 {
    let block = block(most);
    if !is_joined(row, block) {
        let wanted = length / FLOATS_PER_THREAD;
        return wanted.min(most).max(row).next_multiple_of(row);
    }
    let period = row.max(LANES);
    if length <= FLOATS_OF_ONE_BLOCK * block {
        return (length / IN_FLIGHT as u64).clamp(period, block).next_multiple_of(period);
    }
    (length / FLOATS_PER_THREAD).clamp(block, most).next_multiple_of(block)
}

/// How many floats so many threads leave, of which there are `most`.
pub fn left(row: u64, threads: u64, most: u64) -> u64 {
    let block = block(most);
    if is_joined(row, block) { threads.div_ceil(block) * row } else { threads }
}

/// The launches that combine `length` floats, by `most` threads at most: how many floats each begins with, and its threads.
pub fn launches(length: u64, row: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    let launch = move |length: u64| (length, threads(length, row, most));
    core::iter::successors(Some(launch(length)), move |(_, threads)| {
        let rest = left(row, *threads, most);
        (rest > row).then(|| launch(rest))
    })
}

/// The body of the kernel `total`.
///
/// # Safety
/// The arguments are as said at [`AddUp`], all threads of each block arrive, a block has [`shared_floats`], and nothing else writes the arrays during the launch.
#[cfg_attr(not(debug_assertions), inline(always))]
pub unsafe fn run<M: Block>(machine: M, add_up: &AddUp) {
    // SAFETY: the caller's.
    unsafe {
        if machine.load_mark(add_up.before) == 0 {
            return;
        }
        match add_up.operator {
            operator if operator == TotalOperator::Min as u32 => combine::<M, Min>(machine, add_up),
            operator if operator == TotalOperator::Max as u32 => combine::<M, Max>(machine, add_up),
            TAKE => take(machine, add_up),
            _ => combine::<M, Sum>(machine, add_up),
        }
    }
}

/// Each thread takes every `threads`th float.
///
/// # Safety
/// As [`run`].
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn take<M: Machine>(machine: M, add_up: &AddUp) {
    let mut at = if machine.thread() < add_up.threads { machine.thread() } else { add_up.length };
    while at < add_up.length {
        // SAFETY: `at` lies inside of both arrays, and no other thread comes there.
        unsafe {
            let value = machine.load::<1>(add_up.from.add(at as usize));
            machine.store(add_up.to.add(at as usize), value);
            machine.store(add_up.from.add(at as usize), [add_up.bound]);
        }
        at += add_up.threads;
    }
}

/// Each thread combines every `threads`th float, all of one column; the threads of a block that have the same one do so with each other.
///
/// # Safety
/// As [`run`].
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn combine<M: Block, O: Operator>(machine: M, add_up: &AddUp) {
    // SAFETY: the caller's.
    unsafe {
        let total = combine_own::<M, O>(machine, add_up);
        if is_joined(u64::from(add_up.row), u64::from(add_up.block)) {
            return leave(machine, add_up, join::<M, O>(machine, add_up.row, total), machine.block());
        }
        if machine.thread() < add_up.threads {
            machine.store(add_up.to.add(machine.thread() as usize), [total]);
        }
    }
}

/// What the thread itself combines.
///
/// # Safety
/// As [`run`].
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn combine_own<M: Machine, O: Operator>(machine: M, add_up: &AddUp) -> f32 {
    let (thread, row) = (machine.thread(), add_up.row);
    let has_values = thread < add_up.threads && thread as u32 % row.max(1) < add_up.features;
    let mut total = O::IDENTITY;
    let mut at = if has_values { thread } else { add_up.length };
    while at < add_up.length {
        // No load is behind a condition, so that none waits for another: what would lie outside is the first one again.
        let values: [f32; IN_FLIGHT] = array(|ahead| {
            let place = at + ahead as u64 * add_up.threads;
            let is_there = place < add_up.length;
            // SAFETY: it lies inside of the array.
            let [value] = unsafe { machine.load(add_up.from.add(if is_there { place } else { at } as usize)) };
            if is_there { value } else { O::IDENTITY }
        });
        each::<IN_FLIGHT>(|ahead| total = O::combine(total, values[ahead]));
        at += IN_FLIGHT as u64 * add_up.threads;
    }
    total
}

/// What the threads of a block that have the same column come to together, in the first ones of them: those of a warp join by shuffles, then one a column takes what all have left in shared
/// memory.
///
/// # Safety
/// As [`run`].
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn join<M: Block, O: Operator>(machine: M, row: u32, mut total: f32) -> Option<f32> {
    let mut distance = LANES as u32 / 2;
    while distance >= row {
        total = O::combine(total, machine.shuffle_xor(u32::MAX, total, distance));
        distance /= 2;
    }
    let own = machine.warp() * LANES as u32 + machine.lane();
    let left_by_warp = row.min(LANES as u32);
    // SAFETY: there is a float for each thread, each is written by one, and read when the block has met.
    unsafe {
        if machine.lane() < left_by_warp {
            machine.store_shared(machine.warp() * left_by_warp + machine.lane(), [total]);
        }
        machine.synchronize_block();
        let mut at = own + row;
        while own < row && at < machine.warps() * left_by_warp {
            let [other] = machine.load_shared(at);
            total = O::combine(total, other);
            at += row;
        }
    }
    (own < row).then_some(total)
}

/// Leaves the block's row; ends the run if its first float is below the bound.
///
/// # Safety
/// As [`run`].
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn leave<M: Block>(machine: M, add_up: &AddUp, total: Option<f32>, block: u64) {
    let Some(total) = total else { return };
    let column = u64::from(machine.warp()) * LANES + u64::from(machine.lane());
    let place = block * u64::from(add_up.row) + column;
    // SAFETY: each result has a place of its own, and the first one's thread alone stops the run.
    unsafe {
        machine.store(add_up.to.add(place as usize), [total]);
        if place == 0 && !add_up.stop.is_null() && total < add_up.bound {
            machine.store_mark(add_up.stop, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator;

    /// What is left of rows of floats.
    fn total(floats: &[f32], row: usize, features: u32, operator: TotalOperator, most: u64) -> Vec<f32> {
        let (mut from, mark) = (floats.to_vec(), 1_u8);
        for (length, threads) in launches(floats.len() as u64, row as u64, most) {
            let mut to = vec![f32::NAN; left(row as u64, threads, most) as usize];
            let add_up = AddUp {
                from: from.as_mut_ptr(),
                to: to.as_mut_ptr(),
                length,
                threads,
                block: block(most) as u32,
                row: row as u32,
                features,
                operator: operator as u32,
                before: &raw const mark,
                stop: core::ptr::null_mut(),
                bound: 0.0,
            };
            launch(&add_up);
            from = to;
        }
        assert_eq!(from.len(), row, "one row is left");
        from
    }

    fn launch(add_up: &AddUp) {
        let (block, memory, order) = (u64::from(add_up.block), None, emulator::Order::Forward);
        let warps = (block / LANES) as u32;
        let blocks = emulator::Blocks::of_tiles(add_up.threads.div_ceil(block), 1, warps, shared_floats(block));
        let launch = emulator::Launch { memory, blocks, order, is_over: false, begins_early: false };
        // SAFETY: the arrays are alive, and the lanes run one at a time.
        launch.run(&|lane| unsafe { run(lane, add_up) }).unwrap();
    }

    #[test]
    fn every_value_is_added_once() {
        for row in [1, 2, 8, 20, 32, 48, 64] {
            for rows in [0, 1, 3, 31, 700, 3000] {
                let floats: Vec<f32> = (0..rows * row).map(|at| (at % 17) as f32).collect();
                let expected = |column: usize| floats.iter().skip(column).step_by(row).sum::<f32>();
                for most in [64, 1 << 10, 1 << 16] {
                    let found = total(&floats, row, row as u32, TotalOperator::Sum, most);
                    let expected: Vec<f32> = (0..row).map(expected).collect();
                    assert_eq!(found, expected, "{rows} rows of {row} by {most} threads");
                }
            }
        }
    }

    #[test]
    fn bounds_are_found_and_padding_is_left_out() {
        let mut floats: Vec<f32> = (0..4 * 300).map(|at| ((at * 37) % 1001) as f32).collect();
        floats.iter_mut().skip(3).step_by(4).for_each(|padding| *padding = f32::NAN);
        let least = total(&floats, 4, 3, TotalOperator::Min, 128);
        let most = total(&floats, 4, 3, TotalOperator::Max, 128);
        for column in 0..3 {
            let values = || floats.iter().skip(column).step_by(4).copied();
            assert_eq!(least[column], values().fold(f32::INFINITY, f32::min));
            assert_eq!(most[column], values().fold(f32::NEG_INFINITY, f32::max));
        }
        assert_eq!(total(&[], 1, 1, TotalOperator::Min, 128), [f32::INFINITY]);
    }

    #[test]
    fn what_is_taken_begins_again() {
        let (mut from, mut to, mark) = ((0..100).map(|at| at as f32).collect::<Vec<_>>(), vec![f32::NAN; 101], 1_u8);
        let add_up = AddUp {
            from: from.as_mut_ptr(),
            to: to.as_mut_ptr(),
            length: 100,
            threads: 32,
            block: 32,
            row: 1,
            features: 1,
            operator: TAKE,
            before: &raw const mark,
            stop: core::ptr::null_mut(),
            bound: f32::INFINITY,
        };
        launch(&add_up);
        assert!(to[..100].iter().enumerate().all(|(at, value)| *value == at as f32) && to[100].is_nan());
        assert!(from.iter().all(|value| *value == f32::INFINITY));
    }

    #[test]
    fn millions_of_floats_take_few_launches() {
        let most = 1 << 18;
        assert_eq!([1 << 16, 1 << 17, 1 << 26].map(|length| launches(length, 1, most).count()), [1, 2, 2]);
        assert_eq!([1 << 16, 1 << 17, 1 << 26].map(|length| launches(length, 64, most).count()), [1, 2, 2]);
    }
}
