//! Why a file does not become a text.

use std::io;
use std::path::PathBuf;

use crate::memory::OutOfMemory;

/// Why a file does not become a text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder stands where a file was expected.
    #[error("cannot read {}: it is a directory, not a file; name a file in it", path.display())]
    Directory {
        /// The folder.
        path: PathBuf,
    },
    /// The file did not stay as it was.
    #[error("cannot read {}: the file changed while it was read; run again once it is written", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Standard input was named before.
    #[error("standard input (-) can be read once, and is named twice: copy it to a file, and name that")]
    Again,
    /// The gzip stream ends early or fails its checksum.
    #[error("cannot decompress {}: the gzip data is truncated or corrupt after {decoded} decoded bytes ({source}); get the file again", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// How many bytes came out before the damage.
        decoded: u64,
        /// What the decoder said.
        source: io::Error,
    },
    /// The file has two bytes a character.
    #[error("{} is in UTF-16: save it in UTF-8", path.display())]
    Wide {
        /// The file.
        path: PathBuf,
    },
    /// The file has other files in it, or is compressed by something else than gzip.
    #[error("{} is {form}: unpack it first, and name the file that comes out; gzip alone is read as it is", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// What it is, in words.
        form: &'static str,
    },
    /// There is no memory for the text.
    #[error("cannot read {}: {source}", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// How much is needed.
        source: OutOfMemory,
    },
}
