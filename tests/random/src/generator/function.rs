//! Whole functions: what they prepare, what they write or reduce, and what they return.

use crate::dice::Dice;
use crate::expression::Expression;
use crate::generator::draft::{Draft, Planned, Position, Role};
use crate::generator::scope::Scope;
use crate::generator::settle::Told;
use crate::generator::shape::Kind;
use crate::name::Style;
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
    /// It writes labels, and returns nearly whether they have changed.
    Near,
}

impl Duty {
    /// Whether the function returns something about the labels that it writes.
    fn tells(self) -> bool {
        matches!(self, Self::Settle | Self::Near)
    }
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
    let reduces = |planned: &Planned| planned.reducers.contains(&position.number) && planned.property.element.is_row();
    draft.properties.iter().any(reduces) || duty(draft, position).tells()
}

fn duty(draft: &Draft, position: Position) -> Duty {
    match draft.style {
        _ if position.is_edge || !draft.is_propagation() => return Duty::Free,
        Style::History => return Duty::Free,
        Style::Near => return Duty::Near,
        _ if !draft.is_settling => return Duty::Always,
        _ => {}
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
        let count = self.dice.below(3);
        let mut statements = self.statements(count, true);
        let targets: Vec<usize> = self.writable().into_iter().filter(|_| self.dice.chance(60)).collect();
        targets.into_iter().for_each(|property| statements.extend(self.target(property)));
        let totals = self.totals();
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

    /// The totals that the function reduces into or adds to.
    fn totals(&self) -> Vec<usize> {
        let properties = self.draft.properties.iter().enumerate();
        let reduced = properties.filter(|(_, planned)| planned.reducers.contains(&self.position.number));
        reduced.map(|(property, _)| property).collect()
    }

    /// Whether the edge function may return false without breaking a rule.
    fn may_stop(&self) -> bool {
        let is_last_stage = self.position.stage + 1 == self.draft.shape.stages.len();
        let is_pushed = self.draft.shape.kind == Kind::Pushed && is_last_stage;
        !(is_pushed || self.draft.shape.is_unfolded && !self.position.is_last)
    }

    /// One or two contributions, now and then on some paths alone.
    fn reduced(&mut self, property: usize) -> Vec<Statement> {
        if self.dice.chance(30) {
            let wish = if self.dice.chance(50) { self.uniform() } else { self.wish() };
            let holds = self.flag(wish, 1);
            let branch = |scope: &mut Self| {
                scope.nested(!holds.is_uniform, |scope| scope.reduce(property)).into_iter().collect()
            };
            let then: Vec<Statement> = branch(self);
            let otherwise: Vec<Statement> = if self.dice.chance(30) { branch(self) } else { Vec::new() };
            if then.is_empty() {
                return otherwise;
            }
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
        if then.is_empty() {
            return then;
        }
        vec![Statement::If { condition: holds.expression, then, otherwise: Vec::new() }]
    }

    /// A `return` behind a condition. After it no operation may be called.
    fn early_return(&mut self, any_value: bool) -> Statement {
        let holds = self.flag(self.wish(), 1);
        let value = if any_value && self.dice.chance(40) {
            Expression::Flag(self.dice.chance(50))
        } else {
            Expression::Flag(false)
        };
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
        if duty.tells() {
            statements.extend(labels.iter().map(|label| self.remember(*label)));
        }
        let count = self.dice.below(3);
        statements.extend(self.statements(count, true));
        let others: Vec<usize> = others.into_iter().filter(|_| self.dice.chance(65)).collect();
        for property in others {
            if matches!(duty, Duty::Free | Duty::Prepare | Duty::Settle | Duty::Near) && self.dice.chance(6) {
                statements.push(self.early_return(duty == Duty::Free));
            }
            statements.extend(self.target(property));
        }
        let totals = self.totals();
        totals.into_iter().for_each(|total| statements.extend(self.reduced(total)));
        if duty == Duty::Near && !labels.is_empty() && self.dice.chance(15) {
            let label = *self.dice.pick(&labels);
            if let Some((setting, result)) = self.set_once(label) {
                statements.extend(setting);
                return (statements, result);
            }
        }
        let told = self.write_labels(duty, &labels, &mut statements);
        let result = self.vertex_result(duty, &told);
        (statements, result)
    }

    /// Writes the labels. Returns how it is known of each whether it has changed.
    fn write_labels(&mut self, duty: Duty, labels: &[usize], statements: &mut Vec<Statement>) -> Vec<Told> {
        let mut told = Vec::new();
        for label in labels {
            if !duty.tells() {
                statements.extend(if self.dice.chance(80) { self.target(*label) } else { Vec::new() });
                continue;
            }
            let moved = if self.dice.chance(50) { self.move_label(*label) } else { None };
            told.push(if moved.is_some() { Told::Moved(*label) } else { Told::Old(*label) });
            statements.extend(moved.unwrap_or_else(|| self.target(*label)));
            if duty == Duty::Near && self.dice.chance(15) {
                statements.extend(self.target(*label));
            }
        }
        told
    }

    fn vertex_result(&mut self, duty: Duty, labels: &[Told]) -> Expression {
        match duty {
            Duty::Follow | Duty::Always => Expression::Flag(true),
            Duty::Settle => self.changed(labels),
            Duty::Near => self.nearly_changed(labels),
            Duty::Prepare if self.dice.chance(60) => Expression::Flag(true),
            Duty::Prepare => self.flag(self.wish(), 1).expression,
            Duty::Free => match self.dice.below(10) {
                0 | 1 => Expression::Flag(true),
                2 if self.position.is_last => Expression::Flag(false),
                3..6 => self.flag(self.uniform(), 2).expression,
                _ => self.flag(self.wish(), 2).expression,
            },
        }
    }
}
