//! Training: steps over all vertices, and what comes of them.

use std::ops::ControlFlow;

use crate::error::GnnError;
use crate::loss::Accuracy;
use crate::network::Network;

/// What a step of training over all vertices has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Its number, from 1.
    pub number: usize,
    /// The loss that the step was taken by, with a part of the values dropped.
    pub loss: f32,
    /// How many vertices have their class right after it, with nothing dropped.
    pub accuracy: Accuracy,
}

/// Trains a network for so many epochs. After each `every` of them and after the last, loss and accuracy are read and shown to `observer`, which may end
/// it; between those the host waits for nothing. Returns all epochs that were shown.
///
/// # Errors
/// As [`Network::step`], [`Network::loss`] and [`Network::keep`]; a loss that is not finite is found when the next epoch is shown.
pub fn train(
    network: &mut Network<'_>,
    epochs: usize,
    every: usize,
    observer: impl FnMut(&Epoch) -> ControlFlow<()>,
) -> Result<Vec<Epoch>, GnnError> {
    train_until(network, epochs, every, || false, observer)
}

/// As [`train`], until `is_ended`, which is asked after each epoch and should not take long: that epoch is then the last, and shown.
///
/// # Errors
/// As [`train`].
pub fn train_until(
    network: &mut Network<'_>,
    epochs: usize,
    every: usize,
    mut is_ended: impl FnMut() -> bool,
    mut observer: impl FnMut(&Epoch) -> ControlFlow<()>,
) -> Result<Vec<Epoch>, GnnError> {
    let mut curve = Vec::new();
    for number in 1..=epochs {
        network.step()?;
        let is_last = number == epochs || is_ended();
        if number % every.max(1) != 0 && !is_last {
            continue;
        }
        let loss = network.loss()?;
        let (left, accuracy) = network.evaluate()?;
        network.keep(left)?;
        let epoch = Epoch { number, loss, accuracy };
        curve.push(epoch);
        if observer(&epoch).is_break() || is_last {
            break;
        }
    }
    Ok(curve)
}
