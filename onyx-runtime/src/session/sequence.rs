//! Folds that run one after the other without the host waiting.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, Weak};

use onyx_device::FoldOf;

use super::any_data::{AnyData, DataPlace};
use super::resident::{GraphPlace, arrays};
use super::run::AnyRun;
use super::{Data, Processor, ResidentGraph};
use crate::backend::code::AnyFold;
use crate::backend::cuda::{self, CudaArray, CudaMemory};
use crate::backend::device::{Queue, Queued, Recorder};
use crate::backend::emulator::{self, EmulatedMemory};
use crate::backend::lent::Lent;
use crate::backend::residency::Residency;
use crate::backend::topology::{Facing, Topology};
use crate::error::RunError;
use crate::options::{Direction, Options};
use crate::store::Store;
use crate::total::Contributions;
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
/// On a GPU, [`Sequence::run`] hands all launches to the driver and returns. Nothing is allocated after the first run on the same data, also where others come between, and what
/// comes again, with values where they were and the same parameters, is one recorded CUDA graph. What goes wrong there meanwhile is an error of whatever waits for the
/// GPU next: a read, another run, or [`Session::finish`](super::Session::finish). That a fold has read out of
/// range there, at an index that it computes, is an error of the next read or run of the data. The CPU and the emulator have run everything when it returns. Inside of a
/// [`Recording`](super::Recording) it is a part of that.
pub struct Sequence<'a, D> {
    folds: Folds<'a>,
    structure: PhantomData<fn() -> D>,
}

impl<'a, D> Sequence<'a, D> {
    /// No folds yet, on this graph.
    pub fn new(graph: &ResidentGraph<'a>) -> Self {
        let options = once(&Options::default());
        let folds = Folds { graph: graph.clone(), members: Vec::new(), options, ways: Vec::new() };
        Self { folds, structure: PhantomData }
    }

    /// With another fold after those before.
    pub fn then<F: FoldOf<D>>(mut self, _fold: F) -> Self {
        self.folds.members.push(AnyFold::of::<F>());
        self.folds.ways.clear();
        self
    }

    /// By the schedule, with the groups, bins and packed rows, and in the fixed order that are asked for. Where a run starts and what ends it has no meaning here.
    pub fn with(mut self, options: &Options) -> Self {
        self.folds.graph.session().touch();
        self.folds.options = once(options);
        self.folds.ways.clear();
        self
    }

    /// Has the folds run on another graph from here on, in the memory that they have, as far as it suffices; the data go there by [`Data::move_to`].
    pub fn move_to(&mut self, graph: &ResidentGraph<'a>) {
        graph.session().touch();
        self.folds.graph = graph.clone();
    }

    /// Runs each fold once, in order, `times` times over.
    ///
    /// # Errors
    /// [`RunError`] if graph and data do not fit together, values that a fold needs are gone, the processor cannot run a fold, or a function
    /// panics on the CPU or in the emulator. What the folds write then keeps the values that the host has, but for what has been written on the CPU, where
    /// earlier folds have run.
    pub fn run(&mut self, data: &mut Data<D>, times: usize) -> Result<(), RunError> {
        self.folds.run(&mut data.untyped, times)
    }
}

/// The same, where the type of the data is not known.
struct Folds<'a> {
    graph: ResidentGraph<'a>,
    members: Vec<AnyFold>,
    options: Options,
    /// All data that the folds are ready for, those of the last run at the end.
    ways: Vec<Known>,
}

/// Data that the folds are ready for, and how they run on them.
struct Known {
    of: For,
    /// Gone with the data.
    data: Weak<()>,
    way: Way,
}

/// The numbers of data and of a graph, with what else arrays on a device depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct For {
    data: u64,
    /// How often their tables had got rows.
    rows_given: u64,
    graph: u64,
    facing: Facing,
}

/// How the folds run.
enum Way {
    /// Each by a run of its own.
    Apart,
    Emulator(Queue<EmulatedMemory>),
    Cuda(Queue<CudaMemory>),
}

impl Folds<'_> {
    fn run(&mut self, data: &mut AnyData, times: usize) -> Result<(), RunError> {
        self.check(data, times)?;
        if times == 0 {
            return Ok(());
        }
        let (graph, facing) = (self.graph.number(), self.graph.facing());
        let now = For { data: data.number, rows_given: data.rows_given, graph, facing };
        self.find_way(now, data)?;
        if let Some(Known { way: Way::Apart, .. }) = self.ways.last() {
            let (graph, members, options) = (&self.graph, &self.members, &self.options);
            let mut all = (0..times).flat_map(|_| members);
            return all.try_for_each(|member| AnyRun::new(*member, graph, data).within(options));
        }
        let ran = self.launch(data, times);
        match &ran {
            Ok(()) => self.members.iter().for_each(|member| data.queued(member.facts, writes(*member).1)),
            Err(error) => data.fail(&self.members.iter().map(|member| writes(*member)).collect::<Vec<_>>(), error),
        }
        ran
    }

    /// Whether the values are there that the folds need, in two rounds: what the first leaves in registers the second may miss.
    fn check(&self, data: &AnyData, times: usize) -> Result<(), RunError> {
        let mut absent = data.absent();
        (0..times.min(2)).flat_map(|_| &self.members).try_for_each(|member| {
            let fold = member.facts;
            data.check(fold, &self.graph)?;
            data.check_absent(absent, totals::needed(fold), totals::read(fold))?;
            absent.lost &= !totals::written(fold);
            absent.taken = absent.taken & !totals::kept(fold) | totals::taken(fold);
            Ok(())
        })
    }

    /// Puts the way of running on these data at the end, made ready if there is none.
    fn find_way(&mut self, now: For, data: &mut AnyData) -> Result<(), RunError> {
        let known = self.ways.iter().position(|known| known.of.data == now.data).map(|at| self.ways.remove(at));
        let known = match known {
            Some(known) if known.of == now => known,
            earlier => {
                self.ways.retain(|known| known.data.strong_count() > 0);
                let way = self.make_ready(data, earlier.map(|known| known.way))?;
                Known { of: now, data: data.alive(), way }
            }
        };
        self.ways.push(known);
        Ok(())
    }

    fn launch(&mut self, data: &mut AnyData, times: usize) -> Result<(), RunError> {
        let Some(Known { way, .. }) = self.ways.last_mut() else { return Ok(()) };
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

    /// Makes all folds ready for these data, in the memory of what was `earlier` ready for them on another graph.
    fn make_ready(&self, data: &mut AnyData, earlier: Option<Way>) -> Result<Way, RunError> {
        let (graph, options) = (self.graph.graph(), &self.options);
        let mut folds = self.members.iter().map(|member| member.facts);
        folds.clone().try_for_each(|fold| requirements::check(fold, graph, &data.store, options))?;
        folds.clone().try_for_each(|fold| data.make_contributions(fold, Contributions::BlocksOnce))?;
        // The emulator looks at values after each iteration.
        let is_watched = folds.any(|fold| fold.watched != 0);
        let (session, store, place) = data.parts();
        match (session.processor(), place, self.graph.place()) {
            (Processor::Emulator, DataPlace::Emulator(residency), GraphPlace::Emulator(topology)) if !is_watched => {
                let ready = |fold, store: &Store, lent: Lent<'_, '_, _>, earlier| {
                    emulator::ready(fold, graph, store, options, lent, earlier)
                };
                let earlier = if let Some(Way::Emulator(queue)) = earlier { queue.into_steps() } else { Vec::new() };
                self.queue(store, residency, topology, earlier, ready).map(Way::Emulator)
            }
            (Processor::Cuda(session), DataPlace::Cuda(residency), GraphPlace::Cuda(topology)) => {
                let ready = |fold, store: &Store, lent: Lent<'_, '_, CudaArray>, earlier| {
                    cuda::ready(fold, session, graph, store, options, lent, earlier)
                };
                let earlier = if let Some(Way::Cuda(queue)) = earlier { queue.into_steps() } else { Vec::new() };
                session.noticing(self.queue(store, residency, topology, earlier, ready)).map(Way::Cuda)
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
        earlier: Vec<Box<dyn Queued<M>>>,
        ready: impl Fn(AnyFold, &Store, Lent<'_, '_, M::Array>, Earlier<M>) -> Result<Box<dyn Queued<M>>, RunError>,
    ) -> Result<Queue<M>, RunError> {
        let (mut queue, mut earlier) = (Queue::default(), earlier.into_iter());
        for member in &self.members {
            let (topology, facing) = (&mut *arrays(topology), self.graph.facing());
            let lent = Lent { topology, facing, residency: &mut *residency };
            let mut step = ready(*member, store, lent, earlier.next())?;
            step.bring(store, residency)?;
            queue.push(step);
        }
        Ok(queue)
    }
}

/// What a fold was ready with on another graph.
type Earlier<M> = Option<Box<dyn Queued<M>>>;

/// The name of a fold, and the properties that it writes.
fn writes(fold: AnyFold) -> (&'static str, u64) {
    (fold.facts.declared_name, totals::written(fold.facts) | fold.facts.edges.reduces)
}

/// The values that are nowhere: gone with a failed run, or totals that a fold has taken from registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Absent {
    pub(super) lost: u64,
    pub(super) taken: u64,
}

/// A single iteration of all vertices pulls.
fn once(options: &Options) -> Options {
    let Options { group_size, bins, packing, schedule, deterministic, emulated_order, .. } = *options;
    let direction = Some(Direction::Pull);
    let plain = Options { iterations: 1, direction, settle: false, ..Options::default() };
    Options { group_size, bins, packing, schedule, deterministic, emulated_order, ..plain }
}

impl<D> fmt::Debug for Sequence<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequence").field("graph", &self.folds.graph).field("folds", &self.folds.members.len()).finish()
    }
}
