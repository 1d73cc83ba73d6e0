//! What a layer is made by.

use onyx_runtime::Session;

use crate::error::GnnError;
use crate::storage::Storage;
use crate::weight::{Optimizer, Weight, WeightShape};

/// What a layer is made by.
#[derive(Clone, Copy, Debug)]
pub struct LayerShape<'a> {
    /// What its weights' names begin with in files.
    pub name: &'a str,
    /// The features of a row that it is given.
    pub inputs: usize,
    /// Those of a row that it gives.
    pub outputs: usize,
    /// Whether its output is the network's: then there is no activation after it, and nothing is dropped.
    pub is_last: bool,
    /// What edges read of its rows, in convolutions.
    pub storage: Storage,
    /// How likely a value of its output is to be dropped in training.
    pub dropout: f32,
    /// What dropout's random numbers are made of, below 2^24.
    pub seed: u32,
    /// How its weights are changed.
    pub optimizer: Optimizer,
    /// How much of a weight is added to its gradient.
    pub decay: f32,
}

impl LayerShape<'_> {
    /// Weights of the layer.
    ///
    /// # Errors
    /// As [`Weight::new`].
    pub fn weight(&self, session: &Session, name: &str, shape: WeightShape) -> Result<Weight, GnnError> {
        Weight::new(session, format!("{}.{name}", self.name), shape, self.optimizer, self.decay)
    }
}
