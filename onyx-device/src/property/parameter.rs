//! What the host gives to functions by value: parameters, and the number of the iteration.

use super::{Element, GraphValue, Property, Storage};
use crate::machine::Machine;

/// One float for the whole graph, set before a run and read as `d.alpha`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    value: f32,
}

impl Parameter {
    /// The value that was set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(self) -> f32 {
        self.value
    }
}

impl Property for Parameter {
    type Feature = f32;
    type Stored = f32;
    const ELEMENT: Element = Element::Parameter;

    fn bind(storage: Storage) -> Self {
        Self { value: storage.value }
    }
}

impl GraphValue for Parameter {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn value<M: Machine>(&self, _machine: M) -> f32 {
        self.get()
    }
}

/// The number of the iteration that runs, from 1, read as `d.now`. A whole number, exact up to 2^24.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IterationNumber {
    /// How many iterations have run before the batch that this one is in.
    before: *const f32,
    /// The number in the batch, from 1.
    in_batch: f32,
}

impl Property for IterationNumber {
    type Feature = f32;
    type Stored = f32;
    const ELEMENT: Element = Element::Iteration;

    fn bind(storage: Storage) -> Self {
        Self { before: storage.current, in_batch: storage.value }
    }
}

impl GraphValue for IterationNumber {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn value<M: Machine>(&self, machine: M) -> f32 {
        // SAFETY: the caller's.
        let [before] = unsafe { machine.load(self.before) };
        before + self.in_batch
    }
}
