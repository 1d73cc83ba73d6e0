//! The graph of who has rated what.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::{Graph, GraphBuilder, GraphError};
use onyx_runtime::memory;

use super::table::{Rating, Table};

/// What needs the memory.
const RATINGS: &str = "the graph of the ratings";

/// One of the two kinds of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those who rate.
    Users,
    /// What is rated.
    Items,
}

impl Side {
    /// The one that is not this one.
    pub fn other(self) -> Self {
        match self {
            Self::Users => Self::Items,
            Self::Items => Self::Users,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Users => "user",
            Self::Items => "item",
        })
    }
}

/// A graph of users, then items. Each rating is two edges, one in each direction, whose weights are the rating.
#[derive(Debug)]
pub struct Bipartite {
    /// The graph.
    pub graph: Graph,
    users: usize,
    /// The edges towards users, and those towards items, once somebody has asked for them.
    toward: [OnceLock<Graph>; 2],
}

impl Bipartite {
    /// The graph of `users` users and `items` items, rated or not.
    ///
    /// # Errors
    /// They are too many, or a rating is of an item that is not there.
    pub fn new(table: &Table, users: usize, items: usize) -> Result<Self, GraphError> {
        let vertices = users.saturating_add(items);
        let users_before =
            u32::try_from(users).map_err(|_| GraphError::TooManyVertices { vertices: vertices as u64 })?;
        // An item that is not there is beyond the last vertex, which the builder refuses.
        let ends = |rating: &Rating| (rating.user, users_before.saturating_add(rating.item));
        let there = table.ratings().iter().map(ends);
        let mut edges = memory::vector(2 * table.len(), RATINGS)?;
        edges.extend(there.clone().chain(there.map(|(user, item)| (item, user))));
        let values = table.ratings().iter().map(|rating| rating.value);
        let mut weights = memory::vector(2 * table.len(), RATINGS)?;
        weights.extend(values.clone().chain(values));
        let graph = GraphBuilder::new().vertices(vertices).edges(edges).weights(weights).build()?;
        Ok(Self { graph, users, toward: Default::default() })
    }

    /// The number of users.
    pub fn users(&self) -> usize {
        self.users
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.graph.vertex_count() - self.users
    }

    /// The vertices of one side.
    pub fn vertices(&self, side: Side) -> Range<u32> {
        let users = self.users as u32;
        match side {
            Side::Users => 0..users,
            Side::Items => users..self.graph.vertex_count() as u32,
        }
    }

    /// The side of a vertex.
    pub fn side(&self, vertex: u32) -> Side {
        if (vertex as usize) < self.users { Side::Users } else { Side::Items }
    }

    /// The set of the vertices of one side.
    pub fn set(&self, side: Side) -> ActiveSet {
        ActiveSet::of(self.graph.vertex_count(), self.vertices(side))
    }

    /// The graph of the edges that lead to one side, with the same vertices; the weights are the ratings.
    ///
    /// # Errors
    /// As [`GraphBuilder::build`].
    pub fn toward(&self, side: Side) -> Result<&Graph, GraphError> {
        let place = &self.toward[side as usize];
        match place.get() {
            Some(graph) => Ok(graph),
            None => {
                let graph = self.build_toward(side)?;
                Ok(place.get_or_init(|| graph))
            }
        }
    }

    fn build_toward(&self, side: Side) -> Result<Graph, GraphError> {
        let of_side = || self.vertices(side).flat_map(|vertex| self.incoming(vertex).map(move |edge| (edge, vertex)));
        let edges = memory::collect(of_side().map(|((other, _), vertex)| (other, vertex)), RATINGS)?;
        let weights = memory::collect(of_side().map(|((_, rating), _)| rating), RATINGS)?;
        GraphBuilder::new().vertices(self.graph.vertex_count()).edges(edges).weights(weights).build()
    }

    /// The rating of each edge.
    pub fn ratings(&self) -> &[f32] {
        self.graph.weights().unwrap_or_default()
    }

    /// The edges that enter a vertex: who is at the other end, and the rating.
    pub fn incoming(&self, vertex: u32) -> impl Iterator<Item = (u32, f32)> {
        let edges = self.graph.incoming().offsets().row(vertex as usize);
        self.graph.incoming().row(vertex).iter().copied().zip(self.ratings()[edges].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_refused() {
        let refused = |item, users, items| {
            let table = Table::new(vec![Rating { user: 0, item, value: 1.0 }]).unwrap();
            Bipartite::new(&table, users, items).unwrap_err()
        };
        assert!(matches!(refused(1, 3, 1), GraphError::EdgeOutOfRange { destination: 4, vertices: 4, .. }));
        assert!(matches!(refused(u32::MAX, 3, 1), GraphError::EdgeOutOfRange { destination: u32::MAX, .. }));
        for (users, items) in [(1 << 32, 1), (1, 1 << 32), (usize::MAX, usize::MAX)] {
            assert!(matches!(refused(0, users, items), GraphError::TooManyVertices { .. }), "{users}, {items}");
        }
    }
}
