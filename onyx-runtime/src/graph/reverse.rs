//! The edge that runs the other way, for each edge.
//!
//! Both row orders are sorted, so if every edge has a reverse, the edges into a vertex and those out of it name the same neighbors in the same
//! order: the edge at a position of the one runs back along the edge at that position of the other. The outgoing edge ids *are* the reverse
//! edges then, and nothing is stored.

use rayon::prelude::*;

use super::Graph;
use super::csr::EdgeIds;

/// An edge that has no reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneWay {
    /// Where it starts.
    pub source: u32,
    /// Where it ends.
    pub destination: u32,
}

impl Graph {
    /// The id of each edge's reverse, in edge-id order, in time linear in the edges unless the graph was built as undirected.
    ///
    /// Of equal edges, the one of the same rank is the reverse; a loop is its own.
    ///
    /// # Errors
    ///
    /// The first edge, by id, that has none.
    pub fn reverse_edges(&self) -> Result<&EdgeIds, OneWay> {
        match &self.outgoing.edge_ids {
            Some(ids) if self.symmetric => Ok(ids),
            Some(ids) => self.first_one_way().map_or(Ok(ids), Err),
            None => unreachable!("a graph's outgoing adjacency has edge ids"),
        }
    }

    /// If every edge has a reverse, none is left over in either direction: their numbers are the same.
    fn first_one_way(&self) -> Option<OneWay> {
        let vertices = (0..self.vertex_count() as u32).into_par_iter();
        vertices.map(|vertex| self.one_way_into(vertex)).find_first(Option::is_some).flatten()
    }

    /// The first edge into `destination` without a reverse.
    fn one_way_into(&self, destination: u32) -> Option<OneWay> {
        let mut back = self.outgoing.row(destination).iter().copied().peekable();
        let mut into = self.incoming.row(destination).iter().copied();
        let source = into.find(|source| {
            while back.next_if(|neighbor| neighbor < source).is_some() {}
            back.next_if_eq(source).is_none()
        })?;
        Some(OneWay { source, destination })
    }
}
