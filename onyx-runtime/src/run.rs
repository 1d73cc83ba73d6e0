//! Running a fold to convergence on a backend.

use std::time::{Duration, Instant};

use onyx_device::{Fold, FoldFacts};

use crate::backend::code::AnyFold;
use crate::backend::cuda::CudaSession;
use crate::backend::{cpu, cuda, emulator};
use crate::decider::{Decider, explain_cpu};
use crate::engine::{Outcome, Task};
use crate::error::{CudaError, RunError};
use crate::graph::Graph;
use crate::options::{Backend, Observer, Options, Report, Status};
use crate::requirements;
use crate::schedule::Form;
use crate::schedule::rule::Processor;
use crate::store::Store;

/// Runs `fold` over `graph` until no vertex changes, starting with all vertices active. The results are left in `store`.
///
/// Folds whose edge functions read nothing else that the fold writes than tracked properties of the source are *change-driven*: once few
/// edges are active, only changes are pushed. Every other fold is pulled in full in each iteration.
///
/// A row of more features than the widest compiled width is several tiles of it, which each launch has all of.
///
/// # Errors
/// [`RunError`] if the store does not fit, the backend cannot run, or a function panics. Then the store keeps the values it had, but for a panic
/// on the CPU: see [`RunError::Panic`].
pub fn converge<F: Fold>(
    _fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Report, RunError> {
    converge_any(AnyFold::of::<F>(), graph, store, options, observer)
}

fn converge_any(
    fold: AnyFold,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Report, RunError> {
    requirements::check(fold.facts, graph, store, options)?;
    let task = Task { graph, options, observer, looks: true };
    let (ran, backend, fallback) = match options.backend {
        Backend::Auto => auto(fold, task, store)?,
        backend => (run(fold, backend, task, store)?, backend, None),
    };
    store.ran(fold.facts);
    Ok(report(ran, backend, store, fallback))
}

fn run(fold: AnyFold, backend: Backend, task: Task<'_>, store: &mut Store) -> Result<Ran, RunError> {
    match backend {
        Backend::Cpu | Backend::Auto => cpu::run(fold, task, store),
        Backend::Emulator => emulator::run(fold, task, store, None),
        Backend::Cuda => cuda::run(fold, &CudaSession::new(0)?, task, store, None),
    }
}

/// The GPU where it can run the fold, otherwise the CPU with the reason.
fn auto(fold: AnyFold, task: Task<'_>, store: &mut Store) -> Result<(Ran, Backend, Option<String>), RunError> {
    match usable(fold.facts, task.graph, store, task.options) {
        Ok(session) => Ok((cuda::run(fold, &session, task, store, None)?, Backend::Cuda, None)),
        Err(reason) => {
            let ran = run(fold, Backend::Cpu, task, store)?;
            Ok((ran, Backend::Cpu, Some(reason.to_string())))
        }
    }
}

/// A session on the first GPU, if it can run the fold.
fn usable(fold: &'static FoldFacts, graph: &Graph, store: &Store, options: &Options) -> Result<CudaSession, CudaError> {
    let session = CudaSession::new(0)?;
    cuda::check(fold, &session, graph, store, options)?;
    Ok(session)
}

/// What is decided about running `fold` over `graph`, and why: one line a decision.
pub fn explain<F: Fold>(_fold: F, graph: &Graph, store: &Store, options: &Options) -> Vec<String> {
    explain_any(F::FACTS, graph, store, options)
}

/// The same, where the fold's type is not known.
pub(crate) fn explain_any(fold: &'static FoldFacts, graph: &Graph, store: &Store, options: &Options) -> Vec<String> {
    let of_processor = |lines: Vec<String>| explain_tiles(store).into_iter().chain(lines).collect();
    let gpu = |session: Result<CudaSession, _>| match session {
        Ok(session) => explain_on(fold, &session, graph, store, options),
        Err(_) => of_processor(explain_cpu(fold, graph, Form::of(store), options)),
    };
    match options.backend {
        Backend::Cpu => of_processor(explain_cpu(fold, graph, Form::of(store), options)),
        Backend::Emulator => {
            of_processor(Decider::new(fold, graph, Form::of(store), options, Processor::default()).explain())
        }
        Backend::Cuda => gpu(CudaSession::new(0)),
        Backend::Auto => gpu(usable(fold, graph, store, options)),
    }
}

/// The same for a run on this GPU.
pub(crate) fn explain_on(
    fold: &'static FoldFacts,
    session: &CudaSession,
    graph: &Graph,
    store: &Store,
    options: &Options,
) -> Vec<String> {
    explain_tiles(store).into_iter().chain(cuda::decider(fold, session, graph, store, options).explain()).collect()
}

/// The decision to take a row as tiles, if it was made.
fn explain_tiles(store: &Store) -> Option<String> {
    let (tiles, width) = (store.tiles(), store.tile_width());
    let text = match store.heads() {
        1 => format!("tiles: {tiles} of {width} features in each launch, because no wider one is compiled"),
        heads => format!("heads: {heads} of {width} features in each launch, as the data have"),
    };
    (tiles > 1).then_some(text)
}

/// What a backend has done.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) device: String,
    pub(crate) schedule: String,
    pub(crate) explain: Vec<String>,
    pub(crate) prepare: Duration,
}

/// The report on what a backend has done with `store`.
pub(crate) fn report(ran: Ran, backend: Backend, store: &Store, fallback: Option<String>) -> Report {
    Report {
        backend,
        device: ran.device,
        fallback,
        schedule: ran.schedule,
        explain: explain_tiles(store).into_iter().chain(ran.explain).collect(),
        status: if ran.outcome.diverged.is_some() { Status::Diverged } else { ran.outcome.status },
        diverged: ran.outcome.diverged,
        turn: ran.outcome.turn,
        iterations: ran.outcome.iterations,
        prepare: ran.prepare,
        run: ran.outcome.run,
    }
}

/// Measures how long `prepare` takes.
pub(crate) fn timed<T>(prepare: impl FnOnce() -> Result<T, RunError>) -> Result<(T, Duration), RunError> {
    let start = Instant::now();
    let value = prepare()?;
    Ok((value, start.elapsed()))
}
