//! Ratings of items by users, and what is learned from them: a factor of K numbers for each user and item, whose products are the ratings.
//!
//! `csv` and `list` read files, `split` sets ratings apart to test with, `bipartite` lays the others out as a graph, `serial` is alternating
//! least squares on one thread in 64-bit floats, `metric` and `top` say what factors are worth, `planted` draws ratings whose factors are
//! known, `stars` ratings as people give them, and `baseline` is what is expected of a rating before factors are fitted; `cholesky` and `spectrum` are the linear algebra of these.

pub mod baseline;
pub mod bipartite;
mod cholesky;
pub mod csv;
pub mod error;
pub mod factors;
pub mod list;
pub mod metric;
pub mod names;
pub mod planted;
pub mod read;
pub mod seen;
pub mod serial;
pub mod settings;
pub mod solver;
pub mod spectrum;
pub mod split;
pub mod stars;
pub mod table;
pub mod titles;
pub mod top;

pub use bipartite::Bipartite;
pub use error::{RatingsError, SolveError};
pub use factors::Factors;
pub use names::{Catalog, Names};
pub use settings::{Feedback, Settings};
pub use solver::Solver;
pub use table::{Rating, Table};
