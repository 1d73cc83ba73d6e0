//! What is tested of alternating least squares besides its folds.

mod program;
mod verification;
