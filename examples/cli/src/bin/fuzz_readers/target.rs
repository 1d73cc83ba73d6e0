//! The readers.

use std::fs;

use clap::ValueEnum;
use flate2::read::MultiGzDecoder;
use onyx_cli::labels;
use onyx_examples::edge_values::{self, Shape, ValuedGraph};
use onyx_examples::markov::tokens;
use onyx_examples::markov::{evidence, marginals, uai};
use onyx_examples::ratings::titles::Titles;
use onyx_examples::ratings::{Catalog, read};
use onyx_examples::small_graphs::gin;
use onyx_runtime::graph::{Graph, LoadOptions};
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;
use serde::Serialize;

use crate::corpus::Corpus;

/// A reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Edge lists
    EdgeList,
    /// Matrix Market files
    MatrixMarket,
    /// Graph caches
    Cache,
    /// Markov networks
    Model,
    /// Evidence
    Evidence,
    /// Marginals
    Marginals,
    /// Ratings
    Ratings,
    /// Titles
    Titles,
    /// Labels
    Labels,
    /// Edges with a vector of weights each
    Vectors,
    /// Edges with a matrix of weights each
    Matrices,
    /// Vertices with numbers
    Rows,
    /// Vertices with a weight of 0 and more
    Weights,
    /// Collections of small graphs
    SmallGraphs,
}

/// An input, and how it is read.
#[derive(Clone, Debug)]
pub struct Case {
    /// The reader.
    pub target: Target,
    /// What the file holds.
    pub content: Vec<u8>,
    /// Whether a graph is read as undirected.
    pub undirected: bool,
    /// The features that are asked for.
    pub features: Option<usize>,
}

/// What a reader does with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It reads it.
    Accepted,
    /// It says what is wrong with it.
    Refused,
    /// It reads it, and what it has read breaks a rule.
    Unsound(&'static str),
}

impl Case {
    /// Reads the input.
    pub fn read(&self, corpus: &Corpus) -> Reading {
        if self.target == Target::Cache {
            return self.open(corpus);
        }
        // The same file under its name, with what a terminal would obey.
        let Ok(text) = Text::new("file", self.content.clone(), UNWATCHED) else { return Reading::Refused };
        match self.target {
            Target::EdgeList | Target::MatrixMarket | Target::Cache => {
                let options = LoadOptions { undirected: self.undirected };
                said(Graph::parse(&text, &options, UNWATCHED), |graph| check(&graph))
            }
            Target::Model => said(uai::parse(&tokens::Text::new(text)), |network| {
                let offsets = network.offsets();
                if offsets.is_sorted() { Reading::Accepted } else { Reading::Unsound("the offsets fall") }
            }),
            Target::Evidence => {
                said(evidence::observe_all(&tokens::Text::new(text), &mut corpus.network.clone()), |_| {
                    Reading::Accepted
                })
            }
            Target::Marginals => {
                said(marginals::parse(&tokens::Text::new(text), &corpus.network), |_| Reading::Accepted)
            }
            Target::Ratings => self.ratings(&text),
            Target::Titles => said(Titles::parse(&text), |_| Reading::Accepted),
            Target::Labels => said(labels::parse(&text, &corpus.ids, UNWATCHED), |labels| {
                all(labels.iter().all(|label| (label.0 as usize) < corpus.ids.len()), "a label of no vertex")
            }),
            Target::Vectors => self.edges(&text, Shape::Vector),
            Target::Matrices => self.edges(&text, Shape::Matrix),
            Target::Rows => {
                let features = self.features.unwrap_or(1);
                said(edge_values::parse_rows(&text, &corpus.ids, features, UNWATCHED), |rows| {
                    all(rows.iter().all(|row| row.1.len() == features), "a row of another length")
                })
            }
            Target::SmallGraphs => said(gin::parse(&text), |collection| {
                let fits = collection.tags().len() == collection.graph().vertex_count();
                if fits { check(collection.graph()) } else { Reading::Unsound("the tags do not fit the vertices") }
            }),
            Target::Weights => said(edge_values::parse_weights(&text, &corpus.ids, UNWATCHED), |weights| {
                all(weights.iter().all(|weight| weight.1 >= 0.0 && weight.1.is_finite()), "a weight below 0")
            }),
        }
    }

    fn open(&self, corpus: &Corpus) -> Reading {
        let path = corpus.folder.path().join("cache");
        match fs::write(&path, &self.content) {
            Ok(()) => said(Graph::open(&path), |graph| check(&graph)),
            Err(_) => Reading::Unsound("the cache cannot be written"),
        }
    }

    fn ratings(&self, text: &Text) -> Reading {
        let mut catalog = Catalog::default();
        said(read::parse(text, &mut catalog, UNWATCHED), |(table, _)| {
            let pairs = table.ratings().windows(2);
            let rises = pairs.clone().all(|pair| (pair[0].user, pair[0].item) < (pair[1].user, pair[1].item));
            let is_named = |rating: &onyx_examples::ratings::Rating| {
                !catalog.users.name(rating.user).is_empty() && !catalog.items.name(rating.item).is_empty()
            };
            all(rises && table.ratings().iter().all(is_named), "the ratings are not in order")
        })
    }

    fn edges(&self, text: &Text, shape: Shape) -> Reading {
        let read = edge_values::parse(text, shape, self.features, self.undirected, UNWATCHED);
        said(read, |ValuedGraph { graph, ids, values, features }| {
            let fits = values.len() == graph.edge_count() * shape.length(features) && ids.len() == graph.vertex_count();
            if fits { check(&graph) } else { Reading::Unsound("the numbers do not fit the edges") }
        })
    }

    /// What a reader may take memory for: each byte of the text, and each row or state that the header declares.
    pub fn share(&self) -> usize {
        let length = decoded_length(&self.content);
        let declared = match self.target {
            Target::EdgeList | Target::MatrixMarket => declared_rows(&self.content),
            Target::Model => declared_states(&self.content),
            _ => 0,
        };
        (self.content.len() + length).saturating_add(declared)
    }
}

/// Whether a reader has accepted an input; what it says of one that it refuses is one line, without anything for a terminal to obey.
fn said<T, E: std::fmt::Display>(read: Result<T, E>, check: impl FnOnce(T) -> Reading) -> Reading {
    match read {
        Ok(accepted) => check(accepted),
        Err(error) => {
            let message = error.to_string();
            let is_plain = !message.chars().any(char::is_control) && message.chars().count() < 1000;
            if is_plain { Reading::Refused } else { Reading::Unsound("the message is not plain") }
        }
    }
}

fn all(is_so: bool, otherwise: &'static str) -> Reading {
    if is_so { Reading::Accepted } else { Reading::Unsound(otherwise) }
}

/// The rules of graphs, from a look at every edge in both orders.
fn check(graph: &Graph) -> Reading {
    let vertices = graph.vertex_count();
    let (mut there, mut back) = (0_u64, 0_u64);
    let mut edges = 0;
    for (edge, source, destination) in graph.edges() {
        if source as usize >= vertices || destination as usize >= vertices || edge != edges {
            return Reading::Unsound("an edge of no vertex");
        }
        edges += 1;
        there = there.wrapping_add(mixed(edge, source, destination));
    }
    let outgoing = graph.outgoing();
    for source in 0..vertices as u32 {
        for position in outgoing.offsets().row(source as usize) {
            back = back.wrapping_add(mixed(outgoing.edge_id(position), source, outgoing.neighbors()[position]));
        }
    }
    let are_finite = graph
        .weights()
        .is_none_or(|weights| weights.len() == graph.edge_count() && weights.iter().all(|weight| weight.is_finite()));
    all(there == back && edges == graph.edge_count() && are_finite, "the two orders of edges differ")
}

fn mixed(edge: usize, source: u32, destination: u32) -> u64 {
    let ends = u64::from(source) << 32 | u64::from(destination);
    (ends ^ (edge as u64).rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// How long the text of a file is: that of a compressed one as far as it can be decoded.
fn decoded_length(content: &[u8]) -> usize {
    if !content.starts_with(&[0x1f, 0x8b]) {
        return 0;
    }
    let mut decoder = MultiGzDecoder::new(content);
    let mut sink = std::io::sink();
    let mut length = 0;
    while let Ok(count @ 1..) = std::io::copy(&mut std::io::Read::take(&mut decoder, 1 << 16), &mut sink) {
        length += count as usize;
    }
    length
}

/// The rows that a matrix says it has.
fn declared_rows(content: &[u8]) -> usize {
    let text = plain(content);
    let size = text.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"%"));
    numbers(size.unwrap_or_default()).next().unwrap_or(0)
}

/// The states that all variables of a model say they have.
fn declared_states(content: &[u8]) -> usize {
    let text = plain(content);
    let mut numbers = numbers(&text);
    let count = numbers.next().unwrap_or(0);
    numbers.take(count).map(|states| states.min(1 << 16)).fold(0, usize::saturating_add)
}

fn plain(content: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    if content.starts_with(&[0x1f, 0x8b]) {
        // What comes before the damage counts.
        let _ = std::io::Read::read_to_end(&mut MultiGzDecoder::new(content), &mut text);
        return text;
    }
    content.to_vec()
}

/// The whole numbers among the words of a text.
fn numbers(text: &[u8]) -> impl Iterator<Item = usize> {
    let words = text.split(u8::is_ascii_whitespace);
    words.filter_map(|word| str::from_utf8(word).ok()?.parse().ok())
}
