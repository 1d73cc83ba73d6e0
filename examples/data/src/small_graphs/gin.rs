//! The text form in which GIN has its data sets: everything in one file.
//!
//! The first line has the number of graphs. Each graph then has a line with the number of its vertices and its class, and a line for each
//! vertex: a tag, the number of neighbors, and the neighbors, which are numbered from 0 within the graph. Xu et al., "How Powerful are Graph
//! Neural Networks?", 2019.

use std::path::Path;

use onyx_runtime::graph::{GraphBuilder, GraphError};
use onyx_runtime::memory;
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;

use super::GraphCollection;
use crate::dataset::{DatasetError, Line, LineProblem, lines};

/// What needs the memory.
const GRAPHS: &str = "the graphs of the file";
/// More than any number of vertices, graphs or neighbors.
const ANY: usize = u32::MAX as usize;

/// Reads the collection in the file at `path`, plain or gzip-compressed. An edge that is given more than once, in whichever direction, is one.
///
/// # Errors
/// The file cannot be read, a line does not say what it should, or there are more or fewer lines than it declares.
pub fn read(path: impl AsRef<Path>) -> Result<GraphCollection, DatasetError> {
    parse(&Text::open(path.as_ref(), UNWATCHED)?)
}

/// Reads a collection from the text of a file, as [`read`] does.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &Text) -> Result<GraphCollection, DatasetError> {
    let mut lines = lines(text);
    let empty = || DatasetError::Empty { path: text.path().to_owned(), what: "number of graphs" };
    let first = lines.next().ok_or_else(empty)?;
    let [count] = first.exactly("the number of graphs, and nothing else")?;
    let graphs = first.index(count, "number of graphs", 0, ANY)? as usize;
    let mut reader = Reader { text, edges: Vec::new(), offsets: vec![0], tags: Vec::new(), labels: Vec::new() };
    for found in 0..graphs {
        reader.graph(&mut lines, found, graphs)?;
    }
    match lines.next() {
        Some(line) => Err(line.error(LineProblem::After(graphs))),
        None => reader.collection(),
    }
}

/// What was read so far.
struct Reader<'t> {
    text: &'t Text,
    edges: Vec<(u32, u32)>,
    offsets: Vec<u32>,
    tags: Vec<i64>,
    labels: Vec<i64>,
}

impl<'t> Reader<'t> {
    /// Takes the lines of a graph; `found` of `graphs` are there already.
    fn graph(
        &mut self,
        lines: &mut impl Iterator<Item = Line<'t>>,
        found: usize,
        graphs: usize,
    ) -> Result<(), DatasetError> {
        let line = lines.next().ok_or_else(|| self.short("graphs", found, graphs))?;
        let [vertices, label] = line.exactly("the number of vertices of a graph and its class")?;
        let vertices = line.index(vertices, "number of vertices", 0, ANY)? as usize;
        memory::push(&mut self.labels, line.signed(label, "class, a whole number")?, GRAPHS)?;
        for vertex in 0..vertices {
            let line = lines.next().ok_or_else(|| self.short("vertices of its last graph", vertex, vertices))?;
            self.vertex(&line, vertices)?;
        }
        let end = u32::try_from(self.tags.len())
            .map_err(|_| GraphError::TooManyVertices { vertices: self.tags.len() as u64 })?;
        Ok(memory::push(&mut self.offsets, end, GRAPHS)?)
    }

    /// Takes the line of a vertex in a graph of as many `vertices`.
    fn vertex(&mut self, line: &Line<'t>, vertices: usize) -> Result<(), DatasetError> {
        let mut words = line.words();
        let form = || line.error(LineProblem::Form("a tag, the number of neighbors, and each neighbor"));
        let (tag, degree) = words.next().zip(words.next()).ok_or_else(form)?;
        let first = self.offsets[self.offsets.len() - 1];
        let vertex = self.tags.len() as u32;
        memory::push(&mut self.tags, line.signed(tag, "tag, a whole number")?, GRAPHS)?;
        let (expected, found) = (line.whole(degree, "number of neighbors")?, words.clone().count());
        if expected != found as u64 {
            return Err(line.error(LineProblem::Neighbors { found, expected }));
        }
        for word in words {
            let neighbor = u64::from(first) + u64::from(line.index(word, "vertex", 0, vertices)?);
            let neighbor =
                u32::try_from(neighbor).map_err(|_| GraphError::TooManyVertices { vertices: neighbor + 1 })?;
            memory::push(&mut self.edges, (vertex, neighbor), GRAPHS)?;
        }
        Ok(())
    }

    fn short(&self, what: &'static str, found: usize, expected: usize) -> DatasetError {
        DatasetError::Short { path: self.text.path().to_owned(), what, found, expected }
    }

    fn collection(self) -> Result<GraphCollection, DatasetError> {
        let graph = GraphBuilder::new().vertices(self.tags.len()).undirected(true).edges(self.edges).build()?;
        GraphCollection::new(graph, self.offsets, Some(&self.tags), &self.labels)
    }
}
