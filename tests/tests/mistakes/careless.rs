//! A lane that runs real code, but for one slip: what is left out or done in another way where the machine is asked.

use std::cell::Cell;

use onyx_device::emulator::EmulatedLane;
use onyx_device::{Block, Machine};

/// What a machine is asked, each done right unless a slip says otherwise.
///
/// # Safety of the memory operations
/// As said at [`Machine`]: the emulator stops what goes wrong.
pub trait Slip: Copy {
    fn wait_for_launch_before(self, lane: EmulatedLane) {
        lane.wait_for_launch_before();
    }

    fn synchronize(self, lane: EmulatedLane, members: u32) {
        lane.synchronize(members);
    }

    fn synchronize_block(self, lane: EmulatedLane) {
        lane.synchronize_block();
    }

    fn ballot(self, lane: EmulatedLane, members: u32, vote: bool) -> u32 {
        lane.ballot(members, vote)
    }

    fn shuffle_xor(self, lane: EmulatedLane, members: u32, value: f32, lane_mask: u32) -> f32 {
        lane.shuffle_xor(members, value, lane_mask)
    }

    fn shuffle_from(self, lane: EmulatedLane, members: u32, value: u32, from: u32) -> u32 {
        lane.shuffle_from(members, value, from)
    }

    unsafe fn load<const N: usize>(self, lane: EmulatedLane, from: *const f32) -> [f32; N] {
        // SAFETY: as said at `Slip`.
        unsafe { lane.load(from) }
    }

    unsafe fn add<const N: usize>(self, lane: EmulatedLane, to: *mut f32, values: [f32; N]) {
        // SAFETY: as said at `Slip`.
        unsafe { lane.add(to, values) }
    }

    unsafe fn store_shared<const N: usize>(self, lane: EmulatedLane, to: u32, values: [f32; N]) {
        // SAFETY: as said at `Slip`.
        unsafe { lane.store_shared(to, values) }
    }

    unsafe fn load_word(self, lane: EmulatedLane, from: *const u32) -> u32 {
        // SAFETY: as said at `Slip`.
        unsafe { lane.load_word(from) }
    }

    unsafe fn load_mark(self, lane: EmulatedLane, from: *const u8) -> u8 {
        // SAFETY: as said at `Slip`.
        unsafe { lane.load_mark(from) }
    }

    unsafe fn store_mark(self, lane: EmulatedLane, to: *mut u8, value: u8) {
        // SAFETY: as said at `Slip`.
        unsafe { lane.store_mark(to, value) }
    }
}

/// Does not wait for the launch before.
#[derive(Clone, Copy)]
pub struct NoWait;

impl Slip for NoWait {
    fn wait_for_launch_before(self, _: EmulatedLane) {}
}

/// Leaves out one synchronization of each lane: number `number`, from 0.
#[derive(Clone, Copy)]
pub struct NoSynchronization<'a> {
    pub number: u32,
    /// How many each thread has been asked for.
    pub asked: &'a [Cell<u32>],
}

impl Slip for NoSynchronization<'_> {
    fn synchronize(self, lane: EmulatedLane, members: u32) {
        let asked = &self.asked[lane.thread() as usize];
        if asked.replace(asked.get() + 1) != self.number {
            lane.synchronize(members);
        }
    }
}

/// Leaves out the block's barrier.
#[derive(Clone, Copy)]
pub struct NoBarrier;

impl Slip for NoBarrier {
    fn synchronize_block(self, _: EmulatedLane) {}
}

/// Leaves what belongs into every second row of the shared memory in the row before.
#[derive(Clone, Copy)]
pub struct RowBefore {
    /// The floats of a row.
    pub floats: u32,
}

impl Slip for RowBefore {
    unsafe fn store_shared<const N: usize>(self, lane: EmulatedLane, to: u32, values: [f32; N]) {
        let before = to - to / self.floats % 2 * self.floats;
        // SAFETY: as said at `Slip`.
        unsafe { lane.store_shared(before, values) }
    }
}

/// Has a ballot where lanes must synchronize, which orders no memory.
#[derive(Clone, Copy)]
pub struct BallotForSynchronization;

impl Slip for BallotForSynchronization {
    fn synchronize(self, lane: EmulatedLane, members: u32) {
        lane.ballot(members, true);
    }
}

/// Synchronizes with no one else.
#[derive(Clone, Copy)]
pub struct AloneInSynchronization;

impl Slip for AloneInSynchronization {
    fn synchronize(self, lane: EmulatedLane, _: u32) {
        lane.synchronize(1 << lane.lane());
    }
}

/// Stores where it must add.
#[derive(Clone, Copy)]
pub struct StoreForAdd;

impl Slip for StoreForAdd {
    unsafe fn add<const N: usize>(self, lane: EmulatedLane, to: *mut f32, values: [f32; N]) {
        // SAFETY: as said at `Slip`.
        unsafe { lane.store(to, values) }
    }
}

/// Loads and stores where it must add atomically.
#[derive(Clone, Copy)]
pub struct LoadAndStoreForAdd;

impl Slip for LoadAndStoreForAdd {
    unsafe fn add<const N: usize>(self, lane: EmulatedLane, to: *mut f32, values: [f32; N]) {
        // SAFETY: as said at `Slip`.
        unsafe {
            let before: [f32; N] = lane.load(to);
            lane.store::<N>(to, std::array::from_fn(|at| before[at] + values[at]));
        }
    }
}

/// Raises where other groups add: two operators for one total.
#[derive(Clone, Copy)]
pub struct RaiseInLaterGroups;

impl Slip for RaiseInLaterGroups {
    unsafe fn add<const N: usize>(self, lane: EmulatedLane, to: *mut f32, values: [f32; N]) {
        // SAFETY: as said at `Slip`.
        unsafe { if lane.thread() >= 20 { lane.max(to, values) } else { lane.add(to, values) } }
    }
}

/// Votes in the whole warp where a group must.
#[derive(Clone, Copy)]
pub struct WholeWarpVotes;

impl Slip for WholeWarpVotes {
    fn ballot(self, lane: EmulatedLane, _: u32, vote: bool) -> u32 {
        lane.ballot(u32::MAX, vote)
    }
}

/// Votes with the lanes of the next group.
#[derive(Clone, Copy)]
pub struct NextGroupVotes;

impl Slip for NextGroupVotes {
    fn ballot(self, lane: EmulatedLane, members: u32, vote: bool) -> u32 {
        lane.ballot(members.rotate_left(members.count_ones()), vote)
    }
}

/// Exchanges over twice the distance.
#[derive(Clone, Copy)]
pub struct TwiceTheDistance;

impl Slip for TwiceTheDistance {
    fn shuffle_xor(self, lane: EmulatedLane, members: u32, value: f32, lane_mask: u32) -> f32 {
        lane.shuffle_xor(members, value, lane_mask * 2)
    }
}

/// Asks for lane 32 - d of the warp where it must be lane d before: without the remainder, and past the end.
#[derive(Clone, Copy)]
pub struct NoRemainder;

impl Slip for NoRemainder {
    fn shuffle_from(self, lane: EmulatedLane, members: u32, value: u32, from: u32) -> u32 {
        lane.shuffle_from(members, value, if from > lane.lane() { from + 32 } else { from })
    }
}

/// Loads as constant what the launch writes.
#[derive(Clone, Copy)]
pub struct ConstantWord;

impl Slip for ConstantWord {
    unsafe fn load_word(self, lane: EmulatedLane, from: *const u32) -> u32 {
        // SAFETY: as said at `Slip`.
        unsafe { lane.load_u32(from) }
    }
}

/// Does not look whether the run is over.
#[derive(Clone, Copy)]
pub struct NeverOver(pub *const u8);

impl Slip for NeverOver {
    unsafe fn load_mark(self, lane: EmulatedLane, from: *const u8) -> u8 {
        // SAFETY: as said at `Slip`.
        if from == self.0 { 1 } else { unsafe { lane.load_mark(from) } }
    }
}

/// Stores a mark only where there is none yet.
#[derive(Clone, Copy)]
pub struct MarkIfNone;

impl Slip for MarkIfNone {
    unsafe fn store_mark(self, lane: EmulatedLane, to: *mut u8, value: u8) {
        // SAFETY: as said at `Slip`.
        unsafe {
            if lane.load_mark(to) != value {
                lane.store_mark(to, value);
            }
        }
    }
}

/// Marks with the number of the thread.
#[derive(Clone, Copy)]
pub struct MarkByThread;

impl Slip for MarkByThread {
    unsafe fn store_mark(self, lane: EmulatedLane, to: *mut u8, _: u8) {
        // SAFETY: as said at `Slip`.
        unsafe { lane.store_mark(to, lane.thread() as u8) }
    }
}

/// Loads rows as if they were not padded: from one float further.
#[derive(Clone, Copy)]
pub struct RowsOfOneMore;

impl Slip for RowsOfOneMore {
    unsafe fn load<const N: usize>(self, lane: EmulatedLane, from: *const f32) -> [f32; N] {
        // SAFETY: as said at `Slip`.
        unsafe { lane.load(if N > 1 { from.wrapping_add(1) } else { from }) }
    }
}

/// An emulated lane with a slip.
#[derive(Clone, Copy)]
pub struct Careless<S>(pub EmulatedLane, pub S);

// SAFETY: as of the lane, but for the slip, which the emulator finds.
unsafe impl<S: Slip> Machine for Careless<S> {
    const LANES: u32 = EmulatedLane::LANES;

    fn lane(self) -> u32 {
        self.0.lane()
    }

    fn thread(self) -> u64 {
        self.0.thread()
    }

    fn shuffle_xor(self, members: u32, value: f32, lane_mask: u32) -> f32 {
        self.1.shuffle_xor(self.0, members, value, lane_mask)
    }

    fn shuffle_xor_u32(self, members: u32, value: u32, lane_mask: u32) -> u32 {
        self.0.shuffle_xor_u32(members, value, lane_mask)
    }

    fn shuffle_from(self, members: u32, value: u32, lane: u32) -> u32 {
        self.1.shuffle_from(self.0, members, value, lane)
    }

    fn ballot(self, members: u32, vote: bool) -> u32 {
        self.1.ballot(self.0, members, vote)
    }

    fn let_next_begin(self) {
        self.0.let_next_begin();
    }

    fn wait_for_launch_before(self) {
        self.1.wait_for_launch_before(self.0);
    }

    fn synchronize(self, members: u32) {
        self.1.synchronize(self.0, members);
    }

    unsafe fn load<const N: usize>(self, from: *const f32) -> [f32; N] {
        // SAFETY: the caller's, but for the slip.
        unsafe { self.1.load(self.0, from) }
    }

    unsafe fn store<const N: usize>(self, to: *mut f32, values: [f32; N]) {
        // SAFETY: as above.
        unsafe { self.0.store(to, values) }
    }

    unsafe fn add<const N: usize>(self, to: *mut f32, values: [f32; N]) {
        // SAFETY: as above.
        unsafe { self.1.add(self.0, to, values) }
    }

    unsafe fn load_u32(self, from: *const u32) -> u32 {
        // SAFETY: as above.
        unsafe { self.0.load_u32(from) }
    }

    unsafe fn load_u64(self, from: *const u64) -> u64 {
        // SAFETY: as above.
        unsafe { self.0.load_u64(from) }
    }

    unsafe fn load_word(self, from: *const u32) -> u32 {
        // SAFETY: as above.
        unsafe { self.1.load_word(self.0, from) }
    }

    unsafe fn store_u32(self, to: *mut u32, value: u32) {
        // SAFETY: as above.
        unsafe { self.0.store_u32(to, value) }
    }

    unsafe fn load_mark(self, from: *const u8) -> u8 {
        // SAFETY: as above.
        unsafe { self.1.load_mark(self.0, from) }
    }

    unsafe fn store_mark(self, to: *mut u8, value: u8) {
        // SAFETY: as above.
        unsafe { self.1.store_mark(self.0, to, value) }
    }

    unsafe fn load_byte(self, from: *const u8) -> u8 {
        // SAFETY: as above.
        unsafe { self.0.load_byte(from) }
    }

    unsafe fn store_byte(self, to: *mut u8, value: u8) {
        // SAFETY: as above.
        unsafe { self.0.store_byte(to, value) }
    }

    unsafe fn load_halves<const V: usize>(self, from: *const u16) -> [u16; V] {
        // SAFETY: as above.
        unsafe { self.0.load_halves(from) }
    }

    unsafe fn store_halves<const V: usize>(self, to: *mut u16, values: [u16; V]) {
        // SAFETY: as above.
        unsafe { self.0.store_halves(to, values) }
    }

    unsafe fn add_u32(self, to: *mut u32, value: u32) {
        // SAFETY: as above.
        unsafe { self.0.add_u32(to, value) }
    }

    unsafe fn min_u32(self, to: *mut u32, value: u32) {
        // SAFETY: as above.
        unsafe { self.0.min_u32(to, value) }
    }

    unsafe fn max_u32(self, to: *mut u32, value: u32) {
        // SAFETY: as above.
        unsafe { self.0.max_u32(to, value) }
    }

    unsafe fn or_u32(self, to: *mut u32, value: u32) {
        // SAFETY: as above.
        unsafe { self.0.or_u32(to, value) }
    }

    unsafe fn and_u32(self, to: *mut u32, value: u32) {
        // SAFETY: as above.
        unsafe { self.0.and_u32(to, value) }
    }

    unsafe fn compare_and_swap(self, to: *mut u32, old: u32, new: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { self.0.compare_and_swap(to, old, new) }
    }

    unsafe fn add_u64(self, to: *mut u64, value: u64) -> u64 {
        // SAFETY: as above.
        unsafe { self.0.add_u64(to, value) }
    }
}

// SAFETY: as of the lane, but for the slip, which the emulator finds.
unsafe impl<S: Slip> Block for Careless<S> {
    fn block(self) -> u64 {
        self.0.block()
    }

    fn blocks(self) -> u64 {
        self.0.blocks()
    }

    fn beside(self) -> u32 {
        self.0.beside()
    }

    fn warp(self) -> u32 {
        self.0.warp()
    }

    fn warps(self) -> u32 {
        self.0.warps()
    }

    fn synchronize_block(self) {
        self.1.synchronize_block(self.0);
    }

    fn shared_place(self, float: u32) -> *mut f32 {
        self.0.shared_place(float)
    }

    unsafe fn load_shared<const N: usize>(self, from: u32) -> [f32; N] {
        // SAFETY: as above.
        unsafe { self.0.load_shared(from) }
    }

    unsafe fn store_shared<const N: usize>(self, to: u32, values: [f32; N]) {
        // SAFETY: as above.
        unsafe { self.1.store_shared(self.0, to, values) }
    }
}
