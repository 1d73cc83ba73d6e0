//! What each edge has.

use core::marker::PhantomData;

use super::{EdgeRow, EdgeTracking, EdgeValue, Element, Property, Storage, Tracking, Untracked, bytes_of, of_head};
use crate::stored::{Float, Scalar};

/// `K` floats an edge, in single precision if nothing else is said: `d.message[e][f]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeFeatures<const K: usize, S: Tracking = Untracked, T: Float = f32> {
    current: *mut T,
    row_bytes: u32,
    tracking: PhantomData<S>,
}

impl<const K: usize, S: EdgeTracking, T: Float> Property for EdgeFeatures<K, S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::EdgeFeatures;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current.cast(), row_bytes: storage.row_bytes::<T>(), tracking: PhantomData }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow(self) -> Self {
        Self { row_bytes: bytes_of::<T>(K), ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_head(self, head: u32) -> Self {
        Self { current: of_head::<T, K>(self.current, head), ..self }
    }
}

impl<const K: usize, S: EdgeTracking, T: Float> EdgeRow for EdgeFeatures<K, S, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, id: u64) -> *mut T {
        self.current.wrapping_byte_add(id as usize * self.row_bytes as usize)
    }
}

/// One number an edge, a float if nothing else is said: `d.weight[e]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeScalar<S: Tracking = Untracked, T: Scalar = f32> {
    current: *mut T,
    tracking: PhantomData<S>,
}

impl<S: EdgeTracking, T: Scalar> Property for EdgeScalar<S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::EdgeScalar;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current.cast(), tracking: PhantomData }
    }
}

impl<S: EdgeTracking, T: Scalar> EdgeValue for EdgeScalar<S, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, id: u64) -> *mut T {
        self.current.wrapping_add(id as usize)
    }
}
