//! What a recording collects of one stream, and what is dropped meanwhile.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use cudarc::driver::{CudaSlice, DevicePtr};

use super::freed::Freed;
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
    /// How often anything was asked for, or changed on the host that the next work depends on.
    changes: u64,
    /// Arrays that nobody needs any more, by their bytes and address: what takes one comes after all that was asked for of it.
    spares: BTreeMap<(usize, u64), CudaSlice<u8>>,
    /// The one that has become spare last since the recording began.
    last: Option<(usize, u64)>,
    freed: Freed<CudaSlice<u8>>,
}

impl State {
    fn script(&mut self) -> Option<&mut Script<CudaMemory>> {
        self.script.as_mut().filter(|_| self.thread == Some(thread::current().id()))
    }

    /// Whether this thread's work comes after all that was asked for so far: another one that records does what it has collected later.
    fn is_in_order(&self) -> bool {
        self.thread.is_none_or(|thread| thread == thread::current().id())
    }

    /// Of the spare arrays of so many bytes the one at the lowest address: always the same one where the same are spare, so that a recording knows it again. The last one only
    /// where there is no other: what works on it may have begun just now.
    fn spare(&self, bytes: usize) -> Option<(usize, u64)> {
        let of_bytes = || self.spares.range((bytes, 0)..=(bytes, u64::MAX)).map(|(key, _)| *key);
        let other = of_bytes().find(|key| self.last != Some(*key));
        other.or_else(|| of_bytes().next()).filter(|_| self.is_in_order())
    }

    /// The same of those of the least bytes that are enough.
    fn spare_of_at_least(&self, bytes: usize) -> Option<(usize, u64)> {
        let ((bytes, _), _) = self.spares.range((bytes, 0)..).next()?;
        self.spare(*bytes)
    }

    /// Frees an array, which the next one of as many bytes may take.
    fn free(&mut self, slice: CudaSlice<u8>) {
        let (bytes, address) = key(&slice);
        self.freed.add(bytes, address, slice);
    }
}

/// The bytes and the address of an array.
fn key(slice: &CudaSlice<u8>) -> (usize, u64) {
    (slice.len(), slice.device_ptr(slice.stream()).0)
}

impl Collection {
    /// All that uses it may change something.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.unchanged_state();
        state.changes += 1;
        state
    }

    fn unchanged_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that something was changed on the host.
    pub(super) fn touch(&self) {
        drop(self.state());
    }

    /// A number that is another one after every change.
    pub(super) fn changes(&self) -> u64 {
        self.unchanged_state().changes
    }

    /// Acts if nothing has changed since there were so many changes, and before anything does.
    pub(super) fn act_unchanged<T>(&self, since: u64, act: impl FnOnce() -> T) -> Option<T> {
        let state = self.unchanged_state();
        (state.changes == since).then(act)
    }

    pub(super) fn begin(&self, script: Script<CudaMemory>) {
        let mut state = self.state();
        (state.thread, state.script, state.last) = (Some(thread::current().id()), Some(script), None);
    }

    pub(super) fn end(&self) {
        let mut state = self.state();
        (state.thread, state.script) = (None, None);
        let dropped = std::mem::take(&mut state.dropped);
        dropped.into_iter().for_each(|slice| state.free(slice));
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

    /// Keeps an array for others.
    pub(super) fn keep(&self, slice: CudaSlice<u8>) {
        let key = key(&slice);
        let mut state = self.state();
        if state.is_in_order() {
            state.last = Some(key);
            state.spares.insert(key, slice);
        } else {
            state.dropped.push(slice);
        }
    }

    /// An array of so many bytes that nobody needs any more, if there is one.
    pub(super) fn spare(&self, bytes: usize) -> Option<CudaSlice<u8>> {
        let mut state = self.state();
        let key = state.spare(bytes)?;
        state.spares.remove(&key)
    }

    /// The smallest one of at least so many bytes.
    pub(super) fn spare_of_at_least(&self, bytes: usize) -> Option<CudaSlice<u8>> {
        let mut state = self.state();
        let key = state.spare_of_at_least(bytes)?;
        state.spares.remove(&key)
    }

    /// Whether there is one.
    pub(super) fn has_spare(&self, bytes: usize) -> bool {
        self.state().spare(bytes).is_some()
    }

    /// Frees all of them, where a recording is under way when that is done, and what was freed before.
    pub(super) fn free_spares(&self) {
        let mut state = self.state();
        state.freed = Freed::default();
        let spares = std::mem::take(&mut state.spares).into_values();
        if state.thread.is_some() {
            state.dropped.extend(spares);
        }
    }

    /// Frees an array, where a recording is under way when that is done.
    pub(super) fn free(&self, slice: CudaSlice<u8>) {
        let mut state = self.state();
        if state.thread.is_some() {
            state.dropped.push(slice);
        } else {
            state.free(slice);
        }
    }

    /// An array of so many bytes that was freed, if one has been kept.
    pub(super) fn freed(&self, bytes: usize) -> Option<CudaSlice<u8>> {
        self.unchanged_state().freed.take(bytes)
    }
}
