//! The walk over a body, in the order of evaluation.

use std::collections::BTreeMap;

use syn::visit::Visit;
use syn::{Block, Expr, ExprIf, ExprMatch, Ident, Local, Pat, Stmt};

use super::opaque::{Mentions, changes_out_of_sight, mentions, roots};
use super::said::{covers, is_true};
use super::state::{Kept, Place, State};
use super::value::{Condition, Meaning, Number, Value};
use super::{Flow, Sources, Stored};
use crate::check::usage::{Assignment, How, assignment};
use crate::parse::access::{Access, bare, recognise};
use crate::parse::function::Function;

/// A walk over one body.
pub struct Walk<'a> {
    function: &'a Function,
    pub(super) state: State,
    /// What the conditions around come from.
    around: Vec<Sources>,
    /// The conditions around that hold.
    holding: Vec<Number>,
    next: usize,
    /// What values were computed from, where nothing else decides them.
    operands: BTreeMap<Number, Vec<Number>>,
    returns: Vec<Return>,
    is_opaque: bool,
}

/// What is known where the function returns.
struct Return {
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

/// The flow of a vertex function.
pub fn walk(function: &Function) -> Flow {
    let all = mentions(function, |collect| collect.visit_block(&function.body));
    let mut walk = Walk {
        function,
        state: State::default(),
        around: Vec::new(),
        holding: Vec::new(),
        next: 0,
        operands: BTreeMap::new(),
        returns: Vec::new(),
        is_opaque: changes_out_of_sight(function),
    };
    let written = all.assigned_properties.iter().map(|access| &access.property);
    all.properties.iter().chain(written).for_each(|property| walk.begin(property));
    let value = walk.block(&function.body);
    walk.leave(value);
    if walk.is_opaque { unknown(function, &all) } else { walk.flow() }
}

/// The flow of a function that is not understood.
fn unknown(function: &Function, all: &Mentions) -> Flow {
    let written: Sources = all.assigned_properties.iter().map(|access| access.property.clone()).collect();
    let sources: Sources = all.properties.iter().chain(&written).cloned().collect();
    let stored = |property: Ident| Stored {
        property,
        sources: sources.clone(),
        linear: Sources::new(),
        is_certain: false,
        rests_on: None,
    };
    Flow {
        stores: written.into_iter().map(stored).collect(),
        returned: sources.clone(),
        covers: Sources::new(),
        always_true: !function.may_stop(),
    }
}

impl Walk<'_> {
    /// A property that the body reaches.
    fn begin(&mut self, property: &Ident) {
        if self.state.places.contains_key(property) {
            return;
        }
        let own: Sources = [property.clone()].into();
        let value = Value { number: self.number(), sources: own.clone(), linear: own, meaning: Meaning::Other };
        let (earlier, candidates) = (value.number, [value.number].into());
        let place = Place { value, earlier, candidates, stored: None, is_certain: false, under: Vec::new() };
        self.state.places.insert(property.clone(), place);
    }

    /// What is known once all of the body is walked.
    fn flow(self) -> Flow {
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

    /// Notes that a value is decided by others alone.
    pub(super) fn decided(&mut self, value: Value, operands: Vec<Number>) -> Value {
        self.operands.insert(value.number, operands);
        value
    }

    /// A number that no other value has.
    pub(super) fn number(&mut self) -> Number {
        self.next += 1;
        Number(self.next)
    }

    /// A new value.
    pub(super) fn fresh(&mut self, sources: Sources, meaning: Meaning) -> Value {
        Value { number: self.number(), sources, linear: Sources::new(), meaning }
    }

    /// A new value that an infinity among these would pass on to.
    pub(super) fn linear(&mut self, sources: Sources, linear: Sources, meaning: Meaning) -> Value {
        Value { linear, ..self.fresh(sources, meaning) }
    }

    fn condition(&mut self, sources: Sources, condition: Condition) -> Value {
        self.fresh(sources, Meaning::Condition(condition))
    }

    /// What it comes from that this place is reached.
    fn reasons(&self) -> Sources {
        self.around.iter().flatten().chain(&self.state.passed).cloned().collect()
    }

    fn leave(&mut self, mut value: Value) {
        value.sources.extend(self.reasons());
        self.returns.push(Return { value, state: self.state.clone() });
        self.state.is_over = true;
    }

    /// Walks what runs only where `condition` has one outcome.
    fn branch(&mut self, why: &Sources, holding: &[Number], walk: impl FnOnce(&mut Self) -> Value) -> (State, Value) {
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

    pub(super) fn block(&mut self, block: &Block) -> Value {
        let depth = self.state.variables.len();
        let mut value = self.fresh(Sources::new(), Meaning::Other);
        for statement in &block.stmts {
            value = self.statement(statement);
        }
        self.state.variables.truncate(depth);
        value
    }

    fn statement(&mut self, statement: &Stmt) -> Value {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expression, _) => return self.value(expression),
            Stmt::Item(_) | Stmt::Macro(_) => self.is_opaque = true,
        }
        self.fresh(Sources::new(), Meaning::Other)
    }

    fn local(&mut self, local: &Local) {
        let Some(init) = &local.init else {
            let value = self.fresh(Sources::new(), Meaning::Other);
            return self.bind(&local.pat, value);
        };
        if let (Pat::Tuple(names), Expr::Tuple(values)) = (&local.pat, bare(&init.expr))
            && names.elems.len() == values.elems.len()
        {
            let values: Vec<Value> = values.elems.iter().map(|value| self.value(value)).collect();
            return names.elems.iter().zip(values).for_each(|(name, value)| self.bind(name, value));
        }
        let value = self.value(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            let (left, _) = self.branch(&value.sources, &[], |walk| walk.value(otherwise));
            let here = std::mem::take(&mut self.state);
            self.state = self.join(here, left, &value.sources);
        }
        self.bind(&local.pat, value);
    }

    /// Gives the names of a pattern their values: the value itself to a plain name.
    fn bind(&mut self, pattern: &Pat, value: Value) {
        match pattern {
            Pat::Ident(name) if name.subpat.is_none() => self.state.variables.push((name.ident.clone(), value)),
            Pat::Type(typed) => self.bind(&typed.pat, value),
            _ => {
                let mut names = Names(Vec::new());
                names.visit_pat(pattern);
                for name in names.0 {
                    let part = self.fresh(value.sources.clone(), Meaning::Other);
                    self.state.variables.push((name, part));
                }
            }
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expression: &Expr) -> Value {
        if let Some(assignment) = assignment(expression) {
            self.assign(assignment);
            return self.fresh(Sources::new(), Meaning::Other);
        }
        match recognise(expression, self.function.kind, &self.function.names) {
            Some(Ok(access)) => return self.read(&access),
            Some(Err(_)) => self.is_opaque = true,
            None => {}
        }
        self.plain(bare(expression))
    }

    fn read(&mut self, access: &Access) -> Value {
        if let Some(index) = &access.index {
            let mut sources = self.value(index).sources;
            sources.insert(access.property.clone());
            return self.fresh(sources, Meaning::Other);
        }
        if access.matrix.is_some() {
            // Another matrix makes another feature of the same row.
            return self.fresh([access.property.clone()].into_iter().collect(), Meaning::Other);
        }
        self.state.places[&access.property].value.clone()
    }

    /// The value of an expression that is neither an assignment nor a property.
    fn plain(&mut self, expression: &Expr) -> Value {
        match expression {
            Expr::Lit(literal) => self.literal(literal),
            Expr::Path(path) => match path.path.get_ident().and_then(|name| self.state.variable(name)) {
                Some(value) => value.clone(),
                None => self.fresh(Sources::new(), Meaning::Other),
            },
            Expr::Unary(unary) => self.unary(unary),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::If(choice) => self.choose(choice),
            Expr::Match(choice) => self.select(choice),
            Expr::Block(block) => self.block(&block.block),
            Expr::Return(leave) => {
                let value = leave.expr.as_ref().map(|value| self.value(value));
                let value = value.unwrap_or_else(|| self.fresh(Sources::new(), Meaning::Other));
                self.leave(value);
                self.fresh(Sources::new(), Meaning::Other)
            }
            Expr::Let(condition) => {
                let value = self.value(&condition.expr);
                self.bind_parts(&condition.pat, &value);
                self.fresh(value.sources, Meaning::Other)
            }
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => self.repeat(expression),
            Expr::Closure(_) => {
                let sources = self.mentioned(&mentions(self.function, |collect| collect.visit_expr(expression)));
                self.fresh(sources, Meaning::Other)
            }
            _ => self.composed(expression),
        }
    }

    /// Gives the names of a pattern values that come from what is matched.
    fn bind_parts(&mut self, pattern: &Pat, value: &Value) {
        let part = self.fresh(value.sources.clone(), Meaning::Other);
        self.bind(pattern, part);
    }

    fn assign(&mut self, Assignment { left, how, score, right, .. }: Assignment<'_>) {
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

    fn choose(&mut self, choice: &ExprIf) -> Value {
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

    fn select(&mut self, choice: &ExprMatch) -> Value {
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

    /// A loop: all that it assigns comes from all that it mentions.
    fn repeat(&mut self, expression: &Expr) -> Value {
        let found = mentions(self.function, |collect| collect.visit_expr(expression));
        let mut returns = Returns(false);
        returns.visit_expr(expression);
        self.is_opaque |= returns.0;
        let mut sources = self.mentioned(&found);
        sources.extend(self.reasons());
        for name in &found.assigned_variables {
            let value = self.fresh(sources.clone(), Meaning::Other);
            self.state.set_variable(name, value);
        }
        for access in &found.assigned_properties {
            let value = self.fresh(sources.clone(), Meaning::Other);
            self.store_sometimes(&access.property, value);
        }
        self.fresh(sources, Meaning::Other)
    }

    /// Stores a value that may be stored, or not.
    fn store_sometimes(&mut self, property: &Ident, value: Value) {
        if let Some(place) = self.state.places.get_mut(property) {
            place.candidates.insert(value.number);
            let sources: Sources = place.value.sources.union(&value.sources).cloned().collect();
            let new = Kept { sources: value.sources.clone(), linear: Sources::new() };
            place.stored = Some(place.stored.take().unwrap_or_default().union(new));
            place.value = Value { sources, ..value };
            place.under.clear();
        }
    }

    /// What all that is mentioned comes from.
    fn mentioned(&self, found: &Mentions) -> Sources {
        let variables = found.variables.iter().chain(&found.assigned_variables);
        let variables = variables.filter_map(|name| self.state.variable(name)).flat_map(|value| &value.sources);
        let written = found.assigned_properties.iter().map(|access| &access.property);
        let properties = found.properties.iter().chain(written);
        let properties =
            properties.filter_map(|name| self.state.places.get(name)).flat_map(|place| &place.value.sources);
        variables.chain(properties).cloned().collect()
    }

    /// A value that is put together from others.
    fn composed(&mut self, expression: &Expr) -> Value {
        let parts: Vec<&Expr> = match expression {
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            Expr::Array(array) => array.elems.iter().collect(),
            Expr::Struct(structure) => {
                structure.fields.iter().map(|field| &field.expr).chain(structure.rest.as_deref()).collect()
            }
            Expr::Cast(cast) => vec![&cast.expr],
            Expr::Field(field) => vec![&field.base],
            Expr::Index(index) => vec![&index.expr, &index.index],
            Expr::Reference(reference) => return self.value(&reference.expr),
            Expr::Range(range) => range.start.as_deref().into_iter().chain(range.end.as_deref()).collect(),
            Expr::Repeat(repeat) => vec![&repeat.expr, &repeat.len],
            _ => {
                self.is_opaque = true;
                Vec::new()
            }
        };
        let sources = self.all(parts.into_iter());
        self.fresh(sources, Meaning::Other)
    }

    /// Gives up if an expression that may be left out assigns something.
    pub(super) fn check_lazy(&mut self, expression: &Expr) {
        let found = mentions(self.function, |collect| collect.visit_expr(expression));
        self.is_opaque |= !found.assigned_variables.is_empty() || !found.assigned_properties.is_empty();
    }

    /// What all of these come from.
    pub(super) fn all<'e>(&mut self, parts: impl Iterator<Item = &'e Expr>) -> Sources {
        parts.flat_map(|part| self.value(part).sources).collect()
    }

    /// The names of the variables in scope, which hide operations.
    pub(super) fn names(&self) -> Vec<Ident> {
        self.state.variables.iter().map(|(name, _)| name.clone()).collect()
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

/// The conditions that hold where this one does.
fn conjuncts(which: &Value, holding: &mut Vec<Number>) {
    holding.push(which.number);
    if let Meaning::Condition(Condition::Both(a, b)) = &which.meaning {
        conjuncts(a, holding);
        conjuncts(b, holding);
    }
}

struct Names(Vec<Ident>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.push(pattern.ident.clone());
        syn::visit::visit_pat_ident(self, pattern);
    }
}

struct Returns(bool);

impl<'ast> Visit<'ast> for Returns {
    fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
        self.0 = true;
    }
}
