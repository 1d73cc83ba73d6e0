//! A file that is open to be read.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::path::Path;

use super::error::FileError;
use super::file::stream;
use crate::block::Block;
use crate::progress::Watch;

/// An open file, with what the system said of it when it was opened.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub path: &'a Path,
    pub metadata: Metadata,
    pub file: File,
}

/// What a file holds.
#[derive(Debug)]
pub(crate) enum Content {
    /// Of a file.
    Block(Block),
    /// Of a pipe, or of a device.
    Stream(Vec<u8>),
}

impl<'a> Source<'a> {
    /// Opens the file at `path`.
    pub fn open(path: &'a Path) -> Result<Self, FileError> {
        let failed = |source| FileError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(FileError::Directory { path: path.to_owned() });
        }
        Ok(Self { path, metadata, file })
    }

    /// Reads all of it. There are files of the system that say they are empty, and are not.
    pub fn read(&self, watch: Watch<'_>) -> Result<Content, FileError> {
        if !self.metadata.is_file() || self.metadata.len() == 0 {
            return stream(self.path, &mut &self.file, watch).map(Content::Stream);
        }
        self.unchanged(Block::read(&self.file, self.metadata.len(), watch)).map(Content::Block)
    }

    /// What was read of the file, if it is still as it was when it was opened.
    pub fn unchanged<T>(&self, read: io::Result<T>) -> Result<T, FileError> {
        let failed = |source: io::Error| match source.kind() {
            ErrorKind::UnexpectedEof => FileError::Changed { path: self.path.to_owned() },
            _ => FileError::Read { path: self.path.to_owned(), source },
        };
        let marks = |metadata: &Metadata| (metadata.len(), metadata.modified().ok());
        if marks(&self.file.metadata().map_err(failed)?) != marks(&self.metadata) {
            return Err(FileError::Changed { path: self.path.to_owned() });
        }
        read.map_err(failed)
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Block(block) => block,
            Self::Stream(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
