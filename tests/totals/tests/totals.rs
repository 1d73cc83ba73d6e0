//! Totals of the graph against serial sums in `f64`, by every schedule, on the CPU and in the emulator.

use std::env;

use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{
    ActiveSet, Backend, Data, Options, ResidentGraph, RunError, RunFold, Schedule, Sequence, Session, Status,
};
use onyx_totals::hits::{Hits, hits};
use onyx_totals::{Rank, Rows, counted, iterate, normalized, shifted, tallied};
use proptest::prelude::*;

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

fn graphs() -> Vec<(&'static str, Graph)> {
    let hub = (1..700).flat_map(|leaf| [(leaf, 0), (0, leaf)]).collect();
    vec![
        ("no vertex", graph(0, vec![])),
        ("one vertex", graph(1, vec![])),
        ("isolated vertices", graph(70, vec![])),
        ("loops and duplicates", graph(3, [vec![(0, 1); 40], vec![(2, 2); 3]].concat())),
        ("hub", graph(700, hub)),
        ("R-MAT", "rmat:8:6".parse::<Generator>().unwrap().generate(3).unwrap()),
    ]
}

/// A value for each number, some of them negative, none of them rounded much.
fn value(number: usize) -> f32 {
    ((number * 37) % 101) as f32 / 16.0 - 3.0
}

fn near(what: &str, found: f32, expected: f64) {
    let tolerance = 1e-4 * expected.abs().max(1.0);
    assert!(
        (f64::from(found) - expected).abs() <= tolerance || f64::from(found) == expected,
        "{what}: {found}, not {expected}"
    );
}

/// Where tests run; on a GPU, too, where `cargo xtask test --gpu` asks for that.
fn sessions() -> Vec<Session> {
    let gpu = env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"));
    [Session::cpu(), Session::emulator()].into_iter().chain(gpu).collect()
}

fn options() -> Vec<Options> {
    let by = |schedule| Options { schedule, ..Options::new() };
    let exact = Options { deterministic: true, ..Options::new() };
    PULLS.map(by).into_iter().chain([exact]).collect()
}

/// Vertices are measured, and the norm is there for the next stage.
fn normalized_agrees(session: &Session, graph: &Graph, features: usize, options: &Options) -> Result<(), RunError> {
    let what = format!("{} vertices, {features} features, {options:?}", graph.vertex_count());
    let resident = session.graph(graph);
    let mut data = session.data(normalized, &resident, features)?;
    let bias: Vec<f32> = (0..features).map(|feature| feature as f32 / 8.0).collect();
    data.view_mut(Rows::BIAS)?.iter_mut().zip(&bias).for_each(|(to, from)| *to = *from);
    data.view_mut(Rows::X)?.iter_mut().enumerate().for_each(|(number, to)| *to = value(number));
    normalized.on(&resident, &mut data).times(1, options)?;
    let expected = |number: usize| f64::from(value(number)) + f64::from(bias[number % features]);
    let all = || (0..graph.vertex_count() * features).map(expected);
    let squares: f64 = all().map(|value| value * value).sum();
    near(&what, data.read(Rows::SQUARES)?[()], squares);
    near(&what, data.read(Rows::GREATEST)?[()], all().fold(f64::NEG_INFINITY, f64::max));
    let sums = data.read(Rows::SUM)?.to_owned();
    for feature in 0..features {
        near(&what, sums[feature], all().skip(feature).step_by(features).sum());
    }
    for (found, expected) in data.read(Rows::Y)?.iter().zip(all()) {
        near(&what, *found, expected / squares.sqrt());
    }
    Ok(())
}

/// Edges are counted, whatever the schedule makes of their rows.
fn counted_agrees(session: &Session, graph: &Graph, features: usize, options: &Options) -> Result<(), RunError> {
    let what = format!("{} edges, {features} features, {options:?}", graph.edge_count());
    let resident = session.graph(graph);
    let mut data = session.data(counted, &resident, features)?;
    let weights: Vec<f32> = (0..graph.edge_count()).map(value).collect();
    data.write(Rows::WEIGHT, &weights)?;
    data.view_mut(Rows::X)?.iter_mut().enumerate().for_each(|(number, to)| *to = value(number));
    counted.on(&resident, &mut data).times(1, options)?;
    near(&what, data.read(Rows::WEIGHTS)?[()], weights.iter().map(|weight| f64::from(*weight)).sum());
    near(&what, data.read(Rows::POSITIVE)?[()], weights.iter().filter(|weight| **weight > 0.0).count() as f64);
    let least = data.read(Rows::LEAST)?.to_owned();
    for feature in 0..features {
        let values = graph.edges().map(|(_, source, _)| f64::from(value(source as usize * features + feature)));
        near(&what, least[feature], values.fold(f64::INFINITY, f64::min));
    }
    Ok(())
}

/// What vertices add after a stage of edges meets in blocks, or in those that have whole graphs.
fn tallied_agrees(session: &Session, graph: &Graph, features: usize, options: &Options) -> Result<(), RunError> {
    let what = format!("{} vertices, {features} features, {options:?}", graph.vertex_count());
    let resident = session.graph(graph);
    let mut data = session.data(tallied, &resident, features)?;
    let (edges, vertices) = (graph.edge_count(), graph.vertex_count());
    data.write(Rows::WEIGHT, &(0..edges).map(value).collect::<Vec<_>>())?;
    data.view_mut(Rows::X)?.iter_mut().enumerate().for_each(|(number, to)| *to = value(number));
    data.view_mut(Rows::MASS)?.iter_mut().enumerate().for_each(|(number, to)| *to = value(number) + 1.0);
    tallied.on(&resident, &mut data).times(1, options)?;
    near(&what, data.read(Rows::WHOLE)?[()], (0..vertices).map(|number| f64::from(value(number))).sum());
    let (taken, top) = (data.read(Rows::TAKEN)?.to_owned(), data.read(Rows::TOP)?.to_owned());
    for feature in 0..features {
        let mut inflow = vec![0.0; vertices];
        for (number, source, destination) in graph.edges() {
            let row = f64::from(value(source as usize * features + feature));
            inflow[destination as usize] += f64::from(value(number)) * row;
        }
        near(&what, taken[feature], inflow.iter().sum());
        near(&what, top[feature], inflow.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
    Ok(())
}

#[test]
fn totals_that_blocks_gather_agree_by_every_schedule() {
    for session in sessions() {
        for (name, graph) in graphs() {
            for features in [1, 3, 16, 37] {
                for options in options() {
                    println!("{name}");
                    tallied_agrees(&session, &graph, features, &options).unwrap();
                }
            }
        }
    }
}

/// What blocks have left is no vertex's: those that do not run after a sequence add nothing on a device, and what they did before on the CPU.
#[test]
fn few_active_vertices_do_not_take_what_blocks_have_left() {
    let graph = graph(70, vec![]);
    for session in sessions() {
        let resident = session.own(graph.clone());
        let mut data = session.data(normalized, &resident, 3).unwrap();
        data.view_mut(Rows::X).unwrap().fill(1.0);
        let mut folds = Sequence::new(&resident).then(normalized);
        for round in 0..2 {
            folds.run(&mut data, 1).unwrap();
            near("a sequence", data.read(Rows::SQUARES).unwrap()[()], 210.0);
            let few = Options { start: Some(ActiveSet::of(70, [5, 66])), ..Options::new() };
            normalized.on(&resident, &mut data).times(1, &few).unwrap();
            let expected = if session.backend() == Backend::Cpu { 210.0 } else { 6.0 };
            near(&format!("few, round {round}"), data.read(Rows::SQUARES).unwrap()[()], expected);
        }
    }
}

#[test]
fn totals_that_blocks_of_whole_graphs_gather_agree() {
    let sizes = [0, 1, 3, 0, 40, 2, 90, 1, 1, 17, 0];
    let mut offsets = vec![0];
    sizes.iter().for_each(|size| offsets.push(offsets[offsets.len() - 1] + size));
    let pair = |(first, size): (&u32, &u32)| {
        let (first, size) = (*first, *size);
        (0..2 * size).map(move |edge| (first + edge * 7 % size, first + edge * edge % size)).collect::<Vec<_>>()
    };
    let edges = offsets.iter().zip(&sizes).flat_map(pair).collect();
    let graph = graph(offsets[sizes.len()] as usize, edges).with_members(offsets).unwrap();
    for session in sessions() {
        for features in [1, 3, 16] {
            let options = Options { schedule: Schedule::GraphPerBlock, ..Options::new() };
            tallied_agrees(&session, &graph, features, &options).unwrap();
        }
    }
}

#[test]
fn totals_of_vertices_agree() {
    for session in sessions() {
        for (name, graph) in graphs() {
            for features in [1, 3, 4, 16] {
                println!("{name}, {features} features");
                normalized_agrees(&session, &graph, features, &Options::new()).unwrap();
            }
        }
    }
}

#[test]
fn totals_of_edges_agree_by_every_schedule() {
    for session in sessions() {
        for (name, graph) in graphs() {
            for (features, options) in [1, 3, 16]
                .into_iter()
                .flat_map(|features| options().into_iter().map(move |options| (features, options)))
            {
                println!("{name}");
                counted_agrees(&session, &graph, features, &options).unwrap();
            }
        }
    }
}

/// More features than the widest compiled width: each tile has the totals of its own features.
#[test]
fn rows_of_the_graph_are_cut_into_tiles() {
    for session in sessions() {
        for (_, graph) in graphs() {
            let resident = session.graph(&graph);
            let mut data = session.data(shifted, &resident, 37).unwrap();
            data.view_mut(Rows::BIAS).unwrap().iter_mut().enumerate().for_each(|(feature, to)| *to = feature as f32);
            data.view_mut(Rows::X).unwrap().fill(0.5);
            shifted.on(&resident, &mut data).times(1, &Options::new()).unwrap();
            let found = data.read(Rows::Y).unwrap();
            assert!(found.indexed_iter().all(|((_, feature), value)| *value == feature as f32 + 0.5));
            counted_agrees(&session, &graph, 37, &Options::new()).unwrap();
        }
    }
}

fn ranks(resident: &ResidentGraph<'_>) -> Data<Rank> {
    let graph = resident.graph();
    let mut data = resident.session().data(iterate, resident, 1).unwrap();
    let degrees: Vec<usize> = (0..graph.vertex_count() as u32).map(|vertex| graph.out_degree(vertex)).collect();
    let of = |make: fn(usize) -> f32| degrees.iter().map(|degree| make(*degree)).collect::<Vec<_>>();
    data.write(Rank::SHARE, &of(|degree| if degree == 0 { 0.0 } else { 1.0 / degree as f32 })).unwrap();
    data.write(Rank::DANGLES, &of(|degree| f32::from(u8::from(degree == 0)))).unwrap();
    let uniform = 1.0 / graph.vertex_count().max(1) as f32;
    data.write(Rank::RANK, &vec![uniform; graph.vertex_count()]).unwrap();
    data.set(Rank::UNIFORM, uniform);
    data
}

/// Ranks add up to one only if no rank is lost where there are no outgoing edges.
#[test]
fn no_rank_is_lost() {
    for session in sessions() {
        for (name, graph) in graphs().into_iter().filter(|(_, graph)| graph.vertex_count() > 0) {
            let resident = session.graph(&graph);
            let mut data = ranks(&resident);
            let mut before = f32::INFINITY;
            for _ in 0..6 {
                iterate.on(&resident, &mut data).times(5, &Options::new()).unwrap();
                let moved = data.read(Rank::MOVED).unwrap()[()];
                assert!(moved <= before, "{name}: {moved} after {before}");
                before = moved;
            }
            near(name, data.read(Rank::RANK).unwrap().sum(), 1.0);
        }
    }
}

/// A run ends after the iteration in which the total is below its bound, however many are launched at once.
#[test]
fn a_total_ends_a_run() {
    let (_, graph) = graphs().pop().unwrap();
    let mut ends = Vec::new();
    for session in sessions() {
        for read_every in [1, 3, 8] {
            let resident = session.graph(&graph);
            let mut data = ranks(&resident);
            let options = Options { read_every, ..Options::new() }.until(Rank::MOVED.below(1e-3));
            let report = iterate.on(&resident, &mut data).until_settled(&options).unwrap();
            assert_eq!(report.status, Status::Below);
            let totals: Vec<f32> = report.iterations.iter().filter_map(|iteration| iteration.total).collect();
            let (last, others) = totals.split_last().unwrap();
            assert!(*last < 1e-3 && others.iter().all(|total| *total >= 1e-3), "{totals:?}");
            assert_eq!((totals.len(), data.read(Rank::MOVED).unwrap()[()]), (report.iterations.len(), *last));
            near("the ranks", data.read(Rank::RANK).unwrap().sum(), 1.0);
            let before = Options { iterations: report.iterations.len() - 1, ..options };
            let mut data = ranks(&resident);
            let report = iterate.on(&resident, &mut data).until_settled(&before).unwrap();
            assert_eq!(report.status, Status::IterationLimit);
            assert!(data.read(Rank::MOVED).unwrap()[()] >= 1e-3, "it ended an iteration late");
            ends.push(report.iterations.len());
        }
    }
    assert!(ends.windows(2).all(|ends| ends[0] == ends[1]), "{ends:?}");
}

#[test]
fn a_total_that_diverges_has_its_own_name() {
    let graph = graph(2, vec![(0, 1)]);
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(tallied, &resident, 1).unwrap();
        data.write(Rows::MASS, &[1.0, f32::NAN]).unwrap();
        let report = tallied.on(&resident, &mut data).until_settled(&Options::new().iterations(1)).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Diverged, Some("whole")));
    }
}

#[test]
fn a_total_of_another_fold_ends_no_run() {
    let session = Session::cpu();
    let (_, graph) = graphs().pop().unwrap();
    let resident = session.graph(&graph);
    let mut data = session.data(shifted, &resident, 4).unwrap();
    let run = |data: &mut _, until| shifted.on(&resident, data).until_settled(&Options::new().until(until));
    let error = run(&mut data, Rows::SQUARES.below(1.0)).unwrap_err().to_string();
    assert!(error.contains("`shifted` does not add to `squares`"), "{error}");
    let error = run(&mut data, Rank::MOVED.below(1.0)).unwrap_err().to_string();
    assert!(error.contains("and no run of it ends by a total of"), "{error}");
}

/// A queue of folds gives what folds one by one give.
#[test]
fn sequences_add_up() {
    for session in sessions() {
        for (name, graph) in graphs().into_iter().filter(|(_, graph)| graph.vertex_count() > 0) {
            let resident = session.graph(&graph);
            let (mut one, mut queued) = (ranks(&resident), ranks(&resident));
            iterate.on(&resident, &mut one).times(4, &Options { settle: false, ..Options::new() }).unwrap();
            Sequence::new(&resident).then(iterate).run(&mut queued, 4).unwrap();
            assert_eq!(one.read(Rank::RANK).unwrap(), queued.read(Rank::RANK).unwrap(), "{name}");
            assert_eq!(one.read(Rank::DANGLING).unwrap(), queued.read(Rank::DANGLING).unwrap(), "{name}");
        }
    }
}

/// A graph and its reverse share their rows, and a sequence that goes from one to the other runs on the other.
#[test]
fn a_sequence_goes_to_the_reverse() {
    let graph = "rmat:6:3".parse::<Generator>().unwrap().generate(7).unwrap();
    for session in sessions() {
        let forward = session.graph(&graph);
        let reverse = forward.reversed().unwrap();
        let ranks_by = |run: &dyn Fn(&mut Data<Rank>)| {
            let mut data = ranks(&forward);
            run(&mut data);
            data.read(Rank::RANK).unwrap().to_owned()
        };
        let moved = ranks_by(&|data| {
            let mut sequence = Sequence::new(&forward).then(iterate);
            sequence.run(data, 2).unwrap();
            sequence.move_to(&reverse);
            sequence.run(data, 2).unwrap();
        });
        let apart = ranks_by(&|data| {
            Sequence::new(&forward).then(iterate).run(data, 2).unwrap();
            Sequence::new(&reverse).then(iterate).run(data, 2).unwrap();
        });
        let never = ranks_by(&|data| Sequence::new(&forward).then(iterate).run(data, 4).unwrap());
        assert_eq!(moved, apart, "{session:?}");
        assert_ne!(moved, never, "{session:?}");
    }
}

/// The totals of a sequence that has gone to a graph, of values that are the same for everybody who asks.
fn totals_of(data: &mut Data<Rows>, folds: &mut Sequence<'static, Rows>) -> [f32; 6] {
    data.view_mut(Rows::X).unwrap().iter_mut().enumerate().for_each(|(number, to)| *to = value(number));
    data.view_mut(Rows::WEIGHT).unwrap().iter_mut().enumerate().for_each(|(number, to)| *to = value(number));
    folds.run(data, 2).unwrap();
    let totals = [Rows::SQUARES, Rows::GREATEST, Rows::WEIGHTS].map(|total| data.read(total).unwrap()[()]);
    let [sums, least, taken] = [Rows::SUM, Rows::LEAST, Rows::TAKEN].map(|total| data.read(total).unwrap().to_owned());
    [totals[0], totals[1], totals[2], sums[1], least[2], taken[0]]
}

#[test]
fn totals_go_from_graph_to_graph() {
    let sizes = ["rmat:4:2", "rmat:8:3", "rmat:3:2", "rmat:6:2", "rmat:9:2"];
    let graphs = sizes.map(|size| size.parse::<Generator>().unwrap().generate(7).unwrap());
    for session in sessions() {
        let new = |graph: &ResidentGraph<'static>| {
            let data = session.data(normalized, graph, 3).unwrap();
            (data, Sequence::new(graph).then(normalized).then(counted).then(tallied))
        };
        let (mut data, mut folds) = new(&session.own(graphs[0].clone()));
        for graph in &graphs {
            let resident = session.own(graph.clone());
            data.move_to(&resident).unwrap();
            folds.move_to(&resident);
            let (mut other, mut alone) = new(&resident);
            let expected = totals_of(&mut other, &mut alone);
            assert_eq!(totals_of(&mut data, &mut folds), expected, "{session:?}, {} vertices", graph.vertex_count());
        }
    }
}

/// One step of power iteration in `f64`: the sums over edges, divided by their length.
fn spread(graph: &Graph, values: &[f64], is_forward: bool) -> Vec<f64> {
    let mut sums = vec![0.0; values.len()];
    for (_, source, destination) in graph.edges() {
        let (from, to) = if is_forward { (source, destination) } else { (destination, source) };
        sums[to as usize] += values[from as usize];
    }
    let length = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
    sums.iter().map(|sum| if length > 0.0 { sum / length } else { 0.0 }).collect()
}

/// Hubs and authorities: edges in both directions and two norms in one fold, which ends where hubs rest.
#[test]
fn hubs_and_authorities_are_those_of_power_iteration() {
    for session in sessions() {
        for (name, graph) in graphs() {
            let resident = session.graph(&graph);
            let mut data = session.data(hits, &resident, 1).unwrap();
            data.write(Hits::HUB, &vec![1.0; graph.vertex_count()]).unwrap();
            let options = Options::new().iterations(30).until(Hits::MOVED.below(1e-4));
            let report = hits.on(&resident, &mut data).until_settled(&options).unwrap();
            assert_eq!(
                report.status,
                if graph.vertex_count() == 0 { Status::Converged } else { Status::Below },
                "{name}"
            );
            let (mut hubs, mut authorities) = (vec![1.0; graph.vertex_count()], Vec::new());
            for _ in &report.iterations {
                authorities = spread(&graph, &hubs, true);
                hubs = spread(&graph, &authorities, false);
            }
            data.read(Hits::HUB).unwrap().iter().zip(&hubs).for_each(|(found, hub)| near(name, *found, *hub));
            let found = data.read(Hits::AUTHORITY).unwrap();
            found.iter().zip(&authorities).for_each(|(found, authority)| near(name, *found, *authority));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn totals_of_random_graphs_agree(
        edges in prop::collection::vec((0_u32..40, 0_u32..40), 0..200),
        features in 1_usize..9,
    ) {
        let graph = graph(40, edges);
        for session in sessions() {
            normalized_agrees(&session, &graph, features, &Options::new()).unwrap();
            tallied_agrees(&session, &graph, features, &Options::new()).unwrap();
            counted_agrees(&session, &graph, features, &Options::new()).unwrap();
        }
    }
}
