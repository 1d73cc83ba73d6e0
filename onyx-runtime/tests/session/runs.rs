//! Runs of several folds on data that stay.

use ndarray::{Array1, Array2};
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Direction, Options, RunFold, Status, Store, converge};

use crate::heat::{Heat, cool, graph, prepared, sessions, spread, start, weigh};

/// Spread, cool and spread again, each by a run of its own that copies everything there and back.
fn apart(graph: &Graph, backend: Backend) -> Array2<f32> {
    let (conductance, heat) = start(graph);
    let mut store = Store::new(spread, graph, 3).unwrap();
    store.edge_scalars_mut(Heat::CONDUCTANCE).copy_from_slice(conductance.as_slice().unwrap());
    for (vertex, row) in (0..).zip(heat.rows()) {
        store.row_mut(Heat::HEAT, vertex).copy_from_slice(row.as_slice().unwrap());
    }
    store.set(Heat::RATE, 0.5);
    let options = Options { backend, iterations: 5, settle: false, ..Options::default() };
    let mut show = |_: &_| std::ops::ControlFlow::Continue(());
    converge(spread, graph, &mut store, &options, &mut show).unwrap();
    converge(cool, graph, &mut store, &Options { iterations: 1, ..options.clone() }, &mut show).unwrap();
    converge(spread, graph, &mut store, &options, &mut show).unwrap();
    let rows = (0..graph.vertex_count() as u32).flat_map(|vertex| store.row(Heat::HEAT, vertex).to_vec());
    Array2::from_shape_vec((graph.vertex_count(), 3), rows.collect()).unwrap()
}

#[test]
fn folds_take_turns_on_data_that_stay_where_they_are() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = prepared(&session, &resident);
        let options = Options::default();
        spread.on(&resident, &mut data).times(5, &options).unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        let report = spread.on(&resident, &mut data).times(5, &options).unwrap();
        weigh.on(&resident, &mut data).once().unwrap();
        let found = data.read(Heat::HEAT).unwrap().to_owned();
        assert_eq!(found, apart(&graph, session.backend()), "{session:?}");
        let sums: Array1<f32> = found.rows().into_iter().map(|row| row.iter().sum()).collect();
        let close = sums.iter().zip(data.read(Heat::TOTAL).unwrap()).all(|(sum, total)| (sum - total).abs() < 1e-4);
        assert!(close && report.backend == session.backend());
    }
}

#[test]
fn what_is_changed_between_two_runs_counts() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(cool, &resident, 2).unwrap();
        data.view_mut(Heat::HEAT).unwrap().fill(8.0);
        cool.on(&resident, &mut data).once().unwrap();
        data.view_mut(Heat::HEAT).unwrap()[[1, 1]] = 3.0;
        cool.on(&resident, &mut data).once().unwrap();
        let heat = data.read(Heat::HEAT).unwrap();
        assert_eq!((heat[[0, 0]], heat[[1, 0]], heat[[1, 1]]), (2.0, 2.0, 1.5), "{session:?}");
        assert_eq!(heat.shape(), [graph.vertex_count(), 2]);
    }
}

#[test]
fn a_run_until_nothing_moves_says_so_and_leaves_a_fixed_point() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = prepared(&session, &resident);
        let mut shown = 0;
        let run = spread.on(&resident, &mut data).observed(|_| {
            shown += 1;
            std::ops::ControlFlow::Continue(())
        });
        let report = run.until_settled(&Options { iterations: 2000, ..Options::default() }).unwrap();
        assert!(report.status.is_at_rest(), "{session:?}: {:?}", report.status);
        assert_eq!(shown, report.iterations.len());
        let before = data.read(Heat::HEAT).unwrap().to_owned();
        spread.on(&resident, &mut data).once().unwrap();
        let moved = (&data.read(Heat::HEAT).unwrap() - &before).iter().fold(0.0_f32, |most, by| most.max(by.abs()));
        assert!(moved < 1e-3, "{session:?}: moved by {moved}");
    }
}

#[test]
fn values_that_are_not_numbers_are_found() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(cool, &resident, 4).unwrap();
        data.view_mut(Heat::HEAT).unwrap()[[3, 3]] = f32::NAN;
        let one = Options { iterations: 1, ..Options::default() };
        let report = cool.on(&resident, &mut data).until_settled(&one).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Diverged, Some("heat")), "{session:?}");
    }
}

#[test]
fn only_some_vertices_are_active_at_first() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(cool, &resident, 1).unwrap();
        data.view_mut(Heat::HEAT).unwrap().fill(4.0);
        let start = ActiveSet::of(graph.vertex_count(), [5]);
        cool.on(&resident, &mut data).from(&start).once().unwrap();
        let heat = data.read(Heat::HEAT).unwrap();
        assert_eq!((heat[[4, 0]], heat[[5, 0]]), (4.0, 2.0), "{session:?}");
    }
}

#[test]
fn more_features_than_a_compiled_width_run_by_tiles() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(cool, &resident, 9).unwrap();
        data.view_mut(Heat::HEAT).unwrap().fill(4.0);
        cool.on(&resident, &mut data).once().unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 1.0), "{session:?}");
    }
}

#[test]
fn pushes_start_from_what_an_earlier_run_has_left() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let run = |direction| {
            let mut data = prepared(&session, &resident);
            let options = Options { direction: Some(direction), ..Options::default() };
            for _ in 0..3 {
                spread.on(&resident, &mut data).times(4, &options).unwrap();
            }
            data.read(Heat::HEAT).unwrap().to_owned()
        };
        let (pulled, pushed) = (run(Direction::Pull), run(Direction::Push));
        let apart = (&pulled - &pushed).iter().fold(0.0_f32, |most, by| most.max(by.abs()));
        assert!(apart < 1e-3, "{session:?}: {apart}");
    }
}
