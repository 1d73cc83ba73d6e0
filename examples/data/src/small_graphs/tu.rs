//! The raw form in which TU Dortmund collects data sets of graphs: a folder of files `NAME_...`, each plain or gzip-compressed (`.gz`).
//!
//! | file | a line |
//! | --- | --- |
//! | `NAME_A.txt` | an edge: two vertices, which are numbered from 1 through all graphs |
//! | `NAME_graph_indicator.txt` | the graph of a vertex, from 1 |
//! | `NAME_graph_labels.txt` | the class of a graph |
//! | `NAME_node_labels.txt` | the tag of a vertex; where there is no such file, its degree is its tag |
//!
//! Attributes of vertices and edges are not read. Morris et al., "TUDataset: A collection of benchmark datasets for learning with graphs", 2020.

use std::path::Path;

use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::memory;
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;

use super::GraphCollection;
use crate::dataset::{DatasetError, Folder, LineProblem, lines, some_lines};

/// What needs the memory.
const GRAPHS: &str = "the graphs of the files";

/// Reads the collection in `folder`. An edge that is given more than once, in whichever direction, is one edge.
///
/// # Errors
/// A file is missing or cannot be read, a line does not say what it should, or the files do not fit each other.
pub fn read(folder: impl AsRef<Path>) -> Result<GraphCollection, DatasetError> {
    let folder =
        Folder::find(folder.as_ref(), "_A.txt", "it has an edge on each line, and gives the other files their name")?;
    let open = |part: &str, purpose| Ok::<_, DatasetError>(Text::open(&folder.file(part, purpose)?, UNWATCHED)?);
    let indicator = open("_graph_indicator.txt", "it has the graph of each vertex, one a line")?;
    let labels = open("_graph_labels.txt", "it has the class of each graph, one a line")?;
    let graphs = graphs(&indicator)?;
    let offsets = offsets(&graphs)?;
    let classes = numbers(&labels, "class, a whole number")?;
    fits(&labels, "graphs", classes.len(), &indicator, offsets.len() - 1)?;
    let tags =
        folder.optional("_node_labels.txt").map(|path| tags(&Text::open(&path, UNWATCHED)?, &indicator, graphs.len()));
    let edges = edges(&open("_A.txt", "it has an edge on each line")?, &graphs)?;
    let graph = GraphBuilder::new().vertices(graphs.len()).undirected(true).edges(edges).build()?;
    GraphCollection::new(graph, offsets, tags.transpose()?.as_deref(), &classes)
}

/// The graph of each vertex, from 1.
fn graphs(text: &Text) -> Result<Vec<u32>, DatasetError> {
    let mut graphs: Vec<u32> = Vec::new();
    for line in some_lines(text, "vertex")? {
        let [word] = line.exactly("the graph of a vertex, and nothing else")?;
        let before = graphs.last().copied().unwrap_or(0);
        let graph = line.whole(word, "graph, a whole number from 1")?;
        if graph != u64::from(before).max(1) && graph != u64::from(before) + 1 {
            return Err(line.error(LineProblem::Order { graph, before: before.into() }));
        }
        memory::push(&mut graphs, graph as u32, GRAPHS)?;
    }
    Ok(graphs)
}

/// The first vertex of each graph, and the number of vertices as the last.
fn offsets(graphs: &[u32]) -> Result<Vec<u32>, DatasetError> {
    let begins = graphs.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]);
    let begins = begins.map(|(vertex, _)| vertex as u32 + 1);
    Ok(memory::collect(std::iter::once(0).chain(begins).chain([graphs.len() as u32]), GRAPHS)?)
}

/// A number on each line.
fn numbers(text: &Text, what: &'static str) -> Result<Vec<i64>, DatasetError> {
    let mut numbers = Vec::new();
    for line in lines(text) {
        let [word] = line.exactly("one whole number")?;
        memory::push(&mut numbers, line.signed(word, what)?, GRAPHS)?;
    }
    Ok(numbers)
}

/// The tag of each of the `vertices` that the `indicator` has.
fn tags(text: &Text, indicator: &Text, vertices: usize) -> Result<Vec<i64>, DatasetError> {
    let tags = numbers(text, "tag, a whole number")?;
    fits(text, "vertices", tags.len(), indicator, vertices)?;
    Ok(tags)
}

/// Refuses a file that has something for another number of vertices or graphs than there are.
fn fits(text: &Text, what: &'static str, found: usize, other: &Text, expected: usize) -> Result<(), DatasetError> {
    let [path, other] = [text, other].map(|text| text.path().to_owned());
    if found == expected { Ok(()) } else { Err(DatasetError::Sizes { path, what, found, other, expected }) }
}

/// The edges, each of which stays in one of the `graphs`.
fn edges(text: &Text, graphs: &[u32]) -> Result<Vec<(u32, u32)>, DatasetError> {
    let mut edges = Vec::new();
    for line in some_lines(text, "edge")? {
        let [source, destination] = line.exactly("two vertices")?;
        let vertex = |word| line.index(word, "vertex", 1, graphs.len());
        let (source, destination) = (vertex(source)?, vertex(destination)?);
        let [one, other] = [source, destination].map(|vertex| graphs[vertex as usize]);
        if one != other {
            let [origin, destination, one, other] = [source + 1, destination + 1, one, other].map(u64::from);
            return Err(line.error(LineProblem::Between { origin, destination, one, other }));
        }
        memory::push(&mut edges, (source, destination), GRAPHS)?;
    }
    Ok(edges)
}
