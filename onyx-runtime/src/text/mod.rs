//! Text files: read whole, plain or compressed, and parsed line by line on all threads.
//!
//! A [`Text`] is what a file says, without a byte-order mark. [`read_parts`] cuts it into parts at the ends of lines, and has a
//! [`LineReader`] take the lines of each. What a line says wrong comes with the place where it begins, and is quoted by [`quoted`].

mod archive;
mod error;
mod file;
mod part;
mod quote;
mod source;
mod word;

pub use error::FileError;
pub use file::{STANDARD_INPUT, Text};
pub use part::{LineReader, Part, next_line, read_all, read_parts};
pub use quote::{escaped, quoted};
pub(crate) use source::Source;
pub use word::{Float, finite, float, has_digits, has_empty_field, is_skipped, whole, words};
