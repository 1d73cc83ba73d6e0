//! From the parts to the code that the compiler sees.

pub mod agreed;
pub mod carrier;
pub mod chain;
pub mod compute;
pub mod computed;
pub mod data;
pub mod each_feature;
pub mod edge;
pub mod fold;
pub mod function;
pub mod held;
pub mod host;
pub mod kernel;
pub mod loads;
pub mod operation;
pub mod place;
pub mod property;
pub mod region;
pub mod stub;
pub mod vertex;
pub mod written;
