//! Exact answers of networks without loops: variables are eliminated from the leaves to the roots, and conditioned on in the other direction.

use super::beliefs::Beliefs;
use super::error::NetworkError;
use super::logarithm::{log_sum, normalize};
use super::messages::greatest;
use super::network::MarkovNetwork;
use super::order::Order;
use super::serial::Question;

/// A network without loops of which each variable is eliminated.
#[derive(Debug)]
pub struct Elimination<'a> {
    network: &'a MarkovNetwork,
    question: Question,
    order: Order,
    /// For each state of a variable what it and all that hangs on it say, as a logarithm.
    subtrees: Vec<Vec<f64>>,
    /// For each state of a variable's parent what the variable and all that hangs on it say.
    eliminated: Vec<Vec<f64>>,
}

impl<'a> Elimination<'a> {
    /// Eliminates the variables of a network; nothing if it has a loop.
    pub fn of(network: &'a MarkovNetwork, question: Question) -> Option<Self> {
        let order = Some(Order::of(network)).filter(|order| order.is_forest)?;
        let subtrees = (0..network.variable_count()).map(|variable| network.log_unary(variable).to_vec()).collect();
        let eliminated = vec![Vec::new(); network.variable_count()];
        let mut elimination = Self { network, question, order, subtrees, eliminated };
        (0..network.variable_count()).rev().for_each(|place| elimination.eliminate(place));
        Some(elimination)
    }

    /// Eliminates the variable at this place of the order, all of whose children have been.
    fn eliminate(&mut self, place: usize) {
        let variable = self.order.variables[place];
        let Some(parent) = self.order.parents[variable] else { return };
        let message = self.message(variable, parent);
        self.subtrees[parent].iter_mut().zip(&message).for_each(|(said, message)| *said += message);
        self.eliminated[variable] = message;
    }

    /// What a variable and all that hangs on it say to each state of its parent.
    fn message(&self, variable: usize, parent: usize) -> Vec<f64> {
        let own = self.subtrees[variable].iter().enumerate();
        let terms = |state| own.clone().map(move |(own, said)| self.potential(parent, state, variable, own) + said);
        (0..self.network.states(parent)).map(|state| self.question.joined(terms(state))).collect()
    }

    /// The logarithm of the potential of two neighbors' states.
    fn potential(&self, one: usize, state: usize, other: usize, other_state: usize) -> f64 {
        let Some(pair) = self.network.pair(one as u32, other as u32) else { return 0.0 };
        let table = self.network.table(pair);
        if one < other { table.log(state, other_state) } else { table.log(other_state, state) }
    }

    /// The distribution of each variable; of an assignment the max-marginals.
    ///
    /// # Errors
    /// No joint state is possible.
    pub fn beliefs(&self) -> Result<Beliefs, NetworkError> {
        let mut beliefs: Vec<Vec<f64>> = vec![Vec::new(); self.network.variable_count()];
        for &variable in &self.order.variables {
            let mut belief = match self.order.parents[variable] {
                None => self.subtrees[variable].clone(),
                Some(parent) => self.conditioned(variable, parent, &beliefs[parent]),
            };
            normalize(&mut belief).ok_or(NetworkError::Contradiction)?;
            beliefs[variable] = belief;
        }
        Beliefs::new(self.network, beliefs.concat().into_iter().map(f64::exp).collect())
    }

    /// A variable's belief: what it is given each state of its parent, and how likely that is.
    fn conditioned(&self, variable: usize, parent: usize, beliefs: &[f64]) -> Vec<f64> {
        let (own, eliminated) = (&self.subtrees[variable], &self.eliminated[variable]);
        let terms = |own_state: usize| {
            let possible = beliefs.iter().enumerate().filter(|(_, belief)| **belief > f64::NEG_INFINITY);
            possible.map(move |(state, belief)| {
                belief - eliminated[state] + self.potential(parent, state, variable, own_state) + own[own_state]
            })
        };
        (0..own.len()).map(|state| self.question.joined(terms(state))).collect()
    }

    /// The most probable joint state, if that was the question: each variable takes its best state given its parent's.
    ///
    /// # Errors
    /// No joint state is possible.
    pub fn assignment(&self) -> Result<Vec<usize>, NetworkError> {
        let mut states = vec![0; self.network.variable_count()];
        for &variable in &self.order.variables {
            let own = self.subtrees[variable].iter().enumerate();
            let given = self.order.parents[variable].map(|parent| (parent, states[parent]));
            let potential = |own| given.map_or(0.0, |(parent, state)| self.potential(parent, state, variable, own));
            let scores: Vec<f64> = own.map(|(own, said)| said + potential(own)).collect();
            states[variable] = greatest(&scores);
            if scores[states[variable]] == f64::NEG_INFINITY {
                return Err(NetworkError::Contradiction);
            }
        }
        Ok(states)
    }

    /// The logarithm of the sum of all products of factors; of an assignment, of the greatest product.
    pub fn log_partition(&self) -> f64 {
        let roots = self.order.variables.iter().filter(|variable| self.order.parents[**variable].is_none());
        let parts = roots.map(|&root| self.question.joined(self.subtrees[root].iter().copied()));
        parts.sum::<f64>() + self.network.log_scale()
    }
}

impl Question {
    /// The logarithm of the sum of all terms, or of the greatest, as the question is.
    pub(super) fn joined(self, terms: impl Iterator<Item = f64> + Clone) -> f64 {
        match self {
            Self::Marginals => log_sum(terms),
            Self::Assignment => terms.fold(f64::NEG_INFINITY, f64::max),
        }
    }
}
