//! What a group loads, stores and combines in memory: its part of a row, and what all features share.

use super::{Group, QUAD};
use crate::machine::Machine;
use crate::operator::Operator;
use crate::stored::{Register, Stored};
use crate::unrolled::{array, each, steps};

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
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
            if const { O::ADDS && Self::EXCHANGES } {
                self.exchanged(row, values, |to, quad| O::apply(self.machine, to, quad));
            } else if const { Self::SIDE_BY_SIDE == V } {
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

    /// As [`Group::each_quad`], where two lanes beside each other exchange four of their eight values first, so that what both add at once fills sectors of 32 bytes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn exchanged(self, row: *mut f32, values: [f32; V], mut body: impl FnMut(*mut f32, [f32; QUAD])) {
        let is_odd = self.lane % 2 == 1;
        let other: [f32; QUAD] = array(|index| {
            let value = if is_odd { values[index] } else { values[index + QUAD] };
            self.machine.shuffle_xor(self.members, value, 1)
        });
        let first = row.wrapping_add(self.first_feature() as usize - if is_odd { QUAD } else { 0 });
        body(first, array(|index| if is_odd { other[index] } else { values[index] }));
        body(first.wrapping_add(2 * QUAD), array(|index| if is_odd { values[index + QUAD] } else { other[index] }));
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
