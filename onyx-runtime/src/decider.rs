//! Which parameters a schedule gets.

use crate::options::Options;

/// The greatest number of neighbors in a neighbor group, for a compiled width.
///
/// Wider rows keep more lanes busy for each neighbor, so that longer groups still fill the GPU, and cost fewer cut rows. Chosen by the sweep
/// in `docs/measurements/pull-h200-groups.csv`.
pub(crate) fn group_size(width: usize, options: &Options) -> usize {
    options.group_size.unwrap_or(match width {
        ..=16 => 16,
        _ => 32,
    })
}
