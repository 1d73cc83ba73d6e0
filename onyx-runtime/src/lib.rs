//! Graphs, property stores and backends of Onyx.
#![deny(missing_docs)]

pub mod active;
pub mod graph;
pub mod manifest;
