//! What is stored in properties and variables.

use syn::{Expr, Ident};

use super::Walk;
use crate::check::flow::Sources;
use crate::check::flow::opaque::roots;
use crate::check::flow::state::Kept;
use crate::check::flow::value::{Meaning, Value};
use crate::check::usage::{Assignment, How};
use crate::parse::access::{bare, recognise};

impl Walk<'_> {
    pub(super) fn assign(&mut self, Assignment { left, how, score, right, .. }: Assignment<'_>) {
        if let Some(score) = score {
            self.value(score);
        }
        let right = self.value(right);
        let property = match recognise(left, self.function.kind, &self.function.names) {
            Some(Ok(access)) => Some(access.property),
            Some(Err(_)) => return self.is_opaque = true,
            None => None,
        };
        let value = match how {
            How::Plain => right,
            _ => {
                let old = self.value(left);
                let sources = old.sources.union(&right.sources).cloned().collect();
                let linear = old.linear.union(&right.linear).cloned().collect();
                self.linear(sources, linear, Meaning::Other)
            }
        };
        match property {
            Some(property) => self.store(&property, value),
            None => self.set(left, value),
        }
    }

    fn store(&mut self, property: &Ident, value: Value) {
        let mut sources = self.reasons();
        sources.extend(value.sources.iter().cloned());
        let under = self.holding.clone();
        if let Some(place) = self.state.places.get_mut(property) {
            place.candidates = [value.number].into();
            let kept = Kept { sources, linear: value.linear.clone() };
            (place.value, place.stored, place.is_certain, place.under) = (value, Some(kept), true, under);
        }
    }

    /// Stores a value that may be stored, or not.
    pub(super) fn store_sometimes(&mut self, property: &Ident, value: Value) {
        if let Some(place) = self.state.places.get_mut(property) {
            place.candidates.insert(value.number);
            let sources: Sources = place.value.sources.union(&value.sources).cloned().collect();
            let new = Kept { sources: value.sources.clone(), linear: Sources::new() };
            place.stored = Some(place.stored.take().unwrap_or_default().union(new));
            place.value = Value { sources, ..value };
            place.under.clear();
        }
    }

    fn set(&mut self, left: &Expr, value: Value) {
        if let Expr::Path(path) = bare(left)
            && let Some(name) = path.path.get_ident()
        {
            return self.state.set_variable(name, value);
        }
        // A part of a variable: what is left of it stays.
        for root in roots(left) {
            let old = self.state.variable(&root).map(|old| old.sources.clone()).unwrap_or_default();
            let part = self.fresh(old.union(&value.sources).cloned().collect(), Meaning::Other);
            self.state.set_variable(&root, part);
        }
    }
}
