//! Graphs, property stores and backends of Onyx.
#![deny(missing_docs)]

pub mod graph;
pub mod manifest;
