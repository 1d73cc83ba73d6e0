//! Loopy belief propagation in 64-bit floats on one thread, independent of any fold.
//!
//! Figure 2.1a of the Onyx thesis. In every iteration all messages are computed from those of the iteration before:
//!
//! ```text
//! cavity(u, v)[x_u] = φ_u(x_u) · Π over neighbors w ≠ v of u of m(w, u)[x_u]          the figure's b_u(x_u) / m_vu(x_u)
//! m(u, v)[x_v]      = normalize(Σ over x_u of ψ(x_u, x_v) · cavity(u, v)[x_u])        max in place of Σ for assignments
//! b(v)[x_v]         = normalize(φ_v(x_v) · Π over neighbors u of m(u, v)[x_v])
//! ```
//!
//! The product leaves one message out where the figure divides by it, so that a message may be 0. Messages are logarithms, so that none is 0 but
//! where no term is possible.

use super::beliefs::Beliefs;
use super::error::NetworkError;
use super::messages::Messages;
use super::network::MarkovNetwork;

/// What is asked of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The distribution of each variable: sum-product.
    Marginals,
    /// The most probable joint state: max-product.
    Assignment,
}

/// How an old message is mixed into a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// (1 − damping) · new + damping · old.
    Linear,
    /// new^(1 − damping) · old^damping, normalised.
    Logarithmic,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What is asked.
    pub question: Question,
    /// The part of the old message that is kept, at least 0 and less than 1.
    pub damping: f64,
    /// How it is kept.
    pub domain: Domain,
    /// The change of a message's entry, after damping, that ends the run.
    pub tolerance: f64,
    /// The greatest number of iterations.
    pub iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        let (question, domain) = (Question::Marginals, Domain::Linear);
        Self { question, damping: 0.0, domain, tolerance: 1e-6, iterations: 100 }
    }
}

/// What a run has found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The marginals; of an assignment, the max-marginals, each normalised.
    pub beliefs: Beliefs,
    /// How many iterations there were.
    pub iterations: usize,
    /// The greatest change of a message's entry in the last one.
    pub change: f64,
    /// Whether that is within the tolerance, so that the beliefs are a fixed point.
    pub converged: bool,
}

/// Runs belief propagation from uniform messages.
///
/// # Errors
/// The potentials of 0 contradict each other.
pub fn solve(network: &MarkovNetwork, settings: &Settings) -> Result<Outcome, NetworkError> {
    let places = Messages::new(network);
    let mut messages = places.uniform();
    let (mut change, mut iterations) = (f64::INFINITY, 0);
    while iterations < settings.iterations && change > settings.tolerance {
        let next = places.iterate(&messages, settings)?;
        change = greatest_change(&messages, &next);
        messages = next;
        iterations += 1;
    }
    let beliefs = places.beliefs(&messages)?;
    Ok(Outcome { beliefs, iterations, change, converged: change <= settings.tolerance })
}

/// The greatest change of a share among messages.
pub fn greatest_change(messages: &[f64], others: &[f64]) -> f64 {
    messages.iter().zip(others).map(|(one, other)| (one.exp() - other.exp()).abs()).fold(0.0, f64::max)
}
