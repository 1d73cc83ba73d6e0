//! What edge functions reduce into their destination: kept in registers by a group that owns the destination, atomic otherwise.

mod outer;
mod row;
mod scalar;
mod several;

pub use self::outer::{OuterReduction, adds_in_tiles};
pub use self::row::RowReduction;
pub use self::scalar::ScalarReduction;
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::parts::{PartPlace, Parts};
use crate::registers::Registers;
use crate::stored::Register;
use crate::value::Value;

/// A property that an edge function reduces into at its destination.
///
/// # Safety
/// What lies at [`Target::place`] is a value of the property for each vertex.
pub unsafe trait Target<D>: Copy + 'static {
    /// The property's position in the data.
    const PROPERTY: u32;
    /// How contributions are combined: an [`Operator`](crate::operator::Operator), or a [`StateOperator`](crate::operator::StateOperator).
    type Operator: Copy + 'static;

    /// Where the values of `vertex` lie.
    fn place(data: &D, vertex: Vertex) -> *mut f32;
}

/// Totals that belong to one destination: the lane's part of each reduced property, combined by its own operator.
///
/// # Safety of the memory operations
/// The vertex exists. [`Accumulator::store`] needs that no other group reaches the vertex's sums at the same time.
///
/// # Safety
/// It reaches its properties, shared memory of `LANE_FLOATS` floats for each lane, and rows of parts as `PARTS` says, and nothing else.
pub unsafe trait Accumulator<D, const V: usize>: Copy {
    /// How many floats each lane of a group stores in shared memory, a multiple of `V`.
    const LANE_FLOATS: usize;
    /// What the groups of a cut row leave for its `finish`.
    const PARTS: Parts;
    /// Whether groups combine totals into memory atomically. If not, those of a cut row always leave parts.
    const IS_ATOMIC: bool = Self::PARTS.are_atomic();

    /// How many of the totals can weigh several contributions together.
    const WEIGHS: usize = 0;

    /// The properties that may be taken from registers: see [`Accumulator::left_in`].
    const PROPERTIES: u64 = 0;

    /// Whether some of the totals are of a warp's lanes together, so that all of them must [settle](Accumulator::settle) what a vertex has left.
    const IN_TILES: bool = false;

    /// The totals of no edge: the identity of each operator.
    fn zero() -> Self;

    /// What a part begins with to which groups of so many edges add: what is the same for each contribution is there already, and those that have it add none of it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begun(_edges: u32) -> Self {
        Self::zero()
    }

    /// What vertex functions have left of the properties in registers; of one that none of them has written, the total of nothing.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn left_in(_registers: &impl Registers<D, V>) -> Self {
        Self::zero()
    }

    /// These totals, and what vertex functions have left of the properties in registers. What a warp adds together is noted, and must be settled before more is taken.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_left_in(self, registers: &impl Registers<D, V>) -> Self {
        self.combined_with(Self::left_in(registers))
    }

    /// Adds what is noted, if there are totals [in tiles](Accumulator::IN_TILES). All lanes of the warp must arrive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle<M: Machine, const L: usize>(&mut self, _group: Group<M, L, V>) {}

    /// The score that a [noting](crate::weighing) machine has left, where one of the totals weighs, and whether the edge has brought it several.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn score(&self) -> (f32, bool) {
        (f32::NEG_INFINITY, false)
    }

    /// Takes what contributions with these scores weigh, all but the contributions themselves. Returns the weight of each.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weigh<const N: usize>(&mut self, _scores: [f32; N]) -> [f32; N] {
        [1.0; N]
    }

    /// Whether what was weighed together is finite. If not, a score or a contribution was not, or the sum is too great: weighed one by one, they may come to something else.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_finite(&self) -> bool {
        true
    }

    /// Takes the weights of what was weighed `together`, if they are finite, as those of lanes are whose contributions were. What was weighed one by one is made relative to them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_weights(&mut self, _together: &Self) {}

    /// Has what was weighed together, and is finite, in a form that others are combined with.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle_weights(&mut self) {}

    /// What must be combined into totals of `before` to get these. Only asked of sums and products: other reductions are not change-driven.
    fn change_from(self, before: Self) -> Self;

    /// These totals and the others together.
    fn combined_with(self, other: Self) -> Self;

    /// These totals and those of lane `lane ^ lane_mask`, together. Every lane of the warp must arrive.
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self;

    /// Overwrites the destination's sums.
    ///
    /// # Safety
    /// As said at [`Accumulator`].
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex);

    /// The same, where no other group reads them in this stage: a cache may let rows go first.
    ///
    /// # Safety
    /// As said at [`Accumulator`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn stream<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { self.store(group, data, vertex) }
    }

    /// Combines into the destination's totals atomically.
    ///
    /// # Safety
    /// As said at [`Accumulator`].
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex);

    /// Combines changes into the destination's, atomically.
    ///
    /// # Safety
    /// As said at [`Accumulator`].
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex);

    /// Whether any of the lane's totals cannot take its change, and must be computed again.
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, group: Group<M, L, V>) -> bool;

    /// The destination's sums.
    ///
    /// # Safety
    /// As said at [`Accumulator`].
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self;

    /// Stores what one group of a cut row has, in row number `row` of the parts.
    ///
    /// # Safety
    /// The row exists, and no other group reaches it at the same time.
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32);

    /// Adds the floats of what one group of a cut row has to those of its row, atomically, but for what these have [begun](Accumulator::begun) with. Only asked of totals that
    /// [`Parts::are_added`].
    ///
    /// # Safety
    /// The rows exist, all groups that reach the row add, and no other reaches the one apart.
    unsafe fn add_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, place: PartPlace);

    /// What all groups have added there, or stored apart.
    ///
    /// # Safety
    /// As [`Accumulator::load_part`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_added<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { Self::load_part(group, parts, row) }
    }

    /// What a group has stored there.
    ///
    /// # Safety
    /// As [`Accumulator::store_part`].
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self;

    /// Stores the totals in the block's shared memory, from float `at` on: `LANE_FLOATS` for each lane of the group.
    ///
    /// # Safety
    /// As [`Block::store_shared`].
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32);

    /// The totals that a group has stored there.
    ///
    /// # Safety
    /// As [`Block::load_shared`].
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self;

    /// Stores what a warp has together, in `LANE_FLOATS` for each of its lanes, from float `at` of the block's shared memory on. Groups that are joined have what others
    /// of the warp have, too, and come first.
    ///
    /// # Safety
    /// As [`Block::store_shared`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leave_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32, is_joined: bool) {
        if is_joined {
            // SAFETY: the caller's.
            unsafe { self.store_shared(group, at + Self::floats_before(group)) }
        }
    }

    /// These totals and those that another warp has left there, together.
    ///
    /// # Safety
    /// As [`Block::load_shared`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32, is_joined: bool) -> Self {
        if !is_joined {
            return self;
        }
        // SAFETY: the caller's.
        self.combined_with(unsafe { Self::load_shared(group, at + Self::floats_before(group)) })
    }

    /// How many floats the groups of the warp before this one have.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn floats_before<M: Machine, const L: usize>(group: Group<M, L, V>) -> u32 {
        group.machine().lane() / L as u32 * (Self::LANE_FLOATS * L) as u32
    }

    /// Overwrites the totals of `vertex` with what a warp has together.
    ///
    /// # Safety
    /// As said at [`Accumulator`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_joined<M: Machine, const L: usize>(
        self,
        group: Group<M, L, V>,
        data: &D,
        vertex: Vertex,
        is_joined: bool,
    ) {
        if is_joined {
            // SAFETY: the caller's.
            unsafe { self.store(group, data, vertex) }
        }
    }

    /// The lane's part of the sums of a property with features, if it is among these.
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]>;

    /// The sum of a scalar property, if it is among these. `X` is what it has.
    fn scalar<X: Register>(&self, property: u32) -> Option<X>;
}
