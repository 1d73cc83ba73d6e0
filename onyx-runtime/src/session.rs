//! Where graphs and data stay while folds run on them.
//!
//! A [`Session`] is one processor with its memory. A graph and the data of an algorithm are brought there once; runs read and write them where
//! they are, and only what somebody reads comes back:
//!
//! ```text
//! let session = Session::auto();
//! let graph = session.graph(&graph);
//! let mut data = session.data(step, &graph, 4)?;
//! data.write(LabelPropagation::SEED, &seeds)?;
//! let report = step.on(&graph, &mut data).until_settled(&Options::new())?;
//! let labels = data.read(LabelPropagation::LABEL)?;
//! ```

mod any_data;
mod borrowed;
mod data;
mod host;
mod lend;
mod matrix;
mod multiply;
mod part;
mod product;
mod recording;
mod resident;
mod rows;
mod run;
mod sequence;
mod shape;
mod tensor;
mod values;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use onyx_device::{Fold, FoldFacts, FoldOf};

pub use self::borrowed::{BorrowError, Borrowed};
pub use self::data::Data;
pub use self::lend::{Lender, LenderOfTwo};
pub(crate) use self::matrix::{DeviceRows, view, view_mut};
pub use self::matrix::{Matrix, MatrixMut};
pub(crate) use self::multiply::multiply;
pub use self::recording::Recording;
use self::recording::Rounds;
pub use self::resident::ResidentGraph;
pub(crate) use self::rows::Layout;
pub use self::rows::Rows;
pub use self::run::{RunFold, RunOn};
pub use self::sequence::Sequence;
pub use self::shape::{InPlace, Shaped};
pub use self::tensor::Tensor;
pub use self::values::Values;
use crate::backend::cuda::{self, CudaSession};
use crate::error::{CudaError, RunError};
use crate::graph::Graph;
use crate::options::{Backend, Options};
use crate::store::Store;

/// One processor, and what lives in its memory.
///
/// A clone is the same session.
#[derive(Clone)]
pub struct Session {
    processor: Processor,
    /// Why [`Session::auto`] has not taken a GPU.
    fallback: Option<String>,
    number: u64,
    rounds: Arc<Rounds>,
}

/// What the session's folds run on.
#[derive(Clone)]
pub(crate) enum Processor {
    Cpu,
    Emulator,
    Cuda(CudaSession),
}

/// The numbers of sessions and graphs, by which they know each other again.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Session {
    /// All CPU cores: the threads of the rayon pool that a run starts from, or of rayon's own. Without optimization, folds that are compiled for more than 32
    /// features need larger stacks than those have, and run on as many threads that have them, unless the run starts from a pool of yours.
    pub fn cpu() -> Self {
        Self::new(Processor::Cpu)
    }

    /// The warp emulator: a GPU's code on the host, slow, for tests.
    pub fn emulator() -> Self {
        Self::new(Processor::Emulator)
    }

    /// The NVIDIA GPU with this number, from 0.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`] or [`CudaError::NoDevice`].
    pub fn cuda(device: usize) -> Result<Self, CudaError> {
        Ok(Self::new(Processor::Cuda(CudaSession::new(device)?)))
    }

    /// The first NVIDIA GPU, or all CPU cores where there is none; [`Session::fallback`] then says why.
    ///
    /// A fold whose kernels are not built is an error there, not run on the CPU.
    pub fn auto() -> Self {
        match Self::cuda(0) {
            Ok(session) => session,
            Err(reason) => Self { fallback: Some(reason.to_string()), ..Self::cpu() },
        }
    }

    /// The session of a backend, as options name it.
    ///
    /// # Errors
    /// As [`Session::cuda`].
    pub fn of(backend: Backend) -> Result<Self, CudaError> {
        match backend {
            Backend::Auto => Ok(Self::auto()),
            Backend::Cpu => Ok(Self::cpu()),
            Backend::Cuda => Self::cuda(0),
            Backend::Emulator => Ok(Self::emulator()),
        }
    }

    /// The session of a backend in which `fold` can run: `auto` takes the GPU if it has the fold's kernels, made from this program's source,
    /// and memory for graph and data.
    ///
    /// # Errors
    /// As [`Session::of`] and [`Store::new`](crate::Store::new).
    pub fn able<F: Fold>(
        _fold: F,
        backend: Backend,
        graph: &Graph,
        features: usize,
        options: &Options,
    ) -> Result<Self, RunError> {
        Self::able_any(F::FACTS, backend, graph, features, options)
    }

    fn able_any(
        fold: &'static FoldFacts,
        backend: Backend,
        graph: &Graph,
        features: usize,
        options: &Options,
    ) -> Result<Self, RunError> {
        let session = Self::of(backend)?;
        let Processor::Cuda(gpu) = &session.processor else { return Ok(session) };
        if backend == Backend::Cuda {
            return Ok(session);
        }
        match cuda::check(fold, gpu, graph, &Store::of(fold, graph, 1, &[features])?, options) {
            Ok(()) => Ok(session),
            Err(reason) => Ok(Self { fallback: Some(reason.to_string()), ..Self::cpu() }),
        }
    }

    fn new(processor: Processor) -> Self {
        Self { processor, fallback: None, number: next_number(), rounds: Arc::default() }
    }

    /// What kind of processor it is.
    pub fn backend(&self) -> Backend {
        match self.processor {
            Processor::Cpu => Backend::Cpu,
            Processor::Emulator => Backend::Emulator,
            Processor::Cuda(_) => Backend::Cuda,
        }
    }

    /// Why [`Session::auto`] has taken the CPU.
    pub fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    /// Takes a graph into the session. What a fold needs of it is copied to the processor's memory by the first run that needs it.
    pub fn graph<'a>(&self, graph: &'a Graph) -> ResidentGraph<'a> {
        ResidentGraph::new(graph, self)
    }

    /// Takes a graph into the session as [`Session::graph`] does, and keeps it: for a graph that nobody else needs.
    pub fn own(&self, graph: Graph) -> ResidentGraph<'static> {
        ResidentGraph::owned(graph, self)
    }

    /// Data of the structure of `fold` for a graph, `features` floats in each row, all zero. Other folds of the structure take it as well if
    /// they are compiled for the same widths.
    ///
    /// # Errors
    /// As [`Store::new`](crate::Store::new); [`RunError::OtherSession`] if the graph is in another session.
    pub fn data<D, F: FoldOf<D>>(
        &self,
        _fold: F,
        graph: &ResidentGraph<'_>,
        features: usize,
    ) -> Result<Data<D>, RunError> {
        Data::new(F::FACTS, self, graph, (1, &[features]))
    }

    /// Data of a structure that has widths beside its number of features, `struct Layer<const K: usize, const J: usize>`: a number for each of its parameters,
    /// in their order. `session.data_of_widths(layer, &graph, &[16, 1433])` has 16 features, and 1,433 numbers in each row of a `VertexFeatures<J>`.
    ///
    /// # Errors
    /// As [`Store::new`](crate::Store::new), but [`RunError::Widths`] if there are not as many widths as parameters; [`RunError::InputWidth`] if one beside the
    /// number of features is 0, or more than 2^30; [`RunError::OtherSession`] if the graph is in another session.
    pub fn data_of_widths<D, F: FoldOf<D>>(
        &self,
        _fold: F,
        graph: &ResidentGraph<'_>,
        widths: &[usize],
    ) -> Result<Data<D>, RunError> {
        Data::new(F::FACTS, self, graph, (1, widths))
    }

    /// Data of a structure with [`VertexHeads`](onyx_device::heads::VertexHeads) or [`EdgeHeads`](onyx_device::heads::EdgeHeads): rows of `heads` heads, each of
    /// `features` floats, a width that the fold is compiled for. A row has all of them, `heads * features` floats, head after head.
    ///
    /// # Errors
    /// As [`Store::of_heads`](crate::Store::of_heads); [`RunError::OtherSession`] if the graph is in another session.
    pub fn data_of_heads<D, F: FoldOf<D>>(
        &self,
        _fold: F,
        graph: &ResidentGraph<'_>,
        heads: usize,
        features: usize,
    ) -> Result<Data<D>, RunError> {
        Data::new(F::FACTS, self, graph, (heads, &[features]))
    }

    /// Waits until all is done that was asked for: [`Sequence::run`] does not.
    ///
    /// # Errors
    /// What has gone wrong meanwhile; [`RunError::Recording`] inside of a recording.
    pub fn finish(&self) -> Result<(), RunError> {
        self.check_unrecorded(|| "waiting for the session is".to_owned())?;
        match &self.processor {
            Processor::Cuda(session) => session.noticing(session.synchronize().map_err(RunError::from)),
            Processor::Cpu | Processor::Emulator => Ok(()),
        }
    }

    /// The most bytes that arrays on the GPU have had at a time, since the process began or [`Session::forget_peak_memory`] was called. All sessions of the process
    /// on one GPU count together, with what products work in and what was [discarded](Data::discard), and without kernels and what the driver has for itself. Nothing on other processors, and where the
    /// driver does not say.
    pub fn peak_memory(&self) -> Option<u64> {
        match &self.processor {
            Processor::Cuda(session) => session.peak_memory(),
            Processor::Cpu | Processor::Emulator => None,
        }
    }

    /// Has [`Session::peak_memory`] begin again with what arrays have now.
    pub fn forget_peak_memory(&self) {
        if let Processor::Cuda(session) = &self.processor {
            session.forget_peak_memory();
        }
    }

    pub(crate) fn processor(&self) -> &Processor {
        &self.processor
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("backend", &self.backend()).field("number", &self.number).finish()
    }
}
