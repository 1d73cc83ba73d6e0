//! Graph neural networks: the folds of each layer in one file, whose backward pass is the gradient that the compiler derives of them, and what the
//! host does to train models of them.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![deny(missing_docs)]

pub mod affine;
pub mod clock;
pub mod gat;
pub mod gatv2;
pub mod gcn;
pub mod gin;
pub mod greatest;
pub mod loss;
pub mod normalization;
pub mod optimizer;
pub mod pool;
pub mod random;
pub mod rectifier;
pub mod sage;
pub mod sparse;
pub mod square;
pub mod stack;

#[cfg(not(target_arch = "nvptx64"))]
pub mod checkpoint;
#[cfg(not(target_arch = "nvptx64"))]
pub mod classifier;
#[cfg(not(target_arch = "nvptx64"))]
pub mod dataset;
#[cfg(not(target_arch = "nvptx64"))]
pub mod error;
#[cfg(not(target_arch = "nvptx64"))]
mod halves;
#[cfg(not(target_arch = "nvptx64"))]
pub mod heads;
#[cfg(not(target_arch = "nvptx64"))]
pub mod input;
#[cfg(not(target_arch = "nvptx64"))]
pub mod karate;
#[cfg(not(target_arch = "nvptx64"))]
pub mod layer;
#[cfg(not(target_arch = "nvptx64"))]
pub mod model;
#[cfg(not(target_arch = "nvptx64"))]
pub mod molecules;
#[cfg(not(target_arch = "nvptx64"))]
pub mod network;
#[cfg(not(target_arch = "nvptx64"))]
pub mod rings;
#[cfg(not(target_arch = "nvptx64"))]
mod row;
#[cfg(not(target_arch = "nvptx64"))]
pub mod settings;
#[cfg(not(target_arch = "nvptx64"))]
pub mod shape;
#[cfg(not(target_arch = "nvptx64"))]
pub mod storage;
#[cfg(not(target_arch = "nvptx64"))]
pub mod train;
#[cfg(not(target_arch = "nvptx64"))]
pub mod validation;
#[cfg(not(target_arch = "nvptx64"))]
pub mod weight;
