//! The walk over a body, in the order of evaluation.

mod assignment;
mod choice;
mod repetition;
mod returned;

use std::collections::BTreeMap;

use syn::visit::Visit;
use syn::{Block, Expr, Ident, Local, Pat, Stmt};

use self::returned::Return;
use super::opaque::{Mentions, changes_out_of_sight, mentions};
use super::state::{Place, State};
use super::value::{Meaning, Number, Value};
use super::{Flow, Sources, Stored};
use crate::check::usage::assignment;
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

    /// What it comes from that this place is reached.
    fn reasons(&self) -> Sources {
        self.around.iter().flatten().chain(&self.state.passed).cloned().collect()
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

struct Names(Vec<Ident>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.push(pattern.ident.clone());
        syn::visit::visit_pat_ident(self, pattern);
    }
}
