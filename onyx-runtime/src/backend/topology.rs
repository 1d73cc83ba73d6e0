//! A graph in a device's memory: what the schedules that have run need of it, copied there once.

use std::sync::Arc;

use crate::backend::adjacency::{DeviceAdjacency, Needs};
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::graph::{Adjacency, EdgeIds, Graph};
use crate::memory;

/// An adjacency on a device, with what it was made for.
type Side<A> = Vec<(Needs, Arc<DeviceAdjacency<A>>)>;

/// The arrays of a graph on a device, which the runs over it share.
pub(crate) struct Topology<A> {
    incoming: Side<A>,
    outgoing: Side<A>,
    reverse: Option<Arc<A>>,
    out_degree: Option<Arc<A>>,
}

impl<A> Default for Topology<A> {
    fn default() -> Self {
        Self { incoming: Vec::new(), outgoing: Vec::new(), reverse: None, out_degree: None }
    }
}

impl<A> Topology<A> {
    /// The incoming edges with what is needed.
    pub(crate) fn incoming<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        graph: &Graph,
        needs: Needs,
    ) -> Result<Arc<DeviceAdjacency<A>>, RunError> {
        side(&mut self.incoming, memory, graph.incoming(), needs)
    }

    /// The outgoing edges with what is needed.
    pub(crate) fn outgoing<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        graph: &Graph,
        needs: Needs,
    ) -> Result<Arc<DeviceAdjacency<A>>, RunError> {
        side(&mut self.outgoing, memory, graph.outgoing(), needs)
    }

    /// The numbers of the reverse edges.
    pub(crate) fn reverse<M: Memory<Array = A>>(&mut self, memory: &M, numbers: &EdgeIds) -> Result<Arc<A>, RunError> {
        once(&mut self.reverse, || memory.upload(numbers.as_bytes()))
    }

    /// The number of outgoing edges of each vertex.
    pub(crate) fn out_degree<M: Memory<Array = A>>(&mut self, device: &M, graph: &Graph) -> Result<Arc<A>, RunError> {
        once(&mut self.out_degree, || {
            let degrees = (0..graph.vertex_count() as u32).map(|vertex| graph.out_degree(vertex) as u32);
            let degrees = memory::collect(degrees, "the degrees of the vertices")?;
            device.upload(bytemuck::cast_slice(&degrees))
        })
    }
}

fn once<A>(kept: &mut Option<Arc<A>>, make: impl FnOnce() -> Result<A, RunError>) -> Result<Arc<A>, RunError> {
    if let Some(array) = kept {
        return Ok(Arc::clone(array));
    }
    Ok(Arc::clone(kept.insert(Arc::new(make()?))))
}

fn side<A, M: Memory<Array = A>>(
    side: &mut Side<A>,
    memory: &M,
    adjacency: &Adjacency,
    needs: Needs,
) -> Result<Arc<DeviceAdjacency<A>>, RunError> {
    if let Some((_, known)) = side.iter().find(|(known, _)| *known == needs) {
        return Ok(Arc::clone(known));
    }
    let known = side.first().map(|(_, known)| &**known);
    let made = Arc::new(DeviceAdjacency::upload(memory, adjacency, needs, known)?);
    side.push((needs, Arc::clone(&made)));
    Ok(made)
}
