//! Gradients, derived: from the source of a fold's functions comes source of functions that compute adjoints, which take the same way as what a
//! user writes.
//!
//! The functions of a stage that run together are read as one list of steps in single assignment (`reader`, `assignment`, `choice`, `expression`, `value`, `tape`); a
//! sweep back over the steps (`sweep`, by the rules of `rule`) adds steps for the adjoints; what is needed of all is written as functions
//! (`writer`, by `written`, `accessed` and `name`). `derivation` does so for the stages of a fold, the last one first.

mod accessed;
mod adjoint;
mod assignment;
mod call;
mod choice;
mod contribution;
mod derivation;
mod derived;
mod effect;
mod expression;
mod late;
mod matrix;
mod name;
mod pattern;
mod piece;
mod product;
mod reader;
mod reverse;
mod rule;
mod run;
mod shared;
mod state;
mod sweep;
mod tape;
#[cfg(test)]
mod tests;
mod value;
mod writer;
mod written;

pub use self::derivation::derive;
pub use self::derived::Derived;
