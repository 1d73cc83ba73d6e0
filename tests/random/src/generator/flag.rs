//! Expressions of truths and of whole numbers: what decides is exact.

use crate::expression::{Binary, Expression, Numbered, Unary};
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Wish};
use crate::operation::Operation;

pub(super) const COMPARISONS: [Binary; 5] =
    [Binary::Less, Binary::Less, Binary::AtMost, Binary::Equal, Binary::Differs];

impl Scope<'_> {
    /// A truth, `depth` expressions deep at most.
    pub(super) fn flag(&mut self, wish: Wish, depth: usize) -> Drawn {
        if self.draft.has_integers() && self.dice.chance(30) {
            return self.whole_comparison(wish, depth.saturating_sub(1));
        }
        let deeper = usize::from(depth > 0);
        let operation = if wish.operates { 4 * deeper } else { 0 };
        match self.dice.weighted(&[(10, 0), (2, 1), (3 * deeper, 2), (2 * deeper, 3), (operation, 4), (1, 5)]) {
            1 => {
                let known = self.known(Type::Flag, wish);
                self.any(&known).unwrap_or_else(|| self.comparison(wish, 0))
            }
            2 => self.logic(wish, depth - 1),
            3 => {
                let value = self.flag(wish, depth - 1);
                Drawn { expression: Expression::unary(Unary::Not, value.expression), ..value }
            }
            4 => {
                let value = self.flag(Wish { uniform: false, ..wish }, depth - 1);
                let of = *self.dice.pick(&[Operation::Any, Operation::All]);
                Drawn::new(Expression::Operation(of, vec![value.expression]), Range::Wild, true)
            }
            5 => self.wild(wish),
            _ => self.comparison(wish, depth.saturating_sub(1)),
        }
    }

    fn comparison(&mut self, wish: Wish, depth: usize) -> Drawn {
        let mut left = self.exact(wish, depth);
        if matches!(left.expression, Expression::Number(_)) {
            left = self.exact(wish, depth);
        }
        let right = if self.dice.chance(60) { self.number() } else { self.exact(wish, 0) };
        let of = *self.dice.pick(&COMPARISONS);
        let is_uniform = left.is_uniform && right.is_uniform;
        Drawn::new(Expression::binary(of, left.expression, right.expression), Range::Wild, is_uniform)
    }

    /// What may be of any size, compared with a number.
    fn wild(&mut self, wish: Wish) -> Drawn {
        let reads = self.reads(wish, |planned, range| range == Range::Wild && !planned.property.element.is_matrix());
        let Some(left) = self.any(&reads) else { return self.comparison(wish, 0) };
        let number = self.number();
        let of = *self.dice.pick(&COMPARISONS);
        Drawn::new(Expression::binary(of, left.expression, number.expression), Range::Wild, left.is_uniform)
    }

    fn logic(&mut self, wish: Wish, depth: usize) -> Drawn {
        let left = self.flag(wish, depth);
        let right = self.flag(Wish { operates: false, ..wish }, depth);
        let of = *self.dice.pick(&[Binary::And, Binary::Or]);
        let is_uniform = left.is_uniform && right.is_uniform;
        Drawn::new(Expression::binary(of, left.expression, right.expression), Range::Wild, is_uniform)
    }

    /// A whole number that is not large.
    pub(super) fn count(&mut self, wish: Wish, depth: usize) -> Drawn {
        if self.draft.has_integers() && self.dice.chance(60) {
            return self.whole(wish, depth);
        }
        let operation = if wish.operates && depth > 0 { 3 } else { 0 };
        match self.dice.weighted(&[(1, 0), (operation, 1), (4, 2), (2, 3)]) {
            1 => {
                let value = self.exact(Wish { uniform: false, ..wish }, depth - 1);
                Drawn::new(Expression::Operation(Operation::Argmax, vec![value.expression]), Range::Wild, true)
            }
            2 => self.remainder(wish),
            3 => {
                let known = self.known(Type::Count, wish);
                self.any(&known).unwrap_or_else(|| self.counted())
            }
            _ => self.counted(),
        }
    }

    /// What is left of the number of the edge, the vertex or the feature.
    pub(super) fn remainder(&mut self, wish: Wish) -> Drawn {
        let divisor = *self.dice.pick(&[2, 3, 5]);
        let may_differ = self.has_feature && !self.draft.shape.is_featurewise && !wish.uniform;
        if may_differ && self.dice.chance(40) {
            return Drawn::new(Expression::Feature(divisor), Range::Wild, false);
        }
        let of = if self.position.is_edge {
            *self.dice.pick(&[Numbered::Edge, Numbered::Source, Numbered::Destination])
        } else {
            Numbered::Vertex
        };
        Drawn::new(Expression::Remainder(of, divisor), Range::Wild, true)
    }

    fn counted(&mut self) -> Drawn {
        Drawn::new(Expression::Count(self.dice.below(5) as u32), Range::Wild, true)
    }
}
