//! A graph in a session.

use std::fmt;

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Processor, Session, next_number};
use crate::backend::cuda::CudaArray;
use crate::backend::emulator::EmulatedArray;
use crate::backend::topology::Topology;
use crate::graph::Graph;

/// A graph whose edges stay in a session's memory. Folds and data share it.
pub struct ResidentGraph<'a> {
    graph: &'a Graph,
    session: Session,
    number: u64,
    place: GraphPlace,
}

/// The graph's arrays in the processor's memory.
pub(crate) enum GraphPlace {
    Cpu,
    Emulator(Mutex<Topology<EmulatedArray>>),
    Cuda(Mutex<Topology<CudaArray>>),
}

impl<'a> ResidentGraph<'a> {
    pub(super) fn new(graph: &'a Graph, session: &Session) -> Self {
        let place = match session.processor() {
            Processor::Cpu => GraphPlace::Cpu,
            Processor::Emulator => GraphPlace::Emulator(Mutex::default()),
            Processor::Cuda(_) => GraphPlace::Cuda(Mutex::default()),
        };
        Self { graph, session: session.clone(), number: next_number(), place }
    }

    /// The graph.
    pub fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// The session that it lives in, for data on it: `graph.session().data(step, &graph, 4)`.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The graph's own number.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn place(&self) -> &GraphPlace {
        &self.place
    }
}

/// The arrays, which one run at a time adds to.
pub(crate) fn arrays<A>(topology: &Mutex<Topology<A>>) -> MutexGuard<'_, Topology<A>> {
    topology.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for ResidentGraph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, edges) = (self.graph.vertex_count(), self.graph.edge_count());
        f.debug_struct("ResidentGraph").field("vertices", &vertices).field("edges", &edges).finish()
    }
}
