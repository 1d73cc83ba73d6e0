//! Reads bodies: one after the other of the functions of a run, as one list of steps.

use std::collections::BTreeMap;

use syn::{Block as Body, Expr, Ident, Pat, Stmt};

use crate::check::scope::Scoped;
use crate::check::usage::{Reduction, assignment};
use crate::compile::property::Properties;
use crate::errors::Errors;
use crate::gradient::pattern::{bound_names, returns};
use crate::gradient::tape::Tape;
use crate::gradient::value::{Brought, Cell, Id};
use crate::message;
use crate::parse::access::{Access, Place, bare, recognise};
use crate::parse::derivative::Derivative;
use crate::parse::fold::Fold;
use crate::parse::function::{Function, Kind};

/// What a run of functions has read, written and reduced by now.
#[derive(Debug)]
pub struct Reader<'a> {
    /// All values.
    pub tape: Tape,
    /// The structure.
    pub properties: &'a Properties,
    /// The name of the number of features, as the fold has it.
    pub width: Option<Ident>,
    /// The derivatives that the user gives.
    pub derivatives: &'a [Derivative],
    /// The properties that vary before the run.
    pub varying: u64,
    /// What the run has written and reduced, with the values by now.
    pub cells: Vec<(Cell, Id)>,
    /// What earlier functions of the run have written.
    earlier: Vec<Cell>,
    /// What later functions of the run have read of that.
    pub passed_on: Vec<Cell>,
    /// How each end of an edge is reduced.
    pub reductions: Vec<(Cell, Reduction)>,
    /// What is brought to totals that are states.
    pub brought: Vec<Brought>,
    /// What is wrong.
    pub errors: Errors,
}

/// A function that is being read.
pub struct Reading<'r, 'a> {
    pub(super) reader: &'r mut Reader<'a>,
    pub(super) function: &'r Function,
    pub(super) scoped: &'r Scoped,
    pub(super) variables: BTreeMap<Ident, Id>,
    /// How many branches are around.
    pub(super) branches: usize,
}

impl<'a> Reader<'a> {
    /// Nothing read yet.
    pub fn new(properties: &'a Properties, fold: &'a Fold, varying: u64) -> Self {
        Self {
            tape: Tape::of(properties.matrices()),
            properties,
            width: fold.generics.const_params().next().map(|width| width.ident.clone()),
            derivatives: &fold.derivatives,
            varying,
            cells: Vec::new(),
            earlier: Vec::new(),
            passed_on: Vec::new(),
            reductions: Vec::new(),
            brought: Vec::new(),
            errors: Errors::default(),
        }
    }

    /// Reads the next function of the run.
    pub fn function(&mut self, function: &Function) {
        self.earlier = self.cells.iter().map(|(cell, _)| cell.clone()).collect();
        let scoped = Scoped::new(&function.body);
        let mut reading = Reading { reader: self, function, scoped: &scoped, variables: BTreeMap::new(), branches: 0 };
        reading.statements(&scoped.body.stmts);
    }

    /// The value of a cell before the run has written it.
    fn first(&mut self, cell: &Cell) -> Id {
        let reduction = self.reductions.iter().find(|(known, _)| known == cell).map(|(_, reduction)| *reduction);
        match reduction {
            Some(Reduction::Sum) => self.tape.number(0.0),
            Some(Reduction::Product) => self.tape.number(1.0),
            Some(Reduction::Min) => self.tape.number(f32::INFINITY),
            Some(Reduction::Max) => self.tape.number(f32::NEG_INFINITY),
            // States are no cells.
            Some(_) | None => self.memory(&cell.access()),
        }
    }

    /// What memory has of a property. What a run writes of its own does not vary before.
    fn memory(&mut self, access: &Access) -> Id {
        let read = self.properties.bit(&access.property) | self.properties.set(&access.matrix);
        self.tape.read(access, self.varying & read != 0)
    }

    /// The value of a cell by now.
    pub fn cell(&mut self, cell: &Cell) -> Id {
        match self.cells.iter().find(|(known, _)| known == cell) {
            Some((_, id)) => *id,
            None => self.first(cell),
        }
    }

    /// Has a cell have a value from here on.
    pub(super) fn set(&mut self, cell: Cell, id: Id) {
        match self.cells.iter_mut().find(|(known, _)| *known == cell) {
            Some((_, known)) => *known = id,
            None => self.cells.push((cell, id)),
        }
    }
}

impl Reading<'_, '_> {
    /// The access that an expression is.
    pub(super) fn access(&self, expression: &Expr) -> Option<Access> {
        recognise(expression, self.function.kind, &self.function.names).and_then(Result::ok)
    }

    /// The value that an access has by now.
    pub(super) fn accessed(&mut self, access: &Access) -> Id {
        if let Some(index) = &access.index {
            return self.gathered(access, index);
        }
        if !matches!(access.place, Place::Vertex | Place::Edge) || access.matrix.is_some() {
            return self.reader.memory(access);
        }
        let cell = Cell::of(access);
        if self.reader.earlier.contains(&cell) {
            self.reader.passed_on.push(cell.clone());
        }
        self.reader.cell(&cell)
    }

    /// What is read at an index that is computed. What varies there is a row of a table, to whose adjoint a function may add.
    fn gathered(&mut self, access: &Access, index: &Expr) -> Id {
        let index = self.expression(index);
        let varies = self.reader.varying & self.reader.properties.bit(&access.property) != 0;
        if varies && access.place == Place::Computed {
            self.reader.errors.push(&access.property, message::GRADIENT_COMPUTED);
        } else if varies && self.branches > 0 {
            self.reader.errors.push(&access.property, message::GRADIENT_ROW);
        }
        self.reader.tape.gather(access, index, varies)
    }

    /// Reads statements. The value of the last one, if it has one.
    fn statements(&mut self, statements: &[Stmt]) -> Option<Id> {
        let mut value = None;
        for (index, statement) in statements.iter().enumerate() {
            if let Some((condition, guard)) = guard_of(statement) {
                let rest = &statements[index + 1..];
                let which = self.expression(condition);
                let leave = self.branch(|reading| reading.statements(guard));
                let stay = self.branch(|reading| reading.statements(rest));
                return self.join(which, None, vec![leave, stay]);
            }
            value = self.statement(statement);
        }
        value
    }

    fn statement(&mut self, statement: &Stmt) -> Option<Id> {
        match statement {
            Stmt::Local(local) => {
                if let Some(init) = &local.init {
                    if let Some((_, otherwise)) = &init.diverge {
                        self.reader.errors.push(otherwise, message::GRADIENT_RETURN);
                    }
                    self.declare(&local.pat, &init.expr);
                }
                None
            }
            Stmt::Expr(expression, end) => {
                if end.is_some() && changes_unseen(expression) {
                    self.reader.errors.push(expression, message::GRADIENT_PATTERN);
                }
                let value = self.evaluated(expression);
                value.filter(|_| end.is_none())
            }
            _ => None,
        }
    }

    /// Reads an expression in place of a statement.
    pub(super) fn evaluated(&mut self, expression: &Expr) -> Option<Id> {
        if let Some(assignment) = assignment(expression) {
            self.assign(assignment);
            return None;
        }
        match bare(expression) {
            Expr::If(choice) => self.choose_if(choice),
            Expr::Match(choice) => self.choose_match(choice),
            Expr::Block(block) if block.label.is_none() => self.statements(&block.block.stmts),
            Expr::Block(_) => {
                self.reader.errors.push(expression, message::GRADIENT_PATTERN);
                None
            }
            Expr::Return(leave) => leave.expr.as_ref().map(|value| self.expression(value)),
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
                self.reader.errors.push(expression, message::GRADIENT_LOOP);
                None
            }
            _ => Some(self.expression(expression)),
        }
    }

    /// The value of a block that is an expression.
    pub(super) fn body(&mut self, body: &Body) -> Option<Id> {
        self.statements(&body.stmts)
    }

    fn declare(&mut self, pattern: &Pat, value: &Expr) {
        match (pattern, bare(value)) {
            (Pat::Type(typed), _) => self.declare(&typed.pat, value),
            // What it computes may change a variable.
            (Pat::Wild(_), _) => {
                self.code(value, None);
            }
            (Pat::Ident(name), _) if name.by_ref.is_none() && name.subpat.is_none() => {
                let id = self.expression(value);
                self.bind(&name.ident, id);
            }
            (Pat::Tuple(pattern), Expr::Tuple(values)) if pattern.elems.len() == values.elems.len() => {
                let ids: Vec<Id> = values.elems.iter().map(|value| self.expression(value)).collect();
                pattern.elems.iter().zip(ids).for_each(|(pattern, id)| self.bind_pattern(pattern, id));
            }
            (Pat::Tuple(pattern), Expr::MethodCall(call)) if call.method == "sin_cos" && pattern.elems.len() == 2 => {
                let angle = self.expression(&call.receiver);
                for (pattern, method) in pattern.elems.iter().zip(["sin", "cos"]) {
                    let id = self.reader.tape.method(method, vec![angle]);
                    self.bind_pattern(pattern, id);
                }
            }
            _ => self.take_apart(pattern, value),
        }
    }

    /// Has a variable have a value from here on.
    pub(super) fn bind(&mut self, name: &Ident, id: Id) {
        if let Some(own) = self.scoped.original(name) {
            self.reader.tape.name(id, &own.to_string());
        }
        self.variables.insert(name.clone(), id);
    }

    fn bind_pattern(&mut self, pattern: &Pat, id: Id) {
        match pattern {
            Pat::Ident(name) => self.bind(&name.ident, id),
            Pat::Type(typed) => self.bind_pattern(&typed.pat, id),
            Pat::Wild(_) => {}
            _ => self.reader.errors.push(pattern, message::GRADIENT_PATTERN),
        }
    }

    /// Each name that a pattern binds, as code that takes the value apart.
    fn take_apart(&mut self, pattern: &Pat, value: &Expr) {
        for name in bound_names(pattern) {
            let code = syn::parse_quote!({ let #pattern = #value; #name });
            let id = self.code(&code, Some(message::GRADIENT_PATTERN.to_owned()));
            self.bind(&name, id);
        }
    }
}

/// Whether a statement is a call whose value nobody takes, so that it is there for what it changes.
fn changes_unseen(expression: &Expr) -> bool {
    matches!(bare(expression), Expr::Call(_) | Expr::MethodCall(_)) && assignment(expression).is_none()
}

/// `if condition { ..; return value; }`: what stands after it runs only where the condition does not hold.
fn guard_of(statement: &Stmt) -> Option<(&Expr, &[Stmt])> {
    let Stmt::Expr(Expr::If(choice), _) = statement else { return None };
    let leaves = matches!(choice.then_branch.stmts.last(), Some(Stmt::Expr(Expr::Return(_), _)));
    let is_plain = choice.else_branch.is_none() && !matches!(*choice.cond, Expr::Let(_));
    let (_, before) = choice.then_branch.stmts.split_last()?;
    (leaves && is_plain && !before.iter().any(returns)).then_some((&choice.cond, before))
}

/// Whether a function returns elsewhere than at its end or from an `if` that does nothing else.
pub fn strays(function: &Function) -> Option<&Stmt> {
    let statements = &function.body.stmts;
    let is_end = |index: usize, statement: &Stmt| {
        index + 1 == statements.len() && matches!(statement, Stmt::Expr(Expr::Return(_), _))
    };
    let mut all = statements.iter().enumerate();
    let found = all
        .find(|(index, statement)| returns(statement) && guard_of(statement).is_none() && !is_end(*index, statement));
    found.map(|(_, statement)| statement)
}

/// Whether the function is called for edges.
pub fn is_edge(function: &Function) -> bool {
    function.kind == Kind::Edge
}
