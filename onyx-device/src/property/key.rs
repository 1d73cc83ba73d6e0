//! The names of properties that a store is indexed by.

use core::marker::PhantomData;
use core::ops::Deref;

/// Names a property of a `#[graph_data]` structure: `LabelPropagation::SEED`. The runtime's stores are indexed by it.
#[derive(Debug)]
pub struct Key<D, P> {
    pub(crate) position: Position,
    property: PhantomData<fn() -> (D, P)>,
}

/// Where a property stands.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The property's position in the structure.
    pub index: usize,
    /// The structure's [`GraphData::PATH`](super::GraphData::PATH).
    pub data: &'static str,
}

impl<D, P> Key<D, P> {
    /// The property at `index` of the structure with this path.
    ///
    /// # Safety
    /// The structure is `D`, and `P` the type of its field there.
    pub const unsafe fn new(index: usize, data: &'static str) -> Self {
        Self { position: Position { index, data }, property: PhantomData }
    }
}

impl<D, P> Deref for Key<D, P> {
    type Target = Position;

    fn deref(&self) -> &Position {
        &self.position
    }
}

impl<D, P> Clone for Key<D, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, P> Copy for Key<D, P> {}
