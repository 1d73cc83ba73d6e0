//! The networks: which layers they have.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Options, ResidentGraph, RunError, Session};

use crate::error::GnnError;
use crate::gat::{GatLayer, HeadShape, attention, with_loops};
use crate::gcn::{GcnLayer, convolve};
use crate::gin::{GinLayer, isomorphism};
use crate::greatest::greatest;
use crate::layer::Layer;
use crate::sage::{SageLayer, SageMaxLayer, sage};
use crate::settings::Settings;
use crate::shape::LayerShape;

/// Which layers a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Graph convolutions.
    Gcn,
    /// Isomorphism layers.
    Gin,
    /// Means of GraphSAGE.
    Sage,
    /// Maxima of GraphSAGE. Nothing of the features that vertices come with is dropped.
    SageMax,
    /// Attention.
    Gat,
}

impl Model {
    /// The name of its program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gcn => "gcn",
            Self::Gin => "gin",
            Self::Sage | Self::SageMax => "sage",
            Self::Gat => "gat",
        }
    }

    /// Whether its layers need whole rows of the features, not only products with them.
    pub(crate) fn needs_rows(self) -> bool {
        self == Self::SageMax
    }

    /// The session of a backend in which the model's fold can run, as [`Session::able`].
    ///
    /// # Errors
    /// As [`Session::able`].
    pub fn session(self, backend: Backend, graph: &Graph, features: usize) -> Result<Session, RunError> {
        let options = Options::default();
        match self {
            Self::Gcn => Session::able(convolve, backend, graph, features, &options),
            Self::Gin => Session::able(isomorphism, backend, graph, features, &options),
            Self::Sage => Session::able(sage, backend, graph, features, &options),
            Self::SageMax => Session::able(greatest, backend, graph, features, &options),
            Self::Gat => Session::able(attention, backend, graph, features, &options),
        }
    }

    /// Two layers, the first with an activation.
    ///
    /// # Errors
    /// There is no memory for them, or no fold for as many features.
    pub fn layers<'g>(
        self,
        graph: &ResidentGraph<'g>,
        inputs: usize,
        classes: usize,
        settings: &Settings,
    ) -> Result<Vec<Box<dyn Layer + 'g>>, GnnError> {
        let first = LayerShape {
            name: "conv1",
            inputs,
            outputs: settings.hidden,
            is_last: false,
            dropout: settings.dropout,
            seed: settings.dropout_seed(1),
            optimizer: settings.optimizer,
            decay: settings.decay,
        };
        let last = LayerShape {
            name: "conv2",
            inputs: settings.hidden,
            outputs: classes,
            is_last: true,
            dropout: 0.0,
            decay: settings.last_decay,
            ..first
        };
        match self {
            Self::Gcn => boxed([first, last].map(|shape| GcnLayer::new(graph, None, &shape))),
            Self::Gin => boxed([first, last].map(|shape| GinLayer::new(graph, &shape, settings.hidden))),
            Self::Sage => boxed([first, last].map(|shape| SageLayer::new(graph, &shape))),
            Self::SageMax => boxed([first, last].map(|shape| SageMaxLayer::new(graph, &shape))),
            Self::Gat => attention_layers(graph, [first, last], settings),
        }
    }
}

fn boxed<'g, L: Layer + 'g>(layers: [Result<L, GnnError>; 2]) -> Result<Vec<Box<dyn Layer + 'g>>, GnnError> {
    layers.into_iter().map(|layer| Ok(Box::new(layer?) as Box<dyn Layer + 'g>)).collect()
}

/// Several heads, then one.
fn attention_layers<'g>(
    graph: &ResidentGraph<'g>,
    [first, last]: [LayerShape<'_>; 2],
    settings: &Settings,
) -> Result<Vec<Box<dyn Layer + 'g>>, GnnError> {
    if settings.heads == 0 || !settings.hidden.is_multiple_of(settings.heads) {
        return Err(GnnError::Heads { hidden: settings.hidden, heads: settings.heads });
    }
    let looped = graph.session().own(with_loops(graph.graph())?);
    let heads = |heads, number| HeadShape {
        heads,
        edge_dropout: settings.edge_dropout,
        edge_seed: settings.dropout_seed(number),
    };
    boxed([GatLayer::new(&looped, &first, heads(settings.heads, 2)), GatLayer::new(&looped, &last, heads(1, 3))])
}
