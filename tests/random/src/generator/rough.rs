//! Expressions of floats that round. They decide nothing, and are kept near to zero, so that errors stay small.

use crate::expression::{Binary, Expression, Unary};
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Wish};
use crate::operation::Operation;

impl Scope<'_> {
    /// A float that may round, at most [`crate::limits::SMALL`].
    pub(super) fn rough(&mut self, wish: Wish, depth: usize) -> Drawn {
        let value = if depth == 0 { self.rough_leaf(wish) } else { self.rough_form(wish, depth - 1) };
        self.cut_off(value)
    }

    fn cut_off(&mut self, value: Drawn) -> Drawn {
        let value = if value.range == Range::Wild { value.tamed() } else { value };
        Drawn::new(Expression::unary(Unary::Bound, value.expression), Range::Rough, value.is_uniform)
    }

    fn rough_leaf(&mut self, wish: Wish) -> Drawn {
        if self.gathers()
            && self.dice.chance(25)
            && let Some(found) = self.gathered(wish, 1, |_, range| range == Range::Rough)
        {
            return found;
        }
        let reads = self.reads(wish, |planned, range| range == Range::Rough && !planned.property.element.is_matrix());
        let known: Vec<Drawn> =
            self.known(Type::Float, wish).into_iter().filter(|known| known.range == Range::Rough).collect();
        let found = match self.dice.below(4) {
            0 => Some(Drawn::new(Expression::Number(*self.dice.pick(&[0.3, -0.7, 1.1])), Range::Rough, true)),
            1 => self.any(&known),
            _ => self.any(&reads),
        };
        found.unwrap_or_else(|| self.small(wish, 1))
    }

    fn rough_form(&mut self, wish: Wish, depth: usize) -> Drawn {
        let operates = usize::from(wish.operates);
        let varies = usize::from(wish.operates && !wish.uniform);
        match self.dice.weighted(&[(3, 0), (3, 1), (3, 2), (4 * varies, 3), (3 * operates, 4), (1, 5), (varies, 6)]) {
            0 => self.weighed(wish, depth),
            1 => self.elementary(wish, depth),
            2 => self.divided(wish, depth),
            3 => self.shared(wish, depth),
            4 => self.measured(wish, depth),
            5 => self.rough_choice(wish, depth),
            _ => self.solved(wish, depth),
        }
    }

    /// A part of one and a part of another.
    fn weighed(&mut self, wish: Wish, depth: usize) -> Drawn {
        let (left, right) = (self.rough(wish, depth), self.rough(wish, depth));
        let is_uniform = left.is_uniform && right.is_uniform;
        let part =
            |part, value: Drawn| Expression::binary(Binary::Multiply, Expression::Number(part), value.expression);
        Drawn::new(Expression::binary(Binary::Add, part(0.3, left), part(0.45, right)), Range::Rough, is_uniform)
    }

    /// A root, an exponential or a logarithm of what suits it.
    fn elementary(&mut self, wish: Wish, depth: usize) -> Drawn {
        let value = self.rough(wish, depth);
        let size = Expression::unary(Unary::Abs, value.expression);
        let more = |size| Expression::binary(Binary::Add, Expression::Number(1.0), size);
        let expression = match self.dice.below(3) {
            0 => Expression::unary(Unary::Sqrt, more(size)),
            1 => Expression::unary(Unary::Ln, more(size)),
            _ => Expression::unary(Unary::Exp, Expression::unary(Unary::Negate, size)),
        };
        Drawn::new(expression, Range::Rough, value.is_uniform)
    }

    fn divided(&mut self, wish: Wish, depth: usize) -> Drawn {
        let (left, right) = (self.rough(wish, depth), self.rough(wish, depth));
        let size = Expression::unary(Unary::Abs, right.expression);
        let divisor = Expression::binary(Binary::Add, Expression::Number(1.0), size);
        let is_uniform = left.is_uniform && right.is_uniform;
        Drawn::new(Expression::binary(Binary::Divide, left.expression, divisor), Range::Rough, is_uniform)
    }

    /// Shares of a row.
    fn shared(&mut self, wish: Wish, depth: usize) -> Drawn {
        if self.dice.chance(40) {
            let value = self.rough(wish, depth);
            return Drawn::new(Expression::Operation(Operation::Softmax, vec![value.expression]), Range::Rough, false);
        }
        let value = self.exact(wish, depth).of_steps(1024.0);
        Drawn::new(Expression::Operation(Operation::Normalize, vec![value.expression]), Range::Rough, false)
    }

    /// One number of a row.
    fn measured(&mut self, wish: Wish, depth: usize) -> Drawn {
        let value = self.rough(Wish { uniform: false, ..wish }, depth);
        let of = *self.dice.pick(&[Operation::LogSumExp, Operation::Sum, Operation::Max, Operation::Norm2]);
        // The root of what is nearly zero would be far from zero.
        let value = if of == Operation::Norm2 {
            self.exact(Wish { uniform: false, ..wish }, depth).of_steps(512.0)
        } else {
            value
        };
        Drawn::new(Expression::Operation(of, vec![value.expression]), Range::Rough, true)
    }

    fn rough_choice(&mut self, wish: Wish, depth: usize) -> Drawn {
        let holds = self.flag(wish, depth);
        let inside = Wish { operates: false, ..wish };
        let (yes, no) = (self.rough(inside, depth), self.rough(inside, depth));
        let is_uniform = holds.is_uniform && yes.is_uniform && no.is_uniform;
        Drawn::new(
            Expression::Choose(Box::new([holds.expression, yes.expression, no.expression])),
            Range::Rough,
            is_uniform,
        )
    }

    /// The solution of a system that is far from having none.
    fn solved(&mut self, wish: Wish, depth: usize) -> Drawn {
        if !self.draft.shape.has_matrices {
            return self.shared(wish, depth);
        }
        let (side, right) = (self.small(wish, 0), self.rough(wish, depth));
        let outer = Expression::Operation(Operation::Outer, vec![side.expression.clone(), side.expression]);
        let diagonal = Expression::Operation(Operation::Diagonal, vec![Expression::Number(4.0)]);
        let matrix = Expression::binary(Binary::Add, outer, diagonal);
        let expression = if self.dice.chance(60) {
            Expression::Operation(Operation::Solve, vec![matrix, right.expression])
        } else {
            let inverse = Expression::Operation(Operation::Inverse, vec![matrix]);
            Expression::Operation(Operation::Matvec, vec![inverse, right.expression])
        };
        Drawn::new(expression, Range::Rough, false)
    }
}
