//! The kernels of one stage of a fold at one compiled width, as `foldmap!` emits them.

/// Emits the kernels of one stage and width: their names, then data, fold, entry, edge functions, vertex functions, lanes, features a lane, and the machine.
///
/// A kernel that the fold has no use for, such as `push` in a fold that never pushes, has an empty body.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernels {
    ($pull:ident, $clear:ident, $finish:ident, $push:ident, $vertex:ident, $vertex_per_warp:ident, $vertex_per_block:ident, $edge_flat:ident, $warp_word:ident, $recompute:ident, $every_vertex:ident,
     $data:ty, $fold:ty, $entry:literal, $edges:ty, $vertices:ty, $lanes:literal, $features:literal, $machine:expr) => {
        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $pull(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_pull::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::pull::run::<_, $data, $edges, $vertices, $lanes, $features>($machine, &arguments)
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $clear(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_pull::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::cut_rows::clear::<_, $data, $edges, $lanes, $features>($machine, &arguments)
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $finish(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_pull::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::cut_rows::finish::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $push(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_push::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::push::run::<_, $data, $edges, $vertices, $lanes, $features>($machine, &arguments)
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $vertex(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_vertex::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::vertex::run::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $vertex_per_warp(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_rows::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::vertex_per_warp::run::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $vertex_per_block(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_rows::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::vertex_per_block::run::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $edge_flat(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_pull::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::edge_flat::run::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $warp_word(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_push::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::warp_word::run::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $recompute(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_recompute::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::recompute::run::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }

        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $every_vertex(arguments: $crate::arguments::Arguments<$data>) {
            if const { $crate::fold::needs_every_vertex::<$fold>($entry) } {
                unsafe {
                    $crate::schedule::every_vertex::run::<_, $data, $edges, $vertices, $lanes, $features>(
                        $machine, &arguments,
                    )
                }
            }
        }
    };
}

/// Emits what a fold needs once: the kernels that write the active words and look for values that are not finite, and the fingerprint that the
/// host compares.
#[doc(hidden)]
#[macro_export]
macro_rules! __shared_kernels {
    ($activate:ident, $look:ident, $fingerprint:ident, $data:ty, $fold:ty) => {
        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $activate(arguments: $crate::arguments::Arguments<$data>) {
            unsafe { $crate::schedule::activate::run($crate::nvptx::Nvptx::<false>, &arguments) }
        }

        /// # Safety
        /// Launched by the runtime, with an array of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $look(look: $crate::schedule::look::Look) {
            unsafe { $crate::schedule::look::run($crate::nvptx::Nvptx::<false>, &look) }
        }

        #[unsafe(no_mangle)]
        pub static $fingerprint: u64 = <$fold as $crate::Fold>::FINGERPRINT;
    };
}
