//! One row of a `K` x `K` matrix: what a function sees of a matrix, since it is written for one feature.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::unrolled::each;

/// Row `f` of a matrix, `K` floats: `d.gram[v][f]`. Rows are added and subtracted, and multiplied and divided by a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<const K: usize> {
    pub(crate) values: [f32; K],
}

impl<const K: usize> Row<K> {
    /// The row of zeros.
    pub const ZERO: Self = Self { values: [0.0; K] };

    /// The row with these floats.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn from_columns(mut value: impl FnMut(usize) -> f32) -> Self {
        let mut row = Self::ZERO;
        each::<K>(|column| row.values[column] = value(column));
        row
    }

    /// Each float changed by itself.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn map(self, mut change: impl FnMut(f32) -> f32) -> Self {
        Self::from_columns(|column| change(self.values[column]))
    }

    /// Each float combined with that of the other row at the same column.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn zip(self, other: Self, mut combine: impl FnMut(f32, f32) -> f32) -> Self {
        Self::from_columns(|column| combine(self.values[column], other.values[column]))
    }
}

impl<const K: usize> Add for Row<K> {
    type Output = Self;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const K: usize> Sub for Row<K> {
    type Output = Self;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const K: usize> Mul<f32> for Row<K> {
    type Output = Self;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, factor: f32) -> Self {
        self.map(|value| value * factor)
    }
}

impl<const K: usize> Mul<Row<K>> for f32 {
    type Output = Row<K>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, row: Row<K>) -> Row<K> {
        row * self
    }
}

impl<const K: usize> Div<f32> for Row<K> {
    type Output = Self;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn div(self, divisor: f32) -> Self {
        self.map(|value| value / divisor)
    }
}

impl<const K: usize> Neg for Row<K> {
    type Output = Self;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        self.map(|value| -value)
    }
}

impl<const K: usize> AddAssign for Row<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const K: usize> SubAssign for Row<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const K: usize> MulAssign<f32> for Row<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_assign(&mut self, factor: f32) {
        *self = *self * factor;
    }
}

impl<const K: usize> DivAssign<f32> for Row<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn div_assign(&mut self, divisor: f32) {
        *self = *self / divisor;
    }
}
