//! What a function may do, checked before anything is lowered.

pub mod body;
pub mod feature;
pub mod flow;
pub mod infinity;
pub mod operation;
pub mod uniformity;
pub mod usage;
