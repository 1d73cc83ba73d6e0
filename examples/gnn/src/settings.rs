//! How a network is made and trained.

use crate::model::Model;
use crate::random::bits;
use crate::storage::Storage;
use crate::weight::Optimizer;

/// How a network is made and trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How many layers there are, the last one included.
    pub layers: usize,
    /// The features of a hidden layer, those of all heads together.
    pub hidden: usize,
    /// How many heads of attention a hidden layer has.
    pub heads: usize,
    /// How likely a value before each layer is to be dropped in training.
    pub dropout: f32,
    /// How likely an edge is to be left out of a head of attention in training.
    pub edge_dropout: f32,
    /// What edges read rows from, in convolutions.
    pub storage: Storage,
    /// How weights are changed.
    pub optimizer: Optimizer,
    /// How much of a weight of a hidden layer is added to its gradient.
    pub decay: f32,
    /// The same of the last layer.
    pub last_decay: f32,
    /// What everything random is made of.
    pub seed: u64,
}

impl Settings {
    /// What the papers of graph convolutions and of attention trained on citations by; what the former has for the other models.
    pub fn of(model: Model) -> Self {
        let convolution = Self {
            layers: 2,
            hidden: 16,
            heads: 1,
            dropout: 0.5,
            edge_dropout: 0.0,
            storage: Storage::F32,
            optimizer: Optimizer::Adam { rate: 0.01 },
            decay: 5e-4,
            last_decay: 0.0,
            seed: 0,
        };
        match model {
            Model::Gcn | Model::Gin | Model::Sage | Model::SageMax => convolution,
            Model::Gat | Model::Gatv2 => Self {
                hidden: 64,
                heads: 8,
                dropout: 0.6,
                edge_dropout: 0.6,
                optimizer: Optimizer::Adam { rate: 0.005 },
                last_decay: 5e-4,
                ..convolution
            },
        }
    }

    /// What random numbers of dropout are made of, by the number of what they are for: a whole number that a float holds.
    pub(crate) fn dropout_seed(&self, number: u32) -> u32 {
        bits(self.seed as u32, (self.seed >> 32) as u32, number, 0) >> 8
    }
}
