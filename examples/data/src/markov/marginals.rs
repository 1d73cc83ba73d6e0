//! Reference marginals in the form of the UAI competitions: `MAR`, the number of variables, and for each its states and their shares.

use std::path::Path;

use onyx_runtime::text::quoted;

use super::beliefs::Beliefs;
use super::error::{FileError, FileProblem};
use super::network::MarkovNetwork;
use super::tokens::{Text, Tokens};

/// How far a marginal's sum may be from 1: files give six digits.
const ROUNDING: f64 = 1e-3;

/// Reads the marginals of `network`, plain or gzip-compressed.
///
/// # Errors
/// The file cannot be read, or holds what are no marginals of this network: the line is named.
pub fn read(path: &Path, network: &MarkovNetwork) -> Result<Beliefs, FileError> {
    parse(&Text::read(path)?, network)
}

/// Reads the marginals of `network` from the text of a file, as [`read`] does.
///
/// # Errors
/// The text holds what are no marginals of this network.
pub fn parse(text: &Text, network: &MarkovNetwork) -> Result<Beliefs, FileError> {
    let mut tokens = text.tokens()?;
    preamble(&mut tokens)?;
    let (expected, found) = (network.variable_count(), tokens.number("the number of variables")?);
    if found != expected {
        return Err(tokens.fail(FileProblem::Variables { expected, found }));
    }
    let rows = (0..found).map(|variable| row(&mut tokens, network, variable)).collect::<Result<Vec<_>, _>>()?;
    tokens.end()?;
    Beliefs::new(network, rows.concat()).map_err(|problem| tokens.fail(FileProblem::Network(problem)))
}

fn preamble(tokens: &mut Tokens) -> Result<(), FileError> {
    match tokens.word("MAR")? {
        "MAR" => Ok(()),
        found => Err(tokens.fail(FileProblem::Unexpected { expected: "MAR".to_owned(), found: quoted(found) })),
    }
}

fn row(tokens: &mut Tokens, network: &MarkovNetwork, variable: usize) -> Result<Vec<f64>, FileError> {
    let expected = network.states(variable);
    let found = tokens.number(&format!("the number of states of variable {variable}"))?;
    if found != expected {
        return Err(tokens.fail(FileProblem::MarginalStates { variable, expected, found }));
    }
    let shares = (0..found).map(|_| share(tokens, variable)).collect::<Result<Vec<f64>, _>>()?;
    let total = shares.iter().sum::<f64>();
    if (total - 1.0).abs() <= ROUNDING { Ok(shares) } else { Err(tokens.fail(FileProblem::Total { variable, total })) }
}

fn share(tokens: &mut Tokens, variable: usize) -> Result<f64, FileError> {
    let expected = format!("a share of variable {variable} between 0 and 1");
    let share: f64 = tokens.number(&expected)?;
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(tokens.fail(FileProblem::Unexpected { expected, found: share.to_string() }))
}
