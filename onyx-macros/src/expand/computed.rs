//! Reads and additions at an index that a function computes.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::token::Brace;
use syn::{Block, Expr, ExprBlock, Stmt, Type};

use crate::expand::property::{feature, index};
use crate::lower::names::{known_at, name_at, numbered};
use crate::lower::plan::Plan;
use crate::parse::access::{Access, Place};

/// Reads at an index that the function computes, in the loop over its features.
pub fn gathered_from(plan: &Plan, data: &Type, access: &Access, number: &Expr) -> ExprBlock {
    let at = Span::mixed_site().located_at(access.property.span());
    let [group, index_of_feature, found] = ["group", "index", "found"].map(|name| name_at(name, at));
    let (bounded, place) = bounded(plan, data, access, number);
    let value = if access.is_row {
        let feature = feature(data, &access.property);
        quote_spanned!(at=> #found.feature::<#feature, _, _, _, _>(#group, #place, #index_of_feature))
    } else {
        quote_spanned!(at=> #found.scalar(#group, #place))
    };
    let code = quote_spanned! {at=>
        #bounded
        #[allow(unused_unsafe)]
        unsafe { #value }
    };
    let block = Block { brace_token: Brace(at), stmts: vec![Stmt::Expr(Expr::Verbatim(code), None)] };
    ExprBlock { attrs: Vec::new(), label: None, block }
}

/// Adds to a row that the function computes, by an operator, in the loop over its features.
pub fn added_to(
    plan: &Plan,
    data: &Type,
    access: &Access,
    (number, operator, value): (&Expr, &str, &Expr),
) -> TokenStream {
    let at = Span::mixed_site().located_at(access.property.span());
    let [group, index_of_feature, found] = ["group", "index", "found"].map(|name| name_at(name, at));
    let (bounded, place) = bounded(plan, data, access, number);
    let operator = known_at(operator, at);
    quote_spanned! {at=>
        {
            let __value: ::core::primitive::f32 = #value;
            #bounded
            #[allow(unused_unsafe)]
            unsafe {
                ::onyx_device::table::Adding::<::onyx_device::operator::#operator>::apply(
                    #group, #found, #place, #index_of_feature, __value,
                )
            }
        }
    }
}

/// Code that finds whether an index is in range, and the place of what it names.
fn bounded(plan: &Plan, data: &Type, access: &Access, number: &Expr) -> (TokenStream, TokenStream) {
    let at = Span::mixed_site().located_at(access.property.span());
    let [data_name, misses, loads, found] = ["data", "misses", "loads", "found"].map(|name| name_at(name, at));
    let (place_of, property) = (numbered("place", plan.place_of(access)), index(&access.property));
    if access.place == Place::Row {
        let rows = name_at("rows", at);
        let find = quote_spanned! {at=>
            let #rows = #place_of(#data_name);
            let #found = #misses.bounded(#property, #number, #rows.count);
        };
        return (find, quote_spanned!(at=> #rows.row(#found.number)));
    }
    let rows = quote_spanned!(at=> <#data as ::onyx_device::property::GraphData>::reach(#data_name).vertices);
    let gathered = name_at("gathered", Span::mixed_site());
    let previous = quote_spanned!(at=> #loads.#gathered >> #property & 1 == 1);
    (
        quote_spanned!(at=> let #found = #misses.bounded(#property, #number, #rows);),
        quote_spanned!(at=> #place_of(#data_name, ::onyx_device::Vertex(#found.number), #previous)),
    )
}
