//! Changes of properties and variables that are integers.

use crate::expression::{Access, Expression, Whole};
use crate::generator::draft::Role;
use crate::generator::scope::{Scope, Type, Variable, Wish};
use crate::generator::statements::DEPTH;
use crate::property::Start;
use crate::statement::{Change, Statement};

/// Changes that no integer is too great for.
const OF_BITS: [Change; 3] = [Change::Or, Change::And, Change::Exclusive];

impl Scope<'_> {
    /// Statements that write an integer of the function's own edge or vertex.
    pub(super) fn write_whole(&mut self, access: Access, wish: Wish) -> Vec<Statement> {
        let property = access.property;
        let write = |change, value| vec![Statement::Write { access, change, value }];
        let role = self.draft.properties[property].role;
        let may_read = self.places(property).contains(&self.own());
        if self.draft.properties[property].property.start == Start::Vertices {
            let value =
                if role == Role::Label { self.label(access, wish) } else { self.vertex_number(wish, DEPTH).expression };
            self.wrote(property);
            return write(Change::Assign, value);
        }
        // What grows is never above a few numbers for each iteration, and so a sum of Rust's own does not overflow.
        if role == Role::Growing {
            let value = self.below(Whole::And, 15, wish).expression;
            let adds = !self.in_loop && may_read;
            self.wrote(property);
            return write(if adds { Change::Add } else { Change::Assign }, value);
        }
        if may_read && !matches!(role, Role::Total(_)) && self.dice.chance(30) {
            let change = *self.dice.pick(&OF_BITS);
            return write(change, self.integer(property, wish, DEPTH).expression);
        }
        let value = match role {
            Role::Label => self.label(access, wish),
            _ => self.integer(property, wish, DEPTH).expression,
        };
        self.wrote(property);
        write(Change::Assign, value)
    }

    /// The next value of a label that is an integer: often one that settles.
    pub(super) fn whole_label(&mut self, access: Access, wish: Wish) -> Expression {
        if self.draft.properties[access.property].property.start == Start::Vertices {
            return self.vertex_label(access, wish);
        }
        let form = self.dice.weighted(&[(3, 0), (2, 1), (3, 2), (2, 3)]);
        let inside = Wish { operates: wish.operates && form < 3, ..wish };
        let (value, old) = (self.integer(access.property, inside, DEPTH).expression, Expression::Read(access));
        match form {
            0 => value,
            1 => Expression::whole(Whole::Right, value, Expression::Count(3)),
            2 => {
                let of = *self.dice.pick(&[Whole::Least, Whole::Greatest, Whole::Or, Whole::And]);
                Expression::whole(of, old, value)
            }
            _ => Expression::Choose(Box::new([self.flag(wish, 1).expression, value, old])),
        }
    }

    /// A change of a variable that is an integer.
    pub(super) fn set_whole(&mut self, known: Variable, wish: Wish) -> Statement {
        let change = *self.dice.pick(&[Change::Assign, Change::Assign, Change::Or, Change::And, Change::Exclusive]);
        let is_byte = known.of == Type::Byte;
        let value = if is_byte { self.byte(wish, DEPTH) } else { self.whole(wish, DEPTH) };
        Statement::Set { name: known.name, change, value: value.expression }
    }
}
