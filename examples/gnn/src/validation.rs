//! Cross-validation: how well a network says the class of graphs that it has not learned from.

use std::sync::Arc;

use onyx_data::dataset::{Fold, folds};
use onyx_data::small_graphs::{GraphCollection, Loader};
use onyx_runtime::Session;
use serde::Serialize;

use crate::classifier::{ClassifierSettings, GraphClassifier};
use crate::error::GnnError;
use crate::pool::PooledBatch;

/// How cross-validation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Into how many parts the graphs are cut, each of which is tested with once.
    pub folds: usize,
    /// How often all graphs of the other parts are learned from.
    pub epochs: usize,
    /// How many graphs are learned from at once.
    pub batch: usize,
    /// After how many epochs the learning rate is halved, again and again.
    pub halve: usize,
}

/// What an epoch of a fold has come to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Round {
    /// The fold's number, from 1.
    pub fold: usize,
    /// The epoch's number, from 1.
    pub epoch: usize,
    /// The mean loss of its steps.
    pub loss: f32,
    /// The part of the graphs to test with whose class is right after it, from 0 to 1.
    pub accuracy: f32,
}

/// What all folds have come to in one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The epoch's number, from 1.
    pub epoch: usize,
    /// The mean accuracy of the folds, from 0 to 1.
    pub mean: f32,
    /// How far folds are off from the mean: the root of the mean square.
    pub deviation: f32,
}

/// The rounds of each fold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validation {
    /// Fold by fold, epoch by epoch.
    pub rounds: Vec<Vec<Round>>,
}

impl Validation {
    /// What the folds have come to in each epoch that all of them have had.
    pub fn scores(&self) -> Vec<Score> {
        let epochs = self.rounds.iter().map(Vec::len).min().unwrap_or(0);
        (0..epochs).map(|epoch| self.score(epoch)).collect()
    }

    fn score(&self, epoch: usize) -> Score {
        let found = || self.rounds.iter().map(|rounds| f64::from(rounds[epoch].accuracy));
        let count = self.rounds.len() as f64;
        let mean = found().sum::<f64>() / count;
        let variance = found().map(|accuracy| (accuracy - mean).powi(2)).sum::<f64>() / count;
        Score { epoch: epoch + 1, mean: mean as f32, deviation: variance.sqrt() as f32 }
    }

    /// The epoch with the best mean, which is what the paper reports: the first one of several. It was chosen by the graphs that it was tested with.
    pub fn best(&self) -> Option<Score> {
        self.scores().into_iter().reduce(|best, score| if score.mean > best.mean { score } else { best })
    }

    /// The last epoch, which nothing has chosen.
    pub fn last(&self) -> Option<Score> {
        self.scores().pop()
    }
}

/// Trains a network for each fold, in which every class has its share, and shows each epoch to `observer`, until `is_ended`, which is asked after each
/// batch: the epoch under way is then left out. Weights, folds and the order of graphs are drawn by the settings' seed.
///
/// # Errors
/// There are fewer than 2 folds or more than graphs, vertices have no features, or a step fails.
pub fn cross_validate(
    session: &Session,
    collection: &Arc<GraphCollection>,
    settings: ClassifierSettings,
    schedule: Schedule,
    mut is_ended: impl FnMut() -> bool,
    mut observer: impl FnMut(&Round),
) -> Result<Validation, GnnError> {
    let graphs = collection.len();
    if schedule.folds < 2 || schedule.folds > graphs {
        return Err(GnnError::Folds { folds: schedule.folds, graphs });
    }
    let mut validation = Validation::default();
    for (number, fold) in folds(collection.labels(), schedule.folds, settings.seed)?.into_iter().enumerate() {
        let mut trial = Trial::new(session, collection, settings, schedule, number, fold)?;
        validation.rounds.push(Vec::new());
        for epoch in 1..=schedule.epochs {
            let Some(round) = trial.epoch(epoch, &mut is_ended)? else { return Ok(validation) };
            validation.rounds[number].push(round);
            observer(&round);
        }
    }
    Ok(validation)
}

/// A network that learns from all parts but one.
struct Trial {
    network: GraphClassifier,
    loader: Loader,
    test: Vec<PooledBatch>,
    number: usize,
    rate: f32,
    halve: usize,
}

impl Trial {
    fn new(
        session: &Session,
        collection: &Arc<GraphCollection>,
        settings: ClassifierSettings,
        schedule: Schedule,
        number: usize,
        fold: Fold,
    ) -> Result<Self, GnnError> {
        let seed = settings.seed.wrapping_add((number as u64) << 32);
        let settings = ClassifierSettings { seed, ..settings };
        let network = GraphClassifier::new(session, collection.columns(), collection.classes(), settings)?;
        let test = fold.test.chunks(schedule.batch.max(1)).map(|graphs| PooledBatch::new(collection.batch(graphs)?));
        let test = test.collect::<Result<_, GnnError>>()?;
        let loader = Loader::new(Arc::clone(collection), fold.train, schedule.batch)?.shuffled(seed);
        Ok(Self { network, loader, test, number: number + 1, rate: settings.rate, halve: schedule.halve.max(1) })
    }

    /// Learns from all batches and tests, unless it is ended before.
    fn epoch(&mut self, epoch: usize, mut is_ended: impl FnMut() -> bool) -> Result<Option<Round>, GnnError> {
        if epoch > 1 && (epoch - 1).is_multiple_of(self.halve) {
            self.rate /= 2.0;
            self.network.set_rate(self.rate);
        }
        for batch in self.loader.epoch_of(epoch as u64, PooledBatch::new)? {
            self.network.step(&batch?)?;
            if is_ended() {
                return Ok(None);
            }
        }
        // Nothing has been waited for so far.
        let loss = self.network.loss()?;
        let (left, accuracy) = self.network.evaluate(&self.test)?;
        self.network.keep(left)?;
        Ok(Some(Round { fold: self.number, epoch, loss, accuracy }))
    }
}
