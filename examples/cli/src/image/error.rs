//! What can go wrong with a picture.

use std::path::PathBuf;

use thiserror::Error;

use onyx_examples::markov::NetworkError;
use onyx_runtime::text::FileError;

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no PNG file, or a broken one.
    #[error("cannot read {} as a PNG picture: {reason}", path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        reason: String,
    },
    /// Too many pixels.
    #[error(
        "the picture has {width} x {height} pixels of {channels} channels, for which {levels} levels need {bytes} bytes of memory, \
         but there are {available}: take a smaller picture or fewer --states"
    )]
    Memory {
        /// Its width in pixels.
        width: u32,
        /// Its height in pixels.
        height: u32,
        /// The channels that are denoised.
        channels: usize,
        /// The grey levels of a channel.
        levels: usize,
        /// What they need.
        bytes: u64,
        /// What there is.
        available: u64,
    },
    /// A number of grey levels that says nothing.
    #[error("{levels} grey levels are not possible: ask for 2 to {limit}")]
    Levels {
        /// What was asked for.
        levels: usize,
        /// The greatest number.
        limit: usize,
    },
    /// The network is impossible.
    #[error(transparent)]
    Network(#[from] NetworkError),
}
