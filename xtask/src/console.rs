//! What commands print for whoever still reads.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints lines. A reader who has gone, such as `head`, ends no command.
pub fn say(lines: impl Display) {
    let _ = writeln!(io::stdout(), "{lines}");
}
