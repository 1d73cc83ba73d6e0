//! Layers one after the other, with the loss of the last one's output.

use ndarray::Array2;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Data, ResidentGraph, RunError, Sequence, Session};
use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::clock::{Clock, tick};
use crate::dataset::{self, Dataset};
use crate::error::GnnError;
use crate::input::Input;
use crate::layer::{Layer, Source};
use crate::loss::{Accuracy, ClassLoss};
use crate::model::Model;
use crate::settings::Settings;
use crate::weight::Weight;

/// A network in a session, ready to learn.
pub struct Network<'g> {
    input: Input,
    layers: Vec<Box<dyn Layer + 'g>>,
    loss: ClassLoss<'g>,
    clock: Data<Clock>,
    ticking: Sequence<'static, Clock>,
    settings: Settings,
    steps: usize,
}

impl<'g> Network<'g> {
    /// A network of layers of a model, for the vertices of a data set, whose graph is `graph`. Its weights are drawn by the settings' seed.
    ///
    /// # Errors
    /// What is wrong with the data set; there is no memory for the network, or no fold for as many features or classes.
    pub fn new(model: Model, graph: &ResidentGraph<'g>, set: &Dataset, settings: Settings) -> Result<Self, GnnError> {
        dataset::check(set)?;
        let session = graph.session().clone();
        let layers = model.layers(graph, set.features.ncols(), set.classes, &settings)?;
        let input = if model.needs_rows() {
            Input::dense(&session, &set.features)?
        } else {
            let columns = model.first_columns(set.classes, &settings);
            Input::new(&session, &set.features, columns, settings.dropout_seed(0), settings.dropout)?
        };
        let (clock, ticking) = new_clock(&session)?;
        let loss = ClassLoss::new(graph, set)?;
        let mut network = Self { input, layers, loss, clock, ticking, settings, steps: 0 };
        network.draw()?;
        Ok(network)
    }

    fn draw(&mut self) -> Result<(), RunError> {
        let mut dice = Pcg64::seed_from_u64(self.settings.seed);
        self.weights().into_iter().try_for_each(|weight| weight.draw(&mut dice))
    }

    /// All weights, the first layer's first.
    pub fn weights(&mut self) -> Vec<&mut Weight> {
        self.layers.iter_mut().flat_map(|layer| layer.weights()).collect()
    }

    /// Computes the output with the weights as they are, and measures its loss.
    ///
    /// # Errors
    /// A product or a fold that cannot run.
    pub fn forward(&mut self, is_training: bool) -> Result<(), RunError> {
        let rate = if is_training { self.settings.dropout } else { 0.0 };
        self.input.begin(self.clock.matrix(Clock::STEP)?, rate)?;
        for at in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(at);
            let input =
                before.last_mut().map_or(Source::Features(&mut self.input), |layer| Source::Layer(&mut **layer));
            rest[0].begin(self.clock.matrix(Clock::STEP)?, is_training)?;
            rest[0].forward(input)?;
        }
        let Some(last) = self.layers.last_mut() else { return Ok(()) };
        self.loss.measure(last.output()?)
    }

    /// Computes the gradients of all weights, after [`Network::forward`].
    ///
    /// # Errors
    /// As [`Network::forward`].
    pub fn backward(&mut self, session: &Session) -> Result<(), RunError> {
        let Some(last) = self.layers.last_mut() else { return Ok(()) };
        session.copy(self.loss.derive()?, &mut last.output_gradient()?)?;
        for at in (0..self.layers.len()).rev() {
            let (before, rest) = self.layers.split_at_mut(at);
            let input =
                before.last_mut().map_or(Source::Features(&mut self.input), |layer| Source::Layer(&mut **layer));
            rest[0].backward(input)?;
        }
        Ok(())
    }

    /// Takes a step of training; returns the loss before it.
    ///
    /// # Errors
    /// [`GnnError::NotFinite`], after which the weights are what they were before the last step; a product or a fold that cannot run.
    pub fn step(&mut self) -> Result<f32, GnnError> {
        self.ticking.run(&mut self.clock, 1)?;
        self.steps += 1;
        self.forward(true)?;
        let session = self.clock.session().clone();
        self.backward(&session)?;
        let loss = self.loss.loss()?;
        if !loss.is_finite() {
            return Err(self.step_back(loss));
        }
        for layer in &mut self.layers {
            for weight in layer.weights() {
                weight.learn(self.clock.matrix(Clock::STEP)?)?;
            }
        }
        Ok(loss)
    }

    /// Takes the last step back, whose weights have given no finite loss. The first step has found the weights as they were given.
    fn step_back(&mut self, loss: f32) -> GnnError {
        let (step, rate) = (self.steps, self.settings.optimizer.rate());
        let mut weights = self.weights();
        let back = weights.iter_mut().filter(|_| step > 1).try_for_each(|weight| weight.unlearn());
        back.err().map_or(GnnError::NotFinite { step, loss, rate }, GnnError::Run)
    }

    /// How many vertices have their class right, with nothing dropped.
    ///
    /// # Errors
    /// As [`Network::forward`].
    pub fn evaluate(&mut self) -> Result<(f32, Accuracy), RunError> {
        self.forward(false)?;
        Ok((self.loss.loss()?, self.loss.accuracy()?))
    }

    /// The output of each vertex, as the last pass has left it: a float for each class, whose softmax is how sure the network is of it.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn output(&mut self) -> Result<Array2<f32>, RunError> {
        self.loss.logits()
    }
}

/// What counts steps of training, and the fold that does so.
pub(crate) fn new_clock(session: &Session) -> Result<(Data<Clock>, Sequence<'static, Clock>), GnnError> {
    let graph = session.own(GraphBuilder::new().vertices(1).build()?);
    Ok((session.data(tick, &graph, 1)?, Sequence::new(&graph).then(tick)))
}
