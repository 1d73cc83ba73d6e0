//! `#[graph_data]`: the structure.

use syn::punctuated::Punctuated;
use syn::{Field, Fields, ItemStruct, Token};

use crate::errors::Errors;
use crate::message;
use crate::parse::function::check_generics;

/// The bits of an access set.
const MOST_PROPERTIES: usize = 64;

/// Checks the structure. Returns its fields if they have names.
pub fn parse<'a>(item: &'a ItemStruct, errors: &mut Errors) -> Option<&'a Punctuated<Field, Token![,]>> {
    check_generics(&item.generics, errors);
    let Fields::Named(fields) = &item.fields else {
        match &item.fields {
            Fields::Unit => errors.push(&item.ident, message::NO_PROPERTIES),
            fields => errors.push(fields, message::NAMED_FIELDS),
        }
        return None;
    };
    if fields.named.is_empty() {
        errors.push(&item.ident, message::NO_PROPERTIES);
    }
    if let Some(field) = fields.named.iter().nth(MOST_PROPERTIES) {
        errors.push(&field.ident, message::TOO_MANY_PROPERTIES);
    }
    Some(&fields.named)
}
