//! The machine of one CPU thread: a single lane that holds all features.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use crate::conversion;
use crate::half;
use crate::machine::Machine;
use crate::unrolled::array;

/// The only lane of a CPU thread. Groups of one lane need no exchange, so every collaborative operation is a plain loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

/// The same of a processor with vectors of 256 bits: a type of its own, so that what is compiled for one is not compiled for the other.
#[derive(Clone, Copy, Debug)]
pub struct WideCpu(());

/// The same for looking ahead: to load features is to have them fetched, and they are zeros. Integers, by which functions find other values, it loads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ahead;

impl WideCpu {
    /// The only lane of such a processor.
    ///
    /// # Safety
    /// The processor has AVX2 and F16C.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn claim() -> Self {
        Self(())
    }
}

/// Whether the processor can be told what to fetch.
pub(crate) const CAN_FETCH: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// Some floats that lie together. What is written by sixteen bytes a processor is slow to read by thirty-two, so that they are as many as the widest vector has.
#[repr(C, align(16))]
struct Together<const N: usize>([f32; N]);

/// Combines into a float that other threads may combine into at the same time.
///
/// # Safety
/// `to` is valid and aligned, and all concurrent accesses are atomic.
#[cfg_attr(not(debug_assertions), inline(always))]
pub unsafe fn combine_f32(to: *mut f32, value: f32, combine: impl Fn(f32, f32) -> f32) {
    // SAFETY: the caller's.
    let cell = unsafe { AtomicU32::from_ptr(to.cast()) };
    let mut old = cell.load(Ordering::Relaxed);
    loop {
        let new = combine(f32::from_bits(old), value).to_bits();
        match cell.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(current) => old = current,
        }
    }
}

/// Loads `V` floats, 32 or 16 bytes at a time where `V` is a multiple of 8 or 4.
///
/// # Safety
/// As [`Machine::load`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub unsafe fn load_floats<const V: usize>(from: *const f32) -> [f32; V] {
    // SAFETY: the caller's; rows of a multiple of four features are aligned to 16 bytes.
    unsafe {
        if V.is_multiple_of(8) {
            load_together::<8, V>(from)
        } else if V.is_multiple_of(4) {
            load_together::<4, V>(from)
        } else {
            // One by one: two at once become an integer, of which floats are cut.
            array(|index| from.add(index).read())
        }
    }
}

/// Loads `V` floats, `N` at a time.
///
/// # Safety
/// As [`Machine::load`]; they are aligned to 16 bytes, and `V` is a multiple of `N`.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn load_together<const N: usize, const V: usize>(from: *const f32) -> [f32; V] {
    let mut values = [0.0; V];
    // Arrays, not slices: a copy of slices is a call where a crate's parts are not optimized together (`docs/performance.md`).
    for (number, part) in values.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        // SAFETY: the caller's.
        *part = unsafe { from.cast::<Together<N>>().add(number).read() }.0;
    }
    values
}

/// Has the processor fetch `V` numbers, if it can be told.
#[cfg_attr(not(debug_assertions), inline(always))]
fn fetch<T, const V: usize>(_from: *const T) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..size_of::<[T; V]>()).step_by(64) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: no address that is fetched can do harm.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(_from.wrapping_byte_add(at).cast()) };
    }
}

macro_rules! one_lane {
    ($machine:ident, is_ahead = $is_ahead:literal, has_halves = $has_halves:literal) => {
        // SAFETY: it is one lane and one thread, and exchanges nothing.
        unsafe impl Machine for $machine {
            const LANES: u32 = 1;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lane(self) -> u32 {
                0
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn thread(self) -> u64 {
                0
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn shuffle_xor(self, _members: u32, value: f32, _lane_mask: u32) -> f32 {
                value
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn shuffle_xor_u32(self, _members: u32, value: u32, _lane_mask: u32) -> u32 {
                value
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn shuffle_from(self, _members: u32, value: u32, _lane: u32) -> u32 {
                value
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn ballot(self, _members: u32, vote: bool) -> u32 {
                u32::from(vote)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn let_next_begin(self) {}

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn wait_for_launch_before(self) {}

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn synchronize(self, _members: u32) {}

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load<const V: usize>(self, from: *const f32) -> [f32; V] {
                if $is_ahead {
                    fetch::<_, V>(from);
                    return [0.0; V];
                }
                // SAFETY: the caller's.
                unsafe { load_floats(from) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store<const V: usize>(self, to: *mut f32, values: [f32; V]) {
                for (index, value) in values.into_iter().enumerate() {
                    // SAFETY: the caller's.
                    unsafe { to.add(index).write(value) };
                }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn add<const V: usize>(self, to: *mut f32, values: [f32; V]) {
                for (index, value) in values.into_iter().enumerate() {
                    // SAFETY: the caller's.
                    unsafe { combine_f32(to.add(index), value, |a, b| a + b) };
                }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load_u32(self, from: *const u32) -> u32 {
                // SAFETY: the caller's.
                unsafe { from.read() }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load_u64(self, from: *const u64) -> u64 {
                // SAFETY: the caller's.
                unsafe { from.read() }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load_word(self, from: *const u32) -> u32 {
                // SAFETY: the caller's.
                unsafe { from.read() }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store_u32(self, to: *mut u32, value: u32) {
                // SAFETY: the caller's.
                unsafe { to.write(value) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load_mark(self, from: *const u8) -> u8 {
                // SAFETY: the caller's; marks are only reached atomically.
                unsafe { AtomicU8::from_ptr(from.cast_mut()) }.load(Ordering::Relaxed)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store_mark(self, to: *mut u8, value: u8) {
                // SAFETY: the caller's; marks are only reached atomically.
                unsafe { AtomicU8::from_ptr(to) }.store(value, Ordering::Relaxed);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load_byte(self, from: *const u8) -> u8 {
                // SAFETY: the caller's.
                unsafe { from.read() }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store_byte(self, to: *mut u8, value: u8) {
                // SAFETY: the caller's.
                unsafe { to.write(value) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load_halves<const V: usize>(self, from: *const u16) -> [u16; V] {
                if $is_ahead {
                    fetch::<_, V>(from);
                    return [0; V];
                }
                // SAFETY: the caller's.
                unsafe { from.cast::<[u16; V]>().read() }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store_halves<const V: usize>(self, to: *mut u16, values: [u16; V]) {
                // SAFETY: the caller's.
                unsafe { to.cast::<[u16; V]>().write(values) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn widen_halves<const V: usize>(self, halves: [u16; V]) -> [f32; V] {
                // SAFETY: `WideCpu`, which alone has halves: the processor has F16C.
                if $has_halves { unsafe { conversion::widened(halves) } } else { half::widen(halves) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn narrow_halves<const V: usize>(self, values: [f32; V]) -> [u16; V] {
                // SAFETY: the same.
                if $has_halves { unsafe { conversion::narrowed(values) } } else { half::narrow(values) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn add_u32(self, to: *mut u32, value: u32) {
                // SAFETY: the caller's.
                unsafe { AtomicU32::from_ptr(to) }.fetch_add(value, Ordering::Relaxed);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn min_u32(self, to: *mut u32, value: u32) {
                // SAFETY: the caller's.
                unsafe { AtomicU32::from_ptr(to) }.fetch_min(value, Ordering::Relaxed);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn max_u32(self, to: *mut u32, value: u32) {
                // SAFETY: the caller's.
                unsafe { AtomicU32::from_ptr(to) }.fetch_max(value, Ordering::Relaxed);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn or_u32(self, to: *mut u32, value: u32) {
                // SAFETY: the caller's.
                unsafe { AtomicU32::from_ptr(to) }.fetch_or(value, Ordering::Relaxed);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn and_u32(self, to: *mut u32, value: u32) {
                // SAFETY: the caller's.
                unsafe { AtomicU32::from_ptr(to) }.fetch_and(value, Ordering::Relaxed);
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn compare_and_swap(self, to: *mut u32, old: u32, new: u32) -> u32 {
                // SAFETY: the caller's.
                let word = unsafe { AtomicU32::from_ptr(to) };
                word.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|found| found)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn add_u64(self, to: *mut u64, value: u64) -> u64 {
                // SAFETY: the caller's.
                unsafe { AtomicU64::from_ptr(to) }.fetch_add(value, Ordering::Relaxed)
            }
        }
    };
}

one_lane!(Cpu, is_ahead = false, has_halves = false);
one_lane!(WideCpu, is_ahead = false, has_halves = true);
one_lane!(Ahead, is_ahead = true, has_halves = false);
