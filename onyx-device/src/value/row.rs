//! The row of a matrix as what a property has for one feature.

use super::Value;
use crate::block::Block;
use crate::group::Group;
use crate::machine::Machine;
use crate::operator::Operator;
use crate::row::Row;
use crate::stored::Stored;
use crate::unrolled::{array, each, steps};

/// The floats of one access to memory, as far as a row has them.
const QUAD: usize = 4;

impl<const K: usize> Row<K> {
    /// Stores the row of the lane's feature `index` in the matrix at `to`.
    ///
    /// # Safety
    /// As said at [`Value`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn store_at<M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut f32,
        index: usize,
        row: Self,
    ) {
        // SAFETY: the lane's rows lie inside the matrix.
        unsafe { store_row(group.machine(), to.add(start::<M, K, L, V>(group, index)), row) }
    }
}

impl<const K: usize> Value for Row<K> {
    const ZERO: Self = Row::ZERO;
    const FLOATS: usize = K;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn identity<O: Operator>() -> Self {
        Self { values: [O::IDENTITY; K] }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine<O: Operator>(self, other: Self) -> Self {
        self.zip(other, O::combine)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change<O: Operator>(self, before: Self) -> Self {
        self.zip(before, O::change)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn refuses<O: Operator>(self, change: Self) -> bool {
        let mut any = false;
        each::<K>(|column| any |= O::refuses(self.values[column], change.values[column]));
        any
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shuffle_xor<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        self.map(|value| machine.shuffle_xor(u32::MAX, value, lane_mask))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        from: *const T,
    ) -> [Self; V] {
        let from = from.cast::<f32>();
        // SAFETY: the lane's rows lie inside the matrix.
        array(|index| unsafe { load_row(group.machine(), from.add(start::<M, K, L, V>(group, index))) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut T,
        values: [Self; V],
    ) {
        // SAFETY: the caller's.
        each::<V>(|index| unsafe { Self::store_at(group, to.cast(), index, values[index]) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn reduce<O: Operator, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut f32,
        values: [Self; V],
    ) {
        each::<V>(|index| {
            // SAFETY: the lane's rows lie inside the matrix.
            unsafe { reduce_row::<O, M, K>(group.machine(), to.add(start::<M, K, L, V>(group, index)), values[index]) }
        });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn change_in_memory<O: Operator, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut f32,
        changes: [Self; V],
    ) {
        // SAFETY: the caller's. Matrices are reduced by sums, whose changes are sums.
        unsafe { Self::reduce::<O, M, L, V>(group, to, changes) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        at: u32,
        values: [Self; V],
    ) {
        each::<V>(|index| {
            let start = at + start::<M, K, L, V>(group, index) as u32;
            each::<K>(|column| {
                // SAFETY: the caller's.
                unsafe { group.machine().store_shared(start + column as u32, [values[index].values[column]]) }
            });
        });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize, const V: usize>(group: Group<M, L, V>, at: u32) -> [Self; V] {
        array(|index| {
            let start = at + start::<M, K, L, V>(group, index) as u32;
            Row::from_columns(|column| {
                // SAFETY: the caller's.
                let [value] = unsafe { group.machine().load_shared(start + column as u32) };
                value
            })
        })
    }
}

/// Where the row of the lane's feature `index` begins in a matrix.
#[cfg_attr(not(debug_assertions), inline(always))]
fn start<M: Machine, const K: usize, const L: usize, const V: usize>(group: Group<M, L, V>, index: usize) -> usize {
    const { assert!(K == L * V, "a matrix has as many rows as a group has features") };
    (group.place() as usize + index) * K
}

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn load_row<M: Machine, const K: usize>(machine: M, from: *const f32) -> Row<K> {
    if K < QUAD {
        // SAFETY: the caller's.
        return Row { values: unsafe { machine.load(from) } };
    }
    let mut row = Row::ZERO;
    steps::<K, QUAD>(|column| {
        // SAFETY: a row of four floats and more has a multiple of four.
        let quad: [f32; QUAD] = unsafe { machine.load(from.add(column)) };
        each::<QUAD>(|offset| row.values[column + offset] = quad[offset]);
    });
    row
}

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn store_row<M: Machine, const K: usize>(machine: M, to: *mut f32, row: Row<K>) {
    if K < QUAD {
        // SAFETY: the caller's.
        return unsafe { machine.store(to, row.values) };
    }
    steps::<K, QUAD>(|column| {
        // SAFETY: as in `load_row`.
        unsafe { machine.store(to.add(column), quad(&row, column)) }
    });
}

#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn reduce_row<O: Operator, M: Machine, const K: usize>(machine: M, to: *mut f32, row: Row<K>) {
    if K < QUAD {
        // SAFETY: the caller's.
        return unsafe { O::apply(machine, to, row.values) };
    }
    steps::<K, QUAD>(|column| {
        // SAFETY: as in `load_row`.
        unsafe { O::apply(machine, to.add(column), quad(&row, column)) }
    });
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn quad<const K: usize>(row: &Row<K>, column: usize) -> [f32; QUAD] {
    [row.values[column], row.values[column + 1], row.values[column + 2], row.values[column + 3]]
}
