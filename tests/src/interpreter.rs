//! Sequences of functions as serial loops in `f64`, written without Onyx.

use onyx_runtime::graph::Graph;

use crate::reference::Rows;

/// What a sequence works on.
#[derive(Clone, Debug)]
pub struct State {
    /// By edge.
    pub weight: Vec<f64>,
    /// By edge and feature.
    pub stamp: Rows,
    /// By vertex and feature.
    pub value: Rows,
    /// By vertex and feature.
    pub seed: Rows,
    /// By vertex and feature.
    pub sum: Rows,
    /// By vertex.
    pub mass: Vec<f64>,
    /// By vertex and feature.
    pub kept: Rows,
    /// Lighter edges and smaller values go no further.
    pub floor: f64,
    /// By vertex: whether it is active.
    pub active: Vec<bool>,
}

/// A stage: edge functions, then vertex functions, by name.
#[derive(Debug, Default)]
struct Stage<'a> {
    edges: Vec<&'a str>,
    vertices: Vec<&'a str>,
}

fn is_edge(function: &str) -> bool {
    matches!(function, "gather" | "weigh" | "stamp")
}

/// The stages of `gather, absorb; keep`.
fn stages(functions: &str) -> Vec<Stage<'_>> {
    let mut stages = Vec::new();
    for part in functions.split(';') {
        stages.push(Stage::default());
        for function in part.split(',').map(str::trim) {
            if is_edge(function) && stages.last().is_some_and(|stage| !stage.vertices.is_empty()) {
                stages.push(Stage::default());
            }
            let stage = stages.last_mut().expect("one was pushed");
            if is_edge(function) { stage.edges.push(function) } else { stage.vertices.push(function) }
        }
    }
    stages
}

/// One iteration. Returns how many vertices it leaves active.
pub fn step(graph: &Graph, state: &mut State, functions: &str, is_active: bool) -> usize {
    let first = state.active.clone();
    let mut alive: Option<Vec<bool>> = None;
    let mut outcome = Vec::new();
    for stage in stages(functions) {
        let reached = edges(graph, state, &stage, is_active.then_some(&first[..]));
        outcome = if stage.vertices.is_empty() {
            reached
        } else {
            let due = match (&alive, is_active, stage.edges.is_empty()) {
                (_, true, false) => reached,
                (Some(alive), ..) => alive.clone(),
                (None, true, true) => first.clone(),
                (None, false, _) => vec![true; first.len()],
            };
            let ran: Vec<bool> = (0..due.len()).map(|vertex| due[vertex] && vertices(state, &stage, vertex)).collect();
            alive = Some(ran.clone());
            ran
        };
    }
    state.active = outcome;
    state.active.iter().filter(|active| **active).count()
}

/// The edge functions of a stage. Returns which vertices were reached.
fn edges(graph: &Graph, state: &mut State, stage: &Stage<'_>, sources: Option<&[bool]>) -> Vec<bool> {
    if stage.edges.contains(&"gather") {
        state.sum.iter_mut().for_each(|row| row.fill(0.0));
    }
    if stage.edges.contains(&"weigh") {
        state.mass.fill(0.0);
    }
    let mut reached = vec![false; state.active.len()];
    if stage.edges.is_empty() {
        return reached;
    }
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize, destination as usize);
        if sources.is_none_or(|sources| sources[source]) {
            reached[destination] |=
                stage.edges.iter().all(|function| along(state, function, edge, source, destination));
        }
    }
    reached
}

fn along(state: &mut State, function: &str, edge: usize, source: usize, destination: usize) -> bool {
    let weight = state.weight[edge];
    let values = state.value[source].clone();
    match function {
        "gather" => state.sum[destination].iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value),
        "stamp" => state.stamp[edge].iter_mut().zip(&values).for_each(|(stamp, value)| *stamp = 0.5 * *stamp + value),
        _ => {
            state.mass[destination] += weight;
            return weight > state.floor;
        }
    }
    true
}

/// The vertex functions of a stage on one vertex. Returns whether all returned true.
fn vertices(state: &mut State, stage: &Stage<'_>, vertex: usize) -> bool {
    stage
        .vertices
        .iter()
        .all(|function| if *function == "absorb" { absorb(state, vertex) } else { keep(state, vertex) })
}

fn absorb(state: &mut State, vertex: usize) -> bool {
    for feature in 0..state.value[vertex].len() {
        let arrived = state.sum[vertex][feature] + state.seed[vertex][feature];
        state.value[vertex][feature] = arrived / (1.0 + state.mass[vertex]);
    }
    state.value[vertex].iter().any(|value| *value > state.floor)
}

fn keep(state: &mut State, vertex: usize) -> bool {
    state.value[vertex].iter_mut().for_each(|value| *value *= 0.75);
    let total: f64 = state.value[vertex].iter().map(|value| value + 2.0).sum();
    state.kept[vertex] = state.value[vertex].iter().map(|value| (value + 2.0) / total).collect();
    true
}
