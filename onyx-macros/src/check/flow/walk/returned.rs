//! What is known where a function returns, and what all returns together say.

use syn::Ident;

use super::Walk;
use crate::check::flow::said::{covers, is_true};
use crate::check::flow::state::{Kept, State};
use crate::check::flow::value::{Number, Value};
use crate::check::flow::{Flow, Sources, Stored};

/// What is known where the function returns.
pub(super) struct Return {
    value: Value,
    state: State,
}

impl Return {
    /// Whether false says that a property has not changed.
    fn says(&self, property: &Ident) -> bool {
        let place = &self.state.places[property];
        place.stored.is_none() || covers(&self.value, place)
    }
}

impl Walk<'_> {
    pub(super) fn leave(&mut self, mut value: Value) {
        value.sources.extend(self.reasons());
        self.returns.push(Return { value, state: self.state.clone() });
        self.state.is_over = true;
    }

    /// What is known once all of the body is walked.
    pub(super) fn flow(self) -> Flow {
        let returns: Vec<&Return> = self.returns.iter().filter(|found| !found.state.is_over).collect();
        let names = self.state.places.keys();
        let mut stores: Vec<Stored> = names.filter_map(|property| stored(&returns, property)).collect();
        let covered = |stored: &&Stored| returns.iter().all(|found| found.says(&stored.property));
        let direct: Sources = stores.iter().filter(covered).map(|stored| stored.property.clone()).collect();
        for stored in stores.iter_mut().filter(|stored| stored.is_certain && !direct.contains(&stored.property)) {
            let each = returns.iter().map(|found| self.rests_on(found, &direct, &stored.property));
            stored.rests_on = each.collect::<Option<Vec<Sources>>>().map(|each| each.into_iter().flatten().collect());
        }
        let derived = stores.iter().filter(|stored| stored.rests_on.is_some()).map(|stored| &stored.property);
        Flow {
            covers: direct.iter().chain(derived).cloned().collect(),
            returned: returns.iter().flat_map(|found| found.value.sources.iter().cloned()).collect(),
            always_true: returns.iter().all(|found| is_true(&found.value)),
            stores,
        }
    }

    /// The properties that a stored value comes from beside those that a return value says the change of; nothing if it comes from anything
    /// else. Where those have not changed, it has not either.
    fn rests_on(&self, found: &Return, said: &Sources, property: &Ident) -> Option<Sources> {
        let places = &found.state.places;
        let known: Vec<Number> = said.iter().filter_map(|said| places[said].only()).collect();
        let (mut rests_on, mut open) = (Sources::new(), vec![places[property].only()?]);
        while let Some(number) = open.pop() {
            if known.contains(&number) {
                continue;
            }
            let unchanged = places.iter().find(|(_, place)| place.earlier == number && place.stored.is_none());
            match (unchanged, self.operands.get(&number)) {
                (Some((source, _)), _) => rests_on.extend([source.clone()]),
                (None, Some(operands)) => open.extend(operands),
                (None, None) => return None,
            }
        }
        Some(rests_on)
    }
}

/// What the returns together say of one property; nothing if none has stored it.
fn stored(returns: &[&Return], property: &Ident) -> Option<Stored> {
    let places = returns.iter().map(|found| &found.state.places[property]);
    let found: Vec<&Kept> = places.clone().filter_map(|place| place.stored.as_ref()).collect();
    let is_certain = places.clone().all(|place| place.is_certain);
    let all = found.iter().fold(Kept::default(), |all, kept| all.union((*kept).clone()));
    let (property, Kept { sources, linear }) = (property.clone(), all);
    (!found.is_empty()).then_some(Stored { property, sources, linear, is_certain, rests_on: None })
}
