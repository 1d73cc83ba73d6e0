//! The networks: which layers they have.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Options, ResidentGraph, RunError, Session};

use crate::error::GnnError;
use crate::gat::{GatLayer, HeadShape, attention, with_loops};
use crate::gatv2::{Gatv2Layer, dynamic_attention};
use crate::gcn::{EarlyGcnLayer, GcnLayer, convolve, convolve_bf16, convolve_f16};
use crate::gin::{GinLayer, isomorphism, isomorphism_bf16, isomorphism_f16};
use crate::greatest::greatest;
use crate::layer::Layer;
use crate::sage::{SageLayer, SageMaxLayer, sage, sage_bf16, sage_f16};
use crate::settings::Settings;
use crate::shape::LayerShape;
use crate::storage::Storage;

/// How far from each other the numbers of dropout's seeds are in layers; between them are those of edges.
const SEEDS: u32 = 1 << 16;

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
    /// Attention whose scores depend on both ends at once.
    Gatv2,
}

impl Model {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gcn => "gcn",
            Self::Gin => "gin",
            Self::Sage | Self::SageMax => "sage",
            Self::Gat => "gat",
            Self::Gatv2 => "gatv2",
        }
    }

    /// Whether its layers need whole rows of the features, not only products with them.
    pub(crate) fn needs_rows(self) -> bool {
        self == Self::SageMax
    }

    /// Whether its edges can read rows in half precision.
    pub fn reads_halves(self) -> bool {
        matches!(self, Self::Gcn | Self::Gin | Self::Sage)
    }

    /// The session of a backend in which the model's fold can run on hidden features, as [`Session::able`].
    ///
    /// # Errors
    /// As [`Session::able`].
    pub fn session(self, backend: Backend, graph: &Graph, settings: &Settings) -> Result<Session, RunError> {
        let (options, features) = (Options::default(), settings.hidden);
        let head = (features / settings.heads.max(1)).max(1);
        let (f16, bf16) = (Storage::F16, Storage::Bf16);
        match self {
            Self::Gcn if settings.storage == f16 => Session::able(convolve_f16, backend, graph, features, &options),
            Self::Gcn if settings.storage == bf16 => Session::able(convolve_bf16, backend, graph, features, &options),
            Self::Gcn => Session::able(convolve, backend, graph, features, &options),
            Self::Gin if settings.storage == f16 => Session::able(isomorphism_f16, backend, graph, features, &options),
            Self::Gin if settings.storage == bf16 => {
                Session::able(isomorphism_bf16, backend, graph, features, &options)
            }
            Self::Gin => Session::able(isomorphism, backend, graph, features, &options),
            Self::Sage if settings.storage == f16 => Session::able(sage_f16, backend, graph, features, &options),
            Self::Sage if settings.storage == bf16 => Session::able(sage_bf16, backend, graph, features, &options),
            Self::Sage => Session::able(sage, backend, graph, features, &options),
            Self::SageMax => Session::able(greatest, backend, graph, features, &options),
            Self::Gat => Session::able(attention, backend, graph, head, &options),
            Self::Gatv2 => Session::able(dynamic_attention, backend, graph, head, &options),
        }
    }

    /// The columns of the product of the features with the first layer's weights.
    pub(crate) fn first_columns(self, classes: usize, settings: &Settings) -> usize {
        // The perceptron of an isomorphism layer has hidden features in the last layer as well.
        if settings.layers == 1 && self != Self::Gin { classes } else { settings.hidden }
    }

    /// As many layers as the settings say, all but the last with an activation. They are called `conv1`, `conv2` and so on.
    ///
    /// # Errors
    /// There is none, no memory for them, features that heads cannot share or that are too many for one, or half precision that edges of the model do
    /// not read.
    pub fn layers<'g>(
        self,
        graph: &ResidentGraph<'g>,
        inputs: usize,
        classes: usize,
        settings: &Settings,
    ) -> Result<Vec<Box<dyn Layer + 'g>>, GnnError> {
        if !self.reads_halves() && settings.storage != Storage::F32 {
            return Err(GnnError::Storage { of: self.name(), storage: settings.storage });
        }
        let names: Vec<String> = (1..=settings.layers).map(|number| format!("conv{number}")).collect();
        let shapes = shapes(&names, inputs, classes, settings);
        match self {
            Self::Gcn => convolutions(graph, &shapes),
            Self::Gin => boxed(shapes, |_, shape| GinLayer::new(graph, shape, settings.hidden)),
            Self::Sage => boxed(shapes, |_, shape| SageLayer::new(graph, shape)),
            Self::SageMax => boxed(shapes, |_, shape| SageMaxLayer::new(graph, shape)),
            Self::Gat => attention_layers(graph, shapes, settings, GatLayer::new),
            Self::Gatv2 => attention_layers(graph, shapes, settings, Gatv2Layer::new),
        }
    }
}

/// What each layer is made by, the first one's first.
fn shapes<'n>(names: &'n [String], inputs: usize, classes: usize, settings: &Settings) -> Vec<LayerShape<'n>> {
    let shape = |(number, name): (usize, &'n String)| {
        let is_last = number + 1 == names.len();
        LayerShape {
            name,
            inputs: if number == 0 { inputs } else { settings.hidden },
            outputs: if is_last { classes } else { settings.hidden },
            is_last,
            storage: settings.storage,
            dropout: if is_last { 0.0 } else { settings.dropout },
            seed: settings.dropout_seed(1 + SEEDS * number as u32),
            optimizer: settings.optimizer,
            decay: if is_last { settings.last_decay } else { settings.decay },
        }
    };
    names.iter().enumerate().map(shape).collect()
}

fn boxed<'g, L: Layer + 'g>(
    shapes: Vec<LayerShape<'_>>,
    layer: impl Fn(usize, &LayerShape<'_>) -> Result<L, GnnError>,
) -> Result<Vec<Box<dyn Layer + 'g>>, GnnError> {
    if shapes.is_empty() {
        return Err(GnnError::NoLayer);
    }
    let layers = shapes.iter().enumerate();
    layers.map(|(number, shape)| Ok(Box::new(layer(number, shape)?) as Box<dyn Layer + 'g>)).collect()
}

/// Graph convolutions, whose edges move the shorter rows: the product with the weights comes first, or after a layer of few outputs the aggregation.
fn convolutions<'g>(
    graph: &ResidentGraph<'g>,
    shapes: &[LayerShape<'_>],
) -> Result<Vec<Box<dyn Layer + 'g>>, GnnError> {
    if shapes.is_empty() {
        return Err(GnnError::NoLayer);
    }
    let degree = graph.graph().edge_count() as f64 / graph.graph().vertex_count().max(1) as f64;
    let layer = |(number, shape): (usize, &LayerShape<'_>)| -> Result<Box<dyn Layer + 'g>, GnnError> {
        // The features that vertices come with may be there by what is not 0 alone.
        if number > 0 && EarlyGcnLayer::pays(shape.inputs, shape.outputs, degree) {
            return Ok(Box::new(EarlyGcnLayer::new(graph, shape)?));
        }
        if number > 0 && GcnLayer::folding_pays(graph.session(), shape) {
            return Ok(Box::new(GcnLayer::folded(graph, shape)?));
        }
        Ok(Box::new(GcnLayer::new(graph, shape)?))
    };
    shapes.iter().enumerate().map(layer).collect()
}

/// Several heads, in the last layer one.
fn attention_layers<'g, L: Layer + 'g>(
    graph: &ResidentGraph<'g>,
    shapes: Vec<LayerShape<'_>>,
    settings: &Settings,
    layer: impl Fn(&ResidentGraph<'g>, &LayerShape<'_>, HeadShape) -> Result<L, GnnError>,
) -> Result<Vec<Box<dyn Layer + 'g>>, GnnError> {
    if settings.heads == 0 || !settings.hidden.is_multiple_of(settings.heads) {
        return Err(GnnError::Heads { hidden: settings.hidden, heads: settings.heads });
    }
    let looped = graph.session().own(with_loops(graph.graph())?);
    boxed(shapes, |number, shape| {
        let heads = if shape.is_last { 1 } else { settings.heads };
        let edge_seed = settings.dropout_seed(2 + number as u32);
        layer(&looped, shape, HeadShape { heads, edge_dropout: settings.edge_dropout, edge_seed })
    })
}
