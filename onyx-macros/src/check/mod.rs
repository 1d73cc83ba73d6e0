//! What a function may do, checked before anything is lowered.

pub mod body;
pub mod effect;
pub mod feature;
pub mod kind;
pub mod operation;
pub mod uniformity;
pub mod usage;
pub mod width;

#[cfg(test)]
mod tests;
