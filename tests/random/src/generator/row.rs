//! Expressions of rows of matrices.

use crate::expression::{Binary, Expression, Unary};
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Wish};
use crate::operation::Operation;

impl Scope<'_> {
    /// A row, `depth` expressions deep at most, of as few steps as products of two small floats. The data has matrices: at least one for the graph.
    pub(super) fn row(&mut self, wish: Wish, depth: usize) -> Drawn {
        if depth == 0 {
            return self.row_leaf(wish);
        }
        let operation = if wish.operates { 5 } else { 0 };
        match self.dice.weighted(&[(3, 0), (operation, 1), (operation / 2, 2), (2, 3), (2, 4), (1, 5)]) {
            1 => self.outer(wish, depth - 1),
            2 => {
                let value = self.small(wish, depth - 1);
                Drawn::new(Expression::Operation(Operation::Diagonal, vec![value.expression]), value.range, false)
            }
            3 => self.row_sum(wish, depth - 1),
            4 => self.scaled(wish, depth - 1),
            5 => {
                let row = self.row(wish, depth - 1);
                Drawn { expression: Expression::unary(Unary::Negate, row.expression), ..row }
            }
            _ => self.row_leaf(wish),
        }
    }

    fn row_leaf(&mut self, wish: Wish) -> Drawn {
        let mut rows = self.reads(wish, |planned, _| planned.property.element.is_matrix());
        rows.extend(self.known(Type::Row, wish));
        self.any(&rows).expect("a matrix of the graph")
    }

    fn outer(&mut self, wish: Wish, depth: usize) -> Drawn {
        let (left, right) = (self.small(wish, depth), self.small(wish, depth));
        let range = left.range.times(right.range);
        Drawn::new(Expression::Operation(Operation::Outer, vec![left.expression, right.expression]), range, false)
    }

    fn row_sum(&mut self, wish: Wish, depth: usize) -> Drawn {
        let (left, right) = (self.row(wish, depth), self.row(wish, depth));
        let of = *self.dice.pick(&[Binary::Add, Binary::Subtract]);
        let range = left.range.plus(right.range);
        let sum = Drawn::new(Expression::binary(of, left.expression.clone(), right.expression), range, false);
        if range.steps() <= Range::TOTAL.steps() { sum } else { Drawn { expression: left.expression, ..left } }
    }

    fn scaled(&mut self, wish: Wish, depth: usize) -> Drawn {
        let (row, factor) = (self.row(wish, depth), self.unit(wish));
        let range = row.range.times(factor.range);
        if range.steps() > Range::TOTAL.steps() {
            return row;
        }
        Drawn::new(Expression::binary(Binary::Scale, row.expression, factor.expression), range, false)
    }

    /// A row that may be stored or added to a total, if one was found.
    pub(super) fn stored_row(&mut self, wish: Wish) -> Option<Drawn> {
        (0..8).map(|_| self.row(wish, 2)).find(|row| row.range.is_in(Range::PRODUCT))
    }
}
