//! Which user function a panic comes out of: its message says where it was, not for which function of a fold.

#[cfg(feature = "std")]
use std::cell::Cell;

#[cfg(feature = "std")]
std::thread_local! {
    static FUNCTION: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// A user function that is running. It is dropped by a panic alone, and then notes the function's name where there is a standard library.
#[derive(Debug)]
#[must_use]
pub struct Running {
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    function: &'static str,
}

impl Running {
    /// The function of this name begins.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn begin(function: &'static str) -> Self {
        Self { function }
    }

    /// The function has come to its end.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn end(self) {
        core::mem::forget(self);
    }
}

#[cfg(feature = "std")]
impl Drop for Running {
    /// The first one counts: an emulated warp stops its other lanes after it.
    #[cold]
    fn drop(&mut self) {
        FUNCTION.set(FUNCTION.get().or(Some(self.function)));
    }
}

/// The function that the last panic on this thread came out of, once.
#[cfg(feature = "std")]
pub fn take() -> Option<&'static str> {
    FUNCTION.take()
}
