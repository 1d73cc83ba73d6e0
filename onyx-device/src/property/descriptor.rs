//! The properties of a structure as the runtime sees them, and sets of them as bits.

use super::{Element, UNKNOWN};
use crate::stored::Number;

/// A property of a `#[graph_data]` structure, as the runtime sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The field's name.
    pub name: &'static str,
    /// What it has a value for.
    pub element: Element,
    /// Whether it keeps its previous value.
    pub tracked: bool,
    /// Whether it lives in registers alone.
    pub scratch: bool,
    /// The type of its numbers in memory.
    pub number: Number,
    /// The number of the structure's width that its rows have, or its columns; 0 for `K`.
    pub input: usize,
}

/// The bytes in memory of a set of properties that a lane has, of which each lane of `lanes` has `features`.
pub(crate) const fn lane_bytes(properties: &[Descriptor], set: u64, lanes: usize, features: usize) -> usize {
    let (mut bytes, mut rest) = (0, set);
    while rest != 0 {
        let Descriptor { element, number, .. } = properties[rest.trailing_zeros() as usize];
        bytes += element.lane_numbers(lanes, features) * number.bytes();
        rest &= rest - 1;
    }
    bytes
}

/// A function that makes a set, as bits, of the properties of which a condition holds.
macro_rules! set_of {
    ($(#[$doc:meta])* $name:ident, $property:ident => $holds:expr) => {
        $(#[$doc])*
        pub const fn $name(properties: &[Descriptor]) -> u64 {
            let (mut bits, mut index) = (0, 0);
            while index < properties.len() {
                let $property = &properties[index];
                bits |= ($holds as u64) << index;
                index += 1;
            }
            bits
        }
    };
}

set_of! {
    /// The bits of the tracked properties.
    tracked, property => property.tracked
}

set_of! {
    /// The bits of the scratch properties.
    scratch, property => property.scratch
}

set_of! {
    /// The bits of the properties that are one float: of the graph, or of each vertex or edge.
    scalars, property => property.element.is_scalar()
}

set_of! {
    /// The bits of the matrices of `K` x `K` floats.
    matrices, property => property.element.is_matrix()
}

set_of! {
    /// The bits of the properties that have a number of each head.
    of_heads, property => property.element.is_of_heads()
}

/// Whether any property has a number of each head.
pub const fn has_heads(properties: &[Descriptor]) -> bool {
    of_heads(properties) != 0
}

/// The position that [`field_of`] has found; 0 if there is none, which the compiler reports at the field.
pub const fn index_of(field: u32) -> u32 {
    match field {
        UNKNOWN => 0,
        index => index,
    }
}

/// The position of the property `name`; [`UNKNOWN`] if there is none.
pub const fn field_of(properties: &[Descriptor], name: &str) -> u32 {
    let mut index = 0;
    while index < properties.len() {
        if is_same(properties[index].name.as_bytes(), name.as_bytes()) {
            return index as u32;
        }
        index += 1;
    }
    UNKNOWN
}

pub(crate) const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
