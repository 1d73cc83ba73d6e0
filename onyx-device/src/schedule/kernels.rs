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
                $crate::schedule::activate::run($crate::Launch::new(
                    $crate::nvptx::Nvptx::<{ cfg!(onyx_sm_90) }, false, false>,
                    &arguments,
                ))
            }
        }

        $crate::__apart_kernel!($look, look, Look);

        #[unsafe(no_mangle)]
        pub static $fingerprint: u64 = <$fold as $crate::Fold>::FINGERPRINT;
    };
}

/// Emits a kernel that takes no arguments of a fold but some of its own, of a type of its module.
#[doc(hidden)]
#[macro_export]
macro_rules! __apart_kernel {
    ($kernel:ident, $module:ident, $arguments:ident) => {
        /// # Safety
        /// Launched by the runtime, with arrays of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $kernel(arguments: $crate::schedule::$module::$arguments) {
            unsafe {
                $crate::schedule::$module::run($crate::nvptx::Nvptx::<{ cfg!(onyx_sm_90) }, false, false>, &arguments)
            }
        }
    };
}

/// What stands in for the macro of a name that no attribute of Onyx stands on.
#[doc(hidden)]
#[macro_export]
macro_rules! __unmarked {
    ($($state:tt)*) => { $crate::__compile_fold! { $($state)* unmarked {} } };
}
