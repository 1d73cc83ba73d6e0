//! Totals: what contributions come to, in whatever order they are combined, and whether changes of them are pushed.

use crate::exponential::{log_sum, softmax};
use crate::float::Float;
use crate::statement::Reduction;

/// The bits of a single float.
const BITS: i32 = 24;
/// A sum of changes may be of numbers this much larger than the sum of contributions.
const CHANGES: f64 = 4.0;
/// How often each contribution may be rounded: once in each iteration in which it changes.
const ROUNDINGS: f64 = 16.0 * 1.2e-7;

/// A sum, in whatever order.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    value: f64,
    error: f64,
    magnitude: f64,
    /// The exponent of the lowest bit that any contribution has.
    lowest: i32,
    count: usize,
}

impl Sum {
    /// Of nothing.
    pub const NOTHING: Self = Self { value: 0.0, error: 0.0, magnitude: 0.0, lowest: i32::MAX, count: 0 };

    /// Adds a number.
    pub fn add(&mut self, number: Float) {
        self.value += number.value;
        self.error += number.error;
        self.magnitude += number.value.abs();
        self.lowest = self.lowest.min(lowest_bit(number.value));
        self.count += 1;
    }

    /// The sum of several numbers.
    pub fn of(numbers: impl IntoIterator<Item = Float>) -> Float {
        let mut sum = Self::NOTHING;
        numbers.into_iter().for_each(|number| sum.add(number));
        sum.total()
    }

    /// The mean; 0 of nothing.
    pub fn mean(self) -> Float {
        if self.count == 0 {
            return Float::ZERO;
        }
        let (sum, count) = (self.total(), self.count as f64);
        Float::inexact(sum.value / count, sum.error / count)
    }

    /// The sum.
    pub fn total(self) -> Float {
        let is_held =
            self.magnitude == 0.0 || (CHANGES * self.magnitude).log2() - f64::from(self.lowest) <= f64::from(BITS);
        if self.error == 0.0 && is_held {
            return Float { value: self.value, error: 0.0 };
        }
        Float { value: self.value, error: self.error + ROUNDINGS * (self.count + 1) as f64 * self.magnitude }
    }
}

/// The exponent of the lowest bit of a number; that of no bit is the greatest.
fn lowest_bit(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() {
        return i32::MAX;
    }
    let bits = value.to_bits();
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    exponent - 1075 + (mantissa | 1 << 52).trailing_zeros() as i32
}

/// A product, in whatever order.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    value: f64,
    /// The sum of relative errors.
    error: f64,
    /// The bits that all factors have together.
    bits: i32,
    /// The doublings, and the halvings.
    exponents: [i32; 2],
    count: usize,
}

impl Product {
    /// Of nothing.
    pub const NOTHING: Self = Self { value: 1.0, error: 0.0, bits: 0, exponents: [0; 2], count: 0 };

    /// Multiplies by a number.
    pub fn multiply(&mut self, number: Float) {
        self.value *= number.value;
        self.count += 1;
        if number.value != 0.0 {
            self.error += number.error / number.value.abs();
            let exponent = number.value.abs().log2().floor() as i32;
            let bits = exponent - lowest_bit(number.value);
            self.bits += bits;
            self.exponents[usize::from(exponent < 0)] += exponent.abs() + i32::from(bits > 0);
        }
    }

    /// The product.
    pub fn total(self) -> Float {
        let is_in_range = self.exponents[0] < 120 && self.exponents[1] < 120;
        if self.error == 0.0 && is_in_range && (self.bits < BITS || self.value == 0.0) {
            return Float { value: self.value, error: 0.0 };
        }
        let relative = self.error + ROUNDINGS * (self.count + 1) as f64;
        Float { value: self.value, error: self.value.abs() * relative }
    }
}

/// One float that is combined into a total.
#[derive(Clone, Copy, Debug)]
pub struct Contribution {
    /// How.
    pub reduction: Reduction,
    /// How much it weighs, in a softmax.
    pub score: Float,
    /// The number.
    pub number: Float,
}

impl Contribution {
    /// One that weighs as much as all others.
    pub fn new(reduction: Reduction, number: Float) -> Self {
        Self { reduction, score: Float::ZERO, number }
    }
}

/// What a vertex gets of one property.
#[derive(Clone, Debug)]
pub enum Total {
    /// `+=` and `-=`
    Sum(Sum),
    /// `*=`
    Product(Product),
    /// `.min_with(x)`
    Min(Float),
    /// `.max_with(x)`
    Max(Float),
    /// `.mean_with(x)`
    Mean(Sum),
    /// `.softmax_add(score, x)`
    Softmax(Vec<(Float, Float)>),
    /// `.log_sum_exp_with(x)`
    LogSum(Vec<Float>),
    /// A total of whole numbers, however they are combined.
    Whole(u32),
}

impl Total {
    /// The total of no contribution.
    pub fn nothing(reduction: Reduction) -> Self {
        match reduction {
            Reduction::Sum | Reduction::Difference => Self::Sum(Sum::NOTHING),
            Reduction::Product => Self::Product(Product::NOTHING),
            Reduction::Min => Self::Min(Float::new(f64::INFINITY)),
            Reduction::Max => Self::Max(Float::new(f64::NEG_INFINITY)),
            Reduction::Mean => Self::Mean(Sum::NOTHING),
            Reduction::Softmax => Self::Softmax(Vec::new()),
            Reduction::LogSum => Self::LogSum(Vec::new()),
            Reduction::Or | Reduction::And => unreachable!("floats have no bits to combine"),
        }
    }

    /// The total of no whole number.
    pub fn nothing_whole(reduction: Reduction) -> Self {
        let nothing = if matches!(reduction, Reduction::Min | Reduction::And) { u32::MAX } else { 0 };
        Self::Whole(nothing)
    }

    /// Combines a contribution.
    pub fn combine(&mut self, Contribution { reduction, score, number }: Contribution) {
        match self {
            Self::Sum(sum) if reduction == Reduction::Difference => sum.add(number.negated()),
            Self::Sum(sum) | Self::Mean(sum) => sum.add(number),
            Self::Product(product) => product.multiply(number),
            Self::Min(least) => *least = least.least(number),
            Self::Max(greatest) => *greatest = greatest.greatest(number),
            Self::Softmax(all) => all.push((score, number)),
            Self::LogSum(all) => all.push(number),
            Self::Whole(total) => *total = combined(reduction, *total, number.whole()),
        }
    }

    /// The total.
    pub fn total(self) -> Float {
        match self {
            Self::Sum(sum) => sum.total(),
            Self::Product(product) => product.total(),
            Self::Min(total) | Self::Max(total) => total,
            Self::Mean(sum) => sum.mean(),
            Self::Softmax(all) => softmax(&all),
            Self::LogSum(all) => log_sum(&all),
            Self::Whole(total) => Float::of_whole(total),
        }
    }
}

/// Whole numbers, modulo 2^32.
fn combined(reduction: Reduction, total: u32, number: u32) -> u32 {
    match reduction {
        Reduction::Sum => total.wrapping_add(number),
        Reduction::Difference => total.wrapping_sub(number),
        Reduction::Min => total.min(number),
        Reduction::Max => total.max(number),
        Reduction::Or => total | number,
        Reduction::And => total & number,
        Reduction::Product | Reduction::Mean | Reduction::Softmax | Reduction::LogSum => {
            unreachable!("whole numbers have no such totals")
        }
    }
}
