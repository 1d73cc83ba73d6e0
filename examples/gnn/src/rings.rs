//! What whole graphs are learned from where nothing is given: rings and stars.

use std::fmt::Write;

use onyx_data::dataset::DatasetError;
use onyx_data::small_graphs::{GraphCollection, gin};
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;

use crate::error::GnnError;

/// How many graphs there are.
const GRAPHS: usize = 100;
/// The fewest vertices of one, and how many sizes there are.
const LEAST: usize = 4;
const SIZES: usize = 8;

/// Rings, class 0, and stars, class 1, of equal sizes, whose vertices are known by nothing but their neighbors.
///
/// # Errors
/// None in practice: the graphs are well-formed.
pub fn collection() -> Result<GraphCollection, GnnError> {
    let graphs: String = (0..GRAPHS).map(|number| graph(LEAST + number / 2 % SIZES, number % 2)).collect();
    let content = format!("{GRAPHS}\n{graphs}").into_bytes();
    let text = Text::new("rings and stars", content, UNWATCHED).map_err(DatasetError::from)?;
    Ok(gin::parse(&text)?)
}

/// A graph of a class in the text form of GIN.
fn graph(size: usize, class: usize) -> String {
    let neighbors = |vertex: usize| match (class, vertex) {
        (0, vertex) => vec![(vertex + 1) % size, (vertex + size - 1) % size],
        (_, 0) => (1..size).collect(),
        _ => vec![0],
    };
    (0..size).map(neighbors).fold(format!("{size} {class}\n"), |mut text, neighbors| {
        let words: Vec<String> = neighbors.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "0 {} {}", neighbors.len(), words.join(" "));
        text
    })
}
