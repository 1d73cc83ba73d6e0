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
        Self { starts_infinite: store.find(Self::starts_from::<F>(), f32::is_infinite).is_some() }
    }

    /// Nothing.
    pub(crate) fn unknown() -> Self {
        Self { starts_infinite: true }
    }

    /// The properties that a run of fold `F` starts from, and writes.
    pub(crate) fn starts_from<F: Fold>() -> u64 {
        if F::SUMMED == 0 { 0 } else { F::EDGES.reads_source & F::VERTICES.writes }
    }

    /// The properties that are looked at after a run of fold `F`.
    pub(crate) fn looks_at<F: Fold>() -> u64 {
        written::<F>() | F::SUMMED | if F::SUMMED == 0 { 0 } else { constant::<F>() }
    }

    /// The name of a property that has diverged in a run of fold `F`.
    pub(crate) fn find<F: Fold>(self, store: &Store) -> Option<&'static str> {
        let written = written::<F>();
        let infinite = || store.find(F::SUMMED & written, f32::is_infinite).filter(|_| self.is_finite::<F>(store));
        store.find(written, f32::is_nan).or_else(infinite)
    }

    /// Whether all that the sums were made of was finite at the start.
    fn is_finite<F: Fold>(self, store: &Store) -> bool {
        !self.starts_infinite && store.find(constant::<F>(), f32::is_infinite).is_none()
    }
}

/// What functions of fold `F` write, and no other function takes.
fn written<F: Fold>() -> u64 {
    F::VERTICES.writes | F::EDGES.writes_edge | F::EDGES.reduces & !F::VERTICES.reads
}

/// What edge functions of fold `F` read, and none writes.
fn constant<F: Fold>() -> u64 {
    let edges = F::EDGES;
    let read = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
    read & !(F::VERTICES.writes | edges.writes_edge | edges.reduces)
}
