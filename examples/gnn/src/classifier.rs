//! A network that says of whole graphs which class they have: K. Xu, W. Hu, J. Leskovec and S. Jegelka, "How Powerful are Graph Neural Networks?", 2019.
//!
//! Isomorphism layers with batch normalization, one after the other. The rows of each graph's vertices are summed after each layer and before the first,
//! and the classes come of all of those sums by weights for each.

use ndarray::{Array2, arr0, arr2};
use onyx_data::dataset::DatasetError;
use onyx_data::small_graphs::Batch;
use onyx_runtime::{Data, ResidentGraph, RunError, Sequence, Session, Tensor};
use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::affine::{Affine, affine, affine_gradient};
use crate::clock::Clock;
use crate::dataset::{self, Dataset};
use crate::error::GnnError;
use crate::gin::{GinRows, NormalizedGin};
use crate::loss::ClassLoss;
use crate::network::new_clock;
use crate::pool::{Pooled, PooledBatch};
use crate::random::bits;
use crate::shape::LayerShape;
use crate::storage::Storage;
use crate::weight::{Optimizer, Weight, WeightShape};

/// How a network of graphs is made and trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassifierSettings {
    /// How many isomorphism layers there are.
    pub layers: usize,
    /// The features of each.
    pub hidden: usize,
    /// How likely a sum over a graph is to be dropped in training.
    pub dropout: f32,
    /// The learning rate of Adam.
    pub rate: f32,
    /// What everything random is made of.
    pub seed: u64,
}

impl Default for ClassifierSettings {
    /// What the paper trained by, the widest of its hidden layers; it counts the features as a layer, too.
    fn default() -> Self {
        Self { layers: 4, hidden: 32, dropout: 0.5, rate: 0.01, seed: 0 }
    }
}

/// A network that says which class graphs have, in a session.
pub struct GraphClassifier {
    session: Session,
    layers: Vec<NormalizedGin>,
    outputs: Vec<Weight>,
    bias: Weight,
    clock: Data<Clock>,
    ticking: Sequence<'static, Clock>,
    judging: Sequence<'static, Clock>,
    settings: ClassifierSettings,
    sizes: (usize, usize),
    one: Tensor,
    losses: Tensor,
    steps: usize,
    /// Those of the last batch, whose memory the next one takes.
    rows: Option<Rows>,
}

/// What the network keeps of a batch.
struct Rows {
    features: Tensor,
    layers: Vec<GinRows>,
    pools: Vec<Pooled>,
    last: Data<Affine>,
    forward: Sequence<'static, Affine>,
    backward: Sequence<'static, Affine>,
    loss: ClassLoss<'static>,
}

/// The graphs that the rows of a batch are on.
struct Graphs {
    /// All graphs of the batch as one.
    members: ResidentGraph<'static>,
    /// That of the vertices and, after them, the graphs.
    pooling: ResidentGraph<'static>,
    /// Of a vertex for each graph.
    single: ResidentGraph<'static>,
}

impl Graphs {
    fn of(session: &Session, pooled: &PooledBatch) -> Self {
        let PooledBatch { batch, pooling, single } = pooled;
        let [members, pooling, single] = [&batch.graph, pooling, single].map(|graph| session.own(graph.clone()));
        Self { members, pooling, single }
    }
}

impl Rows {
    /// Has the rows of another batch.
    fn move_to(&mut self, graphs: &Graphs, batch: &Batch) -> Result<(), GnnError> {
        self.features.resize(batch.features.nrows())?;
        self.layers.iter_mut().try_for_each(|layer| layer.move_to(&graphs.members))?;
        self.pools.iter_mut().try_for_each(|pool| pool.move_to(&graphs.pooling, batch.labels.len()))?;
        self.last.move_to(&graphs.single)?;
        self.forward.move_to(&graphs.single);
        self.backward.move_to(&graphs.single);
        Ok(self.loss.move_to(&graphs.single, &batch.labels)?)
    }
}

impl GraphClassifier {
    /// A network for vertices of so many features and graphs of so many classes. Its weights are drawn by the settings' seed.
    ///
    /// # Errors
    /// There is no layer, or no memory for the network.
    pub fn new(
        session: &Session,
        features: usize,
        classes: usize,
        settings: ClassifierSettings,
    ) -> Result<Self, GnnError> {
        if settings.layers == 0 {
            return Err(GnnError::NoLayer);
        }
        let layer = |number: usize| {
            let name = format!("convs.{number}");
            let inputs = if number == 0 { features } else { settings.hidden };
            NormalizedGin::new(session, &shape(&name, inputs, settings.hidden, &settings))
        };
        let output = |number: usize| {
            let inputs = if number == 0 { features } else { settings.hidden };
            let shape = shape("lins", inputs, classes, &settings);
            shape.weight(session, &format!("{number}.weight"), WeightShape::matrix(inputs, classes))
        };
        let (clock, ticking, judging) = new_clock(session)?;
        let mut one = session.tensor(1, 1)?;
        one.write(&arr2(&[[1.0]]))?;
        let bias = shape("lins", 1, classes, &settings).weight(session, "bias", WeightShape::row(classes))?;
        let mut network = Self {
            session: session.clone(),
            layers: (0..settings.layers).map(layer).collect::<Result<_, _>>()?,
            outputs: (0..=settings.layers).map(output).collect::<Result<_, _>>()?,
            bias,
            clock,
            ticking,
            judging,
            settings,
            sizes: (features, classes),
            one,
            losses: session.tensor(1, 1)?,
            steps: 0,
            rows: None,
        };
        let mut dice = Pcg64::seed_from_u64(settings.seed);
        network.weights().into_iter().try_for_each(|weight| weight.draw(&mut dice))?;
        Ok(network)
    }

    /// All weights, the first layer's first.
    pub fn weights(&mut self) -> Vec<&mut Weight> {
        let Self { layers, outputs, bias, .. } = self;
        layers.iter_mut().flat_map(NormalizedGin::weights).chain(outputs).chain([bias]).collect()
    }

    /// Changes the learning rate.
    pub fn set_rate(&mut self, rate: f32) {
        self.settings.rate = rate;
        self.weights().into_iter().for_each(|weight| weight.set_rate(rate));
    }

    /// Takes a step of training on a batch, and waits for nothing: [`GraphClassifier::loss`] says what has come of it.
    ///
    /// # Errors
    /// A batch that is not of the network's sizes, and what cannot run.
    pub fn step(&mut self, batch: &PooledBatch) -> Result<(), GnnError> {
        let mut rows = self.rows(batch)?;
        self.ticking.run(&mut self.clock, 1)?;
        self.forward(&mut rows, true)?;
        self.backward(&mut rows)?;
        let Self { session, clock, one, losses, .. } = self;
        session.copy(rows.loss.measured()?, &mut clock.matrix_mut(Clock::LOSS)?)?;
        session.multiply(rows.loss.measured()?, one.matrix(), &mut losses.matrix_mut(), 1.0)?;
        self.judge()?;
        self.steps += 1;
        self.rows = Some(rows);
        Ok(())
    }

    /// Has weights learn where the clock's loss is finite, and else go back by a step.
    fn judge(&mut self) -> Result<(), GnnError> {
        let Self { layers, outputs, bias, clock, judging, .. } = self;
        judging.run(clock, 1)?;
        let mut weights = layers.iter_mut().flat_map(NormalizedGin::weights).chain(outputs).chain([bias]);
        Ok(weights.try_for_each(|weight| weight.learn(clock))?)
    }

    /// Takes the last step back if `loss`, which [`GraphClassifier::evaluate`] has measured after it, is not finite: no later step would tell after the last one.
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

    /// The mean of the losses that the steps were taken by since it was last asked for. Waits for them.
    ///
    /// # Errors
    /// [`GnnError::NotFinite`] if one of them is not finite: the weights are what they were before the last step that had left them with a finite loss, and
    /// no later step has changed them. As [`Data::read`].
    pub fn loss(&mut self) -> Result<f32, GnnError> {
        let bad = self.clock.read(Clock::BAD_STEP)?[0];
        if bad > 0.0 {
            let (loss, rate, storage) = (self.clock.read(Clock::BAD_LOSS)?[0], self.settings.rate, Storage::F32);
            return Err(GnnError::NotFinite { step: bad as usize, loss, rate, storage });
        }
        let sum = self.losses.read()?[[0, 0]];
        self.losses.write(&arr2(&[[0.0]]))?;
        Ok(sum / std::mem::take(&mut self.steps).max(1) as f32)
    }

    /// The mean loss over the graphs of some batches, and the part of them whose class is right, from 0 to 1, with nothing dropped. Waits for all batches at once.
    ///
    /// # Errors
    /// As [`GraphClassifier::step`], and as [`Tensor::read`].
    pub fn evaluate(&mut self, batches: &[PooledBatch]) -> Result<(f32, f32), GnnError> {
        let number = || self.session.tensor(1, 1);
        let (mut loss, mut right, mut count) = (number()?, number()?, number()?);
        for batch in batches {
            let mut rows = self.rows(batch)?;
            self.forward(&mut rows, false)?;
            rows.loss.count()?;
            count.write(&arr2(&[[batch.batch.labels.len() as f32]]))?;
            self.session.multiply(rows.loss.measured()?, count.matrix(), &mut loss.matrix_mut(), 1.0)?;
            self.session.multiply(rows.loss.right()?, self.one.matrix(), &mut right.matrix_mut(), 1.0)?;
            self.rows = Some(rows);
        }
        let graphs = batches.iter().map(|batch| batch.batch.labels.len()).sum::<usize>() as f32;
        Ok((loss.read()?[[0, 0]] / graphs, right.read()?[[0, 0]] / graphs))
    }

    /// The gradients of all weights, and the loss, with nothing dropped and batches normalized as in training.
    ///
    /// # Errors
    /// As [`GraphClassifier::step`].
    pub fn derive(&mut self, batch: &PooledBatch) -> Result<f32, GnnError> {
        let mut rows = self.rows(batch)?;
        let dropout = std::mem::replace(&mut self.settings.dropout, 0.0);
        let derived = self.forward(&mut rows, true).and_then(|()| self.backward(&mut rows));
        self.settings.dropout = dropout;
        derived?;
        let loss = rows.loss.loss()?;
        self.rows = Some(rows);
        Ok(loss)
    }

    /// The rows of a batch, in the memory of the last one's.
    fn rows(&mut self, pooled: &PooledBatch) -> Result<Rows, GnnError> {
        let ((features, classes), batch) = (self.sizes, &pooled.batch);
        check(batch, features, classes)?;
        let graphs = Graphs::of(&self.session, pooled);
        let mut rows = match self.rows.take() {
            Some(mut rows) => {
                rows.move_to(&graphs, batch)?;
                rows
            }
            None => self.new_rows(&graphs, batch)?,
        };
        rows.features.write(batch.features.view())?;
        Ok(rows)
    }

    /// Room for the rows of a batch.
    fn new_rows(&self, graphs: &Graphs, batch: &Batch) -> Result<Rows, GnnError> {
        let ((features, classes), count) = (self.sizes, batch.labels.len());
        let Graphs { members, pooling, single } = graphs;
        let pool = |level: usize| {
            let columns = if level == 0 { features } else { self.settings.hidden };
            let seed = self.settings.seed;
            Pooled::new(pooling, count, columns, bits(seed as u32, (seed >> 32) as u32, level as u32, 1) >> 8)
        };
        let mut last = self.session.data(affine, single, classes)?;
        last.set(Affine::SLOPE, 1.0);
        Ok(Rows {
            features: self.session.tensor(batch.features.nrows(), features)?,
            layers: self.layers.iter().map(|layer| layer.rows(members)).collect::<Result<_, _>>()?,
            pools: (0..=self.layers.len()).map(pool).collect::<Result<_, _>>()?,
            last,
            forward: Sequence::new(single).then(affine),
            backward: Sequence::new(single).then(affine_gradient),
            loss: ClassLoss::new(single, &classed(single, &batch.labels, classes))?,
        })
    }

    fn forward(&mut self, rows: &mut Rows, is_training: bool) -> Result<(), RunError> {
        let dropout = if is_training { self.settings.dropout } else { 0.0 };
        let Rows { features, layers, pools, last, loss, .. } = rows;
        for (level, pool) in pools.iter_mut().enumerate() {
            let (before, rest) = layers.split_at_mut(level.saturating_sub(1));
            if level > 0 {
                let input = match before.last_mut() {
                    Some(layer) => layer.output()?,
                    None => features.matrix(),
                };
                self.layers[level - 1].forward(&mut rest[0], input, is_training)?;
            }
            let output = if level == 0 { features.matrix() } else { rest[0].output()? };
            pool.forward(output, &mut self.clock, dropout)?;
            let (keep, weight) = (if level == 0 { 0.0 } else { 1.0 }, self.outputs[level].value()?);
            self.session.multiply(pool.output()?, weight, &mut last.matrix_mut(Affine::X)?, keep)?;
        }
        self.bias.lend(last, Affine::BIAS, |last| rows.forward.run(last, 1))?;
        loss.measure(last.matrix(Affine::OUT)?)
    }

    fn backward(&mut self, rows: &mut Rows) -> Result<(), RunError> {
        let Rows { features, layers, pools, last, loss, .. } = rows;
        let Self { session, clock, .. } = self;
        session.copy(loss.derive()?, &mut last.matrix_mut(Affine::OUT_GRADIENT)?)?;
        let keys = (Affine::BIAS, Affine::BIAS_GRADIENT);
        self.bias.lend_with_gradient(last, keys, |last| rows.backward.run(last, 1))?;
        let product = last.matrix(Affine::X_GRADIENT)?;
        for (level, (pool, weight)) in pools.iter_mut().zip(&mut self.outputs).enumerate() {
            session.multiply(pool.output()?.transposed(), product, &mut weight.gradient()?, 0.0)?;
            if let Some(layer) = level.checked_sub(1) {
                session.copy(pool.backward(product, weight.value()?, clock)?, &mut layers[layer].output_gradient()?)?;
            }
        }
        for level in (0..layers.len()).rev() {
            let (before, rest) = layers.split_at_mut(level);
            let layer = &mut self.layers[level];
            match before.last_mut() {
                Some(input) => layer.backward_into(&mut rest[0], input)?,
                None => layer.backward(&mut rest[0], features.matrix())?,
            }
        }
        Ok(())
    }
}

fn shape<'n>(name: &'n str, inputs: usize, outputs: usize, settings: &ClassifierSettings) -> LayerShape<'n> {
    let optimizer = Optimizer::Adam { rate: settings.rate };
    let (is_last, storage) = (false, Storage::F32);
    LayerShape { name, inputs, outputs, is_last, storage, dropout: 0.0, seed: 0, optimizer, decay: 0.0 }
}

/// Refuses a batch without graphs, of other classes, or of vertices with other features.
fn check(batch: &Batch, features: usize, classes: usize) -> Result<(), GnnError> {
    let (found, vertices) = (batch.features.nrows(), batch.graph.vertex_count());
    if batch.labels.is_empty() {
        return Err(DatasetError::NoGraph.into());
    }
    if found != vertices {
        return Err(GnnError::Vertices { what: "features", found, vertices });
    }
    if batch.features.ncols() != features {
        return Err(GnnError::Columns { found: batch.features.ncols(), expected: features });
    }
    let mut labels = batch.labels.iter().enumerate();
    if let Some((graph, &label)) = labels.find(|(_, label)| **label as usize >= classes) {
        return Err(GnnError::Class { graph, label, classes });
    }
    dataset::check_features(&batch.features)
}

/// The graphs of a batch as vertices with classes, all to be learned from.
fn classed(graphs: &ResidentGraph<'static>, labels: &[u32], classes: usize) -> Dataset {
    let (validation, test) = (Vec::new(), Vec::new());
    Dataset {
        graph: graphs.graph().clone(),
        features: Array2::zeros((labels.len(), 0)),
        labels: labels.to_vec(),
        classes,
        train: (0..labels.len() as u32).collect(),
        validation,
        test,
    }
}
