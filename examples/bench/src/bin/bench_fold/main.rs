//! `bench_fold`: the same functions folded into one kernel, one kernel each, and as one function by hand. Writes CSV.
//!
//! Every variant is checked against a serial loop before its times are printed.

mod labels;
mod messages;
mod mixing;
mod moments;
mod program;

use std::error::Error;
use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use onyx_bench::programs::labels::{labels_by_hand, labels_folded, labels_unfolded};
use onyx_bench::programs::messages::{messages_by_hand, messages_folded, messages_unfolded};
use onyx_bench::programs::{
    mixing_by_hand, mixing_folded, mixing_unfolded, moments_by_hand, moments_folded, moments_unfolded,
};
use onyx_device::Fold;
use onyx_runtime::graph::Generator;
use onyx_runtime::{Backend, Options, Store, converge};
use program::{Problem, Program};

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
    /// What to compare: moments and messages fold edge functions, mixing and labels fold vertex functions
    #[arg(long, value_delimiter = ',', default_value = "moments,messages,mixing,labels")]
    programs: Vec<Name>,
    /// Timed iterations, after a fifth as many that are not
    #[arg(long, default_value_t = 20)]
    iterations: usize,
}

/// The programs.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Name {
    Moments,
    Messages,
    Mixing,
    Labels,
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
        let bench = Bench { arguments, problem: Problem { graph: &graph, features } };
        arguments.programs.iter().try_for_each(|&name| bench.run(name))?;
    }
    Ok(())
}

/// A graph and a number of features to compare the variants on.
struct Bench<'a> {
    arguments: &'a Arguments,
    problem: Problem<'a>,
}

impl Bench<'_> {
    fn run(&self, name: Name) -> Result<()> {
        let problem = self.problem;
        match name {
            Name::Moments => {
                self.compare(moments::Reference::new(problem), moments_folded, moments_unfolded, moments_by_hand)
            }
            Name::Messages => {
                self.compare(messages::Reference::new(problem), messages_folded, messages_unfolded, messages_by_hand)
            }
            Name::Mixing => {
                self.compare(mixing::Reference::new(problem), mixing_folded, mixing_unfolded, mixing_by_hand)
            }
            Name::Labels => {
                self.compare(labels::Reference::new(problem), labels_folded, labels_unfolded, labels_by_hand)
            }
        }
    }

    fn compare<P: Program>(
        &self,
        program: P,
        folded: impl Fold,
        unfolded: impl Fold,
        by_hand: impl Fold,
    ) -> Result<()> {
        self.measure(&program, folded, "folded", 1)?;
        self.measure(&program, unfolded, "unfolded", P::FUNCTIONS)?;
        self.measure(&program, by_hand, "by hand", 1)
    }

    fn measure<P: Program, F: Fold>(&self, program: &P, fold: F, variant: &str, kernels: usize) -> Result<()> {
        let mut store = program.store(fold)?;
        let times = self.time(fold, &mut store)?;
        program.check(&store).map_err(|error| format!("{} {variant}: {error}", P::NAME))?;
        self.print(P::NAME, variant, kernels, times);
        Ok(())
    }

    /// Fails if the fold stops before: then the variants would not have done the same work.
    fn time<F: Fold>(&self, fold: F, store: &mut Store) -> Result<Times> {
        let warm_up = self.arguments.iterations.div_ceil(5);
        let iterations = warm_up + self.arguments.iterations;
        let options = Options { backend: self.arguments.backend, iterations, settle: false, ..Options::default() };
        let report = converge(fold, self.problem.graph, store, &options, &mut |_| ControlFlow::Continue(()))?;
        if report.iterations.len() != iterations {
            return Err(format!("{} stopped after {} iterations", F::NAME, report.iterations.len()).into());
        }
        let times = report.iterations[warm_up..].iter().map(|iteration| iteration.time.as_secs_f64() * 1e3);
        Ok(times.collect())
    }

    fn print(&self, program: &str, variant: &str, kernels: usize, mut times: Times) {
        times.sort_by(f64::total_cmp);
        let (least, median, most) = (times[0], times[times.len() / 2], times[times.len() - 1]);
        let (backend, Problem { graph, features }) = (self.arguments.backend, self.problem);
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let run = format!("{backend},{vertices},{edges},{features}");
        println!("{run},{program},{variant},{kernels},{median:.4},{least:.4},{most:.4}");
    }
}
