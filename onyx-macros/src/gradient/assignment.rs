//! Reads what functions assign to variables and properties.

use syn::{BinOp, Expr, Ident};

use crate::check::usage::{Assignment, How, Reduction};
use crate::gradient::reader::Reading;
use crate::gradient::value::{Brought, Cell, Id, index_of};
use crate::message;
use crate::parse::access::{Access, Place, bare};

impl Reading<'_, '_> {
    pub(super) fn assign(&mut self, Assignment { left, how, right, score, .. }: Assignment<'_>) {
        let score = score.map(|score| self.expression(score));
        let value = self.expression(right);
        if let Some(mut access) = self.access(left) {
            self.place_row(&mut access, value);
            match how {
                How::Bound(reduction) if reduction.has_state() => {
                    let (cell, is_certain) = (Cell::of(&access), self.branches == 0);
                    let arguments = score.into_iter().chain([value]).collect();
                    self.reader.brought.push(Brought { cell, reduction, arguments, is_certain });
                }
                _ => self.assign_property(&access, how, value),
            }
            return;
        }
        match bare(left) {
            Expr::Path(path) => self.assign_variable(path.path.get_ident(), how, value, left),
            Expr::Infer(_) => {}
            _ => self.reader.errors.push(left, message::GRADIENT_PATTERN),
        }
    }

    /// Has the value of its index in place of what is computed, for a row of a table that gets a value.
    fn place_row(&mut self, access: &mut Access, value: Id) {
        let Some(index) = access.index.take() else { return };
        if self.branches > 0 && self.reader.tape.varies(value) {
            self.reader.errors.push(&access.property, message::GRADIENT_ROW);
        }
        access.index = Some(index_of(self.expression(&index)));
    }

    fn assign_variable(&mut self, name: Option<&Ident>, how: How<'_>, value: Id, left: &Expr) {
        let Some(name) = name else {
            self.reader.errors.push(left, message::GRADIENT_PATTERN);
            return;
        };
        let value = match (how, self.variables.get(name)) {
            (How::Compound(operator), Some(before)) => self.compound(operator, *before, value, left),
            _ => value,
        };
        self.bind(name, value);
    }

    fn assign_property(&mut self, access: &Access, how: How<'_>, value: Id) {
        let cell = Cell::of(access);
        let is_end = matches!(access.place, Place::Source | Place::Destination | Place::Row);
        if is_end && reduction(how).is_of_bits() {
            self.reader.errors.push(&access.property, message::GRADIENT_BITS);
            return;
        }
        if is_end && !self.reader.reductions.iter().any(|(known, _)| *known == cell) {
            self.reader.reductions.push((cell.clone(), reduction(how)));
        }
        let before = |reading: &mut Self| reading.reader.cell(&cell);
        let value = match how {
            How::Plain => value,
            How::Compound(operator) => {
                let before = before(self);
                self.compound(operator, before, value, &access.property)
            }
            How::Bound(bound) => {
                let before = before(self);
                let (method, nothing) =
                    if bound == Reduction::Min { ("min", f32::INFINITY) } else { ("max", f32::NEG_INFINITY) };
                let is_first = self.reader.tape.is_number(before, nothing);
                if is_first { value } else { self.reader.tape.method(method, vec![before, value]) }
            }
        };
        self.reader.set(cell, value);
    }
}

fn reduction(how: How<'_>) -> Reduction {
    match how {
        How::Bound(bound) => bound,
        How::Compound(BinOp::MulAssign(_)) => Reduction::Product,
        How::Compound(BinOp::BitOrAssign(_)) => Reduction::BitOr,
        How::Compound(BinOp::BitAndAssign(_)) => Reduction::BitAnd,
        _ => Reduction::Sum,
    }
}
