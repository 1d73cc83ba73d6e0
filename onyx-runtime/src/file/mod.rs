//! Files that appear under their name whole or not at all.
//!
//! A [`Replacement`] is written without a name where the system can do that (`O_TMPFILE` on Linux), so that even a process that is
//! killed leaves nothing; elsewhere under a temporary name. It takes the place of the old file in one step. Where a temporary name was
//! needed,
//!
//! - it goes when the replacement is dropped, or by [`remove_unfinished`] when a signal ends the program;
//! - after a kill, the next replacement in that folder removes it. A lock on the file, held by its owner for as long as that lives, tells
//!   the abandoned from the living, and a name says on which host it was made, since not every network file system passes locks on.
//!
//! A character [`device()`] is written as it is.

mod attributes;
mod device;
mod leftover;
mod link;
mod replacement;
mod temporary;

pub use device::device;
pub use link::resolve;
pub use replacement::{Replacement, beside, replace};
pub use temporary::remove_unfinished;
