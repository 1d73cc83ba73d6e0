//! Solving the same again, to time it.

use onyx_runtime::{Report, Status};

use super::error::CliError;

/// What a run has found.
pub trait Timed {
    /// What the runtime says of the run.
    fn report(&self) -> &Report;

    /// How long all its iterations took, in seconds.
    fn seconds(&self) -> f64 {
        self.report().run.as_secs_f64()
    }
}

/// Solves `times` times, or until a run is cancelled or diverges. The last solution, and what `measure` says of each.
///
/// # Errors
/// As `solve`.
pub fn repeat<T: Timed, M>(
    times: usize,
    mut solve: impl FnMut() -> Result<T, CliError>,
    measure: impl Fn(&T) -> M,
) -> Result<(T, Vec<M>), CliError> {
    let mut measures = Vec::new();
    loop {
        let solution = solve()?;
        measures.push(measure(&solution));
        if measures.len() >= times || matches!(solution.report().status, Status::Cancelled | Status::Diverged) {
            return Ok((solution, measures));
        }
    }
}
