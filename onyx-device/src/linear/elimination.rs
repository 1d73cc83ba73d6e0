//! Systems of equations and inverses, one pivot after the other.

use crate::group::Group;
use crate::machine::Machine;
use crate::row::Row;
use crate::unrolled::{array, each};

/// A system of equations while it is solved.
///
/// Rows turn by one column with every step, so that the pivot stands in a column that is known when this is compiled; after `K` steps each
/// is back in its place.
pub(super) struct Elimination<M, const K: usize, const L: usize, const V: usize> {
    pub(super) group: Group<M, L, V>,
    pub(super) rows: [Row<K>; V],
    pub(super) right: [f32; V],
}

impl<M: Machine, const K: usize, const L: usize, const V: usize> Elimination<M, K, L, V> {
    /// Eliminates what is below the diagonal. Returns the reciprocals of the pivots of the lane's rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn forward(&mut self) -> [f32; V] {
        let mut pivots = [0.0; V];
        let mut owner = 0;
        while owner < L {
            each::<V>(|index| {
                let pivot = reciprocal(self.group.of_lane(self.rows[index].values[0], owner));
                if self.group.lane() as usize == owner {
                    pivots[index] = pivot;
                }
                self.eliminate(owner, index, pivot);
            });
            owner += 1;
        }
        pivots
    }

    /// Takes row `index` of lane `owner` from all later rows, and turns every row to the left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn eliminate(&mut self, owner: usize, index: usize, pivot: f32) {
        let (group, right) = (self.group, self.group.of_lane(self.right[index], owner));
        let factors: [f32; V] = array(|own| {
            let is_later = group.place() as usize + own > owner * V + index;
            if is_later { self.rows[own].values[0] * pivot } else { 0.0 }
        });
        let firsts: [f32; V] = array(|own| self.rows[own].values[0]);
        each::<K>(|column| {
            if column > 0 {
                let value = group.of_lane(self.rows[index].values[column], owner);
                each::<V>(|own| {
                    self.rows[own].values[column - 1] = self.rows[own].values[column] - factors[own] * value;
                });
            }
        });
        each::<V>(|own| {
            self.rows[own].values[K - 1] = firsts[own];
            self.right[own] -= factors[own] * right;
        });
    }

    /// Solves what `forward` has left, from the last row to the first. `right` becomes the solution.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn backward(&mut self, pivots: [f32; V]) {
        let mut owner = L;
        while owner > 0 {
            owner -= 1;
            each::<V>(|step| self.substitute(owner, V - 1 - step, &pivots));
        }
    }

    /// Computes the solution of row `index` of lane `owner`, takes it from all earlier rows, and turns every row to the right.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn substitute(&mut self, owner: usize, index: usize, pivots: &[f32; V]) {
        let group = self.group;
        let solution = group.of_lane(self.right[index] * pivots[index], owner);
        each::<V>(|own| {
            let (row, current) = (group.place() as usize + own, owner * V + index);
            let last = self.rows[own].values[K - 1];
            let earlier = if row < current { self.right[own] - last * solution } else { self.right[own] };
            self.right[own] = if row == current { solution } else { earlier };
            let mut turned = last;
            each::<K>(|column| core::mem::swap(&mut turned, &mut self.rows[own].values[column]));
        });
    }
}

/// One step of the inversion in place, with the pivot in row `index` of lane `owner`; every row turns to the left by one column.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn exchange_pivot<M: Machine, const K: usize, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    rows: &mut [Row<K>; V],
    owner: usize,
    index: usize,
) {
    let pivot = reciprocal(group.of_lane(rows[index].values[0], owner));
    let is_pivot = |own: usize| group.lane() as usize == owner && own == index;
    let values = group.machine().row_of(rows[index].values, owner as u32);
    // The pivot's row becomes itself times the reciprocal, which is nothing less -1 times that.
    let factors: [f32; V] = array(|own| if is_pivot(own) { -1.0 } else { rows[own].values[0] });
    each::<K>(|column| {
        if column > 0 {
            let value = match values {
                Some(values) => values[column],
                None => group.of_lane(rows[index].values[column], owner),
            };
            let value = value * pivot;
            each::<V>(|own| {
                let before = if is_pivot(own) { 0.0 } else { rows[own].values[column] };
                rows[own].values[column - 1] = before - factors[own] * value;
            });
        }
    });
    each::<V>(|own| rows[own].values[K - 1] = -factors[own] * pivot);
}

/// The reciprocal of a pivot; NaN where the matrix is not positive definite.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn reciprocal(pivot: f32) -> f32 {
    if pivot > 0.0 { 1.0 / pivot } else { f32::NAN }
}
