//! Heads: rows of a vertex or an edge that run side by side, each with numbers of its own.
//!
//! A head is a tile whose view of the data is its own: the pointers of all properties are moved to the head's part before anything runs, so that
//! functions, collaborative operations and schedules see a row of `K` features and numbers as if there were no other head. The numbers of a vertex
//! or an edge follow each other, head by head, as its features do: the lanes of all its heads then reach one piece of memory together.

use core::marker::PhantomData;

use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::{EdgeTracking, EdgeValue, Element, Property, Storage, Tracking, Untracked, VertexValue};
use crate::stored::Scalar;

/// One number a vertex and head, a float if nothing else is said: `d.score[v]`, `d.score[e.src]`, of the head that runs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexHeads<S: Tracking = Untracked, T: Scalar = f32> {
    current: *mut T,
    previous: *mut T,
    /// The numbers from one vertex to the next: one for each head.
    heads: u32,
    tracking: PhantomData<S>,
}

/// One number an edge and head, a float if nothing else is said: `d.weight[e]`, of the head that runs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeHeads<S: EdgeTracking = Untracked, T: Scalar = f32> {
    current: *mut T,
    /// The numbers from one edge to the next: one for each head.
    heads: u32,
    tracking: PhantomData<S>,
}

impl<S: Tracking, T: Scalar> Property for VertexHeads<S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::VertexHeads;
    const TRACKED: bool = S::TRACKED;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        let (current, previous) = (storage.current.cast(), storage.previous.cast());
        Self { current, previous, heads: storage.heads, tracking: PhantomData }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_head(self, head: u32) -> Self {
        let head = head as usize;
        Self { current: self.current.wrapping_add(head), previous: self.previous.wrapping_add(head), ..self }
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

impl<S: Tracking, T: Scalar> VertexValue for VertexHeads<S, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, vertex: Vertex, previous: bool) -> *mut T {
        let array = if S::TRACKED && previous { self.previous } else { self.current };
        array.wrapping_add((u64::from(vertex.0) * u64::from(self.heads)) as usize)
    }
}

impl<S: EdgeTracking, T: Scalar> Property for EdgeHeads<S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::EdgeHeads;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current.cast(), heads: storage.heads, tracking: PhantomData }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_head(self, head: u32) -> Self {
        Self { current: self.current.wrapping_add(head as usize), ..self }
    }
}

impl<S: EdgeTracking, T: Scalar> EdgeValue for EdgeHeads<S, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, id: u64) -> *mut T {
        self.current.wrapping_add((id * u64::from(self.heads)) as usize)
    }
}
