//! The macro of the same name as an item: it hands the item's tokens on, so that a fold sees its structure and its functions.

use std::sync::atomic::{AtomicUsize, Ordering};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, Visibility};

use crate::errors::Errors;
use crate::message;

/// How many items this process has expanded.
static ITEMS: AtomicUsize = AtomicUsize::new(0);

/// What a carrier says that its tokens are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// A `#[graph_data]` structure.
    Data,
    /// An `#[edge_fn]`.
    Edge,
    /// A `#[vertex_fn]`.
    Vertex,
    /// Nothing: the item has errors, which are reported where it stands.
    Broken,
}

impl Carried {
    /// The word for it between macros.
    pub const WORDS: [(&'static str, Self); 4] =
        [("data", Self::Data), ("edge", Self::Edge), ("vertex", Self::Vertex), ("broken", Self::Broken)];

    fn word(self) -> Ident {
        let word = Self::WORDS.iter().find(|(_, carried)| *carried == self).map_or("broken", |(word, _)| *word);
        Ident::new(word, Span::mixed_site())
    }
}

/// The macros that are in scope everywhere: what has one of their names cannot be found by a macro of its own.
const STANDARD: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Refuses the name of a macro that is in scope everywhere.
pub fn check_name(name: &Ident, errors: &mut Errors) {
    if is_standard(name) {
        errors.push(name, message::name_of_macro(name));
    }
}

fn is_standard(name: &Ident) -> bool {
    STANDARD.iter().any(|standard| name == standard)
}

/// The carrier of `item`, as visible as it.
pub fn carrier(
    carried: Carried,
    (name, visibility, attributes): (&Ident, &Visibility, &[Attribute]),
    item: &impl ToTokens,
) -> TokenStream {
    let item = item.to_token_stream();
    let (carried, item) = if has_dollar(&item) { (Carried::Broken, TokenStream::new()) } else { (carried, item) };
    if is_standard(name) {
        return TokenStream::new();
    }
    let number = ITEMS.fetch_add(1, Ordering::Relaxed);
    let hidden = format_ident!("__onyx_{}_{number}", name.unraw(), span = Span::mixed_site());
    let word = carried.word();
    let shared: Vec<&Attribute> = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect();
    let export = matches!(visibility, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let at = Span::mixed_site().located_at(name.span());
    let import = quote_spanned!(at=> #visibility use #hidden as #name;);
    quote! {
        #(#shared)*
        #[doc(hidden)]
        #[allow(unused_macros, non_local_definitions)]
        #export
        macro_rules! #hidden {
            ($($state:tt)*) => { ::onyx_device::__compile_fold! { $($state)* #word { #item } } };
        }

        #(#shared)*
        #[doc(hidden)]
        #[allow(unused_imports)]
        #import
    }
}

/// Whether a macro would take a part of the tokens for a variable of its own.
fn has_dollar(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Punct(punct) => punct.as_char() == '$',
        TokenTree::Group(group) => has_dollar(&group.stream()),
        _ => false,
    })
}
