//! A machine that reaches one float at a time: what a program does that does not know of features. Folds of `features_per_lane = all` run on it.

use crate::agreement::Disagreement;
use crate::block::Block;
use crate::machine::Machine;
use crate::unrolled;

/// A lane of `M` that splits every access to features into single floats.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<M>(pub M);

impl<M: Machine> Scalar<M> {
    /// Does something for each of `V` features.
    #[inline(always)]
    fn each<const V: usize>(self, values: [f32; V], mut apply: impl FnMut(M, usize, [f32; 1])) {
        unrolled::each::<V>(|index| apply(self.0, index, [values[index]]));
    }

    /// Loads each of `V` features.
    #[inline(always)]
    fn gather<const V: usize>(self, mut load: impl FnMut(M, usize) -> [f32; 1]) -> [f32; V] {
        unrolled::array(|index| load(self.0, index)[0])
    }
}

// SAFETY: as of `M`.
unsafe impl<M: Machine> Machine for Scalar<M> {
    const LANES: u32 = M::LANES;
    const COMPARES: bool = M::COMPARES;

    #[inline(always)]
    fn disagree(self, disagreement: Disagreement) {
        self.0.disagree(disagreement);
    }

    #[inline(always)]
    fn lane(self) -> u32 {
        self.0.lane()
    }

    #[inline(always)]
    fn thread(self) -> u64 {
        self.0.thread()
    }

    #[inline(always)]
    fn tile(self) -> u32 {
        self.0.tile()
    }

    #[inline(always)]
    fn shuffle_xor(self, members: u32, value: f32, lane_mask: u32) -> f32 {
        self.0.shuffle_xor(members, value, lane_mask)
    }

    #[inline(always)]
    fn shuffle_xor_u32(self, members: u32, value: u32, lane_mask: u32) -> u32 {
        self.0.shuffle_xor_u32(members, value, lane_mask)
    }

    #[inline(always)]
    fn shuffle_from(self, members: u32, value: u32, lane: u32) -> u32 {
        self.0.shuffle_from(members, value, lane)
    }

    #[inline(always)]
    fn ballot(self, members: u32, vote: bool) -> u32 {
        self.0.ballot(members, vote)
    }

    #[inline(always)]
    fn synchronize(self, members: u32) {
        self.0.synchronize(members);
    }

    #[inline(always)]
    unsafe fn load<const V: usize>(self, from: *const f32) -> [f32; V] {
        // SAFETY: the caller's.
        self.gather(|machine, index| unsafe { machine.load::<1>(from.add(index)) })
    }

    #[inline(always)]
    unsafe fn store<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.store(to.add(index), value) });
    }

    #[inline(always)]
    unsafe fn add<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.add(to.add(index), value) });
    }

    #[inline(always)]
    unsafe fn multiply<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.multiply(to.add(index), value) });
    }

    #[inline(always)]
    unsafe fn multiply_quotients<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.multiply_quotients(to.add(index), value) });
    }

    #[inline(always)]
    unsafe fn min<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.min(to.add(index), value) });
    }

    #[inline(always)]
    unsafe fn max<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        self.each(values, |machine, index, value| unsafe { machine.max(to.add(index), value) });
    }

    #[inline(always)]
    unsafe fn load_u32(self, from: *const u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { self.0.load_u32(from) }
    }

    #[inline(always)]
    unsafe fn load_u64(self, from: *const u64) -> u64 {
        // SAFETY: the caller's.
        unsafe { self.0.load_u64(from) }
    }

    #[inline(always)]
    unsafe fn load_word(self, from: *const u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { self.0.load_word(from) }
    }

    #[inline(always)]
    unsafe fn store_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { self.0.store_u32(to, value) }
    }

    #[inline(always)]
    unsafe fn load_mark(self, from: *const u8) -> u8 {
        // SAFETY: the caller's.
        unsafe { self.0.load_mark(from) }
    }

    #[inline(always)]
    unsafe fn store_mark(self, to: *mut u8, value: u8) {
        // SAFETY: the caller's.
        unsafe { self.0.store_mark(to, value) }
    }

    #[inline(always)]
    unsafe fn load_byte(self, from: *const u8) -> u8 {
        // SAFETY: the caller's.
        unsafe { self.0.load_byte(from) }
    }

    #[inline(always)]
    unsafe fn store_byte(self, to: *mut u8, value: u8) {
        // SAFETY: the caller's.
        unsafe { self.0.store_byte(to, value) }
    }

    #[inline(always)]
    unsafe fn load_halves<const V: usize>(self, from: *const u16) -> [u16; V] {
        // SAFETY: the caller's.
        unrolled::array(|index| unsafe { self.0.load_halves::<1>(from.add(index)) }[0])
    }

    #[inline(always)]
    unsafe fn store_halves<const V: usize>(self, to: *mut u16, values: [u16; V]) {
        // SAFETY: the caller's.
        unrolled::each::<V>(|index| unsafe { self.0.store_halves(to.add(index), [values[index]]) });
    }

    #[inline(always)]
    unsafe fn add_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { self.0.add_u32(to, value) }
    }

    #[inline(always)]
    unsafe fn min_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { self.0.min_u32(to, value) }
    }

    #[inline(always)]
    unsafe fn max_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { self.0.max_u32(to, value) }
    }

    #[inline(always)]
    unsafe fn or_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { self.0.or_u32(to, value) }
    }

    #[inline(always)]
    unsafe fn and_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { self.0.and_u32(to, value) }
    }

    #[inline(always)]
    unsafe fn add_u64(self, to: *mut u64, value: u64) -> u64 {
        // SAFETY: the caller's.
        unsafe { self.0.add_u64(to, value) }
    }
}

// SAFETY: as of `M`.
unsafe impl<M: Block> Block for Scalar<M> {
    #[inline(always)]
    fn block(self) -> u64 {
        self.0.block()
    }

    #[inline(always)]
    fn warp(self) -> u32 {
        self.0.warp()
    }

    #[inline(always)]
    fn warps(self) -> u32 {
        self.0.warps()
    }

    #[inline(always)]
    fn synchronize_block(self) {
        self.0.synchronize_block();
    }

    #[inline(always)]
    unsafe fn load_shared<const V: usize>(self, from: u32) -> [f32; V] {
        // SAFETY: the caller's.
        self.gather(|machine, index| unsafe { machine.load_shared::<1>(from + index as u32) })
    }

    #[inline(always)]
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
