//! Graphs and data that stay where folds run.

mod borrowing;
mod directions;
mod discarding;
mod failures;
mod heads;
mod heat;
mod lending;
mod runs;
mod sequences;
mod totals;
mod values;
