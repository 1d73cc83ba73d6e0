//! Graphs in a binary form that is ready when it is read.
//!
//! A file is a [`Header`] and then the sections, each starting at a multiple of [`ALIGNMENT`] bytes. Everything but the header has one
//! checksum, and the header another.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::Graph;
use super::checksum::{Summed, checksum, checksum_of_file};
use super::csr::Indices;
use super::error::{CacheProblem, GraphError, Staleness};
use super::header::{ALIGNMENT, Header, SECTIONS};
use super::load::LoadOptions;
use super::origin::Origin;
use super::vertex_ids::VertexIds;
use crate::block::{Block, read_at};
use crate::file::Replacement;
use crate::progress::{UNWATCHED, Watch};
use crate::text::{Source, Text};

/// What became of a cache.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CacheState {
    /// It was made from the graph file as it is, and was read.
    Opened,
    /// There was none, and it was written.
    Created,
    /// It could not stand for the graph file, and was written again.
    Renewed(CacheProblem),
}

impl Graph {
    /// As [`load`](Self::load), by way of a cache: the file at `cache` is read if it was made from this very graph file, with the same
    /// options, by the same reader; otherwise the graph file is, and the cache is written.
    ///
    /// The graph file's content is compared with the cache's by a checksum, so that nothing but what is in the file now is ever returned.
    /// A cache is replaced in one step, and a file that is no cache never is. `watch` hears how far it is.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load); the graph file is no regular file; something other than a cache is at `cache`, or it cannot be read or
    /// written.
    pub fn load_cached(
        path: impl AsRef<Path>,
        cache: impl AsRef<Path>,
        options: &LoadOptions,
        watch: Watch<'_>,
    ) -> Result<(Self, CacheState), GraphError> {
        let (source, cache) = (Source::open(path.as_ref())?, cache.as_ref());
        if !source.metadata.is_file() {
            return Err(GraphError::CacheOfStream { path: source.path.to_owned() });
        }
        let origin = Origin::new(&source, options)?;
        let state = match cached(cache, &source, &origin, watch) {
            Ok(graph) => return Ok((graph, CacheState::Opened)),
            Err(GraphError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => CacheState::Created,
            Err(GraphError::Cache { problem, .. }) if problem != CacheProblem::Foreign => CacheState::Renewed(problem),
            Err(error) => return Err(error),
        };
        let file = replacement(cache)?;
        let content = source.read(watch)?;
        let origin = origin.with_content(checksum(&content));
        let graph = Self::parse(&Text::new(source.path, content, watch)?, options, watch)?;
        refuse_foreign(cache)?;
        graph.write_to(file, cache, Some(&origin))?;
        Ok((graph, state))
    }

    /// Writes the graph to `path` in the form that [`open`](Self::open) reads, the [members](Self::members) of a batch included; the file appears whole or
    /// not at all.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), GraphError> {
        self.write_to(replacement(path.as_ref())?, path.as_ref(), None)
    }

    fn write_to(&self, file: Replacement, path: &Path, origin: Option<&Origin>) -> Result<(), GraphError> {
        let written = self.write(file, origin).and_then(Replacement::finish);
        written.map_err(|source| GraphError::Write { path: path.to_owned(), source })
    }

    /// Writes the sections, and then the header, which has their checksum.
    fn write(&self, mut file: Replacement, origin: Option<&Origin>) -> io::Result<Replacement> {
        let sections = self.sections(origin);
        let header = Header::new(self, origin, sections.map(|section| section.len() as u64));
        let mut end = size_of::<Header>();
        file.seek(SeekFrom::Start(end as u64))?;
        let mut body = Summed::new(BufWriter::new(file));
        for section in sections {
            let start = end.next_multiple_of(ALIGNMENT);
            body.write_all(&[0; ALIGNMENT][..start - end])?;
            body.write_all(section)?;
            end = start + section.len();
        }
        let (writer, sum) = body.finish();
        let mut file = writer.into_inner()?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytemuck::bytes_of(&header.sealed(sum)))?;
        Ok(file)
    }

    fn sections<'a>(&'a self, origin: Option<&'a Origin>) -> [&'a [u8]; SECTIONS] {
        let ids = match &self.ids {
            VertexIds::Dense { .. } => &[],
            VertexIds::Listed(ids) => bytemuck::cast_slice(ids),
        };
        [
            origin.map_or(&[], |origin| &origin.path),
            self.incoming.offsets.as_bytes(),
            bytemuck::cast_slice(&self.incoming.neighbors),
            self.outgoing.offsets.as_bytes(),
            bytemuck::cast_slice(&self.outgoing.neighbors),
            self.outgoing.edge_ids.as_ref().map_or(&[], Indices::as_bytes),
            self.weights.as_deref().map_or(&[], bytemuck::cast_slice),
            ids,
            self.members().map_or(&[], bytemuck::cast_slice),
        ]
    }

    /// Reads a graph that [`save`](Self::save) or [`load_cached`](Self::load_cached) wrote, whatever it was made from.
    ///
    /// The file is read into memory and checked, in parallel: its checksum, and that its arrays are a graph. What becomes of the file
    /// afterwards changes nothing.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or it is no whole and consistent cache of this version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GraphError> {
        Cache::open(path.as_ref())?.graph(UNWATCHED)
    }
}

fn replacement(path: &Path) -> Result<Replacement, GraphError> {
    Replacement::create(path).map_err(|source| GraphError::Write { path: path.to_owned(), source })
}

/// Whether what is at `path` may be replaced: nothing, or any cache. It may have come while the graph was read.
fn refuse_foreign(path: &Path) -> Result<(), GraphError> {
    match Cache::open(path) {
        Err(error @ GraphError::Cache { problem: CacheProblem::Foreign, .. }) => Err(error),
        _ => Ok(()),
    }
}

/// The graph in the cache at `path`, if it was made from `source` as it is; `origin` has no content yet.
fn cached(path: &Path, source: &Source, origin: &Origin, watch: Watch<'_>) -> Result<Graph, GraphError> {
    let cache = Cache::open(path)?;
    let stale = |staleness: Staleness| cache.error(staleness.into());
    let made_from = cache.origin()?.ok_or_else(|| stale(Staleness::Unknown))?;
    origin.other(&made_from).map_or(Ok(()), |staleness| Err(stale(staleness)))?;
    let content = source.unchanged(checksum_of_file(&source.file, source.metadata.len()))?;
    let origin = origin.clone().with_content(content);
    origin.other_content(&made_from).map_or(Ok(()), |staleness| Err(stale(staleness)))?;
    cache.graph(watch)
}

/// A cache file that is open.
struct Cache<'a> {
    path: &'a Path,
    file: File,
    length: u64,
    header: Header,
}

impl<'a> Cache<'a> {
    /// Opens the file at `path`, and reads no more than its header.
    fn open(path: &'a Path) -> Result<Self, GraphError> {
        let Source { file, metadata, .. } = Source::open(path)?;
        let length = metadata.len();
        let mut start = vec![0; length.min(size_of::<Header>() as u64) as usize];
        read_at(&file, &mut start, 0).map_err(|source| GraphError::Read { path: path.to_owned(), source })?;
        let header = Header::read(&start).map_err(|problem| GraphError::Cache { path: path.to_owned(), problem })?;
        Ok(Self { path, file, length, header })
    }

    /// What the graph was made from, if that is known.
    fn origin(&self) -> Result<Option<Origin>, GraphError> {
        let [Range { start, end }, ..] = self.header.ranges(self.length).map_err(|problem| self.error(problem))?;
        let mut path = vec![0; end - start];
        read_at(&self.file, &mut path, start as u64).map_err(|source| self.read_error(source))?;
        Ok(self.header.origin(&path))
    }

    fn graph(&self, watch: Watch<'_>) -> Result<Graph, GraphError> {
        self.header.ranges(self.length).map_err(|problem| self.error(problem))?;
        let block = Block::read(&self.file, self.length, watch).map_err(|source| self.read_error(source))?;
        let block = Arc::new(block);
        let graph = Header::read(&block).and_then(|header| {
            header.check_body(checksum(&block[size_of::<Header>()..]))?;
            header.graph(&block)
        });
        let graph = graph.map_err(|problem| self.error(problem))?;
        graph.check().map_err(|what| self.error(CacheProblem::Inconsistent { what }))?;
        Ok(graph)
    }

    fn error(&self, problem: CacheProblem) -> GraphError {
        GraphError::Cache { path: self.path.to_owned(), problem }
    }

    fn read_error(&self, source: io::Error) -> GraphError {
        GraphError::Read { path: self.path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;
    use crate::text::FileError;

    fn saved() -> Vec<u8> {
        let builder = GraphBuilder::new().vertices(5).edges(vec![(0, 1), (1, 2), (0, 2), (4, 0)]);
        saved_graph(&builder.weights(vec![1.0, 2.0, 3.0, 4.0]).build().unwrap())
    }

    fn saved_graph(graph: &Graph) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        graph.save(file.path()).unwrap();
        std::fs::read(file.path()).unwrap()
    }

    /// Opens a cache whose checksums are made right, as a program would that writes what it likes.
    fn open_sealed(mut bytes: Vec<u8>) -> Result<Graph, CacheProblem> {
        let (start, body) = bytes.split_at_mut(size_of::<Header>());
        let header = Header::read(start).unwrap().sealed(checksum(body));
        start.copy_from_slice(bytemuck::bytes_of(&header));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Graph::open(file.path()).map_err(|error| match error {
            GraphError::Cache { problem, .. } => problem,
            error => panic!("{error}"),
        })
    }

    #[test]
    fn arrays_with_the_right_checksum_are_refused_or_still_sound() {
        let bytes = saved();
        let mut refused = 0;
        for place in size_of::<Header>()..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x81;
            match open_sealed(changed) {
                Err(problem) => {
                    assert!(matches!(problem, CacheProblem::Inconsistent { .. }), "byte {place}: {problem}");
                    refused += 1;
                }
                // Padding and most bits of a weight are free; reading every edge shows that nothing else got through.
                Ok(graph) => assert_eq!(graph.edges().count(), 4, "byte {place}"),
            }
        }
        assert!(refused >= 4 * (6 + 4 + 6 + 4 + 4), "{refused}");
    }

    #[test]
    fn members_that_are_none_are_refused() {
        let graph = |edges| GraphBuilder::new().vertices(5).edges(edges).build().unwrap();
        let batch = graph(vec![(0, 1), (2, 3)]).with_members(vec![0, 2, 2, 4, 5]).unwrap();
        let bytes = saved_graph(&batch);
        assert_eq!(open_sealed(bytes.clone()).unwrap(), batch);
        let begin = bytes.len() - 5 * size_of::<u32>();
        let changed = |members: [u32; 5]| {
            let mut bytes = bytes.clone();
            bytes[begin..].copy_from_slice(bytemuck::cast_slice(&members));
            open_sealed(bytes)
        };
        assert_eq!(changed([0, 2, 4, 4, 5]).unwrap().members(), Some(&[0, 2, 4, 4, 5][..]));
        for members in
            [[0, 1, 2, 4, 5], [0, 2, 3, 4, 5], [1, 2, 2, 4, 5], [0, 2, 2, 4, 4], [0, 4, 2, 4, 5], [0, 2, 2, 4, 6]]
        {
            assert!(matches!(changed(members), Err(CacheProblem::Inconsistent { .. })), "{members:?}");
        }
    }

    #[test]
    fn a_cache_of_another_reader_is_stale() {
        let folder = tempfile::tempdir().unwrap();
        let (path, cache) = (folder.path().join("graph"), folder.path().join("cache"));
        std::fs::write(&path, "1 2\n").unwrap();
        let options = LoadOptions::default();
        let source = Source::open(&path).unwrap();
        let mut origin = Origin::new(&source, &options).unwrap().with_content(checksum(b"1 2\n"));
        origin.marks.reader ^= 1;
        let graph = GraphBuilder::new().edges(vec![(1, 0)]).build().unwrap();
        graph.write_to(replacement(&cache).unwrap(), &cache, Some(&origin)).unwrap();
        let (read, state) = Graph::load_cached(&path, &cache, &options, UNWATCHED).unwrap();
        assert_eq!(state, CacheState::Renewed(CacheProblem::Stale(Staleness::Reader)));
        assert_eq!(read, Graph::load(&path, &options).unwrap());
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for length in [0, 7, 12] {
            std::fs::write(file.path(), "1 2\n2 3\n").unwrap();
            let source = Source::open(file.path()).unwrap();
            file.as_file().set_len(length).unwrap();
            let sum = source.unchanged(checksum_of_file(&source.file, source.metadata.len()));
            for error in [source.read(UNWATCHED).unwrap_err(), sum.unwrap_err()] {
                assert!(matches!(error, FileError::Changed { .. }), "{error}");
            }
        }
    }
}
