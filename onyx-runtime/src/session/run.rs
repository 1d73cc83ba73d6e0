//! Runs of folds on resident data.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use onyx_device::{Fold, FoldOf};

use super::any_data::{AnyData, DataPlace};
use super::resident::{GraphPlace, arrays};
use super::{Data, Processor, ResidentGraph};
use crate::active::ActiveSet;
use crate::backend::code::AnyFold;
use crate::backend::lent::Lent;
use crate::backend::{cpu, cuda, emulator};
use crate::engine::Task;
use crate::error::RunError;
use crate::options::{Iteration, Options, Report};
use crate::run::{Ran, report};
use crate::total::Contributions;
use crate::{requirements, totals};

/// Runs a fold on a graph and data of one session.
pub trait RunFold: Fold {
    /// A run of this fold, which [`RunOn::until_settled`], [`RunOn::times`] or [`RunOn::once`] starts.
    fn on<'a, D>(self, graph: &'a ResidentGraph<'a>, data: &'a mut Data<D>) -> RunOn<'a, Self, D>
    where
        Self: FoldOf<D>,
    {
        RunOn { run: AnyRun::new(AnyFold::of::<Self>(), graph, &mut data.untyped), types: PhantomData }
    }
}

impl<F: Fold> RunFold for F {}

/// Is shown every iteration, and may end the run.
type Show<'a> = Box<dyn FnMut(&Iteration) -> ControlFlow<()> + 'a>;

/// A fold with the graph and the data that it is to run on.
#[must_use = "nothing runs before `until_settled`, `times` or `once`"]
pub struct RunOn<'a, F, D> {
    run: AnyRun<'a>,
    types: PhantomData<fn() -> (F, D)>,
}

impl<'a, D, F: FoldOf<D>> RunOn<'a, F, D> {
    /// Starts with these vertices active instead of all: for a fold whose edges are those of active sources, or that has no edges.
    pub fn from(mut self, start: &ActiveSet) -> Self {
        self.run.start = Some(start.clone());
        self
    }

    /// Shows every iteration to `observer`, in order; `Break` ends the run there.
    pub fn observed(mut self, observer: impl FnMut(&Iteration) -> ControlFlow<()> + 'a) -> Self {
        self.run.observer = Some(Box::new(observer));
        self
    }

    /// Runs until no vertex changes, values only turn in their last bits, or the options' iterations are over; [`Report::status`] says which.
    ///
    /// Then the processor looks whether the values that the fold has written are numbers; nothing is copied to the host for it.
    ///
    /// # Errors
    /// [`RunError`] if graph, data and options do not fit together, the processor cannot run the fold, or a function panics. What the fold writes
    /// then keeps the values that the host has; [`RunError::Lost`] says where there are none. [`RunError::Recording`] inside of a recording, which takes a
    /// [`Sequence`](super::Sequence) instead.
    pub fn until_settled(self, options: &Options) -> Result<Report, RunError> {
        self.run.reported(options, true)
    }

    /// Runs so many iterations, unless nothing changes any more before. Whether values are numbers is not asked.
    ///
    /// # Errors
    /// As [`RunOn::until_settled`].
    pub fn times(self, iterations: usize, options: &Options) -> Result<Report, RunError> {
        self.run.reported(&Options { iterations, settle: false, ..options.clone() }, false)
    }

    /// Runs one iteration.
    ///
    /// # Errors
    /// As [`RunOn::until_settled`].
    pub fn once(self) -> Result<Report, RunError> {
        self.times(1, &Options::default())
    }
}

/// The same, where the types of fold and data are not known.
pub(super) struct AnyRun<'a> {
    fold: AnyFold,
    graph: &'a ResidentGraph<'a>,
    data: &'a mut AnyData,
    start: Option<ActiveSet>,
    observer: Option<Show<'a>>,
}

impl<'a> AnyRun<'a> {
    /// A run with all vertices active.
    pub(super) fn new(fold: AnyFold, graph: &'a ResidentGraph<'a>, data: &'a mut AnyData) -> Self {
        Self { fold, graph, data, start: None, observer: None }
    }

    /// What a user asks for.
    fn reported(self, options: &Options, looks: bool) -> Result<Report, RunError> {
        self.data.session.check_unrecorded(|| format!("a report of `{}` is", self.fold.facts.declared_name))?;
        self.apart(options, looks)
    }

    /// One iteration, of which a sequence hears nothing.
    pub(super) fn within(self, options: &Options) -> Result<(), RunError> {
        self.apart(options, false).map(drop)
    }

    fn apart(self, options: &Options, looks: bool) -> Result<Report, RunError> {
        let Self { fold, graph, data, start, observer } = self;
        let facts = fold.facts;
        data.check(facts, graph)?;
        data.session.touch();
        data.look().or_else(|error| data.waited(Err(error)))?;
        let start = start.or_else(|| options.start.clone());
        let backend = data.session.backend();
        let options = Options { backend, start, ..options.clone() };
        requirements::check(facts, graph.graph(), &data.store, &options)?;
        data.check_absent(data.absent(), totals::needed(facts), totals::read(facts))?;
        data.make_contributions(facts, Contributions::Blocks)?;
        let mut observer = observer.unwrap_or_else(|| Box::new(|_| ControlFlow::Continue(())));
        let written = totals::written(facts) | facts.edges.reduces;
        let task = Task { graph: graph.graph(), options: &options, observer: &mut *observer, looks };
        let ran =
            place(fold, graph, data, task).inspect_err(|error| data.fail(&[(facts.declared_name, written)], error));
        let ran = data.waited(ran)?;
        data.computed(facts);
        let fallback = data.session.fallback().map(str::to_owned);
        Ok(report(ran, backend, &data.store, fallback))
    }
}

/// Runs the fold where the data are.
fn place(fold: AnyFold, graph: &ResidentGraph<'_>, data: &mut AnyData, task: Task<'_>) -> Result<Ran, RunError> {
    let (session, store, place) = data.parts();
    let facing = graph.facing();
    match (session.processor(), place, graph.place()) {
        (Processor::Cuda(session), DataPlace::Cuda(residency), GraphPlace::Cuda(topology)) => {
            let lent = Lent { topology: &mut arrays(topology), facing, residency };
            cuda::run(fold, session, task, store, Some(lent))
        }
        (Processor::Emulator, DataPlace::Emulator(residency), GraphPlace::Emulator(topology)) => {
            let lent = Lent { topology: &mut arrays(topology), facing, residency };
            emulator::run(fold, task, store, Some(lent))
        }
        _ => cpu::run(fold, task, store),
    }
}

impl<F: Fold, D> fmt::Debug for RunOn<'_, F, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOn").field("fold", &F::DECLARED_NAME).field("graph", &self.run.graph).finish()
    }
}

#[cfg(test)]
mod tests {
    use onyx_device::prelude::*;

    use super::*;
    use crate::graph::GraphBuilder;
    use crate::options::Status;
    use crate::session::Session;

    #[graph_data]
    struct Walk {
        place: VertexScalar,
    }

    #[vertex_fn]
    fn walk(v: Vertex, d: &mut Walk) -> bool {
        d.place[v] *= 0.5;
        true
    }

    foldmap! { pub stroll(Walk) = [walk] }

    #[graph_data]
    struct Wide<const K: usize> {
        heat: VertexFeatures<K, Tracked>,
        inflow: VertexFeatures<K>,
    }

    #[edge_fn]
    fn flow<const K: usize>(f: Feature, e: Edge, d: &mut Wide<K>) -> bool {
        d.inflow[e.dst][f] += d.heat[e.src][f];
        true
    }

    #[vertex_fn]
    fn warm<const K: usize>(f: Feature, v: Vertex, d: &mut Wide<K>) -> bool {
        d.heat[v][f] = 0.5 * d.inflow[v][f];
        true
    }

    foldmap! { pub spread<const K: usize>(Wide<K>) = [flow, warm]; features = [2] }

    #[test]
    fn tiles_stay_between_runs() {
        let graph = GraphBuilder::new().edges(vec![(0, 1), (1, 2), (2, 0), (1, 0)]).build().unwrap();
        let found = [Session::cpu(), Session::emulator()].map(|session| {
            let resident = session.graph(&graph);
            let mut data = session.data(spread, &resident, 5).unwrap();
            for round in 0..3 {
                data.view_mut(Wide::HEAT).unwrap()[[1, round]] = 8.0 * (round + 1) as f32;
                spread.on(&resident, &mut data).times(3, &Options::new()).unwrap();
                spread.on(&resident, &mut data).once().unwrap();
            }
            let is_resident = data.untyped.is_ahead(1 << Wide::HEAT.index);
            assert_eq!(is_resident, session.backend() == crate::Backend::Emulator);
            data.read(Wide::HEAT).unwrap().to_owned()
        });
        assert!(found[0].iter().any(|heat| *heat > 0.0));
        assert_eq!(found[0], found[1]);
    }

    #[test]
    fn values_are_looked_at_where_they_are() {
        let graph = GraphBuilder::new().edges(vec![(0, 1), (1, 2)]).build().unwrap();
        let session = Session::emulator();
        let resident = session.graph(&graph);
        let mut data = session.data(stroll, &resident, 1).unwrap();
        let two = Options::new().iterations(2);
        let report = stroll.on(&resident, &mut data).until_settled(&two).unwrap();
        assert_eq!(report.status, Status::IterationLimit);
        assert!(data.untyped.is_ahead(1 << Walk::PLACE.index), "copied to the host although nobody has read it");
        data.write(Walk::PLACE, &[1.0, f32::NAN, 1.0]).unwrap();
        let report = stroll.on(&resident, &mut data).until_settled(&two).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Diverged, Some("place")));
        assert!(data.untyped.is_ahead(1 << Walk::PLACE.index));
    }
}
