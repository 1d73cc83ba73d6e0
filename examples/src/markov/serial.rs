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
//! The product leaves one message out where the figure divides by it, so that a message may be 0.

use super::beliefs::Beliefs;
use super::error::NetworkError;
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
    let layout = Layout::new(network);
    let mut messages = layout.uniform();
    let (mut change, mut iterations) = (f64::INFINITY, 0);
    while iterations < settings.iterations && change > settings.tolerance {
        let next = layout.iterate(&messages, settings)?;
        change = messages.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
        messages = next;
        iterations += 1;
    }
    let beliefs = layout.beliefs(&messages)?;
    Ok(Outcome { beliefs, iterations, change, converged: change <= settings.tolerance })
}

/// Directed edges: pair p is edge 2p from its first to its second variable, and edge 2p + 1 back.
struct Layout<'a> {
    network: &'a MarkovNetwork,
    /// The edges into each variable.
    incoming: Vec<Vec<usize>>,
    /// Where each edge's message begins, and where the last one ends. A message has an entry for each state of the destination.
    offsets: Vec<usize>,
}

impl<'a> Layout<'a> {
    fn new(network: &'a MarkovNetwork) -> Self {
        let mut incoming = vec![Vec::new(); network.variable_count()];
        let mut offsets = vec![0];
        for (edge, destination) in network.pairs().iter().flat_map(|pair| [pair.second, pair.first]).enumerate() {
            incoming[destination as usize].push(edge);
            offsets.push(offsets[edge] + network.states(destination as usize));
        }
        Self { network, incoming, offsets }
    }

    fn uniform(&self) -> Vec<f64> {
        let sizes = self.offsets.windows(2).map(|ends| ends[1] - ends[0]);
        sizes.flat_map(|size| std::iter::repeat_n(1.0 / size as f64, size)).collect()
    }

    fn message<'m>(&self, messages: &'m [f64], edge: usize) -> &'m [f64] {
        &messages[self.offsets[edge]..self.offsets[edge + 1]]
    }

    /// All messages, from those of the iteration before.
    fn iterate(&self, messages: &[f64], settings: &Settings) -> Result<Vec<f64>, NetworkError> {
        let mut next = vec![0.0; messages.len()];
        for variable in 0..self.network.variable_count() {
            let cavities = self.cavities(messages, variable)?;
            for (&edge, cavity) in self.incoming[variable].iter().zip(cavities) {
                let out = edge ^ 1;
                let mut message = self.send(out, &cavity, settings.question);
                normalize(&mut message)?;
                damp(&mut message, self.message(messages, out), settings)?;
                next[self.offsets[out]..self.offsets[out + 1]].copy_from_slice(&message);
            }
        }
        Ok(next)
    }

    /// For each incoming edge of a variable, the product of its unary potential and all messages but that edge's.
    fn cavities(&self, messages: &[f64], variable: usize) -> Result<Vec<Vec<f64>>, NetworkError> {
        let incoming = &self.incoming[variable];
        // Products of what lies before and behind each edge: a hub with n neighbors takes n steps, not n².
        let mut cavities = Vec::with_capacity(incoming.len());
        let mut before = self.network.unary(variable).to_vec();
        for &edge in incoming {
            cavities.push(before.clone());
            multiply(&mut before, self.message(messages, edge))?;
        }
        let mut behind = vec![1.0; before.len()];
        for (&edge, cavity) in incoming.iter().zip(&mut cavities).rev() {
            multiply(cavity, &behind)?;
            multiply(&mut behind, self.message(messages, edge))?;
        }
        Ok(cavities)
    }

    /// The message along an edge, not normalised. A table's rows are the first variable's states: the sender's of an even edge.
    fn send(&self, edge: usize, cavity: &[f64], question: Question) -> Vec<f64> {
        let table = self.network.table(self.network.pairs()[edge / 2]);
        let rows = table.values().chunks_exact(table.columns());
        let mut message = vec![0.0; self.offsets[edge + 1] - self.offsets[edge]];
        let combine = |entry: &mut f64, potential: f64, share: f64| match question {
            Question::Marginals => *entry += potential * share,
            Question::Assignment => *entry = f64::max(*entry, potential * share),
        };
        if edge.is_multiple_of(2) {
            for (row, share) in rows.zip(cavity) {
                message.iter_mut().zip(row).for_each(|(entry, &potential)| combine(entry, potential, *share));
            }
        } else {
            for (entry, row) in message.iter_mut().zip(rows) {
                row.iter().zip(cavity).for_each(|(&potential, share)| combine(entry, potential, *share));
            }
        }
        message
    }

    fn beliefs(&self, messages: &[f64]) -> Result<Beliefs, NetworkError> {
        let mut shares = Vec::with_capacity(self.network.offsets().last().copied().unwrap_or(0));
        for (variable, incoming) in self.incoming.iter().enumerate() {
            let mut belief = self.network.unary(variable).to_vec();
            normalize(&mut belief)?;
            incoming.iter().try_for_each(|&edge| multiply(&mut belief, self.message(messages, edge)))?;
            shares.extend(belief);
        }
        Ok(Beliefs::new(self.network, shares))
    }
}

/// Multiplies and normalises, so that products of many messages stay in range.
fn multiply(product: &mut [f64], message: &[f64]) -> Result<(), NetworkError> {
    product.iter_mut().zip(message).for_each(|(product, message)| *product *= message);
    normalize(product)
}

fn normalize(shares: &mut [f64]) -> Result<(), NetworkError> {
    let total: f64 = shares.iter().sum();
    if total <= 0.0 {
        return Err(NetworkError::Contradiction);
    }
    shares.iter_mut().for_each(|share| *share /= total);
    Ok(())
}

fn damp(message: &mut [f64], old: &[f64], settings: &Settings) -> Result<(), NetworkError> {
    let damping = settings.damping;
    if damping == 0.0 {
        return Ok(());
    }
    let mix = |new: f64, old: f64| match settings.domain {
        Domain::Linear => (1.0 - damping) * new + damping * old,
        Domain::Logarithmic => new.powf(1.0 - damping) * old.powf(damping),
    };
    message.iter_mut().zip(old).for_each(|(new, &old)| *new = mix(*new, old));
    normalize(message)
}
