//! `|=`: the bits that any contribution has. There is no change: when one loses a bit, the total does not say whether another has it.

use crate::machine::Machine;
use crate::operator::Operator;
use crate::unrolled::each;

/// `|=`, of integers
#[derive(Clone, Copy, Debug)]
pub struct BitOr;

impl Operator for BitOr {
    const IDENTITY: f32 = 0.0;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine(a: f32, b: f32) -> f32 {
        f32::from_bits(a.to_bits() | b.to_bits())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine_integers(a: u32, b: u32) -> u32 {
        a | b
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_to_integer<M: Machine>(machine: M, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { machine.or_u32(to, value) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        each::<V>(|index| unsafe { machine.or_u32(to.add(index).cast(), values[index].to_bits()) });
    }
}
