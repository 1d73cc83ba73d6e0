//! Iterations that are timed together.

use std::time::{Duration, Instant};

use onyx_runtime::{Backend, Data, RunError, Sequence, Session};

/// How many iterations, or products of cuSPARSE, a GPU has between two looks at its clock: as many as a run has between two looks at what is active, so that neither side waits for launches.
pub const AT_ONCE: usize = 8;

/// How many iterations are timed together on a backend.
pub fn at_once(backend: Backend) -> usize {
    if backend == Backend::Cuda { AT_ONCE } else { 1 }
}

/// The mean time of an iteration of a sequence, of which the host waits for [`at_once`]: `times` times over, by its clock.
///
/// # Errors
/// As [`Sequence::run`] and [`Session::finish`].
pub fn sequence_times<D>(
    sequence: &mut Sequence<'_, D>,
    data: &mut Data<D>,
    session: &Session,
    times: usize,
) -> Result<Vec<Duration>, RunError> {
    let at_once = at_once(session.backend());
    let mut timed = || {
        let start = Instant::now();
        sequence.run(data, at_once)?;
        session.finish()?;
        Ok(start.elapsed() / at_once as u32)
    };
    (0..times).map(|_| timed()).collect()
}
