//! Networks in the form of the UAI competitions.
//!
//! ```text
//! MARKOV             or BAYES, whose tables are factors, too
//! 3                  variables
//! 2 2 3              their states
//! 2                  factors
//! 1 0                how many variables each joins, and which
//! 2 1 2
//! 2 0.4 0.6          how many potentials each has, and which; the last variable's state changes fastest
//! 6 1 2 3 4 5 6
//! ```

use std::path::Path;

use onyx_runtime::text::{has_digits, quoted};

use super::error::{FileError, FileProblem, NetworkError};
use super::network::MarkovNetwork;
use super::tokens::{Text, Tokens};

/// The variables that a factor joins.
type Scope = Vec<usize>;

/// Reads a pairwise network from a UAI file, plain or gzip-compressed.
///
/// # Errors
/// The file cannot be read, or says what is no network, or one with a factor of more than two variables: the line is named.
pub fn read(path: &Path) -> Result<MarkovNetwork, FileError> {
    parse(&Text::read(path)?)
}

/// Reads a network from the text of a file, as [`read`] does.
///
/// # Errors
/// The text says what is no network, or one with a factor of more than two variables.
pub fn parse(text: &Text) -> Result<MarkovNetwork, FileError> {
    let mut tokens = text.tokens()?;
    preamble(&mut tokens)?;
    let mut network = variables(&mut tokens)?;
    let count = tokens.number("the number of factors")?;
    let scopes: Vec<Scope> = (0..count).map(|factor| scope(&mut tokens, &network, factor)).collect::<Result<_, _>>()?;
    scopes.iter().enumerate().try_for_each(|(factor, scope)| table(&mut tokens, &mut network, factor, scope))?;
    tokens.end()?;
    Ok(network)
}

fn preamble(tokens: &mut Tokens) -> Result<(), FileError> {
    let expected = "MARKOV or BAYES";
    match tokens.word(expected)? {
        "MARKOV" | "BAYES" => Ok(()),
        found => Err(tokens.fail(FileProblem::Unexpected { expected: expected.to_owned(), found: quoted(found) })),
    }
}

fn variables(tokens: &mut Tokens) -> Result<MarkovNetwork, FileError> {
    let count: usize = tokens.number("the number of variables")?;
    let line = tokens.line();
    let state = |variable| tokens.number(&format!("the number of states of variable {variable}"));
    let states: Vec<usize> = (0..count).map(state).collect::<Result<_, _>>()?;
    MarkovNetwork::new(&states).map_err(|problem| {
        let line = if matches!(problem, NetworkError::States { .. }) { tokens.line() } else { line };
        tokens.error(line, FileProblem::Network(problem))
    })
}

fn scope(tokens: &mut Tokens, network: &MarkovNetwork, factor: usize) -> Result<Scope, FileError> {
    let order = tokens.number(&format!("the number of variables of factor {factor}"))?;
    if order > 2 {
        return Err(tokens.fail(FileProblem::Order { factor, order }));
    }
    let scope = (0..order).map(|_| variable(tokens, network, factor)).collect::<Result<Scope, _>>()?;
    match scope[..] {
        [first, second] if first == second => Err(fail(tokens, factor, NetworkError::Loop(first))),
        _ => Ok(scope),
    }
}

fn variable(tokens: &mut Tokens, network: &MarkovNetwork, factor: usize) -> Result<usize, FileError> {
    let variable = tokens.number(&format!("a variable of factor {factor}"))?;
    let variables = network.variable_count();
    if variable < variables {
        return Ok(variable);
    }
    Err(fail(tokens, factor, NetworkError::UnknownVariable { variable, variables }))
}

/// Reads a factor's table and multiplies the network by it.
fn table(tokens: &mut Tokens, network: &mut MarkovNetwork, factor: usize, scope: &[usize]) -> Result<(), FileError> {
    let found = tokens.number(&format!("the size of the table of factor {factor}"))?;
    let expected = scope.iter().map(|&variable| network.states(variable)).product();
    let line = tokens.line();
    if found != expected {
        return Err(fail(tokens, factor, NetworkError::TableSize { expected, found }));
    }
    let values = (0..found).map(|_| potential(tokens, factor)).collect::<Result<Vec<f64>, _>>()?;
    let multiplied = match *scope {
        [] => network.multiply(values[0]),
        [variable] => network.multiply_unary(variable, &values),
        [first, second, ..] => network.multiply_pair(first, second, &values),
    };
    multiplied.map_err(|problem| tokens.error(line, FileProblem::Factor { factor, problem }))
}

fn potential(tokens: &mut Tokens, factor: usize) -> Result<f64, FileError> {
    let expected = format!("a potential of factor {factor}");
    let (word, value): (_, f64) = tokens.number_and_word(&expected)?;
    if value == 0.0 && has_digits(word.as_bytes()) {
        return Err(fail(tokens, factor, NetworkError::TooSmall { word: quoted(word) }));
    }
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(fail(tokens, factor, NetworkError::Potential { value }))
    }
}

fn fail(tokens: &Tokens, factor: usize, problem: NetworkError) -> FileError {
    tokens.fail(FileProblem::Factor { factor, problem })
}
