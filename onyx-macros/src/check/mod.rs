//! What a function may do, checked before anything is lowered.

pub mod alias;
pub mod body;
pub mod cause;
pub mod control;
pub mod effect;
pub mod flow;
pub mod helper;
pub mod infinity;
pub mod interior;
pub mod kind;
pub mod method;
pub mod operation;
pub mod order;
pub mod place;
pub mod scope;
pub mod slip;
pub mod syntax;
pub mod taint;
pub mod uniformity;
pub mod usage;
pub mod width;

#[cfg(test)]
mod tests;
