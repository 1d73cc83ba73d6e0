//! What a vertex function returns about the labels that it writes: whether they have changed, or nearly that.

use crate::expression::{Access, Binary, Expression, Place, Unary};
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Variable};
use crate::operation::Operation;
use crate::statement::{Change, Statement};

/// Less than the grain: differences are compared with it in place of zero.
const TOLERANCES: [f64; 3] = [0.0, 0.05, 0.1];

/// A label that a function has written, and how it is known whether it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// By the variable that keeps the earlier value.
    Old(usize),
    /// By the variable that keeps the answer.
    Moved(usize),
}

/// A property of the function's own vertex.
fn own(property: usize) -> Expression {
    Expression::Read(Access { property, place: Place::Vertex })
}

impl Scope<'_> {
    /// Keeps a label's value in a variable that nothing else is called.
    pub(super) fn remember(&mut self, label: usize) -> Statement {
        Statement::Let { name: format!("old{label}"), is_mutable: false, value: own(label) }
    }

    /// Compares a label with its next value before that is stored: `let new = ..; let moved = new != d.label[v][f]; d.label[v][f] = new;`
    pub(super) fn move_label(&mut self, label: usize) -> Option<Vec<Statement>> {
        let element = self.draft.properties[label].property.element;
        let must_be_uniform = self.has_feature && !element.is_row();
        if must_be_uniform && self.is_diverged || element.is_matrix() || !self.has_feature && element.is_row() {
            return None;
        }
        let access = Access { property: label, place: Place::Vertex };
        let value = self.label(access, if must_be_uniform { self.uniform() } else { self.wish() });
        let new = Expression::Variable(format!("new{label}"));
        let moved = self.difference(new.clone(), label);
        Some(vec![
            Statement::Let { name: format!("new{label}"), is_mutable: false, value },
            Statement::Let { name: format!("moved{label}"), is_mutable: false, value: moved },
            Statement::Write { access, change: Change::Assign, value: new },
        ])
    }

    /// Whether a value is another one than the label has: in one of the ways that people write it.
    fn difference(&mut self, new: Expression, label: usize) -> Expression {
        self.differs(new, own(label), label)
    }

    fn differs(&mut self, new: Expression, old: Expression, label: usize) -> Expression {
        let property = &self.draft.properties[label].property;
        let (is_row, is_whole) = (property.element.is_row(), property.precision.is_whole());
        if is_whole || self.dice.chance(45) {
            return Expression::binary(Binary::Differs, new, old);
        }
        let difference = Expression::binary(Binary::Subtract, new, old);
        let size = Expression::unary(Unary::Abs, difference.clone());
        let operates = self.may_operate() && is_row;
        let (size, tolerance) = match self.dice.below(if operates { 6 } else { 1 }) {
            1 => (Expression::Operation(Operation::Norm2, vec![difference]), *self.dice.pick(&TOLERANCES)),
            2 => (Expression::Operation(Operation::Sum, vec![size]), *self.dice.pick(&TOLERANCES)),
            3 => (Expression::Operation(Operation::Max, vec![size]), *self.dice.pick(&TOLERANCES)),
            4 => (Expression::Operation(Operation::Dot, vec![difference.clone(), difference]), 0.01),
            _ => (size, *self.dice.pick(&TOLERANCES)),
        };
        Expression::binary(Binary::More, size, Expression::Number(tolerance))
    }

    fn told(&mut self, told: Told) -> Expression {
        match told {
            Told::Moved(label) => Expression::Variable(format!("moved{label}")),
            Told::Old(label) => self.differs(own(label), Expression::Variable(format!("old{label}")), label),
        }
    }

    /// Whether any of the labels has changed.
    pub(super) fn changed(&mut self, labels: &[Told]) -> Expression {
        let operates = self.may_operate();
        let mut changed: Option<Expression> = None;
        for told in labels {
            let is_first = changed.is_none();
            // No operation may stand at the right of `||`.
            let depth = self.depth;
            self.depth += usize::from(!is_first);
            let next = self.told(*told);
            self.depth = depth;
            changed = Some(changed.map_or(next.clone(), |changed| Expression::binary(Binary::Or, changed, next)));
        }
        let changed = changed.unwrap_or(Expression::Flag(true));
        if operates && self.dice.chance(60) { Expression::Operation(Operation::Any, vec![changed]) } else { changed }
    }

    /// Something like whether any of the labels has changed.
    pub(super) fn nearly_changed(&mut self, labels: &[Told]) -> Expression {
        let some = if labels.len() > 1 && self.dice.chance(20) { &labels[1..] } else { labels };
        let changed = self.changed(some);
        let wish = crate::generator::scope::Wish { operates: false, ..self.wish() };
        match self.dice.below(12) {
            0 => {
                let flag = self.flag(wish, 1).expression;
                Expression::binary(Binary::And, changed, flag)
            }
            1 => {
                let flag = self.flag(wish, 1).expression;
                Expression::binary(Binary::Or, changed, flag)
            }
            2 => Expression::unary(Unary::Not, changed),
            3 if self.may_operate() => Expression::Operation(Operation::All, vec![changed]),
            4 => self.flag(self.wish(), 2).expression,
            5 => Expression::Flag(self.dice.chance(70)),
            6 => self.rising(labels).unwrap_or(changed),
            _ => changed,
        }
    }

    /// Whether a label has become greater, which says nothing of one that falls.
    fn rising(&mut self, labels: &[Told]) -> Option<Expression> {
        let old = labels.iter().find_map(|told| match told {
            Told::Old(label) => Some(*label),
            Told::Moved(_) => None,
        })?;
        Some(Expression::binary(Binary::More, own(old), Expression::Variable(format!("old{old}"))))
    }

    /// A condition that decides about a label, and is what the function returns.
    pub(super) fn set_once(&mut self, label: usize) -> Option<(Vec<Statement>, Expression)> {
        let is_scalar = self.has_feature && !self.draft.properties[label].property.element.is_row();
        let holds = self.flag(if is_scalar { self.uniform() } else { self.wish() }, 2);
        let name = self.fresh("new");
        let statement = Statement::Let { name: name.clone(), is_mutable: false, value: holds.expression };
        let variable = Variable {
            name: name.clone(),
            of: Type::Flag,
            range: Range::Wild,
            is_uniform: holds.is_uniform,
            is_mutable: false,
        };
        self.variables.push(variable);
        let then = self.nested(!holds.is_uniform, |scope| scope.write(label));
        let known = Drawn::new(Expression::Variable(name), Range::Wild, holds.is_uniform).expression;
        let choice = Statement::If { condition: known.clone(), then, otherwise: Vec::new() };
        Some((vec![statement, choice], known))
    }
}
