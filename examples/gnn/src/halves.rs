//! Copies of rows in half precision that do not hold them.

use ndarray::{Array2, ArrayView2};
use onyx_device::FoldOf;
use onyx_runtime::{Data, Options, ResidentGraph, RunError, RunFold, Status};

/// Refuses rows that a copy as `f16` does not hold, by running the fold that makes the copy once more: a run says whether something has overflown in it,
/// and copies nothing to the host for that. `both` reads the rows and the copy, which is called `property`.
///
/// # Errors
/// [`RunError::TooGreat`] with the first number that is not held.
pub(crate) fn check<D, F: FoldOf<D>>(
    copies: F,
    graph: &ResidentGraph<'_>,
    data: &mut Data<D>,
    property: &'static str,
    both: impl FnOnce(&mut Data<D>) -> Result<(Array2<f32>, Array2<f32>), RunError>,
) -> Result<(), RunError> {
    let report = copies.on(graph, data).until_settled(&Options::new().iterations(1))?;
    if report.status != Status::Diverged {
        return Ok(());
    }
    let (rows, halves) = both(data)?;
    first_too_great(rows.view(), halves.view()).map_or(Ok(()), |(row, feature, value)| {
        Err(RunError::TooGreat { property, row, feature, value, number: "f16" })
    })
}

/// Which number has overflown, if one has: others may have been no numbers before.
fn first_too_great(rows: ArrayView2<'_, f32>, halves: ArrayView2<'_, f32>) -> Option<(usize, usize, f32)> {
    let overflown = halves.indexed_iter().filter(|(_, half)| half.is_infinite());
    let mut values = overflown.map(|((row, feature), _)| (row, feature, rows[(row, feature)]));
    values.find(|(.., value)| value.is_finite())
}
