//! The files that a program was asked for, begun before it learns, and where its report goes beside them.

use std::path::PathBuf;

use onyx_cli::Channel;
use onyx_cli::output::Output;
use onyx_cli::verdict::Verdict;
use onyx_gnn::error::GnnError;

/// The files, and where the report goes.
#[derive(Debug)]
pub struct Outputs {
    /// The file of weights.
    pub weights: Option<Output>,
    /// The picture of the learning curve.
    pub curve: Option<Output>,
    /// Where the report goes.
    pub channel: Channel,
}

impl Outputs {
    /// Begins the files, so that one that cannot be written is known before the run.
    ///
    /// # Errors
    /// As [`Output::create`].
    pub fn begin(weights: Option<&PathBuf>, curve: Option<&PathBuf>) -> Result<Self, GnnError> {
        let (weights, curve) = (Output::create_if(weights)?, Output::create_if(curve)?);
        let channel = Channel::beside(weights.iter().chain(&curve));
        Ok(Self { weights, curve, channel })
    }
}

/// Writes what `content` makes to an output, if that was asked for, or beside it where the run was interrupted.
///
/// # Errors
/// As `content`; or it cannot be written.
pub fn deliver(
    output: Option<Output>,
    verdict: Verdict,
    content: impl FnOnce() -> Result<Vec<u8>, GnnError>,
) -> Result<(), GnnError> {
    let Some(output) = output else { return Ok(()) };
    let content = content()?;
    Ok(output.deliver(verdict, |writer| writer.write_all(&content))?)
}
