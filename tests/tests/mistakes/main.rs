//! Mistakes that could be made in a schedule, each planted in one, and what the emulator says of it.

mod careless;
mod early;
mod exchange;
mod graphs;
mod kernels;
mod ordering;
mod plant;
mod program;
mod pull;
mod push;
mod right;
mod shared;
mod word;
mod world;
