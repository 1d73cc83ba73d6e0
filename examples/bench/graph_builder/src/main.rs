//! Times reading a plain edge list by Onyx and by `graph_builder`, side by side, both directions built by both.
//!
//! `cargo run --release -- EDGE_LIST [RUNS]` prints a CSV with a row a run, in milliseconds, and the medians last.
//! The file must have no comment lines and use the ids `0..n`, as the other reader knows nothing else.
//! The work is not the same: Onyx also checks every line, accepts any 64-bit ids, sorts each row and links the two
//! directions by edge id.

use std::time::Instant;

use graph_builder::prelude::{CsrLayout, DirectedCsrGraph, EdgeListInput, Graph as _, GraphBuilder};
use onyx_runtime::graph::{Graph, LoadOptions};

type Failure = Box<dyn std::error::Error>;
/// The numbers of vertices and edges.
type Counts = (usize, usize);
type Reader = fn(&str) -> Result<Counts, Failure>;

/// What is timed. Onyx sorts its rows and links both directions by edge id, so the sorted layout is the closer one.
const READERS: [(&str, Reader); 3] = [
    ("onyx", onyx),
    ("graph_builder_unsorted", |path| graph_builder(path, CsrLayout::Unsorted)),
    ("graph_builder_sorted", |path| graph_builder(path, CsrLayout::Sorted)),
];

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("give the path of an edge list")?;
    let runs: usize = arguments.next().map_or(Ok(10), |runs| runs.parse())?;
    let counts = agreed_counts(&path)?;
    println!("# {} vertices and {} edges, as read by each", counts.0, counts.1);
    println!("# {} rayon threads; graph_builder parses on {}", rayon::current_num_threads(), num_cpus::get_physical());
    println!("run,{}", READERS.map(|(name, _)| format!("{name}_ms")).join(","));
    let mut times = READERS.map(|_| Vec::new());
    for run in 1..=runs {
        for (times, (_, read)) in times.iter_mut().zip(READERS) {
            times.push(milliseconds(read, &path)?);
        }
        println!("{run},{}", row(times.each_ref().map(|times| times[run - 1])));
    }
    println!("median,{}", row(times.map(median)));
    Ok(())
}

/// The counts of the graph, which all readers must agree on before anything is timed.
fn agreed_counts(path: &str) -> Result<Counts, Failure> {
    let expected = onyx(path)?;
    for (name, read) in READERS {
        let found = read(path)?;
        if found != expected {
            return Err(format!("{name} read {found:?} vertices and edges, onyx {expected:?}").into());
        }
    }
    Ok(expected)
}

fn onyx(path: &str) -> Result<Counts, Failure> {
    let graph = Graph::load(path, &LoadOptions::default())?;
    Ok((graph.vertex_count(), graph.edge_count()))
}

fn graph_builder(path: &str, layout: CsrLayout) -> Result<Counts, Failure> {
    let builder = GraphBuilder::new().csr_layout(layout).file_format(EdgeListInput::default());
    let graph: DirectedCsrGraph<u32> = builder.path(path).build()?;
    Ok((graph.node_count() as usize, graph.edge_count() as usize))
}

fn milliseconds(read: Reader, path: &str) -> Result<f64, Failure> {
    let start = Instant::now();
    read(path)?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2.0
}

fn row(times: [f64; READERS.len()]) -> String {
    times.map(|time| format!("{time:.1}")).join(",")
}
