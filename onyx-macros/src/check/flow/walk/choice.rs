//! Ways through a body of which one is taken.

use syn::visit::Visit;
use syn::{ExprIf, ExprMatch};

use super::Walk;
use crate::check::flow::Sources;
use crate::check::flow::opaque::mentions;
use crate::check::flow::state::State;
use crate::check::flow::value::{Condition, Meaning, Number, Value};

impl Walk<'_> {
    /// Walks what runs only where `condition` has one outcome.
    pub(super) fn branch(
        &mut self,
        why: &Sources,
        holding: &[Number],
        walk: impl FnOnce(&mut Self) -> Value,
    ) -> (State, Value) {
        let (before, depth) = (self.state.clone(), self.holding.len());
        self.around.push(why.clone());
        self.holding.extend(holding);
        let value = walk(self);
        self.around.pop();
        self.holding.truncate(depth);
        let mut after = std::mem::replace(&mut self.state, before);
        after.variables.truncate(self.state.variables.len());
        (after, value)
    }

    pub(super) fn choose(&mut self, choice: &ExprIf) -> Value {
        let depth = self.state.variables.len();
        let which = self.value(&choice.cond);
        let mut holding = Vec::new();
        conjuncts(&which, &mut holding);
        let why = which.sources.clone();
        let (yes, a) = self.branch(&why, &holding, |walk| walk.block(&choice.then_branch));
        self.state.variables.truncate(depth);
        let (no, b) = self.branch(&why, &[], |walk| match &choice.else_branch {
            Some((_, otherwise)) => walk.value(otherwise),
            None => walk.fresh(Sources::new(), Meaning::Other),
        });
        let value = self.chosen(which, (a, yes.is_over), (b, no.is_over));
        let mut yes = yes;
        yes.variables.truncate(depth);
        self.state = self.join(yes, no, &why);
        value
    }

    /// The value of a choice between two, either of which may have returned instead.
    fn chosen(&mut self, which: Value, (a, a_over): (Value, bool), (b, b_over): (Value, bool)) -> Value {
        if a_over || b_over {
            let mut left = if a_over { b } else { a };
            left.sources.extend(which.sources);
            return left;
        }
        let sources = a.sources.union(&b.sources).chain(&which.sources).cloned().collect();
        match (&a.meaning, &b.meaning) {
            (Meaning::Condition(_), _) | (_, Meaning::Condition(_)) => {
                self.condition(sources, Condition::Choice(which.into(), a.into(), b.into()))
            }
            _ => {
                let linear = a.linear.union(&b.linear).cloned().collect();
                self.linear(sources, linear, Meaning::Other)
            }
        }
    }

    pub(super) fn select(&mut self, choice: &ExprMatch) -> Value {
        let mut which = self.value(&choice.expr);
        let guards = mentions(self.function, |collect| {
            choice.arms.iter().for_each(|arm| collect.visit_pat(&arm.pat));
        });
        which.sources.extend(self.mentioned(&guards));
        let (mut after, mut result): (Option<State>, Option<Value>) = (None, None);
        for arm in &choice.arms {
            let (state, value) = self.branch(&which.sources, &[], |walk| {
                walk.bind_parts(&arm.pat, &which);
                walk.value(&arm.body)
            });
            let is_over = state.is_over;
            after = Some(match after {
                None => state,
                Some(other) => self.join(other, state, &which.sources),
            });
            result = match result {
                Some(other) if !is_over => Some(self.either(other, value, &which.sources)),
                None if !is_over => Some(value),
                other => other,
            };
        }
        self.state = after.unwrap_or_default();
        let mut value = result.unwrap_or_else(|| which.clone());
        // One arm alone says what the others do not.
        value.meaning = Meaning::Other;
        value.sources.extend(which.sources);
        value
    }

    fn condition(&mut self, sources: Sources, condition: Condition) -> Value {
        self.fresh(sources, Meaning::Condition(condition))
    }
}

/// The conditions that hold where this one does.
fn conjuncts(which: &Value, holding: &mut Vec<Number>) {
    holding.push(which.number);
    if let Meaning::Condition(Condition::Both(a, b)) = &which.meaning {
        conjuncts(a, holding);
        conjuncts(b, holding);
    }
}
