//! The names that generated code uses. They cannot meet the user's: variables resolve at the macro, and a fold, which is a constant as
//! well as a type, is hardly called `__index`.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Ident, Lifetime};

/// A generated name, shown at the user's token `at`.
pub fn name_at(name: &str, at: Span) -> Ident {
    Ident::new(&format!("__{name}"), Span::mixed_site().located_at(at))
}

/// A generated name with a number.
pub fn numbered(name: &str, number: usize) -> Ident {
    numbered_at(name, number, Span::mixed_site())
}

/// A generated name with a number, shown at the user's token `at`.
pub fn numbered_at(name: &str, number: usize, at: Span) -> Ident {
    format_ident!("__{name}_{number}", span = Span::mixed_site().located_at(at))
}

/// A name of `core` or of the device crate, shown at the user's token `at`.
pub fn known_at(name: &str, at: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(at))
}

/// The label of the block that one feature runs in.
pub fn label() -> Lifetime {
    Lifetime::new("'feature", Span::mixed_site())
}
