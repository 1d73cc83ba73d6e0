//! Pairwise Markov networks: variables of a few states each, and how well states go together along edges.
//!
//! ```text
//! p(x) ∝ Π over variables v of φ_v(x_v) · Π over pairs u–v of ψ_uv(x_u, x_v)
//! ```
//!
//! `network` holds one, `uai`, `evidence` and `marginals` read files of the UAI competitions, `directed` lays a network out as a graph with
//! arrays for a fold, `serial`, `exact` and `elimination` solve it on one thread, `generate` draws networks whose answer is known.

pub mod beliefs;
pub mod directed;
pub mod elimination;
pub mod error;
pub mod evidence;
pub mod exact;
pub mod generate;
pub mod logarithm;
pub mod marginals;
pub mod messages;
pub mod network;
pub mod order;
pub mod serial;
mod table;
pub mod tokens;
pub mod uai;

pub use beliefs::Beliefs;
pub use directed::DirectedNetwork;
pub use elimination::Elimination;
pub use error::{FileError, FileProblem, LayoutError, NetworkError};
pub use messages::Messages;
pub use network::{MarkovNetwork, Pair};
pub use table::Table;
