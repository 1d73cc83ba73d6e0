//! Collaborative operations on matrices: each lane of a group has `V` of the `K` rows, and what it lacks comes from the other lanes.
//!
//! Padding takes no part: where features are fewer than `K`, results are as if the matrices had no further rows and columns, and further
//! rows and columns of the results are zero.

mod elimination;

pub(crate) use self::elimination::reciprocal;
use self::elimination::{Elimination, exchange_pivot};
use crate::factorization;
use crate::group::Group;
use crate::machine::Machine;
use crate::outer_sum::Adding;
use crate::row::Row;
use crate::unrolled::{array, each};

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// `a` times the transpose of `b`: row `f` is `a` of feature `f` times all of `b`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn outer<const K: usize>(self, a: [f32; V], b: [f32; V]) -> Outer<M, K, L, V> {
        if V == 1
            && let Some(b) = self.gathered_at_once::<K>(b)
        {
            return Outer { group: self, a, b, multiplies_padding: true };
        }
        Outer { group: self, a, b: self.gathered::<K>(b), multiplies_padding: M::LANES == 1 }
    }

    /// In place of an outer product that nobody reads.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn no_outer<const K: usize>(self) -> Outer<M, K, L, V> {
        Outer { group: self, a: [0.0; V], b: Row::ZERO, multiplies_padding: true }
    }

    /// A vector with zeros in its padding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn live_part(self, x: [f32; V]) -> [f32; V] {
        array(|index| if self.is_live(index) { x[index] } else { 0.0 })
    }

    /// The matrix times a vector.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn matvec<const K: usize>(self, matrix: [Row<K>; V], x: [f32; V]) -> [f32; V] {
        let x = self.gathered::<K>(x);
        if M::LANES > 1 && self.features() as usize == K {
            // Nothing is padding, so that a product and a sum are one instruction.
            return array(|index| {
                let mut total = 0.0;
                each::<K>(|column| total += matrix[index].values[column] * x.values[column]);
                total
            });
        }
        array(|index| {
            let mut total = 0.0;
            each::<K>(|column| {
                let product = matrix[index].values[column] * x.values[column];
                total += if self.is_feature(column) { product } else { 0.0 };
            });
            if self.is_live(index) { total } else { 0.0 }
        })
    }

    /// The matrix times a vector, with the greatest product of each row in place of their sum. NaN is left out.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn max_matvec<const K: usize>(self, matrix: [Row<K>; V], x: [f32; V]) -> [f32; V] {
        let x = self.gathered::<K>(x);
        array(|index| {
            let mut greatest = f32::NEG_INFINITY;
            each::<K>(|column| {
                let product = matrix[index].values[column] * x.values[column];
                greatest = greatest.max(if self.is_feature(column) { product } else { f32::NEG_INFINITY });
            });
            if self.is_live(index) { greatest } else { 0.0 }
        })
    }

    /// The transposed matrix times a vector.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn transpose_matvec<const K: usize>(self, matrix: [Row<K>; V], x: [f32; V]) -> [f32; V] {
        let mut totals = Row::<K>::ZERO;
        each::<V>(|index| totals += if self.is_live(index) { matrix[index] * x[index] } else { Row::ZERO });
        let mine = self.scattered(totals);
        array(|index| if self.is_live(index) { mine[index] } else { 0.0 })
    }

    /// The matrix with a vector on its diagonal and zeros elsewhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn diagonal<const K: usize>(self, x: [f32; V]) -> Diagonal<M, K, L, V> {
        Diagonal { group: self, x }
    }

    /// The solution `x` of `matrix * x = b`, for a matrix that is symmetric and positive definite. Where it is not, the result is NaN.
    ///
    /// This is Cholesky's factorization without its roots: the pivots are the squares of its diagonal.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn solve<const K: usize>(self, matrix: [Row<K>; V], b: [f32; V]) -> [f32; V] {
        let right = array(|index| if self.is_live(index) { b[index] } else { 0.0 });
        if const { M::LANES == 1 } {
            return factorization::solve(matrix, right, self.features() as usize);
        }
        if V == 1
            && let Some(solution) = self.machine().solve(matrix[0].values, right[0], self.features())
        {
            return array(|index| if self.is_live(index) { solution } else { 0.0 });
        }
        let mut rest = Elimination { group: self, rows: self.with_identity(matrix), right };
        let pivots = rest.forward();
        rest.backward(pivots);
        array(|index| if self.is_live(index) { rest.right[index] } else { 0.0 })
    }

    /// The inverse of a matrix that is symmetric and positive definite. Where it is not, the result is NaN.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn inverse<const K: usize>(self, matrix: [Row<K>; V]) -> [Row<K>; V] {
        let mut rows = self.with_identity(matrix);
        let mut owner = 0;
        while owner < L {
            each::<V>(|index| exchange_pivot(self, &mut rows, owner, index));
            owner += 1;
        }
        array(|index| {
            let keep =
                |column| if self.is_live(index) && self.is_feature(column) { rows[index].values[column] } else { 0.0 };
            Row::from_columns(keep)
        })
    }

    /// Whether a column is one that the user asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_feature(self, column: usize) -> bool {
        (column as u32) < self.features()
    }

    /// The matrix with ones on the diagonal of the padding, and zeros beside it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_identity<const K: usize>(self, matrix: [Row<K>; V]) -> [Row<K>; V] {
        array(|index| {
            let row = self.place() as usize + index;
            Row::from_columns(|column| {
                let one = if column == row { 1.0 } else { 0.0 };
                if self.is_live(index) && self.is_feature(column) { matrix[index].values[column] } else { one }
            })
        })
    }

    /// The value of the group's lane `lane`, the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of_lane(self, value: f32, lane: usize) -> f32 {
        if L == 1 {
            return value;
        }
        let first = self.machine().lane() - self.lane();
        f32::from_bits(self.machine().shuffle_from(self.members(), value.to_bits(), first + lane as u32))
    }

    /// All features of a vector in every lane, where the machine has a way of its own; zero where they are padding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gathered_at_once<const K: usize>(self, x: [f32; V]) -> Option<Row<K>> {
        let values = self.machine().gathered(if self.is_live(0) { x[0] } else { 0.0 })?;
        Some(Row { values })
    }

    /// All features of a vector in every lane; zero where they are padding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gathered<const K: usize>(self, x: [f32; V]) -> Row<K> {
        if V == 1
            && let Some(row) = self.gathered_at_once(x)
        {
            return row;
        }
        let row = self.everywhere::<K>(x);
        Row::from_columns(|column| if self.is_feature(column) { row.values[column] } else { 0.0 })
    }

    /// All features of a vector in every lane, and what the padding has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn everywhere<const K: usize>(self, x: [f32; V]) -> Row<K> {
        if V == 1
            && let Some(values) = self.machine().gathered(x[0])
        {
            return Row { values };
        }
        Row::from_columns(|column| self.of_lane(x[column % V], column / V))
    }

    /// The sums over the lanes, each lane's own features of them. With every exchange a lane hands over the half that is not its own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scattered<const K: usize>(self, totals: Row<K>) -> [f32; V] {
        let mut totals = totals;
        self.halve::<K, 64>(&mut totals);
        self.halve::<K, 32>(&mut totals);
        self.halve::<K, 16>(&mut totals);
        self.halve::<K, 8>(&mut totals);
        self.halve::<K, 4>(&mut totals);
        self.halve::<K, 2>(&mut totals);
        self.halve::<K, 1>(&mut totals);
        array(|index| totals.values[index])
    }

    /// Exchanges one half of what is left with the lane at `DISTANCE`, and adds the other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn halve<const K: usize, const DISTANCE: usize>(self, totals: &mut Row<K>) {
        if DISTANCE >= L {
            return;
        }
        let (half, is_upper) = (DISTANCE * V, self.lane() as usize & DISTANCE != 0);
        each::<K>(|column| {
            if column < half {
                let (low, high) = (totals.values[column], totals.values[column + half]);
                let (own, other) = if is_upper { (high, low) } else { (low, high) };
                totals.values[column] = own + self.machine().shuffle_xor(self.members(), other, DISTANCE as u32);
            }
        });
    }
}

/// An outer product. A row is computed where it is used: on the CPU a lane has all of them, which would lie in memory in between.
#[derive(Clone, Copy, Debug)]
pub struct Outer<M, const K: usize, const L: usize, const V: usize> {
    group: Group<M, L, V>,
    a: [f32; V],
    b: Row<K>,
    /// Rows of padding are a product with 0, too, since a choice between whole rows would keep both in registers.
    multiplies_padding: bool,
}

impl<M: Machine, const K: usize, const L: usize, const V: usize> Outer<M, K, L, V> {
    /// The row of the lane's feature `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn row(&self, index: usize) -> Row<K> {
        let is_live = self.group.is_live(index);
        if self.multiplies_padding {
            return self.b * if is_live { self.a[index] } else { 0.0 };
        }
        if is_live { self.b * self.a[index] } else { Row::ZERO }
    }

    /// Stores the lane's rows in the matrix at `to`, one after the other: all of them at once are more than registers hold.
    ///
    /// # Safety
    /// As [`Value::store`](crate::value::Value::store).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn store(&self, to: *mut f32) {
        // SAFETY: the caller's.
        each::<V>(|index| unsafe { Row::store_at(self.group, to, index, self.row(index)) });
    }

    /// Adds the row of the lane's feature `index` to that of a total, to which functions of other edges may add.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn add_to(&self, index: usize, total: &mut Row<K>) {
        let (machine, is_live) = (self.group.machine(), self.group.is_live(index));
        let a = if is_live { self.a[index] } else { 0.0 };
        match const { M::ADDING } {
            Adding::Alone => *total += self.row(index),
            Adding::Noted => machine.note_product(index, a, self.b.values[index]),
            Adding::WithNoted => machine.add_noted(index, total, (a, &self.b)),
        }
    }
}

/// A matrix of which nothing but the diagonal is not zero, with rows as those of [`Outer`].
#[derive(Clone, Copy, Debug)]
pub struct Diagonal<M, const K: usize, const L: usize, const V: usize> {
    group: Group<M, L, V>,
    x: [f32; V],
}

impl<M: Machine, const K: usize, const L: usize, const V: usize> Diagonal<M, K, L, V> {
    /// The row of the lane's feature `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn row(&self, index: usize) -> Row<K> {
        let (row, value) =
            (self.group.place() as usize + index, if self.group.is_live(index) { self.x[index] } else { 0.0 });
        if M::LANES == 1 {
            let mut diagonal = Row::ZERO;
            diagonal.values[row] = value;
            return diagonal;
        }
        Row::from_columns(|column| if column == row { value } else { 0.0 })
    }
}
