//! Graphs and data that stay where folds run.

use ndarray::{Array1, Array2, array};
use onyx_device::prelude::*;
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{
    Backend, BorrowError, Borrowed, Data, Direction, Options, Packing, ResidentGraph, RunError, RunFold, Schedule,
    Sequence, Session, Status, Store, converge, explain,
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
#[vertex_fn]
fn remember<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.heat[v][f] += d.arrived[v][f];
    true
}

foldmap! { pub recall<const K: usize>(Heat<K>) = [remember]; features = [4] }
foldmap! { pub freeze<const K: usize>(Heat<K>) = [fail_when_cold]; features = [4] }
foldmap! { pub conduct_alone<const K: usize>(Heat<K>) = [conduct]; features = [4] }
foldmap! { pub gather_and_freeze<const K: usize>(Heat<K>) = [conduct; fail_when_cold]; features = [4] }

#[vertex_fn]
fn stop_even<const K: usize>(v: Vertex, d: &mut Heat<K>) -> bool {
    v.0 % 2 == 1
}

#[vertex_fn]
fn halve_arrived<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.arrived[v][f] *= 0.5;
    true
}

foldmap! { pub halve_all<const K: usize>(Heat<K>) = [halve_arrived]; features = [4] }
foldmap! { pub conduct_twice<const K: usize>(Heat<K>) = [conduct; conduct, warm]; features = [4] }
foldmap! { pub keep_some<const K: usize>(Heat<K>) = [stop_even; conduct; conduct, halve_arrived]; features = [4] }

/// Numbers that functions of a head hand on.
#[graph_data]
struct Heads<const K: usize> {
    x: VertexFeatures<K>,
    size: VertexScalar<Scratch>,
    weight: EdgeScalar<u32, Scratch>,
    kept: VertexHeads,
    total: VertexHeads<u32>,
}

#[vertex_fn]
fn measure<const K: usize>(f: Feature, v: Vertex, d: &mut Heads<K>) -> bool {
    d.size[v] = sum(d.x[v][f]);
    true
}

#[vertex_fn]
fn keep<const K: usize>(v: Vertex, d: &mut Heads<K>) -> bool {
    d.kept[v] = d.size[v];
    true
}

#[edge_fn]
fn weigh_edge<const K: usize>(e: Edge, d: &mut Heads<K>) -> bool {
    d.weight[e] = d.kept[e.src] as u32;
    true
}

#[edge_fn]
fn bring<const K: usize>(e: Edge, d: &mut Heads<K>) -> bool {
    d.total[e.dst] += d.weight[e];
    true
}

foldmap! { hand_on<const K: usize>(Heads<K>) = unfolded [measure, keep, weigh_edge, bring]; features = [4] }

fn graph() -> Graph {
    let size = if cfg!(miri) { "rmat:3:3" } else { "rmat:6:4" };
    size.parse::<Generator>().unwrap().generate(3).unwrap()
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

/// The emulator's lanes are coroutines in assembly, which Miri has not.
fn sessions() -> Vec<Session> {
    if cfg!(miri) { vec![Session::cpu()] } else { vec![Session::cpu(), Session::emulator()] }
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

#[graph_data]
struct Surfers {
    weight: EdgeScalar,
    rank: VertexScalar<Tracked>,
    share: VertexScalar,
    arrived: VertexScalar,
    base: Parameter,
}

#[edge_fn]
fn follow(e: Edge, d: &mut Surfers) -> bool {
    d.arrived[e.dst] += d.share[e.src] * d.rank[e.src];
    true
}

#[edge_fn]
fn follow_weighted(e: Edge, d: &mut Surfers) -> bool {
    d.arrived[e.dst] += d.weight[e] * d.rank[e.src];
    true
}

#[vertex_fn]
fn land(v: Vertex, d: &mut Surfers) -> bool {
    let new = d.base + 0.85 * d.arrived[v];
    let moved = (new - d.rank[v]).abs() > 1e-7;
    d.rank[v] = new;
    moved
}

foldmap! { pub pagerank(Surfers) = [follow, land] }
foldmap! { pub weighted(Surfers) = [follow_weighted, land] }

/// The ranks of a graph's vertices, and of its reverse in the same session and by the same data.
fn ranks(session: &Session, graph: &ResidentGraph<'_>, data: &mut Data<Surfers>, options: &Options) -> Array1<f32> {
    let count = graph.graph().vertex_count();
    let share = |vertex| 1.0 / graph.graph().out_degree(vertex).max(1) as f32;
    data.write(Surfers::SHARE, &Array1::from_iter((0..count as u32).map(share))).unwrap();
    data.write(Surfers::RANK, &Array1::from_elem(count, 1.0 / count as f32)).unwrap();
    data.set(Surfers::BASE, 0.15 / count as f32);
    let report = pagerank.on(graph, data).until_settled(options).unwrap();
    assert!(report.status.is_at_rest(), "{session:?}");
    data.read(Surfers::RANK).unwrap().to_owned()
}

fn turned(graph: &Graph) -> Graph {
    let edges = graph.edges().map(|(_, source, destination)| (destination, source)).collect();
    GraphBuilder::new().vertices(graph.vertex_count()).edges(edges).build().unwrap()
}

#[test]
fn pagerank_on_the_reverse_is_that_of_the_graph_of_reversed_edges() {
    let (graph, directions) = (graph(), [None, Some(Direction::Pull), Some(Direction::Push)]);
    let built = turned(&graph);
    for (session, direction) in sessions().iter().flat_map(|session| directions.map(|direction| (session, direction))) {
        let options = Options { direction, iterations: 500, ..Options::default() };
        let resident = session.graph(&graph);
        let mut data = session.data(pagerank, &resident, 1).unwrap();
        let forward = ranks(session, &resident, &mut data, &options);
        let found = ranks(session, &resident.reversed().unwrap(), &mut data, &options);
        let again = ranks(session, &resident.reversed().unwrap().reversed().unwrap(), &mut data, &options);
        let other = session.graph(&built);
        let expected = ranks(session, &other, &mut session.data(pagerank, &other, 1).unwrap(), &options);
        let apart = |left: &Array1<f32>, right: &Array1<f32>| {
            left.iter().zip(right).fold(0.0_f32, |most, (left, right)| most.max((left - right).abs()))
        };
        assert!(apart(&found, &expected) < 1e-6, "{session:?}, {direction:?}");
        assert!(apart(&forward, &again) < 1e-6 && apart(&forward, &found) > 1e-3, "{session:?}, {direction:?}");
    }
}

#[test]
fn values_of_edges_belong_to_one_direction() {
    let graph = GraphBuilder::new().edges(vec![(0, 1), (0, 2), (2, 1)]).weights(vec![0.5, 0.25, 0.75]).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let reversed = resident.reversed().unwrap();
        let mut data = session.data(weighted, &resident, 1).unwrap();
        let error = weighted.on(&reversed, &mut data).once().unwrap_err();
        assert!(matches!(error, RunError::ReversedEdges { property: "weight", .. }), "{error}");
        assert!(error.to_string().contains("make data for the graph of this run"), "{error}");
        pagerank.on(&reversed, &mut data).once().unwrap();
        let mut data = session.data(weighted, &reversed, 1).unwrap();
        data.write(Surfers::WEIGHT, reversed.graph().weights().unwrap()).unwrap();
        data.write(Surfers::RANK, &[0.0, 1.0, 0.0]).unwrap();
        weighted.on(&reversed, &mut data).once().unwrap();
        assert_eq!(data.read(Surfers::RANK).unwrap(), array![0.85 * 0.5, 0.0, 0.85 * 0.75], "{session:?}");
        let error = weighted.on(&resident, &mut data).once().unwrap_err();
        assert!(matches!(error, RunError::ReversedEdges { .. }), "{error}");
    }
}

#[test]
fn a_sum_that_leaves_the_range_of_floats_is_found_where_it_is() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(weighted, &resident, 1).unwrap();
        data.write(Surfers::WEIGHT, &Array1::from_elem(graph.edge_count(), 1.0)).unwrap();
        data.write(Surfers::RANK, &Array1::from_elem(graph.vertex_count(), 1.0)).unwrap();
        weighted.on(&resident, &mut data).times(2, &Options::new()).unwrap();
        data.write(Surfers::WEIGHT, &Array1::from_elem(graph.edge_count(), f32::MAX)).unwrap();
        let report = weighted.on(&resident, &mut data).until_settled(&Options::new().iterations(3)).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Diverged, Some("rank")), "{session:?}");
        let infinite = data.read(Surfers::RANK).unwrap().iter().any(|rank| rank.is_infinite());
        let report = weighted.on(&resident, &mut data).until_settled(&Options::new().iterations(1)).unwrap();
        assert!(infinite && report.diverged.is_none(), "{session:?}: it was infinite before");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
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
    let expected = "`heat` has the shape [3, 2], and the values have [2, 2]: give an array of the shape [3, 2], or make the data, or the tensor, for the size of \
                    the values";
    assert_eq!(error.to_string(), expected);
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
fn a_total_that_a_later_stage_takes_is_not_read() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(conduct_twice, &resident, 2).unwrap();
        conduct_twice.on(&resident, &mut data).once().unwrap();
        let error = data.read(Heat::ARRIVED).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
    }
}

#[test]
fn a_total_that_some_vertices_write_is_looked_at_nowhere_else() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(keep_some, &resident, 2).unwrap();
        let options = Options { iterations: 2, ..Options::default() };
        let report = keep_some.on(&resident, &mut data).until_settled(&options).unwrap();
        assert_eq!(report.diverged, None, "{session:?}");
    }
}

#[test]
fn scratch_is_of_each_head_where_it_has_memory() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data_of_heads(hand_on, &resident, 3, 4).unwrap();
        let x = Array2::from_shape_fn((graph.vertex_count(), 12), |(vertex, feature)| (vertex + feature / 4) as f32);
        data.write(Heads::X, &x).unwrap();
        hand_on.on(&resident, &mut data).once().unwrap();
        let size = |vertex: usize, head: usize| 4 * (vertex + head);
        let kept = Array2::from_shape_fn((graph.vertex_count(), 3), |(vertex, head)| size(vertex, head) as f32);
        assert_eq!(data.read(Heads::KEPT).unwrap(), kept, "{session:?}");
        let mut total = Array2::<u32>::zeros(kept.dim());
        for (_, from, to) in graph.edges() {
            (0..3).for_each(|head| total[(to as usize, head)] += size(from as usize, head) as u32);
        }
        assert_eq!(data.read(Heads::TOTAL).unwrap(), total, "{session:?}");
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
fn totals_that_a_run_computes_again_are_lost_no_more() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    let mut data = prepared(&session, &resident);
    data.set(Heat::RATE, -1.0);
    gather_and_freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(matches!(data.read(Heat::ARRIVED).unwrap_err(), RunError::Lost { property: "arrived", .. }));
    data.write(Heat::HEAT, &Array2::zeros((graph.vertex_count(), 3))).unwrap();
    conduct_alone.on(&resident, &mut data).once().unwrap();
    assert!(data.read(Heat::ARRIVED).unwrap().iter().all(|heat| *heat == 0.0));
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
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
    assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
    data.view_mut(Heat::HEAT).unwrap_err();
    let error = cool.on(&resident, &mut data).once().unwrap_err();
    assert!(matches!(error, RunError::Lost { property: "heat", .. }), "{error}");
    data.write(Heat::HEAT, &Array2::from_elem((graph.vertex_count(), 2), 1.0)).unwrap();
    data.set(Heat::RATE, 1.0);
    freeze.on(&resident, &mut data).once().unwrap();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 2.0));
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn a_failed_run_by_tiles_loses_what_the_tiles_alone_have() {
    let (graph, session) = (graph(), Session::emulator());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 9).unwrap();
    data.view_mut(Heat::HEAT).unwrap().fill(8.0);
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 8.0));
    cool.on(&resident, &mut data).once().unwrap();
    data.view_mut(Heat::HEAT).unwrap()[[1, 8]] = 6.0;
    cool.on(&resident, &mut data).once().unwrap();
    let heat = data.read(Heat::HEAT).unwrap();
    assert_eq!((heat[[1, 7]], heat[[1, 8]]), (2.0, 3.0));
    cool.on(&resident, &mut data).once().unwrap();
    freeze.on(&resident, &mut data).once().unwrap_err();
    let error = data.read(Heat::HEAT).unwrap_err();
    assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
    data.write(Heat::HEAT, &Array2::from_elem((graph.vertex_count(), 9), 1.0)).unwrap();
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

/// Spread, cool and weigh, an iteration of each, so many times: by runs of their own, or by a sequence in two parts.
fn rounds(session: &Session, graph: &ResidentGraph<'_>, times: usize, is_sequence: bool) -> (Array2<f32>, Array1<f32>) {
    let mut data = prepared(session, graph);
    let mut sequence = Sequence::new(graph).then(spread).then(cool).then(weigh);
    if is_sequence {
        sequence.run(&mut data, times / 2).unwrap();
        data.set(Heat::RATE, 0.25);
        sequence.run(&mut data, times - times / 2).unwrap();
        session.finish().unwrap();
    } else {
        for round in 0..times {
            data.set(Heat::RATE, if round < times / 2 { 0.5 } else { 0.25 });
            spread.on(graph, &mut data).once().unwrap();
            cool.on(graph, &mut data).once().unwrap();
            weigh.on(graph, &mut data).once().unwrap();
        }
    }
    (data.read(Heat::HEAT).unwrap().to_owned(), data.read(Heat::TOTAL).unwrap().to_owned())
}

#[test]
fn a_sequence_does_what_its_folds_do_one_by_one() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        for times in [0, 1, 2, 5] {
            let [found, expected] = [true, false].map(|is_sequence| rounds(&session, &resident, times, is_sequence));
            assert_eq!(found, expected, "{session:?}, {times} times");
        }
    }
}

#[test]
fn a_sequence_goes_on_from_what_others_have_left_and_takes_other_data() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut halve = Sequence::new(&resident).then(cool).then(cool);
        let [mut data, mut other] = [(), ()].map(|()| session.data(cool, &resident, 2).unwrap());
        for (data, start) in [(&mut data, 64.0), (&mut other, 16.0)] {
            data.view_mut(Heat::HEAT).unwrap().fill(start);
            halve.run(data, 1).unwrap();
            cool.on(&resident, data).once().unwrap();
        }
        halve.run(&mut data, 1).unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap()[[3, 1]], 1.0, "{session:?}");
        assert_eq!(other.read(Heat::HEAT).unwrap()[[3, 1]], 2.0, "{session:?}");
    }
}

/// Two rounds of folds on these data, which have been written whole.
fn two_rounds(folds: &mut Sequence<'_, Heat>, data: &mut Data<Heat>, graph: &Graph) -> (Array2<f32>, Array1<f32>) {
    let (conductance, heat) = start(graph);
    data.write(Heat::CONDUCTANCE, &conductance).unwrap();
    data.write(Heat::HEAT, &heat).unwrap();
    folds.run(data, 2).unwrap();
    (data.read(Heat::HEAT).unwrap().to_owned(), data.read(Heat::TOTAL).unwrap().to_owned())
}

#[test]
fn data_and_sequences_go_from_graph_to_graph() {
    let generate = |name: &str| name.parse::<Generator>().unwrap().generate(5).unwrap();
    let graphs = ["rmat:4:2", "rmat:5:3", "rmat:3:2", "rmat:5:2"].map(generate);
    for session in sessions() {
        let sequence = |graph: &ResidentGraph<'static>| Sequence::new(graph).then(spread).then(cool).then(weigh);
        let first = session.own(graphs[0].clone());
        let (mut data, mut folds) = (prepared(&session, &first), sequence(&first));
        two_rounds(&mut folds, &mut data, &graphs[0]);
        for graph in &graphs {
            let resident = session.own(graph.clone());
            let elsewhere = folds.run(&mut prepared(&session, &resident), 1).unwrap_err();
            assert!(matches!(elsewhere, RunError::OtherGraph { .. }), "{elsewhere}");
            data.move_to(&resident).unwrap();
            let stays = folds.run(&mut data, 1).unwrap_err();
            assert!(matches!(stays, RunError::OtherGraph { .. }), "{stays}");
            folds.move_to(&resident);
            let expected = two_rounds(&mut sequence(&resident), &mut prepared(&session, &resident), graph);
            assert_eq!(two_rounds(&mut folds, &mut data, graph), expected, "{session:?}");
            assert_eq!(data.get(Heat::RATE), 0.5);
        }
        let other = Session::cpu().own(graphs[0].clone());
        assert!(matches!(data.move_to(&other).unwrap_err(), RunError::OtherSession { .. }));
    }
}

#[test]
fn a_tensor_has_other_rows_in_its_place() {
    let mut tensor = Session::cpu().tensor(2, 3).unwrap();
    for rows in [5, 1, 0, 4] {
        tensor.resize(rows).unwrap();
        let values = Array2::from_shape_fn((rows, 3), |(row, column)| (3 * row + column) as f32);
        tensor.write(&values).unwrap();
        assert_eq!((tensor.shape(), tensor.read().unwrap()), ((rows, 3), values));
    }
}

#[test]
fn a_sequence_refuses_what_single_runs_refuse() {
    let graph = graph();
    for session in sessions() {
        let (resident, again) = (session.graph(&graph), session.graph(&graph));
        let mut data = prepared(&session, &resident);
        let error = Sequence::new(&again).then(cool).run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::OtherGraph { .. }), "{error}");
        data.set(Heat::RATE, -1.0);
        let mut freezing = Sequence::new(&resident).then(cool).then(freeze);
        let error = freezing.run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::Panic { .. }), "{error}");
        data.set(Heat::RATE, 1.0);
        let (_, heat) = start(&graph);
        data.write(Heat::HEAT, &heat).unwrap();
        freezing.run(&mut data, 1).unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap().to_owned(), heat * 0.5 + 1.0, "{session:?}");
    }
}

#[test]
fn a_sequence_reads_no_total_that_its_last_fold_takes() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(recall, &resident, 2).unwrap();
        let mut sequence = Sequence::new(&resident).then(recall).then(spread);
        sequence.run(&mut data, 1).unwrap();
        let error = sequence.run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
        let mut fresh = session.data(recall, &resident, 2).unwrap();
        let error = sequence.run(&mut fresh, 2).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
    }
}

#[test]
fn discarded_values_are_written_before_they_are_read() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = prepared(&session, &resident);
        Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
        let (heat, total) = (data.read(Heat::HEAT).unwrap().to_owned(), data.read(Heat::TOTAL).unwrap().to_owned());
        data.discard(Heat::TOTAL);
        data.discard(Heat::HEAT);
        data.discard(Heat::HEAT);
        let discarded = |found: Option<RunError>| matches!(found, Some(RunError::Discarded { property: "heat" }));
        assert!(discarded(data.read(Heat::HEAT).err()), "{session:?}");
        assert!(discarded(data.view_mut(Heat::HEAT).err()), "{session:?}");
        assert!(discarded(data.matrix(Heat::HEAT).err()), "{session:?}");
        assert!(discarded(data.matrix_into(Heat::HEAT, Heat::ARRIVED).err()), "{session:?}");
        assert!(data.on_host().is_ok(), "what is discarded is not asked for");
        let mut tensor = session.tensor(heat.nrows(), heat.ncols()).unwrap();
        tensor.write(&heat).unwrap();
        session.copy(tensor.matrix(), &mut data.matrix_mut(Heat::HEAT).unwrap()).unwrap();
        // The fold writes all of what was discarded.
        Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
        assert_eq!(data.read(Heat::TOTAL).unwrap(), total, "{session:?}");
        assert_eq!(data.read(Heat::HEAT).unwrap(), heat, "{session:?}");
        data.discard(Heat::HEAT);
        data.write(Heat::HEAT, &heat).unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap(), heat, "{session:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn what_reads_discarded_values_is_seen_in_the_emulator() {
    let (graph, session) = (graph(), Session::emulator());
    let resident = session.graph(&graph);
    let mut data = prepared(&session, &resident);
    Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
    data.discard(Heat::HEAT);
    Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
    assert!(data.read(Heat::TOTAL).unwrap().iter().all(|total| total.is_nan()));
}

#[test]
fn lent_values_are_discarded_with_what_is_known_of_them() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut one, mut other) = (prepared(&session, &resident), prepared(&session, &resident));
        one.lend(Heat::ARRIVED, &mut other, Heat::ARRIVED, |_, other| other.discard(Heat::ARRIVED)).unwrap();
        assert!(matches!(one.read(Heat::ARRIVED), Err(RunError::Discarded { property: "arrived" })), "{session:?}");
        assert!(other.read(Heat::ARRIVED).is_ok(), "{session:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn a_sequence_runs_by_the_schedule_that_is_asked_for() {
    let graph = "rmat:6:8".parse::<Generator>().unwrap().generate(2).unwrap();
    let small = Options { group_size: Some(1), ..Options::new() };
    let ways = [small.clone().deterministic(true), Options { schedule: Schedule::WordPerWarp, ..small.clone() }, small];
    for session in [Session::cpu(), Session::emulator()] {
        let resident = session.graph(&graph);
        for options in &ways {
            let (mut by_run, mut by_sequence) = (prepared(&session, &resident), prepared(&session, &resident));
            (0..3).for_each(|_| drop(spread.on(&resident, &mut by_run).times(1, options).unwrap()));
            Sequence::new(&resident).then(spread).with(options).run(&mut by_sequence, 3).unwrap();
            assert_eq!(by_sequence.read(Heat::HEAT).unwrap(), by_run.read(Heat::HEAT).unwrap(), "{session:?}");
        }
        let mut data = prepared(&session, &resident);
        let nothing = Options { group_size: Some(0), ..Options::new() };
        let error = Sequence::new(&resident).then(spread).with(&nothing).run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::GroupSize), "{error}");
    }
}

/// Floats that begin at a multiple of 16 bytes, and so many of them that some may be left out at the beginning.
fn lent(length: usize) -> Vec<[u128; 2]> {
    vec![[0; 2]; length.div_ceil(8) + 1]
}

fn floats(memory: &mut [[u128; 2]]) -> *mut f32 {
    memory.as_mut_ptr().cast()
}

#[test]
fn runs_read_and_write_memory_of_another_owner() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        // Memory of another owner has no room for packed rows.
        let packed = Options { schedule: Schedule::WordPerWarp, packing: Packing::Always, ..Options::default() };
        // Of a tracked property, after an odd number of iterations, by single runs and by a sequence.
        let run = |data: &mut Data<Heat>| {
            spread.on(&resident, data).times(2, &packed).unwrap();
            spread.on(&resident, data).times(3, &Options::default()).unwrap();
            Sequence::new(&resident).then(spread).then(cool).run(data, 3).unwrap();
        };
        let mut own = prepared(&session, &resident);
        run(&mut own);
        let mut data = prepared(&session, &resident);
        let (length, width, (_, heat)) = (data.length(Heat::HEAT), data.width(), start(&graph));
        assert_eq!((length, width), (4 * graph.vertex_count(), 4));
        let mut memory = lent(length);
        let place = floats(&mut memory);
        for ((vertex, feature), heat) in heat.indexed_iter() {
            // SAFETY: there are so many floats.
            unsafe { place.add(vertex * width + feature).write(*heat) };
        }
        // SAFETY: nobody reaches the memory before it is given back.
        unsafe { data.borrow(Heat::HEAT, Borrowed::host(place, length)) }.unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap(), heat, "{session:?}");
        run(&mut data);
        data.give_back(Heat::HEAT).unwrap();
        // SAFETY: the memory was given back.
        let found = |vertex: usize, feature: usize| unsafe { place.add(vertex * width + feature).read() };
        let found = Array2::from_shape_fn((graph.vertex_count(), 3), |(vertex, feature)| found(vertex, feature));
        assert_eq!(found, own.read(Heat::HEAT).unwrap(), "{session:?}");
        let error = cool.on(&resident, &mut data).once().unwrap_err();
        assert!(matches!(error, RunError::GivenBack { property: "heat" }), "{error}");
        data.write(Heat::HEAT, &heat).unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap().to_owned(), heat * 0.5, "{session:?}");
    }
}

#[test]
fn what_is_written_goes_to_borrowed_memory_and_failed_runs_leave_it_borrowed() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(freeze, &resident, 1).unwrap();
        let length = data.length(Heat::HEAT);
        let mut memory = lent(length);
        let place = floats(&mut memory);
        // SAFETY: nobody reaches the memory before it is given back.
        unsafe { data.borrow(Heat::HEAT, Borrowed::host(place, length)) }.unwrap();
        data.set(Heat::RATE, -1.0);
        freeze.on(&resident, &mut data).once().unwrap_err();
        let error = data.read(Heat::HEAT).unwrap_err();
        assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
        data.write(Heat::HEAT, &Array2::from_elem((graph.vertex_count(), 1), 6.0)).unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        data.give_back(Heat::HEAT).unwrap();
        data.give_back(Heat::HEAT).unwrap();
        // SAFETY: the memory was given back.
        let found = [0, 1].map(|vertex| unsafe { place.add(4 * vertex).read() });
        assert_eq!(found, [3.0, 3.0], "{session:?}");
    }
}

#[test]
fn values_stand_in_the_place_of_a_property_of_other_data() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        let (warm, cold) = (start(&graph).1, start(&graph).1 * 3.0);
        data.write(Heat::ARRIVED, &cold).unwrap();
        // From the host and back to where a run leaves it, then from there.
        for factor in [0.5, 0.25] {
            lender
                .lend(Heat::HEAT, &mut data, Heat::ARRIVED, |lender, data| {
                    assert_eq!(lender.read(Heat::HEAT).unwrap(), cold, "{session:?}");
                    Sequence::new(&resident).then(halve_all).run(data, 1).unwrap();
                })
                .unwrap();
            assert_eq!(lender.read(Heat::HEAT).unwrap(), &warm * factor, "{session:?}");
            assert_eq!(data.read(Heat::ARRIVED).unwrap(), cold, "{session:?}");
            // A tracked property keeps what it starts from.
            spread.on(&resident, &mut data).times(3, &Options::default()).unwrap();
            data.write(Heat::ARRIVED, &cold).unwrap();
        }
        let mut plain = prepared(&session, &resident);
        (0..2).for_each(|_| drop(spread.on(&resident, &mut plain).times(3, &Options::default()).unwrap()));
        assert_eq!(data.read(Heat::HEAT).unwrap(), plain.read(Heat::HEAT).unwrap(), "{session:?}");
    }
}

#[test]
fn values_of_two_properties_stand_in_the_place_of_two_others() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        let (warm, cold) = (start(&graph).1, start(&graph).1 * 3.0);
        lender.write(Heat::ARRIVED, &cold).unwrap();
        let (own, places) = (&warm * 2.0, (Heat::ARRIVED, Heat::HEAT));
        data.write(Heat::ARRIVED, &own).unwrap();
        let mut two = lender.lender_of_two((Heat::HEAT, Heat::ARRIVED));
        assert!(two.can_lend(&data, places), "{session:?}");
        let act = |data: &mut Data<Heat>| {
            assert_eq!(data.read(Heat::HEAT).unwrap(), cold, "{session:?}");
            Sequence::new(&resident).then(halve_all).run(data, 1)
        };
        two.lend(&mut data, places, act).unwrap().unwrap();
        assert_eq!(lender.read(Heat::HEAT).unwrap(), &warm * 0.5, "{session:?}");
        assert_eq!(lender.read(Heat::ARRIVED).unwrap(), cold, "{session:?}");
        assert_eq!(data.read(Heat::HEAT).unwrap(), warm, "{session:?}");
        assert_eq!(data.read(Heat::ARRIVED).unwrap(), own, "{session:?}");
        let narrow = session.data(cool, &resident, 2).unwrap();
        assert!(!lender.lender_of_two((Heat::HEAT, Heat::ARRIVED)).can_lend(&narrow, places), "{session:?}");
    }
}

#[test]
fn values_that_a_failed_run_has_changed_are_lost_where_they_are_taken_back() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        cool.on(&resident, &mut lender).once().unwrap();
        data.set(Heat::RATE, -1.0);
        let kept = data.read(Heat::HEAT).unwrap().to_owned();
        let failed =
            lender.lend(Heat::HEAT, &mut data, Heat::HEAT, |_, data| freeze.on(&resident, data).once()).unwrap();
        assert!(matches!(failed, Err(RunError::Panic { .. })), "{failed:?}");
        let error = lender.read(Heat::HEAT).unwrap_err();
        assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
        assert_eq!(data.read(Heat::HEAT).unwrap(), kept, "{session:?}");
    }
}

#[test]
fn values_are_not_taken_back_from_data_that_have_changed_meanwhile() {
    let graph = graph();
    let larger = GraphBuilder::new().vertices(3 * graph.vertex_count()).build().unwrap();
    for session in sessions() {
        let (resident, larger) = (session.graph(&graph), session.graph(&larger));
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        let arrived = start(&graph).1 * 2.0;
        data.write(Heat::ARRIVED, &arrived).unwrap();
        let moved = lender.lend(Heat::HEAT, &mut data, Heat::ARRIVED, |_, data| data.move_to(&larger).unwrap());
        assert!(matches!(moved, Err(RunError::Lend { .. })), "{moved:?}");
        // Each has as many values as its graph needs.
        assert_eq!(lender.read(Heat::HEAT).unwrap(), arrived, "{session:?}");
        cool.on(&resident, &mut lender).once().unwrap();
        assert_eq!(lender.read(Heat::HEAT).unwrap(), arrived * 0.5, "{session:?}");
        let all = Array2::from_elem((larger.graph().vertex_count(), 3), 8.0);
        data.write(Heat::ARRIVED, &all).unwrap();
        halve_all.on(&larger, &mut data).once().unwrap();
        assert_eq!(data.read(Heat::ARRIVED).unwrap(), all * 0.5, "{session:?}");
        let mut memory = lent(lender.length(Heat::HEAT));
        let memory = Borrowed::host(floats(&mut memory), lender.length(Heat::HEAT));
        let mut other = prepared(&session, &resident);
        // SAFETY: nobody reaches the memory before it is given back.
        let borrow = |lender: &mut Data<Heat>| unsafe { lender.borrow(Heat::HEAT, memory) };
        let borrowed = lender.lend(Heat::HEAT, &mut other, Heat::HEAT, |lender, _| borrow(lender).unwrap());
        assert!(matches!(borrowed, Err(RunError::LendBorrowed { property: "heat" })), "{borrowed:?}");
        lender.give_back(Heat::HEAT).unwrap();
    }
}

#[test]
fn values_that_do_not_lie_alike_are_not_lent() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut data, mut narrow) = (prepared(&session, &resident), session.data(cool, &resident, 2).unwrap());
        assert!(!narrow.can_lend(Heat::HEAT, &data, Heat::HEAT) && data.can_lend(Heat::HEAT, &data, Heat::ARRIVED));
        let refused = |lent: Result<(), RunError>| lent.unwrap_err().to_string();
        let said = refused(narrow.lend(Heat::HEAT, &mut data, Heat::ARRIVED, |_, _| ()));
        assert!(
            said.contains("rows of 2 floats, padded to 4, and `arrived`") && said.contains("of 3, padded to 4"),
            "{said}"
        );
        let mut memory = lent(narrow.length(Heat::HEAT));
        let memory = Borrowed::host(floats(&mut memory), narrow.length(Heat::HEAT));
        // SAFETY: nobody reaches the memory before it is given back.
        unsafe { narrow.borrow(Heat::HEAT, memory) }.unwrap();
        let mut other = session.data(cool, &resident, 2).unwrap();
        let said = refused(other.lend(Heat::HEAT, &mut narrow, Heat::HEAT, |_, _| ()));
        assert!(said.starts_with("`heat` is in memory of another owner"), "{said}");
        narrow.give_back(Heat::HEAT).unwrap();
    }
    let [one, two] = [Session::cpu(), Session::cpu()];
    let (mut data, mut other) = (prepared(&one, &one.graph(&graph)), prepared(&two, &two.graph(&graph)));
    let said = data.lend(Heat::HEAT, &mut other, Heat::HEAT, |_, _| ()).unwrap_err().to_string();
    assert!(said.contains("another session"), "{said}");
}

#[test]
fn memory_that_does_not_fit_is_not_borrowed() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(cool, &resident, 4).unwrap();
        let length = data.length(Heat::HEAT);
        let mut memory = lent(length);
        let place = floats(&mut memory);
        let mut refused = |memory: Borrowed| {
            // SAFETY: what is wrong with the memory is found before it is reached.
            let error = unsafe { data.borrow(Heat::HEAT, memory) }.unwrap_err();
            let RunError::Borrow { property: "heat", source } = error else { panic!("{error}") };
            source
        };
        let error = refused(Borrowed::host(place, length - 1));
        assert_eq!(error, BorrowError::Length { found: length - 1, expected: length });
        let error = refused(Borrowed::host(place.wrapping_add(1), length));
        assert!(matches!(error, BorrowError::Alignment { needed: 16, .. }), "{error}");
        assert!(matches!(refused(Borrowed::host(std::ptr::null_mut::<f32>(), length)), BorrowError::Alignment { .. }));
        assert_eq!(refused(Borrowed::device(4096, length, std::ptr::null_mut())), BorrowError::OnDevice);
        // SAFETY: nobody else reaches the memory while the data are there. A scalar need not begin at 16 bytes.
        unsafe { data.borrow(Heat::TOTAL, Borrowed::host(place.wrapping_add(1), graph.vertex_count())) }.unwrap();
        weigh.on(&resident, &mut data).once().unwrap();
        assert!(data.read(Heat::TOTAL).unwrap().iter().all(|total| *total == 0.0));
    }
}
