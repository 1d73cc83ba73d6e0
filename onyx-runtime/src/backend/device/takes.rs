//! The scripts that a recording has seen, and what was recorded of those that came again.

use std::sync::Arc;

use super::Recorder;
use super::effects::Effects;
use super::order::{last, order};
use super::script::{Act, Script, Steps, acts, perform};
use crate::error::RunError;

/// How many scripts are kept: one has two where arrays change places an odd number of times, and more where parameters change.
const MOST_TAKES: usize = 8;

/// How often a script is recorded at most: another thread may spoil a recording.
const MOST_ATTEMPTS: u32 = 3;

/// A script that ran.
struct Take<M: Recorder> {
    steps: Arc<Steps<M>>,
    recorded: Recorded<M::Recorded>,
}

/// What was recorded of it.
enum Recorded<R> {
    /// Nothing yet, after so many attempts: it ran at least once.
    NotYet(u32),
    /// All of it.
    Whole(R),
    /// It cannot be recorded.
    Never,
}

/// All that a recording has seen.
pub(crate) struct Takes<M: Recorder> {
    all: Vec<Take<M>>,
}

impl<M: Recorder> Default for Takes<M> {
    fn default() -> Self {
        Self { all: Vec::new() }
    }
}

impl<M: Recorder> Takes<M> {
    /// A script that knows them.
    pub(crate) fn script(&self) -> Script<M> {
        Script::new(self.all.iter().map(|take| Arc::clone(&take.steps)))
    }

    /// Does what was collected: a replay where it is known. Returns the number by which [`Takes::recording`] has it.
    pub(crate) fn finish(&mut self, script: Script<M>, memory: &M) -> Result<usize, RunError> {
        let (steps, known) = script.end();
        if let Some((number, take)) = known.and_then(|number| Some((number, self.all.get_mut(number)?))) {
            return take.again(memory).map(|()| number);
        }
        perform(&steps, memory)?;
        if self.all.len() == MOST_TAKES {
            self.all.clear();
        }
        self.all.push(Take { steps: Arc::new(steps), recorded: Recorded::NotYet(0) });
        Ok(self.all.len() - 1)
    }

    /// What was recorded of the script with this number, if all of it was.
    pub(crate) fn recording(&self, number: usize) -> Option<&M::Recorded> {
        match &self.all.get(number)?.recorded {
            Recorded::Whole(recorded) => Some(recorded),
            Recorded::NotYet(_) | Recorded::Never => None,
        }
    }

    /// How many of them are replayed.
    pub(crate) fn recorded(&self) -> usize {
        self.all.iter().filter(|take| matches!(take.recorded, Recorded::Whole(_))).count()
    }
}

impl<M: Recorder> Take<M> {
    fn again(&mut self, memory: &M) -> Result<(), RunError> {
        if let Recorded::NotYet(attempts) = self.recorded {
            let next = if attempts + 1 < MOST_ATTEMPTS { Recorded::NotYet(attempts + 1) } else { Recorded::Never };
            self.recorded = self.record(memory).map_or(next, Recorded::Whole);
        }
        match &self.recorded {
            Recorded::Whole(recorded) => memory.replay(recorded),
            _ => perform(&self.steps, memory),
        }
    }

    /// Has the stream note all of it. Nothing has run then, whether it could or not.
    fn record(&self, memory: &M) -> Option<M::Recorded> {
        if self.steps.is_empty() || !memory.record() {
            return None;
        }
        let noted = note(&self.steps, memory);
        // Also where an act has failed: the stream would go on recording.
        memory.recorded().filter(|_| noted.is_some())
    }
}

/// Has the memory note all acts, each after those alone that it has to wait for. Nothing if one has failed.
fn note<M: Recorder>(steps: &Steps<M>, memory: &M) -> Option<()> {
    let acts: Vec<&dyn Act<M>> = acts(steps).collect();
    let effects: Vec<Effects> = acts.iter().map(|act| act.effects()).collect();
    let order = order(&effects, memory.cache());
    let mut places: Vec<M::Place> = Vec::with_capacity(acts.len());
    for (act, before) in acts.iter().zip(&order) {
        follow(before, &places, memory)?;
        act.act(memory).ok()?;
        places.push(memory.place()?);
    }
    follow(&last(&order), &places, memory)
}

/// Has the memory note what comes next after these places alone, where it would not by itself.
fn follow<M: Recorder>(before: &[usize], places: &[M::Place], memory: &M) -> Option<()> {
    if before.iter().copied().eq(places.len().checked_sub(1)) {
        return Some(());
    }
    let before: Vec<&M::Place> = before.iter().map(|number| &places[*number]).collect();
    memory.follow(&before)
}

#[cfg(test)]
mod tests;
