//! The forward pass after the product, by what edges read.

use ndarray::Axis;
use onyx_runtime::{Data, ResidentGraph, RunError, Sequence};

use super::{Gcn, convolve, convolve_bf16, convolve_f16, convolve_plain, convolve_weighted, narrow_bf16, narrow_f16};
use crate::halves;
use crate::layer::discard;
use crate::storage::Storage;

/// The folds of a pass.
pub(super) struct Pass<'g> {
    folds: Sequence<'g, Gcn>,
    /// Those for a pass in which nothing is dropped, where they are others.
    plain: Option<Sequence<'g, Gcn>>,
}

impl<'g> Pass<'g> {
    /// On a graph whose edges count alike.
    pub(super) fn new(graph: &ResidentGraph<'g>, storage: Storage) -> Self {
        let folds = Sequence::new(graph);
        let folds = match storage {
            Storage::F32 => {
                return Self { folds: folds.then(convolve), plain: Some(Sequence::new(graph).then(convolve_plain)) };
            }
            Storage::F16 => folds.then(narrow_f16).then(convolve_f16),
            Storage::Bf16 => folds.then(narrow_bf16).then(convolve_bf16),
        };
        Self { folds, plain: None }
    }

    /// On a graph whose edges have weights.
    pub(super) fn weighted(graph: &ResidentGraph<'g>) -> Self {
        Self { folds: Sequence::new(graph).then(convolve_weighted), plain: None }
    }

    /// Runs it. Without dropout, the rate of the data is 0.
    pub(super) fn run(&mut self, data: &mut Data<Gcn>, drops: bool) -> Result<(), RunError> {
        self.plain.as_mut().filter(|_| !drops).unwrap_or(&mut self.folds).run(data, 1)
    }
}

/// Refuses rows that are too great for what edges read of them.
///
/// # Errors
/// [`RunError::TooGreat`] with the first number that is.
pub(super) fn check(graph: &ResidentGraph<'_>, data: &mut Data<Gcn>, storage: Storage) -> Result<(), RunError> {
    if storage != Storage::F16 {
        return Ok(());
    }
    halves::check(narrow_f16, graph, data, "scaled_f16", |data| {
        let scale = data.read(Gcn::SCALE)?.insert_axis(Axis(1)).to_owned();
        Ok((&scale * &data.read(Gcn::X)?, data.read(Gcn::SCALED_F16)?.to_owned()))
    })
}

/// Discards what the gradient does not read, but for what [`check`] reads.
pub(super) fn discard_inputs(data: &mut Data<Gcn>, storage: Storage) {
    data.discard(Gcn::SUM);
    data.discard(Gcn::SCALED_BF16);
    if storage != Storage::F16 {
        data.discard(Gcn::X);
    }
}

/// Discards all rows but those, last of all what the gradient of the weights reads, which nothing waits for.
pub(super) fn discard_rows(data: &mut Data<Gcn>, storage: Storage) {
    discard_inputs(data, storage);
    data.discard(Gcn::BIAS_GRADIENT);
    discard(data, &[Gcn::OUT, Gcn::X_GRADIENT_PART, Gcn::OUT_GRADIENT, Gcn::X_GRADIENT]);
}
