//! Batches of a fold that were recorded as CUDA graphs. They stay with its kernels, for runs to come.

use std::collections::HashMap;

use cudarc::driver::CudaGraph;

use super::memory::CudaMemory;
use crate::backend::device::{Recorder, Recording};
use crate::error::RunError;

/// How many are kept: a run has a few, and those on other graphs and values are others.
const MOST: usize = 32;

/// What was recorded, with the names of its kernels. It is replayed where all arrays lie where they lay.
#[derive(Default)]
pub(super) struct RecordedBatches(HashMap<Recording, (CudaGraph, Vec<String>)>);

// SAFETY: a CUDA graph may be launched and destroyed by any thread, one at a time, and nothing but a mutex has these.
unsafe impl Send for RecordedBatches {}

impl RecordedBatches {
    /// Keeps a graph; all others go where there are many.
    pub(super) fn keep(&mut self, recording: Recording, graph: CudaGraph, kernels: Vec<String>) {
        if self.0.len() == MOST {
            self.0.clear();
        }
        self.0.insert(recording, (graph, kernels));
    }

    /// Replays a batch. The names of its kernels, if there is one.
    pub(super) fn replay(&self, recording: &Recording, memory: &CudaMemory) -> Result<Option<&[String]>, RunError> {
        let Some((graph, kernels)) = self.0.get(recording) else { return Ok(None) };
        memory.replay(graph)?;
        Ok(Some(kernels))
    }
}
