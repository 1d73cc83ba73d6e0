//! Folds that run one after the other without the host waiting.

use std::fmt;
use std::sync::Mutex;

use onyx_device::FoldOf;

use super::data::DataPlace;
use super::resident::{GraphPlace, arrays};
use super::{Data, Processor, ResidentGraph, RunFold};
use crate::backend::cuda::{self, CudaArray, CudaMemory, CudaSession};
use crate::backend::device::{Queue, Queued, Recorder};
use crate::backend::emulator::{self, EmulatedArray, EmulatedMemory};
use crate::backend::residency::{Lent, Residency};
use crate::backend::topology::Topology;
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Direction, Options};
use crate::store::Store;
use crate::{requirements, totals};

/// Folds that run one after the other, an iteration of each with all vertices active, as often as one likes: what
/// [`once`](super::RunOn::once) does for each of them, without the host looking in between.
///
/// ```text
/// let mut round = Sequence::new(&graph).then(spread).then(cool);
/// round.run(&mut data, 100)?;
/// let heat = data.read(Heat::HEAT)?;
/// ```
///
/// On a GPU, [`Sequence::run`] hands all launches to the driver and returns. Nothing is allocated after the first run on the same data, and what
/// comes again, with values where they were and the same parameters, is one recorded CUDA graph. What goes wrong there meanwhile is an error of whatever waits for the
/// GPU next: a read, another run, or [`Session::finish`](super::Session::finish). That a fold has read out of
/// range there, at an index that it computes, is an error of the next read or run of the data. The CPU and the emulator have run everything when it returns. Inside of a
/// [`Recording`](super::Recording) it is a part of that.
pub struct Sequence<'a, D> {
    graph: ResidentGraph<'a>,
    members: Vec<Box<dyn Member<D>>>,
    /// The number of the data that the folds are ready for, and how they run.
    way: Option<(u64, Way)>,
}

/// How the folds run.
enum Way {
    /// Each by a run of its own.
    Apart,
    Emulator(Queue<EmulatedMemory>),
    Cuda(Queue<CudaMemory>),
}

impl<'a, D> Sequence<'a, D> {
    /// No folds yet, on this graph.
    pub fn new(graph: &ResidentGraph<'a>) -> Self {
        Self { graph: graph.clone(), members: Vec::new(), way: None }
    }

    /// With another fold after those before.
    pub fn then<F: FoldOf<D>>(mut self, fold: F) -> Self {
        self.members.push(Box::new(fold));
        self.way = None;
        self
    }

    /// Runs each fold once, in order, `times` times over.
    ///
    /// # Errors
    /// [`RunError`] if graph and data do not fit together, values that a fold needs are gone, the processor cannot run a fold, or a function
    /// panics on the CPU or in the emulator. What the folds write then keeps the values that the host has, but for what has been written on the CPU, where
    /// earlier folds have run.
    pub fn run(&mut self, data: &mut Data<D>, times: usize) -> Result<(), RunError> {
        self.check(data, times)?;
        if times == 0 {
            return Ok(());
        }
        if self.way.as_ref().is_none_or(|(number, _)| *number != data.number()) {
            self.way = Some((data.number(), self.make_ready(data)?));
        }
        if let Some((_, Way::Apart)) = &self.way {
            let (graph, members) = (&self.graph, &self.members);
            return (0..times).flat_map(|_| members).try_for_each(|member| member.once(graph, data));
        }
        let ran = self.launch(data, times);
        match &ran {
            Ok(()) => self.members.iter().for_each(|member| member.note(data)),
            Err(error) => data.fail(&self.members.iter().map(|member| member.writes()).collect::<Vec<_>>(), error),
        }
        ran
    }

    /// Whether the values are there that the folds need, in two rounds: what the first leaves in registers the second may miss.
    fn check(&self, data: &Data<D>, times: usize) -> Result<(), RunError> {
        let mut absent = data.absent();
        let mut rounds = (0..times.min(2)).flat_map(|_| &self.members);
        rounds.try_for_each(|member| member.check(&self.graph, data, &mut absent))
    }

    fn launch(&mut self, data: &mut Data<D>, times: usize) -> Result<(), RunError> {
        let Some((_, way)) = &mut self.way else { return Ok(()) };
        let (session, store, place) = data.parts();
        match (way, session.processor(), place) {
            (Way::Emulator(queue), _, DataPlace::Emulator(residency)) => {
                queue.run(&EmulatedMemory, store, residency, times)
            }
            (Way::Cuda(queue), Processor::Cuda(session), DataPlace::Cuda(residency)) => {
                session.noticing(queue.run(session.memory(), store, residency, times))
            }
            _ => Ok(()),
        }
    }

    /// Makes all folds ready for these data.
    fn make_ready(&self, data: &mut Data<D>) -> Result<Way, RunError> {
        self.members.iter().try_for_each(|member| member.require(&self.graph, data))?;
        self.members.iter().try_for_each(|member| member.make_contributions(data))?;
        let (graph, is_watched) = (&self.graph, self.members.iter().any(|member| member.is_watched()));
        let (session, store, place) = data.parts();
        match (session.processor(), place, graph.place()) {
            (Processor::Emulator, DataPlace::Emulator(residency), GraphPlace::Emulator(topology)) if !is_watched => {
                self.queue(store, residency, topology, |member, store, lent| {
                    member.emulated(graph.graph(), store, lent)
                })
                .map(Way::Emulator)
            }
            (Processor::Cuda(session), DataPlace::Cuda(residency), GraphPlace::Cuda(topology)) => {
                let ready = |member: &dyn Member<D>, store: &Store, lent: Lent<'_, '_, CudaArray>| {
                    member.on_gpu(session, graph.graph(), store, lent)
                };
                session.noticing(self.queue(store, residency, topology, ready)).map(Way::Cuda)
            }
            _ => Ok(Way::Apart),
        }
    }

    /// Makes each fold ready, and brings to the device what it needs.
    fn queue<M: Recorder>(
        &self,
        store: &mut Store,
        residency: &mut Residency<M::Array>,
        topology: &Mutex<Topology<M::Array>>,
        ready: impl Fn(&dyn Member<D>, &Store, Lent<'_, '_, M::Array>) -> Result<Box<dyn Queued<M>>, RunError>,
    ) -> Result<Queue<M>, RunError> {
        let mut queue = Queue::default();
        for member in &self.members {
            let (topology, facing) = (&mut *arrays(topology), self.graph.facing());
            let mut step = ready(&**member, store, Lent { topology, facing, residency: &mut *residency })?;
            step.bring(store, residency)?;
            queue.push(step);
        }
        Ok(queue)
    }
}

/// The values that are nowhere: gone with a failed run, or totals that a fold has taken from registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Absent {
    pub(super) lost: u64,
    pub(super) taken: u64,
}

/// A fold of a sequence.
trait Member<D> {
    /// Whether graph and data are of one another, and the values are there that the fold needs. Then notes what it leaves.
    fn check(&self, graph: &ResidentGraph<'_>, data: &Data<D>, absent: &mut Absent) -> Result<(), RunError>;
    /// Whether the fold can run on graph and data.
    fn require(&self, graph: &ResidentGraph<'_>, data: &Data<D>) -> Result<(), RunError>;
    /// Makes room for what the fold adds up to totals of the graph.
    fn make_contributions(&self, data: &mut Data<D>) -> Result<(), RunError>;
    /// Whether the emulator looks at values after each iteration.
    fn is_watched(&self) -> bool;
    /// Runs it by itself.
    fn once(&self, graph: &ResidentGraph<'_>, data: &mut Data<D>) -> Result<(), RunError>;
    /// Makes it ready in the emulator.
    fn emulated(
        &self,
        graph: &Graph,
        store: &Store,
        lent: Lent<'_, '_, EmulatedArray>,
    ) -> Result<Box<dyn Queued<EmulatedMemory>>, RunError>;
    /// Makes it ready on a GPU.
    fn on_gpu(
        &self,
        session: &CudaSession,
        graph: &Graph,
        store: &Store,
        lent: Lent<'_, '_, CudaArray>,
    ) -> Result<Box<dyn Queued<CudaMemory>>, RunError>;
    /// Its name, and the properties that it writes.
    fn writes(&self) -> (&'static str, u64);
    /// Notes that it was launched.
    fn note(&self, data: &mut Data<D>);
}

/// A single iteration pulls.
fn options() -> Options {
    Options { iterations: 1, direction: Some(Direction::Pull), settle: false, ..Options::default() }
}

impl<D, F: FoldOf<D>> Member<D> for F {
    fn check(&self, graph: &ResidentGraph<'_>, data: &Data<D>, absent: &mut Absent) -> Result<(), RunError> {
        data.check::<F>(graph)?;
        data.check_absent(*absent, totals::needed::<F>(), totals::read::<F>())?;
        absent.lost &= !totals::written::<F>();
        absent.taken = absent.taken & !totals::kept::<F>() | totals::taken::<F>();
        Ok(())
    }

    fn require(&self, graph: &ResidentGraph<'_>, data: &Data<D>) -> Result<(), RunError> {
        requirements::check::<F>(graph.graph(), data.store(), &options())
    }

    fn make_contributions(&self, data: &mut Data<D>) -> Result<(), RunError> {
        data.make_contributions::<F>()
    }

    fn is_watched(&self) -> bool {
        F::WATCHED != 0
    }

    fn once(&self, graph: &ResidentGraph<'_>, data: &mut Data<D>) -> Result<(), RunError> {
        RunFold::on(*self, graph, data).within(&options())
    }

    fn emulated(
        &self,
        graph: &Graph,
        store: &Store,
        lent: Lent<'_, '_, EmulatedArray>,
    ) -> Result<Box<dyn Queued<EmulatedMemory>>, RunError> {
        emulator::ready::<F>(graph, store, &options(), lent)
    }

    fn on_gpu(
        &self,
        session: &CudaSession,
        graph: &Graph,
        store: &Store,
        lent: Lent<'_, '_, CudaArray>,
    ) -> Result<Box<dyn Queued<CudaMemory>>, RunError> {
        cuda::ready::<F>(session, graph, store, &options(), lent)
    }

    fn writes(&self) -> (&'static str, u64) {
        (F::NAME, totals::written::<F>() | F::EDGES.reduces)
    }

    fn note(&self, data: &mut Data<D>) {
        data.queued::<F>(Member::<D>::writes(self).1);
    }
}

impl<D> fmt::Debug for Sequence<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequence").field("graph", &self.graph).field("folds", &self.members.len()).finish()
    }
}
