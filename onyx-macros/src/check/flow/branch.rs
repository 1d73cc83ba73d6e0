//! Where two ways through a body meet.

use super::Sources;
use super::state::{Place, State};
use super::value::{Meaning, Value};
use super::walk::Walk;

impl Walk<'_> {
    /// The state after two ways of which one was taken, for reasons that come from `why`.
    pub fn join(&mut self, one: State, other: State, why: &Sources) -> State {
        if one.is_over || other.is_over {
            let is_over = one.is_over && other.is_over;
            let mut left = if one.is_over { other } else { one };
            left.passed.extend(why.iter().cloned());
            return State { is_over, ..left };
        }
        let depth = one.variables.len().min(other.variables.len());
        let pairs = one.variables.into_iter().zip(other.variables).take(depth);
        let variables = pairs.map(|((name, a), (_, b))| (name, self.either(a, b, why))).collect();
        let mut places = one.places;
        for (property, theirs) in other.places {
            let ours = places.remove(&property);
            let joined = ours.map_or(theirs.clone(), |ours| self.join_places(ours, theirs, why));
            places.insert(property, joined);
        }
        let passed = one.passed.union(&other.passed).cloned().collect();
        State { variables, places, passed, is_over: false }
    }

    /// One of two values.
    pub fn either(&mut self, a: Value, b: Value, why: &Sources) -> Value {
        if a.number == b.number {
            return a;
        }
        let sources = a.sources.union(&b.sources).chain(why).cloned().collect();
        let linear = a.linear.union(&b.linear).cloned().collect();
        Value { number: self.number(), sources, linear, meaning: Meaning::Other }
    }

    fn join_places(&mut self, one: Place, other: Place, why: &Sources) -> Place {
        let (stored, under) = match (one.stored, other.stored) {
            (Some(a), Some(b)) => {
                let both = one.under.into_iter().filter(|condition| other.under.contains(condition)).collect();
                (Some(a.union(b)), both)
            }
            (Some(a), None) => (Some(a), one.under),
            (None, b) => (b, other.under),
        };
        Place {
            value: self.either(one.value, other.value, why),
            earlier: one.earlier,
            candidates: one.candidates.union(&other.candidates).copied().collect(),
            stored,
            is_certain: one.is_certain && other.is_certain,
            under,
        }
    }
}
