//! Expressions of integers, which wrap where Rust's own would end a run, and of floats and truths that are made of them.

use crate::expression::{Access, Expression, Unary, Whole};
use crate::generator::flag::COMPARISONS;
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Wish};
use crate::operation::Operation;
use crate::property::Precision;

/// What may stand between two integers.
const PAIRS: [Whole; 11] = [
    Whole::Add,
    Whole::Add,
    Whole::Subtract,
    Whole::Multiply,
    Whole::And,
    Whole::Or,
    Whole::Exclusive,
    Whole::Least,
    Whole::Greatest,
    Whole::Quotient,
    Whole::Rest,
];

/// An integer, of which nothing is known.
fn any_number(expression: Expression, is_uniform: bool) -> Drawn {
    Drawn::new(expression, Range::Wild, is_uniform)
}

impl Scope<'_> {
    /// An integer of the type of a property.
    pub(super) fn integer(&mut self, property: usize, wish: Wish, depth: usize) -> Drawn {
        self.number_of(self.draft.properties[property].property.precision, wish, depth)
    }

    /// A `u32`, `depth` expressions deep at most.
    pub(super) fn whole(&mut self, wish: Wish, depth: usize) -> Drawn {
        self.number_of(Precision::Word, wish, depth)
    }

    /// A `u8`.
    pub(super) fn byte(&mut self, wish: Wish, depth: usize) -> Drawn {
        self.number_of(Precision::Byte, wish, depth)
    }

    fn number_of(&mut self, precision: Precision, wish: Wish, depth: usize) -> Drawn {
        let deeper = usize::from(depth > 0);
        let below = depth.saturating_sub(1);
        let drawn = match self.dice.weighted(&[
            (4, 0),
            (6 * deeper, 1),
            (2 * deeper, 2),
            (2 * deeper, 3),
            (deeper, 4),
            (deeper, 5),
        ]) {
            1 => self.pair(precision, wish, below),
            2 => self.chosen_number(precision, wish, below),
            3 => self.converted(precision, wish, below),
            4 => self.matched_number(precision, wish, below),
            5 => self.shifted(precision, wish, below),
            _ => self.number_leaf(precision, wish),
        };
        any_number(drawn.expression, drawn.is_uniform)
    }

    /// A property, a variable, or a number that is written down.
    fn number_leaf(&mut self, precision: Precision, wish: Wish) -> Drawn {
        if self.gathers()
            && self.dice.chance(20)
            && let Some(found) = self.gathered(wish, 0, |property, _| property.precision == precision)
        {
            return found;
        }
        let of = if precision == Precision::Byte { Type::Byte } else { Type::Count };
        let found = match self.dice.below(10) {
            0..6 => {
                let reads = self.integer_reads(precision);
                self.any(&reads)
            }
            6 | 7 => {
                let known = self.known(of, wish);
                self.any(&known)
            }
            8 if precision == Precision::Word => Some(self.remainder(wish)),
            _ => None,
        };
        found.unwrap_or_else(|| self.literal(precision))
    }

    /// The reads of integers that are possible here. They are scalars, and so the same for all features.
    pub(super) fn integer_reads(&self, precision: Precision) -> Vec<Drawn> {
        let properties = self.draft.properties.iter().enumerate();
        let fitting = properties.filter(|(_, planned)| planned.property.precision == precision);
        let places = fitting.flat_map(|(property, _)| self.places(property).into_iter().map(move |at| (property, at)));
        places.map(|(property, place)| any_number(Expression::Read(Access { property, place }), true)).collect()
    }

    fn literal(&mut self, precision: Precision) -> Drawn {
        let number = match self.dice.below(5) {
            0 => 1 << self.dice.below(32),
            1 => u32::MAX - self.dice.below(3) as u32,
            _ => self.dice.below(9) as u32,
        };
        let is_byte = precision == Precision::Byte;
        any_number(if is_byte { Expression::Byte(number as u8) } else { Expression::Count(number) }, true)
    }

    fn pair(&mut self, precision: Precision, wish: Wish, depth: usize) -> Drawn {
        let (left, right) = (self.number_of(precision, wish, depth), self.number_of(precision, wish, depth));
        let expression = Expression::whole(*self.dice.pick(&PAIRS), left.expression, right.expression);
        any_number(expression, left.is_uniform && right.is_uniform)
    }

    fn shifted(&mut self, precision: Precision, wish: Wish, depth: usize) -> Drawn {
        let value = self.number_of(precision, wish, depth);
        let bits = if precision == Precision::Byte { 8 } else { 32 };
        let by = Expression::Count(self.dice.below(bits) as u32);
        let of = *self.dice.pick(&[Whole::Left, Whole::Right]);
        Drawn { expression: Expression::whole(of, value.expression, by), ..value }
    }

    fn chosen_number(&mut self, precision: Precision, wish: Wish, depth: usize) -> Drawn {
        let holds = self.flag(wish, depth);
        let inside = Wish { operates: false, ..wish };
        let [yes, no] = [(); 2].map(|()| self.number_of(precision, inside, depth));
        let is_uniform = holds.is_uniform && yes.is_uniform && no.is_uniform;
        any_number(Expression::Choose(Box::new([holds.expression, yes.expression, no.expression])), is_uniform)
    }

    fn matched_number(&mut self, precision: Precision, wish: Wish, depth: usize) -> Drawn {
        let inside = Wish { operates: false, ..wish };
        let looked_at = *self.dice.pick(&[Precision::Word, Precision::Byte]);
        let number = self.number_of(looked_at, wish, depth);
        let arms: Vec<Drawn> = (0..self.dice.between(2, 3)).map(|_| self.number_of(precision, inside, depth)).collect();
        let is_uniform = number.is_uniform && arms.iter().all(|arm| arm.is_uniform);
        let arms = arms.into_iter().map(|arm| arm.expression).collect();
        any_number(Expression::Match(Box::new(number.expression), arms), is_uniform)
    }

    /// A number of another type, as one of this type.
    fn converted(&mut self, precision: Precision, wish: Wish, depth: usize) -> Drawn {
        if precision == Precision::Byte {
            let value = self.whole(wish, depth);
            return Drawn { expression: Expression::unary(Unary::Byte, value.expression), ..value };
        }
        let value = match self.dice.below(if wish.operates { 4 } else { 3 }) {
            0 => self.byte(wish, depth),
            1 => self.exact(wish, depth),
            2 => self.wild_read(wish),
            _ => {
                let argument = self.exact(Wish { uniform: false, ..wish }, depth).expression;
                return any_number(Expression::Operation(Operation::Argmax, vec![argument]), true);
            }
        };
        any_number(Expression::unary(Unary::Whole, value.expression), value.is_uniform)
    }

    /// A float of any size, if there is one.
    fn wild_read(&mut self, wish: Wish) -> Drawn {
        let reads = self.reads(wish, |planned, range| range == Range::Wild && !planned.property.element.is_matrix());
        self.any(&reads).unwrap_or_else(|| self.exact(wish, 0))
    }

    /// A float that is made of an integer.
    pub(super) fn of_whole(&mut self, wish: Wish) -> Drawn {
        let float = |value: Drawn, most| {
            let range = Range::Exact { grain: 1.0, most };
            Drawn::new(Expression::unary(Unary::Float, value.expression), range, value.is_uniform)
        };
        match self.dice.below(5) {
            0 => float(self.number_leaf(Precision::Byte, wish), 255.0),
            1 => Drawn { range: Range::Wild, ..float(self.number_leaf(Precision::Word, wish), 0.0) }.tamed(),
            2 => float(self.below(Whole::Rest, 9, wish), 8.0),
            3 => float(self.below(Whole::Least, 20, wish), 20.0),
            _ => float(self.below(Whole::And, 15, wish), 15.0),
        }
    }

    /// A `u32` that an operation with a number keeps small.
    pub(super) fn below(&mut self, of: Whole, number: u32, wish: Wish) -> Drawn {
        let value = self.number_leaf(Precision::Word, wish);
        Drawn { expression: Expression::whole(of, value.expression, Expression::Count(number)), ..value }
    }

    /// Two integers of a type, compared.
    pub(super) fn whole_comparison(&mut self, wish: Wish, depth: usize) -> Drawn {
        let precision = self.dice.weighted(&[(3, Precision::Word), (2, Precision::Byte)]);
        let left = self.number_of(precision, wish, depth);
        let right = if self.dice.chance(50) { self.literal(precision) } else { self.number_leaf(precision, wish) };
        let expression = Expression::binary(*self.dice.pick(&COMPARISONS), left.expression, right.expression);
        any_number(expression, left.is_uniform && right.is_uniform)
    }
}
