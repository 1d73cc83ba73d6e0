//! Arrays in a zip archive.

use std::io::Read;

use flate2::bufread::DeflateDecoder;
use onyx_runtime::memory;
use onyx_runtime::text::{Text, quoted};
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder};

use super::array::Array;
use crate::dataset::DatasetError;

/// What needs the memory.
const ARRAY: &str = "an array of the archive";
/// What is decompressed at once.
const BLOCK: usize = 1 << 16;

/// An archive in memory.
#[derive(Debug)]
pub struct Archive<'t> {
    content: &'t Text,
    /// The arrays by name, as they stand in the archive's directory.
    entries: Vec<(String, CompressionMethod, ZipArchiveEntryWayfinder)>,
}

impl<'t> Archive<'t> {
    /// Reads the directory of the archive that a file holds.
    pub fn open(content: &'t Text) -> Result<Self, DatasetError> {
        let mut archive = Self { content, entries: Vec::new() };
        let zip = ZipArchive::from_slice(content.bytes()).map_err(|error| archive.damage(error))?;
        let mut directory = zip.entries();
        while let Some(entry) = directory.next_entry().map_err(|error| archive.damage(error))? {
            let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            let named = (name, entry.compression_method(), entry.wayfinder());
            memory::push(&mut archive.entries, named, "the directory of the archive")?;
        }
        Ok(archive)
    }

    /// The array of a name.
    pub fn array(&self, name: &'static str) -> Result<Array<'_>, DatasetError> {
        let file = format!("{name}.npy");
        let Some((_, method, place)) = self.entries.iter().find(|entry| entry.0 == file) else {
            return Err(self.error(name, "is missing".to_owned()));
        };
        Array::new(self, name, self.bytes(name, *method, *place)?)
    }

    /// What is wrong with an array.
    pub fn error(&self, array: &str, reason: String) -> DatasetError {
        DatasetError::Array { path: self.content.path().to_owned(), array: array.to_owned(), reason }
    }

    fn damage(&self, error: rawzip::Error) -> DatasetError {
        DatasetError::Archive { path: self.content.path().to_owned(), reason: quoted(error.to_string()) }
    }

    fn bytes(
        &self,
        name: &str,
        method: CompressionMethod,
        place: ZipArchiveEntryWayfinder,
    ) -> Result<Vec<u8>, DatasetError> {
        let zip = ZipArchive::from_slice(self.content.bytes()).map_err(|error| self.damage(error))?;
        let entry = zip.get_entry(place).map_err(|error| self.damage(error))?;
        match method {
            CompressionMethod::STORE => self.read(name, entry.verifying_reader(entry.data())),
            CompressionMethod::DEFLATE => self.read(name, entry.verifying_reader(DeflateDecoder::new(entry.data()))),
            _ => Err(self.error(name, format!("is compressed by method {}, and not by deflate", method.as_u16()))),
        }
    }

    /// Everything that `source` gives, whatever the directory says of its length.
    fn read(&self, name: &str, mut source: impl Read) -> Result<Vec<u8>, DatasetError> {
        let (mut bytes, mut block) = (Vec::new(), [0; BLOCK]);
        loop {
            match source.read(&mut block) {
                Ok(0) => return Ok(bytes),
                Ok(count) => memory::extend(&mut bytes, &block[..count], ARRAY)?,
                Err(error) => return Err(self.error(name, format!("is damaged: {}", quoted(error.to_string())))),
            }
        }
    }
}
