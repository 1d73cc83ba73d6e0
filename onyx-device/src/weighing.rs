//! How a lane that is alone weighs several edges together: exponentials of scores side by side, which become vector instructions, in place of one after the other.
//!
//! The functions of an edge run twice. First by a machine that only keeps what a contribution weighs by, so that the compiler leaves nothing else of them; then by one
//! that has the weight.

use crate::machine::Machine;

/// What becomes of the contributions to a total that is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// Each is weighed, and combined.
    Alone,
    /// Only what it weighs by is kept.
    Noted,
    /// The machine has its weight.
    Given,
}

/// A lane that notes what contributions weigh by, or has the weight of the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weigher<M, const NOTES: bool> {
    lane: M,
    weight: f32,
}

impl<M> Weigher<M, true> {
    /// A lane that notes.
    #[inline(always)]
    pub(crate) fn noting(lane: M) -> Self {
        Self { lane, weight: 1.0 }
    }
}

impl<M> Weigher<M, false> {
    /// A lane that has a weight.
    #[inline(always)]
    pub(crate) fn given(lane: M, weight: f32) -> Self {
        Self { lane, weight }
    }
}

/// The methods of a machine, of the one inside.
macro_rules! inner {
    ($($(#[$kind:ident])? fn $name:ident$(<const $n:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?;)+) => {
        $(inner! { @one $($kind)? fn $name$(<const $n: usize>)?($($argument: $type),*) $(-> $result)?; })+
    };
    (@one fn $name:ident$(<const $n:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?;) => {
        #[inline(always)]
        fn $name$(<const $n: usize>)?(self $(, $argument: $type)*) $(-> $result)? {
            self.lane.$name($($argument),*)
        }
    };
    (@one reaches fn $name:ident$(<const $n:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?;) => {
        #[inline(always)]
        unsafe fn $name$(<const $n: usize>)?(self $(, $argument: $type)*) $(-> $result)? {
            // SAFETY: the caller's.
            unsafe { self.lane.$name($($argument),*) }
        }
    };
}

// SAFETY: it is the machine inside.
unsafe impl<M: Machine, const NOTES: bool> Machine for Weigher<M, NOTES> {
    const LANES: u32 = M::LANES;
    const WEIGHING: Weighing = if NOTES { Weighing::Noted } else { Weighing::Given };

    #[inline(always)]
    fn weight(self) -> f32 {
        self.weight
    }

    inner! {
        fn lane() -> u32;
        fn thread() -> u64;
        fn tile() -> u32;
        fn shuffle_xor(members: u32, value: f32, lane_mask: u32) -> f32;
        fn shuffle_xor_u32(members: u32, value: u32, lane_mask: u32) -> u32;
        fn shuffle_from(members: u32, value: u32, lane: u32) -> u32;
        fn ballot(members: u32, vote: bool) -> u32;
        fn synchronize(members: u32);
        #[reaches] fn load<const V: usize>(from: *const f32) -> [f32; V];
        #[reaches] fn store<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn add<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn load_u32(from: *const u32) -> u32;
        #[reaches] fn load_u64(from: *const u64) -> u64;
        #[reaches] fn load_word(from: *const u32) -> u32;
        #[reaches] fn store_u32(to: *mut u32, value: u32);
        #[reaches] fn load_mark(from: *const u8) -> u8;
        #[reaches] fn store_mark(to: *mut u8, value: u8);
        #[reaches] fn load_byte(from: *const u8) -> u8;
        #[reaches] fn store_byte(to: *mut u8, value: u8);
        #[reaches] fn load_halves<const V: usize>(from: *const u16) -> [u16; V];
        #[reaches] fn store_halves<const V: usize>(to: *mut u16, values: [u16; V]);
        fn widen_halves<const V: usize>(halves: [u16; V]) -> [f32; V];
        fn narrow_halves<const V: usize>(values: [f32; V]) -> [u16; V];
        #[reaches] fn add_u32(to: *mut u32, value: u32);
        #[reaches] fn min_u32(to: *mut u32, value: u32);
        #[reaches] fn max_u32(to: *mut u32, value: u32);
        #[reaches] fn or_u32(to: *mut u32, value: u32);
        #[reaches] fn and_u32(to: *mut u32, value: u32);
        #[reaches] fn add_u64(to: *mut u64, value: u64) -> u64;
    }
}
