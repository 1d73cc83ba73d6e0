//! What can be wrong with what a network is to learn from, and with its learning.

use std::path::PathBuf;

use onyx_cli::error::CliError;
use onyx_data::dataset::DatasetError;
use onyx_runtime::RunError;
use onyx_runtime::graph::GraphError;
use thiserror::Error;

use crate::storage::Storage;

/// Why a network cannot be made, or has not learned.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GnnError {
    /// As many rows, labels or whatever else belongs to vertices as there are no vertices.
    #[error("the graph has {vertices} vertices, and there are {what} of {found}: give one for each vertex")]
    Vertices {
        /// What belongs to vertices.
        what: &'static str,
        /// How many vertices it is of.
        found: usize,
        /// How many vertices the graph has.
        vertices: usize,
    },
    /// Vertices without any feature.
    #[error(
        "the vertices have no features to learn from: give each a row of at least one, such as a row of the identity matrix"
    )]
    NoFeatures,
    /// A feature that is no finite number.
    #[error(
        "feature {column} of vertex {vertex} is {value}, and a network learns from finite numbers alone: mend the features"
    )]
    Feature {
        /// The vertex.
        vertex: usize,
        /// The feature.
        column: usize,
        /// Its value.
        value: f32,
    },
    /// A label that is no class.
    #[error(
        "vertex {vertex} has the label {label}, and there are {classes} classes, from 0 to {}: correct the label, or give `classes` a greater number",
        .classes.saturating_sub(1)
    )]
    Label {
        /// The vertex.
        vertex: usize,
        /// Its label.
        label: u32,
        /// How many classes there are.
        classes: usize,
    },
    /// A vertex of the split that the graph has not.
    #[error(
        "vertex {vertex} is to {use_of}, and the graph has {vertices} vertices, numbered from 0: leave it out of the split"
    )]
    NoVertex {
        /// The vertex.
        vertex: u32,
        /// What it is to be used for.
        use_of: &'static str,
        /// How many vertices the graph has.
        vertices: usize,
    },
    /// Layers that are no stack.
    #[error("a stack has layers of one size, and a multiple of {multiple} of them: there are {found}")]
    Layers {
        /// How many there are.
        found: usize,
        /// How many a fold has.
        multiple: usize,
    },
    /// Hidden features that heads cannot share.
    #[error("{hidden} hidden features cannot be shared by {heads} heads: give a multiple of the heads, such as {}", .heads.max(&1) * 8)]
    Heads {
        /// How many features.
        hidden: usize,
        /// How many heads.
        heads: usize,
    },
    /// A head with more features than a layer of attention is compiled for.
    #[error(
        "a head of {features} features is wider than the {widest} that a layer of attention is compiled for: give more heads"
    )]
    WideHead {
        /// How many features.
        features: usize,
        /// The most.
        widest: usize,
    },
    /// A batch of vertices with other features than those that a network was made for.
    #[error(
        "the vertices have {found} features, and the network was made for {expected}: take batches of one collection"
    )]
    Columns {
        /// How many features they have.
        found: usize,
        /// How many the network was made for.
        expected: usize,
    },
    /// A graph to pool by that has fewer vertices than graphs.
    #[error(
        "the graph to pool by has {vertices} vertices, and {graphs} graphs are the last of them: make it by `PooledBatch::new`"
    )]
    Pooling {
        /// How many graphs the batch has.
        graphs: usize,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A graph whose class the network does not have.
    #[error(
        "graph {graph} has the class {label}, and there are {classes} classes, from 0 to {}: correct the class, or make the network for more classes",
        .classes.saturating_sub(1)
    )]
    Class {
        /// The graph, from 0 within its batch.
        graph: usize,
        /// Its class.
        label: u32,
        /// How many classes there are.
        classes: usize,
    },
    /// A learning curve that cannot be drawn.
    #[error("the learning curve cannot be drawn: {reason}")]
    Curve {
        /// What went wrong.
        reason: String,
    },
    /// Folds that cross-validation cannot be made of.
    #[error("{folds} folds of {graphs} graphs: give 2 folds at least, and no more than there are graphs")]
    Folds {
        /// How many folds.
        folds: usize,
        /// How many graphs.
        graphs: usize,
    },
    /// More classes than a softmax takes.
    #[error(
        "there are {classes} classes, and a softmax takes {most} at most: leave out rare ones, or put several into one"
    )]
    Classes {
        /// How many.
        classes: usize,
        /// The most.
        most: usize,
    },
    /// Features without their zeros, in a layer that reads whole rows.
    #[error(
        "the layer reads whole rows of features, and these are stored without their zeros: make the input by `Input::dense`"
    )]
    NoRows,
    /// No layer.
    #[error("a network has one layer at least, the one whose output are the classes")]
    NoLayer,
    /// Nothing to learn from.
    #[error("no vertex is to be learned from: name at least one whose class is known")]
    NothingToLearn,
    /// A loss that is no finite number.
    #[error("the loss is {loss} at step {step}: {}", advice(*.step, *.rate, *.storage))]
    NotFinite {
        /// The step, from 1.
        step: usize,
        /// The loss.
        loss: f32,
        /// The learning rate.
        rate: f32,
        /// What edges read.
        storage: Storage,
    },
    /// Half precision for edges that read none.
    #[error(
        "edges read {storage} in gcn without weights of edges, in gin and in sage with means: {of} stores rows as f32"
    )]
    Storage {
        /// What was to be stored so.
        of: &'static str,
        /// What was asked for.
        storage: Storage,
    },
    /// A layer whose product has no fold.
    #[error(
        "folds multiply by 16 x 16 or 32 x 32 weights, and these are {inputs} x {outputs}: make the layer by `GcnLayer::new`"
    )]
    Product {
        /// The rows of the weights.
        inputs: usize,
        /// The columns.
        outputs: usize,
    },
    /// An option that this program would not heed.
    #[error("{option} is an option of {program} alone: leave it out, or run that program")]
    OptionOfOther {
        /// The option.
        option: &'static str,
        /// The program that heeds it.
        program: &'static str,
    },
    /// Ctrl-C came before the last epoch.
    #[error("interrupted after {epochs} epochs")]
    Interrupted {
        /// How many epochs have ended.
        epochs: usize,
    },
    /// Files that are named or written in a wrong way, or standard output that cannot be written.
    #[error(transparent)]
    Cli(Box<CliError>),
    /// A file of weights.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A data set that cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A graph that cannot be made.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A fold or a product that cannot run.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<CliError> for GnnError {
    fn from(error: CliError) -> Self {
        Self::Cli(Box::new(error))
    }
}

impl GnnError {
    /// What a program ends with: 1 if learning has failed, 130 after Ctrl-C, 2 for bad input or too little memory.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotFinite { .. } | Self::Run(RunError::TooGreat { .. }) => 1,
            Self::Interrupted { .. } => onyx_cli::interrupt::EXIT_CODE,
            Self::Cli(error) => error.exit_code(),
            _ => 2,
        }
    }
}

/// What to do about a loss that is not finite. Before the first step, the learning rate has changed nothing.
fn advice(step: usize, rate: f32, storage: Storage) -> String {
    let narrow = if storage == Storage::F16 { ", or bf16 in place of f16, which ends at 65504" } else { "" };
    if step <= 1 {
        return format!(
            "no step has changed the weights yet, so that features or weights are too great to be added up as 32-bit floats; give smaller ones{narrow}"
        );
    }
    format!(
        "the weights are those of the step before, with which it was finite; try a lower learning rate than {rate}{narrow}"
    )
}

/// Why weights cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A file that cannot be read or written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system or the format says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Weights that make no file.
    #[error("the weights cannot be put into the form of safetensors: {0}")]
    Content(safetensors::SafeTensorError),
    /// A file of another form, or a damaged one.
    #[error("{} is no safetensors file, or a damaged one: {source}", .path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: safetensors::SafeTensorError,
    },
    /// A weight that the file has not.
    #[error("{}: it has no `{name}`: it is of another model, or of one with other layers", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The weight.
        name: String,
    },
    /// A weight that the network has not.
    #[error("{}: the network has no `{name}`: the file is of another model, or of one with other layers", .path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The weight.
        name: String,
    },
    /// A weight of another size.
    #[error("{}: `{name}` is {found:?}, and the network's is {expected:?}: give it as many features, hidden features, heads and classes", .path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The weight.
        name: String,
        /// Its sizes in the file.
        found: Vec<usize>,
        /// Its sizes in the network.
        expected: Vec<usize>,
    },
    /// Numbers other than floats of 32 bits.
    #[error("{}: `{name}` has numbers of type {found}: store floats of 32 bits", .path.display())]
    Type {
        /// The file.
        path: PathBuf,
        /// The weight.
        name: String,
        /// Their type.
        found: String,
    },
    /// A weight that is no finite number.
    #[error("{}: `{name}` has a weight of {value}, and weights are finite: save those of a network whose loss is finite", .path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The weight.
        name: String,
        /// The value.
        value: f32,
    },
}
