//! Expressions: what functions compute of one feature.

use crate::operation::Operation;
use crate::statement::Statement;

/// Whose value a property is read or written of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// `e.src`
    Source,
    /// `e.dst`
    Destination,
    /// `e`
    Edge,
    /// `e.rev`
    Reverse,
    /// `v`
    Vertex,
    /// The whole graph's.
    Graph,
}

/// A property at a place, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The property's position in the data.
    pub property: usize,
    /// Whose.
    pub place: Place,
}

/// What has a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbered {
    /// `v.0`
    Vertex,
    /// `e.id`
    Edge,
    /// `e.src.0`
    Source,
    /// `e.dst.0`
    Destination,
}

/// What is made of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-x`, of a float or a row
    Negate,
    /// `!c`
    Not,
    /// `x.abs()`
    Abs,
    /// `tame(x)`: see [`crate::limits::tame`]
    Tame,
    /// `bound(x)`: see [`crate::limits::bound`]
    Bound,
    /// `x.sqrt()`
    Sqrt,
    /// `x.exp()`
    Exp,
    /// `x.ln()`
    Ln,
    /// `i as f32`
    Float,
    /// `x as u32`, of a float or a byte
    Whole,
    /// `i as u8`
    Byte,
}

/// What is made of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `a + b`, of floats or rows
    Add,
    /// `a - b`, of floats or rows
    Subtract,
    /// `a * b`, of floats
    Multiply,
    /// `row * x`
    Scale,
    /// `a / b`
    Divide,
    /// `a.min(b)`
    Least,
    /// `a.max(b)`
    Greatest,
    /// `greater(a, b)`, a function of the user's
    Greater,
    /// `a < b`
    Less,
    /// `a > b`
    More,
    /// `a <= b`
    AtMost,
    /// `a == b`
    Equal,
    /// `a != b`
    Differs,
    /// `a && b`
    And,
    /// `a || b`
    Or,
}

/// What is made of two whole numbers of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// `a.wrapping_add(b)`
    Add,
    /// `a.wrapping_sub(b)`
    Subtract,
    /// `a.wrapping_mul(b)`
    Multiply,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Exclusive,
    /// `a.min(b)`
    Least,
    /// `a.max(b)`
    Greatest,
    /// `a / b.max(1)`
    Quotient,
    /// `a % b.max(1)`
    Rest,
    /// `a << b`, where `b` is less than the bits of `a`
    Left,
    /// `a >> b`, where `b` is less than the bits of `a`
    Right,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A float.
    Number(f64),
    /// `true` or `false`
    Flag(bool),
    /// A whole number.
    Count(u32),
    /// A property's value.
    Read(Access),
    /// A variable's value.
    Variable(String),
    /// `f.index() % 3`, a whole number
    Feature(u32),
    /// `K as f32`
    Width,
    /// `v.0 % 3`, a whole number
    Remainder(Numbered, u32),
    /// Of one value.
    Unary(Unary, Box<Expression>),
    /// Of two values.
    Binary(Binary, Box<[Expression; 2]>),
    /// `if c { a } else { b }`
    Choose(Box<[Expression; 3]>),
    /// `match i { 0 => a, 1 => b, _ => c }`: the last is for all other numbers
    Match(Box<Expression>, Vec<Expression>),
    /// A collaborative operation.
    Operation(Operation, Vec<Expression>),
    /// `{ statements; value }`
    Block(Vec<Statement>, Box<Expression>),
    /// `(|parameter: f32| body)(argument)`
    Apply(String, Box<[Expression; 2]>),
    /// A `u8`.
    Byte(u8),
    /// Of two whole numbers.
    Whole(Whole, Box<[Expression; 2]>),
    /// `e.src.0`, a whole number
    Own(Numbered),
    /// `d.p[Vertex(i)][f]`, or `d.p[i][f]` of a table: the property's position in the data, and the number
    Gather(usize, Box<Expression>),
}

impl Expression {
    /// Of one value.
    pub fn unary(of: Unary, value: Self) -> Self {
        Self::Unary(of, Box::new(value))
    }

    /// Of two values.
    pub fn binary(of: Binary, left: Self, right: Self) -> Self {
        Self::Binary(of, Box::new([left, right]))
    }

    /// Of two whole numbers.
    pub fn whole(of: Whole, left: Self, right: Self) -> Self {
        Self::Whole(of, Box::new([left, right]))
    }

    /// Whether it is the literal `true`.
    pub fn is_true(&self) -> bool {
        *self == Self::Flag(true)
    }

    /// `tame(value)`
    pub fn tamed(self) -> Self {
        Self::unary(Unary::Tame, self)
    }

    /// The expressions directly inside of this one, but for those in statements.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Unary(_, value) | Self::Gather(_, value) => vec![value],
            Self::Binary(_, values) | Self::Apply(_, values) | Self::Whole(_, values) => values.iter().collect(),
            Self::Choose(values) => values.iter().collect(),
            Self::Match(count, arms) => std::iter::once(&**count).chain(arms).collect(),
            Self::Operation(_, arguments) => arguments.iter().collect(),
            Self::Block(_, value) => vec![value],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Unary(_, value) | Self::Gather(_, value) => vec![value],
            Self::Binary(_, values) | Self::Apply(_, values) | Self::Whole(_, values) => values.iter_mut().collect(),
            Self::Choose(values) => values.iter_mut().collect(),
            Self::Match(count, arms) => std::iter::once(&mut **count).chain(arms).collect(),
            Self::Operation(_, arguments) => arguments.iter_mut().collect(),
            Self::Block(_, value) => vec![value],
            _ => Vec::new(),
        }
    }
}
