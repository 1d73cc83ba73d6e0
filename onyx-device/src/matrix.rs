//! The properties that are `K` x `K` matrices: of a vertex, of an edge, and of the whole graph.
//!
//! A matrix lies in memory row by row, `K` floats each. A function sees row `f`, a [`Row`].

use core::marker::PhantomData;

use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::{EdgeRow, Element, GraphRow, Property, Storage, Tracking, Untracked, VertexRow};
use crate::row::Row;
use crate::total::{Total, TotalRow};
use crate::value::Value;

/// `K` x `K` floats a vertex: `d.gram[v][f]`, `d.gram[e.src][f]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexMatrix<const K: usize, S: Tracking = Untracked> {
    current: *mut f32,
    previous: *mut f32,
    tracking: PhantomData<S>,
}

/// `K` x `K` floats an edge: `d.rotation[e][f]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeMatrix<const K: usize> {
    current: *mut f32,
}

/// `K` x `K` floats for the whole graph: `d.coupling[f]`, and `d.coupling[f] += row` in a function.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphMatrix<const K: usize> {
    current: *mut f32,
    contributions: *mut f32,
}

impl<const K: usize, S: Tracking> Property for VertexMatrix<K, S> {
    type Feature = Row<K>;
    type Stored = f32;
    const ELEMENT: Element = Element::VertexMatrix;
    const TRACKED: bool = S::TRACKED;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current, previous: storage.previous, tracking: PhantomData }
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
            unsafe { copy::<M, K, L, V>(group, self.row(vertex, true), self.row(vertex, false)) }
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
            unsafe { copy::<M, K, L, V>(group, self.row(vertex, false), self.row(vertex, true)) }
        }
    }
}

/// Copies the lane's rows of one matrix to another.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn copy<M: Machine, const K: usize, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    from: *const f32,
    to: *mut f32,
) {
    // SAFETY: the caller's.
    unsafe { Row::<K>::store(group, to, Row::<K>::load(group, from)) }
}

impl<const K: usize, S: Tracking> VertexRow for VertexMatrix<K, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, vertex: Vertex, previous: bool) -> *mut f32 {
        let array = if S::TRACKED && previous { self.previous } else { self.current };
        array.wrapping_add(vertex.0 as usize * (K * K))
    }
}

impl<const K: usize> Property for EdgeMatrix<K> {
    type Feature = Row<K>;
    type Stored = f32;
    const ELEMENT: Element = Element::EdgeMatrix;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current }
    }
}

impl<const K: usize> EdgeRow for EdgeMatrix<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, id: u64) -> *mut f32 {
        self.current.wrapping_add(id as usize * (K * K))
    }
}

impl<const K: usize> Property for GraphMatrix<K> {
    type Feature = Row<K>;
    type Stored = f32;
    const ELEMENT: Element = Element::GraphMatrix;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current, contributions: core::ptr::null_mut() }
    }
}

impl<const K: usize> Total for GraphMatrix<K> {
    fn with_contributions(self, storage: Storage) -> Self {
        Self { contributions: storage.current, ..self }
    }
}

impl<const K: usize> TotalRow for GraphMatrix<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, vertex: Vertex, _previous: bool) -> *mut f32 {
        self.contributions.wrapping_add(vertex.0 as usize * (K * K))
    }
}

impl<const K: usize> GraphRow for GraphMatrix<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self) -> *mut f32 {
        self.current
    }
}
