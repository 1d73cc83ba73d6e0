//! Where what a vertex function stores and returns comes from, as sets of properties.

use crate::check::flow;
use crate::compile::property::Properties;

/// Where the new value of one property of a vertex comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The property's bit.
    pub property: u64,
    /// The properties whose values at the start of the function the new value depends on.
    pub sources: u64,
    /// Those of them that it depends on by additions and multiplications alone.
    pub linear: u64,
    /// If false says the change of the value by that of others: what it is computed from beside them.
    pub rests_on: u64,
    /// Whether the function stores the property on every path.
    pub is_certain: bool,
}

/// Where what a vertex function stores and returns comes from, and what its return value says.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// What it stores.
    pub stores: Vec<Stored>,
    /// The properties that its return value depends on.
    pub returned: u64,
    /// The properties among those that it stores that have changed within a tolerance at most where it returns false.
    pub covers: u64,
    /// Whether it returns true on every path.
    pub always_true: bool,
}

impl Flow {
    /// The flow of a function, as sets.
    pub fn of(flow: &flow::Flow, properties: &Properties) -> Self {
        Self {
            stores: flow.stores.iter().map(|stored| Stored::of(stored, properties)).collect(),
            returned: properties.set(&flow.returned),
            covers: properties.set(&flow.covers),
            always_true: flow.always_true,
        }
    }
}

impl Stored {
    fn of(stored: &flow::Stored, properties: &Properties) -> Self {
        Self {
            property: properties.bit(&stored.property),
            sources: properties.set(&stored.sources),
            linear: properties.set(&stored.linear),
            rests_on: properties.set(stored.rests_on.iter().flatten()),
            is_certain: stored.is_certain,
        }
    }
}
