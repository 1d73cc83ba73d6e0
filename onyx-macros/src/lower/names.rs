//! The names that generated code uses. Those of variables cannot meet the user's: they resolve at the macro.

use proc_macro2::Span;
use quote::format_ident;
use syn::{Ident, Lifetime};

/// A generated variable.
pub fn variable(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A generated variable, shown at the user's token `at`.
pub fn variable_at(name: &str, at: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(at))
}

/// A generated variable with a number.
pub fn numbered(name: &str, number: usize) -> Ident {
    format_ident!("{name}_{number}", span = Span::mixed_site())
}

/// The label of the block that one feature runs in.
pub fn label() -> Lifetime {
    Lifetime::new("'feature", Span::mixed_site())
}
