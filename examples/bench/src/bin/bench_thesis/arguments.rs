//! What is measured, from the command line.

use std::fmt;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use onyx_runtime::Backend;

use crate::algorithm::Name;

/// Measure the five algorithms of the thesis in the four variants of the thesis and two more, and write CSV
#[derive(Debug, Parser)]
pub struct Arguments {
    /// What to measure
    #[arg(long, value_delimiter = ',', default_value = "7.2,7.3")]
    pub figures: Vec<Figure>,
    /// Graphs: kron:SCALE or kron:SCALE:EDGE_FACTOR, grid:WxH, mesh:WxH, road:WxH, or files; the figure's own if left out
    #[arg(long, value_delimiter = ',')]
    graphs: Vec<String>,
    /// One more graph, from a file
    #[arg(long)]
    graph: Option<PathBuf>,
    /// Each edge of a file leads both ways
    #[arg(long)]
    pub undirected: bool,
    /// Feature counts; the figure's own if left out
    #[arg(long, value_delimiter = ',')]
    features: Vec<usize>,
    /// Algorithms: lp, als, bp, mmr, mml; the figure's own if left out
    #[arg(long, value_delimiter = ',')]
    algorithms: Vec<Name>,
    /// Where to run: auto, cuda, cpu or emulator
    #[arg(long, default_value = "auto")]
    pub backend: Backend,
    /// Timed runs, after one that is not [default: 10; 2 with --quick]
    #[arg(long)]
    repeats: Option<usize>,
    /// The greatest number of iterations of a run
    #[arg(long, default_value_t = 100)]
    pub iterations: usize,
    /// The change of a feature that is not propagated
    #[arg(long, default_value_t = 1e-4)]
    pub tolerance: f32,
    /// The file to write; standard output if left out
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Small graphs and few repeats
    #[arg(long)]
    quick: bool,
}

/// A table or figure of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Figure {
    /// Table 7.2: every algorithm on several graphs
    #[value(name = "7.2")]
    Table,
    /// Figure 7.3: more and more features
    #[value(name = "7.3")]
    Features,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "7.2",
            Self::Features => "7.3",
        })
    }
}

/// What one figure takes.
#[derive(Debug)]
pub struct Plan {
    /// The names of the graphs.
    pub graphs: Vec<String>,
    /// The feature counts.
    pub features: Vec<usize>,
    /// The algorithms.
    pub algorithms: Vec<Name>,
    /// Timed runs of each variant.
    pub repeats: usize,
}

impl Arguments {
    /// What is measured for a figure: what was asked for, and the figure's own where nothing was.
    pub fn plan(&self, figure: Figure) -> Plan {
        let (graphs, features, algorithms): (&[&str], &[usize], &[Name]) = match (figure, self.quick) {
            (Figure::Table, false) => (&["kron:21", "mesh:2048x2048", "road:3072x3072"], &[4], &Name::ALL),
            (Figure::Table, true) => (&["kron:9", "mesh:24x24", "road:32x32"], &[4], &Name::ALL),
            (Figure::Features, false) => (&["kron:17"], &[1, 2, 4, 8, 16, 32, 64, 128], &Name::OF_ANY_WIDTH),
            (Figure::Features, true) => (&["kron:8"], &[1, 4, 32], &Name::OF_ANY_WIDTH),
        };
        Plan {
            graphs: self.graphs(graphs),
            features: if self.features.is_empty() { features.to_vec() } else { self.features.clone() },
            algorithms: if self.algorithms.is_empty() { algorithms.to_vec() } else { self.algorithms.clone() },
            repeats: self.repeats.unwrap_or(if self.quick { 2 } else { 10 }).max(1),
        }
    }

    fn graphs(&self, own: &[&str]) -> Vec<String> {
        let file = self.graph.iter().map(|path| path.display().to_string());
        let asked: Vec<String> = self.graphs.iter().cloned().chain(file).collect();
        if asked.is_empty() { own.iter().map(ToString::to_string).collect() } else { asked }
    }
}
