//! How long the values of a property last.

/// A vertex property that keeps no previous value.
#[derive(Clone, Copy, Debug)]
pub struct Untracked;

/// A vertex property that keeps its previous value, so that changes can be propagated and neighbors can be read while it is written.
#[derive(Clone, Copy, Debug)]
pub struct Tracked;

/// A property that lives in registers: what one function of a run writes, later functions of the same run read.
#[derive(Clone, Copy, Debug)]
pub struct Scratch;

/// How long a property's values last: [`Tracked`], [`Untracked`] or [`Scratch`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how long a property's values last",
    label = "write `Tracked` or `Scratch`, or remove this"
)]
pub trait Tracking: Copy + 'static {
    /// True for [`Tracked`].
    const TRACKED: bool;
    /// True for [`Scratch`].
    const SCRATCH: bool;
}

/// How long an edge property's values last: [`Untracked`] or [`Scratch`].
#[diagnostic::on_unimplemented(
    message = "an edge property cannot be `{Self}`",
    label = "an edge keeps no previous value: remove this, or write `Scratch`"
)]
pub trait EdgeTracking: Tracking {}

impl Tracking for Untracked {
    const TRACKED: bool = false;
    const SCRATCH: bool = false;
}

impl Tracking for Tracked {
    const TRACKED: bool = true;
    const SCRATCH: bool = false;
}

impl Tracking for Scratch {
    const TRACKED: bool = false;
    const SCRATCH: bool = true;
}

impl EdgeTracking for Untracked {}

impl EdgeTracking for Scratch {}
