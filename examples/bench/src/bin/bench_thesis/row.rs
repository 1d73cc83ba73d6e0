//! One line of the CSV.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Direction, Report};

use crate::algorithm::Name;
use crate::arguments::Figure;
use crate::thesis;
use crate::variant::Variant;

/// The names of the columns. Times are in milliseconds, of all iterations of a run.
pub const HEADER: &str = "figure,algorithm,graph,vertices,edges,features,backend,device,variant,median_ms,min_ms,max_ms,\
                          iterations,pushes,status,speedup,difference,thesis_ms,thesis_speedup";

/// What was measured of one variant.
pub struct Row<'a> {
    pub figure: Figure,
    pub algorithm: Name,
    pub graph: (&'a str, &'a Graph),
    pub features: usize,
    pub backend: Backend,
    pub variant: Variant,
    /// The last run.
    pub report: Report,
    /// Milliseconds of each run, ascending.
    pub times: Vec<f64>,
    /// The median of the first variant.
    pub baseline: f64,
    /// The greatest difference to the first variant, as a part of the greatest value.
    pub difference: f64,
}

impl Row<'_> {
    /// The middle of the times.
    pub fn median(times: &[f64]) -> f64 {
        times[times.len() / 2]
    }

    /// The line.
    pub fn line(&self) -> String {
        let Self { figure, algorithm, features, backend, variant, difference, .. } = self;
        let ((name, graph), times) = (self.graph, &self.times);
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let device = self.report.device.replace(',', "");
        let (median, least, most) = (Self::median(times), times[0], times[times.len() - 1]);
        let (iterations, status) = (self.report.iterations.len(), self.report.status);
        let pushes = self.report.iterations.iter().filter(|iteration| iteration.direction == Direction::Push).count();
        let speedup = self.baseline / median;
        let run = format!("{figure},{algorithm},{name},{vertices},{edges},{features},{backend},{device},{variant}");
        let measured =
            format!("{median:.4},{least:.4},{most:.4},{iterations},{pushes},{status},{speedup:.3},{difference:.2e}");
        format!("{run},{measured},{}", self.of_thesis())
    }

    /// The thesis's time and speedup for the kin of the graph; nothing where it has none.
    fn of_thesis(&self) -> String {
        let kin = thesis::kin(self.graph.0).filter(|_| self.figure == Figure::Table && self.features == 4);
        let found = kin.and_then(|kin| thesis::figures(self.algorithm, kin, self.variant));
        found.map_or_else(|| ",".to_owned(), |(time, speedup)| format!("{time:.1},{speedup}"))
    }
}
