//! Folds that follow each other on a device without the host waiting: an iteration of each, in order, as often as one likes.
//!
//! All that they need is made before the first of them is launched. What they do is the same each time, as long as the values lie where they lay
//! and the parameters are what they were, so that it is recorded when it comes again, and replayed from then on.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onyx_device::FoldFacts;
use onyx_device::property::{self, Element};

use super::{ArrayOf, Device, DeviceEngine, Entered, Ground, Prepared, Shape, upload_properties};
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
use crate::session::next_number;
use crate::store::Store;
use crate::totals;

/// How many recordings are kept: a sequence has two where it exchanges arrays an odd number of times, and more where its parameters change.
const MOST_RECORDINGS: usize = 8;

/// A memory whose stream can be told to note what it is asked for.
pub(crate) trait Recorder: Memory {
    /// What was noted.
    type Recorded;
    /// Whether everything is done at once, so that nobody has to wait to see what has come of it.
    const IS_AT_ONCE: bool;

    /// A place in what is noted.
    type Place;

    /// Begins to note what is copied, cleared and launched, instead of doing it. False where that is not possible.
    fn record(&self) -> bool;
    /// The bytes of the cache that acts share.
    fn cache(&self) -> u64 {
        u64::MAX
    }
    /// The place after what was noted last. Nothing where the recording has come to nothing.
    fn place(&self) -> Option<Self::Place> {
        None
    }
    /// Has what is noted next come after these places alone, and not after all that was noted. Nothing as above.
    fn follow(&self, _places: &[&Self::Place]) -> Option<()> {
        None
    }
    /// Ends that. Nothing if nothing came of it.
    fn recorded(&self) -> Option<Self::Recorded>;
    /// Does what was noted.
    fn replay(&self, recorded: &Self::Recorded) -> Result<(), RunError>;

    /// Begins a step of a recording that collects, of which the key says all that it depends on.
    fn enter(&self, _key: impl FnOnce() -> Vec<u64>) -> Entered {
        Entered::Nothing
    }

    /// Ends that step. One that is not whole is done as far as it goes, and not kept.
    fn leave(&self, _is_whole: bool) -> Result<(), RunError> {
        Ok(())
    }
}

/// A fold that is ready to run on a device, for all widths and data.
pub(crate) trait Queued<M: Memory> {
    /// Brings to the device what is stale there, and makes what is not there yet.
    fn bring(&mut self, store: &mut Store, residency: &mut Residency<M::Array>) -> Result<(), RunError>;
    /// Takes what the fold needs while it runs alone, when all folds have what stays.
    fn take(&mut self, _store: &mut Store, _residency: &mut Residency<M::Array>) -> Result<(), RunError> {
        Ok(())
    }
    /// Has others take that.
    fn leave(&mut self) {}
    /// Where that lies: launches depend on it.
    fn places(&self) -> Vec<u64> {
        Vec::new()
    }
    /// Launches one iteration with all vertices active. Nothing is allocated, and nothing copied from the host or to it.
    fn launch(&mut self, store: &mut Store, residency: &mut Residency<M::Array>) -> Result<(), RunError>;
    /// Has it run on another graph from here on, in the arrays that it has as far as they suffice. After an error it does not run any more.
    fn move_to(
        &mut self,
        graph: &Graph,
        store: &Store,
        shape: Shape,
        lent: Lent<'_, '_, M::Array>,
    ) -> Result<(), RunError>;
    /// Where it notes reads at an index out of range, if its functions compute any.
    fn notes(&self) -> Option<Arc<Notes<M::Array>>> {
        None
    }
    /// Notes which arrays an iteration exchanges; twice is not at all.
    fn exchange(&self, residency: &mut Residency<M::Array>);
    /// The properties that it leaves written, and the totals of which it leaves nothing to be read.
    fn leaves(&self) -> (u64, u64);
}

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
        self.residency.keep_as_previous(memory, property::tracked(fold.properties))?;
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

/// Where values lie and what parameters are: all that the launches of a sequence depend on.
type Situation = Vec<u64>;

/// Folds that are ready to run one after the other.
pub(crate) struct Queue<M: Recorder> {
    /// By which a recording knows it again.
    number: u64,
    steps: Vec<Box<dyn Queued<M>>>,
    /// What ran once, so that it is worth recording.
    seen: HashSet<Situation>,
    recorded: HashMap<Situation, M::Recorded>,
}

impl<M: Recorder> Default for Queue<M> {
    fn default() -> Self {
        Self { number: next_number(), steps: Vec::new(), seen: HashSet::new(), recorded: HashMap::new() }
    }
}

impl<M: Recorder> Queue<M> {
    /// Adds a fold.
    pub(crate) fn push(&mut self, step: Box<dyn Queued<M>>) {
        self.steps.push(step);
    }

    /// The folds, without what was recorded of them.
    pub(crate) fn into_steps(self) -> Vec<Box<dyn Queued<M>>> {
        self.steps
    }

    /// Launches an iteration of each fold, in order, `times` times, and waits for none.
    pub(crate) fn run(
        &mut self,
        memory: &M,
        store: &mut Store,
        residency: &mut Residency<M::Array>,
        times: usize,
    ) -> Result<(), RunError> {
        let ran = self.run_alone(memory, store, residency, times);
        self.steps.iter_mut().for_each(|step| step.leave());
        ran
    }

    fn run_alone(
        &mut self,
        memory: &M,
        store: &mut Store,
        residency: &mut Residency<M::Array>,
        times: usize,
    ) -> Result<(), RunError> {
        self.steps.iter_mut().try_for_each(|step| step.bring(store, residency))?;
        self.steps.iter_mut().try_for_each(|step| step.take(store, residency))?;
        residency.begin();
        (0..times).try_for_each(|_| self.once(memory, store, residency))?;
        self.steps.iter().filter_map(|step| step.notes()).for_each(|notes| residency.look_later(notes));
        if M::IS_AT_ONCE {
            residency.look(memory, store)?;
        }
        for (written, taken) in self.steps.iter().map(|step| step.leaves()) {
            residency.ran(written, taken);
        }
        Ok(())
    }

    fn once(&mut self, memory: &M, store: &mut Store, residency: &mut Residency<M::Array>) -> Result<(), RunError> {
        let places = self.steps.iter().flat_map(|step| step.places());
        let situation: Situation = situation(memory, store, residency).into_iter().chain(places).collect();
        match memory.enter(|| [&[self.number], &situation[..]].concat()) {
            Entered::Nothing => self.once_alone(memory, store, residency, situation),
            Entered::Known => {
                self.exchange(residency);
                Ok(())
            }
            Entered::New => {
                let launched = self.launch(store, residency);
                memory.leave(launched.is_ok())?;
                launched
            }
        }
    }

    /// The same where no recording collects it.
    fn once_alone(
        &mut self,
        memory: &M,
        store: &mut Store,
        residency: &mut Residency<M::Array>,
        situation: Situation,
    ) -> Result<(), RunError> {
        if let Some(recorded) = self.recorded.get(&situation) {
            memory.replay(recorded)?;
            self.exchange(residency);
            return Ok(());
        }
        if self.seen.insert(situation.clone()) || !memory.record() {
            return self.launch(store, residency);
        }
        let launched = self.launch(store, residency);
        match (launched, memory.recorded()) {
            (Ok(()), Some(recorded)) => {
                memory.replay(&recorded)?;
                self.keep(situation, recorded);
                Ok(())
            }
            // Nothing has run yet.
            (launched, _) => {
                launched?;
                self.exchange(residency);
                self.launch(store, residency)
            }
        }
    }

    fn keep(&mut self, situation: Situation, recorded: M::Recorded) {
        if self.recorded.len() == MOST_RECORDINGS {
            self.recorded.clear();
            self.seen.clear();
        }
        self.recorded.insert(situation, recorded);
    }

    fn launch(&mut self, store: &mut Store, residency: &mut Residency<M::Array>) -> Result<(), RunError> {
        self.steps.iter_mut().try_for_each(|step| step.launch(store, residency))
    }

    fn exchange(&self, residency: &mut Residency<M::Array>) {
        self.steps.iter().for_each(|step| step.exchange(residency));
    }
}

fn situation<M: Memory>(memory: &M, store: &Store, residency: &Residency<M::Array>) -> Situation {
    let of = |index: usize| {
        let arrays = residency.get(index);
        let address = |array: &M::Array| memory.address(array).addr() as u64;
        let current = arrays.map_or(0, |arrays| address(&arrays.current));
        let previous = arrays.and_then(|arrays| arrays.previous.as_ref()).map_or(0, address);
        let (parameter, rows) = (store.values[index].parameter.to_bits(), store.rows(index) as u64);
        // Memory of another owner may lie where an array with room was.
        let room = |array: &M::Array| memory.room(array) as u64;
        let room =
            arrays.map_or(0, |arrays| room(&arrays.current).min(arrays.previous.as_ref().map_or(u64::MAX, room)));
        [current, previous, u64::from(parameter), rows, room]
    };
    (0..store.properties().len()).flat_map(of).collect()
}

#[cfg(test)]
mod tests;
