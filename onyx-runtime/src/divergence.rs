//! Whether a run has left the range of floats: a value that is not a number, or a sum of finite numbers that is infinite.

use onyx_device::Fold;

use crate::store::Store;

/// What was known before the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divergence {
    /// Whether what edges read and vertices write had an infinity in it, so that one in a sum says nothing.
    starts_infinite: bool,
}

impl Divergence {
    /// Looks at the values that fold `F` starts from.
    pub(crate) fn begin<F: Fold>(store: &Store) -> Self {
        let read = if F::SUMMED == 0 { 0 } else { F::EDGES.reads_source & F::VERTICES.writes };
        Self { starts_infinite: store.find(read, f32::is_infinite).is_some() }
    }

    /// The name of a property that has diverged in a run of fold `F`.
    pub(crate) fn find<F: Fold>(self, store: &Store) -> Option<&'static str> {
        let written = F::VERTICES.writes | F::EDGES.writes_edge | F::EDGES.reduces & !F::VERTICES.reads;
        let infinite = || store.find(F::SUMMED & written, f32::is_infinite).filter(|_| self.is_finite::<F>(store));
        store.find(written, f32::is_nan).or_else(infinite)
    }

    /// Whether all that the sums were made of was finite at the start.
    fn is_finite<F: Fold>(self, store: &Store) -> bool {
        let edges = F::EDGES;
        let read = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
        let constant = read & !(F::VERTICES.writes | edges.writes_edge | edges.reduces);
        !self.starts_infinite && store.find(constant, f32::is_infinite).is_none()
    }
}
