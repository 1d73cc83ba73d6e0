//! What each vertex has.

use core::marker::PhantomData;

use super::{Element, Property, Storage, Tracking, Untracked, VertexRow, VertexValue, bytes_of, of_head};
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::stored::{Float, Scalar};

/// `K` floats a vertex, in single precision if nothing else is said: `d.label[v][f]`, `d.label[e.src][f]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexFeatures<const K: usize, S: Tracking = Untracked, T: Float = f32> {
    current: *mut T,
    previous: *mut T,
    row_bytes: u32,
    tracking: PhantomData<S>,
}

impl<const K: usize, S: Tracking, T: Float> Property for VertexFeatures<K, S, T> {
    type Feature = f32;
    type Stored = S::Stored<T>;
    const ELEMENT: Element = Element::VertexFeatures;
    const TRACKED: bool = S::TRACKED;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        let (current, previous) = (storage.current.cast(), storage.previous.cast());
        Self { current, previous, row_bytes: storage.row_bytes::<T>(), tracking: PhantomData }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow(self) -> Self {
        Self { row_bytes: bytes_of::<T>(K), ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at(self, rows: *mut f32, first: u32) -> Self {
        let before = first as usize * self.row_bytes as usize;
        Self { current: rows.cast::<T>().wrapping_byte_sub(before), ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_head(self, head: u32) -> Self {
        let (current, previous) = (of_head::<T, K>(self.current, head), of_head::<T, K>(self.previous, head));
        Self { current, previous, ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn exchanged(self) -> Self {
        Self { current: self.previous, previous: self.current, ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn restore_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_row(self.row(vertex, false), group.load_row(self.row(vertex, true))) }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn keep_as_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_row(self.row(vertex, true), group.load_row(self.row(vertex, false))) }
        }
    }
}

impl<const K: usize, S: Tracking, T: Float> VertexRow for VertexFeatures<K, S, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, vertex: Vertex, previous: bool) -> *mut S::Stored<T> {
        let array = if S::TRACKED && previous { self.previous } else { self.current };
        array.wrapping_byte_add(vertex.0 as usize * self.row_bytes as usize).cast()
    }
}

/// One number a vertex, a float if nothing else is said: `d.rank[v]`, `d.rank[e.src]`.
///
/// In a structure the two words stand in either order: `VertexScalar<u32, Tracked>`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexScalar<S: Tracking = Untracked, T: Scalar = f32> {
    current: *mut T,
    previous: *mut T,
    tracking: PhantomData<S>,
}

impl<S: Tracking, T: Scalar> Property for VertexScalar<S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::VertexScalar;
    const TRACKED: bool = S::TRACKED;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current.cast(), previous: storage.previous.cast(), tracking: PhantomData }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn exchanged(self) -> Self {
        Self { current: self.previous, previous: self.current, ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn restore_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_scalar(self.value(vertex, false), group.load_scalar(self.value(vertex, true))) }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn keep_as_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_scalar(self.value(vertex, true), group.load_scalar(self.value(vertex, false))) }
        }
    }
}

impl<S: Tracking, T: Scalar> VertexValue for VertexScalar<S, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, vertex: Vertex, previous: bool) -> *mut T {
        let array = if S::TRACKED && previous { self.previous } else { self.current };
        array.wrapping_add(vertex.0 as usize)
    }
}
