//! The command line of graph neural networks: what the programs `gcn`, `gin`, `sage` and `gat` do the same way.
#![deny(missing_docs)]

pub mod program;
