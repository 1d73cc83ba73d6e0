//! A graph whose vertices have other numbers.

use super::super::{Graph, GraphBuilder, members};
use super::edge_order::EdgeOrder;
use super::error::OrderError;
use super::vertex_order::VertexOrder;
use crate::memory;

/// A graph whose vertices were renumbered, and what leads back.
#[derive(Clone, Debug)]
pub struct Renumbered {
    /// The graph. Its vertices have no original ids of their own: those of the graph that it was count.
    pub graph: Graph,
    /// The numbers of its vertices.
    pub vertices: VertexOrder,
    /// The numbers of its edges.
    pub edges: EdgeOrder,
}

impl Graph {
    /// The same graph with the numbers of `order` for its vertices, so that its edges have other ids, too; weights follow their edges.
    ///
    /// A batch stays one where the vertices of each of its [members](Graph::members) stay side by side; the members are then in the order of their new numbers.
    /// Where an order mixes the vertices of several, the new graph has no members: it is run as any other.
    ///
    /// What a fold computes on it is the same but for the order in which neighbors are added up. [`VertexOrder::to_new`] takes there what
    /// the vertices of this graph have, [`VertexOrder::to_old`] brings results back, and [`EdgeOrder`] does so for edges.
    ///
    /// # Errors
    /// The order is of another number of vertices, or there is not enough memory.
    pub fn renumbered(&self, order: &VertexOrder) -> Result<Renumbered, OrderError> {
        let vertices = self.vertex_count();
        if order.len() != vertices {
            return Err(OrderError::Vertices { ordered: order.len(), vertices });
        }
        let builder = GraphBuilder::new().vertices(vertices).edges(self.renumbered_edges(order)?);
        let (mut graph, places) = builder.build_placed(|_, _| true)?;
        let edges = EdgeOrder(places);
        let weights = self.weights().map(|weights| edges.to_new(weights, 1)).transpose()?;
        (graph.weights, graph.symmetric) = (weights.map(Into::into), self.symmetric);
        let members = self.members().map(|offsets| members::renumbered(offsets, order.new_ids()));
        graph.members = members.transpose()?.flatten();
        Ok(Renumbered { graph, vertices: order.clone(), edges })
    }

    /// The edges in the order of this graph, by the new numbers of their ends.
    fn renumbered_edges(&self, order: &VertexOrder) -> Result<Vec<(u32, u32)>, OrderError> {
        let new_ids = order.new_ids();
        let renumbered =
            |(_, source, destination): (usize, u32, u32)| (new_ids[source as usize], new_ids[destination as usize]);
        let mut edges = memory::vector(self.edge_count(), "the edges of the renumbered graph")?;
        edges.extend(self.edges().map(renumbered));
        Ok(edges)
    }
}
