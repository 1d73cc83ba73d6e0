//! What is known of a graph, in text for people or as one JSON object.

use onyx_runtime::graph::order::span_bound;
use serde::Serialize;
use serde_json::json;

use super::decisions::{Decisions, Device};
use super::degrees::{Bin, Distribution};
use super::facts::Facts;
use super::orders::OrderFacts;
use crate::error::CliError;
use crate::input::Input;
use crate::report::joined;

/// The longest bar of the histogram, in characters.
const BAR: u64 = 32;

/// What was found out.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What was counted.
    pub facts: Facts,
    /// What other orders do; none if nobody asked.
    pub orders: Vec<OrderFacts>,
    /// What would be decided.
    pub decisions: Vec<Decisions>,
    /// For which GPU.
    pub device: Device,
    /// How long all of this took.
    pub seconds: f64,
}

/// Groups of vertices as JSON.
#[derive(Serialize)]
struct Groups<'a> {
    count: usize,
    sizes: &'a Distribution,
}

/// The report as one line of JSON.
///
/// # Errors
/// None in practice: every field has a form in JSON.
pub fn json(input: &Input, inspection: &Inspection) -> Result<String, CliError> {
    let Inspection { facts, orders, decisions, device, seconds } = inspection;
    let graph = &input.graph;
    let (mean_edge_span, root) = (facts.mean_edge_span, facts.mean_edge_span.sqrt());
    let object = json!({
        "graph": { "name": input.source.to_string(), "vertices": graph.vertex_count(), "edges": graph.edge_count() },
        "weighted": graph.weights().is_some(), "symmetric": facts.is_symmetric,
        "loops": facts.loops, "duplicates": facts.duplicates, "isolated": facts.isolated,
        "in_degrees": facts.in_degrees, "out_degrees": facts.out_degrees,
        "components": Groups { count: facts.component_count, sizes: &facts.components },
        "communities": Groups { count: facts.community_count, sizes: &facts.communities },
        "mean_edge_span": mean_edge_span, "greatest_edge_span": facts.greatest_edge_span,
        "renumber": { "recommended": facts.is_worth_it, "root_of_span": root, "bound": span_bound(graph) },
        "orders": orders, "device": device, "decisions": decisions,
        "seconds": { "load": input.load.as_secs_f64(), "inspect": seconds },
    });
    Ok(serde_json::to_string(&object)? + "\n")
}

/// The report in lines of text.
pub fn text(input: &Input, inspection: &Inspection) -> String {
    let facts = &inspection.facts;
    let mut lines = counts(input, facts);
    lines.extend(degrees(facts));
    lines.extend(histogram(facts));
    lines.extend(locality(input, facts));
    lines.extend(inspection.orders.iter().map(order));
    lines.extend(decisions(inspection));
    joined(&lines)
}

fn counts(input: &Input, facts: &Facts) -> Vec<String> {
    let (graph, load) = (&input.graph, input.load.as_secs_f64() * 1e3);
    let Facts { loops, duplicates, isolated, is_symmetric, components, component_count, .. } = facts;
    let ways = if *is_symmetric { "every edge has its reverse" } else { "some edges have no reverse" };
    let weights = if graph.weights().is_some() { "weights" } else { "no weights" };
    vec![
        format!(
            "{}: {} vertices, {} edges with {weights}, loaded in {load:.3} ms",
            input.source,
            graph.vertex_count(),
            graph.edge_count()
        ),
        format!("{loops} loops, {duplicates} edges that are there already, {isolated} vertices without edges; {ways}"),
        format!("components: {component_count}, of {} to {} vertices", components.minimum, components.maximum),
    ]
}

fn degrees(facts: &Facts) -> Vec<String> {
    let row = |name: &str, degrees: &Distribution| {
        let Distribution { minimum, median, mean, p99, maximum, .. } = degrees;
        format!("{name:<10}{minimum:>10}{median:>10}{mean:>12.2}{p99:>10}{maximum:>10}")
    };
    let head = format!("{:<10}{:>10}{:>10}{:>12}{:>10}{:>10}", "edges", "minimum", "median", "mean", "p99", "maximum");
    vec![head, row("in", &facts.in_degrees), row("out", &facts.out_degrees)]
}

/// The number of vertices of each degree, by powers of two.
fn histogram(facts: &Facts) -> Vec<String> {
    let [into, out] = [&facts.in_degrees.histogram, &facts.out_degrees.histogram];
    let most = into.iter().chain(out).map(|bin| bin.count).max().unwrap_or(0).max(1);
    let side = |bins: &[Bin], place: usize| {
        let count = bins.get(place).map_or(0, |bin| bin.count);
        format!("{count:>10} {:<width$}", bar(count, most), width = BAR as usize)
    };
    let longest = if into.len() > out.len() { into } else { out };
    let row = |(place, bin): (usize, &Bin)| {
        let line = format!("{:<22}{} {}", bin.to_string(), side(into, place), side(out, place));
        line.trim_end().to_owned()
    };
    let width = BAR as usize;
    let head = format!("{:<22}{:>10} {:<width$} {:>10}", "edges of a vertex", "in", "", "out");
    std::iter::once(head).chain(longest.iter().enumerate().map(row)).collect()
}

/// A bar for a count; one that is not nothing can be seen.
fn bar(count: u64, most: u64) -> String {
    let length = (u128::from(count) * u128::from(BAR)).div_ceil(most.into());
    "#".repeat(length as usize)
}

fn locality(input: &Input, facts: &Facts) -> Vec<String> {
    let Facts { mean_edge_span, greatest_edge_span, communities, community_count, .. } = facts;
    let Distribution { minimum, median, maximum, .. } = communities;
    let (root, bound) = (mean_edge_span.sqrt(), span_bound(&input.graph));
    let advice = if facts.is_worth_it {
        format!("recommended (--order auto): the root of the average edge span, {root:.1}, is above {bound}")
    } else {
        format!("not recommended: the root of the average edge span, {root:.1}, is not above {bound}")
    };
    vec![
        format!("communities: {community_count}, of {minimum} to {maximum} vertices, median {median}"),
        format!("average edge span {mean_edge_span:.1}, at most {greatest_edge_span}"),
        format!("renumbering is {advice}"),
    ]
}

fn order(order: &OrderFacts) -> String {
    let OrderFacts { name, mean_edge_span, greatest_edge_span, order_seconds, renumber_seconds } = order;
    let [order, renumber] = [order_seconds, renumber_seconds].map(|seconds| seconds * 1e3);
    let span = format!("average edge span {mean_edge_span:.1}, at most {greatest_edge_span}");
    format!("in {name} order: {span}; ordered in {order:.3} ms, renumbered in {renumber:.3} ms")
}

fn decisions(inspection: &Inspection) -> Vec<String> {
    let Device { multiprocessors, cache } = inspection.device;
    let head = format!(
        "a weighted sum of neighbors, on a GPU of {multiprocessors} multiprocessors and {cache} MiB of L2 cache:"
    );
    let lines = inspection.decisions.iter().flat_map(|Decisions { features, lines }| {
        lines.iter().map(move |line| format!("  {features:>3} features: {line}"))
    });
    std::iter::once(head).chain(lines).collect()
}
