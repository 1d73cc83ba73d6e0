//! What a lane can do: exchange values with the lanes of its warp, and reach memory.

use crate::agreement::Disagreement;
use crate::cpu::combine_f32;
use crate::half;
use crate::log_products::LogProducts;
use crate::outer_sum::Adding;
use crate::row::Row;
use crate::tile;
use crate::weighing::Weighing;

/// A lane of the machine that lowered functions and schedules run on.
///
/// There are three: a lane of an NVIDIA warp (`nvptx`), a lane of the warp emulator (`emulator`), and the single lane of a CPU thread
/// ([`crate::cpu::Cpu`]). The same generic code runs on all of them.
///
/// # Safety
/// Lanes and threads are numbered as said, each thread of a launch is one value, and what lanes exchange is what they have passed.
///
/// # Safety of the memory operations
/// 1. The pointer is valid for the access and aligned to the access's size, up to 16 bytes.
/// 2. Where two lanes of a launch reach one address and one of them writes, whether before or after, they meet in between: at a
///    [`Machine::synchronize`] that names both or at the barrier of their [`Block`](crate::Block), directly or by way of lanes that do.
///    Shuffles and ballots exchange values and order no memory; lanes of different blocks never meet.
///
///    Two things alone may be done without: lanes may store equal marks ([`Machine::store_mark`]), and they may combine by one operator
///    ([`Machine::add`], [`Machine::add_u32`] and [`Machine::add_u64`]; [`Machine::multiply`] and [`Machine::multiply_quotients`];
///    [`Machine::min`] and [`Machine::min_u32`]; [`Machine::max`] and [`Machine::max_u32`]; [`Machine::or_u32`]; [`Machine::and_u32`]; [`Machine::compare_and_swap`]). To load what others so leave takes a meeting, even where it would be the same before and after.
/// 3. What [`Machine::load_u32`] and [`Machine::load_u64`] load is written by no lane in the whole launch, not even by the one that loads it.
/// 4. Where a launch may begin before the one before it has ended, a lane neither loads what that writes nor writes what that reaches before it
///    [waits](Machine::wait_for_launch_before), but where both combine by one operator; and in each launch a lane waits.
pub unsafe trait Machine: Copy {
    /// How many lanes exchange values: 32 in a warp, 1 on the CPU.
    const LANES: u32;
    /// Whether values that must be the same for all features are compared.
    const COMPARES: bool = false;

    /// What becomes of contributions to totals that are weighed.
    const WEIGHING: Weighing = Weighing::Alone;

    /// What becomes of an outer product that is added to a total.
    const ADDING: Adding = Adding::Alone;

    /// Notes what makes feature `index` of an outer product, where products are noted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn note_product(self, _index: usize, _a: f32, _b: f32) {}

    /// Adds row `index` of the noted products to that of a total.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_noted<const K: usize>(self, _index: usize, _total: &mut Row<K>, _product: (f32, &Row<K>)) {}

    /// What becomes of a product of a matrix with logarithms.
    const LOG_PRODUCTS: LogProducts = LogProducts::Alone;

    /// Notes what makes feature `index` of such a product, where they are noted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn note_log_product<const GREATEST: bool, const K: usize>(self, _index: usize, _row: &Row<K>, _x: f32) {}

    /// Feature `index` of such a product, where it is given.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn log_product(self, _index: usize) -> f32 {
        0.0
    }

    /// The weight of the contribution, where it is given.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weight(self) -> f32 {
        1.0
    }

    /// Two features have different values of what must have one. Only called where the machine compares.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn disagree(self, _disagreement: Disagreement) {}

    /// This lane's number in its warp, `0..LANES`.
    fn lane(self) -> u32;

    /// This thread's number among those of its tile in the launch.
    fn thread(self) -> u64;

    /// The number of the tile that this thread has, counted from the first one of the launch.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tile(self) -> u32 {
        0
    }

    /// The value that lane `lane ^ lane_mask` passed. Every lane of `members` must arrive.
    fn shuffle_xor(self, members: u32, value: f32, lane_mask: u32) -> f32;

    /// The same for an unsigned integer.
    fn shuffle_xor_u32(self, members: u32, value: u32, lane_mask: u32) -> u32;

    /// The value that lane `lane` of the warp passed; each lane may name another. Every lane of `members` must arrive.
    fn shuffle_from(self, members: u32, value: u32, lane: u32) -> u32;

    /// The same for a double word.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shuffle_from_u64(self, members: u32, value: u64, lane: u32) -> u64 {
        let low = self.shuffle_from(members, value as u32, lane);
        let high = self.shuffle_from(members, (value >> 32) as u32, lane);
        u64::from(high) << 32 | u64::from(low)
    }

    /// One bit for each lane of `members`: whether it voted yes. Every lane of `members` must arrive.
    fn ballot(self, members: u32, vote: bool) -> u32;

    /// Adds to 16 x 8 `totals` the product of 16 x 8 and 8 x 8 numbers, of which all but the upper 19 bits are left out. Every lane of the warp must arrive.
    ///
    /// Lane 4 i + j has, of `left`, terms j and j + 4 of rows i and i + 8, one row after the other; of `right`, terms j and j + 4 of column i; of `totals`, columns
    /// 2 j and 2 j + 1 of row i, then of row i + 8.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_tile(self, left: [f32; 4], right: [f32; 2], totals: [f32; 4]) -> [f32; 4] {
        tile::added(self, left, right, totals)
    }

    /// Lets the next launch begin when every block of this one has come here or ended, if the host has asked for that: `griddepcontrol` of PTX.
    fn let_next_begin(self);

    /// Waits until the launch before this one has ended, if this one has begun earlier, and lets the lane see what that has written.
    fn wait_for_launch_before(self);

    /// Waits until every lane of `members` has arrived, and lets each see what the others have written. Nothing else in a warp does the latter.
    fn synchronize(self, members: u32);

    /// The floats of all `K` lanes of a group in each of them, where it has a way of its own besides shuffles. Every lane of the group must arrive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gathered<const K: usize>(self, _value: f32) -> Option<[f32; K]> {
        None
    }

    /// The floats of one lane of a group in each of them, as [`Machine::gathered`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row_of<const K: usize>(self, _row: [f32; K], _lane: u32) -> Option<[f32; K]> {
        None
    }

    /// The solution of a system of `features` equations, of which each lane of a group has a row and its right side, as [`Machine::gathered`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn solve<const K: usize>(self, _row: [f32; K], _right: f32, _features: u32) -> Option<f32> {
        None
    }

    /// Loads `V` consecutive features.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load<const V: usize>(self, from: *const f32) -> [f32; V];

    /// Stores `V` consecutive features.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn store<const V: usize>(self, to: *mut f32, values: [f32; V]);

    /// Loads `V` consecutive features that no other lane asks for in this stage, so that a cache may let them go first.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_streamed<const V: usize>(self, from: *const f32) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe { self.load(from) }
    }

    /// Stores `V` consecutive features that no other lane asks for in this stage.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_streamed<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { self.store(to, values) }
    }

    /// Loads `V` consecutive features that lie in memory or in the block's shared memory, whose places [`Block::shared_place`](crate::block::Block::shared_place) says.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_anywhere<const V: usize>(self, from: *const f32) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe { self.load(from) }
    }

    /// Stores `V` consecutive features there.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_anywhere<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { self.store(to, values) }
    }

    /// Adds to `V` consecutive features, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn add<const V: usize>(self, to: *mut f32, values: [f32; V]);

    /// Multiplies `V` consecutive features, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn multiply<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { combine_f32(to.add(index), value, |a, b| a * b) };
        }
    }

    /// Multiplies `V` consecutive quotients, each atomically. What comes too near to zero or is not finite becomes NaN, and stays it.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn multiply_quotients<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { combine_f32(to.add(index), value, multiply_quotient) };
        }
    }

    /// Lowers `V` consecutive features to at most the values, each atomically. A value that is NaN is left out.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn min<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { combine_f32(to.add(index), value, f32::min) };
        }
    }

    /// Raises `V` consecutive features to at least the values, each atomically. A value that is NaN is left out.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn max<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { combine_f32(to.add(index), value, f32::max) };
        }
    }

    /// Loads a word that nothing writes during the launch.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load_u32(self, from: *const u32) -> u32;

    /// Loads a double word that nothing writes during the launch.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load_u64(self, from: *const u64) -> u64;

    /// Loads a word that the launch writes, too.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load_word(self, from: *const u32) -> u32;

    /// Stores a word.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn store_u32(self, to: *mut u32, value: u32);

    /// Loads a mark.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load_mark(self, from: *const u8) -> u8;

    /// Stores a mark; several lanes may store the same value at once.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn store_mark(self, to: *mut u8, value: u8);

    /// Loads a byte that the launch writes, too.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load_byte(self, from: *const u8) -> u8;

    /// Stores a byte.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn store_byte(self, to: *mut u8, value: u8);

    /// Loads `V` consecutive floats of two bytes.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load_halves<const V: usize>(self, from: *const u16) -> [u16; V];

    /// Stores `V` consecutive floats of two bytes.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn store_halves<const V: usize>(self, to: *mut u16, values: [u16; V]);

    /// The numbers that the bits of [`struct@crate::half::f16`]s stand for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn widen_halves<const V: usize>(self, halves: [u16; V]) -> [f32; V] {
        half::widen(halves)
    }

    /// The bits of the nearest [`struct@crate::half::f16`]s.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow_halves<const V: usize>(self, values: [f32; V]) -> [u16; V] {
        half::narrow(values)
    }

    /// Adds to a word atomically, modulo 2^32.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn add_u32(self, to: *mut u32, value: u32);

    /// Lowers a word to at most the value, atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn min_u32(self, to: *mut u32, value: u32);

    /// Raises a word to at least the value, atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn max_u32(self, to: *mut u32, value: u32);

    /// Sets the bits of a word that the value has, atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn or_u32(self, to: *mut u32, value: u32);

    /// Clears the bits of a word that the value has not, atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn and_u32(self, to: *mut u32, value: u32);

    /// Stores `new` in a word if that is `old`, atomically. Returns what it was before.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn compare_and_swap(self, to: *mut u32, old: u32, new: u32) -> u32;

    /// Adds to a counter atomically. Returns what it was before.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn add_u64(self, to: *mut u64, value: u64) -> u64;
}

/// The product of two quotients, NaN if that has lost digits.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn multiply_quotient(a: f32, b: f32) -> f32 {
    let product = a * b;
    if product.is_normal() { product } else { f32::NAN }
}
