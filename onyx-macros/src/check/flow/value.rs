//! Values as the walk knows them: a number, what they come from, and what they mean.

use super::Sources;

/// Tells values apart: two with one number are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(pub usize);

/// Two values that may differ.
pub type Pair = (Number, Number);

/// What a value is worth to a return value.
#[derive(Clone, Debug, Default)]
pub enum Meaning {
    /// Nothing that is known.
    #[default]
    Other,
    /// The number 0.
    Zero,
    /// The first value less the second.
    Difference(Pair),
    /// At least 0, and more than 0 where any of the pairs differs.
    Distance(Vec<Pair>),
    /// A condition.
    Condition(Condition),
}

/// What a condition says.
#[derive(Clone, Debug)]
pub enum Condition {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Where it does not hold, none of the pairs differs by more than a tolerance.
    Differs(Vec<Pair>),
    /// Where it holds, none of the pairs differs by more than a tolerance.
    Near(Vec<Pair>),
    /// Either holds.
    Either(Box<Value>, Box<Value>),
    /// Both hold.
    Both(Box<Value>, Box<Value>),
    /// The second where the first holds, otherwise the third.
    Choice(Box<Value>, Box<Value>, Box<Value>),
}

/// A value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Which one.
    pub number: Number,
    /// The properties that it comes from.
    pub sources: Sources,
    /// Those of them that it comes from by additions and multiplications alone, so that an infinity would pass through.
    pub linear: Sources,
    /// What it means.
    pub meaning: Meaning,
}

impl Value {
    /// The pairs whose difference makes it greater than 0.
    pub fn distance(&self) -> &[Pair] {
        match &self.meaning {
            Meaning::Distance(pairs) => pairs,
            _ => &[],
        }
    }

    /// The pairs that make it other than 0 where one of them differs.
    pub fn differences(&self) -> Vec<Pair> {
        match &self.meaning {
            Meaning::Distance(pairs) => pairs.clone(),
            Meaning::Difference(pair) => vec![*pair],
            _ => Vec::new(),
        }
    }
}
