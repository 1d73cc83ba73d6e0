//! The forward pass by what edges read.

use onyx_runtime::{Data, Options, ResidentGraph, RunError, RunFold, Sequence, Status};

use super::{Gcn, convolve, convolve_bf16, convolve_f16, narrow_bf16, narrow_f16};
use crate::storage::Storage;

/// The folds of the pass on a graph whose edges count alike.
pub(super) fn forward<'g>(graph: &ResidentGraph<'g>, storage: Storage) -> Sequence<'g, Gcn> {
    let sequence = Sequence::new(graph);
    match storage {
        Storage::F32 => sequence.then(convolve),
        Storage::F16 => sequence.then(narrow_f16).then(convolve_f16),
        Storage::Bf16 => sequence.then(narrow_bf16).then(convolve_bf16),
    }
}

/// Refuses rows that are too great for what edges read of them.
///
/// # Errors
/// [`RunError::TooGreat`] with the first number that is.
pub(super) fn check(graph: &ResidentGraph<'_>, data: &mut Data<Gcn>, storage: Storage) -> Result<(), RunError> {
    if storage != Storage::F16 {
        return Ok(());
    }
    // What made the copy does so again, since a run says whether something has overflown in it, and copies nothing for that.
    let report = narrow_f16.on(graph, data).until_settled(&Options::new().iterations(1))?;
    if report.status == Status::Diverged { find_too_great(data) } else { Ok(()) }
}

/// Says which number has overflown, if one has: others may have been no numbers before.
fn find_too_great(data: &mut Data<Gcn>) -> Result<(), RunError> {
    let (scale, x) = (data.read(Gcn::SCALE)?.to_owned(), data.read(Gcn::X)?.to_owned());
    let halves = data.read(Gcn::SCALED_F16)?;
    let overflown = halves.indexed_iter().filter(|(_, half)| half.is_infinite());
    let mut values = overflown.map(|((row, feature), _)| (row, feature, scale[row] * x[(row, feature)]));
    match values.find(|(.., value)| value.is_finite()) {
        Some((row, feature, value)) => {
            Err(RunError::TooGreat { property: "scaled_f16", row, feature, value, number: "f16" })
        }
        None => Ok(()),
    }
}
