//! Evidence in the form of the UAI competitions: which variables are observed, and in which state.
//!
//! A file holds `count variable state variable state ...`, or the same after `1`, the number of samples. One that holds nothing observes nothing.

use std::collections::HashSet;
use std::path::Path;

use super::error::{FileError, FileProblem};
use super::network::MarkovNetwork;
use super::tokens::{Text, Tokens};

/// Reads an evidence file, plain or gzip-compressed, clamps the variables that it names, and returns how many there are.
///
/// # Errors
/// The file cannot be read; or it lacks a state, names a variable twice, or one or a state that is not there or is impossible.
pub fn clamp(path: &Path, network: &mut MarkovNetwork) -> Result<usize, FileError> {
    observe_all(&Text::read(path)?, network)
}

/// Clamps the variables that the text of a file names, as [`clamp`] does. A blank text names none.
///
/// # Errors
/// As [`clamp`].
pub fn observe_all(text: &Text, network: &mut MarkovNetwork) -> Result<usize, FileError> {
    let mut tokens = text.tokens()?;
    if tokens.left() == 0 {
        return Ok(0);
    }
    let count = count(&mut tokens)?;
    let mut observed = HashSet::new();
    (0..count).try_for_each(|_| observe(&mut tokens, network, &mut observed))?;
    tokens.end()?;
    Ok(count)
}

/// The number of observations, after the number of samples if that is there.
fn count(tokens: &mut Tokens) -> Result<usize, FileError> {
    let first: usize = tokens.number("the number of observations")?;
    // Observations are pairs, so that a number of samples shows in an even number of words.
    let has_samples = first == 1 && tokens.left() % 2 == 1;
    let expected = if has_samples { tokens.number("the number of observations")? } else { first };
    let found = tokens.left();
    if expected.checked_mul(2) == Some(found) {
        return Ok(expected);
    }
    Err(tokens.fail(FileProblem::Observations { expected, found }))
}

fn observe(tokens: &mut Tokens, network: &mut MarkovNetwork, observed: &mut HashSet<usize>) -> Result<(), FileError> {
    let variable = tokens.number("an observed variable")?;
    if !observed.insert(variable) {
        return Err(tokens.fail(FileProblem::ObservedTwice(variable)));
    }
    let state = tokens.number(&format!("the observed state of variable {variable}"))?;
    network.observe(variable, state).map_err(|problem| tokens.fail(FileProblem::Network(problem)))
}
