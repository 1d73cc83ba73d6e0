//! Integers as properties against serial references, by every schedule and in both directions, on the CPU, in the emulator and, where one is asked
//! for, on a GPU.

mod world;

use std::collections::VecDeque;

use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Borrowed, Direction, Options, RunError, RunFold, Session, Status};
use onyx_types::census::{Census, Typed, census, typed, typed_gradient};
use onyx_types::components::{Components, apart, components, frontier, upstream};
use onyx_types::core_number::{Core, core_of_three};
use world::{graph, graphs, options, sessions};

/// From here on a float has no odd numbers.
const FLOATS_END: u32 = 1 << 24;

/// Labels beyond what a float can say, next to one another.
fn labels(graph: &Graph) -> Vec<u32> {
    let count = graph.vertex_count() as u32;
    (0..count).map(|vertex| FLOATS_END + 1 + (vertex * 7919) % count.max(1)).collect()
}

/// What each vertex ends with if labels go along edges, those from sources to destinations, and the better one is taken.
fn spread(graph: &Graph, labels: &[u32], is_forward: bool, better: fn(u32, u32) -> u32) -> Vec<u32> {
    let mut ends = labels.to_vec();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (_, source, destination) in graph.edges() {
            let (from, to) = if is_forward { (source, destination) } else { (destination, source) };
            let label = better(ends[to as usize], ends[from as usize]);
            has_changed |= label != ends[to as usize];
            ends[to as usize] = label;
        }
    }
    ends
}

macro_rules! components_agree {
    ($fold:ident, $session:expr, $name:expr, $graph:expr, $options:expr) => {{
        let (graph, options): (&Graph, &Options) = ($graph, &$options);
        let resident = $session.graph(graph);
        let mut data = $session.data($fold, &resident, 1).unwrap();
        let labels = labels(graph);
        data.write(Components::LABEL, &labels).unwrap();
        let report = $fold.on(&resident, &mut data).until_settled(options).unwrap();
        let what = format!("{} on {}, {}, {options:?}", stringify!($fold), report.device, $name);
        assert_eq!(report.status, Status::Converged, "{what}");
        let expected = spread(graph, &labels, true, u32::min);
        assert_eq!(data.read(Components::LABEL).unwrap().to_vec(), expected, "{what}");
        let moved: Vec<u8> = labels.iter().zip(&expected).map(|(first, last)| u8::from(first != last)).collect();
        assert_eq!(data.read(Components::HAS_MOVED).unwrap().to_vec(), moved, "{what}");
        report
    }};
}

#[test]
fn components_have_labels_that_no_float_has() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for options in options() {
                components_agree!(components, session, name, graph, options.clone());
                components_agree!(apart, session, name, graph, options);
            }
        }
    }
}

/// Minima are lowered in memory by pushes, too.
#[test]
fn a_frontier_is_pushed_and_pulled() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for direction in [None, Some(Direction::Push), Some(Direction::Pull)] {
                for group_size in [None, Some(4)] {
                    let options = Options { direction, group_size, ..Options::new() };
                    let report = components_agree!(frontier, session, name, graph, options);
                    let pushed = report.iterations.iter().any(|iteration| iteration.direction == Direction::Push);
                    assert!(pushed || direction != Some(Direction::Push) || report.iterations.is_empty(), "{name}");
                }
            }
        }
    }
}

#[test]
fn maxima_go_up_over_outgoing_edges() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for options in options() {
                let resident = session.graph(graph);
                let mut data = session.data(upstream, &resident, 1).unwrap();
                let labels = labels(graph);
                data.write(Components::TOP, &labels).unwrap();
                upstream.on(&resident, &mut data).until_settled(&options).unwrap();
                let expected = spread(graph, &labels, false, u32::max);
                assert_eq!(data.read(Components::TOP).unwrap().to_vec(), expected, "{name}, {options:?}");
            }
        }
    }
}

/// What is left when vertices with fewer than three neighbors go, one after the other.
fn core(graph: &Graph) -> Vec<u8> {
    let mut support: Vec<u32> = (0..graph.vertex_count() as u32).map(|vertex| graph.in_degree(vertex) as u32).collect();
    let mut is_there = vec![1; graph.vertex_count()];
    let mut leaving: VecDeque<usize> = (0..is_there.len()).filter(|vertex| support[*vertex] < 3).collect();
    leaving.iter().for_each(|vertex| is_there[*vertex] = 0);
    while let Some(vertex) = leaving.pop_front() {
        for (_, source, destination) in graph.edges().filter(|(_, source, _)| *source as usize == vertex) {
            assert_eq!(source as usize, vertex);
            let to = destination as usize;
            support[to] -= 1;
            if support[to] < 3 && is_there[to] == 1 {
                is_there[to] = 0;
                leaving.push_back(to);
            }
        }
    }
    is_there
}

/// Counts are corrected by what comes and goes, exactly.
#[test]
fn cores_are_left_by_changes_alone() {
    let reason = <core_of_three as onyx_device::Fold>::WHY_NOT_CHANGE_DRIVEN;
    assert_eq!(reason, None);
    for session in sessions() {
        for (name, graph) in &graphs() {
            let directions = [None, Some(Direction::Push), Some(Direction::Pull)];
            for options in
                directions.into_iter().map(|direction| Options { direction, ..Options::new() }).chain(options())
            {
                let resident = session.graph(graph);
                let mut data = session.data(core_of_three, &resident, 1).unwrap();
                data.view_mut(Core::IS_THERE).unwrap().fill(1);
                let report = core_of_three.on(&resident, &mut data).until_settled(&options).unwrap();
                assert_eq!(report.status, Status::Converged);
                assert_eq!(data.read(Core::IS_THERE).unwrap().to_vec(), core(graph), "{name}, {options:?}");
            }
        }
    }
}

/// The types, masks and numbers of a graph.
struct World {
    kinds: Vec<u8>,
    codes: Vec<u32>,
    members: Vec<u8>,
}

impl World {
    fn of(graph: &Graph) -> Self {
        Self {
            kinds: (0..graph.edge_count()).map(|edge| ((edge * 31) % 5) as u8).collect(),
            codes: (0..graph.edge_count() as u32).map(|edge| edge.wrapping_mul(2_654_435_761)).collect(),
            members: (0..graph.vertex_count()).map(|vertex| if vertex % 3 == 0 { 0 } else { 200 }).collect(),
        }
    }
}

fn value(number: usize) -> f32 {
    ((number * 37) % 101) as f32 / 16.0 - 3.0
}

fn census_agrees(
    session: &Session,
    name: &str,
    graph: &Graph,
    features: usize,
    options: &Options,
) -> Result<(), RunError> {
    let (resident, world) = (session.graph(graph), World::of(graph));
    let mut data = session.data(census, &resident, features)?;
    data.write(Census::KIND, &world.kinds)?;
    data.write(Census::CODE, &world.codes)?;
    data.write(Census::MEMBER, &world.members)?;
    data.view_mut(Census::X)?.iter_mut().enumerate().for_each(|(number, to)| *to = value(number));
    let report = census.on(&resident, &mut data).times(1, options)?;
    let what = format!("{name}, {features} features, {options:?}, {}", report.device);
    let vertices = graph.vertex_count();
    let (mut counts, mut codes, mut greatest) = (vec![0_u32; vertices], vec![0_u32; vertices], vec![0_u32; vertices]);
    let mut sums = vec![0.0_f64; vertices * features];
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize, destination as usize);
        codes[destination] = codes[destination].wrapping_add(world.codes[edge]);
        greatest[destination] = greatest[destination].max(world.codes[edge]);
        if world.kinds[edge] == 3 && world.members[source] != 0 {
            counts[destination] += 1;
            let row = (0..features).map(|feature| f64::from(value(source * features + feature)));
            sums[destination * features..].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
    }
    let marks: Vec<u32> = world.codes.iter().zip(&world.kinds).map(|(code, kind)| code ^ u32::from(*kind)).collect();
    assert_eq!(data.read(Census::MARK)?.to_vec(), marks, "{what}");
    assert_eq!(data.read(Census::COUNTED)?.to_vec(), counts, "{what}");
    assert_eq!(data.read(Census::CODES)?.to_vec(), codes, "{what}");
    assert_eq!(data.read(Census::GREATEST)?.to_vec(), greatest, "{what}");
    let odd: Vec<u8> = counts.iter().map(|count| (count % 2) as u8).collect();
    assert_eq!(data.read(Census::IS_ODD)?.to_vec(), odd, "{what}");
    for (number, found) in data.read(Census::MEAN)?.iter().enumerate() {
        let expected = sums[number] / f64::from(counts[number / features].max(1));
        assert!((f64::from(*found) - expected).abs() < 1e-4, "{what}: {found}, not {expected}");
    }
    Ok(())
}

#[test]
fn types_masks_and_counts_agree_by_every_schedule() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for features in [1, 3, 16] {
                options().iter().for_each(|options| census_agrees(&session, name, graph, features, options).unwrap());
            }
        }
    }
}

/// Of several tiles, each has the same integers.
#[test]
fn integers_are_the_same_in_all_tiles() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            census_agrees(&session, name, graph, 37, &Options::new()).unwrap();
        }
    }
}

/// An edge's type is a constant of a gradient.
#[test]
fn gradients_pass_by_integers() {
    let graph = "rmat:6:5".parse::<Generator>().unwrap().generate(1).unwrap();
    let kinds = World::of(&graph).kinds;
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(typed, &resident, 4).unwrap();
        data.write(Typed::KIND, &kinds).unwrap();
        data.view_mut(Typed::X).unwrap().fill(1.0);
        typed.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        data.view_mut(Typed::OUT_GRADIENT).unwrap().iter_mut().enumerate().for_each(|(at, to)| *to = value(at));
        typed_gradient.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        let mut expected = vec![0.0_f64; graph.vertex_count() * 4];
        for (edge, source, destination) in graph.edges() {
            let weight = if kinds[edge] == 1 { 0.5 } else { f64::from(kinds[edge]) };
            for feature in 0..4 {
                let seed = f64::from(value(destination as usize * 4 + feature));
                expected[source as usize * 4 + feature] += weight * seed;
            }
        }
        for (found, expected) in data.read(Typed::X_GRADIENT).unwrap().iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-3, "{found}, not {expected}");
        }
    }
}

/// Integers of other owners, of their own size and alignment.
#[test]
fn integers_are_borrowed() {
    let (_, graph) = graphs().pop().unwrap();
    for session in [Session::cpu(), Session::emulator()] {
        let resident = session.graph(&graph);
        let (mut data, mut labels) = (session.data(components, &resident, 1).unwrap(), labels(&graph));
        let expected = spread(&graph, &labels, true, u32::min);
        let mut moved = vec![0_u8; labels.len() + 1];
        let (labels_at, moved_at, count) = (labels.as_mut_ptr(), moved.as_mut_ptr().wrapping_add(1), labels.len());
        // SAFETY: both arrays outlive the data's use of them, and nobody else reaches them.
        unsafe {
            data.borrow(Components::LABEL, Borrowed::host(labels_at, count)).unwrap();
            data.borrow(Components::HAS_MOVED, Borrowed::host(moved_at, count)).unwrap();
            let error = data.borrow(Components::LEAST, Borrowed::host(moved_at, count)).unwrap_err().to_string();
            assert!(error.contains("u8") && error.contains("u32"), "{error}");
            let odd = Borrowed::host(moved_at.wrapping_add(usize::from(moved_at.addr() % 2 == 0)).cast::<u32>(), count);
            let error = data.borrow(Components::LEAST, odd).unwrap_err().to_string();
            assert!(error.contains("multiple of 4"), "{error}");
        }
        components.on(&resident, &mut data).until_settled(&Options::new()).unwrap();
        data.give_back(Components::LABEL).unwrap();
        data.give_back(Components::HAS_MOVED).unwrap();
        assert_eq!(labels, expected);
        assert_eq!(moved.iter().map(|moved| u32::from(*moved)).sum::<u32>() as usize, {
            let first = self::labels(&graph);
            first.iter().zip(&expected).filter(|(first, last)| first != last).count()
        });
    }
}

/// The values of another shape, as of floats.
#[test]
fn values_of_another_shape_are_refused() {
    let (session, (_, graph)) = (Session::cpu(), graphs().pop().unwrap());
    let resident = session.graph(&graph);
    let mut data = session.data(components, &resident, 1).unwrap();
    let error = data.write(Components::LABEL, &[1_u32, 2]).unwrap_err().to_string();
    assert!(error.contains("`label` has the shape"), "{error}");
}

/// All bits are labels, those of NaN and infinities included: nobody looks at them as at floats, and none of them diverges or settles.
#[test]
fn labels_may_have_the_bits_of_no_float() {
    let graph = graph(3, vec![(0, 1), (1, 2)]);
    let labels = [0x7f80_0001, f32::INFINITY.to_bits() + 2, u32::MAX];
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(components, &resident, 1).unwrap();
        data.write(Components::LABEL, &labels).unwrap();
        let report = components.on(&resident, &mut data).until_settled(&Options::new()).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Converged, None));
        assert_eq!(data.read(Components::LABEL).unwrap().to_vec(), [labels[0]; 3]);
    }
}
