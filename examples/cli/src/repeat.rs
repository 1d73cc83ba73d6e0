//! Solving the same again, to time it.

use onyx_runtime::{Report, Status};

use super::error::CliError;
use onyx_examples::verification::Verification;

/// What a run has found.
pub trait Solved {
    /// What the runtime says of the run.
    fn report(&self) -> &Report;

    /// How far it is from what 64-bit floats give, where that was asked for.
    fn verification(&self) -> Option<Verification>;

    /// How long it took.
    fn seconds(&self) -> Seconds {
        let iterations = self.report().run.as_secs_f64();
        Seconds { iterations, all: iterations }
    }
}

/// How long a run took, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Seconds {
    /// All iterations.
    pub iterations: f64,
    /// The same with what the host does between them.
    pub all: f64,
}

/// Solves `times` times, or until a run is cancelled or diverges. The last answer, and how long each took.
///
/// # Errors
/// As `solve`.
pub fn repeat<T: Solved>(
    times: usize,
    mut solve: impl FnMut() -> Result<T, CliError>,
) -> Result<(T, Vec<Seconds>), CliError> {
    let mut runs = Vec::new();
    loop {
        let answer = solve()?;
        runs.push(answer.seconds());
        if runs.len() >= times || matches!(answer.report().status, Status::Cancelled | Status::Diverged) {
            return Ok((answer, runs));
        }
    }
}
