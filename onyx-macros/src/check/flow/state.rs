//! What variables and properties hold at one place of a body.

use std::collections::{BTreeMap, BTreeSet};

use syn::Ident;

use super::Sources;
use super::value::{Number, Value};

/// What values that were stored come from.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub sources: Sources,
    /// By additions and multiplications alone.
    pub linear: Sources,
}

impl Kept {
    /// What either comes from.
    pub fn union(mut self, other: Self) -> Self {
        self.sources.extend(other.sources);
        self.linear.extend(other.linear);
        self
    }
}

/// What one property of the own vertex holds.
#[derive(Clone, Debug)]
pub struct Place {
    /// What a read finds.
    pub value: Value,
    /// The value that was there at the start.
    pub earlier: Number,
    /// All values that may be there.
    pub candidates: BTreeSet<Number>,
    /// What was stored on the way here comes from; nothing if nothing was.
    pub stored: Option<Kept>,
    /// Whether something was stored on every way.
    pub is_certain: bool,
    /// The conditions that hold where something was stored.
    pub under: Vec<Number>,
}

impl Place {
    /// The value that is there for certain.
    pub fn only(&self) -> Option<Number> {
        self.candidates.first().copied().filter(|_| self.candidates.len() == 1)
    }
}

/// The variables in scope, the properties that were reached, and what it depends on that this place is reached.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub variables: Vec<(Ident, Value)>,
    pub places: BTreeMap<Ident, Place>,
    /// What decided that no earlier `return` was taken.
    pub passed: Sources,
    /// Whether a `return` has left nothing here.
    pub is_over: bool,
}

impl State {
    /// The variable that a name stands for.
    pub fn variable(&self, name: &Ident) -> Option<&Value> {
        self.variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Gives a variable another value.
    pub fn set_variable(&mut self, name: &Ident, value: Value) {
        if let Some((_, old)) = self.variables.iter_mut().rev().find(|(known, _)| known == name) {
            *old = value;
        }
    }
}
