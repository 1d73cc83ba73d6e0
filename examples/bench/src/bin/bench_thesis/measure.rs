//! Comparing the variants, then timing them.

use std::io::Write;

use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, Options, Report, ResidentGraph, RunError, Session};

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
    pub session: &'a Session,
    pub figure: Figure,
    pub repeats: usize,
    pub name: &'a str,
    pub graph: &'a Graph,
    pub features: usize,
}

impl Bench<'_> {
    /// Verifies all variants, then writes a line for each.
    pub fn measure<A: Algorithm>(&self, output: &mut dyn Write) -> Result<()> {
        self.verify_against_serial::<A>(&input::graph(SMALL, false)?)?;
        let graph = self.session.graph(self.graph);
        let mut data = A::prepare(&graph, self.features, self.arguments.tolerance)?;
        let differences = self.compare::<A>(&graph, &mut data)?;
        let mut baseline = None;
        for (variant, difference) in self.variants().zip(differences) {
            let row = self.time::<A>(variant, &graph, &mut data, &mut baseline, difference)?;
            writeln!(output, "{}", row.line())?;
            output.flush()?;
        }
        Ok(())
    }

    /// Compares every variant with as many serial iterations on a small graph; change-driven ones may stop a little apart.
    fn verify_against_serial<A: Algorithm>(&self, graph: &Graph) -> Result<()> {
        let resident = self.session.graph(graph);
        let mut data = A::prepare(&resident, self.features, self.arguments.tolerance)?;
        for variant in self.variants() {
            A::start(graph, &mut data)?;
            let start = data.on_host()?.clone();
            let report = self.run::<A>(variant, &resident, &mut data)?;
            let expected = A::serial(graph, &start, report.iterations.len());
            let spread = if variant.is_change_driven { self.spread::<A>() } else { 0.0 };
            let found = difference(&A::results(graph, &mut data)?, &expected);
            check(&format!("{variant} and the serial program"), found, ROUNDING + spread)?;
        }
        Ok(())
    }

    /// Runs every variant once, and compares it with the first. These runs also load the kernels.
    fn compare<A: Algorithm>(&self, graph: &ResidentGraph<'_>, data: &mut Data<A::Structure>) -> Result<Vec<f64>> {
        let mut first: Option<Vec<f64>> = None;
        let mut differences = Vec::new();
        for variant in self.variants() {
            A::start(self.graph, data)?;
            self.run::<A>(variant, graph, data)?;
            let results = A::results(self.graph, data)?;
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
        graph: &ResidentGraph<'_>,
        data: &mut Data<A::Structure>,
        baseline: &mut Option<f64>,
        difference: f64,
    ) -> Result<Row<'_>> {
        let mut times = Vec::new();
        let mut last = None;
        for _ in 0..self.repeats {
            A::start(self.graph, data)?;
            let report = self.run::<A>(variant, graph, data)?;
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

    fn run<A: Algorithm>(
        &self,
        variant: Variant,
        graph: &ResidentGraph<'_>,
        data: &mut Data<A::Structure>,
    ) -> std::result::Result<Report, RunError> {
        let options = Options {
            iterations: self.arguments.iterations,
            change_driven: variant.is_change_driven,
            schedule: variant.mapping.schedule(),
            ..Options::default()
        };
        A::run(variant, graph, data, &options)
    }

    fn variants(&self) -> impl Iterator<Item = Variant> + use<> {
        Variant::on(self.session.backend())
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
