//! From the parts to the code that the compiler sees.

pub mod access;
pub mod agreed;
pub mod carrier;
pub mod chain;
pub mod compute;
pub mod data;
pub mod edge;
pub mod fold;
pub mod function;
pub mod host;
pub mod kernel;
pub mod operation;
pub mod stub;
pub mod vertex;
