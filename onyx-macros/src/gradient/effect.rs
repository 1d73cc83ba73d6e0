//! What a derived function does with a value that it has computed.

use crate::gradient::value::{Cell, Id};
use crate::parse::access::Access;

/// What a derived function does with a value that it has computed.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The property, and whose value of it.
    pub cell: Cell,
    /// How.
    pub form: Form,
    /// The value.
    pub value: Id,
    /// What the value is multiplied by, where a sum of products with rows of another width gets it: the row, or the matrix.
    pub by: Option<Access>,
}

/// How a value comes to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// It is stored.
    Stores,
    /// It is added to what is there.
    Adds,
    /// It is multiplied into it.
    Multiplies,
}

impl Form {
    /// It is added to what there is, or stored where there is nothing.
    pub fn of(adds: bool) -> Self {
        if adds { Self::Adds } else { Self::Stores }
    }
}
