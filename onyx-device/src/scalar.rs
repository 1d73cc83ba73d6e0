//! A machine that reaches one float at a time: what a program does that does not know of features. Folds of `features_per_lane = all` run on it.

use crate::agreement::Disagreement;
use crate::block::Block;
use crate::forwarded::{forwarded, forwarded_warp, forwarded_words};
use crate::machine::Machine;
use crate::unrolled;

/// A lane of `M` that splits every access to features into single floats.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<M>(pub M);

impl<M: Machine> Scalar<M> {
    /// Does something for each of `V` features.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each<const V: usize>(self, values: [f32; V], mut apply: impl FnMut(M, usize, [f32; 1])) {
        unrolled::each::<V>(|index| apply(self.0, index, [values[index]]));
    }

    /// Loads each of `V` features.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gather<const V: usize>(self, mut load: impl FnMut(M, usize) -> [f32; 1]) -> [f32; V] {
        unrolled::array(|index| load(self.0, index)[0])
    }
}

// SAFETY: as of `M`.
unsafe impl<M: Machine> Machine for Scalar<M> {
    const LANES: u32 = M::LANES;
    const COMPARES: bool = M::COMPARES;

    forwarded_warp!(0);
    forwarded_words!(0);
    forwarded! {
        0:
        fn disagree(disagreement: Disagreement);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<const V: usize>(self, from: *const f32) -> [f32; V] {
        // SAFETY: the caller's.
        self.gather(|machine, index| unsafe { machine.load::<1>(from.add(index)) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.store(to.add(index), value) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_anywhere<const V: usize>(self, from: *const f32) -> [f32; V] {
        // SAFETY: the caller's.
        self.gather(|machine, index| unsafe { machine.load_anywhere(from.add(index)) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_anywhere<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.store_anywhere(to.add(index), value) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.add(to.add(index), value) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn multiply<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.multiply(to.add(index), value) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn multiply_quotients<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.multiply_quotients(to.add(index), value) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn min<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.min(to.add(index), value) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn max<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.max(to.add(index), value) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_halves<const V: usize>(self, from: *const u16) -> [u16; V] {
        // SAFETY: the caller's.
        unrolled::array(|index| unsafe { self.0.load_halves::<1>(from.add(index)) }[0])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_halves<const V: usize>(self, to: *mut u16, values: [u16; V]) {
        // SAFETY: the caller's.
        unrolled::each::<V>(|index| unsafe { self.0.store_halves(to.add(index), [values[index]]) });
    }
}

// SAFETY: as of `M`.
unsafe impl<M: Block> Block for Scalar<M> {
    forwarded! {
        0:
        fn block() -> u64;
        fn blocks() -> u64;
        fn beside() -> u32;
        fn warp() -> u32;
        fn warps() -> u32;
        fn synchronize_block();
        fn shared_place(float: u32) -> *mut f32;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<const V: usize>(self, from: u32) -> [f32; V] {
        // SAFETY: the caller's.
        self.gather(|machine, index| unsafe { machine.load_shared::<1>(from + index as u32) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<const V: usize>(self, to: u32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.store_shared(to + index as u32, value) });
    }
}

#[cfg(test)]
mod tests {
    use super::Scalar;
    use crate::cpu::Cpu;
    use crate::machine::Machine;

    #[test]
    fn every_feature_is_reached_once() {
        let mut row = [1.0, 2.0, 3.0, 4.0];
        let (machine, at) = (Scalar(Cpu), row.as_mut_ptr());
        // SAFETY: the row has four floats, and nobody else reaches it.
        unsafe {
            machine.add(at, [1.0; 4]);
            machine.multiply(at, [2.0; 4]);
            machine.min(at, [9.0; 4]);
            machine.max(at, [5.0; 4]);
            assert_eq!(machine.load::<4>(at), [5.0, 6.0, 8.0, 9.0]);
            machine.store(at.add(1), [7.0; 2]);
        }
        assert_eq!(row, [5.0, 7.0, 7.0, 9.0]);
    }
}
