//! A graph in a session.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{Processor, Session, next_number};
use crate::backend::cuda::CudaArray;
use crate::backend::emulator::EmulatedArray;
use crate::backend::topology::{Facing, Topology};
use crate::graph::Graph;
use crate::memory::OutOfMemory;

/// A graph whose edges stay in a session's memory. Folds and data share it, and it shares them with its [reverse](ResidentGraph::reversed).
///
/// A clone is the same graph.
#[derive(Clone)]
pub struct ResidentGraph<'a> {
    shared: Arc<Shared<'a>>,
    facing: Facing,
}

/// What a graph and its reverse have in common.
struct Shared<'a> {
    given: Given<'a>,
    /// The same on the host with its edges turned, once somebody has asked for it.
    reversed: OnceLock<Graph>,
    session: Session,
    number: u64,
    place: GraphPlace,
}

/// The graph that was taken into the session.
enum Given<'a> {
    Lent(&'a Graph),
    Own(Box<Graph>),
}

/// The graph's arrays in the processor's memory.
pub(crate) enum GraphPlace {
    Cpu,
    Emulator(Mutex<Topology<EmulatedArray>>),
    Cuda(Mutex<Topology<CudaArray>>),
}

impl Given<'_> {
    fn graph(&self) -> &Graph {
        match self {
            Self::Lent(graph) => graph,
            Self::Own(graph) => graph,
        }
    }
}

impl<'a> ResidentGraph<'a> {
    pub(super) fn new(graph: &'a Graph, session: &Session) -> Self {
        Self::of(Given::Lent(graph), session)
    }

    /// A graph that nobody else has.
    pub(super) fn owned(graph: Graph, session: &Session) -> Self {
        Self::of(Given::Own(Box::new(graph)), session)
    }

    fn of(given: Given<'a>, session: &Session) -> Self {
        let place = match session.processor() {
            Processor::Cpu => GraphPlace::Cpu,
            Processor::Emulator => GraphPlace::Emulator(Mutex::default()),
            Processor::Cuda(_) => GraphPlace::Cuda(Mutex::default()),
        };
        let (session, number, reversed) = (session.clone(), next_number(), OnceLock::new());
        Self { shared: Arc::new(Shared { given, reversed, session, number, place }), facing: Facing::Forward }
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        let given = self.shared.given.graph();
        if self.facing == Facing::Forward { given } else { self.shared.reversed.get().unwrap_or(given) }
    }

    /// The same graph with its edges turned, as [`Graph::reversed`] makes it: the same arrays, with incoming and outgoing edges exchanged. On a
    /// device nothing is copied that either of the two has there, but for the numbers of outgoing edges, which only pushes ask for.
    ///
    /// Data of the one may be used with the other by folds that reach no edge property. The values of an edge property are in the order of edge
    /// numbers, and those are others here: edge `n` of the reverse is edge `graph.outgoing().edge_id(n)` of the graph. So a fold that reaches
    /// one has data of its own for the reverse. The reverse of the reverse is the graph itself.
    ///
    /// # Errors
    /// [`OutOfMemory`] if the host has no memory for the edge numbers, 4 or 8 bytes an edge.
    pub fn reversed(&self) -> Result<Self, OutOfMemory> {
        if self.shared.reversed.get().is_none() {
            // Where another thread has been faster, its graph is the same.
            let _ = self.shared.reversed.set(self.shared.given.graph().reversed()?);
        }
        Ok(Self { shared: Arc::clone(&self.shared), facing: self.facing.turned() })
    }

    /// The session that it lives in, for data on it: `graph.session().data(step, &graph, 4)`.
    pub fn session(&self) -> &Session {
        &self.shared.session
    }

    /// The graph's own number, which is its reverse's as well.
    pub(crate) fn number(&self) -> u64 {
        self.shared.number
    }

    /// Whether it is the graph that was taken into the session, or its reverse.
    pub(crate) fn facing(&self) -> Facing {
        self.facing
    }

    pub(crate) fn place(&self) -> &GraphPlace {
        &self.shared.place
    }
}

/// The arrays, which one run at a time adds to.
pub(crate) fn arrays<A>(topology: &Mutex<Topology<A>>) -> MutexGuard<'_, Topology<A>> {
    topology.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for ResidentGraph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (vertices, edges) = (self.graph().vertex_count(), self.graph().edge_count());
        f.debug_struct("ResidentGraph").field("vertices", &vertices).field("edges", &edges).finish()
    }
}
