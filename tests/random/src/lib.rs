//! Random programs in the language of Onyx, and what they mean.
//!
//! A program is drawn from a seed (`generator`), printed as Rust source (`source`), and computed by an interpreter of its own (`interpreter`), which
//! knows nothing of the compiler: full pulls, one edge and one vertex after the other. `rules` has the rules of the reference in the form of sets;
//! `cut` makes failing programs smaller, `mutation` makes legal ones illegal.
//!
//! Values are multiples of an eighth and their products and sums, which single floats hold without rounding (`limits`), so that whatever order a
//! schedule adds in, results must agree exactly. What rounds anyway carries an error (`float`), and decides nothing.
#![deny(missing_docs)]

pub mod accesses;
pub mod cut;
pub mod dice;
pub mod exponential;
pub mod expression;
pub mod float;
pub mod generator;
pub mod interpreter;
pub mod limits;
pub mod mutation;
pub mod name;
pub mod network;
pub mod operation;
pub mod program;
pub mod property;
pub mod rules;
pub mod smooth;
pub mod source;
pub mod state;
pub mod statement;
pub mod total;
pub mod uniformity;
pub mod value;
pub mod walk;
