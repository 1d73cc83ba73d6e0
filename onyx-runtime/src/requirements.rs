//! What a fold needs of a graph, a store and options, checked in one place before a run.

use onyx_device::property::Element;
use onyx_device::stage::{GraphTotal, TotalOperator};
use onyx_device::total::Below;
use onyx_device::{FoldFacts, stage};

use crate::error::RunError;
use crate::graph::{Graph, OneWay};
use crate::options::{Direction, Options};
use crate::store::Store;

/// Whether `fold` can run over `graph` with `store` and `options`.
pub(crate) fn check(fold: &'static FoldFacts, graph: &Graph, store: &Store, options: &Options) -> Result<(), RunError> {
    check_shape(graph, store)?;
    check_data(fold, store)?;
    check_options(fold, graph, options)?;
    check_push(fold, options)?;
    if fold.edges.reads_reverse != 0 {
        graph.reverse_edges().map_err(|edge| no_reverse(fold, graph, edge))?;
    }
    Ok(())
}

fn check_shape(graph: &Graph, store: &Store) -> Result<(), RunError> {
    let (found, expected) = (store.shape(), (graph.vertex_count(), graph.edge_count()));
    if found == expected { Ok(()) } else { Err(RunError::StoreGraph { found, expected }) }
}

fn check_data(fold: &'static FoldFacts, store: &Store) -> Result<(), RunError> {
    let name = fold.declared_name;
    if store.data() != fold.data || store.properties() != fold.properties {
        return Err(RunError::StoreData { fold: name, found: store.data(), expected: fold.data });
    }
    let (width, widths) = (store.tile_width(), fold.widths);
    if !widths.contains(&width) {
        return Err(RunError::StoreWidth { fold: name, width, widths });
    }
    match fold.why_not_tiled.filter(|_| store.tiles() > store.heads()) {
        Some(reason) => {
            Err(RunError::TooWide { fold: name, features: store.features(), widest: store.tile_width(), reason })
        }
        None => Ok(()),
    }
}

fn check_options(fold: &'static FoldFacts, graph: &Graph, options: &Options) -> Result<(), RunError> {
    if options.group_size == Some(0) {
        return Err(RunError::GroupSize);
    }
    if !options.bins.are_possible() {
        return Err(RunError::Bins);
    }
    if options.deterministic {
        check_order(fold)?;
    }
    if let Some(until) = options.until {
        check_until(fold, until)?;
    }
    match &options.start {
        Some(_) if fold.has_edges && !fold.is_active => Err(RunError::Start { fold: fold.declared_name }),
        Some(start) if start.len() != graph.vertex_count() => {
            Err(RunError::StartSize { found: start.len(), expected: graph.vertex_count() })
        }
        _ => Ok(()),
    }
}

/// What is added to the rows of a table comes in no order that is the same each time.
fn check_order(fold: &'static FoldFacts) -> Result<(), RunError> {
    let sums =
        |of: &&GraphTotal| fold.properties[of.total].element == Element::Table && of.operator == TotalOperator::Sum;
    match fold.stages.iter().flat_map(|stage| stage.totals).find(sums) {
        Some(of) => Err(RunError::Unordered { fold: fold.declared_name, table: fold.properties[of.total].name }),
        None => Ok(()),
    }
}

/// A run ends by a total of its own fold.
fn check_until(fold: &'static FoldFacts, until: Below) -> Result<(), RunError> {
    let is_own = until.data == fold.data && stage::totals(fold.stages) >> until.total & 1 == 1;
    let property = fold.properties.get(until.total).filter(|_| until.data == fold.data);
    match property {
        _ if is_own => Ok(()),
        Some(total) => Err(RunError::Until { fold: fold.declared_name, total: total.name }),
        None => Err(RunError::UntilOfOthers { fold: fold.declared_name, data: fold.data, of: until.data }),
    }
}

fn check_push(fold: &'static FoldFacts, options: &Options) -> Result<(), RunError> {
    let name = fold.declared_name;
    if options.direction != Some(Direction::Push) {
        return Ok(());
    }
    if !fold.pushes {
        return Err(RunError::NotChangeDriven {
            fold: name,
            reason: fold.why_not_change_driven.filter(|_| !fold.is_active),
        });
    }
    if !options.may_push(fold) {
        let option = if options.deterministic { "a deterministic run" } else { "a run that is not change-driven" };
        return Err(RunError::PushExcluded { fold: name, option });
    }
    Ok(())
}

/// The first edge without a reverse, by the ids that its ends had in the file.
fn no_reverse(fold: &'static FoldFacts, graph: &Graph, OneWay { source, destination }: OneWay) -> RunError {
    let original = |vertex| graph.ids().original(vertex);
    RunError::NoReverse { fold: fold.declared_name, origin: original(source), destination: original(destination) }
}
