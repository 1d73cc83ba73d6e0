//! What a recording collects of one stream, and what is dropped meanwhile.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use cudarc::driver::CudaSlice;

use super::memory::CudaMemory;
use crate::backend::device::{Act, Entered, Script};

/// Where the clones of a memory find the recording that is under way.
#[derive(Default)]
pub(super) struct Collection {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The thread that is collected from. What other threads ask for is done at once.
    thread: Option<ThreadId>,
    /// Nothing where all that comes is done at once.
    script: Option<Script<CudaMemory>>,
    /// What was dropped by any thread: the script may use it.
    dropped: Vec<CudaSlice<u8>>,
}

impl State {
    fn script(&mut self) -> Option<&mut Script<CudaMemory>> {
        self.script.as_mut().filter(|_| self.thread == Some(thread::current().id()))
    }
}

impl Collection {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, script: Script<CudaMemory>) {
        *self.state() = State { thread: Some(thread::current().id()), script: Some(script), dropped: Vec::new() };
    }

    pub(super) fn end(&self) {
        drop(std::mem::take(&mut *self.state()));
    }

    /// What this thread has asked for so far, which is collected no longer.
    pub(super) fn take(&self) -> Option<Script<CudaMemory>> {
        let mut state = self.state();
        state.script()?;
        state.script.take()
    }

    /// Notes an act, or hands it back where nothing collects.
    pub(super) fn note<A: Act<CudaMemory> + 'static>(&self, key: impl FnOnce() -> Vec<u64>, act: A) -> Option<A> {
        match self.state().script() {
            Some(script) => {
                script.add(key, act);
                None
            }
            None => Some(act),
        }
    }

    /// The same within a step alone.
    pub(super) fn note_within<A: Act<CudaMemory> + 'static>(&self, act: A) -> Option<A> {
        match self.state().script().filter(|script| script.is_inside()) {
            Some(script) => {
                script.add(Vec::new, act);
                None
            }
            None => Some(act),
        }
    }

    pub(super) fn enter(&self, key: impl FnOnce() -> Vec<u64>) -> Entered {
        self.state().script().map_or(Entered::Nothing, |script| script.enter(key()))
    }

    /// Ends a step; false where nothing collects.
    pub(super) fn leave(&self) -> bool {
        self.state().script().map(Script::leave).is_some()
    }

    /// Whether a step is open.
    pub(super) fn is_inside(&self) -> bool {
        self.state().script().is_some_and(|script| script.is_inside())
    }

    pub(super) fn may_reach(&self, addresses: &Range<u64>) -> bool {
        self.state().script().is_some_and(|script| script.may_reach(addresses))
    }

    /// Frees an array, where a recording is under way when that is done.
    pub(super) fn free(&self, slice: CudaSlice<u8>) {
        let mut state = self.state();
        if state.thread.is_some() {
            state.dropped.push(slice);
            return;
        }
        drop(state);
        drop(slice);
    }
}
