//! The sources that most edges have, whose rows are packed where words of vertices pull.

use std::fmt;
use std::str::FromStr;

use onyx_device::FoldFacts;
use onyx_device::property::Element;
use rayon::prelude::*;

use crate::graph::Graph;
use crate::memory::{self, OutOfMemory};
use crate::schedule::Form;
use crate::store::Store;

/// What needs the memory.
const SOURCES: &str = "the numbers of the sources whose rows are packed";

/// The room after the rows of a property for those that are packed, in bytes: with two to eight times as much a sum over rmat:20 by hand takes as long
/// (`docs/measurements/packing-by-hand-h200.csv`).
pub(crate) const ROOM: usize = 1 << 16;

/// The most bytes of a row that is given room: what a lane holds of it.
pub(crate) const MOST_BYTES: u64 = 16;

/// Whether the rows of frequent sources are packed before words of vertices pull: side by side, so that the first-level cache of a multiprocessor has all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Packing {
    /// Where few vertices are the sources of many edges.
    #[default]
    Auto,
    /// Wherever it can be done.
    Always,
    /// Nowhere.
    Never,
}

impl FromStr for Packing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => Err(format!("unknown packing \"{text}\": there are auto, always and never")),
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        })
    }
}

/// The sources that most edges have, ascending: as many as are asked for, unless fewer have any edges.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrequentSources {
    pub(crate) vertices: Vec<u32>,
}

impl FrequentSources {
    /// The `most` of them.
    pub(crate) fn of(graph: &Graph, most: usize) -> Result<Self, OutOfMemory> {
        let degree = |vertex: &u32| graph.out_degree(*vertex);
        let mut vertices = memory::collect(0..graph.vertex_count() as u32, SOURCES)?;
        if most < vertices.len() {
            vertices.select_nth_unstable_by_key(most, |vertex| (std::cmp::Reverse(degree(vertex)), *vertex));
            vertices.truncate(most);
        }
        vertices.retain(|vertex| degree(vertex) > 0);
        vertices.sort_unstable();
        Ok(Self { vertices })
    }

    /// The neighbors, with the numbers after those of all vertices in the place of these.
    pub(crate) fn renumbered(&self, neighbors: &[u32], vertices: usize) -> Result<Vec<u32>, OutOfMemory> {
        let mut numbers = memory::collect(0..vertices as u32, SOURCES)?;
        let packed = vertices as u32..;
        self.vertices.iter().zip(packed).for_each(|(vertex, number)| numbers[*vertex as usize] = number);
        let mut renumbered = memory::zeroed(neighbors.len(), SOURCES)?;
        let to: &mut [u32] = &mut renumbered;
        to.par_iter_mut().zip(neighbors).for_each(|(to, neighbor)| *to = numbers[*neighbor as usize]);
        Ok(renumbered)
    }
}

/// Degrees from here on count as this one where shares are estimated.
const GREATEST_DEGREE: usize = 4095;

/// How many vertices have each out-degree, and how many edges those have together.
#[derive(Clone)]
struct Degrees {
    vertices: Vec<usize>,
    edges: Vec<usize>,
}

impl Degrees {
    fn none() -> Self {
        Self { vertices: vec![0; GREATEST_DEGREE + 1], edges: vec![0; GREATEST_DEGREE + 1] }
    }

    fn with(mut self, degree: usize) -> Self {
        let counted = degree.min(GREATEST_DEGREE);
        self.vertices[counted] += 1;
        self.edges[counted] += degree;
        self
    }

    fn and(mut self, other: &Self) -> Self {
        self.vertices.iter_mut().zip(&other.vertices).for_each(|(own, other)| *own += other);
        self.edges.iter_mut().zip(&other.edges).for_each(|(own, other)| *own += other);
        self
    }
}

/// The fraction of the edges that the `most` most frequent sources have, in time linear in the number of vertices. Where more of them have very many edges, those count as alike.
pub(crate) fn share(graph: &Graph, most: usize) -> f64 {
    let vertices = (0..graph.vertex_count() as u32).into_par_iter();
    let degrees = vertices.fold(Degrees::none, |degrees, vertex| degrees.with(graph.out_degree(vertex)));
    let degrees = degrees.reduce(Degrees::none, |one, other| one.and(&other));
    let (mut left, mut found) = (most, 0.0);
    for (vertices, edges) in degrees.vertices.iter().zip(&degrees.edges).rev().filter(|(vertices, _)| **vertices > 0) {
        let taken = left.min(*vertices);
        found += *edges as f64 * taken as f64 / *vertices as f64;
        left -= taken;
    }
    found / graph.edge_count().max(1) as f64
}

/// The room that the property at `index` is given after its rows: as much as rows of it are packed at most.
pub(crate) fn room(store: &Store, index: usize) -> usize {
    let bytes = row_bytes(store.properties()[index].element, store.properties()[index].number.bytes(), store.width());
    let is_one_tile = store.tiles() == 1 && store.heads() == 1;
    let may_pack = is_one_tile && bytes.is_some_and(|bytes| bytes as u64 <= MOST_BYTES);
    if may_pack { ROOM.min(store.bytes(index).len()) } else { 0 }
}

/// The bytes of a vertex's row that is one tile of the width, where it is of whole words.
pub(crate) fn row_bytes(element: Element, number: usize, width: usize) -> Option<usize> {
    let numbers = match element {
        Element::VertexScalar => 1,
        Element::VertexFeatures => width,
        _ => return None,
    };
    Some(numbers * number).filter(|bytes| bytes.is_multiple_of(4))
}

/// Why the rows that the fold's edges read of their sources cannot be packed, if they cannot.
pub(crate) fn why_not(fold: &'static FoldFacts, form: Form) -> Option<&'static str> {
    let of_edges = || fold.stages.iter().filter(|stage| stage.has_edges);
    let is_read = |index: &usize| of_edges().any(|stage| stage.edges.reads_source >> index & 1 == 1);
    let row = |index: usize| {
        let property = &fold.properties[index];
        row_bytes(property.element, property.number.bytes(), form.width)
    };
    let mut read = (0..fold.properties.len()).filter(is_read).peekable();
    if form.is_wide || fold.has_heads {
        Some("a row is several tiles or heads")
    } else if fold.is_active || fold.recomputes || of_edges().any(|stage| stage.is_reversed()) {
        Some("edges are looked at in other ways, too")
    } else if of_edges().any(|stage| stage.edges.names_edge || stage.edges.gathers | stage.edges.adds != 0) {
        Some("functions may ask which vertex the source is")
    } else if read.peek().is_none() {
        Some("nothing is read of a source")
    } else if read.any(|index| row(index).is_none_or(|bytes| bytes as u64 > MOST_BYTES)) {
        Some("what is read of a source is no row of four words at most")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    #[test]
    fn packing_is_named() {
        for packing in [Packing::Auto, Packing::Always, Packing::Never] {
            assert_eq!(packing.to_string().parse(), Ok(packing));
        }
        assert!("maybe".parse::<Packing>().unwrap_err().ends_with("auto, always and never"));
    }

    #[test]
    fn the_sources_of_most_edges_get_numbers_after_all_others() {
        let edges = vec![(3, 0), (3, 1), (3, 2), (1, 0), (1, 3), (0, 3)];
        let graph = GraphBuilder::new().vertices(5).edges(edges).build().unwrap();
        let found = FrequentSources::of(&graph, 2).unwrap();
        assert_eq!(found.vertices, [1, 3]);
        let neighbors = graph.incoming().neighbors();
        assert_eq!(neighbors, [1, 3, 3, 3, 0, 1]);
        assert_eq!(found.renumbered(neighbors, 5).unwrap(), [5, 6, 6, 6, 0, 5]);
        assert_eq!(FrequentSources::of(&graph, 100).unwrap().vertices, [0, 1, 3], "of those that have edges");
        assert_eq!([0, 1, 2, 3, 100].map(|most| share(&graph, most) * 6.0), [0.0, 3.0, 5.0, 6.0, 6.0]);
    }

    #[test]
    fn hubs_beyond_the_greatest_degree_count_as_alike() {
        let edges = (0..8000).map(|leaf| (0, leaf)).chain((0..5000).map(|leaf| (1, leaf))).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        assert_eq!([1, 2].map(|most| share(&graph, most)), [0.5, 1.0]);
    }
}
