//! Whether what a run has found can be relied on.

use crate::markov::messages::greatest;
use crate::markov::serial::{Question, Settings, greatest_change};
use crate::markov::{Beliefs, Elimination, MarkovNetwork, Messages, NetworkError};
use crate::verification::Verification;

/// How far a share may be from what 64-bit floats give. Damping multiplies this, for it ends when its steps are lost in rounding.
const ROUNDING: f64 = 1e-4;
/// How far a message's logarithm may be off by its own rounding, as a part of it and of 1.
const MESSAGE_ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// What an answer was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The exact answer, which exists where the network has no loops.
    Elimination,
    /// The messages and beliefs that follow from the answer's own by one more iteration: with loops there may be several answers that stay as they
    /// are, and each is right.
    Iteration,
    /// The messages and beliefs of one more iteration in 64-bit floats, from the same messages: for a run that has not settled.
    Step,
}

/// How an answer compares.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// What with.
    pub reference: Reference,
    /// How far they are apart: shares, and logarithms of scores.
    pub verification: Verification,
}

/// Checks the messages of a run that has settled in 64-bit floats.
///
/// # Errors
/// The potentials of 0 contradict each other.
pub fn check(network: &MarkovNetwork, messages: &[f64], settings: &Settings) -> Result<Check, NetworkError> {
    let places = Messages::new(network);
    let beliefs = places.beliefs(messages)?;
    let (tolerance, part) = (settings.tolerance, 1.0 - settings.damping);
    let answer = Answer { network, places, messages, beliefs, tolerance, part };
    match Elimination::of(network, settings.question) {
        Some(exact) => answer.against_exact(&exact, settings.question),
        None => answer.against_next(settings),
    }
}

/// Checks one more iteration of a run that has not settled: the messages before and after it, in 64-bit floats.
///
/// # Errors
/// The potentials of 0 contradict each other.
pub fn check_step(
    network: &MarkovNetwork,
    before: &[f64],
    after: &[f64],
    settings: &Settings,
) -> Result<Check, NetworkError> {
    let places = Messages::new(network);
    let beliefs = places.beliefs(after)?;
    // Nothing goes untold in an iteration that all variables take part in, and no step is repeated.
    let answer = Answer { network, places, messages: after, beliefs, tolerance: 0.0, part: 1.0 };
    answer.against_step(before, settings)
}

struct Answer<'a> {
    network: &'a MarkovNetwork,
    places: Messages<'a>,
    messages: &'a [f64],
    beliefs: Beliefs,
    tolerance: f64,
    /// The part of a message that damping leaves.
    part: f64,
}

impl Answer<'_> {
    /// Compares with the exact beliefs, and with the score of the most probable joint state if that was the question.
    fn against_exact(&self, exact: &Elimination, question: Question) -> Result<Check, NetworkError> {
        // What is not worth telling may go untold along every edge.
        let untold = self.tolerance * self.places.edge_count() as f64;
        let mut worst = self.beliefs_against(&exact.beliefs()?, |_| untold);
        if question == Question::Assignment {
            let found = self.network.log_score(&self.places.assignment(self.messages));
            let difference = (exact.log_partition() - found).abs();
            let noise: f64 = (0..self.network.variable_count()).map(|variable| self.noise(variable)).sum();
            worst = worst.worse(Verification { difference, allowed: ROUNDING / self.part + untold + noise });
        }
        Ok(Check { reference: Reference::Elimination, verification: worst })
    }

    /// Compares with the messages and beliefs of one more iteration.
    fn against_next(&self, settings: &Settings) -> Result<Check, NetworkError> {
        let next = self.places.iterate(self.messages, &Settings { damping: 0.0, ..*settings })?;
        let difference = greatest_change(self.messages, &next);
        let messages = Verification { difference, allowed: ROUNDING / self.part + self.tolerance };
        let degree = |variable| self.places.incoming(variable).len() as f64;
        let beliefs = self.beliefs_against(&self.places.beliefs(&next)?, |variable| degree(variable) * self.tolerance);
        Ok(Check { reference: Reference::Iteration, verification: messages.worse(beliefs) })
    }

    /// Compares with the messages and beliefs that come after `before`.
    fn against_step(&self, before: &[f64], settings: &Settings) -> Result<Check, NetworkError> {
        let next = self.places.iterate(before, settings)?;
        let messages = Verification { difference: greatest_change(self.messages, &next), allowed: ROUNDING };
        let beliefs = self.beliefs_against(&self.places.beliefs(&next)?, |_| 0.0);
        Ok(Check { reference: Reference::Step, verification: messages.worse(beliefs) })
    }

    /// The worst variable; each may be off by its messages' rounding, and by what goes untold.
    fn beliefs_against(&self, expected: &Beliefs, untold: impl Fn(usize) -> f64) -> Verification {
        let variables = self.beliefs.rows().zip(expected.rows()).enumerate().map(|(variable, (found, expected))| {
            let differences = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs());
            // Unlike f64::max, this keeps a difference that is not a number.
            let difference = differences.fold(0.0, |most, next| if next > most || next.is_nan() { next } else { most });
            Verification { difference, allowed: ROUNDING / self.part + self.noise(variable) + untold(variable) }
        });
        variables.fold(Verification { difference: 0.0, allowed: ROUNDING }, Verification::worse)
    }

    /// How far the logarithm of a belief may be off because of the rounding of messages: that of the state which is believed most.
    fn noise(&self, variable: usize) -> f64 {
        let state = greatest(self.beliefs.row(variable));
        let messages = self.places.incoming(variable).iter().map(|&edge| self.places.of(self.messages, edge)[state]);
        messages.map(|message| MESSAGE_ROUNDING / self.part * (1.0 + message.abs())).sum()
    }
}
