//! The names of the collaborative operations, as functions that a prelude can have.
//!
//! In an `#[edge_fn]` or a `#[vertex_fn]` a call of one of them becomes a method of [`Group`](crate::Group). What the name stands for in the
//! user's own module, only the compiler knows: the lowered code asks it by [`Name`], so that a function of the user's with the same name is
//! refused, not ignored.

use core::marker::PhantomData;

/// What an operation works on: the value of one feature, of which every feature has its own. A plain function has no such value.
#[diagnostic::on_unimplemented(
    message = "a collaborative operation works in an `#[edge_fn]` or a `#[vertex_fn]` alone",
    label = "a plain function has the value of one feature, not those of the others",
    note = "call the operation in the Onyx function, and pass its result on; the lesser or greater of two floats is `a.min(b)`, `a.max(b)`"
)]
pub trait Operand<O> {
    /// What the operation gives: another type, which no function of the user's returns, however generic it is.
    type Result;
}

/// What the operation `O` gives.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<O>(PhantomData<O>);

/// A name with what it stands for in the user's module.
#[derive(Clone, Copy, Debug)]
pub struct Name<O, F>(PhantomData<(O, F)>);

/// The name is that of the operation.
#[derive(Clone, Copy, Debug)]
pub struct Ours;

/// The name is that of something else.
#[derive(Clone, Copy, Debug)]
pub struct Foreign;

impl<O, F> Name<O, F> {
    /// The name of the operation `O`.
    pub fn of(_: F) -> Self {
        Self(PhantomData)
    }
}

impl<O, F: Fn(O) -> Outcome<O>> Name<O, F> {
    /// Whose it is, of an operation with one argument.
    pub fn one(self) -> Ours {
        Ours
    }
}

impl<O, F: Fn(O, O) -> Outcome<O>> Name<O, F> {
    /// Whose it is, of an operation with two arguments.
    pub fn two(self) -> Ours {
        Ours
    }
}

/// Whose a name is that does not stand for the operation.
pub trait Taken: Sized {
    /// As [`Name::one`].
    fn one(self) -> Foreign {
        Foreign
    }

    /// As [`Name::two`].
    fn two(self) -> Foreign {
        Foreign
    }
}

impl<O, F> Taken for Name<O, F> {}

macro_rules! operations {
    ($($(#[$documentation:meta])* $name:ident($first:ident $(, $rest:ident)*);)+) => {
        /// A type for each operation, without values.
        #[allow(non_camel_case_types)]
        pub mod mark {
            $(
                #[doc = concat!("The operation `", stringify!($name), "`.")]
                #[derive(Clone, Copy, Debug)]
                pub enum $name {}

                #[diagnostic::do_not_recommend]
                impl super::Operand<$name> for $name {
                    type Result = super::Outcome<$name>;
                }
            )+
        }

        $(
            $(#[$documentation])*
            pub fn $name<X: Operand<mark::$name>>($first: X $(, $rest: X)*) -> X::Result {
                let _ = $first;
                $(let _ = $rest;)*
                panic!("a collaborative operation is lowered, and never called")
            }
        )+
    };
}

operations! {
    /// The sum over all features.
    sum(x);
    /// The product over all features.
    product(x);
    /// The least value of all features. NaN is left out, a zero is positive.
    min(x);
    /// The greatest value of all features. NaN is left out, a zero is positive.
    max(x);
    /// The square root of the sum of the squares over all features.
    norm2(x);
    /// The logarithm of the sum of the exponentials over all features, with the greatest value subtracted first.
    log_sum_exp(x);
    /// The lowest feature that has the greatest value. NaN is left out; 0 if all are NaN.
    argmax(x);
    /// The sum of the products of two values over all features.
    dot(a, b);
    /// Whether a condition holds for any feature.
    any(condition);
    /// Whether a condition holds for all features.
    all(condition);
    /// The value of feature `feature`, which is the same number for all features; 0 if there is no such feature.
    broadcast(x, feature);
    /// The value divided by the sum over all features, and the value itself where that is 0.
    normalize(x);
    /// The exponential divided by the sum of all exponentials, with the greatest value subtracted first.
    softmax(x);
    /// A row of the outer product: `a` of the feature times `b` of every feature.
    outer(a, b);
    /// The sum of the row's floats, each times the value of its feature.
    matvec(matrix, x);
    /// The greatest of the row's floats, each times the value of its feature.
    max_matvec(matrix, x);
    /// The logarithm of the sum of the row's floats, each times the exponential of the value of its feature, divided by the sum of all results.
    log_matvec(matrix, x);
    /// The same of the greatest of these products.
    log_max_matvec(matrix, x);
    /// The sum of the column's floats, each times the value of its feature.
    transpose_matvec(matrix, x);
    /// The solution of a system of equations, for a matrix that is symmetric and positive definite.
    solve(matrix, b);
    /// A row of the inverse, for a matrix that is symmetric and positive definite.
    inverse(matrix);
    /// A row of the matrix with the values of all features on its diagonal.
    diagonal(x);
}
