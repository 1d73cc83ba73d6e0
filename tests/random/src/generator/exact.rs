//! Expressions of floats that do not round.

use crate::expression::{Binary, Expression, Unary};
use crate::generator::draft::Role;
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Wish};
use crate::limits::{GRAIN, MOST_FEATURES, MOST_FEATURES_OF_MATRICES, MOST_STEPS, SMALL, UNITS};
use crate::name::Style;
use crate::operation::Operation;
use crate::statement::Statement;

/// The ways to make a float of others.
#[derive(Clone, Copy)]
enum Form {
    Leaf,
    Arithmetic,
    Bound,
    Sign,
    Choose,
    Match,
    Operation,
    Block,
    Apply,
    Tame,
}

impl Scope<'_> {
    /// A float that single floats hold, `depth` expressions deep at most.
    pub(super) fn exact(&mut self, wish: Wish, depth: usize) -> Drawn {
        let form = if depth == 0 { Form::Leaf } else { self.form(wish) };
        let drawn = match form {
            Form::Leaf => self.leaf(wish),
            Form::Arithmetic => self.arithmetic(wish, depth - 1),
            Form::Bound => self.bounded(wish, depth - 1),
            Form::Sign => self.signed(wish, depth - 1),
            Form::Choose => self.chosen(wish, depth - 1),
            Form::Match => self.matched(wish, depth - 1),
            Form::Operation => self.operated(wish, depth - 1),
            Form::Block => self.block(wish, depth - 1),
            Form::Apply => self.applied(wish, depth - 1),
            Form::Tame => self.exact(wish, depth - 1).tamed(),
        };
        drawn.held()
    }

    fn form(&mut self, wish: Wish) -> Form {
        let operation = if wish.operates { 6 } else { 0 };
        self.dice.weighted(&[
            (6, Form::Leaf),
            (10, Form::Arithmetic),
            (3, Form::Bound),
            (2, Form::Sign),
            (4, Form::Choose),
            (2, Form::Match),
            (operation, Form::Operation),
            (1, Form::Block),
            (1, Form::Apply),
            (1, Form::Tame),
        ])
    }

    /// A float with as few steps as what is stored has.
    pub(super) fn small(&mut self, wish: Wish, depth: usize) -> Drawn {
        self.exact(wish, depth).within(Range::SMALL)
    }

    /// A number, a variable or a property.
    fn leaf(&mut self, wish: Wish) -> Drawn {
        if self.draft.has_integers() && self.dice.chance(25) {
            let gathered = if self.gathers() && self.dice.chance(70) { self.gathered_float(wish) } else { None };
            return gathered.unwrap_or_else(|| self.of_whole(wish));
        }
        if let Some(total) = self.total_of_graph(wish) {
            return if total.range == Range::Wild { total.tamed() } else { total };
        }
        let choice = self.dice.below(12);
        let reads =
            || self.reads(wish, |planned, range| range != Range::Rough && !planned.property.element.is_matrix());
        let found = match choice {
            0..8 => {
                let reads = reads();
                self.any(&reads)
            }
            8 | 9 => {
                let known: Vec<Drawn> =
                    self.known(Type::Float, wish).into_iter().filter(|known| known.range != Range::Rough).collect();
                self.any(&known)
            }
            10 => Some(self.numbered(wish)),
            _ => None,
        };
        let found = found.unwrap_or_else(|| self.number());
        if found.range == Range::Wild { found.tamed() } else { found }
    }

    /// Now and then a total of the graph, where there are some.
    fn total_of_graph(&mut self, wish: Wish) -> Option<Drawn> {
        if self.draft.style != Style::Totals || !self.dice.chance(20) {
            return None;
        }
        let reads = self.reads(wish, |planned, range| matches!(planned.role, Role::Whole(_)) && range != Range::Rough);
        self.any(&reads)
    }

    /// A number that is written down.
    pub(super) fn number(&mut self) -> Drawn {
        let steps = (SMALL / GRAIN) as usize - 1;
        let number = GRAIN * (self.dice.between(0, 2 * steps) as f64 - steps as f64);
        Drawn::new(Expression::Number(number), Range::SMALL, true)
    }

    /// A float of the number of the edge, the vertex, the feature or of features.
    fn numbered(&mut self, wish: Wish) -> Drawn {
        if self.draft.style == Style::Width && self.is_of_features() && self.dice.chance(70) {
            return Drawn::new(Expression::Width, Range::Exact { grain: 1.0, most: MOST_FEATURES as f64 }, true);
        }
        let count = self.remainder(wish);
        let range = Range::Exact { grain: 1.0, most: 8.0 };
        Drawn { expression: Expression::unary(Unary::Float, count.expression), range, ..count }
    }

    /// Whether the function is generic over the number of features.
    fn is_of_features(&self) -> bool {
        self.draft.shape.has_features
    }

    fn arithmetic(&mut self, wish: Wish, depth: usize) -> Drawn {
        let (left, right) = (self.exact(wish, depth), self.exact(wish, depth));
        let is_uniform = left.is_uniform && right.is_uniform;
        let of = self.dice.weighted(&[(4, Binary::Add), (3, Binary::Subtract), (4, Binary::Multiply)]);
        let (left, right) =
            if of == Binary::Multiply { (left.of_steps(1024.0), right.of_steps(1024.0)) } else { (left, right) };
        let range = if of == Binary::Multiply { left.range.times(right.range) } else { left.range.plus(right.range) };
        Drawn::new(Expression::binary(of, left.expression, right.expression), range, is_uniform)
    }

    fn bounded(&mut self, wish: Wish, depth: usize) -> Drawn {
        let (left, right) = (self.exact(wish, depth), self.exact(wish, depth));
        let of = *self.dice.pick(&[Binary::Least, Binary::Greatest, Binary::Greater]);
        let range = left.range.or(right.range);
        let is_uniform = left.is_uniform && right.is_uniform;
        Drawn::new(Expression::binary(of, left.expression, right.expression), range, is_uniform)
    }

    fn signed(&mut self, wish: Wish, depth: usize) -> Drawn {
        let value = self.exact(wish, depth);
        let of = *self.dice.pick(&[Unary::Negate, Unary::Abs]);
        Drawn { expression: Expression::unary(of, value.expression), ..value }
    }

    fn chosen(&mut self, wish: Wish, depth: usize) -> Drawn {
        let holds = self.flag(wish, depth);
        let inside = Wish { operates: false, ..wish };
        let (yes, no) = (self.exact(inside, depth), self.exact(inside, depth));
        let is_uniform = holds.is_uniform && yes.is_uniform && no.is_uniform;
        let range = yes.range.or(no.range);
        Drawn::new(Expression::Choose(Box::new([holds.expression, yes.expression, no.expression])), range, is_uniform)
    }

    fn matched(&mut self, wish: Wish, depth: usize) -> Drawn {
        let is_byte = self.draft.has_integers() && self.dice.chance(25);
        let count = if is_byte { self.byte(wish, depth) } else { self.count(wish, depth) };
        let inside = Wish { operates: false, ..wish };
        let arms: Vec<Drawn> = (0..self.dice.between(2, 3)).map(|_| self.exact(inside, depth)).collect();
        let is_uniform = count.is_uniform && arms.iter().all(|arm| arm.is_uniform);
        let range = arms[1..].iter().fold(arms[0].range, |range, arm| range.or(arm.range));
        let arms = arms.into_iter().map(|arm| arm.expression).collect();
        Drawn::new(Expression::Match(Box::new(count.expression), arms), range, is_uniform)
    }

    /// A collaborative operation whose result is exact.
    fn operated(&mut self, wish: Wish, depth: usize) -> Drawn {
        let argument = Wish { uniform: false, ..wish };
        let most = MOST_STEPS / MOST_FEATURES as f64;
        if self.draft.shape.has_matrices && !wish.uniform && self.dice.chance(50) {
            return self.multiplied(argument, depth);
        }
        let one = |scope: &mut Self| scope.exact(argument, depth).of_steps(most);
        let uniform = |of, arguments, range| Drawn::new(Expression::Operation(of, arguments), range, true);
        match self.dice.below(7) {
            0 | 1 => {
                let value = one(self);
                let range = value.range.summed(MOST_FEATURES);
                uniform(Operation::Sum, vec![value.expression], range)
            }
            2 => {
                let (value, of) = (one(self), *self.dice.pick(&[Operation::Min, Operation::Max]));
                uniform(of, vec![value.expression], value.range)
            }
            3 => {
                let (left, right) =
                    (self.exact(argument, depth).of_steps(512.0), self.exact(argument, depth).of_steps(512.0));
                let range = left.range.times(right.range).summed(MOST_FEATURES);
                uniform(Operation::Dot, vec![left.expression, right.expression], range)
            }
            4 => {
                let (value, which) = (one(self), self.count(Wish { uniform: true, ..argument }, depth));
                let range = value.range.or(Range::SMALL);
                uniform(Operation::Broadcast, vec![value.expression, which.expression], range)
            }
            5 => uniform(Operation::Product, vec![self.unit(argument).expression], Range::Wild).tamed(),
            _ => {
                let count = uniform(Operation::Argmax, vec![one(self).expression], Range::SMALL);
                let range = Range::Exact { grain: 1.0, most: MOST_FEATURES as f64 };
                Drawn::new(Expression::unary(Unary::Float, count.expression), range, true)
            }
        }
    }

    /// A matrix times a vector.
    fn multiplied(&mut self, wish: Wish, depth: usize) -> Drawn {
        let row = self.row(wish, depth);
        let of = *self.dice.pick(&[Operation::Matvec, Operation::TransposeMatvec, Operation::MaxMatvec]);
        let most = MOST_STEPS / MOST_FEATURES_OF_MATRICES as f64 / row.range.steps();
        let value = if most >= Range::SMALL.steps() { self.exact(wish, depth).of_steps(most) } else { self.unit(wish) };
        let range = row.range.times(value.range).summed(MOST_FEATURES_OF_MATRICES);
        Drawn::new(Expression::Operation(of, vec![row.expression, value.expression]), range, false)
    }

    /// One of the numbers that may be multiplied many times.
    pub(super) fn unit(&mut self, wish: Wish) -> Drawn {
        let inside = Wish { operates: false, ..wish };
        let reads = self.reads(wish, |planned, range| range == Range::UNIT && !planned.property.element.is_matrix());
        if let Some(read) = self.any(&reads)
            && self.dice.chance(40)
        {
            return read;
        }
        let holds = self.flag(inside, 1);
        let (yes, no) = (*self.dice.pick(&UNITS), *self.dice.pick(&UNITS));
        let numbers = [holds.expression, Expression::Number(yes), Expression::Number(no)];
        Drawn::new(Expression::Choose(Box::new(numbers)), Range::UNIT, holds.is_uniform)
    }

    /// A block with a variable of its own.
    fn block(&mut self, wish: Wish, depth: usize) -> Drawn {
        let inside = Wish { operates: false, ..wish };
        let value = self.exact(inside, depth);
        let name = self.fresh("b");
        let statement = Statement::Let { name: name.clone(), is_mutable: false, value: value.expression };
        let known = Drawn::new(Expression::Variable(name), value.range, value.is_uniform);
        let result = self.combined(known, inside);
        Drawn { expression: Expression::Block(vec![statement], Box::new(result.expression)), ..result }
    }

    /// A closure that is called at once.
    fn applied(&mut self, wish: Wish, depth: usize) -> Drawn {
        let inside = Wish { operates: false, ..wish };
        let argument = self.exact(inside, depth);
        let name = self.fresh("p");
        let known = Drawn::new(Expression::Variable(name.clone()), argument.range, argument.is_uniform);
        let result = self.combined(known, inside);
        Drawn { expression: Expression::Apply(name, Box::new([result.expression, argument.expression])), ..result }
    }

    /// Something of what is known and of a leaf.
    fn combined(&mut self, known: Drawn, wish: Wish) -> Drawn {
        let other = self.leaf(wish);
        let (range, is_uniform) = (known.range.plus(other.range), known.is_uniform && other.is_uniform);
        Drawn::new(Expression::binary(Binary::Add, known.expression, other.expression), range, is_uniform).held()
    }
}
