//! Rabbit order: communities by modularity, one inside the other, numbered depth first.
//!
//! Arai et al., "Rabbit Order: Just-in-Time Parallel Reordering for Fast Graph Analysis", IPDPS 2016. Theirs merges on many threads, and what
//! it finds depends on them; this one merges on one, so that it always finds the same.

use std::cmp::Reverse;
use std::mem;

use super::super::Graph;
use super::ORDER;
use super::community::Communities;
use super::cuthill_mckee::neighbors;
use super::degree::{degree, rising};
use super::error::OrderError;
use super::vertex_order::{NONE, VertexOrder};
use crate::memory::{self, OutOfMemory};

/// Merges each vertex, those of low degree first, with the neighbor that raises the modularity most, together with what was merged with either
/// before. What is left is communities. Vertices are numbered community after community, and within each depth first along what was merged
/// with what, so that a community within a community stays together. Directions do not count.
///
/// On one thread, in time about linear in the edges.
///
/// # Errors
/// There is not enough memory.
pub fn rabbit(graph: &Graph) -> Result<Communities, OrderError> {
    let mut merging = Merging::new(graph)?;
    for vertex in rising(graph)? {
        merging.place(vertex)?;
    }
    merging.numbered()
}

/// A community that another one is joined to, and by how many edges.
type Joint = (u32, u32);

/// What was merged so far. A community is called by the one of its vertices that was merged with no other.
struct Merging<'g> {
    graph: &'g Graph,
    /// The community that a vertex was merged with, or one on the way there; the vertex itself where there is none.
    parents: Vec<u32>,
    /// The ends of edges in each community.
    ends: Vec<u64>,
    /// The community that was merged with each last, or [`NONE`].
    newest: Vec<u32>,
    /// The community that was merged with the same one before, or [`NONE`].
    older: Vec<u32>,
    /// What those that were merged are joined to, until that is taken over by the one that they were merged with.
    joints: Vec<Vec<Joint>>,
    /// Whether a vertex was placed.
    is_placed: Vec<u8>,
    /// The edges to each community, of the vertex that is being placed; otherwise zeros.
    edges_to: Vec<u32>,
    /// The communities to which there are such edges.
    joined: Vec<u32>,
}

impl<'g> Merging<'g> {
    fn new(graph: &'g Graph) -> Result<Self, OutOfMemory> {
        let vertices = graph.vertex_count();
        let ends = (0..vertices as u32).map(|vertex| degree(graph, vertex) as u64);
        Ok(Self {
            graph,
            parents: memory::collect(0..vertices as u32, ORDER)?,
            ends: memory::collect(ends, ORDER)?,
            newest: memory::filled(NONE, vertices, ORDER)?,
            older: memory::filled(NONE, vertices, ORDER)?,
            joints: memory::filled(Vec::new(), vertices, ORDER)?,
            is_placed: memory::zeroed(vertices, ORDER)?,
            edges_to: memory::zeroed(vertices, ORDER)?,
            joined: Vec::new(),
        })
    }

    /// Merges `vertex`, with all that was merged with it, with the best of its neighbors, if that raises the modularity.
    fn place(&mut self, vertex: u32) -> Result<(), OrderError> {
        self.gather(vertex)?;
        let best = self.best(vertex);
        if let Some(best) = best {
            self.merge(vertex, best)?;
        }
        self.joined.iter().for_each(|community| self.edges_to[*community as usize] = 0);
        self.joined.clear();
        self.is_placed[vertex as usize] = 1;
        Ok(())
    }

    /// Counts the edges from the community of `vertex` to each other one.
    fn gather(&mut self, vertex: u32) -> Result<(), OutOfMemory> {
        let graph = self.graph;
        for neighbor in neighbors(graph, vertex) {
            self.count(vertex, neighbor, 1)?;
        }
        let mut merged = self.newest[vertex as usize];
        while merged != NONE {
            for (neighbor, edges) in mem::take(&mut self.joints[merged as usize]) {
                self.count(vertex, neighbor, edges)?;
            }
            merged = self.older[merged as usize];
        }
        Ok(())
    }

    /// Counts edges from the community of `vertex` to that of `neighbor`, unless they are the same.
    fn count(&mut self, vertex: u32, neighbor: u32, edges: u32) -> Result<(), OutOfMemory> {
        let community = self.community(neighbor);
        if community == vertex {
            return Ok(());
        }
        let count = &mut self.edges_to[community as usize];
        if *count == 0 {
            memory::push(&mut self.joined, community, ORDER)?;
        }
        *count = count.saturating_add(edges);
        Ok(())
    }

    /// The community of a vertex; each vertex on the way is led there in fewer steps the next time.
    fn community(&mut self, mut vertex: u32) -> u32 {
        while self.parents[vertex as usize] != vertex {
            let parent = self.parents[vertex as usize];
            self.parents[vertex as usize] = self.parents[parent as usize];
            vertex = self.parents[vertex as usize];
        }
        vertex
    }

    /// The community with which `vertex` has to be merged for the greatest modularity, if any merge raises it; the first of equal ones.
    fn best(&self, vertex: u32) -> Option<u32> {
        let gains = self.joined.iter().map(|community| (self.gain(vertex, *community), Reverse(*community)));
        let (gain, best) = gains.max_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)))?;
        (gain > 0.0).then_some(best.0)
    }

    /// By how much a merge raises the modularity, in edges: those between the two, less those that there would be by chance.
    fn gain(&self, vertex: u32, community: u32) -> f64 {
        let edges = f64::from(self.edges_to[community as usize]);
        // In a symmetric graph `edges_to` has each edge once, and `ends` has it twice at either end.
        let factor = if self.graph.is_symmetric() { 2.0 } else { 1.0 };
        let ends = [vertex, community].map(|community| self.ends[community as usize] as f64);
        factor * edges - ends[0] * ends[1] / (2.0 * self.graph.edge_count() as f64)
    }

    fn merge(&mut self, vertex: u32, community: u32) -> Result<(), OutOfMemory> {
        let (from, into) = (vertex as usize, community as usize);
        self.parents[from] = community;
        self.ends[into] += self.ends[from];
        self.older[from] = mem::replace(&mut self.newest[into], vertex);
        // Who is placed already takes over nothing any more.
        if self.is_placed[into] == 0 {
            let joints = self.joined.iter().map(|other| (*other, self.edges_to[*other as usize]));
            self.joints[from] = memory::collect(joints, ORDER)?;
        }
        Ok(())
    }

    /// Numbers the vertices, community after community.
    fn numbered(self) -> Result<Communities, OrderError> {
        let mut sequence = memory::vector(self.parents.len(), ORDER)?;
        let (mut offsets, mut waiting) = (vec![0], Vec::new());
        for root in 0..self.parents.len() as u32 {
            if self.parents[root as usize] == root {
                self.descend(root, &mut waiting, &mut sequence)?;
                memory::push(&mut offsets, sequence.len() as u32, ORDER)?;
            }
        }
        Ok(Communities { order: VertexOrder::of_sequence(sequence)?, offsets })
    }

    /// Appends a community, depth first: what was merged last comes first.
    fn descend(&self, root: u32, waiting: &mut Vec<u32>, sequence: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        let mut next = Some(root);
        while let Some(vertex) = next {
            sequence.push(vertex);
            let (newest, older) = (self.newest[vertex as usize], self.older[vertex as usize]);
            if older != NONE {
                memory::push(waiting, older, ORDER)?;
            }
            next = Some(newest).filter(|newest| *newest != NONE).or_else(|| waiting.pop());
        }
        Ok(())
    }
}
