//! Whole functions: what they prepare, what they write or reduce, and what they return.

use crate::dice::Dice;
use crate::expression::{Access, Binary, Expression, Place};
use crate::generator::draft::{Draft, Position, Role};
use crate::generator::scope::Scope;
use crate::operation::Operation;
use crate::program::Function;
use crate::statement::Statement;

/// What a vertex function of a fold that may be pushed has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duty {
    /// Nothing in particular.
    Free,
    /// It runs before anything has changed, and may stop the next ones.
    Prepare,
    /// It writes the labels, and returns whether they have changed.
    Settle,
    /// It runs after that, and returns true.
    Follow,
    /// As it likes, but it returns true.
    Always,
}

/// Draws a function. `written` are the own properties that earlier functions of its run have written; it adds its own.
pub(super) fn draw(draft: &Draft, position: Position, written: &mut Vec<usize>, dice: &mut Dice) -> Function {
    let has_feature = draft.shape.has_features && (must_have_feature(draft, position) || dice.chance(85));
    let duty = duty(draft, position);
    let mut scope = Scope::new(draft, position, has_feature, written.clone(), dice);
    let (statements, result) = if position.is_edge { scope.edge() } else { scope.vertex(duty) };
    *written = scope.written;
    let name = format!("{}{}", if position.is_edge { "edge" } else { "vertex" }, position.number);
    Function { name, is_edge: position.is_edge, has_feature, statements, result }
}

/// Whether a function reduces a property with features, or has to write the labels.
fn must_have_feature(draft: &Draft, position: Position) -> bool {
    let reduces = |planned: &crate::generator::draft::Planned| {
        planned.reducers.contains(&position.number) && planned.property.element.is_row()
    };
    draft.properties.iter().any(reduces) || duty(draft, position) == Duty::Settle
}

fn duty(draft: &Draft, position: Position) -> Duty {
    if position.is_edge || !draft.is_propagation() || draft.style == crate::name::Style::History {
        return Duty::Free;
    }
    if !draft.is_settling {
        return Duty::Always;
    }
    let vertices: Vec<usize> = draft.positions.iter().filter(|it| !it.is_edge).map(|it| it.number).collect();
    let settling = vertices[draft.properties.len() % vertices.len()];
    match position.number.cmp(&settling) {
        std::cmp::Ordering::Less => Duty::Prepare,
        std::cmp::Ordering::Equal => Duty::Settle,
        std::cmp::Ordering::Greater => Duty::Follow,
    }
}

impl Scope<'_> {
    fn edge(&mut self) -> (Vec<Statement>, Expression) {
        let (count, number) = (self.dice.below(3), self.position.number);
        let mut statements = self.statements(count, true);
        let targets: Vec<usize> = self.writable().into_iter().filter(|_| self.dice.chance(60)).collect();
        targets.into_iter().for_each(|property| statements.extend(self.target(property)));
        let totals = self.draft.properties.iter().enumerate();
        let totals: Vec<usize> = totals.filter(|(_, it)| it.reducers.contains(&number)).map(|(property, _)| property).collect();
        let may_leave = self.may_stop();
        for property in totals {
            if may_leave && self.dice.chance(12) {
                statements.push(self.early_return(true));
            }
            statements.extend(self.reduced(property));
        }
        let result = self.edge_result(may_leave);
        (statements, result)
    }

    /// Whether the edge function may return false without breaking a rule.
    fn may_stop(&self) -> bool {
        let is_last_stage = self.position.stage + 1 == self.draft.shape.stages.len();
        let is_pushed = self.draft.shape.kind == crate::generator::shape::Kind::Pushed && is_last_stage;
        !(is_pushed || self.draft.shape.is_unfolded && !self.position.is_last)
    }

    /// One or two contributions, now and then on some paths alone.
    fn reduced(&mut self, property: usize) -> Vec<Statement> {
        if self.dice.chance(30) {
            let wish = if self.dice.chance(50) { self.uniform() } else { self.wish() };
            let holds = self.flag(wish, 1);
            let branch = |scope: &mut Self| scope.nested(!holds.is_uniform, |scope| scope.reduce(property)).into_iter().collect();
            let (then, otherwise) = (branch(self), if self.dice.chance(30) { branch(self) } else { Vec::new() });
            return vec![Statement::If { condition: holds.expression, then, otherwise }];
        }
        let twice = usize::from(self.dice.chance(10));
        (0..=twice).filter_map(|_| self.reduce(property)).collect()
    }

    /// Writes a property, now and then on some paths alone.
    fn target(&mut self, property: usize) -> Vec<Statement> {
        let is_scratch = self.draft.properties[property].role == Role::Scratch;
        if is_scratch || self.dice.chance(75) {
            return self.write(property);
        }
        let wish = if self.dice.chance(50) { self.uniform() } else { self.wish() };
        let holds = self.flag(wish, 1);
        let then = self.nested(!holds.is_uniform, |scope| scope.write(property));
        vec![Statement::If { condition: holds.expression, then, otherwise: Vec::new() }]
    }

    /// A `return` behind a condition. After it no operation may be called.
    fn early_return(&mut self, any_value: bool) -> Statement {
        let holds = self.flag(self.wish(), 1);
        let value = if any_value && self.dice.chance(40) { Expression::Flag(self.dice.chance(50)) } else { Expression::Flag(false) };
        self.has_left = true;
        self.is_diverged |= !holds.is_uniform && self.has_feature;
        Statement::If { condition: holds.expression, then: vec![Statement::Return(value)], otherwise: Vec::new() }
    }

    fn edge_result(&mut self, may_leave: bool) -> Expression {
        if !may_leave {
            return Expression::Flag(true);
        }
        let last = usize::from(self.position.is_last);
        match self.dice.weighted(&[(11, 0), (5, 1), (3, 2), (last, 3)]) {
            1 => self.flag(self.uniform(), 1).expression,
            2 => self.flag(self.wish(), 1).expression,
            3 => Expression::Flag(false),
            _ => Expression::Flag(true),
        }
    }

    fn vertex(&mut self, duty: Duty) -> (Vec<Statement>, Expression) {
        let writable = self.writable();
        let is_label = |property: &usize| self.draft.properties[*property].role == Role::Label;
        let (labels, others): (Vec<usize>, Vec<usize>) = writable.into_iter().partition(is_label);
        let labels = if matches!(duty, Duty::Prepare | Duty::Follow) { Vec::new() } else { labels };
        let mut statements = Vec::new();
        if duty == Duty::Settle {
            statements.extend(labels.iter().map(|label| self.remember(*label)));
        }
        let count = self.dice.below(3);
        statements.extend(self.statements(count, true));
        let mut targets: Vec<usize> = others.into_iter().filter(|_| self.dice.chance(65)).collect();
        targets.extend(labels.iter().filter(|_| duty == Duty::Settle || self.dice.chance(80)));
        for property in targets {
            // What has changed is returned: once a label is written, nothing else leaves.
            let may_leave = matches!(duty, Duty::Free | Duty::Prepare) || duty == Duty::Settle && !labels.contains(&property);
            if may_leave && self.dice.chance(6) {
                statements.push(self.early_return(duty == Duty::Free));
            }
            statements.extend(self.target(property));
        }
        let result = self.vertex_result(duty, &labels);
        (statements, result)
    }

    /// Keeps a label's value in a variable that nothing else is called.
    fn remember(&mut self, label: usize) -> Statement {
        Statement::Let { name: format!("old{label}"), is_mutable: false, value: own(label) }
    }

    fn vertex_result(&mut self, duty: Duty, labels: &[usize]) -> Expression {
        match duty {
            Duty::Follow | Duty::Always => Expression::Flag(true),
            Duty::Settle => self.changed(labels),
            Duty::Prepare => if self.dice.chance(60) { Expression::Flag(true) } else { self.flag(self.wish(), 1).expression },
            Duty::Free => match self.dice.below(10) {
                0 | 1 => Expression::Flag(true),
                2 if self.position.is_last => Expression::Flag(false),
                3..6 => self.flag(self.uniform(), 2).expression,
                _ => self.flag(self.wish(), 2).expression,
            },
        }
    }

    /// Whether any label differs from what was remembered.
    fn changed(&mut self, labels: &[usize]) -> Expression {
        let differs = |label: &usize| {
            let old = Expression::Variable(format!("old{label}"));
            Expression::binary(Binary::Differs, own(*label), old)
        };
        let changes = labels.iter().map(differs).reduce(|one, other| Expression::binary(Binary::Or, one, other));
        let Some(changed) = changes else { return Expression::Flag(true) };
        if self.may_operate() && self.dice.chance(60) {
            return Expression::Operation(Operation::Any, vec![changed]);
        }
        changed
    }
}

/// A property of the function's own vertex.
fn own(property: usize) -> Expression {
    Expression::Read(Access { property, place: Place::Vertex })
}

