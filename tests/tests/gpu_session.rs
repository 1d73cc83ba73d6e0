//! Graphs and data that stay on a GPU. Ignored where there is none: `cargo xtask test --gpu` runs it.

use std::ops::ControlFlow;

use cudarc::driver::{CudaContext, DevicePtr};
use onyx_examples::als::{Direct, Model, Ratings, alternate, verify};
use onyx_examples::label_propagation::{LabelPropagation, step};
use onyx_examples::ratings::planted::Plan;
use onyx_examples::ratings::{Bipartite, Factors, Feedback, Settings, Solver};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array1, Array2};
use onyx_runtime::{
    BorrowError, Borrowed, Data, Options, ResidentGraph, RunError, RunFold, Schedule, Sequence, Session, Status,
};
use onyx_tests::graphs;
use onyx_tests::mosaic::{Mosaic, lay_narrow};

fn pseudorandom(vertex: usize, feature: usize) -> f32 {
    ((vertex * 31 + feature * 17) % 101) as f32 / 101.0
}

fn distance(found: &Array2<f32>, expected: &Array2<f32>) -> f32 {
    (found - expected).iter().fold(0.0_f32, |most, by| most.max(by.abs()))
}

/// The labels after three runs of four iterations with another share of the neighbors each, and after one more until nothing moves.
fn labels(session: &Session, graph: &Graph) -> [Array2<f32>; 2] {
    let resident = session.graph(graph);
    let mut data = session.data(step, &resident, 5).unwrap();
    let seeds = Array2::from_shape_fn((graph.vertex_count(), 5), |(vertex, feature)| pseudorandom(vertex, feature));
    data.write(LabelPropagation::WEIGHT, &Array1::ones(graph.edge_count())).unwrap();
    data.write(LabelPropagation::SEED, &seeds).unwrap();
    data.write(LabelPropagation::LABEL, &seeds).unwrap();
    data.set(LabelPropagation::TOLERANCE, 1e-6);
    for alpha in [0.9, 0.5, 0.8] {
        data.set(LabelPropagation::ALPHA, alpha);
        step.on(&resident, &mut data).times(4, &Options::default()).unwrap();
    }
    let some = data.read(LabelPropagation::LABEL).unwrap().to_owned();
    let options = Options { iterations: 500, ..Options::default() };
    let report = step.on(&resident, &mut data).until_settled(&options).unwrap();
    assert!(report.status.is_at_rest(), "{session:?}: {}", report.status);
    [some, data.read(LabelPropagation::LABEL).unwrap().to_owned()]
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_runs_on_data_that_stay_agree_with_those_on_the_cpu() {
    for graph in [graphs::generate("rmat:12:16"), graphs::generate("grid:40x30")] {
        let [found, expected] = [Session::cuda(0).unwrap(), Session::cpu()].map(|session| labels(&session, &graph));
        for (found, expected) in found.iter().zip(&expected) {
            let distance = distance(found, expected);
            assert!(distance < 1e-4, "{distance}");
        }
    }
}

/// What 24 iterations leave of labels that begin anew, with this share of the neighbors, and whether any batch was replayed.
fn begun_again(
    graph: &ResidentGraph<'_>,
    data: &mut Data<LabelPropagation<0>>,
    alpha: f32,
    replay: bool,
) -> (Vec<u32>, bool) {
    let seeds =
        Array2::from_shape_fn((graph.graph().vertex_count(), 5), |(vertex, feature)| pseudorandom(vertex, feature));
    data.write(LabelPropagation::WEIGHT, &Array1::ones(graph.graph().edge_count())).unwrap();
    data.write(LabelPropagation::SEED, &seeds).unwrap();
    data.write(LabelPropagation::LABEL, &seeds).unwrap();
    data.set(LabelPropagation::ALPHA, alpha);
    let options = Options { deterministic: true, replay, ..Options::default() };
    let report = step.on(graph, data).times(24, &options).unwrap();
    let bits = data.read(LabelPropagation::LABEL).unwrap().iter().map(|label| label.to_bits()).collect();
    let said = report.explain.iter().find(|line| line.starts_with("batches: "));
    (bits, said.is_some_and(|said| !said.contains("of which 0 ")))
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_later_runs_replay_what_earlier_ones_have_recorded() {
    let graphs = ["rmat:10:8", "rmat:9:16", "grid:30x20"].map(graphs::generate);
    let session = Session::cuda(0).unwrap();
    let resident = graphs.each_ref().map(|graph| session.graph(graph));
    let data_on = |graph: &ResidentGraph<'_>| session.data(step, graph, 5).unwrap();
    let mut kept = resident.each_ref().map(data_on);
    let mut replayed = 0;
    for round in 0..12 {
        for (graph, data) in resident.iter().zip(&mut kept) {
            let alpha = if round % 6 == 5 { 0.5 } else { 0.9 };
            let (expected, was_replayed) = begun_again(graph, &mut data_on(graph), alpha, false);
            assert!(!was_replayed, "although nothing was to be replayed");
            for found in [begun_again(graph, data, alpha, true), begun_again(graph, &mut data_on(graph), alpha, true)] {
                assert!(found.0 == expected, "round {round} on {graph:?}: other bits");
                replayed += usize::from(found.1);
            }
        }
    }
    println!("{replayed} of 72 runs replayed something");
    assert!(replayed > 24, "{replayed} of 72 runs");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_outer_products_are_added_up() {
    let graph = graphs::generate("uniform:3000:9000");
    for features in [3, 8, 30] {
        let [found, expected] = [Session::cuda(0).unwrap(), Session::cpu()].map(|session| {
            let resident = session.graph(&graph);
            let mut data = session.data(alternate, &resident, features).unwrap();
            let factors = Array2::from_shape_fn((3000, features), |(vertex, feature)| pseudorandom(vertex, feature));
            data.write(Ratings::FACTOR, &factors).unwrap();
            data.outer_sum(Ratings::FACTOR, 100..2600, Ratings::COMMON).unwrap();
            data.read(Ratings::COMMON).unwrap().to_owned()
        });
        let distance = distance(&found, &expected);
        assert!(distance < 1e-2, "{features} features: {distance} of {}", expected[[0, 0]]);
    }
}

/// What alternating least squares comes to in two sweeps, by matrices: whether each system of the last one is solved.
fn is_fitted(session: &Session, features: usize, feedback: Feedback, options: &Options) {
    let plan = Plan { users: 300, items: 40, ..Plan::default() };
    let bipartite = Bipartite::new(&plan.draw(feedback).unwrap().0, 301, 41).unwrap();
    let settings = Settings::new().features(features).lambda(0.1).feedback(feedback).solver(Solver::Cholesky);
    let (mut before, mut after) = (None, Factors::initial(&bipartite, features, 3));
    let mut model = Direct::new(session, &bipartite, settings, &after).unwrap();
    for _ in 0..2 {
        model.sweep(1, options, &mut |_| ControlFlow::Continue(())).unwrap();
        before = Some(std::mem::replace(&mut after, model.factors().unwrap()));
    }
    let verification = verify(&bipartite, settings, &before.unwrap(), &after);
    assert!(verification.agrees(), "{settings:?}: {verification:?}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_blocks_factorize_matrices() {
    let session = Session::cuda(0).unwrap();
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        for features in [33, 64, 97, 128] {
            is_fitted(&session, features, feedback, &Options::default());
        }
        for features in [27, 32] {
            let options = Options { schedule: Schedule::MatrixPerBlock, ..Options::default() };
            is_fitted(&session, features, feedback, &options);
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_few_steps_go_as_far_as_in_64_bits() {
    let session = Session::cuda(0).unwrap();
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        let plan = Plan { users: 300, items: 40, ..Plan::default() };
        let bipartite = Bipartite::new(&plan.draw(feedback).unwrap().0, 301, 41).unwrap();
        for features in [5, 33, 128] {
            let settings = Settings::new().features(features).feedback(feedback).steps(3);
            let mut before = Factors::initial(&bipartite, features, 3);
            let mut model = Model::on(&session, &bipartite, settings, &before).unwrap();
            for _ in 0..2 {
                model.sweep(1, &Options::default(), &mut |_| ControlFlow::Continue(())).unwrap();
                let after = model.factors().unwrap();
                let verification = verify(&bipartite, settings, &before, &after);
                assert!(verification.agrees(), "{settings:?}: {verification:?}");
                before = after;
            }
        }
    }
}

/// Data of label propagation with some seeds.
fn seeded(session: &Session, graph: &ResidentGraph<'_>) -> Data<LabelPropagation> {
    let (vertices, edges) = (graph.graph().vertex_count(), graph.graph().edge_count());
    let mut data = session.data(step, graph, 5).unwrap();
    let seeds = Array2::from_shape_fn((vertices, 5), |(vertex, feature)| pseudorandom(vertex, feature));
    data.write(LabelPropagation::WEIGHT, &Array1::ones(edges)).unwrap();
    data.write(LabelPropagation::SEED, &seeds).unwrap();
    data.write(LabelPropagation::LABEL, &seeds).unwrap();
    data.set(LabelPropagation::ALPHA, 0.9);
    data
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_sequences_that_are_recorded_agree_with_single_runs() {
    let graph = graphs::generate("rmat:12:16");
    let session = Session::cuda(0).unwrap();
    let resident = session.graph(&graph);
    // Two exchanges of the labels in each round, and three: with an even and an odd number of exchanges.
    for folds in [2, 3] {
        let mut single = seeded(&session, &resident);
        let mut data = seeded(&session, &resident);
        let mut sequence = (0..folds).fold(Sequence::new(&resident), |sequence, _| sequence.then(step));
        for alpha in [0.9, 0.5, 0.9] {
            single.set(LabelPropagation::ALPHA, alpha);
            data.set(LabelPropagation::ALPHA, alpha);
            (0..7 * folds).for_each(|_| drop(step.on(&resident, &mut single).once().unwrap()));
            sequence.run(&mut data, 7).unwrap();
        }
        session.finish().unwrap();
        let found = data.read(LabelPropagation::LABEL).unwrap().to_owned();
        let distance = distance(&found, &single.read(LabelPropagation::LABEL).unwrap().to_owned());
        assert!(distance < 1e-5, "{folds} folds: {distance}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_values_that_are_not_numbers_are_found_where_they_are() {
    let graph = graphs::generate("grid:40x30");
    let session = Session::cuda(0).unwrap();
    let resident = session.graph(&graph);
    let mut data = seeded(&session, &resident);
    let two = Options::new().iterations(2);
    let report = step.on(&resident, &mut data).until_settled(&two).unwrap();
    assert_eq!((report.status, report.diverged), (Status::IterationLimit, None));
    data.view_mut(LabelPropagation::LABEL).unwrap()[[7, 4]] = f32::NAN;
    let report = step.on(&resident, &mut data).until_settled(&two).unwrap();
    assert_eq!((report.status, report.diverged), (Status::Diverged, Some("label")));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_runs_on_the_reverse_agree_with_those_on_the_graph_of_reversed_edges() {
    let graph = graphs::generate("rmat:11:12");
    let session = Session::cuda(0).unwrap();
    let resident = session.graph(&graph);
    step.on(&resident, &mut seeded(&session, &resident)).times(3, &Options::default()).unwrap();
    let [found, expected] = [session.clone(), Session::cpu()].map(|session| {
        let reversed = session.graph(&graph).reversed().unwrap();
        let mut data = seeded(&session, &reversed);
        step.on(&reversed, &mut data).times(6, &Options::default()).unwrap();
        data.read(LabelPropagation::LABEL).unwrap().to_owned()
    });
    assert!(distance(&found, &expected) < 1e-4);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_runs_read_and_write_memory_of_another_owner() {
    let graph = graphs::generate("rmat:10:8");
    let session = Session::cuda(0).unwrap();
    let resident = session.graph(&graph);
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let (mut own, mut data) = (seeded(&session, &resident), seeded(&session, &resident));
    let (length, width) = (data.length(LabelPropagation::LABEL), data.width());
    let mut rows = vec![0.0_f32; length];
    for (row, seeds) in rows.chunks_mut(width).zip(data.read(LabelPropagation::LABEL).unwrap().rows()) {
        row.iter_mut().zip(seeds).for_each(|(place, seed)| *place = *seed);
    }
    let lent = stream.clone_htod(&rows).unwrap();
    let place = lent.device_ptr(&stream).0;
    // SAFETY: nobody reaches the memory before it is given back, and the stream is of the primary context.
    unsafe { data.borrow(LabelPropagation::LABEL, Borrowed::device(place, length, stream.cu_stream().cast())) }
        .unwrap();
    for data in [&mut own, &mut data] {
        step.on(&resident, data).times(3, &Options::default()).unwrap();
        Sequence::new(&resident).then(step).run(data, 7).unwrap();
    }
    data.give_back(LabelPropagation::LABEL).unwrap();
    let found = stream.clone_dtoh(&lent).unwrap();
    let expected = own.read(LabelPropagation::LABEL).unwrap();
    for (found, expected) in found.chunks(width).zip(expected.rows()) {
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5));
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_memory_that_is_not_there_is_not_borrowed() {
    let graph = graphs::generate("uniform:1000:5000");
    let session = Session::cuda(0).unwrap();
    let resident = session.graph(&graph);
    let mut data = seeded(&session, &resident);
    let length = data.length(LabelPropagation::LABEL);
    let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut host = vec![0.0_f32; length + 4];
    let at = host.as_mut_ptr().wrapping_add(host.as_ptr().align_offset(16));
    let short = stream.alloc_zeros::<f32>(length / 2).unwrap();
    let short = short.device_ptr(&stream).0;
    let mut refused = |memory| {
        // SAFETY: what is wrong with the memory is found before it is reached.
        let error = unsafe { data.borrow(LabelPropagation::LABEL, memory) }.unwrap_err();
        let RunError::Borrow { source, .. } = error else { panic!("{error}") };
        source
    };
    assert_eq!(refused(Borrowed::host(at, length)), BorrowError::OnHost);
    let error = refused(Borrowed::device(at.addr() as u64, length, stream.cu_stream().cast()));
    assert!(matches!(error, BorrowError::NotOfDevice { .. }), "{error}");
    let error = refused(Borrowed::device(short, length, stream.cu_stream().cast()));
    assert!(matches!(error, BorrowError::TooShort { .. }), "{error}");
    let error = refused(Borrowed::device(short + 4, length, stream.cu_stream().cast()));
    assert!(matches!(error, BorrowError::Alignment { .. }), "{error}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_tiles_that_stay_agree_with_those_on_the_cpu() {
    let (graph, features) = (graphs::generate("rmat:10:8"), 10);
    let [found, expected] = [Session::cuda(0).unwrap(), Session::cpu()].map(|session| {
        let resident = session.graph(&graph);
        let mut data = session.data(lay_narrow, &resident, features).unwrap();
        let of = |rows: usize| Array2::from_shape_fn((rows, features), |(row, feature)| pseudorandom(row, feature));
        data.write(Mosaic::WEIGHT, &Array1::ones(graph.edge_count())).unwrap();
        data.write(Mosaic::GAIN, &of(graph.edge_count())).unwrap();
        data.write(Mosaic::VALUE, &of(graph.vertex_count())).unwrap();
        for floor in [0.05, 0.1] {
            data.set(Mosaic::FLOOR, floor);
            lay_narrow.on(&resident, &mut data).times(3, &Options::default()).unwrap();
            data.view_mut(Mosaic::VALUE).unwrap()[[5, 9]] += 1.0;
            lay_narrow.on(&resident, &mut data).once().unwrap();
        }
        data.read(Mosaic::VALUE).unwrap().to_owned()
    });
    let greatest = expected.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    assert!(greatest.is_finite() && greatest > 0.0 && distance(&found, &expected) < 1e-4 * greatest.max(1.0));
}
