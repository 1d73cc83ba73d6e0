//! How long the values of a property last.

use crate::passed::Passed;
use crate::stored::Float;

/// A vertex property that keeps no previous value.
#[derive(Clone, Copy, Debug)]
pub struct Untracked;

/// A vertex property that keeps its previous value, so that changes can be propagated and neighbors can be read while it is written.
#[derive(Clone, Copy, Debug)]
pub struct Tracked;

/// A property that lives inside a fold: what one function writes, later functions of the same run read in registers, and those of later stages where a vertex function has left it.
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
    /// What a float of a vertex's features is in memory, where `T` is asked for.
    type Stored<T: Float>: Float;
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
    type Stored<T: Float> = T;
}

impl Tracking for Tracked {
    const TRACKED: bool = true;
    const SCRATCH: bool = false;
    type Stored<T: Float> = T;
}

impl Tracking for Scratch {
    const TRACKED: bool = false;
    const SCRATCH: bool = true;
    type Stored<T: Float> = Passed<T>;
}

impl EdgeTracking for Untracked {}

impl EdgeTracking for Scratch {}
