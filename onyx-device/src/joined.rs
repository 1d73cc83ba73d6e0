//! The lanes of a block as one group, which holds what a warp's registers do not: what warps exchange by shuffles goes through the block's shared memory.

use crate::agreement::Disagreement;
use crate::block::Block;
use crate::cholesky;
use crate::forwarded::{forwarded, forwarded_words};
use crate::machine::Machine;

/// The lanes of a warp.
const WARP: usize = 32;

/// A lane of a block of `N` lanes, all of which are one group.
///
/// The first `N` floats of the shared memory are what lanes leave each other: they meet before they write there, so that all have read what was there
/// before, and again after it. [`cholesky`] has the rest.
#[derive(Clone, Copy, Debug)]
pub struct Joined<M, const N: usize>(pub(crate) M);

impl<M: Block, const N: usize> Joined<M, N> {
    /// A lane.
    ///
    /// # Safety
    /// Its block has `N` lanes, and as much shared memory as [`cholesky::shared_floats`] says.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn claim(lane: M) -> Self {
        Self(lane)
    }

    /// This lane's block in the launch.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn block(self) -> u64 {
        self.0.block()
    }

    /// This lane's warp in its block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn warp(self) -> u32 {
        self.0.warp()
    }

    /// Waits for all lanes, and lets each see what the others have written.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn meet(self) {
        if N == WARP { self.0.synchronize(u32::MAX) } else { self.0.synchronize_block() }
    }

    /// Loads floats of the shared memory.
    ///
    /// # Safety
    /// As [`Block::load_shared`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn load_shared<const V: usize>(self, from: u32) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe { self.0.load_shared(from) }
    }

    /// Stores floats to the shared memory.
    ///
    /// # Safety
    /// As [`Block::store_shared`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn store_shared<const V: usize>(self, to: u32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { self.0.store_shared(to, values) }
    }

    /// Leaves a float for the other lanes, at the lane's own number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leave(self, value: f32) {
        self.meet();
        // SAFETY: the float is this lane's alone, and all have met since they read it.
        unsafe { self.store_shared(self.lane(), [value]) }
        self.meet();
    }

    /// What a lane has left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn left(self, lane: u32) -> f32 {
        // SAFETY: all have met since that was written, and meet before it is written again.
        let [value] = unsafe { self.load_shared(lane) };
        value
    }

    /// What all lanes have left, or one lane in their place.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn all_left<const K: usize>(self) -> Option<[f32; K]> {
        // SAFETY: as in `left`; there are `N` floats.
        if K == N { Some(unsafe { self.load_shared(0) }) } else { None }
    }
}

// SAFETY: lanes are numbered through all warps of the block.
unsafe impl<M: Block, const N: usize> Machine for Joined<M, N> {
    const LANES: u32 = N as u32;
    const COMPARES: bool = M::COMPARES;

    forwarded_words!(0);
    forwarded! {
        0:
        fn disagree(disagreement: Disagreement);
        fn let_next_begin();
        fn wait_for_launch_before();
        #[reaches] fn load<const V: usize>(from: *const f32) -> [f32; V];
        #[reaches] fn store<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn load_anywhere<const V: usize>(from: *const f32) -> [f32; V];
        #[reaches] fn store_anywhere<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn add<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn multiply<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn multiply_quotients<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn min<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn max<const V: usize>(to: *mut f32, values: [f32; V]);
        #[reaches] fn load_halves<const V: usize>(from: *const u16) -> [u16; V];
        #[reaches] fn store_halves<const V: usize>(to: *mut u16, values: [u16; V]);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lane(self) -> u32 {
        if N == WARP { self.0.lane() } else { self.0.warp() * WARP as u32 + self.0.lane() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shuffle_xor(self, _members: u32, value: f32, lane_mask: u32) -> f32 {
        if lane_mask < WARP as u32 {
            return self.0.shuffle_xor(u32::MAX, value, lane_mask);
        }
        self.leave(value);
        self.left(self.lane() ^ lane_mask)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shuffle_xor_u32(self, members: u32, value: u32, lane_mask: u32) -> u32 {
        self.shuffle_xor(members, f32::from_bits(value), lane_mask).to_bits()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shuffle_from(self, _members: u32, value: u32, lane: u32) -> u32 {
        if N == WARP {
            return self.0.shuffle_from(u32::MAX, value, lane);
        }
        self.leave(f32::from_bits(value));
        self.left(lane).to_bits()
    }

    /// A bit is of the lanes with its number in any warp.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ballot(self, _members: u32, vote: bool) -> u32 {
        let own = self.0.ballot(u32::MAX, vote);
        if N == WARP {
            return own;
        }
        self.leave(f32::from_bits(own));
        let (mut votes, mut first) = (0, 0);
        while first < N {
            votes |= self.left(first as u32).to_bits();
            first += WARP;
        }
        votes
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn synchronize(self, _members: u32) {
        self.meet();
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gathered<const K: usize>(self, value: f32) -> Option<[f32; K]> {
        self.leave(value);
        self.all_left()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row_of<const K: usize>(self, row: [f32; K], lane: u32) -> Option<[f32; K]> {
        if K != N {
            return None;
        }
        self.meet();
        if self.lane() == lane {
            // SAFETY: all have met since they read what is there, and one lane writes; there are `N` floats.
            unsafe { self.store_shared(0, row) }
        }
        self.meet();
        self.all_left()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn solve<const K: usize>(self, row: [f32; K], right: f32, features: u32) -> Option<f32> {
        if K == N { Some(cholesky::solve(Joined::<M, K>(self.0), row, right, features)) } else { None }
    }
}

#[cfg(test)]
mod tests;
