//! The errors of one item, collected so that the user sees all of them at once.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

use crate::lower::total::in_words;

/// What is wrong with one item.
#[derive(Debug, Default)]
pub struct Errors(Vec<Error>);

impl Errors {
    /// Adds an error that underlines `tokens`.
    pub fn push(&mut self, tokens: impl ToTokens, message: impl Into<String>) {
        self.0.push(Error::new_spanned(tokens, in_words(&message.into())));
    }

    /// Adds an error at one token.
    pub fn push_at(&mut self, span: Span, message: impl Into<String>) {
        self.0.push(Error::new(span, in_words(&message.into())));
    }

    /// Adds an error of the parser.
    pub fn push_error(&mut self, error: Error) {
        self.0.push(error);
    }

    /// Adds those of another item.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The errors as the compiler shows them.
    pub fn into_tokens(self) -> TokenStream {
        self.0.into_iter().map(Error::into_compile_error).collect()
    }

    /// The texts of the errors, in order.
    #[cfg(test)]
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}
