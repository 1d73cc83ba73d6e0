//! Layers one after the other, with the loss of the last one's output.

use ndarray::{Array2, arr0};
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Data, Recording, ResidentGraph, RunError, Sequence, Session};
use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::clock::{Clock, judge, tick};
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
    judging: Sequence<'static, Clock>,
    settings: Settings,
    recordings: Recordings,
}

/// What is replayed again and again.
struct Recordings {
    step: Recording,
    evaluation: Recording,
    inference: Recording,
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
        let (clock, ticking, judging) = new_clock(&session)?;
        let (loss, recordings) = (ClassLoss::new(graph, set)?, Recordings::new(&session));
        let mut network = Self { input, layers, loss, clock, ticking, judging, settings, recordings };
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

    /// How many layers there are.
    pub fn layer_count(&self) -> usize {
        self.layers.len()
    }

    /// Computes the output with the weights as they are, and measures its loss.
    ///
    /// # Errors
    /// A product or a fold that cannot run.
    pub fn forward(&mut self, is_training: bool) -> Result<(), GnnError> {
        self.pass(is_training, true)?;
        let Some(last) = self.layers.last_mut() else { return Ok(()) };
        Ok(self.loss.measure(last.output()?)?)
    }

    /// Computes the output of all layers, and keeps what the backward pass needs, or else the last output alone.
    fn pass(&mut self, is_training: bool, is_kept: bool) -> Result<(), GnnError> {
        let rate = if is_training { self.settings.dropout } else { 0.0 };
        self.input.begin(&mut self.clock, rate)?;
        for at in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(at);
            let input =
                before.last_mut().map_or(Source::Features(&mut self.input), |layer| Source::Layer(&mut **layer));
            rest[0].begin(is_training);
            rest[0].forward(input, &mut self.clock)?;
            before.last_mut().filter(|_| !is_kept).into_iter().for_each(|layer| layer.discard());
        }
        Ok(())
    }

    /// Computes the gradients of all weights, once after [`Network::forward`]: nothing else is left of that.
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
            rest[0].backward(input, &mut self.clock)?;
            rest[0].discard();
        }
        Ok(())
    }

    /// Takes a step of training, and waits for nothing: [`Network::loss`] says what has come of it. On a GPU it is one graph from the third step on.
    ///
    /// # Errors
    /// A product or a fold that cannot run.
    pub fn step(&mut self) -> Result<(), GnnError> {
        self.recorded(|recordings| &mut recordings.step, Self::step_as_it_comes)
    }

    /// The same without a recording: each fold and product by itself.
    ///
    /// # Errors
    /// As [`Network::step`].
    pub fn step_as_it_comes(&mut self) -> Result<(), GnnError> {
        self.ticking.run(&mut self.clock, 1)?;
        self.forward(true)?;
        let session = self.clock.session().clone();
        self.backward(&session)?;
        session.copy(self.loss.measured()?, &mut self.clock.matrix_mut(Clock::LOSS)?)?;
        self.judge()
    }

    /// Has weights learn where the clock's loss is finite, and else go back by a step.
    fn judge(&mut self) -> Result<(), GnnError> {
        self.judging.run(&mut self.clock, 1)?;
        let mut weights = self.layers.iter_mut().flat_map(|layer| layer.weights());
        Ok(weights.try_for_each(|weight| weight.learn(&mut self.clock))?)
    }

    /// Takes the last step back if `loss`, which [`Network::evaluate`] has measured after it, is not finite: no later step would tell after the last one.
    ///
    /// # Errors
    /// [`GnnError::NotFinite`] then, as of the step that would have come next.
    pub fn keep(&mut self, loss: f32) -> Result<(), GnnError> {
        if loss.is_finite() {
            return Ok(());
        }
        self.ticking.run(&mut self.clock, 1)?;
        self.clock.write(Clock::LOSS, &arr0(loss))?;
        self.judge()?;
        self.loss().map(drop)
    }

    /// The loss that the last step was taken by. Waits for it.
    ///
    /// # Errors
    /// [`GnnError::NotFinite`] if it, or that of an earlier step, is not finite: the weights are what they were before the last step that had left them
    /// with a finite loss, and no later step has changed them; [`RunError::TooGreat`] in its place, or where a loss is finite,
    /// if a row of the last pass was too great for an `f16`. As [`Data::read`].
    pub fn loss(&mut self) -> Result<f32, GnnError> {
        let bad = self.clock.read(Clock::BAD_STEP)?[0];
        // A rectifier may make nothing of what is infinite, so that the loss hears nothing of it.
        self.check()?;
        if bad > 0.0 {
            let (loss, rate) = (self.clock.read(Clock::BAD_LOSS)?[0], self.settings.optimizer.rate());
            return Err(GnnError::NotFinite { step: bad as usize, loss, rate, storage: self.settings.storage });
        }
        Ok(self.clock.read(Clock::LOSS)?[[]])
    }

    /// Refuses rows of the last pass that are too great for what edges read of them.
    fn check(&mut self) -> Result<(), RunError> {
        self.layers.iter_mut().try_for_each(|layer| layer.check(&mut self.clock))
    }

    /// The loss, and how many vertices have their class right, with nothing dropped. Waits for both.
    ///
    /// # Errors
    /// As [`Network::forward`]; [`RunError::TooGreat`] if a row is too great for an `f16` that edges are to read.
    pub fn evaluate(&mut self) -> Result<(f32, Accuracy), GnnError> {
        self.recorded(
            |recordings| &mut recordings.evaluation,
            |network| {
                network.pass(false, false)?;
                if let Some(last) = network.layers.last_mut() {
                    network.loss.measure(last.output()?)?;
                    last.discard();
                }
                Ok(network.loss.count()?)
            },
        )?;
        self.check()?;
        Ok((self.loss.loss()?, self.loss.counted()?))
    }

    /// Computes the output with nothing dropped, and measures nothing of it. Waits for nothing: [`Network::output`] reads it.
    ///
    /// # Errors
    /// As [`Network::forward`].
    pub fn infer(&mut self) -> Result<(), GnnError> {
        self.recorded(
            |recordings| &mut recordings.inference,
            |network| {
                network.pass(false, false)?;
                let Some(last) = network.layers.last_mut() else { return Ok(()) };
                network.loss.take(last.output()?)?;
                last.discard();
                Ok(())
            },
        )
    }

    /// Has a recording do some work of the network, which is the same each time.
    fn recorded(
        &mut self,
        which: impl Fn(&mut Recordings) -> &mut Recording,
        work: impl FnOnce(&mut Self) -> Result<(), GnnError>,
    ) -> Result<(), GnnError> {
        let fresh = self.clock.session().recording();
        let mut recording = std::mem::replace(which(&mut self.recordings), fresh);
        let done = recording.repeat(|| work(self));
        *which(&mut self.recordings) = recording;
        done
    }

    /// The output of each vertex, as the last pass has left it: a float for each class, whose softmax is how sure the network is of it.
    ///
    /// # Errors
    /// As [`Data::read`]; [`RunError::TooGreat`] if a row was too great for an `f16` that edges were to read.
    pub fn output(&mut self) -> Result<Array2<f32>, RunError> {
        self.check()?;
        self.loss.logits()
    }
}

impl Recordings {
    fn new(session: &Session) -> Self {
        Self { step: session.recording(), evaluation: session.recording(), inference: session.recording() }
    }
}

type ClockSequence = Sequence<'static, Clock>;

/// What counts steps of training, and the folds that do so and judge them.
pub(crate) fn new_clock(session: &Session) -> Result<(Data<Clock>, ClockSequence, ClockSequence), GnnError> {
    let graph = session.own(GraphBuilder::new().vertices(1).build()?);
    let sequence = || Sequence::new(&graph);
    Ok((session.data(tick, &graph, 1)?, sequence().then(tick), sequence().then(judge)))
}
