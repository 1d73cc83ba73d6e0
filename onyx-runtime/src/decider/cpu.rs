//! What is decided for the CPU.

use onyx_device::FoldFacts;

use super::pull::takes_graphs;
use super::push::why_never_pushed;
use crate::bins::Bins;
use crate::graph::Graph;
use crate::options::Options;
use crate::schedule::{Form, Schedule};

/// Whether the CPU runs all stages of the fold graph by graph.
pub(crate) fn takes_graphs_on_cpu(fold: &'static FoldFacts, graph: &Graph, form: Form, options: &Options) -> bool {
    let is_asked = matches!(options.schedule, Schedule::Auto | Schedule::GraphPerBlock);
    is_asked && takes_graphs(fold, graph, form).is_ok()
}

/// The decisions on a run of the fold on the CPU.
pub(crate) fn explain_cpu(fold: &'static FoldFacts, graph: &Graph, form: Form, options: &Options) -> Vec<String> {
    let rows = if takes_graphs_on_cpu(fold, graph, form, options) {
        "rows: graph by graph, because the graph is a batch, and a CPU thread takes some of its graphs through all stages"
    } else {
        "rows: balanced, because each CPU thread takes ranges of about equally many edges"
    };
    let rows = rows.to_owned();
    let never = (fold.has_edges && !options.may_push(fold))
        .then(|| format!("push: never, because {}", why_never_pushed(fold, options)));
    let is_asked = fold.has_edges && options.bins != Bins::None;
    let bins = is_asked.then(|| "bins: 1, because a CPU thread takes whole rows".to_owned());
    std::iter::once(rows).chain(bins).chain(never).collect()
}
