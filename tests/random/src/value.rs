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
    /// A whole number of eight bits.
    Byte(u8),
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

    /// The whole number, of whatever type.
    pub fn whole(&self) -> u32 {
        if let Self::Byte(byte) = self { u32::from(*byte) } else { self.count() }
    }

    /// Whether it is a whole number.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Count(_) | Self::Byte(_))
    }

    /// A whole number of the type of this one, which takes the lowest bits.
    pub fn like(&self, number: u32) -> Self {
        if let Self::Byte(_) = self { Self::Byte(number as u8) } else { Self::Count(number) }
    }

    /// The row of a matrix.
    pub fn row(&self) -> &[Float] {
        match self {
            Self::Row(row) => row,
            other => unreachable!("{other:?} is no row"),
        }
    }

    /// What is stored: one number, or the floats of a row.
    pub fn floats(&self) -> Vec<Float> {
        match self {
            Self::Row(row) => row.clone(),
            whole if whole.is_whole() => vec![Float::of_whole(whole.whole())],
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
