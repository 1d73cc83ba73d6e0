//! Running a fold to convergence on a backend.

use std::time::{Duration, Instant};

use onyx_device::Fold;

use crate::backend::{cpu, cuda, emulator};
use crate::decider::{Decider, Processor, explain_cpu};
use crate::engine::Outcome;
use crate::error::RunError;
use crate::graph::{Graph, OneWay};
use crate::options::{Backend, Direction, Observer, Options, Report, Status};
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
    if !store.fits(graph) || !std::ptr::eq(store.properties(), F::PROPERTIES) && store.properties() != F::PROPERTIES {
        return Err(RunError::Store { fold: F::NAME });
    }
    if F::EDGES.reads_reverse != 0 {
        graph.reverse_edges().map_err(|edge| no_reverse::<F>(graph, edge))?;
    }
    if options.direction == Some(Direction::Push) && !F::PUSHES {
        return Err(RunError::NotChangeDriven { fold: F::NAME });
    }
    if options.direction == Some(Direction::Push) && !options.may_push::<F>() {
        let option = if options.deterministic { "a deterministic run" } else { "a run that is not change-driven" };
        return Err(RunError::PushExcluded { fold: F::NAME, option });
    }
    if options.direction == Some(Direction::Push) && store.tiles() > 1 {
        let (features, widest) = (store.features(), store.tile_width());
        return Err(RunError::TiledPush { fold: F::NAME, features, widest });
    }
    check_start::<F>(graph, options)?;
    let options = &*options.by_tiles(store.tiles());
    store.remember();
    let ran = match options.backend {
        Backend::Cpu => cpu::run(fold, graph, store, options, observer)?,
        Backend::Emulator => emulator::run(fold, graph, store, options, observer)?,
        Backend::Cuda => cuda::run(fold, graph, store, options, observer)?,
        Backend::Auto => return auto(fold, graph, store, options, observer),
    };
    Ok(report::<F>(ran, options.backend, store, None))
}

fn check_start<F: Fold>(graph: &Graph, options: &Options) -> Result<(), RunError> {
    match &options.start {
        Some(_) if F::HAS_EDGES && !F::IS_ACTIVE => Err(RunError::Start { fold: F::NAME }),
        Some(start) if start.len() != graph.vertex_count() => {
            Err(RunError::StartSize { found: start.len(), expected: graph.vertex_count() })
        }
        _ => Ok(()),
    }
}

/// The first edge without a reverse, by the ids that its ends had in the file.
fn no_reverse<F: Fold>(graph: &Graph, OneWay { source, destination }: OneWay) -> RunError {
    let original = |vertex| graph.ids().original(vertex);
    RunError::NoReverse { fold: F::NAME, origin: original(source), destination: original(destination) }
}

/// The GPU where it can run the fold, otherwise the CPU with the reason.
fn auto<F: Fold>(
    fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Report, RunError> {
    match cuda::check(fold, graph, store, options) {
        Ok(()) => {
            let ran = cuda::run(fold, graph, store, options, observer)?;
            Ok(report::<F>(ran, Backend::Cuda, store, None))
        }
        Err(reason) => {
            let ran = cpu::run(fold, graph, store, options, observer)?;
            Ok(report::<F>(ran, Backend::Cpu, store, Some(reason.to_string())))
        }
    }
}

/// What is decided about running `fold` over `graph`, and why: one line a decision.
pub fn explain<F: Fold>(fold: F, graph: &Graph, store: &Store, options: &Options) -> Vec<String> {
    let options = &*options.by_tiles(store.tiles());
    let gpu = || cuda::decider::<F>(graph, store, options).map_or_else(|_| explain_cpu(), |decider| decider.explain());
    let explain = match options.backend {
        Backend::Cpu => explain_cpu(),
        Backend::Emulator => Decider::new::<F>(graph, store.tile_width(), options, Processor::default()).explain(),
        Backend::Cuda => gpu(),
        Backend::Auto if cuda::check(fold, graph, store, options).is_ok() => gpu(),
        Backend::Auto => explain_cpu(),
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

fn report<F: Fold>(ran: Ran, backend: Backend, store: &Store, fallback: Option<String>) -> Report {
    let diverged = store.non_finite(F::VERTICES.writes | F::EDGES.reduces & !F::VERTICES.reads).is_some();
    Report {
        backend,
        device: ran.device,
        fallback,
        schedule: ran.schedule,
        explain: explain_tiles(store).into_iter().chain(ran.explain).collect(),
        status: if diverged { Status::Diverged } else { ran.outcome.status },
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
