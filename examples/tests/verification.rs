//! The serial verifiers find what is wrong.

use std::ops::ControlFlow;

use onyx_examples::label_propagation::{self, LabelPropagation};
use onyx_examples::pagerank::{self, PageRank};
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Backend, Options, Report, Store, converge};

fn graph() -> Graph {
    "rmat:8".parse::<Generator>().unwrap().generate(7).unwrap()
}

fn options() -> Options {
    Options { backend: Backend::Cpu, ..Options::default() }
}

fn ranks(graph: &Graph) -> (Store, Report) {
    let mut store = pagerank::prepare(graph, 1, pagerank::Settings::default()).unwrap();
    let report = converge(pagerank::step, graph, &mut store, &options(), &mut |_| ControlFlow::Continue(())).unwrap();
    (store, report)
}

fn labels(graph: &Graph, features: usize) -> (Store, Report) {
    let seeds: Vec<(u32, usize)> = (0..20).map(|seed| (seed * 12, seed as usize % features)).collect();
    let mut store =
        label_propagation::prepare(graph, &seeds, features, label_propagation::Settings::default()).unwrap();
    let fold = label_propagation::step;
    let report = converge(fold, graph, &mut store, &options(), &mut |_| ControlFlow::Continue(())).unwrap();
    (store, report)
}

#[test]
fn right_results_agree() {
    let graph = graph();
    let (store, report) = ranks(&graph);
    assert!(pagerank::verify(&graph, &store, &report).agrees());
    for features in [1, 2, 3, 7, 16, 100, 128] {
        let (store, report) = labels(&graph, features);
        assert!(label_propagation::verify(&graph, &store, &report).agrees(), "{features} features");
    }
}

#[test]
fn one_wrong_value_is_found() {
    let graph = graph();
    let (mut store, report) = ranks(&graph);
    store.scalars_mut(PageRank::RANK)[200] *= 1.1;
    assert!(!pagerank::verify(&graph, &store, &report).agrees());
    let (mut store, report) = labels(&graph, 3);
    store.row_mut(LabelPropagation::LABEL, 200)[2] += 1e-3;
    assert!(!label_propagation::verify(&graph, &store, &report).agrees());
}

#[test]
fn what_is_no_number_is_found() {
    let graph = graph();
    let (mut store, report) = ranks(&graph);
    store.scalars_mut(PageRank::RANK)[0] = f32::NAN;
    assert!(!pagerank::verify(&graph, &store, &report).agrees());
    let (mut store, report) = labels(&graph, 3);
    store.row_mut(LabelPropagation::LABEL, 0)[0] = f32::NAN;
    assert!(!label_propagation::verify(&graph, &store, &report).agrees());
}
