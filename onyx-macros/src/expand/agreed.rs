//! Values that are the same for all features: each feature computes its own, one is taken, and the emulator compares them.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, Ident};

use crate::check::usage::assignment;
use crate::expand::function::Lowered;
use crate::lower::names::{known_at, numbered};
use crate::lower::plan::{Slot, Sum};
use crate::lower::region::Region;
use crate::lower::rewrite::{sum, total};
use crate::parse::access::recognise;

/// Compares the values of all features.
pub fn agree(lowered: &Lowered, values: &Ident, shared: &TokenStream) -> TokenStream {
    let (mixed, function) = (Span::mixed_site(), lowered.function.name.unraw().to_string());
    quote_spanned!(mixed=> unsafe { __group.agree(&#values, #function, ::onyx_device::agreement::Shared::#shared) };)
}

/// A scalar that a region writes or reduces.
pub struct Scalar<'a> {
    /// Where it is held.
    pub place: TokenStream,
    /// Its property.
    pub property: &'a Ident,
}

/// The scalars that a region writes or reduces.
pub fn written_scalars<'a>(lowered: &'a Lowered, region: &Region) -> Vec<Scalar<'a>> {
    let (mixed, plan) = (Span::mixed_site(), &lowered.plan);
    let slots = Written::slots(lowered, region);
    let registers = plan.registers.iter().enumerate().filter(|(_, register)| !register.access.is_row);
    let registers =
        registers.filter(|(number, _)| slots.contains(&Slot::Register(*number))).map(|(number, register)| {
            let name = numbered("register", number);
            Scalar { place: quote_spanned!(mixed=> #name), property: &register.access.property }
        });
    let sums = plan.sums.iter().enumerate().filter(|(number, _)| slots.contains(&Slot::Sum(*number)));
    let sums = sums.flat_map(|(number, reduced)| {
        let property = &reduced.access.property;
        scalars_of(number, reduced).into_iter().map(move |place| Scalar { place, property })
    });
    registers.chain(sums).collect()
}

/// What sum number `number` has that is the same for all features: a scalar, or the weights of what is reduced.
fn scalars_of(number: usize, reduced: &Sum) -> Vec<TokenStream> {
    let mixed = Span::mixed_site();
    match (reduced.reduction.state(), reduced.access.is_row) {
        (None, false) => vec![sum(number, false, mixed)],
        (Some(floats), false) => (0..floats).map(|float| state(number, "state", float)).collect(),
        (Some(floats), true) if reduced.is_shared => (1..floats).map(|float| state(number, "shared", float)).collect(),
        _ => Vec::new(),
    }
}

/// A float of the state of sum number `number`.
fn state(number: usize, field: &str, float: usize) -> TokenStream {
    let mixed = Span::mixed_site();
    let (total, field) = (total(number, mixed), known_at(field, mixed));
    quote_spanned!(mixed=> #total.#field[#float])
}

/// Finds where the properties are held that a region writes or reduces.
struct Written<'a> {
    lowered: &'a Lowered,
    slots: Vec<Slot>,
}

impl<'a> Written<'a> {
    fn slots(lowered: &'a Lowered, region: &Region) -> Vec<Slot> {
        let mut written = Self { lowered, slots: Vec::new() };
        region.statements.iter().for_each(|statement| written.visit_stmt(statement));
        region.call.iter().flat_map(|call| &call.arguments).for_each(|argument| written.visit_expr(argument));
        written.slots
    }
}

impl<'ast> Visit<'ast> for Written<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        let function = &self.lowered.function;
        if let Some(assignment) = assignment(expression)
            && let Some(Ok(access)) = recognise(assignment.left, function.kind, &function.names)
        {
            self.slots.push(self.lowered.plan.slot(&access));
        }
        visit::visit_expr(self, expression);
    }
}
