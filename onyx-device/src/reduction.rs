//! What edge functions reduce into their destination: kept in registers by a group that owns the destination, atomic otherwise.

use core::marker::PhantomData;

use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::operator::Operator;
use crate::parts::Parts;
use crate::stored::{Register, Scalar, same};
use crate::unrolled::{array, each};
use crate::value::{Value, cast};

/// A property that an edge function reduces into at its destination.
///
/// # Safety
/// What lies at [`Target::place`] is a value of the property for each vertex.
pub unsafe trait Target<D>: Copy + 'static {
    /// The property's position in the data.
    const PROPERTY: u32;
    /// How contributions are combined: an [`Operator`], or a [`StateOperator`](crate::operator::StateOperator).
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

    /// The totals of no edge: the identity of each operator.
    fn zero() -> Self;

    /// The score that a [noting](crate::weighing) machine has left, where one of the totals weighs, and whether the edge has brought it several.
    #[inline(always)]
    fn score(&self) -> (f32, bool) {
        (f32::NEG_INFINITY, false)
    }

    /// Takes what contributions with these scores weigh, all but the contributions themselves. Returns the weight of each.
    #[inline(always)]
    fn weigh<const N: usize>(&mut self, _scores: [f32; N]) -> [f32; N] {
        [1.0; N]
    }

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

    /// The lane's part of the sums of a property with features, if it is among these.
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]>;

    /// The sum of a scalar property, if it is among these. `X` is what it has.
    fn scalar<X: Register>(&self, property: u32) -> Option<X>;
}

/// The lane's `V` totals of a property with features: floats, or rows of a matrix.
#[derive(Debug)]
pub struct RowReduction<T, X, const V: usize> {
    /// The totals.
    pub values: [X; V],
    target: PhantomData<T>,
}

/// The total of a scalar property, the same in every lane of a group: a float or an integer.
#[derive(Debug)]
pub struct ScalarReduction<T, X> {
    /// The total.
    pub value: X,
    target: PhantomData<T>,
}

impl<T, X: Copy, const V: usize> Clone for RowReduction<T, X, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, X: Copy, const V: usize> Copy for RowReduction<T, X, V> {}

impl<T, X: Copy> Clone for ScalarReduction<T, X> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, X: Copy> Copy for ScalarReduction<T, X> {}

impl<T, X, const V: usize> RowReduction<T, X, V> {
    #[inline(always)]
    const fn new(values: [X; V]) -> Self {
        Self { values, target: PhantomData }
    }
}

impl<T, X> ScalarReduction<T, X> {
    #[inline(always)]
    const fn new(value: X) -> Self {
        Self { value, target: PhantomData }
    }
}

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D, T, X: Value, const V: usize> Accumulator<D, V> for RowReduction<T, X, V>
where
    T: Target<D>,
    T::Operator: Operator,
{
    const LANE_FLOATS: usize = V * X::FLOATS;
    const PARTS: Parts = Parts::of(T::PROPERTY, 1, 0);

    #[inline(always)]
    fn zero() -> Self {
        Self::new(array(|_| X::identity::<T::Operator>()))
    }

    #[inline(always)]
    fn change_from(self, before: Self) -> Self {
        Self::new(array(|index| self.values[index].change::<T::Operator>(before.values[index])))
    }

    #[inline(always)]
    fn combined_with(self, other: Self) -> Self {
        Self::new(array(|index| self.values[index].combine::<T::Operator>(other.values[index])))
    }

    #[inline(always)]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        let combine = |value: X| value.combine::<T::Operator>(value.shuffle_xor(machine, lane_mask));
        Self::new(array(|index| combine(self.values[index])))
    }

    #[inline(always)]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { X::store(group, T::place(data, vertex), self.values) }
    }

    #[inline(always)]
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { X::reduce::<T::Operator, M, L, V>(group, T::place(data, vertex), self.values) }
    }

    #[inline(always)]
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { X::change_in_memory::<T::Operator, M, L, V>(group, T::place(data, vertex), self.values) }
    }

    #[inline(always)]
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, group: Group<M, L, V>) -> bool {
        let mut any = false;
        each::<V>(|index| {
            any |= group.is_live(index) && self.values[index].refuses::<T::Operator>(changes.values[index])
        });
        any
    }

    #[inline(always)]
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self {
        // SAFETY: the caller's.
        Self::new(unsafe { X::load(group, T::place(data, vertex)) })
    }

    #[inline(always)]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        // SAFETY: the caller's.
        unsafe { Accumulator::<D, V>::store(self, group, parts, Vertex(row)) }
    }

    #[inline(always)]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { <Self as Accumulator<D, V>>::load(group, parts, Vertex(row)) }
    }

    #[inline(always)]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        unsafe { X::store_shared(group, at, self.values) }
    }

    #[inline(always)]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        Self::new(unsafe { X::load_shared(group, at) })
    }

    #[inline(always)]
    fn row<Y: Value>(&self, property: u32) -> Option<[Y; V]> {
        if property == T::PROPERTY { cast(self.values) } else { None }
    }

    #[inline(always)]
    fn scalar<Y: Register>(&self, _property: u32) -> Option<Y> {
        None
    }
}

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D, T, X, const V: usize> Accumulator<D, V> for ScalarReduction<T, X>
where
    T: Target<D>,
    T::Operator: Operator,
    X: Scalar,
{
    const LANE_FLOATS: usize = V;
    const PARTS: Parts = Parts::of(T::PROPERTY, 1, 0);

    #[inline(always)]
    fn zero() -> Self {
        Self::new(X::identity::<T::Operator>())
    }

    #[inline(always)]
    fn change_from(self, before: Self) -> Self {
        Self::new(self.value.change::<T::Operator>(before.value))
    }

    #[inline(always)]
    fn combined_with(self, other: Self) -> Self {
        Self::new(self.value.combine::<T::Operator>(other.value))
    }

    #[inline(always)]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        let other = machine.shuffle_xor_u32(u32::MAX, self.value.bits(), lane_mask);
        Self::new(self.value.combine::<T::Operator>(X::from_bits(other)))
    }

    #[inline(always)]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.store_scalar(T::place(data, vertex).cast::<X>(), self.value) }
    }

    #[inline(always)]
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.reduce_scalar::<T::Operator, X>(T::place(data, vertex).cast(), self.value) }
    }

    #[inline(always)]
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.change_scalar::<T::Operator, X>(T::place(data, vertex).cast(), self.value) }
    }

    #[inline(always)]
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, _group: Group<M, L, V>) -> bool {
        self.value.refuses::<T::Operator>(changes.value)
    }

    #[inline(always)]
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self {
        // SAFETY: the caller's.
        Self::new(unsafe { group.load_scalar(T::place(data, vertex).cast::<X>()) })
    }

    #[inline(always)]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        // SAFETY: the caller's.
        unsafe { Accumulator::<D, V>::store(self, group, parts, Vertex(row)) }
    }

    #[inline(always)]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { <Self as Accumulator<D, V>>::load(group, parts, Vertex(row)) }
    }

    #[inline(always)]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        unsafe { group.machine().store_shared(at + group.place(), [same(self.value)]) }
    }

    #[inline(always)]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        let [value] = unsafe { group.machine().load_shared::<1>(at + group.place()) };
        Self::new(same(value))
    }

    #[inline(always)]
    fn row<Y: Value>(&self, _property: u32) -> Option<[Y; V]> {
        None
    }

    #[inline(always)]
    fn scalar<Y: Register>(&self, property: u32) -> Option<Y> {
        if property == T::PROPERTY { Some(same(self.value)) } else { None }
    }
}

// SAFETY: there is nothing.
unsafe impl<D, const V: usize> Accumulator<D, V> for () {
    const LANE_FLOATS: usize = 0;
    const PARTS: Parts = Parts::NONE;

    #[inline(always)]
    fn zero() -> Self {}

    #[inline(always)]
    fn change_from(self, _before: Self) -> Self {}

    #[inline(always)]
    fn combined_with(self, _other: Self) -> Self {}

    #[inline(always)]
    fn join<M: Machine>(self, _machine: M, _lane_mask: u32) -> Self {}

    #[inline(always)]
    unsafe fn store<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

    #[inline(always)]
    unsafe fn add<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

    #[inline(always)]
    unsafe fn add_change<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

    #[inline(always)]
    fn needs_recompute<M: Machine, const L: usize>(self, _changes: Self, _group: Group<M, L, V>) -> bool {
        false
    }

    #[inline(always)]
    unsafe fn load<M: Machine, const L: usize>(_group: Group<M, L, V>, _data: &D, _vertex: Vertex) -> Self {}

    #[inline(always)]
    unsafe fn store_part<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _parts: &D, _row: u32) {}

    #[inline(always)]
    unsafe fn load_part<M: Machine, const L: usize>(_group: Group<M, L, V>, _parts: &D, _row: u32) -> Self {}

    #[inline(always)]
    unsafe fn store_shared<M: Block, const L: usize>(self, _group: Group<M, L, V>, _at: u32) {}

    #[inline(always)]
    unsafe fn load_shared<M: Block, const L: usize>(_group: Group<M, L, V>, _at: u32) -> Self {}

    #[inline(always)]
    fn row<X: Value>(&self, _property: u32) -> Option<[X; V]> {
        None
    }

    #[inline(always)]
    fn scalar<X: Register>(&self, _property: u32) -> Option<X> {
        None
    }
}

// SAFETY: both do so.
unsafe impl<D, const V: usize, A: Accumulator<D, V>, B: Accumulator<D, V>> Accumulator<D, V> for (A, B) {
    const LANE_FLOATS: usize = A::LANE_FLOATS + B::LANE_FLOATS;
    const PARTS: Parts = A::PARTS.union(B::PARTS);
    const WEIGHS: usize = A::WEIGHS + B::WEIGHS;

    #[inline(always)]
    fn zero() -> Self {
        (A::zero(), B::zero())
    }

    #[inline(always)]
    fn score(&self) -> (f32, bool) {
        if A::WEIGHS > 0 { self.0.score() } else { self.1.score() }
    }

    #[inline(always)]
    fn weigh<const N: usize>(&mut self, scores: [f32; N]) -> [f32; N] {
        if A::WEIGHS > 0 { self.0.weigh(scores) } else { self.1.weigh(scores) }
    }

    #[inline(always)]
    fn change_from(self, before: Self) -> Self {
        (self.0.change_from(before.0), self.1.change_from(before.1))
    }

    #[inline(always)]
    fn combined_with(self, other: Self) -> Self {
        (self.0.combined_with(other.0), self.1.combined_with(other.1))
    }

    #[inline(always)]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        (self.0.join(machine, lane_mask), self.1.join(machine, lane_mask))
    }

    #[inline(always)]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe {
            self.0.store(group, data, vertex);
            self.1.store(group, data, vertex);
        }
    }

    #[inline(always)]
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe {
            self.0.add(group, data, vertex);
            self.1.add(group, data, vertex);
        }
    }

    #[inline(always)]
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe {
            self.0.add_change(group, data, vertex);
            self.1.add_change(group, data, vertex);
        }
    }

    #[inline(always)]
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, group: Group<M, L, V>) -> bool {
        self.0.needs_recompute(changes.0, group) | self.1.needs_recompute(changes.1, group)
    }

    #[inline(always)]
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self {
        // SAFETY: the caller's.
        unsafe { (A::load(group, data, vertex), B::load(group, data, vertex)) }
    }

    #[inline(always)]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        // SAFETY: the caller's.
        unsafe {
            self.0.store_part(group, parts, row);
            self.1.store_part(group, parts, row);
        }
    }

    #[inline(always)]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { (A::load_part(group, parts, row), B::load_part(group, parts, row)) }
    }

    #[inline(always)]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        unsafe {
            self.0.store_shared(group, at);
            self.1.store_shared(group, at + (A::LANE_FLOATS * L) as u32);
        }
    }

    #[inline(always)]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { (A::load_shared(group, at), B::load_shared(group, at + (A::LANE_FLOATS * L) as u32)) }
    }

    #[inline(always)]
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]> {
        match self.0.row(property) {
            None => self.1.row(property),
            found => found,
        }
    }

    #[inline(always)]
    fn scalar<X: Register>(&self, property: u32) -> Option<X> {
        match self.0.scalar(property) {
            None => self.1.scalar(property),
            found => found,
        }
    }
}
