//! What a device is asked for while a recording collects it: steps, each with a key of all that it depends on. A step whose key has come at the same place
//! before is the one that is known, and need not be made again.

use std::ops::Range;
use std::sync::Arc;

use super::effects::Effects;
use crate::error::RunError;

/// Something that a device does on its stream: nothing is allocated, and nothing copied from the host or to it.
pub(crate) trait Act<M>: Send + Sync {
    /// Hands it to the driver.
    fn act(&self, memory: &M) -> Result<(), RunError>;
    /// What it reads and writes.
    fn effects(&self) -> Effects {
        Effects::UNKNOWN
    }
}

/// Acts that follow each other, and what they depend on.
pub(crate) struct Step<M> {
    key: Vec<u64>,
    acts: Vec<Box<dyn Act<M>>>,
}

/// What becomes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// Nothing collects: what is asked for is done at once.
    Nothing,
    /// It is known, and collected by that.
    Known,
    /// What is asked for from here on is collected, until the step is left.
    New,
}

/// Steps in order.
pub(crate) type Steps<M> = Vec<Arc<Step<M>>>;

/// What was collected so far.
pub(crate) struct Script<M> {
    steps: Steps<M>,
    /// The numbers of the known scripts that begin with these steps, and their steps.
    candidates: Vec<(usize, Arc<Steps<M>>)>,
    /// The step that acts are added to.
    open: Option<Step<M>>,
}

impl<M> Script<M> {
    /// Nothing yet, where these scripts are known.
    pub(crate) fn new(known: impl Iterator<Item = Arc<Steps<M>>>) -> Self {
        Self { steps: Vec::new(), candidates: known.enumerate().collect(), open: None }
    }

    /// Begins a step. Nothing has to be added to a known one; [`Script::leave`] ends a new one.
    pub(crate) fn enter(&mut self, key: Vec<u64>) -> Entered {
        let at = self.steps.len();
        self.candidates.retain(|(_, known)| known.get(at).is_some_and(|step| step.key == key));
        if let Some((_, known)) = self.candidates.first() {
            self.steps.push(Arc::clone(&known[at]));
            return Entered::Known;
        }
        self.open = Some(Step { key, acts: Vec::new() });
        Entered::New
    }

    /// Ends a step.
    pub(crate) fn leave(&mut self) {
        self.steps.extend(self.open.take().map(Arc::new));
    }

    /// Adds an act to the step that is open, or as a step of its own.
    pub(crate) fn add(&mut self, key: impl FnOnce() -> Vec<u64>, act: impl Act<M> + 'static) {
        match &mut self.open {
            Some(step) => step.acts.push(Box::new(act)),
            None => {
                if self.enter(key()) == Entered::New {
                    self.add(Vec::new, act);
                    self.leave();
                }
            }
        }
    }

    /// Whether any step may reach these addresses.
    pub(crate) fn may_reach(&self, addresses: &Range<u64>) -> bool {
        let keys = self.steps.iter().map(|step| &step.key).chain(self.open.iter().map(|step| &step.key));
        keys.flatten().any(|word| addresses.contains(word))
    }

    /// Whether a step is open.
    pub(crate) fn is_inside(&self) -> bool {
        self.open.is_some()
    }

    /// Does all of it, in order.
    pub(crate) fn perform(self, memory: &M) -> Result<(), RunError> {
        perform(&self.end().0, memory)
    }

    /// All steps, and the number of the known script that has the same.
    pub(crate) fn end(mut self) -> (Steps<M>, Option<usize>) {
        self.leave();
        let same = self.candidates.iter().find(|(_, known)| known.len() == self.steps.len());
        (self.steps, same.map(|(number, _)| *number))
    }
}

/// Does all of it, in order.
pub(crate) fn perform<M>(steps: &Steps<M>, memory: &M) -> Result<(), RunError> {
    acts(steps).try_for_each(|act| act.act(memory))
}

/// All acts, in order.
pub(crate) fn acts<M>(steps: &Steps<M>) -> impl Iterator<Item = &dyn Act<M>> {
    steps.iter().flat_map(|step| &step.acts).map(|act| &**act)
}
