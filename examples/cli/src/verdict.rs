//! What an answer is worth, and so what may become of it.

use onyx_runtime::{Report, Status};

use super::error::CliError;
use onyx_examples::verification::Verification;

/// What an answer is worth.
#[derive(Clone, Copy, Debug)]
pub enum Verdict {
    /// It is finished, also by the greatest number of iterations, and verified if that was asked for.
    Good,
    /// It is finished, and could not be verified, though that was asked for.
    Unverified,
    /// Ctrl-C came first.
    Interrupted {
        /// How many iterations have ended.
        iterations: usize,
    },
    /// It does not agree with 64-bit floats.
    Wrong(Verification),
    /// A value is no finite number.
    Diverged,
}

impl Verdict {
    /// What the answer of a run is worth; `no_verify` says that nobody wanted to wait for its verification.
    pub fn of(report: &Report, verification: Option<Verification>, no_verify: bool) -> Self {
        match (report.status, verification) {
            (Status::Cancelled, _) => Self::Interrupted { iterations: report.iterations.len() },
            (Status::Diverged, _) => Self::Diverged,
            (_, Some(verification)) if !verification.agrees() => Self::Wrong(verification),
            (_, None) if !no_verify => Self::Unverified,
            _ => Self::Good,
        }
    }

    /// The error that it ends the program with, if any.
    ///
    /// # Errors
    /// The answer is none, or a wrong one.
    pub fn result(self) -> Result<(), CliError> {
        match self {
            Self::Good | Self::Unverified => Ok(()),
            Self::Interrupted { iterations } => Err(CliError::Cancelled { iterations }),
            Self::Wrong(verification) => Err(CliError::Disagrees(verification)),
            Self::Diverged => Err(CliError::Diverged),
        }
    }
}
