//! Graphs and data that stay where folds run.

use ndarray::{Array1, Array2, array};
use onyx_device::prelude::*;
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{
    Backend, Data, Direction, Options, ResidentGraph, RunError, RunFold, Session, Status, Store, converge, explain,
};

#[graph_data]
struct Heat<const K: usize> {
    conductance: EdgeScalar,
    heat: VertexFeatures<K, Tracked>,
    arrived: VertexFeatures<K>,
    total: VertexScalar,
    rate: Parameter,
}

#[edge_fn]
fn conduct<const K: usize>(f: Feature, e: Edge, d: &mut Heat<K>) -> bool {
    d.arrived[e.dst][f] += d.conductance[e] * d.heat[e.src][f];
    true
}

#[vertex_fn]
fn warm<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    let new = d.heat[v][f] + d.rate * (d.arrived[v][f] - d.heat[v][f]);
    let moved = (new - d.heat[v][f]).abs() > 1e-5;
    d.heat[v][f] = new;
    any(moved)
}

#[vertex_fn]
fn halve<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.heat[v][f] *= 0.5;
    true
}

#[vertex_fn]
fn add_up<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.total[v] = sum(d.heat[v][f]);
    false
}

fn refuse_cold(rate: f32) {
    assert!(rate >= 0.0, "too cold");
}

#[vertex_fn]
fn fail_when_cold<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.heat[v][f] += 1.0;
    refuse_cold(d.rate);
    true
}

foldmap! { pub spread<const K: usize>(Heat<K>) = [conduct, warm]; features = [4] }
foldmap! { pub cool<const K: usize>(Heat<K>) = [halve]; features = [4] }
foldmap! { pub weigh<const K: usize>(Heat<K>) = [add_up]; features = [4] }
foldmap! { pub freeze<const K: usize>(Heat<K>) = [fail_when_cold]; features = [4] }

fn graph() -> Graph {
    "rmat:6:4".parse::<Generator>().unwrap().generate(3).unwrap()
}

fn start(graph: &Graph) -> (Array1<f32>, Array2<f32>) {
    let conductance = graph.edges().map(|(_, _, to)| 1.0 / graph.in_degree(to) as f32).collect();
    let heat =
        Array2::from_shape_fn((graph.vertex_count(), 3), |(vertex, feature)| (vertex * (feature + 1) % 11) as f32);
    (conductance, heat)
}

fn prepared(session: &Session, graph: &ResidentGraph<'_>) -> Data<Heat> {
    let (conductance, heat) = start(graph.graph());
    let mut data = session.data(spread, graph, 3).unwrap();
    data.write(Heat::CONDUCTANCE, &conductance).unwrap();
    data.write(Heat::HEAT, &heat).unwrap();
    data.set(Heat::RATE, 0.5);
    data
}

fn sessions() -> [Session; 2] {
    [Session::cpu(), Session::emulator()]
}

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
        let mut start = ActiveSet::none(graph.vertex_count());
        start.set(5, true);
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
fn what_does_not_belong_together_is_refused() {
    let (graph, session) = (graph(), Session::emulator());
    let (resident, again) = (session.graph(&graph), session.graph(&graph));
    let mut data = session.data(cool, &resident, 2).unwrap();
    let error = cool.on(&again, &mut data).once().unwrap_err();
    assert!(matches!(error, RunError::OtherGraph { .. }), "{error}");
    let other = Session::emulator();
    let error = other.data(cool, &resident, 2).unwrap_err();
    assert!(matches!(error, RunError::OtherSession { what: "graph", .. }), "{error}");
    let elsewhere = other.graph(&graph);
    let error = cool.on(&elsewhere, &mut data).once().unwrap_err();
    assert!(matches!(error, RunError::OtherSession { what: "data", .. }), "{error}");
}

#[test]
fn values_of_another_shape_are_refused() {
    let graph = GraphBuilder::new().edges(vec![(0, 1), (1, 2)]).build().unwrap();
    let session = Session::cpu();
    let mut data = session.data(cool, &session.graph(&graph), 2).unwrap();
    let error = data.write(Heat::HEAT, &array![[1.0, 2.0], [3.0, 4.0]]).unwrap_err();
    assert_eq!(error.to_string(), "`heat` has the shape [3, 2], and the values have [2, 2]");
    data.write(Heat::HEAT, &array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).unwrap();
    data.write(Heat::TOTAL, &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(data.read(Heat::TOTAL).unwrap(), array![1.0, 2.0, 3.0]);
}

#[graph_data]
struct Empty<const K: usize> {
    row: VertexFeatures<K, Tracked>,
    scalar: VertexScalar,
    matrix: VertexMatrix<K>,
    edge_row: EdgeFeatures<K>,
    edge_scalar: EdgeScalar,
    edge_matrix: EdgeMatrix<K>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Empty<K>) -> bool {
    let product = matvec(d.edge_matrix[e][f], d.row[e.src][f]);
    d.sum[e.dst][f] += d.edge_row[e][f] + d.edge_scalar[e] + product;
    true
}

#[vertex_fn]
fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Empty<K>) -> bool {
    d.row[v][f] = d.sum[v][f] + d.scalar[v] + matvec(d.matrix[v][f], d.sum[v][f]);
    false
}

foldmap! { pub collect<const K: usize>(Empty<K>) = [gather, take]; features = [4] }

#[test]
fn what_there_is_none_of_is_written_and_read() {
    for vertices in [0, 2] {
        let graph = GraphBuilder::new().vertices(vertices).build().unwrap();
        for session in sessions() {
            let resident = session.graph(&graph);
            let mut data = session.data(collect, &resident, 3).unwrap();
            data.write(Empty::ROW, &Array2::<f32>::zeros((vertices, 3))).unwrap();
            data.write(Empty::SCALAR, &Array1::<f32>::zeros(vertices)).unwrap();
            data.write(Empty::EDGE_ROW, &Array2::<f32>::zeros((0, 3))).unwrap();
            data.write(Empty::EDGE_SCALAR, &Array1::<f32>::zeros(0)).unwrap();
            data.view_mut(Empty::EDGE_MATRIX).unwrap().fill(1.0);
            data.view_mut(Empty::MATRIX).unwrap().fill(1.0);
            collect.on(&resident, &mut data).until_settled(&Options::new()).unwrap();
            assert_eq!(data.read(Empty::ROW).unwrap(), Array2::<f32>::zeros((vertices, 3)), "{session:?}");
            assert_eq!(data.read(Empty::EDGE_MATRIX).unwrap().shape(), [0, 3, 3]);
        }
    }
}

#[test]
fn a_total_that_lives_in_registers_is_not_read() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(spread, &resident, 2).unwrap();
        spread.on(&resident, &mut data).once().unwrap();
        let error = data.read(Heat::ARRIVED).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
    }
}

#[test]
fn all_values_come_to_the_host_at_once() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        assert_eq!(resident.session().backend(), session.backend());
        let mut data = prepared(&session, &resident);
        spread.on(&resident, &mut data).times(5, &Options::default()).unwrap();
        let heat = data.on_host().unwrap().row(Heat::HEAT, 3).to_vec();
        assert_eq!(data.read(Heat::HEAT).unwrap().row(3).to_vec(), heat, "{session:?}");
        let said = data.explain(spread, &resident, &Options::default());
        let store = data.into_store().unwrap();
        assert_eq!((store.row(Heat::HEAT, 3), store.get(Heat::RATE)), (&heat[..], 0.5), "{session:?}");
        let options = Options { backend: session.backend(), ..Options::default() };
        assert_eq!(said, explain(spread, &graph, &store, &options));
    }
}

#[test]
fn lost_values_do_not_come_to_the_host() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 2).unwrap();
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(matches!(data.on_host().unwrap_err(), RunError::Lost { property: "heat", .. }));
    assert!(matches!(data.into_store().unwrap_err(), RunError::Lost { property: "heat", .. }));
}

#[test]
fn after_a_failed_run_the_host_keeps_what_it_has() {
    let (graph, session) = (graph(), Session::emulator());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 2).unwrap();
    data.view_mut(Heat::HEAT).unwrap().fill(7.0);
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 7.0));
    cool.on(&resident, &mut data).once().unwrap();
    freeze.on(&resident, &mut data).once().unwrap_err();
    let error = data.read(Heat::HEAT).unwrap_err();
    assert!(matches!(error, RunError::Lost { property: "heat", fold: "heat__freeze" }), "{error}");
    data.view_mut(Heat::HEAT).unwrap_err();
    let error = cool.on(&resident, &mut data).once().unwrap_err();
    assert!(matches!(error, RunError::Lost { property: "heat", .. }), "{error}");
    data.write(Heat::HEAT, &Array2::from_elem((graph.vertex_count(), 2), 1.0)).unwrap();
    data.set(Heat::RATE, 1.0);
    freeze.on(&resident, &mut data).once().unwrap();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 2.0));
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

#[test]
fn a_panic_on_the_cpu_leaves_nothing_to_be_read() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 2).unwrap();
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    for error in
        [data.read(Heat::HEAT).map(drop).unwrap_err(), cool.on(&resident, &mut data).once().map(drop).unwrap_err()]
    {
        assert!(matches!(error, RunError::Lost { property: "heat", .. }), "{error}");
    }
}
