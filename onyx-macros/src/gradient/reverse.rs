//! Steps as the reverse edge takes them: what they read at one end is at the other, and what is the edge's own at the reverse edge.
//!
//! An edge that reads at its reverse edge has something for the adjoint there. Each edge is the reverse of its own, so it computes by itself what that
//! edge has for it.

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprField, ExprPath, Ident, Member};

use crate::gradient::name::ident;
use crate::gradient::tape::{Tape, needed};
use crate::gradient::value::{Id, Operator, Step};
use crate::parse::access::is_name;

/// All steps, turned.
pub fn turned(tape: &Tape) -> Tape {
    let mut tape = tape.clone();
    tape.reads.iter_mut().chain(&mut tape.steps).for_each(turn);
    tape
}

fn turn(step: &mut Step) {
    match &mut step.operator {
        Operator::Read(access) => access.place = access.place.turned(),
        Operator::Code(code) | Operator::Unknown(code, _) => EndsTurned.visit_expr_mut(code),
        Operator::Choice(choice) => choice.blocks.iter_mut().flat_map(|block| &mut block.steps).for_each(turn),
        _ => {}
    }
}

/// Whether a value comes of the edge's own number, which a function does not know of the reverse edge.
pub fn takes_number(tape: &Tape, value: Id) -> bool {
    let steps: Vec<Step> = tape.reads.iter().chain(&tape.steps).cloned().collect();
    needed(&steps, &[value]).iter().any(names_edge)
}

fn names_edge(step: &Step) -> bool {
    match &step.operator {
        Operator::Code(code) | Operator::Unknown(code, _) => {
            let mut named = Named(false);
            named.visit_expr(code);
            named.0
        }
        Operator::Choice(choice) => choice.blocks.iter().flat_map(|block| &block.steps).any(names_edge),
        _ => false,
    }
}

/// The other end of the edge, if this is one of them.
fn other_end(field: &ExprField) -> Option<&'static str> {
    let Member::Named(end) = &field.member else { return None };
    let other = [("src", "dst"), ("dst", "src")].into_iter().find(|(known, _)| end == known);
    other.map(|(_, other)| other).filter(|_| is_name(&field.base, &ident("e")))
}

struct EndsTurned;

impl VisitMut for EndsTurned {
    fn visit_expr_field_mut(&mut self, field: &mut ExprField) {
        if let Some(other) = other_end(field) {
            field.member = Member::Named(Ident::new(other, ident("e").span()));
        }
        visit_mut::visit_expr_field_mut(self, field);
    }
}

/// Whether the edge is named otherwise than by its ends.
struct Named(bool);

impl<'ast> Visit<'ast> for Named {
    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        if other_end(field).is_none() {
            visit::visit_expr_field(self, field);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.0 |= is_name(&Expr::Path(path.clone()), &ident("e"));
    }
}
