//! Why a value may differ between features.

use syn::Ident;

/// Why a value may differ between features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is computed from something that differs.
    Differs,
    /// A variable with this name, as the user wrote it, may have been changed through a reference, a closure or a method.
    Through(Ident),
}

/// A cause, or nothing where a value is the same for all features.
pub type Taint = Option<Cause>;

/// The taint of what is made of two values.
pub fn join(first: Taint, second: Taint) -> Taint {
    match (first, second) {
        (Some(Cause::Differs), _) | (_, Some(Cause::Differs)) => Some(Cause::Differs),
        (first, second) => first.or(second),
    }
}
