//! A group of lanes that holds one property: `L` lanes with `V` consecutive features each.

use crate::agreement::Bits;
use crate::machine::Machine;
use crate::operator::Operator;
use crate::stored::{Register, Stored};
use crate::unrolled::{array, each, each_from_last, steps};

/// The features of one access to memory.
const QUAD: usize = 4;
/// The floats of two bytes that a lane loads at once.
const TWO_QUADS: usize = 2 * QUAD;
/// The lanes of a warp.
const WARP: usize = 32;

/// `L` consecutive lanes of a warp, or all lanes of a block ([`Joined`](crate::joined::Joined)), that together hold the `L * V` features of a property, `V` in each lane: those that lie side by side, or every `L`th four of
/// them where a lane has more, so that the lanes reach one piece of memory together.
///
/// A row that is wider than that is several *tiles*, and a group has one of them. `features` is how many floats of a row the user asked for: the rest
/// pads it, and takes no part in collaborative operations.
#[derive(Clone, Copy, Debug)]
pub struct Group<M, const L: usize, const V: usize> {
    machine: M,
    lane: u32,
    members: u32,
    /// The lanes of all groups of the warp that run the same functions at once.
    peers: u32,
    /// Whether a product may have other bits if all groups of the warp are peers.
    has_tiles: bool,
    /// The number of the tile's first feature in the row.
    first: u32,
    features: u32,
    /// The head that the group has, and how many there are: one where rows are no heads.
    heads: (u32, u32),
}

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// Whether each of the lane's features has code of its own: an array that a variable indexes lies in memory, and few features are no vectors that were worth it.
    const IS_WRITTEN_OUT: bool = cfg!(target_arch = "nvptx64") || V < QUAD;

    /// The group that the calling lane belongs to, of a row that is a single tile.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of(machine: M, features: u32) -> Self {
        Self::of_tile(machine, features, 0)
    }

    /// The group that the calling lane belongs to, for tile number `tile` of each row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_tile(machine: M, features: u32, tile: u32) -> Self {
        const { assert!(L.is_power_of_two() && L <= 128, "a group is a part of a warp, or a block") };
        let lane = machine.lane() % L as u32;
        let members = Self::all_lanes() << (machine.lane() - lane);
        let first = tile * (L * V) as u32;
        Self { machine, lane, members, peers: members, has_tiles: false, first, features, heads: (0, 1) }
    }

    /// The group that the calling lane belongs to, for head number `head` of `heads`, whose view of the data is its own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_head(machine: M, features: u32, head: u32, heads: u32) -> Self {
        Self { heads: (head, heads), ..Self::of(machine, features) }
    }

    /// The head that the group has, and how many there are: one where rows are no heads.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn heads(self) -> (u32, u32) {
        self.heads
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn all_lanes() -> u32 {
        if L >= WARP { u32::MAX } else { (1 << L) - 1 }
    }

    /// The machine the group runs on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn machine(self) -> M {
        self.machine
    }

    /// The lanes of the warp that form this group, one bit each; all bits where it is a block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn members(self) -> u32 {
        self.members
    }

    /// The same group, which runs functions along with others of its warp: `peers` are the lanes of all of them, which must arrive wherever this one does.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn along(self, peers: u32) -> Self {
        Self { peers, ..self }
    }

    /// The same group, whose products may have other bits if all groups of the warp are its peers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_tiles(self) -> Self {
        Self { has_tiles: true, ..self }
    }

    /// Whether that is said.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn has_tiles(self) -> bool {
        self.has_tiles
    }

    /// The same group, which runs functions alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn alone(self) -> Self {
        self.along(self.members)
    }

    /// The lanes of all groups that run the same functions at once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn peers(self) -> u32 {
        self.peers
    }

    /// The calling lane's number in the group, `0..L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn lane(self) -> u32 {
        self.lane
    }

    /// How many features the user asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn features(self) -> u32 {
        self.features
    }

    /// Whether the calling lane is the first of the group.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn is_leader(self) -> bool {
        self.lane == 0
    }

    /// Whether the calling lane stores what is the same for all features: the first one of the first tile, or of each head, so that it is stored once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn keeps_scalars(self) -> bool {
        self.first_feature() == 0
    }

    /// The first of the `V` features that the calling lane holds, by its number in the row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn first_feature(self) -> u32 {
        self.first + self.lane * Self::SIDE_BY_SIDE as u32
    }

    /// The lane's feature `index`, `0..V`, by its number in the row. Later ones have greater numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn feature(self, index: usize) -> u32 {
        self.first_feature() + Self::step(index) as u32
    }

    /// How many floats there are before what the calling lane has, where each lane has `V` side by side.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn place(self) -> u32 {
        self.lane * V as u32
    }

    /// How many of a lane's features lie side by side.
    ///
    /// Eight are one access where they have two bytes each. Those of rows that take a whole warp lie by fours, so that its lanes load what lies side by side.
    const SIDE_BY_SIDE: usize = if L == 1 || V <= QUAD || V == TWO_QUADS && L < WARP { V } else { QUAD };

    /// How far it is in a row from a lane's first feature to its feature `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn step(index: usize) -> usize {
        index / Self::SIDE_BY_SIDE * (L * Self::SIDE_BY_SIDE) + index % Self::SIDE_BY_SIDE
    }

    /// Whether the lane's feature `index`, `0..V`, is one that the user asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn is_live(self, index: usize) -> bool {
        self.feature(index) < self.features
    }

    /// How many of the lane's features are ones that the user asked for: the first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn live(self) -> usize {
        if const { Self::SIDE_BY_SIDE == V } {
            return (self.features.saturating_sub(self.first_feature()) as usize).min(V);
        }
        (0..V).filter(|index| self.is_live(*index)).count()
    }

    /// Calls `body` with each of the lane's features, `0..V`, that the user asked for.
    ///
    /// The whole lane has a loop of its own, of which the compiler makes vector instructions, where it has enough for them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live(self, mut body: impl FnMut(usize)) {
        if const { Self::IS_WRITTEN_OUT } {
            return each::<V>(|index| {
                if self.is_live(index) {
                    body(index);
                }
            });
        }
        if self.live() == V {
            return each::<V>(body);
        }
        (0..self.live()).for_each(body);
    }

    /// [`Group::each_live`] on the host, and padding as well on a GPU, which has no panics.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_on_host(self, body: impl FnMut(usize)) {
        if cfg!(target_arch = "nvptx64") { each::<V>(body) } else { self.each_live(body) }
    }

    /// [`Group::each_live`], the last feature first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_from_last(self, mut body: impl FnMut(usize)) {
        if const { Self::IS_WRITTEN_OUT } {
            return each_from_last::<V>(|index| {
                if self.is_live(index) {
                    body(index);
                }
            });
        }
        if self.live() == V {
            return each_from_last::<V>(body);
        }
        (0..self.live()).rev().for_each(body);
    }

    /// [`Group::each_live_on_host`], the last feature first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn each_live_on_host_from_last(self, body: impl FnMut(usize)) {
        if cfg!(target_arch = "nvptx64") { each_from_last::<V>(body) } else { self.each_live_from_last(body) }
    }

    /// A scalar that lanes with features have computed, in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn shared<X: Bits>(self, value: X) -> X {
        if self.is_full() {
            return value;
        }
        X::from_bits(self.machine.shuffle_from(self.members, value.bits(), self.members.trailing_zeros()))
    }

    /// [`Group::shared`] on the host; on a GPU each lane has computed it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn shared_on_host<X: Bits>(self, value: X) -> X {
        if cfg!(target_arch = "nvptx64") { value } else { self.shared(value) }
    }

    /// What lanes with features have found, which is the same for all features, in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn agreed(self, condition: bool) -> bool {
        if self.is_full() {
            return condition;
        }
        if L > WARP {
            return self.shared(condition);
        }
        self.machine.ballot(self.members, condition) >> self.members.trailing_zeros() & 1 == 1
    }

    /// [`Group::agreed`] on the host; on a GPU each lane has found it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn agreed_on_host(self, condition: bool) -> bool {
        if cfg!(target_arch = "nvptx64") { condition } else { self.agreed(condition) }
    }

    /// Whether every lane of the group has a feature that the user asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_full(self) -> bool {
        L == 1 || self.features > self.first + ((L - 1) * Self::SIDE_BY_SIDE) as u32
    }

    /// Loads the lane's part of the row at `row`, 16 bytes at once where `V` is 4, or where it is 8 and numbers have two bytes.
    ///
    /// # Safety
    /// `row` points to a row with the group's `L * V` features, aligned as [`Machine`] says.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn load_row<T: Stored<Register = f32>>(self, row: *const T) -> [f32; V] {
        let first = row.wrapping_add(self.first_feature() as usize);
        if const { Self::SIDE_BY_SIDE == V } {
            // SAFETY: the lane's part lies inside the row.
            return unsafe { T::load(self.machine, first) };
        }
        let mut values = [0.0; V];
        steps::<V, QUAD>(|index| {
            // SAFETY: as above.
            let quad: [f32; QUAD] = unsafe { T::load(self.machine, first.add(Self::step(index))) };
            each::<QUAD>(|offset| values[index + offset] = quad[offset]);
        });
        values
    }

    /// Stores the lane's part of the row at `row`.
    ///
    /// # Safety
    /// As [`Group::load_row`], and no other group writes the row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn store_row<T: Stored<Register = f32>>(self, row: *mut T, values: [f32; V]) {
        // SAFETY: the lane's part lies inside the row.
        unsafe {
            if const { Self::SIDE_BY_SIDE == V } {
                T::store(self.machine, row.add(self.first_feature() as usize), values);
            } else {
                self.each_quad(row, values, |to, quad| T::store(self.machine, to, quad));
            }
        }
    }

    /// Combines the lane's part into the row at `row` atomically, 16 bytes at once where the GPU can.
    ///
    /// # Safety
    /// As [`Group::load_row`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn reduce_row<O: Operator>(self, row: *mut f32, values: [f32; V]) {
        // SAFETY: the lane's part lies inside the row.
        unsafe {
            if const { Self::SIDE_BY_SIDE == V } {
                O::apply(self.machine, row.add(self.first_feature() as usize), values);
            } else {
                self.each_quad(row, values, |to, quad| O::apply(self.machine, to, quad));
            }
        }
    }

    /// Combines changes of the lane's part of a row into those at `row` atomically.
    ///
    /// # Safety
    /// As [`Group::load_row`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn change_row<O: Operator>(self, row: *mut f32, changes: [f32; V]) {
        // SAFETY: the lane's part lies inside the row.
        unsafe {
            if const { Self::SIDE_BY_SIDE == V } {
                O::apply_change(self.machine, row.add(self.first_feature() as usize), changes);
            } else {
                self.each_quad(row, changes, |to, quad| O::apply_change(self.machine, to, quad));
            }
        }
    }

    /// Calls `body` with each four of the lane's values, and where they lie in the row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each_quad<T>(self, row: *mut T, values: [f32; V], mut body: impl FnMut(*mut T, [f32; QUAD])) {
        let first = row.wrapping_add(self.first_feature() as usize);
        steps::<V, QUAD>(|index| body(first.wrapping_add(Self::step(index)), array(|offset| values[index + offset])));
    }

    /// Loads a scalar that all lanes of the group share.
    ///
    /// # Safety
    /// `from` points to a valid value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn load_scalar<X: Stored>(self, from: *const X) -> X::Register {
        // SAFETY: the caller's.
        let [value] = unsafe { X::load(self.machine, from) };
        value
    }

    /// Stores a scalar, once for the whole row: after all lanes of the group have read it, and before any reads it again.
    ///
    /// # Safety
    /// As [`Group::load_scalar`], and no other group writes it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn store_scalar<X: Stored>(self, to: *mut X, value: X::Register) {
        self.synchronize();
        if self.keeps_scalars() {
            // SAFETY: the caller's.
            unsafe { X::store(self.machine, to, [value]) }
        }
        self.synchronize();
    }

    /// Loads a mark that all lanes of the group share, before any of them goes on and may write it.
    ///
    /// # Safety
    /// `from` points to a valid mark.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn load_mark(self, from: *const u8) -> u8 {
        // SAFETY: the caller's.
        let mark = unsafe { self.machine.load_mark(from) };
        self.synchronize();
        mark
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn synchronize(self) {
        if L > 1 {
            self.machine.synchronize(self.members);
        }
    }

    /// Combines into a scalar atomically, once for the whole row.
    ///
    /// # Safety
    /// As [`Group::load_scalar`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn reduce_scalar<O: Operator, X: Register>(self, to: *mut X, value: X) {
        if self.keeps_scalars() {
            // SAFETY: the caller's.
            unsafe { value.apply::<O, M>(self.machine, to) }
        }
    }

    /// Combines the change of a scalar into that at `to` atomically, once for the whole row.
    ///
    /// # Safety
    /// As [`Group::load_scalar`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn change_scalar<O: Operator, X: Register>(self, to: *mut X, change: X) {
        if self.keeps_scalars() {
            // SAFETY: the caller's.
            unsafe { change.apply_change::<O, M>(self.machine, to) }
        }
    }
}
