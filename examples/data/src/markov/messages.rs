//! The messages of a network in 64-bit floats, as logarithms: one along each direction of each pair.

use super::beliefs::Beliefs;
use super::error::NetworkError;
use super::logarithm::{log_sum, normalize};
use super::network::MarkovNetwork;
use super::order::Order;
use super::serial::{Domain, Question, Settings};

/// Where the messages of a network lie: pair p is edge 2p from its first to its second variable, and edge 2p + 1 back.
///
/// A list of messages has an entry for each edge and each state of its destination, and the entries of an edge are logarithms of shares.
#[derive(Debug)]
pub struct Messages<'a> {
    network: &'a MarkovNetwork,
    /// The edges into each variable.
    incoming: Vec<Vec<usize>>,
    /// Where each edge's message begins, and where the last one ends.
    offsets: Vec<usize>,
}

impl<'a> Messages<'a> {
    /// The places of a network's messages.
    pub fn new(network: &'a MarkovNetwork) -> Self {
        let mut incoming = vec![Vec::new(); network.variable_count()];
        let mut offsets = vec![0];
        for (edge, destination) in network.pairs().iter().flat_map(|pair| [pair.second, pair.first]).enumerate() {
            incoming[destination as usize].push(edge);
            offsets.push(offsets[edge] + network.states(destination as usize));
        }
        Self { network, incoming, offsets }
    }

    /// Messages that say nothing.
    pub fn uniform(&self) -> Vec<f64> {
        let sizes = self.offsets.windows(2).map(|ends| ends[1] - ends[0]);
        sizes.flat_map(|size| std::iter::repeat_n(-(size as f64).ln(), size)).collect()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The edge from one variable to another, if they depend on each other.
    pub fn edge(&self, source: u32, destination: u32) -> Option<usize> {
        self.network.pair_number(source, destination).map(|pair| 2 * pair + usize::from(destination < source))
    }

    /// The message of an edge in a list of all.
    pub fn of<'m>(&self, messages: &'m [f64], edge: usize) -> &'m [f64] {
        &messages[self.offsets[edge]..self.offsets[edge + 1]]
    }

    /// The same to write.
    pub fn of_mut<'m>(&self, messages: &'m mut [f64], edge: usize) -> &'m mut [f64] {
        &mut messages[self.offsets[edge]..self.offsets[edge + 1]]
    }

    /// The edges into a variable.
    pub fn incoming(&self, variable: usize) -> &[usize] {
        &self.incoming[variable]
    }

    /// All messages, from those of the iteration before.
    ///
    /// # Errors
    /// The potentials of 0 contradict each other.
    pub fn iterate(&self, messages: &[f64], settings: &Settings) -> Result<Vec<f64>, NetworkError> {
        let mut next = vec![0.0; messages.len()];
        for variable in 0..self.network.variable_count() {
            let cavities = self.cavities(messages, variable);
            for (&edge, cavity) in self.incoming[variable].iter().zip(cavities) {
                let out = edge ^ 1;
                let message = self.of_mut(&mut next, out);
                self.send(out, &cavity, settings.question, message);
                normalize(message).ok_or(NetworkError::Contradiction)?;
                damp(message, self.of(messages, out), settings);
            }
        }
        Ok(next)
    }

    /// For each incoming edge of a variable, the product of its unary potential and all messages but that edge's.
    fn cavities(&self, messages: &[f64], variable: usize) -> Vec<Vec<f64>> {
        let incoming = &self.incoming[variable];
        // Products of what lies before and after each edge: a hub with n neighbors takes n steps, not n², and nothing is taken out of a product.
        let mut cavities = Vec::with_capacity(incoming.len());
        let mut before = self.network.log_unary(variable).to_vec();
        for &edge in incoming {
            cavities.push(before.clone());
            multiply(&mut before, self.of(messages, edge));
        }
        let mut after = vec![0.0; before.len()];
        for (&edge, cavity) in incoming.iter().zip(&mut cavities).rev() {
            multiply(cavity, &after);
            multiply(&mut after, self.of(messages, edge));
        }
        cavities
    }

    /// The message along an edge, not normalised. A table's rows are the first variable's states: the sender's of an even edge.
    fn send(&self, edge: usize, cavity: &[f64], question: Question, message: &mut [f64]) {
        let table = self.network.table(self.network.pairs()[edge / 2]);
        for (state, entry) in message.iter_mut().enumerate() {
            let potential = |own| if edge.is_multiple_of(2) { table.log(own, state) } else { table.log(state, own) };
            let terms = cavity.iter().enumerate().map(|(own, cavity)| potential(own) + cavity);
            *entry = question.joined(terms);
        }
    }

    /// What is believed of each variable.
    ///
    /// # Errors
    /// The potentials of 0 contradict each other: no state of a variable is possible.
    pub fn beliefs(&self, messages: &[f64]) -> Result<Beliefs, NetworkError> {
        let mut shares = Vec::with_capacity(self.network.offsets().last().copied().unwrap_or(0));
        for (variable, incoming) in self.incoming.iter().enumerate() {
            let mut belief = self.network.log_unary(variable).to_vec();
            incoming.iter().for_each(|&edge| multiply(&mut belief, self.of(messages, edge)));
            normalize(&mut belief).ok_or(NetworkError::Contradiction)?;
            shares.extend(belief.into_iter().map(f64::exp));
        }
        Beliefs::new(self.network, shares)
    }

    /// A joint state of great probability: each variable takes its best state given those that its neighbors have taken before it.
    ///
    /// From the messages of max-product at rest this is the most probable one on a tree, also where several are. Choosing each variable's best state
    /// by itself would mix those.
    pub fn assignment(&self, messages: &[f64]) -> Vec<usize> {
        let mut taken: Vec<Option<usize>> = vec![None; self.network.variable_count()];
        for variable in Order::of(self.network).variables {
            let given = self.scores(messages, variable, &taken);
            // Around a loop the neighbors' states may leave none.
            let is_possible = given.iter().any(|&score| score > f64::NEG_INFINITY);
            let free = || self.scores(messages, variable, &vec![None; taken.len()]);
            let scores = if is_possible { given } else { free() };
            taken[variable] = Some(greatest(&scores));
        }
        taken.into_iter().map(|state| state.unwrap_or(0)).collect()
    }

    /// What speaks for each state of a variable: the states that neighbors have taken, and the messages of the others.
    fn scores(&self, messages: &[f64], variable: usize, taken: &[Option<usize>]) -> Vec<f64> {
        let mut scores = self.network.log_unary(variable).to_vec();
        for &edge in &self.incoming[variable] {
            let pair = self.network.pairs()[edge / 2];
            let neighbor = (if edge.is_multiple_of(2) { pair.first } else { pair.second }) as usize;
            let table = self.network.table(pair);
            match taken[neighbor] {
                None => multiply(&mut scores, self.of(messages, edge)),
                Some(state) if edge.is_multiple_of(2) => {
                    scores.iter_mut().enumerate().for_each(|(own, score)| *score += table.log(state, own));
                }
                Some(state) => scores.iter_mut().enumerate().for_each(|(own, score)| *score += table.log(own, state)),
            }
        }
        scores
    }
}

/// The place of the greatest score, the first of equal ones.
pub fn greatest(scores: &[f64]) -> usize {
    (0..scores.len()).rev().max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0)
}

fn multiply(product: &mut [f64], message: &[f64]) {
    product.iter_mut().zip(message).for_each(|(product, message)| *product += message);
}

/// Mixes the old message into a new one. What is impossible now is impossible at once, and what the old one had of it is dropped: the mixture is
/// not normalised, as in the fold. It comes to rest at what is sent, which is.
fn damp(message: &mut [f64], old: &[f64], settings: &Settings) {
    let damping = settings.damping;
    if damping == 0.0 {
        return;
    }
    let mix = |new: f64, old: f64| match settings.domain {
        _ if new == f64::NEG_INFINITY => new,
        Domain::Linear => log_sum([new + (1.0 - damping).ln(), old + damping.ln()].into_iter()),
        Domain::Logarithmic => (1.0 - damping) * new + damping * old,
    };
    message.iter_mut().zip(old).for_each(|(new, &old)| *new = mix(*new, old));
}
