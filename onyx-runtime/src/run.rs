//! Running a fold to convergence on a backend.

use std::time::{Duration, Instant};

use onyx_device::Fold;

use crate::backend::{cpu, cuda, emulator};
use crate::decider::{Decider, Processor, explain_cpu};
use crate::divergence::Divergence;
use crate::engine::Outcome;
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Backend, Observer, Options, Report, Status};
use crate::requirements;
use crate::store::Store;

/// Runs `fold` over `graph` until no vertex changes, starting with all vertices active. The results are left in `store`.
///
/// Folds whose edge functions read nothing else that the fold writes than tracked properties of the source are *change-driven*: once few
/// edges are active, only changes are pushed. Every other fold is pulled in full in each iteration.
///
/// More features than the widest compiled width are run as several tiles of it, in lockstep, one pull at a time and without pushes. Each tile has
/// a copy of the graph's edges on a GPU.
///
/// # Errors
/// [`RunError`] if the store does not fit, the backend cannot run, or a function panics. Then the store keeps the values it had, but for a panic
/// on the CPU: see [`RunError::Panic`].
pub fn converge<F: Fold>(
    fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Report, RunError> {
    requirements::check::<F>(graph, store, options)?;
    let options = &*options.by_tiles(store.tiles());
    store.remember();
    let divergence = Divergence::begin::<F>(store);
    let ran = match options.backend {
        Backend::Cpu => cpu::run(fold, graph, store, options, observer)?,
        Backend::Emulator => emulator::run(fold, graph, store, options, observer)?,
        Backend::Cuda => cuda::run(fold, graph, store, options, observer)?,
        Backend::Auto => return auto(fold, graph, store, options, observer, divergence),
    };
    Ok(report::<F>(ran, options.backend, store, divergence, None))
}

/// The GPU where it can run the fold, otherwise the CPU with the reason.
fn auto<F: Fold>(
    fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
    divergence: Divergence,
) -> Result<Report, RunError> {
    match cuda::check(fold, graph, store, options) {
        Ok(()) => {
            let ran = cuda::run(fold, graph, store, options, observer)?;
            Ok(report::<F>(ran, Backend::Cuda, store, divergence, None))
        }
        Err(reason) => {
            let ran = cpu::run(fold, graph, store, options, observer)?;
            Ok(report::<F>(ran, Backend::Cpu, store, divergence, Some(reason.to_string())))
        }
    }
}

/// What is decided about running `fold` over `graph`, and why: one line a decision.
pub fn explain<F: Fold>(fold: F, graph: &Graph, store: &Store, options: &Options) -> Vec<String> {
    let options = &*options.by_tiles(store.tiles());
    let gpu = || {
        cuda::decider::<F>(graph, store, options)
            .map_or_else(|_| explain_cpu::<F>(options), |decider| decider.explain())
    };
    let explain = match options.backend {
        Backend::Cpu => explain_cpu::<F>(options),
        Backend::Emulator => Decider::new::<F>(graph, store.tile_width(), options, Processor::default()).explain(),
        Backend::Cuda => gpu(),
        Backend::Auto if cuda::check(fold, graph, store, options).is_ok() => gpu(),
        Backend::Auto => explain_cpu::<F>(options),
    };
    explain_tiles(store).into_iter().chain(explain).collect()
}

/// The decision to run by tiles, if it was made.
fn explain_tiles(store: &Store) -> Option<String> {
    let (tiles, width) = (store.tiles(), store.tile_width());
    (tiles > 1)
        .then(|| format!("tiles: {tiles} of {width} features, which pull alone, because no wider one is compiled"))
}

/// What a backend has done.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) device: String,
    pub(crate) schedule: String,
    pub(crate) explain: Vec<String>,
    pub(crate) prepare: Duration,
}

fn report<F: Fold>(
    ran: Ran,
    backend: Backend,
    store: &mut Store,
    divergence: Divergence,
    fallback: Option<String>,
) -> Report {
    store.note_totals::<F>();
    let diverged = divergence.find::<F>(store);
    Report {
        backend,
        device: ran.device,
        fallback,
        schedule: ran.schedule,
        explain: explain_tiles(store).into_iter().chain(ran.explain).collect(),
        status: if diverged.is_some() { Status::Diverged } else { ran.outcome.status },
        diverged,
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
