//! `#[host]`: an item that is not compiled for the device.

use proc_macro2::TokenStream;
use quote::quote;

/// The item, on the host alone.
pub fn expand(item: &TokenStream) -> TokenStream {
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #item
    }
}
