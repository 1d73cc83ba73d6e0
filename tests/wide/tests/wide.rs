//! Rows of hundreds and thousands of floats against serial loops in `f64`: on the CPU, in the emulator, and on a GPU where one is asked for.

mod model;
mod whole;

use std::env;

use model::{Model, near};
use onyx_device::property::Key;
use onyx_device::{Fold, FoldOf};
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{
    Borrowed, Data, Direction, Options, Report, ResidentGraph, RunFold, Schedule, Sequence, Session, Status,
};
use onyx_wide::{Wide, climb, compared, grow, multiplied, numbered, shared, spread};

const PULLS: [Schedule; 6] = [
    Schedule::NeighborGroup,
    Schedule::GroupsPerBlock,
    Schedule::VertexPerWarp,
    Schedule::VertexPerBlock,
    Schedule::WordPerWarp,
    Schedule::EdgeFlat,
];

fn graph(vertices: usize, edges: Vec<(u32, u32)>) -> Graph {
    GraphBuilder::new().vertices(vertices).edges(edges).build().unwrap()
}

fn triangle() -> Graph {
    graph(4, vec![(0, 1), (1, 2), (2, 0), (1, 0)])
}

/// A hub with an isolated vertex beside it, whose row is cut.
fn hub(leaves: u32) -> Graph {
    graph(leaves as usize + 2, (1..=leaves).flat_map(|leaf| [(leaf, 0), (0, leaf)]).collect())
}

fn rmat(what: &str) -> Graph {
    what.parse::<Generator>().unwrap().generate(3).unwrap()
}

fn gpu() -> Option<Session> {
    env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"))
}

/// Graphs and widths for each session: in the emulator, where each lane takes time, rows are wide or graphs are large.
fn cases() -> Vec<(Session, Graph, usize)> {
    let large = || [graph(0, vec![]), graph(70, vec![]), hub(200), rmat("rmat:6:6")];
    let wide = [17, 602, 1433, 4096];
    let on_host = large().into_iter().flat_map(|graph| [17, 602].map(|features| (graph.clone(), features)));
    let on_host = on_host.chain(wide.map(|features| (triangle(), features)));
    let on_emulator = [(graph(0, vec![]), 17), (graph(40, vec![]), 17), (hub(40), 35), (triangle(), 130)];
    let on_gpu = large().into_iter().flat_map(|graph| wide.map(|features| (graph.clone(), features)));
    let mut cases: Vec<_> = on_host.map(|(graph, features)| (Session::cpu(), graph, features)).collect();
    cases.extend(on_emulator.map(|(graph, features)| (Session::emulator(), graph, features)));
    if let Some(gpu) = gpu() {
        cases.extend(on_gpu.map(|(graph, features)| (gpu.clone(), graph, features)));
    }
    cases
}

/// Every way to pull.
fn pulls() -> impl Iterator<Item = Options> {
    let by = |schedule| Options { schedule, change_driven: false, settle: false, ..Options::new() };
    let exact = Options { deterministic: true, ..by(Schedule::NeighborGroup) };
    PULLS.map(by).into_iter().chain([exact])
}

/// Data of a fold, filled as the model is.
fn data<F: FoldOf<Wide<0>>>(fold: F, resident: &ResidentGraph<'_>, model: &Model) -> Data<Wide<0>> {
    let mut data = resident.session().data(fold, resident, model.features).unwrap();
    assert_eq!(data.width() % 16, if model.features > 4 { 0 } else { data.width() % 16 });
    model.fill(&mut data);
    data
}

/// Whether a run does what the model does, iteration by iteration.
fn agrees<F: FoldOf<Wide<0>>>(
    fold: F,
    (session, graph, features): &(Session, Graph, usize),
    times: usize,
    step: fn(&mut Model, &Graph) -> Vec<bool>,
    options: &Options,
) -> Report {
    println!("{session:?}, {} vertices, {features} features, {options:?}", graph.vertex_count());
    let (resident, mut model) = (session.graph(graph), Model::new(graph, *features));
    let mut data = data(fold, &resident, &model);
    let report = fold.on(&resident, &mut data).times(times, options).unwrap();
    for iteration in &report.iterations {
        let active = step(&mut model, graph);
        assert_eq!(iteration.active, active.iter().filter(|active| **active).count(), "active vertices");
        let degree = |(vertex, active): (usize, &bool)| if *active { graph.out_degree(vertex as u32) } else { 0 };
        let edges: usize = active.iter().enumerate().map(degree).sum();
        assert_eq!(iteration.active_edges, edges as u64, "active edges");
    }
    model.assert_in(&mut data);
    report
}

#[test]
fn rows_spread_by_every_schedule() {
    for case in cases() {
        for options in pulls() {
            agrees(spread, &case, 3, Model::spread, &options);
        }
    }
}

#[test]
fn scalars_are_read_and_stored_once() {
    for case in cases() {
        for options in pulls() {
            agrees(grow, &case, 4, Model::grow, &options);
        }
    }
}

#[test]
fn rows_climb_along_active_edges() {
    for case in cases() {
        for options in pulls() {
            agrees(climb, &case, 5, Model::climb, &options);
        }
        agrees(climb, &case, 5, Model::climb, &Options::new());
        agrees(climb, &case, 5, Model::climb, &Options { direction: Some(Direction::Push), ..Options::new() });
    }
}

#[test]
fn vertex_functions_run_where_any_tile_is_active() {
    for case in cases() {
        agrees(numbered, &case, 6, Model::number, &Options::new());
    }
}

/// What is left when nothing changes any more, by pushes of changes as well.
fn settles_alike<F: FoldOf<Wide<0>>>(fold: F, step: fn(&mut Model, &Graph) -> Vec<bool>) {
    for (session, graph, features) in cases() {
        for direction in [None, Some(Direction::Push)] {
            println!("{session:?}, {} vertices, {features} features, {direction:?}", graph.vertex_count());
            let (resident, mut model) = (session.graph(&graph), Model::new(&graph, features));
            let mut data = data(fold, &resident, &model);
            let options = Options { direction, ..Options::new().iterations(200) };
            let report = fold.on(&resident, &mut data).until_settled(&options).unwrap();
            assert_eq!(report.status, Status::Converged);
            let pushes = report.iterations.iter().filter(|iteration| iteration.direction == Direction::Push).count();
            assert!(pushes > 0 || direction.is_none() || graph.edge_count() == 0, "{report:?}");
            while step(&mut model, &graph).contains(&true) {}
            model.assert_settled_in(&mut data);
        }
    }
}

#[test]
fn changes_of_rows_are_pushed() {
    settles_alike(spread, Model::spread);
}

#[test]
fn products_of_rows_are_pushed_and_computed_again() {
    settles_alike(multiplied, Model::multiply);
}

#[test]
fn sequences_take_wide_rows() {
    for (session, graph, features) in cases() {
        println!("{session:?}, {} vertices, {features} features", graph.vertex_count());
        let (resident, mut model) = (session.graph(&graph), Model::new(&graph, features));
        let mut data = data(spread, &resident, &model);
        let mut sequence = Sequence::new(&resident).then(spread).then(grow).then(numbered);
        sequence.run(&mut data, 2).unwrap();
        for _ in 0..2 {
            model.spread(&graph);
            model.grow(&graph);
            // Each fold begins with all vertices.
            model.active.fill(true);
            model.number(&graph);
        }
        model.assert_in(&mut data);
    }
}

/// Rows of 16 bytes, as a fold asks for them.
fn aligned(floats: usize) -> Vec<[f32; 4]> {
    vec![[0.0; 4]; floats.div_ceil(4)]
}

#[test]
fn wide_rows_may_be_borrowed() {
    let cases = cases()
        .into_iter()
        .filter(|(session, graph, _)| session.backend() != onyx_runtime::Backend::Cuda && graph.vertex_count() > 0);
    for (session, graph, features) in cases {
        println!("{session:?}, {} vertices, {features} features", graph.vertex_count());
        let (resident, mut model) = (session.graph(&graph), Model::new(&graph, features));
        let mut data = data(spread, &resident, &model);
        let (width, length) = (data.width(), data.length(Wide::VALUE));
        let (mut rows, mut ages) = (aligned(length), vec![2.0_f32; graph.vertex_count()]);
        for (vertex, row) in model.value.iter().enumerate() {
            let to = &mut rows.as_flattened_mut()[vertex * width..][..features];
            to.iter_mut().zip(row).for_each(|(to, from)| *to = *from as f32);
        }
        model.age.fill(2.0);
        // SAFETY: both arrays outlive the data's use of them, and nothing else reaches them before they are given back.
        unsafe {
            data.borrow(Wide::VALUE, Borrowed::host(rows.as_mut_ptr().cast::<f32>(), length)).unwrap();
            data.borrow(Wide::AGE, Borrowed::host(ages.as_mut_ptr(), ages.len())).unwrap();
        }
        spread.on(&resident, &mut data).times(3, &Options { change_driven: false, ..Options::new() }).unwrap();
        grow.on(&resident, &mut data).times(2, &Options::new()).unwrap();
        data.give_back(Wide::VALUE).unwrap();
        data.give_back(Wide::AGE).unwrap();
        (0..3).for_each(|_| drop(model.spread(&graph)));
        (0..2).for_each(|_| drop(model.grow(&graph)));
        for (vertex, row) in model.value.iter().enumerate() {
            near("value", &rows.as_flattened()[vertex * width..][..features], row);
        }
        near("age", &ages, &model.age);
    }
}

#[test]
fn a_run_may_start_with_some_vertices() {
    let (graph, features) = (rmat("rmat:6:6"), 602);
    let mut start = ActiveSet::none(graph.vertex_count());
    start.set(0, true);
    for session in [Some(Session::cpu()), gpu()].into_iter().flatten() {
        let (resident, mut model) = (session.graph(&graph), Model::new(&graph, features));
        let mut data = data(climb, &resident, &model);
        climb.on(&resident, &mut data).from(&start).times(4, &Options::new()).unwrap();
        model.active.fill(false);
        model.active[0] = true;
        (0..4).for_each(|_| drop(model.climb(&graph)));
        model.assert_in(&mut data);
    }
}

/// One copy of the edges, and rows as wide as their tiles together: what a run says of itself.
#[test]
fn a_run_says_how_many_tiles_it_has() {
    let graph = triangle();
    for session in [Session::cpu(), Session::emulator()] {
        let (resident, model) = (session.graph(&graph), Model::new(&graph, 602));
        let mut data = data(spread, &resident, &model);
        assert_eq!((data.width(), data.length(Wide::VALUE)), (608, 4 * 608));
        let report = spread.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        assert!(report.explain[0].starts_with("tiles: 38 of 16 features in each launch"), "{:?}", report.explain);
        assert!(!report.schedule.contains("lockstep"), "{}", report.schedule);
    }
}

/// Rows of a warp, of which functions need all features at once.
#[test]
fn whole_rows_are_compared_and_shared() {
    let cases = [(Session::cpu(), rmat("rmat:6:6")), (Session::emulator(), triangle()), (Session::emulator(), hub(36))];
    let cases = cases.into_iter().chain(gpu().into_iter().map(|gpu| (gpu, rmat("rmat:8:8"))));
    for (session, graph) in cases {
        for options in pulls() {
            [3, 17, 602, 640]
                .into_iter()
                .for_each(|features| whole::agrees(compared, &session, &graph, features, &options));
            [5, 1433].into_iter().for_each(|features| whole::agrees(shared, &session, &graph, features, &options));
        }
    }
}

/// The folds are those that run as tiles.
#[test]
fn what_names_features_runs_as_tiles() {
    assert_eq!([spread_obstacle(), climb::WHY_NOT_TILED, numbered::WHY_NOT_TILED], [None; 3]);
    let key: Key<Wide<0>, _> = Wide::VALUE;
    assert_eq!(key.index, 4);
}

fn spread_obstacle() -> Option<&'static str> {
    spread::WHY_NOT_TILED.or(grow::WHY_NOT_TILED).or(multiplied::WHY_NOT_TILED)
}
