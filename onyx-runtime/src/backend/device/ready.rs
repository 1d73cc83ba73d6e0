//! A fold that stays ready for runs of one iteration that nobody waits for.

use std::sync::Arc;

use onyx_device::FoldFacts;
use onyx_device::property::{self, Element};

use super::{ArrayOf, Device, DeviceEngine, Ground, Prepared, Queued, Shape, upload_properties};
use crate::backend::lent::{Held, Lent};
use crate::backend::memory::Memory;
use crate::backend::partials::{self, Partials};
use crate::backend::residency::Residency;
use crate::engine::Batch;
use crate::error::RunError;
use crate::graph::Graph;
use crate::miss::Notes;
use crate::options::Direction;
use crate::plan::Plan;
use crate::store::Store;
use crate::totals;

/// What a fold has on a device from run to run.
pub(crate) struct Ready<Q: Device> {
    fold: &'static FoldFacts,
    /// Not there while it is lent to an engine.
    run: Option<Prepared<Q>>,
    first: First<ArrayOf<Q>>,
}

/// What the first iteration of a run begins with, and does.
struct First<A> {
    /// The words of an active set in which all vertices are, where the iteration reads what is active and changes it.
    all: Option<A>,
    plan: Plan,
}

impl<A> First<A> {
    /// That of a run, in the memory of an `earlier` one.
    fn of<Q: Device<Memory: Memory<Array = A>>>(run: &Prepared<Q>, earlier: Option<A>) -> Result<Self, RunError> {
        let (fold, memory) = (run.fold, run.device.memory());
        let plan = run.plan(Direction::Pull).once();
        let made = || {
            let mut all = memory.zeroed_over(earlier, (run.vertex_count as usize).div_ceil(32) * 4)?;
            memory.copy(&run.active, &mut all)?;
            Ok::<_, RunError>(all)
        };
        // A pull along all edges does not ask what is active.
        let changes = fold.is_active && plan.activates();
        Ok(Self { all: changes.then(made).transpose()?, plan })
    }
}

impl<Q: Device> Ready<Q> {
    /// Copies to the device what is not there yet of the graph, and makes what each iteration needs.
    pub(crate) fn new(
        fold: &'static FoldFacts,
        device: Q,
        graph: &Graph,
        store: &Store,
        shape: Shape,
        lent: Lent<'_, '_, ArrayOf<Q>>,
    ) -> Result<Self, RunError> {
        let ground = Ground { fold, graph, store, facing: lent.facing };
        let run = Prepared::new(device, ground, shape, lent.topology)?.once(store);
        let first = First::of(&run, None)?;
        Ok(Self { fold, run: Some(run), first })
    }

    /// Does something with an engine on the values.
    fn with<T>(
        &mut self,
        store: &mut Store,
        residency: &mut Residency<ArrayOf<Q>>,
        act: impl FnOnce(&mut DeviceEngine<'_, Q>, &First<ArrayOf<Q>>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let Some(run) = self.run.take() else { unreachable!("an engine gives back what it was lent") };
        let mut engine = DeviceEngine { run, store, residency: Held::Lent(residency) };
        let done = act(&mut engine, &self.first);
        self.run = Some(engine.run);
        done
    }
}

impl<Q: Device> Queued<Q::Memory> for Ready<Q> {
    fn bring(&mut self, store: &mut Store, residency: &mut Residency<ArrayOf<Q>>) -> Result<(), RunError> {
        self.with(store, residency, |engine, _| {
            let memory = engine.run.device.memory();
            let (fold, shape, lenders) = (engine.run.fold, &engine.run.shape, &engine.run.lenders);
            upload_properties(fold, &mut engine.residency, memory, engine.store, shape, lenders)
        })
    }

    fn take(&mut self, store: &mut Store, residency: &mut Residency<ArrayOf<Q>>) -> Result<(), RunError> {
        self.with(store, residency, |engine, _| {
            engine.bring_partials(partials::array_for)?;
            engine.run.device.forget_names();
            engine.name_arrays();
            Ok(())
        })
    }

    fn leave(&mut self) {
        let Some(run) = &mut self.run else { return };
        let (rows, memory) = (&mut run.rows, run.device.memory());
        rows.iter_mut().filter_map(|rows| rows.partials.as_mut()).for_each(|partials| partials.leave(memory));
    }

    fn places(&self) -> Vec<u64> {
        let Some(run) = &self.run else { return Vec::new() };
        run.partials().flat_map(Partials::sums).map(|sums| run.device.memory().address(sums).addr() as u64).collect()
    }

    fn launch(&mut self, store: &mut Store, residency: &mut Residency<ArrayOf<Q>>) -> Result<(), RunError> {
        self.with(store, residency, |engine, first| engine.launch_one(first))
    }

    fn move_to(
        &mut self,
        graph: &Graph,
        store: &Store,
        shape: Shape,
        lent: Lent<'_, '_, ArrayOf<Q>>,
    ) -> Result<(), RunError> {
        let Some(run) = self.run.take() else { unreachable!("an engine gives back what it was lent") };
        let ground = Ground { fold: self.fold, graph, store, facing: lent.facing };
        let run = run.moved(ground, shape, lent.topology)?.once(store);
        self.first = First::of(&run, self.first.all.take())?;
        self.run = Some(run);
        Ok(())
    }

    fn notes(&self) -> Option<Arc<Notes<ArrayOf<Q>>>> {
        self.run.as_ref()?.notes.clone()
    }

    fn exchange(&self, residency: &mut Residency<ArrayOf<Q>>) {
        residency.exchange(self.first.plan.exchanged(1));
        residency.exchange_borrowed();
    }

    fn leaves(&self) -> (u64, u64) {
        (totals::written(self.fold), totals::taken(self.fold))
    }
}

impl<Q: Device> DeviceEngine<'_, Q> {
    /// Launches the first iteration of a run of its own that starts with all vertices active.
    fn launch_one(&mut self, first: &First<ArrayOf<Q>>) -> Result<(), RunError> {
        let (fold, memory) = (self.run.fold, self.run.device.memory());
        // What changes places with its previous values is there, and every vertex gets a new one.
        let kept = property::tracked(fold.properties) & !first.plan.exchanges();
        self.residency.keep_as_previous(memory, kept)?;
        if let Some(all) = &first.all {
            memory.copy(all, &mut self.run.active)?;
        }
        for (index, property) in fold.properties.iter().enumerate() {
            // The number of iterations before this one, 0, has no bit set.
            let number = self.residency.get_mut(index).filter(|_| property.element == Element::Iteration);
            number.map_or(Ok(()), |number| memory.clear(&mut number.current))?;
        }
        let batch = Batch { direction: Direction::Pull, keep_sums: false, count: 1, limits: None };
        // Nobody asks a sequence what it has counted.
        self.execute(&first.plan, batch)?;
        self.residency.settle_borrowed(self.run.device.memory())
    }
}
