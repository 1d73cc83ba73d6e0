//! The order of vertices: which vertices are near each other in memory.
//!
//! A kernel reads what its vertex's neighbors have. Where neighbors have numbers near to each other, what is read lies in the same cache
//! lines, and is read again while it is still cached. GNNAdvisor renumbers vertices for that, by Rabbit order and only where
//! [`is_worth_it`] says so (Wang et al., "GNNAdvisor: An Adaptive and Efficient Runtime System for GNN Acceleration on GPUs", OSDI 2021).
//!
//! ```
//! use onyx_runtime::graph::Generator;
//! use onyx_runtime::graph::order::{Method, VertexOrder};
//!
//! let grid = "grid:20x20".parse::<Generator>()?.generate(0)?;
//! let shuffled = grid.renumbered(&VertexOrder::shuffled(400, 1)?)?.graph;
//! let renumbered = shuffled.renumbered(&Method::Rabbit.order(&shuffled)?)?;
//! assert!(renumbered.graph.mean_edge_span() < shuffled.mean_edge_span() / 2.0);
//! // What is computed on the renumbered graph comes back in the numbers of the other one.
//! let degrees: Vec<usize> = (0..400).map(|vertex| renumbered.graph.in_degree(vertex)).collect();
//! let degrees = renumbered.vertices.to_old(&degrees, 1)?;
//! assert_eq!(degrees[7], shuffled.in_degree(7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod community;
mod cuthill_mckee;
mod degree;
mod edge_order;
mod error;
mod method;
mod rabbit;
mod renumbered;
mod shuffle;
mod span;
mod vertex_order;

pub use community::Communities;
pub use cuthill_mckee::reverse_cuthill_mckee;
pub use degree::by_degree;
pub use edge_order::EdgeOrder;
pub use error::OrderError;
pub use method::Method;
pub use rabbit::rabbit;
pub use renumbered::Renumbered;
pub use span::{is_worth_it, span_bound};
pub use vertex_order::VertexOrder;

/// What the new numbers need the memory for.
const ORDER: &str = "the order of the vertices";
