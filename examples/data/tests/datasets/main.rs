//! Data sets to learn on: what is read is what the files say, and what is wrong with them is said.

mod damage;
mod gnn_benchmark;
mod planetoid;
mod small_graphs;
mod split;

use std::path::PathBuf;

/// A file or folder of the real data.
fn data(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("ONYX_DATA").expect("ONYX_DATA names the folder with the data")).join(name)
}
