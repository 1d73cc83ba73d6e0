//! What is known of a value by the form of what gives it.

use syn::{Ident, Lit, Type};

use crate::lower::methods::MATH_METHODS;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A float, or the row of a matrix.
    Float,
    /// A truth value.
    Truth,
    /// A scalar property's value, and what is computed of such values alone: a float or an integer, the same for all features.
    Scalar,
    /// An integer.
    Integer,
    /// Nothing.
    Unknown,
}

/// Methods of floats that `core` has, that do not panic and that give a float.
const OF_FLOATS: &[&str] =
    &["abs", "min", "max", "minimum", "maximum", "signum", "copysign", "recip", "to_degrees", "to_radians", "midpoint"];
/// Those that give a truth value.
const TESTS: &[&str] =
    &["is_nan", "is_infinite", "is_finite", "is_normal", "is_subnormal", "is_sign_positive", "is_sign_negative"];
/// Methods of integers that do not panic and that give an integer.
const OF_INTEGERS: &[&str] = &[
    "min",
    "max",
    "index",
    "abs_diff",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "saturating_add",
    "saturating_sub",
    "saturating_mul",
    "count_ones",
    "count_zeros",
    "leading_zeros",
    "trailing_zeros",
    "rotate_left",
    "rotate_right",
];
const INTEGERS: &[&str] = &["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];

impl Kind {
    /// What is known of a value that is one or the other.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            // Both are of one type, so that the scalar is what the other one is.
            (Kind::Scalar, known @ (Kind::Float | Kind::Integer))
            | (known @ (Kind::Float | Kind::Integer), Kind::Scalar) => known,
            _ => Kind::Unknown,
        }
    }

    /// What is known of a literal.
    pub fn of_literal(literal: &Lit) -> Self {
        match literal {
            Lit::Float(_) => Kind::Float,
            Lit::Bool(_) => Kind::Truth,
            Lit::Int(number) if number.suffix() == "f32" => Kind::Float,
            Lit::Int(_) => Kind::Integer,
            _ => Kind::Unknown,
        }
    }

    /// What a type says of a value.
    pub fn declared(of: &Type) -> Self {
        let Type::Path(path) = of else { return Kind::Unknown };
        let is = |names: &[&str]| names.iter().any(|name| path.path.is_ident(name));
        match () {
            () if is(&["f32", "f64"]) => Kind::Float,
            () if is(&["bool"]) => Kind::Truth,
            () if is(INTEGERS) => Kind::Integer,
            () => Kind::Unknown,
        }
    }
}

/// What a method gives that cannot panic, of a value of which something is known; nothing if it is another one.
pub fn of_method(receiver: Kind, method: &Ident) -> Option<Kind> {
    let is_one = |names: &[&str]| names.iter().any(|name| method == name);
    match receiver {
        Kind::Float if method == "to_bits" => Some(Kind::Integer),
        Kind::Float if method == "sin_cos" => Some(Kind::Unknown),
        Kind::Float if is_one(TESTS) => Some(Kind::Truth),
        Kind::Float if is_one(OF_FLOATS) || is_one(MATH_METHODS) => Some(Kind::Float),
        Kind::Scalar if is_one(&["min", "max"]) => Some(Kind::Scalar),
        Kind::Scalar if is_one(OF_INTEGERS) => Some(Kind::Integer),
        Kind::Scalar => of_method(Kind::Float, method),
        Kind::Integer if is_one(OF_INTEGERS) => Some(Kind::Integer),
        _ => None,
    }
}
