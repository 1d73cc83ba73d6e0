//! The text of a file, plain or gzip-compressed.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::error::RatingsError;

/// The two bytes that every gzip member starts with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// What some editors put in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a file, and decompresses it if need be.
pub fn read(path: &Path) -> Result<String, RatingsError> {
    let bytes = fs::read(path).map_err(|source| RatingsError::Read { path: path.to_owned(), source })?;
    let bytes = if bytes.starts_with(&GZIP) { decoded(path, &bytes)? } else { bytes };
    let mut text = String::from_utf8(bytes).map_err(|_| RatingsError::NotText { path: path.to_owned() })?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(text)
}

fn decoded(path: &Path, bytes: &[u8]) -> Result<Vec<u8>, RatingsError> {
    let mut decoded = Vec::new();
    let read = MultiGzDecoder::new(bytes).read_to_end(&mut decoded);
    read.map_err(|source| RatingsError::Gzip { path: path.to_owned(), source })?;
    Ok(decoded)
}

/// The lines that are neither blank nor comments, with their numbers.
pub fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let counts = |line: &str| !line.is_empty() && !line.starts_with('#');
    (1..).zip(text.lines().map(str::trim)).filter(move |(_, line)| counts(line))
}
