//! Work of any kind that is done again and again, without the host waiting: one CUDA graph where the session is on a GPU.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::{Processor, Session};
use crate::backend::cuda::{CudaMemory, CudaSession};
use crate::backend::device::{Recorder, Takes};
use crate::error::RunError;

/// Sequences, products and copies that are done one after the other, as often as one likes, by one call each time.
///
/// ```text
/// let mut step = session.recording();
/// for _ in 0..100 {
///     step.run(|| {
///         spread.run(&mut heat, 1)?;
///         session.multiply(heat.matrix(Heat::HEAT)?, weights.matrix(), &mut into.matrix_mut(), 0.0)
///     })?;
/// }
/// let found = into.read()?;
/// ```
///
/// [`Recording::repeat`] in place of `run` leaves the closure out, where its work is known to be the same once more.
///
/// `run` calls its closure each time, on every processor, and so nothing but time depends on a recording. On a GPU what the closure asks for is collected, and handed to the driver when it
/// returns: what comes again, with values where they were, the same sizes and the same parameters, is one CUDA graph from the second time on. Nothing is allocated then, and the host does
/// not wait. What goes wrong on the GPU meanwhile is an error of whatever waits for it next, as with a [`Sequence`](super::Sequence).
///
/// What waits for the processor cannot be in a recording, and is [`RunError::Recording`] on every processor: reading values, a run of a fold that is reported
/// ([`RunFold`](super::RunFold); have a sequence of the fold instead), [`Session::finish`], another recording. Values may be written in it: those that an earlier part of the same call has
/// used have all before done at once, and the rest of that call as it comes, with no graph.
pub struct Recording {
    session: Session,
    takes: Takes<CudaMemory>,
    last: Option<Last>,
}

/// What the last call of a recording has come to on a GPU.
#[derive(Clone, Copy)]
struct Last {
    /// The number of what the recording has of it.
    take: usize,
    /// Its round.
    round: u64,
    /// [`CudaMemory::changes`] when it was over.
    changes: u64,
    /// Whether the call before has come to the same, and nothing was done between the two: it leaves everything as it finds it, but for values.
    is_steady: bool,
}

/// What the recordings of a session have come to.
#[derive(Default)]
pub(super) struct Rounds {
    state: Mutex<RoundsState>,
}

#[derive(Default)]
struct RoundsState {
    /// The thread that a recording collects from, and the number of the round.
    now: Option<(ThreadId, u64)>,
    /// How many rounds have begun.
    begun: u64,
    /// The rounds that were not done, and why.
    failed: Vec<(u64, String)>,
}

impl Rounds {
    fn state(&self) -> MutexGuard<'_, RoundsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the round that this thread records, from 1; 0 outside of a recording.
    fn current(&self) -> u64 {
        self.state().now.filter(|(thread, _)| *thread == thread::current().id()).map_or(0, |(_, round)| round)
    }

    /// False if a recording is under way.
    fn begin(&self) -> bool {
        let mut state = self.state();
        if state.now.is_some() {
            return false;
        }
        state.begun += 1;
        state.now = Some((thread::current().id(), state.begun));
        true
    }

    /// Begins what is done in the place of a round that is over, and has its number. False if a recording is under way.
    fn resume(&self, round: u64) -> bool {
        let mut state = self.state();
        let is_free = state.now.is_none();
        if is_free {
            state.now = Some((thread::current().id(), round));
        }
        is_free
    }

    fn end<T>(&self, done: &Result<T, RunError>) {
        let mut state = self.state();
        let round = state.now.take().map_or(0, |(_, round)| round);
        state.failed.extend(done.as_ref().err().map(|error| (round, error.to_string())));
    }

    fn failure(&self, round: u64) -> Option<RunError> {
        let state = self.state();
        let failed = state.failed.iter().find(|(failed, _)| *failed == round);
        failed.map(|(_, reason)| RunError::Unrecorded { reason: reason.clone() })
    }
}

impl Session {
    /// A recording of work in this session.
    pub fn recording(&self) -> Recording {
        Recording { session: self.clone(), takes: Takes::default(), last: None }
    }

    /// Notes that something was changed on the host that the next work depends on.
    pub(super) fn touch(&self) {
        if let Processor::Cuda(gpu) = self.processor() {
            gpu.memory().touch();
        }
    }

    /// Refuses what waits for the processor while this thread records.
    pub(super) fn check_unrecorded(&self, what: impl FnOnce() -> String) -> Result<(), RunError> {
        if self.round() == 0 { Ok(()) } else { Err(RunError::Recording { what: what() }) }
    }

    /// The number of the round that this thread records; 0 outside of a recording.
    pub(super) fn round(&self) -> u64 {
        self.rounds.current()
    }

    /// What has become of a round that was not done.
    pub(super) fn failure(&self, round: u64) -> Option<RunError> {
        self.rounds.failure(round)
    }
}

impl Recording {
    /// Does what `work` asks for, after all that was asked for before, without waiting for it.
    ///
    /// # Errors
    /// What `work` fails with; what it has asked for before that is done then, as without a recording. [`RunError::Recording`] if this or another thread is recording in the session. What the
    /// driver refuses: nothing that follows it in the recording is done then, and reading what folds would have written is an error.
    pub fn run<T, E: From<RunError>>(&mut self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let before = self.changes();
        if !self.session.rounds.begin() {
            return Err(another().into());
        }
        let mut open = Open::new(self, before);
        let done = work();
        let ended = open.end(done.is_ok());
        let done = done?;
        ended?;
        Ok(done)
    }

    /// Does as [`Recording::run`] with work that asks for the same each time, as long as nothing else is done in the session: where the last two calls were such, a GPU does what they have come
    /// to once more, and `work` is not called, which is time of the host. It is called again as soon as anything else was done: values read or written, parameters set, something run.
    /// `work` must not count how often it is called. On other processors it always is.
    ///
    /// # Errors
    /// As [`Recording::run`].
    pub fn repeat<E: From<RunError>>(&mut self, work: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        if self.again()? { Ok(()) } else { self.run(work) }
    }

    /// Does once more what the last call has come to; false if that is not the same work for sure, or has no graph.
    fn again(&mut self) -> Result<bool, RunError> {
        let Self { session, takes, last } = self;
        let (Processor::Cuda(gpu), Some(known)) = (session.processor(), last.filter(|last| last.is_steady)) else {
            return Ok(false);
        };
        let Some(recorded) = takes.recording(known.take) else { return Ok(false) };
        if !session.rounds.resume(known.round) {
            return Err(another());
        }
        let done = gpu.memory().act_unchanged(known.changes, || gpu.memory().replay(recorded));
        let done = gpu.noticing(done.transpose());
        session.rounds.end(&done);
        if done.is_err() {
            *last = None;
        }
        Ok(done?.is_some())
    }

    fn changes(&self) -> u64 {
        if let Processor::Cuda(gpu) = self.session.processor() { gpu.memory().changes() } else { 0 }
    }

    /// How many graphs it replays by now: none on the CPU and in the emulator, where everything is done as it comes.
    pub fn graphs(&self) -> usize {
        self.takes.recorded()
    }
}

/// A recording that collects. When dropped, by a panic, all is done that was collected.
struct Open<'a> {
    recording: &'a mut Recording,
    /// [`CudaMemory::changes`] before it.
    before: u64,
    is_over: bool,
}

impl<'a> Open<'a> {
    fn new(recording: &'a mut Recording, before: u64) -> Self {
        if let Processor::Cuda(gpu) = recording.session.processor() {
            gpu.memory().collect(recording.takes.script());
        }
        Self { recording, before, is_over: false }
    }

    /// Does what was collected, and keeps it if it is `whole`.
    fn end(&mut self, is_whole: bool) -> Result<(), RunError> {
        let Recording { session, takes, last } = &mut *self.recording;
        self.is_over = true;
        let done = match session.processor() {
            Processor::Cuda(gpu) => gpu.noticing(finish(gpu, takes, is_whole)),
            Processor::Cpu | Processor::Emulator => Ok(None),
        };
        let earlier = last.take();
        if let (Ok(Some(take)), Processor::Cuda(gpu)) = (&done, session.processor()) {
            let is_steady = earlier.is_some_and(|last| last.take == *take && last.changes == self.before);
            let (round, changes) = (session.rounds.current(), gpu.memory().changes());
            *last = Some(Last { take: *take, round, changes, is_steady });
        }
        session.rounds.end(&done);
        done.map(drop)
    }
}

/// Does what was collected. The number of what the recording has of it, if that is all that was asked for.
fn finish(gpu: &CudaSession, takes: &mut Takes<CudaMemory>, is_whole: bool) -> Result<Option<usize>, RunError> {
    let flushed = if is_whole { Ok(()) } else { gpu.memory().flush() };
    let script = gpu.memory().collected();
    let done = flushed.and_then(|()| script.map(|script| takes.finish(script, gpu.memory())).transpose());
    gpu.memory().free_dropped();
    done
}

fn another() -> RunError {
    RunError::Recording { what: "another recording of the session is".to_owned() }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let _ = self.end(false);
        }
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("session", &self.session).field("graphs", &self.graphs()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_that_was_not_done_is_known() {
        let rounds = Rounds::default();
        assert_eq!(rounds.current(), 0);
        for (round, done) in [(1, Ok(())), (2, Err(RunError::Taken { property: "heat" })), (3, Ok(()))] {
            assert!(rounds.begin() && !rounds.begin(), "one at a time");
            assert_eq!(rounds.current(), round);
            thread::scope(|scope| scope.spawn(|| assert_eq!(rounds.current(), 0)).join().unwrap());
            rounds.end(&done);
            assert_eq!(rounds.current(), 0);
        }
        let said = rounds.failure(2).unwrap().to_string();
        assert!(said.starts_with("what was recorded was not done") && said.contains("heat"), "{said}");
        assert!(rounds.failure(1).is_none() && rounds.failure(0).is_none());
    }
}
