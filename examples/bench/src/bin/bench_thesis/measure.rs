//! Comparing the variants, then timing them.

use std::io::Write;
use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, RunError, Schedule, Store};

use crate::Result;
use crate::algorithm::Algorithm;
use crate::arguments::{Arguments, Figure};
use crate::input;
use crate::row::Row;
use crate::values::difference;
use crate::variant::Variant;

/// The graph on which every variant is compared with the serial program.
const SMALL: &str = "kron:6:8";
/// What rounding to 32 bits may change, as a part of the greatest value.
const ROUNDING: f64 = 2e-4;

/// One algorithm on one graph.
pub struct Bench<'a> {
    pub arguments: &'a Arguments,
    pub figure: Figure,
    pub repeats: usize,
    pub name: &'a str,
    pub graph: &'a Graph,
    pub features: usize,
}

impl Bench<'_> {
    /// Verifies all variants, then writes a line for each.
    pub fn measure<A: Algorithm>(&self, output: &mut dyn Write) -> Result<()> {
        let small = input::graph(SMALL, false)?;
        self.verify_against_serial::<A>(&small)?;
        let mut store = A::prepare(self.graph, self.features, self.arguments.tolerance)?;
        let differences = self.compare::<A>(&mut store)?;
        let mut baseline = None;
        for (variant, difference) in Variant::ALL.into_iter().zip(differences) {
            let row = self.time::<A>(variant, &mut store, &mut baseline, difference)?;
            writeln!(output, "{}", row.line())?;
            output.flush()?;
        }
        Ok(())
    }

    /// Compares every variant with as many serial iterations on a small graph; change-driven ones may stop a little apart.
    fn verify_against_serial<A: Algorithm>(&self, graph: &Graph) -> Result<()> {
        let mut store = A::prepare(graph, self.features, self.arguments.tolerance)?;
        for variant in Variant::ALL {
            A::start(graph, &mut store);
            let mut ran = store.clone();
            let report = self.run::<A>(variant, graph, &mut ran)?;
            let expected = A::serial(graph, &store, report.iterations.len());
            let spread = if variant.is_change_driven { self.spread::<A>() } else { 0.0 };
            let found = difference(&A::results(graph, &ran), &expected);
            check(&format!("{variant} and the serial program"), found, ROUNDING + spread)?;
        }
        Ok(())
    }

    /// Runs every variant once, and compares it with the first. These runs also load the kernels.
    fn compare<A: Algorithm>(&self, store: &mut Store) -> Result<Vec<f64>> {
        let mut first: Option<Vec<f64>> = None;
        let mut differences = Vec::new();
        for variant in Variant::ALL {
            A::start(self.graph, store);
            self.run::<A>(variant, self.graph, store)?;
            let results = A::results(self.graph, store);
            let expected = first.get_or_insert_with(|| results.iter().map(|value| f64::from(*value)).collect());
            let found = difference(&results, expected);
            check(&format!("{variant} and {}", Variant::ALL[0]), found, ROUNDING + self.spread::<A>())?;
            differences.push(found);
        }
        Ok(differences)
    }

    fn time<A: Algorithm>(
        &self,
        variant: Variant,
        store: &mut Store,
        baseline: &mut Option<f64>,
        difference: f64,
    ) -> Result<Row<'_>> {
        let mut times = Vec::new();
        let mut last = None;
        for _ in 0..self.repeats {
            A::start(self.graph, store);
            let report = self.run::<A>(variant, self.graph, store)?;
            times.push(report.run.as_secs_f64() * 1e3);
            last = Some(report);
        }
        times.sort_by(f64::total_cmp);
        let report = last.ok_or("nothing was timed")?;
        let baseline = *baseline.get_or_insert_with(|| Row::median(&times));
        let (figure, graph, features) = (self.figure, (self.name, self.graph), self.features);
        let backend = report.backend;
        Ok(Row { figure, algorithm: A::NAME, graph, features, backend, variant, report, times, baseline, difference })
    }

    fn run<A: Algorithm>(&self, variant: Variant, graph: &Graph, store: &mut Store) -> Result<Report> {
        // Without features across lanes there is nothing to gain from rows of one thread: a thread an edge.
        let schedule = if variant.is_feature_aware { Schedule::Auto } else { Schedule::EdgeFlat };
        let options = Options {
            backend: self.arguments.backend,
            iterations: self.arguments.iterations,
            change_driven: variant.is_change_driven,
            schedule,
            ..Options::default()
        };
        Ok(A::run(variant, graph, store, &options)?)
    }

    /// How far apart two runs may stop.
    fn spread<A: Algorithm>(&self) -> f64 {
        A::SPREAD * f64::from(self.arguments.tolerance)
    }
}

fn check(what: &str, found: f64, allowed: f64) -> Result<()> {
    if found <= allowed {
        return Ok(());
    }
    Err(format!("{what} differ by {found:.1e} of the greatest value, {allowed:.1e} is allowed: nothing was timed")
        .into())
}

/// Runs a fold, whatever it does, to its end.
pub fn converge<F: Fold>(
    fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
) -> std::result::Result<Report, RunError> {
    onyx_runtime::converge(fold, graph, store, options, &mut |_| ControlFlow::Continue(()))
}
