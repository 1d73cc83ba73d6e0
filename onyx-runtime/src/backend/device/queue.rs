//! Folds that follow each other on a device without the host waiting: an iteration of each, in order, as often as one likes.
//!
//! All that they need is made before the first of them is launched. What they do is the same each time, as long as the values lie where they lay
//! and the parameters are what they were, so that it is recorded when it comes again, and replayed from then on.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Entered, Shape};
use crate::backend::lent::Lent;
use crate::backend::memory::Memory;
use crate::backend::residency::Residency;
use crate::error::RunError;
use crate::graph::Graph;
use crate::miss::Notes;
use crate::session::next_number;
use crate::store::Store;

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
