//! The programs of [`crate::echo`] as serial loops, and the checks against them.

use std::collections::HashMap;

use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Direction, Options, Schedule, Store};

use crate::check::{self, Numbers, Place, assert_close, copy};
use crate::echo::{Echo, converse, echo, reply};
use crate::reference::Rows;

const ITERATIONS: usize = 5;

/// The graph with every edge doubled by its reverse; duplicates and loops stay.
pub fn both_ways(graph: &Graph) -> Graph {
    let edges = graph.edges().flat_map(|(_, source, destination)| [(source, destination), (destination, source)]);
    let builder = GraphBuilder::new().vertices(graph.vertex_count()).edges(edges.collect());
    builder.build().expect("the edges lie among the vertices")
}

/// The number of each edge's reverse: among equal edges, the one of the same rank.
pub fn reverse(graph: &Graph) -> Vec<usize> {
    let mut equal: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    graph.edges().for_each(|(edge, source, destination)| equal.entry((source, destination)).or_default().push(edge));
    let mut reverse = vec![0; graph.edge_count()];
    for ((source, destination), edges) in &equal {
        edges.iter().zip(&equal[&(*destination, *source)]).for_each(|(edge, back)| reverse[*edge] = *back);
    }
    reverse
}

struct Start {
    message: Rows,
    flow: Vec<f64>,
    bias: Rows,
}

/// What flows out of a vertex is less than one in all, so that beliefs stay small.
fn start(graph: &Graph, features: usize) -> Start {
    let mut numbers = Numbers(features as u32 + 5);
    let message = numbers.rows(graph.edge_count(), features);
    let share = |(_, source, _)| numbers.next() / (1 + graph.out_degree(source)) as f64;
    let flow = graph.edges().map(share).collect();
    Start { message, flow, bias: numbers.rows(graph.vertex_count(), features) }
}

fn store(graph: &Graph, features: usize, start: &Start) -> Store {
    let mut store = Store::new(echo, graph, features).expect("a compiled width");
    start.message.iter().enumerate().for_each(|(edge, row)| copy(store.edge_row_mut(Echo::MESSAGE, edge), row));
    (0..).zip(&start.bias).for_each(|(vertex, row)| copy(store.row_mut(Echo::BIAS, vertex), row));
    copy(store.edge_scalars_mut(Echo::FLOW), &start.flow);
    store.set(Echo::TOLERANCE, 1e-6);
    store
}

/// `reply`: what each edge is answered.
pub fn replies_agree(graph: &Graph, features: usize, place: Place) {
    let (start, reverse) = (start(graph, features), reverse(graph));
    let mut store = store(graph, features, &start);
    check::run(graph, &mut store, reply, &check::options(place, 2));
    let mut heard = vec![vec![0.0; features]; graph.vertex_count()];
    for (edge, _, destination) in graph.edges() {
        let (sent, back) = (&start.message[edge], &start.message[reverse[edge]]);
        let answer: Vec<f64> = sent.iter().zip(back).map(|(sent, back)| back - 0.5 * sent).collect();
        assert_close("answer", store.edge_row(Echo::ANSWER, edge), &answer);
        let heard = heard[destination as usize].iter_mut().zip(back);
        heard.for_each(|(heard, back)| *heard += back * start.flow[reverse[edge]]);
    }
    let balance: Vec<f64> = reverse.iter().zip(&start.flow).map(|(back, flow)| flow - start.flow[*back]).collect();
    assert_close("balance", store.edge_scalars(Echo::BALANCE), &balance);
    let rows = (0..).zip(&heard);
    rows.for_each(|(vertex, row)| assert_close("heard", store.row(Echo::HEARD, vertex), row));
}

/// One iteration of `echo`.
fn listen_once(graph: &Graph, start: &Start, reverse: &[usize], belief: &Rows) -> Rows {
    let mut next = start.bias.clone();
    for (edge, source, destination) in graph.edges() {
        let (back, flow) = (&start.message[reverse[edge]], start.flow[reverse[edge]]);
        for (feature, next) in next[destination as usize].iter_mut().enumerate() {
            *next += flow * back[feature] * belief[source as usize][feature];
        }
    }
    next
}

/// `echo`, pulled, or pushed where that is asked for.
pub fn echoes_agree(graph: &Graph, features: usize, place: Place, direction: Direction) {
    let (start, reverse) = (start(graph, features), reverse(graph));
    let mut store = store(graph, features, &start);
    let options = Options { direction: Some(direction), ..check::options(place, ITERATIONS) };
    check::run(graph, &mut store, echo, &options);
    let mut belief = vec![vec![0.0; features]; graph.vertex_count()];
    (0..ITERATIONS).for_each(|_| belief = listen_once(graph, &start, &reverse, &belief));
    let rows = (0..).zip(&belief);
    rows.for_each(|(vertex, row)| assert_close("belief", store.row(Echo::BELIEF, vertex), row));
}

/// `converse`: the messages of each iteration.
pub fn messages_agree(graph: &Graph, features: usize, place: Place) {
    let (start, reverse) = (start(graph, features), reverse(graph));
    let mut store = store(graph, features, &start);
    check::run(graph, &mut store, converse, &check::options(place, ITERATIONS));
    let mut message = start.message;
    for _ in 0..ITERATIONS {
        let mix = |(sent, back): (&Vec<f64>, &usize)| {
            sent.iter().zip(&message[*back]).map(|(sent, back)| 0.25 * sent + 0.5 * back).collect()
        };
        message = message.iter().zip(&reverse).map(mix).collect();
    }
    let rows = message.iter().enumerate();
    rows.for_each(|(edge, row)| assert_close("message", store.edge_row(Echo::MESSAGE, edge), row));
}

/// All folds, in both directions, under every schedule.
pub fn agree(graph: &Graph, features: usize, place: Place) {
    for schedule in Schedule::ALL {
        let place = place.by(schedule);
        replies_agree(graph, features, place);
        messages_agree(graph, features, place);
        for direction in [Direction::Pull, Direction::Push] {
            echoes_agree(graph, features, place, direction);
        }
    }
}
