//! Which values are the same for all features, and where operations may stand: the rules of a single function.

use crate::expression::{Binary, Expression};
use crate::operation::Operation;
use crate::program::{Function, Program};
use crate::statement::Statement;

/// The rule that a function breaks by itself, if it breaks any.
pub fn broken(program: &Program, function: &Function) -> Option<String> {
    let mut walk = Walk::new(program, function);
    walk.statements(&function.statements);
    walk.varies(&function.result, true);
    walk.broken
}

struct Walk<'a> {
    program: &'a Program,
    function: &'a Function,
    /// The variables in scope, and whether they differ between features.
    variables: Vec<(String, bool)>,
    /// How many statements are around.
    depth: usize,
    is_diverged: bool,
    has_returned: bool,
    result_varies: bool,
    left_loop: bool,
    broken: Option<String>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, function: &'a Function) -> Self {
        Self {
            program,
            function,
            variables: Vec::new(),
            depth: 0,
            is_diverged: false,
            has_returned: false,
            result_varies: false,
            left_loop: false,
            broken: None,
        }
    }

    fn breaks(&mut self, is_broken: bool, rule: &str) {
        if is_broken && self.broken.is_none() {
            self.broken = Some(format!("{}: {rule}", self.function.name));
        }
    }

    /// Whether an expression differs between features. Only some places may hold operations.
    fn varies(&mut self, expression: &Expression, operates: bool) -> bool {
        match expression {
            Expression::Feature(_) => self.function.has_feature,
            Expression::Read(access) => {
                self.function.has_feature && self.program.properties[access.property].element.is_row()
            }
            Expression::Gather(property, index) => {
                let differs = self.varies(index, operates);
                self.breaks(differs, "an index that differs");
                self.function.has_feature && self.program.properties[*property].element.is_row()
            }
            Expression::Variable(name) => self.variable(name),
            Expression::Binary(of, values) => {
                let is_lazy = matches!(of, Binary::And | Binary::Or);
                let left = self.varies(&values[0], operates);
                left | self.varies(&values[1], operates && !is_lazy)
            }
            Expression::Choose(values) => {
                let holds = self.varies(&values[0], operates);
                holds | self.varies(&values[1], false) | self.varies(&values[2], false)
            }
            Expression::Match(count, arms) => {
                let count = self.varies(count, operates);
                arms.iter().fold(count, |varies, arm| varies | self.varies(arm, false))
            }
            Expression::Operation(of, arguments) => self.operation(*of, arguments, operates),
            Expression::Block(statements, value) => {
                let depth = self.variables.len();
                self.nested(false, |walk| walk.statements(statements));
                self.declare_all(statements);
                let varies = self.varies(value, false);
                self.variables.truncate(depth);
                varies
            }
            Expression::Apply(parameter, values) => {
                let argument = self.varies(&values[1], false);
                self.variables.push((parameter.clone(), argument));
                let body = self.varies(&values[0], false);
                self.variables.pop();
                argument | body
            }
            _ => expression.parts().into_iter().fold(false, |varies, part| varies | self.varies(part, operates)),
        }
    }

    fn operation(&mut self, of: Operation, arguments: &[Expression], operates: bool) -> bool {
        let may = operates && self.depth == 0 && !self.has_returned && self.function.has_feature;
        self.breaks(!may, "an operation that not every feature reaches");
        let varies: Vec<bool> = arguments.iter().map(|argument| self.varies(argument, operates)).collect();
        self.breaks(of == Operation::Broadcast && varies[1], "a broadcast that differs");
        !of.is_uniform()
    }

    fn variable(&mut self, name: &str) -> bool {
        let found = self.variables.iter().rev().find(|(known, _)| known == name).map(|(_, varies)| *varies);
        self.breaks(found.is_none(), "a variable that is not there");
        found.unwrap_or_default()
    }

    fn declare_all(&mut self, statements: &[Statement]) {
        for statement in statements {
            if let Statement::Let { name, value, .. } = statement {
                let varies = self.varies(value, false);
                self.variables.push((name.clone(), varies));
            }
        }
    }

    fn nested(&mut self, diverges: bool, walk: impl FnOnce(&mut Self)) {
        let (length, before) = (self.variables.len(), self.is_diverged);
        self.depth += 1;
        self.is_diverged |= diverges;
        walk(self);
        self.depth -= 1;
        self.is_diverged = before;
        self.variables.truncate(length);
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        let differs =
            statement.expressions().into_iter().fold(false, |varies, value| varies | self.varies(value, true));
        match statement {
            Statement::Let { name, .. } => self.variables.push((name.clone(), differs)),
            Statement::Set { name, .. } => self.taint(name, differs),
            Statement::Write { access, .. } | Statement::Reduce { access, .. } => self.change(access.property, differs),
            Statement::If { then, otherwise, .. } => {
                self.branch(differs, then);
                self.branch(differs, otherwise);
            }
            Statement::Repeat { round, body, .. } => self.repeat(round, body),
            Statement::Break => self.left_loop |= self.is_diverged,
            Statement::Return(_) => {
                self.has_returned = true;
                self.result_varies |= differs || self.is_diverged;
            }
        }
    }

    fn taint(&mut self, name: &str, differs: bool) {
        let differs = differs || self.is_diverged;
        match self.variables.iter_mut().rev().find(|(known, _)| known == name) {
            Some((_, varies)) => *varies |= differs,
            None => self.breaks(true, "a variable that is not there"),
        }
    }

    fn change(&mut self, property: usize, differs: bool) {
        let is_scalar = self.function.has_feature && !self.program.properties[property].element.is_row();
        self.breaks(is_scalar && differs, "a scalar that differs");
        self.breaks(is_scalar && self.is_diverged, "a scalar on a path that differs");
    }

    /// A `return` or `break` in a branch lets features leave for good where they have parted.
    fn branch(&mut self, differs: bool, statements: &[Statement]) {
        let returned = self.result_varies;
        self.nested(differs, |walk| walk.statements(statements));
        self.is_diverged |= self.result_varies && !returned || self.left_loop;
    }

    /// A loop is walked twice: what the first round makes different is different at the start of the second.
    fn repeat(&mut self, round: &str, body: &[Statement]) {
        let (returned, before) = (self.result_varies, self.is_diverged);
        let outer = std::mem::take(&mut self.left_loop);
        for _ in 0..2 {
            self.nested(false, |walk| {
                walk.variables.push((round.to_string(), false));
                walk.statements(body);
            });
        }
        self.left_loop = outer;
        self.is_diverged = before || self.result_varies && !returned;
    }
}
