//! How many frequent sources have their rows packed.

use onyx_device::FoldFacts;

use super::Chosen;
use crate::graph::Graph;
use crate::packing::{self, Packing};
use crate::schedule::rule::{self, Facts};
use crate::schedule::{Form, Kernel};

/// How many frequent sources have their rows packed where words of vertices pull, or why none.
pub(super) fn packed(
    fold: &'static FoldFacts,
    graph: &Graph,
    form: Form,
    packing: Packing,
    facts: &Facts,
    pull: Kernel,
) -> Result<Chosen<usize>, String> {
    if pull != Kernel::WordPerWarp {
        return Err("words of vertices alone take packed rows".to_owned());
    }
    if let Some(why) = packing::why_not(fold, form) {
        return Err(why.to_owned());
    }
    if graph.edge_count() == 0 || u32::try_from(graph.vertex_count() + packing::ROOM).is_err() {
        return Err("there are no edges, or no numbers left for it".to_owned());
    }
    let count = (packing::ROOM / facts.neighbor.max(1) as usize).min(graph.vertex_count());
    match packing {
        Packing::Never => Err("it was asked for".to_owned()),
        Packing::Always => Ok(Chosen::new(count, "it was asked for")),
        Packing::Auto => {
            rule::sources_are_few(facts, || packing::share(graph, count)).map(|why| Chosen::new(count, why))
        }
    }
}
