//! The widths of a structure: the number of features, and how many numbers the rows have that functions read whole.

use onyx_device::FoldFacts;

use crate::error::RunError;

/// As many as a structure may have.
const MOST: usize = 4;
/// The most numbers of a row that is read whole: functions count them in 32 bits.
const WIDEST: usize = 1 << 30;

/// The widths in the order of the structure's parameters, the number of features first; 0 for those that it has not.
pub(crate) type Widths = [usize; MOST];

/// The widths for a fold's data, if there are as many as the structure has, and none is 0. Of the first one more is said elsewhere.
pub(crate) fn checked(fold: &'static FoldFacts, given: &[usize]) -> Result<Widths, RunError> {
    let (name, names) = (fold.declared_name, fold.width_names);
    // A structure without features has rows of one.
    if given.len() != names.len().max(1) {
        return Err(RunError::Widths { fold: name, found: given.to_vec(), expected: names });
    }
    let mut others = names.iter().zip(given).skip(1);
    if let Some((width, found)) = others.find(|(_, found)| !(1..=WIDEST).contains(*found)) {
        return Err(RunError::InputWidth { fold: name, width, found: *found, widest: WIDEST });
    }
    let mut widths = Widths::default();
    widths[..given.len()].copy_from_slice(given);
    Ok(widths)
}
