//! Reads at an index that a function computes: `d.label[Vertex(i)][f]`, `d.relation[i][f]`.
//!
//! An index may be out of range. Then nothing is read, the value is 0, and the first such read of a run is noted, for the host to end the run with an
//! error. The test is without a branch: what is out of range reads the first row, which is always there, and drops it.

use core::cell::Cell;

use crate::group::Group;
use crate::machine::Machine;
use crate::stored::Stored;
use crate::value::Value;

/// What a structure knows of the graph that it is for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The number of vertices.
    pub vertices: u64,
    /// Where the first read out of range is noted; null where nobody asks.
    pub noted: *mut Noted,
}

impl Reach {
    /// No vertices: whatever is read is out of range.
    pub const NONE: Self = Self { vertices: 0, noted: core::ptr::null_mut() };
}

/// The first read out of range of a run.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// How many lanes have read out of range.
    pub count: u64,
    /// The position of the property.
    pub property: u32,
    /// The index.
    pub index: u32,
    /// The lower half of the number of the function's edge or vertex.
    pub element_low: u32,
    /// The upper half.
    pub element_high: u32,
    /// 1 if it is an edge.
    pub is_edge: u32,
    /// The function, by [`number_of`] its name.
    pub function: u32,
}

/// What stands for the name of a function where it is noted: 32 bits of a hash, by which the host finds it among those of the fold.
pub const fn number_of(name: &str) -> u32 {
    let (bytes, mut hash, mut at) = (name.as_bytes(), 0x811C_9DC5_u32, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// An edge or a vertex, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Of an edge.
    Edge(u64),
    /// Of a vertex.
    Vertex(u32),
}

impl Noted {
    /// The edge or the vertex of the function.
    pub const fn element(&self) -> Number {
        match self.is_edge {
            0 => Number::Vertex(self.element_low),
            _ => Number::Edge((self.element_high as u64) << 32 | self.element_low as u64),
        }
    }
}

/// What a function has read out of range for one edge or vertex.
#[derive(Debug)]
pub struct Misses {
    last: Cell<Option<(u32, u32)>>,
}

/// A row that exists.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Its number: the index, if that is in range.
    pub number: u32,
    /// Whether it is.
    is_there: bool,
}

/// What may be read at an index that is computed.
#[diagnostic::on_unimplemented(
    message = "a matrix cannot be read at an index that is computed",
    label = "`[Vertex(i)]` needs a `VertexFeatures<K>` or `VertexScalar` property"
)]
pub trait Gathered: Value {
    /// The lane's feature `index` of the row at `row`.
    ///
    /// # Safety
    /// As [`Group::load_row`]; `index < V`.
    unsafe fn load_one<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        row: *const T,
        index: usize,
    ) -> Self;
}

impl Gathered for f32 {
    /// A few features are loaded at once: the same load for each of them, of which the compiler makes one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_one<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        row: *const T,
        index: usize,
    ) -> Self {
        // SAFETY: the caller's.
        unsafe {
            if V <= 4 {
                group.load_row(row)[index]
            } else {
                T::load::<M, 1>(group.machine(), row.add(group.feature(index) as usize))[0]
            }
        }
    }
}

impl Default for Misses {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn default() -> Self {
        Self { last: Cell::new(None) }
    }
}

impl Misses {
    /// Row number `index` of the property at `property`, which has `rows`; the first one if there is no such row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn bounded(&self, property: u32, index: u32, rows: u64) -> At {
        let is_there = u64::from(index) < rows;
        if !is_there {
            self.last.set(Some((property, index)));
        }
        At { number: if is_there { index } else { 0 }, is_there }
    }

    /// Notes what was out of range, and in which function, if it is the first of the run. Of several in one function it is the last.
    ///
    /// # Safety
    /// What `reach` says is there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn report<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        reach: Reach,
        element: Number,
        function: u32,
    ) {
        let Some((property, index)) = self.last.get() else { return };
        // Any lane may be the one that came there, where features go different ways.
        if reach.noted.is_null() {
            return;
        }
        let (is_edge, number) = match element {
            Number::Edge(number) => (1, number),
            Number::Vertex(number) => (0, u64::from(number)),
        };
        // SAFETY: one lane alone finds a count of 0, and stores the rest.
        unsafe {
            let machine = group.machine();
            if machine.add_u64(&raw mut (*reach.noted).count, 1) == 0 {
                machine.store_u32(&raw mut (*reach.noted).property, property);
                machine.store_u32(&raw mut (*reach.noted).index, index);
                machine.store_u32(&raw mut (*reach.noted).element_low, number as u32);
                machine.store_u32(&raw mut (*reach.noted).element_high, (number >> 32) as u32);
                machine.store_u32(&raw mut (*reach.noted).is_edge, is_edge);
                machine.store_u32(&raw mut (*reach.noted).function, function);
            }
        }
    }
}

impl At {
    /// Whether the index is in range.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn is_there(self) -> bool {
        self.is_there
    }

    /// The lane's feature `index` of the row at `row`; 0 where there is none.
    ///
    /// # Safety
    /// As [`Gathered::load_one`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn feature<X: Gathered, T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        self,
        group: Group<M, L, V>,
        row: *const T,
        index: usize,
    ) -> X {
        // SAFETY: the caller's.
        let value = unsafe { X::load_one(group, row, index) };
        if self.is_there { value } else { X::ZERO }
    }

    /// The scalar at `from`; 0 where there is none.
    ///
    /// # Safety
    /// As [`Group::load_scalar`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn scalar<X: Stored, M: Machine, const L: usize, const V: usize>(
        self,
        group: Group<M, L, V>,
        from: *const X,
    ) -> X::Register {
        // SAFETY: the caller's.
        let value = unsafe { group.load_scalar(from) };
        if self.is_there { value } else { X::Register::default() }
    }
}
