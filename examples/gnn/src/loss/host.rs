//! The loss of classes in a session.

use ndarray::Array2;
use onyx_runtime::{Data, Matrix, ResidentGraph, RunError, Sequence, Session};
use serde::Serialize;

use super::{CLASSES, CrossEntropy, accuracy, cross_entropy, cross_entropy_gradient};
use crate::dataset::{Dataset, check_classes};
use crate::error::GnnError;

/// How many of the vertices of each part have their class right, from 0 to 1. None of a part without vertices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// Of those that are learned from.
    pub train: Option<f32>,
    /// Of those that say when to stop.
    pub validation: Option<f32>,
    /// Of those that say how well it was learned.
    pub test: Option<f32>,
}

/// The cross entropy of a network's outputs with the classes of some vertices.
pub struct ClassLoss<'g> {
    session: Session,
    data: Data<CrossEntropy>,
    measure: Sequence<'g, CrossEntropy>,
    derive: Sequence<'g, CrossEntropy>,
    count: Sequence<'g, CrossEntropy>,
    sizes: [usize; 3],
}

impl<'g> ClassLoss<'g> {
    /// The loss for the vertices that `set` has to be learned from.
    ///
    /// # Errors
    /// There is no memory for it, or there are more than [`CLASSES`]; a label is no class, or a vertex of a part is not there.
    pub fn new(graph: &ResidentGraph<'g>, set: &Dataset) -> Result<Self, GnnError> {
        check_classes(set)?;
        if set.classes > CLASSES {
            return Err(GnnError::Classes { classes: set.classes, most: CLASSES });
        }
        let session = graph.session().clone();
        let mut data = session.data(cross_entropy, graph, set.classes)?;
        data.write(CrossEntropy::LOSS_GRADIENT, &ndarray::arr0(1.0))?;
        let sequence = || Sequence::new(graph);
        let (measure, derive, count) =
            (sequence().then(cross_entropy), sequence().then(cross_entropy_gradient), sequence().then(accuracy));
        let mut loss = Self { session, data, measure, derive, count, sizes: [0; 3] };
        loss.take_classes(&set.labels, [&set.train, &set.validation, &set.test])?;
        Ok(loss)
    }

    /// Measures the vertices of another graph from here on, all of which are learned from, in the memory that is there, as [`Data::move_to`] does.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn move_to(&mut self, graph: &ResidentGraph<'g>, labels: &[u32]) -> Result<(), RunError> {
        self.data.move_to(graph)?;
        [&mut self.measure, &mut self.derive, &mut self.count].into_iter().for_each(|folds| folds.move_to(graph));
        let all: Vec<u32> = (0..labels.len() as u32).collect();
        self.take_classes(labels, [&all, &[], &[]])
    }

    /// Takes the classes of all vertices, and which of them are learned from, say when to stop, and say how well it was learned.
    fn take_classes(&mut self, labels: &[u32], [train, validation, test]: [&[u32]; 3]) -> Result<(), RunError> {
        let classes: Vec<f32> = labels.iter().map(|label| *label as f32).collect();
        let marked = |part: &[u32], mark: f32| {
            let mut marks = vec![0.0; labels.len()];
            part.iter().for_each(|vertex| marks[*vertex as usize] = mark);
            marks
        };
        self.data.write(CrossEntropy::CLASS, &classes)?;
        self.data.write(CrossEntropy::SHARE, &marked(train, 1.0 / train.len() as f32))?;
        self.data.write(CrossEntropy::VALIDATES, &marked(validation, 1.0))?;
        self.data.write(CrossEntropy::TESTS, &marked(test, 1.0))?;
        self.sizes = [train.len(), validation.len(), test.len()];
        Ok(())
    }

    /// Measures outputs; [`ClassLoss::loss`] reads what comes of it.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn measure(&mut self, logits: Matrix<'_>) -> Result<(), RunError> {
        self.take(logits)?;
        self.measure.run(&mut self.data, 1)
    }

    /// Takes outputs, and measures nothing of them; [`ClassLoss::logits`] reads them.
    ///
    /// # Errors
    /// As [`Session::copy`].
    pub fn take(&mut self, logits: Matrix<'_>) -> Result<(), RunError> {
        self.session.copy(logits, &mut self.data.matrix_mut(CrossEntropy::LOGITS)?)
    }

    /// The loss of what was measured last. Waits for it.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn loss(&mut self) -> Result<f32, RunError> {
        Ok(self.data.read(CrossEntropy::LOSS)?[[]])
    }

    /// The same where it is, as one row of one column.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn measured(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(CrossEntropy::LOSS)
    }

    /// What the loss changes by with each output that was measured.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn derive(&mut self) -> Result<Matrix<'_>, RunError> {
        self.derive.run(&mut self.data, 1)?;
        self.data.matrix(CrossEntropy::LOGITS_GRADIENT)
    }

    /// The outputs that were measured, on the host.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn logits(&mut self) -> Result<Array2<f32>, RunError> {
        Ok(self.data.read(CrossEntropy::LOGITS)?.to_owned())
    }

    /// How many outputs that were measured are right. Waits for it.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn accuracy(&mut self) -> Result<Accuracy, RunError> {
        self.count()?;
        self.counted()
    }

    /// Counts the outputs that are right; [`ClassLoss::counted`] reads what comes of it.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn count(&mut self) -> Result<(), RunError> {
        self.count.run(&mut self.data, 1)
    }

    /// How many of those that are learned from have their class right, of what was counted last, where it is, as one row of one column.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn right(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(CrossEntropy::TRAIN_RIGHT)
    }

    /// How many outputs that were counted last are right. Waits for it.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn counted(&mut self) -> Result<Accuracy, RunError> {
        let [train, validation, test] = self.sizes;
        let part = |right: f32, size: usize| (size > 0).then(|| right / size as f32);
        Ok(Accuracy {
            train: part(self.data.read(CrossEntropy::TRAIN_RIGHT)?[[]], train),
            validation: part(self.data.read(CrossEntropy::VALIDATION_RIGHT)?[[]], validation),
            test: part(self.data.read(CrossEntropy::TEST_RIGHT)?[[]], test),
        })
    }
}
