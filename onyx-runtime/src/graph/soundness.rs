//! Whether the arrays of a graph that was read are a graph.

use rayon::prelude::*;

use super::Graph;
use super::csr::Adjacency;
use super::vertex_ids::VertexIds;

impl Graph {
    /// Says which invariant is broken, if any.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        check_rows(&self.incoming)?;
        check_rows(&self.outgoing)?;
        self.check_edge_ids()?;
        self.check_members()?;
        if self.symmetric && self.incoming.neighbors != self.outgoing.neighbors {
            return Err("an edge of a symmetric graph has no reverse");
        }
        let finite = |weights: &[f32]| weights.par_iter().all(|weight| weight.is_finite());
        if !self.weights().is_none_or(finite) {
            return Err("a weight is not finite");
        }
        match &self.ids {
            VertexIds::Listed(ids) if !ids.par_windows(2).all(|pair| pair[0] < pair[1]) => {
                Err("the original ids are not ascending")
            }
            VertexIds::Dense { first, count } if first.checked_add((*count as u64).saturating_sub(1)).is_none() => {
                Err("the original ids exceed 64 bits")
            }
            _ => Ok(()),
        }
    }

    /// Both adjacencies are the same edges, of which none may lead from one member into another.
    fn check_members(&self) -> Result<(), &'static str> {
        let Some(offsets) = self.members() else { return Ok(()) };
        let ends = (offsets.first(), offsets.last().map(|last| *last as usize));
        if offsets.len() < 2 || ends != (Some(&0), Some(self.vertex_count())) || !offsets.is_sorted() {
            return Err("the members do not rise from 0 to the number of vertices");
        }
        let is_closed = |ends: &[u32]| {
            let neighbors = (ends[0]..ends[1]).flat_map(|vertex| self.outgoing.row(vertex));
            neighbors.into_iter().all(|neighbor| (ends[0]..ends[1]).contains(neighbor))
        };
        if offsets.par_windows(2).all(is_closed) { Ok(()) } else { Err("an edge leads from one member into another") }
    }

    /// Ascending ids in each row, each of an edge from that row, make the ids a permutation of the edges.
    fn check_edge_ids(&self) -> Result<(), &'static str> {
        let (incoming, outgoing) = (&self.incoming, &self.outgoing);
        let names_edge = |source: usize, position: usize| {
            let (id, destination) = (outgoing.edge_id(position), outgoing.neighbors[position]);
            incoming.offsets.row(destination as usize).contains(&id) && incoming.neighbors[id] as usize == source
        };
        let is_sound = |source: usize| {
            let row = outgoing.offsets.row(source);
            row.clone().all(|position| names_edge(source, position))
                && row.clone().skip(1).all(|position| outgoing.edge_id(position - 1) < outgoing.edge_id(position))
        };
        let sound = (0..self.vertex_count()).into_par_iter().all(is_sound);
        if sound { Ok(()) } else { Err("the incoming and outgoing edges differ") }
    }
}

/// Checks the invariants of one direction.
fn check_rows(adjacency: &Adjacency) -> Result<(), &'static str> {
    let (vertices, edges) = (adjacency.vertex_count(), adjacency.edge_count());
    let offsets = &adjacency.offsets;
    let rises = (0..vertices).into_par_iter().all(|vertex| offsets.get(vertex) <= offsets.get(vertex + 1));
    if !rises || offsets.get(0) != 0 || offsets.get(vertices) != edges {
        return Err("the row offsets do not rise from 0 to the number of edges");
    }
    if !adjacency.neighbors.par_iter().all(|&neighbor| (neighbor as usize) < vertices) {
        return Err("a neighbor is not a vertex");
    }
    let sorted = (0..vertices as u32).into_par_iter().all(|vertex| adjacency.row(vertex).is_sorted());
    if sorted { Ok(()) } else { Err("a row is not ascending") }
}
