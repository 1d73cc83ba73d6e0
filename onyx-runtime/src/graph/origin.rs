//! What a cache was made from.
//!
//! A cache stands for a file only if everything that its graph depends on is as it was: the file's name, size and time, the options, the
//! source of the reader, and the file's content, whose checksum is computed again each time. No cheaper mark proves that the content is the
//! same. A file's time can be set, and is as coarse as the file system keeps it. Its change time cannot be set, but is the same on many
//! network and user-space file systems, and stays as it is while a program writes through a map. Reading a file is cheap beside parsing it,
//! and a file that is in the system's memory is read at some gigabytes a second.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bytemuck::{Pod, Zeroable};

use super::error::{GraphError, Staleness};
use super::load::LoadOptions;
use crate::text::Source;

/// What a file and the way it is read come to, in numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(super) struct Marks {
    /// In bytes.
    size: u64,
    /// The time of the last modification: nanoseconds from 1970 on.
    modified: i64,
    /// The checksum of the file as it is, compressed or not.
    content: u64,
    /// A bit for each option that changes the graph.
    options: u64,
    /// Which reader made a graph of the text.
    pub reader: u64,
}

/// The file that a graph was read from, and how.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    /// From the root, as the system spells it.
    pub path: Vec<u8>,
    pub marks: Marks,
}

impl Origin {
    /// The origin of what will be read of `source`, all but the content's checksum.
    ///
    /// # Errors
    /// The path cannot be resolved.
    pub fn new(source: &Source, options: &LoadOptions) -> Result<Self, GraphError> {
        let read_error = |error| GraphError::Read { path: source.path.to_owned(), source: error };
        let path = source.path.canonicalize().map_err(read_error)?;
        let (size, modified) = (source.metadata.len(), modified(&source.metadata));
        let marks = Marks { size, modified, content: 0, options: bits(options), reader: READER };
        Ok(Self { path: path.into_os_string().into_encoded_bytes(), marks })
    }

    /// With the checksum of the file's content.
    pub fn with_content(mut self, content: u64) -> Self {
        self.marks.content = content;
        self
    }

    /// In what `self`, a file as it is, differs from what a cache was made from; the contents are compared by
    /// [`other_content`](Self::other_content).
    pub fn other(&self, cached: &Self) -> Option<Staleness> {
        let (now, then) = (self.marks, cached.marks);
        if now.reader != then.reader {
            Some(Staleness::Reader)
        } else if now.options != then.options {
            Some(Staleness::Options)
        } else if self.path != cached.path {
            Some(Staleness::File { path: path_of(&cached.path) })
        } else if now.size != then.size {
            Some(Staleness::Size { found: now.size, expected: then.size })
        } else {
            (now.modified != then.modified).then_some(Staleness::Time)
        }
    }

    /// Whether the contents differ.
    pub fn other_content(&self, cached: &Self) -> Option<Staleness> {
        (self.marks.content != cached.marks.content).then_some(Staleness::Content)
    }
}

/// A path for a message.
fn path_of(bytes: &[u8]) -> PathBuf {
    Path::new(String::from_utf8_lossy(bytes).as_ref()).to_owned()
}

/// A bit for each option that changes the graph. One that is added to the options does not compile until it is here.
fn bits(options: &LoadOptions) -> u64 {
    let LoadOptions { undirected } = options;
    u64::from(*undirected)
}

/// Times beyond the range, some 292 years from 1970, count as its ends.
fn modified(metadata: &Metadata) -> i64 {
    let Ok(time) = metadata.modified() else { return 0 };
    let nanoseconds = |duration: std::time::Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    time.duration_since(UNIX_EPOCH).map_or_else(|before| -nanoseconds(before.duration()), nanoseconds)
}

/// What makes a graph of a file, in source: a cache of another reader may hold what this one would not make.
const SOURCES: [&[u8]; 19] = [
    include_bytes!("bucket.rs"),
    include_bytes!("builder.rs"),
    include_bytes!("compact.rs"),
    include_bytes!("csr.rs"),
    include_bytes!("direct.rs"),
    include_bytes!("edge_list.rs"),
    include_bytes!("edge_order.rs"),
    include_bytes!("grouping.rs"),
    include_bytes!("load.rs"),
    include_bytes!("matrix_market.rs"),
    include_bytes!("mod.rs"),
    include_bytes!("text.rs"),
    include_bytes!("vertex_ids.rs"),
    include_bytes!("../text/archive.rs"),
    include_bytes!("../text/file.rs"),
    include_bytes!("../text/mod.rs"),
    include_bytes!("../text/part.rs"),
    include_bytes!("../text/source.rs"),
    include_bytes!("../text/word.rs"),
];

/// The FNV-1a hash of the sources, so that nobody need remember to count versions.
const READER: u64 = {
    let (mut hash, mut file) = (0xcbf2_9ce4_8422_2325, 0);
    while file < SOURCES.len() {
        let mut place = 0;
        while place < SOURCES[file].len() {
            hash = (hash ^ SOURCES[file][place] as u64).wrapping_mul(0x0000_0100_0000_01b3);
            place += 1;
        }
        file += 1;
    }
    hash
};

#[cfg(test)]
mod tests {
    use super::*;

    /// What takes no part in making a graph of a file, or is covered by the version of the cache's own format.
    const OTHERS: [&str; 22] = [
        "graph/buffer.rs",
        "graph/cache.rs",
        "graph/checksum.rs",
        "graph/error.rs",
        "graph/excerpt.rs",
        "graph/generate.rs",
        "graph/group_size.rs",
        "graph/header.rs",
        "graph/members.rs",
        "graph/meter.rs",
        "graph/neighbor_group.rs",
        "graph/origin.rs",
        "graph/place.rs",
        "graph/random_edges.rs",
        "graph/reverse.rs",
        "graph/reversed.rs",
        "graph/ring.rs",
        "graph/size.rs",
        "graph/soundness.rs",
        "graph/statistics.rs",
        "text/error.rs",
        "text/quote.rs",
    ];

    #[test]
    fn each_file_of_these_folders_is_part_of_the_reader_or_is_not() {
        for folder in ["graph", "text"] {
            for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder)).unwrap() {
                let entry = entry.unwrap();
                // Folders have what is made of graphs, in other orders or as parts.
                if entry.file_type().unwrap().is_dir() {
                    continue;
                }
                let name = format!("{folder}/{}", entry.file_name().into_string().unwrap());
                let is_part = SOURCES.contains(&&std::fs::read(entry.path()).unwrap()[..]);
                assert_ne!(is_part, OTHERS.contains(&name.as_str()), "{name} must be in one of the two lists");
            }
        }
    }

    #[test]
    fn times_before_1970_and_far_away_have_numbers() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let number = |time| {
            file.as_file().set_modified(time).unwrap();
            modified(&file.as_file().metadata().unwrap())
        };
        assert_eq!(number(UNIX_EPOCH + std::time::Duration::from_nanos(1_234_567_891)), 1_234_567_891);
        assert_eq!(number(UNIX_EPOCH - std::time::Duration::from_secs(3)), -3_000_000_000);
    }
}
