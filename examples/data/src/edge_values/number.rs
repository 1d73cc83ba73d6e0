//! Ids and numbers in lines of words.

use onyx_runtime::text::{Float, float, quoted, whole};

use super::error::ValueProblem;

/// The vertex id that a word says.
pub(super) fn id(word: &[u8]) -> Result<u64, ValueProblem> {
    whole(word).ok_or_else(|| ValueProblem::Id(quoted(word)))
}

/// The number that a word says.
pub(super) fn number(word: &[u8]) -> Result<f32, ValueProblem> {
    match float(word) {
        Some(Float::Finite(number)) => Ok(number),
        Some(Float::TooSmall) => Err(ValueProblem::TooSmall(quoted(word))),
        Some(Float::TooLarge) | None => Err(ValueProblem::Number(quoted(word))),
    }
}
