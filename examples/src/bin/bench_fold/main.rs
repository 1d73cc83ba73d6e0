//! `bench_fold`: the same functions folded into one kernel, one kernel each, and as one function by hand. Writes CSV.
//!
//! Every variant is checked against a serial loop before its times are printed.

use std::error::Error;
use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::Parser;
use onyx_device::Fold;
use onyx_examples::bench_programs::{
    Mixing, Moments, mixing_by_hand, mixing_first, mixing_folded, mixing_second, mixing_third, moments_by_hand,
    moments_first, moments_folded, moments_second,
};
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Backend, Options, Store, converge};

/// What rounding to 32 bits may change, as a part of the largest value.
const TOLERANCE: f64 = 1e-4;
const ALPHA: f64 = 0.75;

/// Compare folded, unfolded and hand-written kernels
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to run: cpu, cuda or emulator
    #[arg(long, default_value = "cpu")]
    backend: Backend,
    /// The graph: rmat:SCALE:DEGREE or grid:WIDTHxHEIGHT
    #[arg(long, default_value = "rmat:12:16")]
    generate: Generator,
    /// Feature counts, each one of 4, 16 and 64
    #[arg(long, value_delimiter = ',', default_value = "4,16,64")]
    features: Vec<usize>,
    /// Timed iterations, behind a fifth as many that are not
    #[arg(long, default_value_t = 20)]
    iterations: usize,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Milliseconds of each iteration; of all kernels of a variant together.
type Times = Vec<f64>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let graph = arguments.generate.generate(7)?;
    println!("backend,vertices,edges,features,program,variant,kernels,median_ms,min_ms,max_ms");
    for &features in &arguments.features {
        let bench = Bench { arguments, graph: &graph, features };
        bench.moments()?;
        bench.mixing()?;
    }
    Ok(())
}

/// A graph and a number of features to compare the variants on.
struct Bench<'a> {
    arguments: &'a Arguments,
    graph: &'a Graph,
    features: usize,
}

impl Bench<'_> {
    fn moments(&self) -> Result<()> {
        let expected = serial_moments(self.graph, self.features);
        let mut store = self.moments_store()?;
        let times = self.time(moments_folded, &mut store)?;
        self.check_moments(&store, &expected, "folded")?;
        self.print("moments", "folded", 1, times);

        let mut store = self.moments_store()?;
        let times = together(&[self.time(moments_first, &mut store)?, self.time(moments_second, &mut store)?]);
        self.check_moments(&store, &expected, "unfolded")?;
        self.print("moments", "unfolded", 2, times);

        let mut store = self.moments_store()?;
        let times = self.time(moments_by_hand, &mut store)?;
        self.check_moments(&store, &expected, "by hand")?;
        self.print("moments", "by hand", 1, times);
        Ok(())
    }

    fn mixing(&self) -> Result<()> {
        let expected = serial_mixing(self.graph, self.features);
        let mut store = self.mixing_store()?;
        let times = self.time(mixing_folded, &mut store)?;
        self.check_mixing(&store, &expected, "folded")?;
        self.print("mixing", "folded", 1, times);

        let mut store = self.mixing_store()?;
        let first = self.time(mixing_first, &mut store)?;
        let second = self.time_once_right(&mut store)?;
        let times = together(&[first, second, self.time(mixing_third, &mut store)?]);
        self.check_mixing(&store, &expected, "unfolded")?;
        self.print("mixing", "unfolded", 3, times);

        let mut store = self.mixing_store()?;
        let times = self.time(mixing_by_hand, &mut store)?;
        self.check_mixing(&store, &expected, "by hand")?;
        self.print("mixing", "by hand", 1, times);
        Ok(())
    }

    /// Times the second step, which mixes again in each iteration, and leaves what one iteration of it gives.
    fn time_once_right(&self, store: &mut Store) -> Result<Times> {
        let mut once = store.clone();
        let times = self.time(mixing_second, store)?;
        self.converge(mixing_second, &mut once, 1)?;
        *store = once;
        Ok(times)
    }

    fn time<F: Fold>(&self, fold: F, store: &mut Store) -> Result<Times> {
        let warm_up = self.arguments.iterations.div_ceil(5);
        Ok(self.converge(fold, store, warm_up + self.arguments.iterations)?.split_off(warm_up))
    }

    /// Fails if the fold stops before: then the variants would not have done the same work.
    fn converge<F: Fold>(&self, fold: F, store: &mut Store, iterations: usize) -> Result<Times> {
        let options = Options { backend: self.arguments.backend, iterations, ..Options::default() };
        let report = converge(fold, self.graph, store, &options, &mut |_| ControlFlow::Continue(()))?;
        if report.iterations.len() != iterations {
            return Err(format!("{} stopped after {} iterations", F::NAME, report.iterations.len()).into());
        }
        Ok(report.iterations.iter().map(|iteration| iteration.time.as_secs_f64() * 1e3).collect())
    }

    fn print(&self, program: &str, variant: &str, kernels: usize, mut times: Times) {
        times.sort_by(f64::total_cmp);
        let (least, median, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
        let (backend, features) = (self.arguments.backend, self.features);
        let (vertices, edges) = (self.graph.vertex_count(), self.graph.edge_count());
        let run = format!("{backend},{vertices},{edges},{features}");
        println!("{run},{program},{variant},{kernels},{median:.4},{least:.4},{most:.4}");
    }

    fn moments_store(&self) -> Result<Store> {
        let mut store = Store::new(moments_folded, self.graph, self.features)?;
        for vertex in 0..self.graph.vertex_count() {
            for (feature, value) in store.row_mut(Moments::FACTOR, vertex as u32).iter_mut().enumerate() {
                *value = number(vertex, feature) as f32;
            }
        }
        for (edge, rating) in store.edge_scalars_mut(Moments::RATING).iter_mut().enumerate() {
            *rating = number(edge, 77) as f32;
        }
        Ok(store)
    }

    fn mixing_store(&self) -> Result<Store> {
        let mut store = Store::new(mixing_folded, self.graph, self.features)?;
        for vertex in 0..self.graph.vertex_count() {
            for feature in 0..self.features {
                store.row_mut(Mixing::VALUE, vertex as u32)[feature] = number(vertex, feature) as f32;
                store.row_mut(Mixing::SEED, vertex as u32)[feature] = number(vertex, feature + 99) as f32;
            }
        }
        store.set(Mixing::ALPHA, ALPHA as f32);
        Ok(store)
    }

    fn check_moments(&self, store: &Store, expected: &(Vec<f64>, Vec<f64>), variant: &str) -> Result<()> {
        let row = |key| rows(self.graph, move |vertex| store.row(key, vertex));
        agree(variant, &row(Moments::FIRST), &expected.0)?;
        agree(variant, &row(Moments::SECOND), &expected.1)
    }

    fn check_mixing(&self, store: &Store, expected: &[f64], variant: &str) -> Result<()> {
        agree(variant, &rows(self.graph, |vertex| store.row(Mixing::MIXED, vertex)), expected)
    }
}

/// The sums of iterations of several kernels that make one variant.
fn together(kernels: &[Times]) -> Times {
    (0..kernels[0].len()).map(|iteration| kernels.iter().map(|times| times[iteration]).sum()).collect()
}

/// A number between 0 and 1 that only must not be regular.
fn number(row: usize, column: usize) -> f64 {
    let mixed = (row as u32).wrapping_mul(2_654_435_761).wrapping_add((column as u32).wrapping_mul(40_503)) >> 8;
    f64::from(mixed % 1000 + 1) / 1000.0
}

fn rows<'a>(graph: &Graph, row: impl Fn(u32) -> &'a [f32]) -> Vec<f32> {
    (0..graph.vertex_count() as u32).flat_map(|vertex| row(vertex).to_vec()).collect()
}

fn agree(variant: &str, found: &[f32], expected: &[f64]) -> Result<()> {
    let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(*value));
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (f64::from(*found) - expected).abs();
        if difference.is_nan() || difference > TOLERANCE * scale {
            return Err(format!("{variant}: value {index} is {found}, expected {expected}").into());
        }
    }
    Ok(())
}

fn serial_moments(graph: &Graph, features: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut first, mut second) =
        (vec![0.0; graph.vertex_count() * features], vec![0.0; graph.vertex_count() * features]);
    for (edge, source, destination) in graph.edges() {
        let rating = number(edge, 77);
        for feature in 0..features {
            let factor = number(source as usize, feature);
            first[destination as usize * features + feature] += rating * factor;
            second[destination as usize * features + feature] += factor * factor;
        }
    }
    (first, second)
}

fn serial_mixing(graph: &Graph, features: usize) -> Vec<f64> {
    (0..graph.vertex_count()).flat_map(|vertex| mixed(vertex, features)).collect()
}

fn mixed(vertex: usize, features: usize) -> Vec<f64> {
    let sum: f64 = (0..features).map(|feature| number(vertex, feature)).sum();
    let mix = |feature| ALPHA * number(vertex, feature) / sum + (1.0 - ALPHA) * number(vertex, feature + 99);
    let mixture: Vec<f64> = (0..features).map(mix).collect();
    let total: f64 = mixture.iter().sum();
    mixture.into_iter().map(|value| value / total).collect()
}
