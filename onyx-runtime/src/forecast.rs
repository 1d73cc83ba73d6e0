//! What would be decided about a run on a GPU that need not be there.

use onyx_device::Fold;

use crate::decider::Decider;
use crate::graph::Graph;
use crate::options::Options;
use crate::schedule::Form;
use crate::schedule::rule::Processor;

/// A GPU, by what the choice of schedules looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// The number of its multiprocessors.
    pub multiprocessors: u64,
    /// Its second-level cache, in bytes.
    pub cache: u64,
}

impl Gpu {
    /// An NVIDIA H200.
    pub const H200: Self = Self { multiprocessors: 132, cache: 50 << 20 };
}

/// What would be decided about running `fold` over `graph` at the compiled `width` on a GPU, and why: one line a decision.
pub fn forecast<F: Fold>(_fold: F, graph: &Graph, width: usize, options: &Options, gpu: Gpu) -> Vec<String> {
    let processor = Processor { multiprocessors: gpu.multiprocessors, cache: gpu.cache };
    Decider::new(F::FACTS, graph, Form::narrow(width), options, processor).explain()
}
