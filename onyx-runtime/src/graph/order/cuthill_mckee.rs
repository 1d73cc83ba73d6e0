//! Reverse Cuthill-McKee order: level after level of a breadth-first search, so that edges join vertices of near levels.
//!
//! Cuthill and McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969; the start is a pseudo-peripheral vertex after George and Liu,
//! "An Implementation of a Pseudoperipheral Node Finder", 1979.

use std::mem;

use super::super::Graph;
use super::ORDER;
use super::degree::{degree, rising};
use super::error::OrderError;
use super::vertex_order::{NONE, VertexOrder};
use crate::memory;

/// Numbers the vertices in the order in which a breadth-first search finds them, those of low degree first, and turns that around. Directions
/// do not count. Each component begins at a vertex that is as far from others as a few searches can find. On one thread, in time linear in
/// the edges but for the sorting of neighbors.
///
/// # Errors
/// There is not enough memory.
pub fn reverse_cuthill_mckee(graph: &Graph) -> Result<VertexOrder, OrderError> {
    let mut search = Search::new(graph)?;
    let mut is_done: Vec<u8> = memory::zeroed(graph.vertex_count(), ORDER)?;
    let mut sequence = memory::vector(graph.vertex_count(), ORDER)?;
    for vertex in rising(graph)? {
        if is_done[vertex as usize] == 0 {
            search.far_end(vertex);
            sequence.extend_from_slice(&search.found);
            search.found.iter().for_each(|vertex| is_done[*vertex as usize] = 1);
        }
    }
    sequence.reverse();
    VertexOrder::of_sequence(sequence)
}

/// A breadth-first search of one component.
struct Search<'g> {
    graph: &'g Graph,
    /// By vertex, or [`NONE`].
    levels: Vec<u32>,
    /// The vertices in the order in which they were found.
    found: Vec<u32>,
    /// The neighbors of a vertex that were not found before.
    fresh: Vec<u32>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph) -> Result<Self, OrderError> {
        let vertices = graph.vertex_count();
        let levels = memory::filled(NONE, vertices, ORDER)?;
        Ok(Self { graph, levels, found: memory::vector(vertices, ORDER)?, fresh: memory::vector(vertices, ORDER)? })
    }

    /// Searches from one vertex of a component after the other, each the one of least degree among the farthest of the search before, until
    /// that leads no farther.
    fn far_end(&mut self, start: u32) {
        let mut depth = self.run(start);
        loop {
            let farthest = self.farthest(depth);
            let reached = self.run(farthest);
            if reached <= depth {
                return;
            }
            depth = reached;
        }
    }

    /// Of the vertices on the last level, the one of the least degree.
    fn farthest(&self, depth: u32) -> u32 {
        let last = self.found.iter().rev().take_while(|vertex| self.levels[**vertex as usize] == depth);
        last.copied().min_by_key(|vertex| (degree(self.graph, *vertex), *vertex)).unwrap_or(0)
    }

    /// Searches from `start`; the number of levels after the first.
    fn run(&mut self, start: u32) -> u32 {
        self.found.iter().for_each(|vertex| self.levels[*vertex as usize] = NONE);
        self.found.clear();
        self.found.push(start);
        self.levels[start as usize] = 0;
        let mut next = 0;
        while let Some(vertex) = self.found.get(next).copied() {
            self.visit(vertex);
            next += 1;
        }
        self.found.last().map_or(0, |vertex| self.levels[*vertex as usize])
    }

    /// Finds the neighbors of a vertex, by rising degree.
    fn visit(&mut self, vertex: u32) {
        let level = self.levels[vertex as usize] + 1;
        let mut fresh = mem::take(&mut self.fresh);
        for neighbor in neighbors(self.graph, vertex) {
            if self.levels[neighbor as usize] == NONE {
                self.levels[neighbor as usize] = level;
                fresh.push(neighbor);
            }
        }
        fresh.sort_unstable_by_key(|neighbor| (degree(self.graph, *neighbor), *neighbor));
        self.found.extend_from_slice(&fresh);
        fresh.clear();
        self.fresh = fresh;
    }
}

/// The other ends of a vertex's edges, in whichever direction; where every edge has a reverse, of those out of it alone.
pub(super) fn neighbors(graph: &Graph, vertex: u32) -> impl Iterator<Item = u32> + '_ {
    let back: &[u32] = if graph.is_symmetric() { &[] } else { graph.incoming().row(vertex) };
    graph.outgoing().row(vertex).iter().chain(back).copied()
}
