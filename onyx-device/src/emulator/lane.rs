//! An emulated lane: the machine that device code runs on, which meets the other lanes of its warp.

use std::cell::Cell;
use std::ptr;

use corosensei::Yielder;

use super::Operation;
use super::check::{self, Access, Range};
use crate::agreement::Disagreement;
use crate::block::Block;
use crate::cpu::Cpu;
use crate::machine::Machine;

/// What a lane asks the warp for before it can go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub operation: Operation,
    pub members: u32,
    /// The bits of the lane's value, or its vote.
    pub value: u32,
    /// For a shuffle, which lane's value it wants: `lane ^ lane_mask`, or `lane_mask` itself where each lane names its own.
    pub lane_mask: u32,
}

pub(super) type Rendezvous = Yielder<u32, Request>;

thread_local! {
    static RENDEZVOUS: Cell<*const Rendezvous> = const { Cell::new(ptr::null()) };
}

/// A lane of an emulated warp.
#[derive(Clone, Copy, Debug)]
pub struct EmulatedLane {
    thread: u64,
    warps: u32,
    shared: *mut f32,
}

impl EmulatedLane {
    /// A lane of a block of `warps` warps, and where the block's shared memory begins.
    pub(super) fn new(thread: u64, warps: u32, shared: *mut f32) -> Self {
        Self { thread, warps, shared }
    }

    fn block_lanes(self) -> u64 {
        u64::from(self.warps * super::WARP)
    }

    /// Goes on if the access is allowed; otherwise the lane stops for good, and the warp reports why.
    fn check<T>(self, access: Access, at: *const T, count: usize) {
        let range = Range { address: at.addr(), element_bytes: size_of::<T>(), count };
        if !check::allows((self.thread % self.block_lanes()) as usize, access, range) {
            self.stop();
        }
    }

    /// The lane stops for good, and the warp reports why.
    fn stop(self) {
        self.meet(Request { operation: Operation::Ballot, members: 0, value: 0, lane_mask: 0 });
    }

    /// Waits until all members have arrived; returns what the warp answers.
    fn meet(self, request: Request) -> u32 {
        let rendezvous = RENDEZVOUS.get();
        // SAFETY: the warp has set the rendezvous of the lane that is running, which lives as long as the lane.
        unsafe { &*rendezvous }.suspend(request)
    }
}

/// Names the rendezvous of the lane that runs next.
pub(super) fn enter(rendezvous: *const Rendezvous) {
    RENDEZVOUS.set(rendezvous);
}

/// The rendezvous of the lane that has just run.
pub(super) fn current() -> *const Rendezvous {
    RENDEZVOUS.get()
}

impl Machine for EmulatedLane {
    const LANES: u32 = super::WARP;
    const COMPARES: bool = true;

    fn disagree(self, disagreement: Disagreement) {
        check::disagree((self.thread % self.block_lanes()) as usize, disagreement);
        self.stop();
    }

    fn lane(self) -> u32 {
        (self.thread % u64::from(super::WARP)) as u32
    }

    fn thread(self) -> u64 {
        self.thread
    }

    fn shuffle_xor(self, members: u32, value: f32, lane_mask: u32) -> f32 {
        f32::from_bits(self.shuffle_xor_u32(members, value.to_bits(), lane_mask))
    }

    fn shuffle_xor_u32(self, members: u32, value: u32, lane_mask: u32) -> u32 {
        self.meet(Request { operation: Operation::Shuffle, members, value, lane_mask })
    }

    fn shuffle_from(self, members: u32, value: u32, lane: u32) -> u32 {
        self.meet(Request { operation: Operation::ShuffleFrom, members, value, lane_mask: lane })
    }

    fn ballot(self, members: u32, vote: bool) -> u32 {
        self.meet(Request { operation: Operation::Ballot, members, value: u32::from(vote), lane_mask: 0 })
    }

    fn synchronize(self, members: u32) {
        self.ballot(members, true);
    }

    unsafe fn load<const V: usize>(self, from: *const f32) -> [f32; V] {
        self.check(Access::Load, from, V);
        // SAFETY: the caller's.
        unsafe { Cpu.load(from) }
    }

    unsafe fn store<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Store, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.store(to, values) }
    }

    unsafe fn add<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Add, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.add(to, values) }
    }

    unsafe fn multiply<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Add, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.multiply(to, values) }
    }

    unsafe fn multiply_quotients<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Add, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.multiply_quotients(to, values) }
    }

    unsafe fn min<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Add, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.min(to, values) }
    }

    unsafe fn max<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Add, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.max(to, values) }
    }

    unsafe fn load_u32(self, from: *const u32) -> u32 {
        self.check(Access::Load, from, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.load_u32(from) }
    }

    unsafe fn load_u64(self, from: *const u64) -> u64 {
        self.check(Access::Load, from, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.load_u64(from) }
    }

    unsafe fn store_u32(self, to: *mut u32, value: u32) {
        self.check(Access::Store, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.store_u32(to, value) }
    }

    unsafe fn load_mark(self, from: *const u8) -> u8 {
        self.check(Access::Load, from, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.load_mark(from) }
    }

    unsafe fn store_mark(self, to: *mut u8, value: u8) {
        self.check(Access::Mark(value), to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.store_mark(to, value) }
    }

    unsafe fn add_u64(self, to: *mut u64, value: u64) -> u64 {
        self.check(Access::Add, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.add_u64(to, value) }
    }
}

impl Block for EmulatedLane {
    fn block(self) -> u64 {
        self.thread / self.block_lanes()
    }

    fn warp(self) -> u32 {
        (self.thread % self.block_lanes()) as u32 / super::WARP
    }

    fn warps(self) -> u32 {
        self.warps
    }

    fn synchronize_block(self) {
        self.meet(Request { operation: Operation::Barrier, members: u32::MAX, value: 0, lane_mask: 0 });
    }

    unsafe fn load_shared<const V: usize>(self, from: u32) -> [f32; V] {
        // SAFETY: the caller's; what lies outside of the shared memory is reported.
        unsafe { self.load(self.shared.wrapping_add(from as usize)) }
    }

    unsafe fn store_shared<const V: usize>(self, to: u32, values: [f32; V]) {
        // SAFETY: as above.
        unsafe { self.store(self.shared.wrapping_add(to as usize), values) }
    }
}
