//! A graph file that is open.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use super::block::Block;
use super::checksum::checksum_of_file;
use super::error::GraphError;

/// An open file, with what the system said of it when it was opened.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub path: &'a Path,
    pub metadata: Metadata,
    pub file: File,
}

/// What a file holds.
#[derive(Debug)]
pub(super) enum Content {
    /// Of a file.
    Block(Block),
    /// Of a pipe, or of a device.
    Stream(Vec<u8>),
}

impl<'a> Source<'a> {
    /// Opens the file at `path`.
    pub fn open(path: &'a Path) -> Result<Self, GraphError> {
        let read_error = |source| GraphError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(read_error)?;
        let metadata = file.metadata().map_err(read_error)?;
        if metadata.is_dir() {
            return Err(GraphError::Directory { path: path.to_owned() });
        }
        Ok(Self { path, metadata, file })
    }

    /// Whether a cache can be kept of it.
    pub fn check_file(&self) -> Result<(), GraphError> {
        if self.metadata.is_file() {
            return Ok(());
        }
        Err(GraphError::CacheOfStream { path: self.path.to_owned() })
    }

    /// Whether the size is known. There are files of the system that say they are empty, and are not.
    pub fn is_sized(&self) -> bool {
        self.metadata.is_file() && self.metadata.len() > 0
    }

    /// Reads all of it; `progress` hears of more bytes of a file as they come.
    pub fn read(&self, progress: &(dyn Fn(u64) + Sync)) -> Result<Content, GraphError> {
        if !self.is_sized() {
            let mut bytes = Vec::new();
            (&self.file).read_to_end(&mut bytes).map_err(|error| self.error(error))?;
            return Ok(Content::Stream(bytes));
        }
        self.unchanged(Block::read(&self.file, self.metadata.len(), progress)).map(Content::Block)
    }

    /// The checksum of its content.
    pub fn checksum(&self) -> Result<u64, GraphError> {
        self.unchanged(checksum_of_file(&self.file, self.metadata.len()))
    }

    /// What was read of the file, if it is still as it was when it was opened.
    fn unchanged<T>(&self, read: io::Result<T>) -> Result<T, GraphError> {
        let now = self.file.metadata().map_err(|error| self.error(error))?;
        let marks = |metadata: &Metadata| (metadata.len(), metadata.modified().ok());
        if marks(&now) != marks(&self.metadata) {
            return Err(GraphError::Changed { path: self.path.to_owned() });
        }
        read.map_err(|error| self.error(error))
    }

    fn error(&self, source: io::Error) -> GraphError {
        GraphError::Read { path: self.path.to_owned(), source }
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
