//! An emulated lane: the machine that device code runs on, which meets the other lanes of its warp.

use std::cell::Cell;
use std::ptr;

use corosensei::Yielder;

use super::check::{self, Range};
use super::{Access, Operation};
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

impl Request {
    /// A wait for the whole block.
    pub(super) const BARRIER: Self = Self { operation: Operation::Barrier, members: u32::MAX, value: 0, lane_mask: 0 };

    /// Whether the other request is for the same operation, so that the lanes meet.
    pub(super) fn meets(self, other: Self) -> bool {
        let is_same = self.operation == other.operation && self.members == other.members;
        is_same && (self.operation == Operation::ShuffleFrom || self.lane_mask == other.lane_mask)
    }
}

pub(super) type Rendezvous = Yielder<u32, Request>;

thread_local! {
    static RENDEZVOUS: Cell<*const Rendezvous> = const { Cell::new(ptr::null()) };
}

/// A lane of an emulated warp.
#[derive(Clone, Copy, Debug)]
pub struct EmulatedLane {
    /// This lane's number in its block.
    number: u32,
    thread: u64,
    tile: u32,
    block: OwnBlock,
}

/// The block of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnBlock {
    /// Its number among those of its tiles.
    pub(super) number: u64,
    /// How many those are.
    pub(super) count: u64,
    /// The tiles that lie side by side in it.
    pub(super) beside: u32,
    pub(super) warps: u32,
    /// Where its shared memory begins.
    pub(super) shared: *mut f32,
}

impl EmulatedLane {
    /// Lane `number` of a block: `thread` among those of a tile.
    pub(super) fn new(number: u32, thread: u64, tile: u32, block: OwnBlock) -> Self {
        Self { number, thread, tile, block }
    }

    /// Goes on if the access is allowed; otherwise the lane stops for good, and the warp reports why.
    fn check<T>(self, access: Access, at: *const T, count: usize) {
        let range = Range { address: at.addr(), element_bytes: size_of::<T>(), count };
        self.go_on_if(check::allows(self.number(), access, range));
    }

    /// [`EmulatedLane::check`] of `count` floats of the shared memory, from number `at` on. Returns where they lie.
    fn check_shared(self, access: Access, at: u32, count: usize) -> *mut f32 {
        let place = self.block.shared.wrapping_add(at as usize);
        let range = Range { address: place.addr(), element_bytes: size_of::<f32>(), count };
        self.go_on_if(check::allows_shared(self.number(), access, range));
        place
    }

    /// [`EmulatedLane::check`] of what lies in memory or in the shared memory.
    fn check_anywhere<T>(self, access: Access, at: *const T, count: usize) {
        let range = Range { address: at.addr(), element_bytes: size_of::<T>(), count };
        self.go_on_if(check::allows_anywhere(self.number(), access, range));
    }

    fn go_on_if(self, is_allowed: bool) {
        if !is_allowed {
            self.stop();
        }
    }

    /// The lane stops for good, and the warp reports why.
    fn stop(self) {
        self.meet(Request { operation: Operation::Ballot, members: 0, value: 0, lane_mask: 0 });
    }

    /// This lane's number in its block.
    fn number(self) -> usize {
        self.number as usize
    }

    /// Waits until all members have arrived; returns what the warp answers.
    fn meet(self, request: Request) -> u32 {
        let rendezvous = RENDEZVOUS.get();
        assert!(!rendezvous.is_null(), "a lane meets others while its kernel runs, not after that");
        // SAFETY: while a lane runs, this is its own rendezvous, which lives as long as the lane.
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

// SAFETY: lanes and blocks are numbered by the launch.
unsafe impl Machine for EmulatedLane {
    const LANES: u32 = super::WARP;
    const COMPARES: bool = true;

    fn disagree(self, disagreement: Disagreement) {
        check::disagree(self.number(), disagreement);
        self.stop();
    }

    fn lane(self) -> u32 {
        self.number % super::WARP
    }

    fn thread(self) -> u64 {
        self.thread
    }

    fn tile(self) -> u32 {
        self.tile
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

    fn let_next_begin(self) {}

    fn wait_for_launch_before(self) {
        check::waited(self.number());
    }

    fn synchronize(self, members: u32) {
        self.meet(Request { operation: Operation::Synchronization, members, value: 0, lane_mask: 0 });
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

    unsafe fn load_anywhere<const V: usize>(self, from: *const f32) -> [f32; V] {
        self.check_anywhere(Access::Load, from, V);
        // SAFETY: the caller's.
        unsafe { Cpu.load(from) }
    }

    unsafe fn store_anywhere<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check_anywhere(Access::Store, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.store(to, values) }
    }

    unsafe fn add<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Add, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.add(to, values) }
    }

    unsafe fn multiply<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Multiply, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.multiply(to, values) }
    }

    unsafe fn multiply_quotients<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Multiply, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.multiply_quotients(to, values) }
    }

    unsafe fn min<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Lower, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.min(to, values) }
    }

    unsafe fn max<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        self.check(Access::Raise, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.max(to, values) }
    }

    unsafe fn load_u32(self, from: *const u32) -> u32 {
        self.check(Access::LoadConstant, from, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.load_u32(from) }
    }

    unsafe fn load_u64(self, from: *const u64) -> u64 {
        self.check(Access::LoadConstant, from, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.load_u64(from) }
    }

    unsafe fn load_word(self, from: *const u32) -> u32 {
        self.check(Access::Load, from, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.load_word(from) }
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

    unsafe fn load_byte(self, from: *const u8) -> u8 {
        self.check(Access::Load, from, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.load_byte(from) }
    }

    unsafe fn store_byte(self, to: *mut u8, value: u8) {
        self.check(Access::Store, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.store_byte(to, value) }
    }

    unsafe fn load_halves<const V: usize>(self, from: *const u16) -> [u16; V] {
        self.check(Access::Load, from, V);
        // SAFETY: the caller's.
        unsafe { Cpu.load_halves(from) }
    }

    unsafe fn store_halves<const V: usize>(self, to: *mut u16, values: [u16; V]) {
        self.check(Access::Store, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.store_halves(to, values) }
    }

    unsafe fn add_u32(self, to: *mut u32, value: u32) {
        self.check(Access::Add, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.add_u32(to, value) }
    }

    unsafe fn min_u32(self, to: *mut u32, value: u32) {
        self.check(Access::Lower, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.min_u32(to, value) }
    }

    unsafe fn max_u32(self, to: *mut u32, value: u32) {
        self.check(Access::Raise, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.max_u32(to, value) }
    }

    unsafe fn or_u32(self, to: *mut u32, value: u32) {
        self.check(Access::Or, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.or_u32(to, value) }
    }

    unsafe fn and_u32(self, to: *mut u32, value: u32) {
        self.check(Access::And, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.and_u32(to, value) }
    }

    unsafe fn compare_and_swap(self, to: *mut u32, old: u32, new: u32) -> u32 {
        self.check(Access::Swap, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.compare_and_swap(to, old, new) }
    }

    unsafe fn add_u64(self, to: *mut u64, value: u64) -> u64 {
        self.check(Access::Add, to, 1);
        // SAFETY: the caller's.
        unsafe { Cpu.add_u64(to, value) }
    }
}

// SAFETY: lanes and blocks are numbered by the launch.
unsafe impl Block for EmulatedLane {
    fn block(self) -> u64 {
        self.block.number
    }

    fn blocks(self) -> u64 {
        self.block.count
    }

    fn beside(self) -> u32 {
        self.block.beside
    }

    fn warp(self) -> u32 {
        self.number / super::WARP
    }

    fn warps(self) -> u32 {
        self.block.warps
    }

    fn synchronize_block(self) {
        self.meet(Request::BARRIER);
    }

    fn shared_place(self, float: u32) -> *mut f32 {
        self.block.shared.wrapping_add(float as usize)
    }

    unsafe fn load_shared<const V: usize>(self, from: u32) -> [f32; V] {
        let from = self.check_shared(Access::Load, from, V);
        // SAFETY: the caller's.
        unsafe { Cpu.load(from) }
    }

    unsafe fn store_shared<const V: usize>(self, to: u32, values: [f32; V]) {
        let to = self.check_shared(Access::Store, to, V);
        // SAFETY: the caller's.
        unsafe { Cpu.store(to, values) }
    }
}
