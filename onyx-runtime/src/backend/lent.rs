//! The arrays that a run is lent.

use crate::backend::residency::{DeviceProperty, Residency};
use crate::backend::topology::{Facing, Topology};

/// What a run uses: arrays of its own, or those that outlive it.
pub(crate) enum Held<'a, T> {
    /// Arrays of its own.
    Own(T),
    /// Those that outlive it.
    Lent(&'a mut T),
}

impl<T> std::ops::Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Own(own) => own,
            Self::Lent(lent) => lent,
        }
    }
}

impl<T> std::ops::DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Self::Own(own) => own,
            Self::Lent(lent) => lent,
        }
    }
}

/// The arrays of a graph and of a store that outlive a run.
pub(crate) struct Lent<'t, 'a, A> {
    pub(crate) topology: &'t mut Topology<A>,
    pub(crate) facing: Facing,
    pub(crate) residency: &'a mut Residency<A>,
}

/// The arrays that are there before a run: those of a graph, and of a store.
pub(crate) struct There<'a, A> {
    pub(crate) topology: &'a Topology<A>,
    pub(crate) facing: Facing,
    residency: &'a Residency<A>,
}

impl<'a, A> There<'a, A> {
    /// What a run is lent.
    pub(crate) fn of(lent: &'a Lent<'_, '_, A>) -> Self {
        Self { topology: lent.topology, facing: lent.facing, residency: lent.residency }
    }

    /// The arrays of the property at `index`.
    pub(crate) fn get(&self, index: usize) -> Option<&'a DeviceProperty<A>> {
        self.residency.get(index)
    }
}
