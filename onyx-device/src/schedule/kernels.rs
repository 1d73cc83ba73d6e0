//! What `foldmap!` emits beside the kernels of its stages, and what it calls where a name is none of Onyx's.

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
            unsafe {
                $crate::schedule::activate::run($crate::Launch::new($crate::nvptx::Nvptx::<false, false>, &arguments))
            }
        }

        /// # Safety
        /// Launched by the runtime, with an array of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $look(look: $crate::schedule::look::Look) {
            unsafe { $crate::schedule::look::run($crate::nvptx::Nvptx::<false, false>, &look) }
        }

        #[unsafe(no_mangle)]
        pub static $fingerprint: u64 = <$fold as $crate::Fold>::FINGERPRINT;
    };
}

/// Emits the kernel that adds up totals of the graph.
#[doc(hidden)]
#[macro_export]
macro_rules! __total_kernel {
    ($total:ident) => {
        /// # Safety
        /// Launched by the runtime, with arrays of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $total(add_up: $crate::schedule::total::AddUp) {
            unsafe { $crate::schedule::total::run($crate::nvptx::Nvptx::<false, false>, &add_up) }
        }
    };
}

/// Emits the kernel that ends a batch where the direction of iterations is to change.
#[doc(hidden)]
#[macro_export]
macro_rules! __limit_kernel {
    ($limit:ident) => {
        /// # Safety
        /// Launched by the runtime, with the counters of an iteration of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $limit(limit: $crate::schedule::limit::Limit) {
            unsafe { $crate::schedule::limit::run($crate::nvptx::Nvptx::<false, false>, &limit) }
        }
    };
}

/// Emits the kernel that packs the rows of frequent sources.
#[doc(hidden)]
#[macro_export]
macro_rules! __pack_kernel {
    ($pack:ident) => {
        /// # Safety
        /// Launched by the runtime, with arrays of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $pack(pack: $crate::schedule::pack::Pack) {
            unsafe { $crate::schedule::pack::run($crate::nvptx::Nvptx::<false, false>, &pack) }
        }
    };
}

/// What stands in for the macro of a name that no attribute of Onyx stands on.
#[doc(hidden)]
#[macro_export]
macro_rules! __unmarked {
    ($($state:tt)*) => { $crate::__compile_fold! { $($state)* unmarked {} } };
}
