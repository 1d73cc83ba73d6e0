//! Values that are the same for all features: each feature computes its own, one is taken, and the emulator compares them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, Ident};

use crate::check::usage::assignment;
use crate::expand::function::Lowered;
use crate::lower::names::numbered;
use crate::lower::plan::{Slot, Sum};
use crate::lower::region::Region;
use crate::lower::rewrite::{shared, sum, total};
use crate::parse::access::recognise;

/// Compares the values of all features.
pub fn agree(lowered: &Lowered, values: &Ident, shared: &TokenStream) -> TokenStream {
    let (mixed, function) = (Span::mixed_site(), lowered.function.name.unraw().to_string());
    quote_spanned!(mixed=> unsafe { __group.agree(&#values, #function, ::onyx_device::agreement::Shared::#shared) };)
}

/// A scalar that a region writes or reduces, or a state of a few floats.
pub struct Scalar<'a> {
    /// Where it is held while features are computed.
    pub place: TokenStream,
    /// Where it stands before and after, if that is somewhere else: a variable of its own stays in registers where features are reached by their numbers.
    pub home: Option<TokenStream>,
    /// Its property.
    pub property: &'a Ident,
    /// Whether it is a state.
    is_state: bool,
}

impl Scalar<'_> {
    /// The float by which features are compared, of a value that stands at `place`.
    pub fn noted(&self, place: &impl ToTokens) -> TokenStream {
        let mixed = Span::mixed_site();
        if self.is_state {
            quote_spanned!(mixed=> ::onyx_device::state::State::digest(#place))
        } else {
            quote_spanned!(mixed=> #place)
        }
    }

    /// What the group's first lane has, by this method of the group.
    pub fn shared(&self, method: &Ident) -> TokenStream {
        let (mixed, place) = (Span::mixed_site(), &self.place);
        if self.is_state {
            quote_spanned!(mixed=> ::onyx_device::state::State::map(#place, |__float| __group.#method(__float)))
        } else {
            quote_spanned!(mixed=> __group.#method(#place))
        }
    }
}

/// The scalars that a region writes or reduces.
pub fn written_scalars<'a>(lowered: &'a Lowered, region: &Region) -> Vec<Scalar<'a>> {
    let (mixed, plan) = (Span::mixed_site(), &lowered.plan);
    let slots = Written::slots(lowered, region);
    let registers = plan.registers.iter().enumerate().filter(|(_, register)| !register.access.is_row);
    let registers =
        registers.filter(|(number, _)| slots.contains(&Slot::Register(*number))).map(|(number, register)| {
            let name = numbered("register", number);
            let property = &register.access.property;
            Scalar { place: quote_spanned!(mixed=> #name), home: None, property, is_state: false }
        });
    let sums = plan.sums.iter().enumerate().filter(|(number, _)| slots.contains(&Slot::Sum(*number)));
    let sums = sums.filter_map(|(number, reduced)| {
        let (property, is_state) = (&reduced.access.property, reduced.reduction.has_state());
        let (place, home) = shared_by_features(number, reduced)?;
        Some(Scalar { place, home, property, is_state })
    });
    registers.chain(sums).collect()
}

/// What sum number `number` has that is the same for all features: a scalar, or the weights of what is reduced; and its home.
fn shared_by_features(number: usize, reduced: &Sum) -> Option<(TokenStream, Option<TokenStream>)> {
    let mixed = Span::mixed_site();
    let total = total(number, mixed);
    let home = match (reduced.reduction.has_state(), reduced.access.is_row) {
        (false, false) => return Some((sum(number, false, mixed), None)),
        (true, false) => quote_spanned!(mixed=> #total.state),
        (true, true) if reduced.is_shared => quote_spanned!(mixed=> #total.shared),
        _ => return None,
    };
    Some((shared(number, mixed).into_token_stream(), Some(home)))
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
