//! A graph in a device's memory: what the schedules that have run need of it, copied there once.

use std::sync::Arc;

use crate::backend::adjacency::{DeviceAdjacency, Needs};
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::graph::{Adjacency, EdgeIds, Graph};
use crate::memory::{self, OutOfMemory};
use crate::packing::FrequentSources;

/// Which of two graphs that share their rows: the one that was taken into the session, or its reverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Facing {
    #[default]
    Forward,
    Reversed,
}

impl Facing {
    /// The other one.
    pub(crate) fn turned(self) -> Self {
        match self {
            Self::Forward => Self::Reversed,
            Self::Reversed => Self::Forward,
        }
    }
}

/// An adjacency on a device, with what it was made for.
type Side<A> = Vec<(Needs, Arc<DeviceAdjacency<A>>)>;

/// The arrays of a graph on a device, which the runs over it and over its reverse share: what leads into a vertex of the one leads out of it in
/// the other.
pub(crate) struct Topology<A> {
    /// The edges by destination, and by source, as the graph has them that was taken into the session.
    sides: [Side<A>; 2],
    /// By facing.
    reverse: [Option<Arc<A>>; 2],
    /// By facing.
    out_degree: [Option<Arc<A>>; 2],
    /// The blocks of whole graphs, by how many vertices they have at most. Both facings have the same.
    blocks: Vec<(usize, GraphBlocks<A>)>,
}

/// Blocks of whole graphs of a batch.
pub(crate) struct GraphBlocks<A> {
    /// The first vertex of each, and the number of vertices as the last.
    pub(crate) first: Arc<A>,
    /// How many there are.
    pub(crate) count: u64,
    /// How many vertices the largest one has.
    pub(crate) largest: u32,
}

impl<A> Clone for GraphBlocks<A> {
    fn clone(&self) -> Self {
        Self { first: Arc::clone(&self.first), ..*self }
    }
}

impl<A> Default for Topology<A> {
    fn default() -> Self {
        Self { sides: [Vec::new(), Vec::new()], reverse: [None, None], out_degree: [None, None], blocks: Vec::new() }
    }
}

impl<A> Topology<A> {
    /// The incoming edges with what is needed.
    pub(crate) fn incoming<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        graph: &Graph,
        facing: Facing,
        needs: Needs,
    ) -> Result<Arc<DeviceAdjacency<A>>, RunError> {
        let frequent = || needs.packed.map(|most| FrequentSources::of(graph, most)).transpose();
        side(&mut self.sides[facing as usize], memory, graph.incoming(), needs, frequent)
    }

    /// The outgoing edges with what is needed.
    pub(crate) fn outgoing<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        graph: &Graph,
        facing: Facing,
        needs: Needs,
    ) -> Result<Arc<DeviceAdjacency<A>>, RunError> {
        side(&mut self.sides[facing.turned() as usize], memory, graph.outgoing(), needs, || Ok(None))
    }

    /// The numbers of the reverse edges.
    pub(crate) fn reverse<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        numbers: &EdgeIds,
        facing: Facing,
    ) -> Result<Arc<A>, RunError> {
        once(&mut self.reverse[facing as usize], || memory.upload(numbers.as_bytes()))
    }

    /// The number of outgoing edges of each vertex.
    pub(crate) fn out_degree<M: Memory<Array = A>>(
        &mut self,
        device: &M,
        graph: &Graph,
        facing: Facing,
    ) -> Result<Arc<A>, RunError> {
        once(&mut self.out_degree[facing as usize], || {
            let degrees = (0..graph.vertex_count() as u32).map(|vertex| graph.out_degree(vertex) as u32);
            let degrees = memory::collect(degrees, "the degrees of the vertices")?;
            device.upload(bytemuck::cast_slice(&degrees))
        })
    }

    /// The blocks of whole graphs that have so many vertices at most, unless a single graph has more.
    pub(crate) fn blocks<M: Memory<Array = A>>(
        &mut self,
        device: &M,
        graph: &Graph,
        most: usize,
    ) -> Result<GraphBlocks<A>, RunError> {
        if let Some((_, known)) = self.blocks.iter().find(|(known, _)| *known == most) {
            return Ok(known.clone());
        }
        let first = graph.member_blocks(most)?;
        let made = GraphBlocks {
            first: Arc::new(device.upload(bytemuck::cast_slice(&first))?),
            count: first.len() as u64 - 1,
            largest: first.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0),
        };
        self.blocks.push((most, made.clone()));
        Ok(made)
    }

    /// The bytes that [`Topology::incoming`] would copy.
    pub(crate) fn incoming_bytes(&self, graph: &Graph, facing: Facing, needs: Needs) -> u64 {
        missing(&self.sides[facing as usize], graph.incoming(), needs)
    }

    /// The bytes that [`Topology::outgoing`] would copy.
    pub(crate) fn outgoing_bytes(&self, graph: &Graph, facing: Facing, needs: Needs) -> u64 {
        missing(&self.sides[facing.turned() as usize], graph.outgoing(), needs)
    }

    /// The bytes that [`Topology::reverse`] would copy.
    pub(crate) fn reverse_bytes(&self, numbers: &EdgeIds, facing: Facing) -> u64 {
        if self.reverse[facing as usize].is_some() { 0 } else { numbers.as_bytes().len() as u64 }
    }

    /// The bytes that [`Topology::out_degree`] would copy.
    pub(crate) fn out_degree_bytes(&self, graph: &Graph, facing: Facing) -> u64 {
        if self.out_degree[facing as usize].is_some() { 0 } else { 4 * graph.vertex_count() as u64 }
    }
}

fn once<A>(kept: &mut Option<Arc<A>>, make: impl FnOnce() -> Result<A, RunError>) -> Result<Arc<A>, RunError> {
    if let Some(array) = kept {
        return Ok(Arc::clone(array));
    }
    Ok(Arc::clone(kept.insert(Arc::new(make()?))))
}

/// What is there for these needs. Edge numbers too many do no harm: those of a side are of the one graph whose outgoing edges it has.
fn found<'s, A>(side: &'s Side<A>, adjacency: &Adjacency, needs: Needs) -> Option<&'s Arc<DeviceAdjacency<A>>> {
    let has_ids = |known: &DeviceAdjacency<A>| known.has_edge_ids() || adjacency.edge_ids().is_none();
    side.iter().find(|(known, made)| *known == needs && has_ids(made)).map(|(_, made)| made)
}

fn missing<A>(side: &Side<A>, adjacency: &Adjacency, needs: Needs) -> u64 {
    if found(side, adjacency, needs).is_some() {
        return 0;
    }
    let neighbors = if side.is_empty() { 0 } else { 4 * adjacency.edge_count() as u64 };
    let has_ids = side.iter().any(|(_, known)| known.has_edge_ids());
    let ids = adjacency.edge_ids().filter(|_| has_ids).map_or(0, |ids| ids.as_bytes().len() as u64);
    needs.bytes(adjacency) - neighbors - ids
}

fn side<A, M: Memory<Array = A>>(
    side: &mut Side<A>,
    memory: &M,
    adjacency: &Adjacency,
    needs: Needs,
    frequent: impl FnOnce() -> Result<Option<FrequentSources>, OutOfMemory>,
) -> Result<Arc<DeviceAdjacency<A>>, RunError> {
    if let Some(known) = found(side, adjacency, needs) {
        return Ok(Arc::clone(known));
    }
    let known: Vec<&DeviceAdjacency<A>> = side.iter().map(|(_, known)| &**known).collect();
    let made = Arc::new(DeviceAdjacency::upload(memory, adjacency, needs, frequent()?.as_ref(), &known)?);
    side.push((needs, Arc::clone(&made)));
    Ok(made)
}
