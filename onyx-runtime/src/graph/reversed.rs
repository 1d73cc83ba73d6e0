//! The graph whose edges run the other way.

use bytemuck::Pod;

use super::Graph;
use super::buffer::Buffer;
use super::csr::{Adjacency, Indices};
use super::statistics::Known;
use crate::memory::{self, OutOfMemory};

/// What needs the memory.
const REVERSED: &str = "the edge numbers of the reversed graph";

impl Graph {
    /// The graph whose edges run the other way, on the same vertices. It shares this graph's rows: what leads into a vertex here leads out of
    /// it there.
    ///
    /// Its edges are numbered by what is their destination there, so that edge number `n` of it is edge `self.outgoing().edge_id(n)` of this
    /// graph, and the values of an edge property are in another order. Its weights are in its own order.
    ///
    /// # Errors
    /// [`OutOfMemory`] if there is no memory for the edge numbers, 4 or 8 bytes an edge, or the weights.
    pub fn reversed(&self) -> Result<Self, OutOfMemory> {
        let Adjacency { offsets, neighbors, edge_ids } = self.outgoing.clone();
        let ids = edge_ids.as_ref().map(inverse).transpose()?;
        Ok(Self {
            weights: self.weights.as_ref().map(|weights| self.in_outgoing_order(weights)).transpose()?,
            incoming: Adjacency { offsets, neighbors, edge_ids: None },
            outgoing: Adjacency { edge_ids: ids, ..self.incoming.clone() },
            ids: self.ids.clone(),
            symmetric: self.symmetric,
            members: self.members.clone(),
            statistics: Known::default(),
        })
    }

    /// What edges have, in the order of outgoing edges.
    fn in_outgoing_order<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, OutOfMemory> {
        let ordered = (0..values.len()).map(|position| values[self.outgoing.edge_id(position)]);
        Ok(memory::collect(ordered, REVERSED)?.into())
    }
}

/// The position of each number.
fn inverse(ids: &Indices) -> Result<Indices, OutOfMemory> {
    Ok(match ids {
        Indices::U32(ids) => Indices::U32(positions(ids, |id| *id as usize, |position| position as u32)?),
        Indices::U64(ids) => Indices::U64(positions(ids, |id| *id as usize, |position| position as u64)?),
    })
}

fn positions<T: Pod>(
    ids: &[T],
    index: impl Fn(&T) -> usize,
    entry: impl Fn(usize) -> T,
) -> Result<Buffer<T>, OutOfMemory> {
    let mut positions: Vec<T> = memory::zeroed(ids.len(), REVERSED)?;
    ids.iter().enumerate().for_each(|(position, id)| positions[index(id)] = entry(position));
    Ok(positions.into())
}

#[cfg(test)]
mod tests {
    use super::super::{Generator, GraphBuilder};
    use super::*;

    fn turned(graph: &Graph) -> Graph {
        let edges = graph.edges().map(|(_, source, destination)| (destination, source)).collect();
        GraphBuilder::new().vertices(graph.vertex_count()).edges(edges).build().unwrap()
    }

    #[test]
    fn it_is_the_graph_that_is_built_from_reversed_edges() {
        for generator in ["rmat:7:5", "grid:5x4", "uniform:50:9"] {
            let graph = generator.parse::<Generator>().unwrap().generate(3).unwrap();
            let reversed = graph.reversed().unwrap();
            assert_eq!(reversed.incoming(), turned(&graph).incoming(), "{generator}");
            assert_eq!(reversed.outgoing(), turned(&graph).outgoing(), "{generator}");
            assert_eq!(reversed.reversed().unwrap(), graph, "{generator}");
        }
    }

    #[test]
    fn rows_are_shared_and_weights_follow_their_edges() {
        let edges = vec![(0, 1), (0, 2), (1, 2), (2, 0), (0, 2)];
        let graph = GraphBuilder::new().edges(edges).weights(vec![1.0, 2.0, 3.0, 4.0, 5.0]).build().unwrap();
        let reversed = graph.reversed().unwrap();
        assert_eq!(reversed.incoming().neighbors().as_ptr(), graph.outgoing().neighbors().as_ptr());
        assert_eq!(reversed.outgoing().neighbors().as_ptr(), graph.incoming().neighbors().as_ptr());
        for (edge, source, destination) in reversed.edges() {
            let here = graph.outgoing().edge_id(edge);
            assert_eq!(graph.edges().nth(here), Some((here, destination, source)));
            assert_eq!(reversed.weights().unwrap()[edge], graph.weights().unwrap()[here]);
        }
    }
}
