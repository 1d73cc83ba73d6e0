//! Half precision against the same computed in `f64`, by every schedule and in both directions, on the CPU, in the emulator and, where one is asked
//! for, on a GPU.

mod world;

use onyx_device::half::{bf16, f16, saturating_f16};
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Borrowed, Data, Direction, Options, ResidentGraph, RunError, RunFold, Session, Status};
use onyx_types::half::{Growth, Mixture, approached, filled, growth, mixture, mixture_by_eights, told, told_apart};
use world::{graphs, options, sessions};

/// How often labels are mixed.
const STEPS: usize = 8;
/// What rounding to half precision is off by where numbers are below 1.
const HALF_UNIT: f64 = 1.0 / 4096.0;
/// The same of `bf16`.
const BRAIN_UNIT: f64 = 1.0 / 512.0;

/// Seeds below 1 that both formats hold.
fn seeds(graph: &Graph, features: usize) -> Array2<f32> {
    let seed = |(vertex, feature): (usize, usize)| ((vertex * 37 + feature * 11) % 64) as f32 / 64.0;
    Array2::from_shape_fn((graph.vertex_count(), features), seed)
}

fn shares(graph: &Graph) -> Vec<f32> {
    (0..graph.vertex_count() as u32).map(|vertex| 1.0 / graph.in_degree(vertex).max(1) as f32).collect()
}

/// Some steps in `f64`.
fn expected(graph: &Graph, features: usize, steps: usize) -> Vec<f64> {
    let (seeds, shares) = (seeds(graph, features), shares(graph));
    let mut labels: Vec<f64> = seeds.iter().map(|seed| f64::from(*seed)).collect();
    for _ in 0..steps {
        let mut sums = vec![0.0; labels.len()];
        for (_, source, destination) in graph.edges() {
            for feature in 0..features {
                sums[destination as usize * features + feature] += labels[source as usize * features + feature];
            }
        }
        labels = (0..labels.len())
            .map(|at| {
                0.85 * f64::from(shares[at / features]) * sums[at] + 0.15 * f64::from(seeds.as_slice().unwrap()[at])
            })
            .collect();
    }
    labels
}

fn begin(resident: &ResidentGraph<'_>, features: usize) -> Result<Data<Mixture>, RunError> {
    let mut data = resident.session().data(mixture, resident, features)?;
    write(&mut data, resident.graph())?;
    Ok(data)
}

fn write(data: &mut Data<Mixture>, graph: &Graph) -> Result<(), RunError> {
    let seeds = seeds(graph, data.features());
    data.write(Mixture::HALF, &seeds)?;
    data.write(Mixture::BRAIN, &seeds)?;
    data.write(Mixture::SEED, &seeds)?;
    data.write(Mixture::SHARE, &shares(graph))
}

fn mixture_agrees(session: &Session, name: &str, graph: &Graph, features: usize, options: &Options) {
    let resident = session.graph(graph);
    let mut data = begin(&resident, features).unwrap();
    mixture.on(&resident, &mut data).times(STEPS, options).unwrap();
    is_mixed(&mut data, name, graph, options);
}

/// Whether the labels are those of so many steps in `f64`.
fn is_mixed(data: &mut Data<Mixture>, name: &str, graph: &Graph, options: &Options) {
    let features = data.features();
    let expected = expected(graph, features, STEPS);
    let check = |found: Vec<f32>, unit: f64| {
        // Each step rounds by a unit, and passes on 0.85 of what it was off by; a little more for sums of floats.
        let bound = unit / 0.15 + 1e-5;
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let off = (f64::from(*found) - expected).abs();
            assert!(off <= bound, "{name}, {features} features, {options:?}: {found} at {at}, not {expected}");
        }
    };
    check(data.read(Mixture::HALF).unwrap().iter().copied().collect(), HALF_UNIT);
    check(data.read(Mixture::BRAIN).unwrap().iter().copied().collect(), BRAIN_UNIT);
}

#[test]
fn mixtures_agree_by_every_schedule() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for features in [3, 16] {
                options().iter().for_each(|options| mixture_agrees(&session, name, graph, features, options));
            }
        }
    }
}

/// A lane may have eight features, which lie side by side.
#[test]
fn lanes_have_eight_features() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            let resident = session.graph(graph);
            for (features, options) in [5, 8, 41, 64, 70].into_iter().zip(options().iter().cycle().skip(name.len())) {
                let mut data = session.data(mixture_by_eights, &resident, features).unwrap();
                write(&mut data, graph).unwrap();
                mixture_by_eights.on(&resident, &mut data).times(STEPS, options).unwrap();
                is_mixed(&mut data, name, graph, options);
            }
        }
    }
}

/// Rows of two bytes are cut into tiles, and put together again.
#[test]
fn tiles_have_halves_of_their_own() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            mixture_agrees(&session, name, graph, 37, &Options::new());
        }
    }
}

/// What changes is the difference of what memory has, so that a push is as near as a pull.
#[test]
fn changes_are_of_what_memory_has() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for direction in [None, Some(Direction::Push), Some(Direction::Pull)] {
                let resident = session.graph(graph);
                let mut data = begin(&resident, 3).unwrap();
                let options = Options { direction, ..Options::new() };
                let report = approached.on(&resident, &mut data).until_settled(&options).unwrap();
                assert_eq!(report.status, Status::Converged, "{name}, {direction:?}");
                let expected = expected(graph, 3, 200);
                for (found, expected) in data.read(Mixture::HALF).unwrap().iter().zip(expected) {
                    // Vertices stop where they move by less than 0.002.
                    let off = (f64::from(*found) - expected).abs();
                    assert!(off <= (0.002 + HALF_UNIT) / 0.15, "{name}, {direction:?}: {found}, not {expected}");
                }
            }
        }
    }
}

/// A function reads what an earlier one has written as memory has it, whether a kernel is between them or not.
#[test]
fn what_is_handed_on_is_rounded() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            let resident = session.graph(graph);
            let (mut one, mut apart) = (begin(&resident, 4).unwrap(), begin(&resident, 4).unwrap());
            let exact = Options { deterministic: true, ..Options::new() };
            told.on(&resident, &mut one).times(1, &exact).unwrap();
            told_apart.on(&resident, &mut apart).times(1, &exact).unwrap();
            assert_eq!(one.read(Mixture::MESSAGE).unwrap(), apart.read(Mixture::MESSAGE).unwrap(), "{name}");
            let seeds = seeds(graph, 4);
            for (edge, source, _) in graph.edges() {
                let message = f16::from_f32(seeds[(source as usize, 1)] / 3.0).to_f32();
                assert_eq!(one.read(Mixture::MESSAGE).unwrap()[(edge, 1)], message, "{name}");
            }
            assert_eq!(one.read(Mixture::KEPT).unwrap(), apart.read(Mixture::KEPT).unwrap(), "{name}");
            assert_eq!(one.read(Mixture::LOST).unwrap(), apart.read(Mixture::LOST).unwrap(), "{name}");
        }
    }
}

/// All halves that are numbers, in rows of 16, are what they were after they were written, brought to the processor, squared there, and read.
#[test]
fn all_halves_are_there_and_back() {
    let graph = GraphBuilder::new().vertices(4096).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(growth, &resident, 16).unwrap();
        let of = |read: fn(u16) -> f32| {
            let finite = |value: f32| if value.is_finite() { value } else { 1.0 };
            Array2::from_shape_fn((4096, 16), |(row, feature)| finite(read((row * 16 + feature) as u16)))
        };
        let (halves, brains) = (of(|bits| f16(bits).to_f32()), of(|bits| bf16(bits).to_f32()));
        data.write(Growth::HALF, &halves).unwrap();
        data.write(Growth::BRAIN, &brains).unwrap();
        assert_eq!(data.read(Growth::HALF).unwrap(), halves);
        assert_eq!(data.read(Growth::BRAIN).unwrap(), brains);
        growth.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        let squares = halves.mapv(|value| f16::from_f32(value * value).to_f32());
        assert_eq!(data.read(Growth::HALF).unwrap(), squares);
        let squares = brains.mapv(|value| bf16::from_f32(value * value).to_f32());
        assert_eq!(data.read(Growth::BRAIN).unwrap(), squares);
    }
}

#[test]
fn what_does_not_fit_is_an_error_where_it_is_written() {
    let graph = GraphBuilder::new().vertices(5).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(growth, &resident, 3).unwrap();
        let mut values = Array2::<f32>::ones((5, 3));
        data.write(Growth::HALF, &values).unwrap();
        (values[(3, 1)], values[(4, 0)]) = (-65_520.0, 1e9);
        let error = data.write(Growth::HALF, &values).unwrap_err().to_string();
        assert!(error.contains("`half`") && error.contains("-65520 at row 3, feature 1"), "{error}");
        assert_eq!(data.read(Growth::HALF).unwrap().sum(), 15.0, "nothing has changed");
        data.write(Growth::BRAIN, &values).unwrap();
    }
}

/// An infinity in an `f16` property is a number that did not fit; in a `bf16` property numbers are as great as floats are.
#[test]
fn what_does_not_fit_ends_a_run() {
    let graph = GraphBuilder::new().vertices(70).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(growth, &resident, 3).unwrap();
        let mut values = Array2::<f32>::ones((70, 3));
        data.write(Growth::HALF, &values).unwrap();
        values[(40, 2)] = 300.0;
        data.write(Growth::BRAIN, &values).unwrap();
        let options = Options::new().iterations(1);
        let report = growth.on(&resident, &mut data).until_settled(&options).unwrap();
        assert_eq!((report.status, report.diverged), (Status::IterationLimit, None));
        data.write(Growth::HALF, &values).unwrap();
        let report = growth.on(&resident, &mut data).until_settled(&options).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Diverged, Some("half")));
    }
}

/// Numbers beyond the range become its end, whether the host or a function writes them, and no run diverges by that; NaN stays NaN, and diverges.
#[test]
fn what_does_not_fit_saturates_where_that_is_chosen() {
    let graph = GraphBuilder::new().vertices(70).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(filled, &resident, 3).unwrap();
        let mut values = Array2::<f32>::from_elem((70, 3), 2.0);
        (values[(0, 0)], values[(1, 2)], values[(40, 1)]) = (f32::INFINITY, -1e9, 300.0);
        data.write(Growth::FULL, &values).unwrap();
        let written = data.read(Growth::FULL).unwrap();
        assert_eq!((written[(0, 0)], written[(1, 2)], written[(40, 1)]), (65_504.0, -65_504.0, 300.0));
        let mut signs = Array2::<f32>::ones((70, 3));
        signs[(1, 2)] = -1.0;
        data.write(Growth::BRAIN, &signs).unwrap();
        let options = Options::new().iterations(1);
        let report = filled.on(&resident, &mut data).until_settled(&options).unwrap();
        assert_eq!((report.status, report.diverged), (Status::IterationLimit, None));
        let expected = Array2::from_shape_fn((70, 3), |at| match at {
            (0, 0) | (40, 1) => 65_504.0,
            (1, 2) => -65_504.0,
            _ => 4.0,
        });
        assert_eq!(data.read(Growth::FULL).unwrap(), expected);
        assert_eq!(data.read(Growth::SEEN).unwrap(), expected, "what is handed on is what memory has");
        values[(69, 0)] = f32::NAN;
        data.write(Growth::FULL, &values).unwrap();
        assert!(data.read(Growth::FULL).unwrap()[(69, 0)].is_nan());
        let report = filled.on(&resident, &mut data).until_settled(&options).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Diverged, Some("full")));
    }
}

/// Within the range a `saturating_f16` is an `f16` to the bit.
#[test]
fn saturating_halves_are_halves() {
    let graph = GraphBuilder::new().vertices(4096).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(filled, &resident, 16).unwrap();
        let of = |bits: u16| {
            let value = f16(bits).to_f32();
            if value.is_finite() { value } else { 1.0 }
        };
        let halves = Array2::from_shape_fn((4096, 16), |(row, feature)| of((row * 16 + feature) as u16));
        data.write(Growth::FULL, &halves).unwrap();
        data.write(Growth::BRAIN, &Array2::ones((4096, 16))).unwrap();
        assert_eq!(data.read(Growth::FULL).unwrap(), halves);
        filled.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        let squares = halves.mapv(|value| saturating_f16::from_f32(value * value).to_f32());
        assert_eq!(data.read(Growth::FULL).unwrap(), squares);
    }
}

/// A row of four, as wide as an access.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Row([f16; 4]);

/// Rows of two bytes a number that someone else owns.
#[test]
fn halves_are_borrowed() {
    let graph = GraphBuilder::new().vertices(6).build().unwrap();
    for session in [Session::cpu(), Session::emulator()] {
        let resident = session.graph(&graph);
        let mut data = session.data(growth, &resident, 4).unwrap();
        let (mut rows, mut floats) = (vec![Row([f16::from_f32(3.0); 4]); 6], [0.0_f32; 24]);
        let at = rows.as_mut_ptr().cast::<f16>();
        // SAFETY: the arrays outlive the data's use of them, and nobody else reaches them.
        unsafe {
            let error = data.borrow(Growth::HALF, Borrowed::host(floats.as_mut_ptr(), 24)).unwrap_err().to_string();
            assert!(error.contains("f32") && error.contains("f16"), "{error}");
            data.borrow(Growth::HALF, Borrowed::host(at, 24)).unwrap();
        }
        growth.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        data.give_back(Growth::HALF).unwrap();
        assert!(rows.iter().flat_map(|row| row.0).all(|value| value.to_f32() == 9.0));
    }
}
