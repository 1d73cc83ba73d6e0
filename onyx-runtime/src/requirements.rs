//! What a fold needs of a graph, a store and options, checked in one place before a run.

use onyx_device::property::Element;
use onyx_device::stage::{GraphTotal, TotalOperator};
use onyx_device::total::Below;
use onyx_device::{Fold, stage};

use crate::error::RunError;
use crate::graph::{Graph, OneWay};
use crate::options::{Direction, Options};
use crate::store::Store;

/// Whether `fold` can run over `graph` with `store` and `options`.
pub(crate) fn check<F: Fold>(graph: &Graph, store: &Store, options: &Options) -> Result<(), RunError> {
    check_shape(graph, store)?;
    check_data::<F>(store)?;
    check_options::<F>(graph, options)?;
    check_push::<F>(options)?;
    if F::EDGES.reads_reverse != 0 {
        graph.reverse_edges().map_err(|edge| no_reverse::<F>(graph, edge))?;
    }
    Ok(())
}

fn check_shape(graph: &Graph, store: &Store) -> Result<(), RunError> {
    let (found, expected) = (store.shape(), (graph.vertex_count(), graph.edge_count()));
    if found == expected { Ok(()) } else { Err(RunError::StoreGraph { found, expected }) }
}

fn check_data<F: Fold>(store: &Store) -> Result<(), RunError> {
    let fold = F::NAME;
    if store.data() != F::DATA || store.properties() != F::PROPERTIES {
        return Err(RunError::StoreData { fold, found: store.data(), expected: F::DATA });
    }
    let (width, widths) = (store.tile_width(), F::WIDTHS);
    if !widths.contains(&width) {
        return Err(RunError::StoreWidth { fold, width, widths });
    }
    let missing = F::SCRATCH_IN_MEMORY & !store.scratch_in_memory();
    if missing != 0 {
        let property = F::PROPERTIES[missing.trailing_zeros() as usize].name;
        return Err(RunError::StoreScratch { fold, property });
    }
    match F::WHY_NOT_TILED.filter(|_| store.tiles() > store.heads()) {
        Some(reason) => Err(RunError::TooWide { fold, features: store.features(), widest: store.tile_width(), reason }),
        None => Ok(()),
    }
}

fn check_options<F: Fold>(graph: &Graph, options: &Options) -> Result<(), RunError> {
    if options.group_size == Some(0) {
        return Err(RunError::GroupSize);
    }
    if options.deterministic {
        check_order::<F>()?;
    }
    if let Some(until) = options.until {
        check_until::<F>(until)?;
    }
    match &options.start {
        Some(_) if F::HAS_EDGES && !F::IS_ACTIVE => Err(RunError::Start { fold: F::NAME }),
        Some(start) if start.len() != graph.vertex_count() => {
            Err(RunError::StartSize { found: start.len(), expected: graph.vertex_count() })
        }
        _ => Ok(()),
    }
}

/// What is added to the rows of a table comes in no order that is the same each time.
fn check_order<F: Fold>() -> Result<(), RunError> {
    let sums =
        |of: &&GraphTotal| F::PROPERTIES[of.total].element == Element::Table && of.operator == TotalOperator::Sum;
    match F::STAGES.iter().flat_map(|stage| stage.totals).find(sums) {
        Some(of) => Err(RunError::Unordered { fold: F::NAME, table: F::PROPERTIES[of.total].name }),
        None => Ok(()),
    }
}

/// A run ends by a total of its own fold.
fn check_until<F: Fold>(until: Below) -> Result<(), RunError> {
    let (fold, is_own) = (F::NAME, until.data == F::DATA && stage::totals(F::STAGES) >> until.total & 1 == 1);
    let property = F::PROPERTIES.get(until.total).filter(|_| until.data == F::DATA);
    if is_own { Ok(()) } else { Err(RunError::Until { fold, total: property.map_or(until.data, |found| found.name) }) }
}

fn check_push<F: Fold>(options: &Options) -> Result<(), RunError> {
    let fold = F::NAME;
    if options.direction != Some(Direction::Push) {
        return Ok(());
    }
    if !F::PUSHES {
        return Err(RunError::NotChangeDriven { fold, reason: F::WHY_NOT_CHANGE_DRIVEN.filter(|_| !F::IS_ACTIVE) });
    }
    if !options.may_push::<F>() {
        let option = if options.deterministic { "a deterministic run" } else { "a run that is not change-driven" };
        return Err(RunError::PushExcluded { fold, option });
    }
    Ok(())
}

/// The first edge without a reverse, by the ids that its ends had in the file.
fn no_reverse<F: Fold>(graph: &Graph, OneWay { source, destination }: OneWay) -> RunError {
    let original = |vertex| graph.ids().original(vertex);
    RunError::NoReverse { fold: F::NAME, origin: original(source), destination: original(destination) }
}
