//! What an expression has for one feature.

use crate::float::Float;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A float.
    Float(Float),
    /// A truth.
    Flag(bool),
    /// A whole number.
    Count(u32),
    /// A row of a matrix.
    Row(Vec<Float>),
}

impl Value {
    /// The float.
    pub fn float(&self) -> Float {
        match self {
            Self::Float(float) => *float,
            other => unreachable!("{other:?} is no float"),
        }
    }

    /// The truth.
    pub fn flag(&self) -> bool {
        match self {
            Self::Flag(flag) => *flag,
            other => unreachable!("{other:?} is no truth"),
        }
    }

    /// The whole number.
    pub fn count(&self) -> u32 {
        match self {
            Self::Count(count) => *count,
            other => unreachable!("{other:?} is no whole number"),
        }
    }

    /// The row of a matrix.
    pub fn row(&self) -> &[Float] {
        match self {
            Self::Row(row) => row,
            other => unreachable!("{other:?} is no row"),
        }
    }

    /// The floats: one, or those of a row.
    pub fn floats(&self) -> Vec<Float> {
        match self {
            Self::Row(row) => row.clone(),
            other => vec![other.float()],
        }
    }

    /// The same with each float replaced.
    pub fn map(&self, of: impl Fn(Float) -> Float) -> Self {
        match self {
            Self::Row(row) => Self::Row(row.iter().map(|float| of(*float)).collect()),
            other => Self::Float(of(other.float())),
        }
    }

    /// This and another value, float by float.
    pub fn zip(&self, other: &Self, of: impl Fn(Float, Float) -> Float) -> Self {
        match (self, other) {
            (Self::Row(left), Self::Row(right)) => Self::Row(left.iter().zip(right).map(|(a, b)| of(*a, *b)).collect()),
            _ => Self::Float(of(self.float(), other.float())),
        }
    }
}
