//! The command line of graph neural networks: what the programs `gcn`, `gin`, `sage` and `gat` do the same way, and what
//! `graph_classification` does.
#![deny(missing_docs)]

pub mod classification;
mod console;
mod curve;
mod outputs;
pub mod program;
