//! Where what a vertex function stores and returns comes from, and what its return value says: by that the device crate knows whether
//! vertices may be left out (`onyx_device::changes`).
//!
//! The body is walked once. Every value has a number, so that `(new - d.label[v][f]).abs() > d.tolerance` is known to compare what is
//! stored with what was there; and the properties that it comes from, by data or by the conditions around it. What is not understood
//! comes from everything and says nothing.

mod branch;
mod compute;
mod opaque;
mod said;
mod state;
#[cfg(test)]
mod tests;
mod value;
mod walk;

use syn::Ident;

use crate::parse::function::{Function, Kind};

/// A set of properties, by name.
pub type Sources = std::collections::BTreeSet<Ident>;

/// What is stored in one property.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The property.
    pub property: Ident,
    /// The properties that the new value comes from, as they are at the start of the function.
    pub sources: Sources,
    /// Those of them that it comes from by additions and multiplications alone.
    pub linear: Sources,
    /// Whether it is stored on every path.
    pub is_certain: bool,
    /// Where it is computed from values that the return value says the change of: the other properties that it is computed from.
    pub rests_on: Option<Sources>,
}

/// What a vertex function keeps and says.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// What it stores, each property once.
    pub stores: Vec<Stored>,
    /// The properties that its return value comes from.
    pub returned: Sources,
    /// The stored properties that have not changed by more than a tolerance where it returns false.
    pub covers: Sources,
    /// Whether it returns true on every path.
    pub always_true: bool,
}

/// The flow of a vertex function; of an edge function nothing is asked.
pub fn of(function: &Function) -> Flow {
    match function.kind {
        Kind::Vertex => walk::walk(function),
        Kind::Edge => Flow { always_true: true, ..Flow::default() },
    }
}
