//! A body that is compiled twice: as a vertex function, and as plain Rust.

/// `programs! { name(f, v, d) { .. } .. }` makes a test of each body. Names come from the caller, so that the body sees the parameters.
macro_rules! programs {
    ($($name:ident($f:ident, $v:ident, $d:ident) { $($body:tt)* })*) => {
        $(
            mod $name {
                mod lowered {
                    #[allow(unused_imports)]
                    use super::super::*;
                    use crate::evaluation::lowered::Data;
                    use onyx_device::prelude::*;

                    #[vertex_fn]
                    #[allow(warnings, clippy::all)]
                    pub fn program<const K: usize>($f: Feature, $v: Vertex, $d: &mut Data<K>) -> bool { $($body)* }
                }

                mod plain {
                    #[allow(unused_imports)]
                    use super::super::*;
                    #[allow(unused_imports)]
                    use crate::evaluation::plain::*;
                    use onyx_device::{Feature, Vertex};

                    #[allow(warnings, clippy::all)]
                    pub fn program($f: Feature, $v: Vertex, $d: &mut Data) -> bool { $($body)* }
                }

                #[test]
                fn agrees_with_rust() {
                    crate::evaluation::lowered::check::<lowered::program>(plain::program);
                }
            }
        )*
    };
}
