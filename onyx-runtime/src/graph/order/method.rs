//! The orders by name.

use super::super::Graph;
use super::cuthill_mckee::reverse_cuthill_mckee;
use super::degree::by_degree;
use super::error::OrderError;
use super::rabbit::rabbit;
use super::vertex_order::VertexOrder;

/// A way to order vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Communities of communities one after the other: [`rabbit`].
    Rabbit,
    /// By falling degree: [`by_degree`].
    Degree,
    /// Level after level of a breadth-first search, turned around: [`reverse_cuthill_mckee`].
    ReverseCuthillMckee,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rabbit, Self::Degree, Self::ReverseCuthillMckee];

    /// Orders the vertices of `graph`, always in the same way.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn order(self, graph: &Graph) -> Result<VertexOrder, OrderError> {
        match self {
            Self::Rabbit => Ok(rabbit(graph)?.order),
            Self::Degree => by_degree(graph),
            Self::ReverseCuthillMckee => reverse_cuthill_mckee(graph),
        }
    }

    /// What it is called: `rabbit`, `degree` or `rcm`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rabbit => "rabbit",
            Self::Degree => "degree",
            Self::ReverseCuthillMckee => "rcm",
        }
    }
}
