//! What an item with errors expands to: the errors, and just enough that nothing else is reported because of them.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, ItemFn, ItemStruct};

use crate::errors::Errors;
use crate::expand::data::{keys, unknown};
use crate::expand::function::head;
use crate::lower::switches::Switches;
use crate::parse::data::mended;
use crate::parse::function::Kind;

/// A function of any data that does nothing.
pub fn function(kind: Kind, item: &ItemFn, switches: &Switches, errors: Errors) -> TokenStream {
    let (errors, name) = (errors.into_tokens(), &item.sig.ident);
    let head = head(&item.attrs, &item.vis, name, switches);
    let implementation = match kind {
        Kind::Edge => edge(name, switches),
        Kind::Vertex => vertex(name, switches),
    };
    quote! {
        #errors
        #head

        const _: () = {
            #implementation
        };
    }
}

fn edge(name: &Ident, switches: &Switches) -> TokenStream {
    let (declared, names) = (switches.declared(), &switches.0);
    quote! {
        unsafe impl<__D: ::onyx_device::property::GraphData, #declared> ::onyx_device::function::EdgeFunction<__D> for #name<#(#names),*> {
            const ACCESS: ::onyx_device::EdgeAccess = ::onyx_device::EdgeAccess::NONE;
            type Loads<const __V: usize> = ();
            type Sums<const __V: usize> = ();
            type Written<const __V: usize> = ();

            unsafe fn load<
                __M: ::onyx_device::Machine,
                __T: ::onyx_device::access::Version,
                const __L: usize,
                const __V: usize,
            >(_: ::onyx_device::Group<__M, __L, __V>, _: ::onyx_device::Edge, _: &__D) {}

            unsafe fn compute<
                __M: ::onyx_device::Machine,
                __G: ::onyx_device::registers::Registers<__D, __V>,
                const __L: usize,
                const __V: usize,
            >(
                _: ::onyx_device::Group<__M, __L, __V>,
                _: ::onyx_device::Edge,
                _: &__D,
                _: (),
                _: __G,
                _: &mut (),
            ) -> (bool, ()) {
                (true, ())
            }
        }
    }
}

fn vertex(name: &Ident, switches: &Switches) -> TokenStream {
    let (declared, names) = (switches.declared(), &switches.0);
    quote! {
        unsafe impl<__D: ::onyx_device::property::GraphData, #declared> ::onyx_device::function::VertexFunction<__D> for #name<#(#names),*> {
            const ACCESS: ::onyx_device::VertexAccess = ::onyx_device::VertexAccess::NONE;
            type Held<const __V: usize> = ();
            type Loads<const __V: usize> = ();
            type Written<const __V: usize> = ();
            type Totals<const __V: usize> = ();

            unsafe fn hold<__M: ::onyx_device::Machine, const __L: usize, const __V: usize>(
                _: ::onyx_device::Group<__M, __L, __V>,
                _: &__D,
            ) {
            }

            unsafe fn load<
                __M: ::onyx_device::Machine,
                __T: ::onyx_device::access::Version,
                __G: ::onyx_device::registers::Registers<__D, __V>,
                const __L: usize,
                const __V: usize,
            >(
                _: ::onyx_device::Group<__M, __L, __V>,
                _: ::onyx_device::Vertex,
                _: &__D,
                _: __G,
            ) {
            }

            unsafe fn compute<
                __M: ::onyx_device::Machine,
                __G: ::onyx_device::registers::Registers<__D, __V>,
                const __L: usize,
                const __V: usize,
            >(
                _: ::onyx_device::Group<__M, __L, __V>,
                _: ::onyx_device::Vertex,
                _: &__D,
                _: (),
                _: __G,
            ) -> (bool, ()) {
                (true, ())
            }
        }
    }
}

/// A structure without properties.
pub fn data(item: &ItemStruct, errors: Errors) -> TokenStream {
    let (errors, name) = (errors.into_tokens(), &item.ident);
    if item.generics.type_params().next().is_some() || item.generics.lifetimes().next().is_some() {
        return quote!(#errors #item);
    }
    let item = &mended(item);
    let (introduced, arguments, clause) = item.generics.split_for_impl();
    let text = name.to_string();
    let (unknown, keys) = (unknown(item), keys(item));
    quote! {
        #errors
        #unknown
        #keys

        #[derive(Clone, Copy)]
        #[allow(dead_code)]
        #item

        #[allow(clippy::undocumented_unsafe_blocks)]
        const _: () = {
            unsafe impl #introduced ::onyx_device::property::GraphData for #name #arguments #clause {
                const WIDTH: usize = 1;
                const NAME: &'static str = #text;
                const PATH: &'static str = #text;
                const PROPERTIES: &'static [::onyx_device::property::Descriptor] = &[];

                fn bind(_: &[::onyx_device::property::Storage]) -> Self {
                    loop {}
                }

                fn narrow(self) -> Self {
                    self
                }

                fn exchanged(self, _: u64) -> Self {
                    self
                }

                fn of_head(self, _: u32) -> Self {
                    self
                }

                fn reaching(self, _: ::onyx_device::gather::Reach) -> Self {
                    self
                }

                fn reach(&self) -> ::onyx_device::gather::Reach {
                    ::onyx_device::gather::Reach::NONE
                }

                unsafe fn restore_previous<__M: ::onyx_device::Machine, const __L: usize, const __V: usize>(
                    &self,
                    _: ::onyx_device::Group<__M, __L, __V>,
                    _: ::onyx_device::Vertex,
                    _: u64,
                ) {
                }

                unsafe fn keep_as_previous<__M: ::onyx_device::Machine, const __L: usize, const __V: usize>(
                    &self,
                    _: ::onyx_device::Group<__M, __L, __V>,
                    _: ::onyx_device::Vertex,
                    _: u64,
                ) {
                }
            }
        };
    }
}

/// A fold of nothing, which takes any data.
pub fn fold(name: &Ident) -> TokenStream {
    quote! {
        const _: () = {
            unsafe impl<__D> ::onyx_device::FoldOf<__D> for #name {}

            unsafe impl ::onyx_device::Fold for #name {
                const NAME: &'static str = "";
                const PACKAGE: &'static str = "";
                const FINGERPRINT: u64 = 0;
                const WIDTHS: &'static [usize] = &[];
                const LANES: &'static [usize] = &[];
                const DATA: &'static str = "";
                const PROPERTIES: &'static [::onyx_device::property::Descriptor] = &[];
                const STAGES: &'static [::onyx_device::stage::StageAccess] = &[];
                const IS_ACTIVE: bool = false;
                const WHY_NOT_CHANGE_DRIVEN: ::core::option::Option<&'static str> = ::core::option::Option::None;
                const WHY_NOT_TILED: ::core::option::Option<&'static str> = ::core::option::Option::None;
                const PUSHES: bool = false;

                fn visit<__N: ::onyx_device::WidthVisitor>(_: usize, _: __N) -> ::core::option::Option<__N::Output> {
                    ::core::option::Option::None
                }
            }
        };
    }
}
