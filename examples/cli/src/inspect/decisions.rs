//! Which schedules would be chosen.

use onyx_examples::label_propagation::step;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Gpu, Options, forecast};
use serde::Serialize;

/// The widths at which is decided: narrow, a warp's half, and wide rows.
const WIDTHS: [usize; 4] = [1, 16, 64, 128];
/// The bytes of a MiB.
const MEBIBYTE: u64 = 1 << 20;

/// A GPU, as a command line names it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Device {
    /// The number of multiprocessors.
    pub multiprocessors: usize,
    /// The second-level cache, in MiB.
    pub cache: usize,
}

/// What is decided at a width, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Decisions {
    /// The features of a vertex.
    pub features: usize,
    /// A line a decision.
    pub lines: Vec<String>,
}

impl Default for Device {
    fn default() -> Self {
        let Gpu { multiprocessors, cache } = Gpu::H200;
        Self { multiprocessors: multiprocessors as usize, cache: (cache / MEBIBYTE) as usize }
    }
}

/// What is decided about label propagation, whose edge function is a weighted sum as those of most layers are, on a GPU.
pub fn at_widths(graph: &Graph, device: Device) -> Vec<Decisions> {
    let gpu =
        Gpu { multiprocessors: device.multiprocessors as u64, cache: (device.cache as u64).saturating_mul(MEBIBYTE) };
    let decided = |features| forecast(step, graph, features, &Options::default(), gpu);
    WIDTHS.into_iter().map(|features| Decisions { features, lines: decided(features) }).collect()
}
