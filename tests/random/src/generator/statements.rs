//! Statements of a function.

use crate::expression::{Access, Binary, Expression, Place};
use crate::generator::draft::Role;
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Variable, Wish};
use crate::statement::{Change, Loop, Reduction, Statement};

/// How deep expressions are.
pub(super) const DEPTH: usize = 2;
/// Parts of a value that have ten bits.
const FINE: [f64; 3] = [847.0 / 1024.0, -653.0 / 1024.0, 1009.0 / 1024.0];

impl Scope<'_> {
    /// A few statements that prepare something, `allowed` of which may change properties.
    pub(super) fn statements(&mut self, count: usize, changes: bool) -> Vec<Statement> {
        (0..count).flat_map(|_| self.statement(changes)).collect()
    }

    fn statement(&mut self, changes: bool) -> Vec<Statement> {
        let nested = if self.depth < 2 { 2 } else { 0 };
        let change = if changes { 3 } else { 0 };
        match self.dice.weighted(&[(5, 0), (2, 1), (nested, 2), (nested / 2, 3), (change, 4)]) {
            0 => vec![self.declaration()],
            1 => self.setting().into_iter().collect(),
            2 => self.condition(changes),
            3 => vec![self.repetition()],
            _ => self.some_write(),
        }
    }

    /// A new variable, now and then in place of one of the same name.
    fn declaration(&mut self) -> Statement {
        let wish = if self.dice.chance(25) { self.uniform() } else { self.wish() };
        let (of, value) = self.variable_value(wish);
        let may_change = match of {
            Type::Float => value.range != Range::Rough,
            Type::Count | Type::Byte => self.draft.has_integers() && value.range != Range::VERTEX,
            Type::Flag | Type::Row => false,
        };
        let is_mutable = may_change && self.dice.chance(40);
        let value = if is_mutable && of == Type::Float { value.within(Range::SMALL) } else { value };
        let again = self.depth == 0 && !self.variables.is_empty() && self.dice.chance(12);
        let name = if again { self.dice.pick(&self.variables).name.clone() } else { self.fresh("x") };
        self.variables.retain(|known| known.name != name);
        let is_uniform = value.is_uniform || !self.has_feature;
        self.variables.push(Variable { name: name.clone(), of, range: value.range, is_uniform, is_mutable });
        Statement::Let { name, is_mutable, value: value.expression }
    }

    fn variable_value(&mut self, wish: Wish) -> (Type, Drawn) {
        let row = if self.draft.shape.has_matrices && self.has_feature && !wish.uniform { 2 } else { 0 };
        let (count, byte) = if self.draft.has_integers() { (3, 2) } else { (1, 0) };
        let types = [(6, Type::Float), (2, Type::Flag), (count, Type::Count), (row, Type::Row), (byte, Type::Byte)];
        match self.dice.weighted(&types) {
            Type::Float if self.dice.chance(15) => (Type::Float, self.rough(wish, 1)),
            Type::Float => (Type::Float, self.exact(wish, DEPTH)),
            Type::Flag => (Type::Flag, self.flag(wish, DEPTH)),
            Type::Count if self.gathers() && self.dice.chance(50) => (Type::Count, self.vertex_number(wish, DEPTH)),
            Type::Count => (Type::Count, self.count(wish, 1)),
            Type::Row => (Type::Row, self.row(wish, 1)),
            Type::Byte => (Type::Byte, self.byte(wish, DEPTH)),
        }
    }

    /// A change of a variable: it stays small.
    fn setting(&mut self) -> Option<Statement> {
        let can = |known: &&Variable| known.is_mutable && (!known.is_uniform || !self.is_diverged || !self.has_feature);
        let known: Vec<Variable> = self.variables.iter().filter(can).cloned().collect();
        let known = if known.is_empty() { return None } else { self.dice.pick(&known).clone() };
        let wish = if known.is_uniform { self.uniform() } else { self.wish() };
        if known.of != Type::Float {
            return Some(self.set_whole(known, wish));
        }
        if self.dice.chance(25) {
            let unit = self.unit_sign(wish);
            return Some(Statement::Set { name: known.name, change: Change::Multiply, value: unit });
        }
        let value = self.exact(wish, DEPTH);
        let old = Expression::Variable(known.name.clone());
        let sum = Drawn { expression: Expression::binary(Binary::Add, old, value.expression), ..value };
        Some(Statement::Set { name: known.name, change: Change::Assign, value: sum.expression.tamed() })
    }

    /// A sign, or nothing: what is multiplied by it stays as large as it is.
    fn unit_sign(&mut self, wish: Wish) -> Expression {
        let holds = self.flag(Wish { operates: false, ..wish }, 1);
        let (yes, no) = (*self.dice.pick(&[1.0, -1.0, 0.0]), *self.dice.pick(&[1.0, -1.0]));
        Expression::Choose(Box::new([holds.expression, Expression::Number(yes), Expression::Number(no)]))
    }

    fn condition(&mut self, changes: bool) -> Vec<Statement> {
        let wish = if self.dice.chance(40) { self.uniform() } else { self.wish() };
        let holds = self.flag(wish, DEPTH);
        let diverges = !holds.is_uniform;
        let (then_count, otherwise_count) = (self.dice.between(1, 2), self.dice.below(2));
        let then = self.nested(diverges, |scope| scope.statements(then_count, changes));
        let otherwise = self.nested(diverges, |scope| scope.statements(otherwise_count, changes));
        if then.is_empty() {
            return Vec::new();
        }
        vec![Statement::If { condition: holds.expression, then, otherwise }]
    }

    fn repetition(&mut self) -> Statement {
        let (form, round, count) =
            (*self.dice.pick(&[Loop::For, Loop::While]), self.fresh("i"), self.dice.between(2, 3) as u32);
        let leaves = self.dice.chance(30).then(|| self.flag(Wish { operates: false, ..self.wish() }, 1));
        let diverges = leaves.as_ref().is_some_and(|leaves| !leaves.is_uniform);
        let statements = self.dice.between(1, 2);
        let was_in_loop = std::mem::replace(&mut self.in_loop, true);
        let mut body = self.nested(diverges, |scope| {
            let variable = Variable {
                name: round.clone(),
                of: Type::Count,
                range: Range::Wild,
                is_uniform: true,
                is_mutable: false,
            };
            scope.variables.push(variable);
            scope.statements(statements, false)
        });
        self.in_loop = was_in_loop;
        if let Some(leaves) = leaves {
            let statement =
                Statement::If { condition: leaves.expression, then: vec![Statement::Break], otherwise: Vec::new() };
            body.insert(0, statement);
        }
        Statement::Repeat { form, round, count, body }
    }

    fn some_write(&mut self) -> Vec<Statement> {
        let writable = self.writable();
        let writable: Vec<usize> =
            writable.into_iter().filter(|property| self.draft.properties[*property].role != Role::Label).collect();
        if writable.is_empty() {
            return Vec::new();
        }
        let property = *self.dice.pick(&writable);
        self.write(property)
    }

    /// Statements that write a property of the function's own edge or vertex; none where that cannot be done here.
    pub(super) fn write(&mut self, property: usize) -> Vec<Statement> {
        let planned = &self.draft.properties[property];
        let element = planned.property.element;
        let must_be_uniform = self.has_feature && !element.is_row();
        if must_be_uniform && self.is_diverged || planned.role == Role::Scratch && self.is_late(property) {
            return Vec::new();
        }
        let wish = if must_be_uniform { self.uniform() } else { self.wish() };
        let access = Access { property, place: self.own() };
        if planned.property.precision.is_whole() {
            return self.write_whole(access, wish);
        }
        if element.is_matrix() {
            let value = self.stored_row(wish);
            let statements =
                value.map(|value| Statement::Write { access, change: Change::Assign, value: value.expression });
            statements.iter().for_each(|_| self.wrote(property));
            return statements.into_iter().collect();
        }
        if planned.is_rough {
            let value = self.rough(wish, DEPTH).expression;
            self.wrote(property);
            return vec![Statement::Write { access, change: Change::Assign, value }];
        }
        self.write_exact(access, wish)
    }

    /// Whether scratch that nobody has written for certain would be written on some paths alone.
    fn is_late(&self, property: usize) -> bool {
        !self.written.contains(&property) && (self.depth > 0 || self.has_left)
    }

    /// From now on the property may be read by whom must not see earlier values.
    pub(super) fn wrote(&mut self, property: usize) {
        if !self.has_left && !self.written.contains(&property) {
            self.written.push(property);
        }
    }

    fn write_exact(&mut self, access: Access, wish: Wish) -> Vec<Statement> {
        let property = access.property;
        let write = |change, value| Statement::Write { access, change, value };
        let role = self.draft.properties[property].role;
        let may_read = self.places(property).contains(&self.own());
        if role == Role::Growing && !self.in_loop && may_read {
            let change = *self.dice.pick(&[Change::Add, Change::Add, Change::Subtract]);
            return vec![write(change, self.small(wish, 1).expression)];
        }
        if may_read && !matches!(role, Role::Growing | Role::Total(_)) && self.dice.chance(30) {
            let read = Expression::Read(access);
            return match self.dice.below(3) {
                0 => vec![write(Change::Multiply, self.unit_sign(wish))],
                1 => vec![write(Change::Add, self.exact(wish, DEPTH).expression), write(Change::Assign, read.tamed())],
                _ => vec![
                    write(Change::Subtract, self.exact(wish, DEPTH).expression),
                    write(Change::Assign, read.tamed()),
                ],
            };
        }
        let value = match role {
            Role::Label => self.label(access, wish),
            _ if self.draft.range(property) == Range::FINE => self.fine(wish),
            _ => self.small(wish, DEPTH).expression,
        };
        self.wrote(property);
        vec![write(Change::Assign, value)]
    }

    /// A value of more bits than half precision has.
    fn fine(&mut self, wish: Wish) -> Expression {
        let (value, part) = (self.exact(wish, DEPTH).within(Range::PRODUCT), *self.dice.pick(&FINE));
        Expression::binary(Binary::Multiply, value.expression, Expression::Number(part))
    }

    /// The next value of a label: often one that settles.
    pub(super) fn label(&mut self, access: Access, wish: Wish) -> Expression {
        if self.draft.properties[access.property].property.precision.is_whole() {
            return self.whole_label(access, wish);
        }
        let form = self.dice.weighted(&[(4, 0), (3, 1), (2, 2), (2, 3)]);
        let inside = Wish { operates: wish.operates && form < 3, ..wish };
        let (value, old) = (self.exact(inside, DEPTH), Expression::Read(access));
        match form {
            0 => value.within(Range::SMALL).expression,
            1 => Expression::binary(Binary::Multiply, value.expression, Expression::Number(0.25)).tamed(),
            2 => Expression::binary(Binary::Greatest, old, value.within(Range::SMALL).expression),
            _ => {
                let holds = self.flag(wish, 1);
                Expression::Choose(Box::new([holds.expression, value.within(Range::SMALL).expression, old]))
            }
        }
    }

    /// Statements that reduce into a property at an end of the edge or of the graph; none where that cannot be done here.
    pub(super) fn reduce(&mut self, property: usize) -> Option<Statement> {
        let planned = &self.draft.properties[property];
        let element = planned.property.element;
        let must_be_uniform = self.has_feature && !element.is_row();
        if must_be_uniform && self.is_diverged || element.is_row() && !self.has_feature {
            return None;
        }
        let (place, reduction) = match planned.role {
            Role::Total(reduction) => (self.position.end, reduction),
            Role::Whole(reduction) => (Place::Graph, reduction),
            _ => return None,
        };
        let wish = if must_be_uniform { self.uniform() } else { self.wish() };
        let is_difference = reduction == Reduction::Sum && self.dice.chance(25);
        let score = (reduction == Reduction::Softmax).then(|| self.score(wish));
        let value = self.contribution(property, reduction, wish)?;
        Some(Statement::Reduce {
            access: Access { property, place },
            reduction: if is_difference { Reduction::Difference } else { reduction },
            score,
            value,
        })
    }

    fn contribution(&mut self, property: usize, reduction: Reduction, wish: Wish) -> Option<Expression> {
        let planned = &self.draft.properties[property];
        if planned.property.precision.is_whole() {
            return Some(self.whole(wish, DEPTH).expression);
        }
        if planned.property.element.is_matrix() {
            return self.stored_row(wish).map(|row| row.expression);
        }
        Some(match (reduction, planned.is_rough) {
            (Reduction::Product, true) => {
                let part =
                    Expression::binary(Binary::Multiply, Expression::Number(0.04), self.rough(wish, 1).expression);
                Expression::binary(Binary::Add, Expression::Number(1.0), part)
            }
            (Reduction::Product, false) => self.factor(wish),
            (of, true) if of.has_state() && self.dice.chance(50) => self.small(wish, DEPTH).expression,
            (_, true) => self.rough(wish, DEPTH).expression,
            (Reduction::Sum | Reduction::Difference, false) => {
                self.exact(wish, DEPTH).within(Range::PRODUCT).expression
            }
            (_, false) => self.exact(wish, DEPTH).expression,
        })
    }

    /// How much a contribution weighs: as much for all features, or for each what is its own.
    fn score(&mut self, wish: Wish) -> Expression {
        let wish = if self.dice.chance(50) { Wish { uniform: true, ..wish } } else { wish };
        if self.dice.chance(60) { self.small(wish, 1).expression } else { self.rough(wish, 1).expression }
    }

    /// A factor of a product: ones and their like.
    fn factor(&mut self, wish: Wish) -> Expression {
        if self.dice.chance(50) {
            return self.unit(wish).expression;
        }
        // Whatever is not zero has a sign: neighbors decide.
        let value = self.exact(wish, 1);
        let is_less = Expression::binary(Binary::Less, value.expression, self.number().expression);
        let (yes, no) = (*self.dice.pick(&[-1.0, 2.0, 0.0]), *self.dice.pick(&[1.0, 0.5]));
        Expression::Choose(Box::new([is_less, Expression::Number(yes), Expression::Number(no)]))
    }
}
