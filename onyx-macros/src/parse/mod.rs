//! From tokens to what the user has said.

pub mod access;
pub mod data;
pub mod derivative;
pub mod element;
pub mod fold;
pub mod function;
pub mod list;
pub mod option;
pub mod per_lane;
pub mod remnant;
pub mod repair;
pub mod state;
pub mod widths;
