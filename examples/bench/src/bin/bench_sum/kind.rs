//! What is computed of the edges of a vertex.

use std::fmt;
use std::time::Duration;

use onyx_bench::batch::sequence_times;
use onyx_bench::sums::{Sums, brain_sum, half_sum, half_sum_by_fours, maximum, mean, softmax_sum, weighted_sum};
use onyx_device::FoldOf;
use onyx_device::stored::Number;
use onyx_runtime::{Direction, Options, ResidentGraph, RunError, RunFold, Sequence};

use crate::problem::Problem;

/// A reduction over incoming edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sum,
    HalfSum,
    HalfSumByFours,
    BrainSum,
    Mean,
    Maximum,
    Softmax,
}

impl Kind {
    /// Those that are compared with the weighted sum.
    pub const OTHERS: [Self; 5] = [Self::Mean, Self::Maximum, Self::Softmax, Self::HalfSum, Self::BrainSum];

    /// The fewest features that it is compiled for; narrower rows would be padded.
    pub fn least_features(self) -> usize {
        match self {
            Self::Sum => 1,
            Self::Mean | Self::Maximum | Self::Softmax => 4,
            Self::HalfSum | Self::HalfSumByFours | Self::BrainSum => 32,
        }
    }

    /// What rows are of.
    pub fn number(self) -> Number {
        match self {
            Self::HalfSum | Self::HalfSumByFours => Number::F16,
            Self::BrainSum => Number::Bf16,
            _ => Number::F32,
        }
    }

    /// Whether what comes to a vertex grows with its edges.
    pub fn is_sum(self) -> bool {
        !matches!(self, Self::Mean | Self::Maximum | Self::Softmax)
    }

    /// Whether rows have two bytes a feature.
    pub fn is_half(self) -> bool {
        self.number() != Number::F32
    }

    /// Runs it so many times: the device, the time of each iteration, and the totals.
    pub fn run(
        self,
        graph: &ResidentGraph<'_>,
        problem: &Problem<'_>,
        group_size: Option<usize>,
        iterations: usize,
    ) -> Result<(String, Vec<Duration>, Vec<f32>), RunError> {
        let options = Options { direction: Some(Direction::Pull), read_every: 1, group_size, ..Options::default() };
        let number = self.number();
        match self {
            Self::Sum => run(weighted_sum, number, graph, problem, &options, iterations),
            Self::HalfSum => run(half_sum, number, graph, problem, &options, iterations),
            Self::HalfSumByFours => run(half_sum_by_fours, number, graph, problem, &options, iterations),
            Self::BrainSum => run(brain_sum, number, graph, problem, &options, iterations),
            Self::Mean => run(mean, number, graph, problem, &options, iterations),
            Self::Maximum => run(maximum, number, graph, problem, &options, iterations),
            Self::Softmax => run(softmax_sum, number, graph, problem, &options, iterations),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Sum => "weighted sum",
            Self::HalfSum => "weighted sum of f16 rows",
            Self::HalfSumByFours => "weighted sum of f16 rows with four features a lane",
            Self::BrainSum => "weighted sum of bf16 rows",
            Self::Mean => "mean",
            Self::Maximum => "maximum",
            Self::Softmax => "softmax-weighted sum",
        })
    }
}

/// Each iteration is over all vertices.
fn run<F: FoldOf<Sums<0>> + Copy>(
    fold: F,
    number: Number,
    graph: &ResidentGraph<'_>,
    problem: &Problem<'_>,
    options: &Options,
    iterations: usize,
) -> Result<(String, Vec<Duration>, Vec<f32>), RunError> {
    let mut data = graph.session().data(fold, graph, problem.features)?;
    data.write(Sums::WEIGHT, problem.weights())?;
    match number {
        Number::F16 => data.write(Sums::HALF, problem.rows())?,
        Number::Bf16 => data.write(Sums::BRAIN, problem.rows())?,
        _ => data.write(Sums::X, problem.rows())?,
    }
    let device = fold.on(graph, &mut data).times(1, options)?.device;
    let mut sums = Sequence::new(graph).then(fold).with(options);
    let times = sequence_times(&mut sums, &mut data, graph.session(), iterations)?;
    let found = data.read(Sums::TOTAL)?.iter().copied().collect();
    Ok((device, times, found))
}
