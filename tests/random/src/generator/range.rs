//! How large the values of an expression get, and of which grain they are: what single floats hold without rounding.

use crate::expression::Expression;
use crate::limits::{
    COLUMNS, GRAIN, MOST_EDGES, MOST_INCOMING, MOST_ITERATIONS, MOST_OUTGOING, MOST_STEPS, MOST_VERTICES, SMALL,
};

/// The values that an expression may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Range {
    /// Multiples of a grain.
    Exact {
        /// The grain.
        grain: f64,
        /// The largest, without its sign.
        most: f64,
    },
    /// Exact, but of any size, infinite ones among them: it may be tamed or compared with a number.
    Wild,
    /// Rounded: it decides nothing.
    Rough,
}

/// The most contributions of an edge to one total.
pub(super) const CONTRIBUTIONS: f64 = 2.0;
/// The grain and the size of a contribution.
const PRODUCT_GRAIN: f64 = GRAIN * GRAIN;
const PRODUCT_MOST: f64 = SMALL * SMALL;

impl Range {
    /// What is stored.
    pub(super) const SMALL: Self = Self::Exact { grain: GRAIN, most: SMALL };
    /// What is multiplied many times.
    pub(super) const UNIT: Self = Self::Exact { grain: 0.5, most: 2.0 };
    /// The product of two small values, and a contribution to a sum.
    pub(super) const PRODUCT: Self = Self::Exact { grain: PRODUCT_GRAIN, most: PRODUCT_MOST };
    /// A row of small values times the matrix of the graph.
    pub(super) const LIFTED: Self = Self::Exact { grain: GRAIN * 0.5, most: 2.0 * SMALL * COLUMNS as f64 };
    /// A part of a product, of more bits than half precision has.
    pub(super) const FINE: Self = Self::Exact { grain: PRODUCT_GRAIN / 1024.0, most: PRODUCT_MOST };
    /// A sum of contributions.
    pub(super) const TOTAL: Self =
        Self::Exact { grain: PRODUCT_GRAIN, most: PRODUCT_MOST * CONTRIBUTIONS * MOST_INCOMING as f64 };
    /// The same over the outgoing edges of a vertex.
    pub(super) const OUTWARD_TOTAL: Self =
        Self::Exact { grain: PRODUCT_GRAIN, most: PRODUCT_MOST * CONTRIBUTIONS * MOST_OUTGOING as f64 };
    /// The same over the whole graph.
    pub(super) const WHOLE: Self =
        Self::Exact { grain: PRODUCT_GRAIN, most: PRODUCT_MOST * CONTRIBUTIONS * MOST_EDGES as f64 };
    /// What a few small values were added to in each iteration.
    pub(super) const GROWN: Self = Self::Exact { grain: GRAIN, most: SMALL * 8.0 * MOST_ITERATIONS as f64 };

    /// The number of a vertex that is there.
    pub(super) const VERTEX: Self = Self::Exact { grain: 1.0, most: MOST_VERTICES as f64 };

    /// The number of an iteration.
    pub(super) const COUNTED: Self = Self::Exact { grain: 1.0, most: MOST_ITERATIONS as f64 };

    /// How many steps of its grain the largest value has.
    pub(super) fn steps(self) -> f64 {
        match self {
            Self::Exact { grain, most } => most / grain,
            Self::Wild | Self::Rough => f64::INFINITY,
        }
    }

    /// Whether values of this range are among those of another one.
    pub(super) fn is_in(self, other: Self) -> bool {
        match (self, other) {
            (Self::Exact { grain, most }, Self::Exact { grain: finest, most: largest }) => {
                grain >= finest && most <= largest
            }
            (_, Self::Rough) => self != Self::Wild,
            _ => false,
        }
    }

    /// Combines two ranges; of what is rough comes what is rough.
    fn with(self, other: Self, of: impl Fn((f64, f64), (f64, f64)) -> (f64, f64)) -> Self {
        match (self, other) {
            (Self::Exact { grain, most }, Self::Exact { grain: other_grain, most: other_most }) => {
                let (grain, most) = of((grain, most), (other_grain, other_most));
                Self::Exact { grain, most }
            }
            _ => Self::Rough,
        }
    }

    /// Of sums and differences.
    pub(super) fn plus(self, other: Self) -> Self {
        self.with(other, |one, other| (one.0.min(other.0), one.1 + other.1))
    }

    /// Of products.
    pub(super) fn times(self, other: Self) -> Self {
        self.with(other, |one, other| (one.0 * other.0, one.1 * other.1))
    }

    /// Of either.
    pub(super) fn or(self, other: Self) -> Self {
        self.with(other, |one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Of a sum of so many.
    pub(super) fn summed(self, count: usize) -> Self {
        self.with(self, |one, _| (one.0, one.1 * count as f64))
    }
}

/// An expression with what is known of its values.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) expression: Expression,
    pub(super) range: Range,
    /// Whether it is the same for all features.
    pub(super) is_uniform: bool,
}

impl Drawn {
    pub(super) fn new(expression: Expression, range: Range, is_uniform: bool) -> Self {
        Self { expression, range, is_uniform }
    }

    /// The same, tamed.
    pub(super) fn tamed(self) -> Self {
        Self { expression: self.expression.tamed(), range: Range::SMALL, is_uniform: self.is_uniform }
    }

    /// The same, tamed if its range is not in another one.
    pub(super) fn within(self, range: Range) -> Self {
        if self.range.is_in(range) { self } else { self.tamed() }
    }

    /// The same, tamed if it has more steps than so many.
    pub(super) fn of_steps(self, most: f64) -> Self {
        if self.range.steps() <= most { self } else { self.tamed() }
    }

    /// The same, tamed if single floats might not hold it.
    pub(super) fn held(self) -> Self {
        self.of_steps(MOST_STEPS)
    }
}
