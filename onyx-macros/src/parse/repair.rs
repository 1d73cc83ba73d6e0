//! Repairs a structure that the compiler would report many times: the error is said once, and the rest goes on with what was meant.

use syn::{Field, Fields, GenericParam, Generics, Ident, ItemStruct, Type, parse_quote};

use crate::errors::Errors;
use crate::message;

/// The structure with a constant as the number of features, and with one field of each name.
pub fn repaired(item: &ItemStruct, errors: &mut Errors) -> ItemStruct {
    let mut item = item.clone();
    repair_generics(&mut item.generics, errors);
    if let Fields::Named(fields) = &mut item.fields {
        let mut known = Vec::new();
        let named = std::mem::take(&mut fields.named).into_iter();
        fields.named = named.filter(|field| is_first(field, &mut known, errors)).collect();
    }
    item
}

/// Refuses a type, or a constant of another type, in place of the number of features.
fn repair_generics(generics: &mut Generics, errors: &mut Errors) {
    let Some(parameter) = generics.params.first_mut() else { return };
    let name = match parameter {
        GenericParam::Type(named) => named.ident.clone(),
        GenericParam::Const(constant) if !is_usize(&constant.ty) => constant.ident.clone(),
        _ => return,
    };
    errors.push(&*parameter, message::constant(&name));
    *parameter = parse_quote!(const #name: usize);
}

fn is_usize(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.path.is_ident("usize"))
}

/// Whether no field before this one has its name.
fn is_first(field: &Field, known: &mut Vec<Ident>, errors: &mut Errors) -> bool {
    let Some(name) = &field.ident else { return true };
    let is_first = !known.contains(name);
    if is_first {
        known.push(name.clone());
    } else {
        errors.push(name, message::twice(name));
    }
    is_first
}
