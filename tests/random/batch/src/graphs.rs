//! The graphs that programs run on: those that break schedules, and random ones. No vertex has more incoming edges than programs allow.

use onyx_random::dice::Dice;
use onyx_random::limits::MOST_INCOMING;
use onyx_random::network::Network;
use onyx_runtime::graph::{Graph, GraphBuilder};

/// A graph and what it is called.
#[derive(Debug)]
pub struct Sample {
    /// What it is like.
    pub name: String,
    /// The graph.
    pub graph: Graph,
}

type Edges = Vec<(u32, u32)>;

/// Draws a graph. Where `is_undirected`, every edge has a reverse. Only where `is_long` may a vertex have more outgoing edges than incoming ones.
pub fn draw(dice: &mut Dice, is_undirected: bool, is_long: bool) -> Sample {
    let (name, vertices, edges) = match dice.below(12) {
        0 => ("no vertex".to_string(), 0, Vec::new()),
        1 => ("one vertex".to_string(), 1, vec![(0, 0); dice.below(3)]),
        2 => ("isolated vertices".to_string(), 40, vec![(3, 4)]),
        3 => ("duplicates".to_string(), 3, [vec![(0, 1); 40], vec![(1, 2); 5]].concat()),
        4 => ("path".to_string(), 33, (0..32).map(|vertex| (vertex, vertex + 1)).collect()),
        5 => hub(dice),
        6 if !is_undirected && is_long => source(dice),
        _ => random(dice),
    };
    let graph = build(vertices, edges, is_undirected);
    if vertices == 0 || dice.chance(50) {
        return Sample { name, graph };
    }
    let (name, offsets) = (format!("{name}, as a batch"), apart(&graph));
    Sample { name, graph: graph.with_members(offsets).expect("no edge leads from one part into another") }
}

/// Where a graph can be cut without cutting an edge: the first vertex of each part, and the number of vertices.
fn apart(graph: &Graph) -> Vec<u32> {
    let mut last: Vec<u32> = (0..graph.vertex_count() as u32).collect();
    for (_, source, destination) in graph.edges() {
        let first = source.min(destination) as usize;
        last[first] = last[first].max(source.max(destination));
    }
    let (mut offsets, mut reached) = (vec![0], 0);
    for (vertex, last) in (0..).zip(last) {
        reached = last.max(reached);
        offsets.extend((reached == vertex).then_some(vertex + 1));
    }
    offsets
}

/// A vertex that many others point to, and some of them have further edges.
fn hub(dice: &mut Dice) -> (String, u32, Edges) {
    let leaves = dice.between(30, 80) as u32;
    let back = (1..=leaves).step_by(dice.between(1, 7)).map(|leaf| (0, leaf));
    let rest = (1..leaves).step_by(3).map(|leaf| (leaf, leaf + 1));
    let edges = (1..=leaves).map(|leaf| (leaf, 0)).chain(back).chain(rest).collect();
    (format!("hub of {leaves}"), leaves + 1, edges)
}

/// A vertex that points to so many others that its row is cut in pieces.
fn source(dice: &mut Dice) -> (String, u32, Edges) {
    let edges = (0..300).map(|edge| (0, edge % 90)).chain((1..90).map(|leaf| (leaf, dice.below(5) as u32)));
    ("source of 300".to_string(), 90, edges.collect())
}

fn random(dice: &mut Dice) -> (String, u32, Edges) {
    let vertices = dice.between(2, 45) as u32;
    let edges = dice.between(0, 110);
    let vertex = |dice: &mut Dice| dice.below(vertices as usize) as u32;
    let mut list: Edges = (0..edges).map(|_| (vertex(dice), vertex(dice))).collect();
    let doubled = list.iter().copied().step_by(9).collect::<Edges>();
    list.extend(doubled);
    (format!("random, {vertices} vertices"), vertices, list)
}

/// Leaves out edges where a vertex has as many as it may.
fn build(vertices: u32, edges: Edges, is_undirected: bool) -> Graph {
    let most = if is_undirected { MOST_INCOMING / 2 } else { MOST_INCOMING };
    let mut degrees = vec![0; vertices as usize];
    let mut fits = |source: u32, destination: u32| {
        degrees[destination as usize] += 1;
        degrees[source as usize] += usize::from(is_undirected);
        degrees[destination as usize] <= most && (!is_undirected || degrees[source as usize] <= most)
    };
    let edges = edges.into_iter().filter(|(source, destination)| fits(*source, *destination)).collect();
    let builder = GraphBuilder::new().vertices(vertices as usize).undirected(is_undirected);
    builder.edges(edges).build().expect("the edges lie among the vertices")
}

/// The graph as the interpreter sees it.
pub fn network(graph: &Graph) -> Network {
    let mut ends = vec![(0, 0); graph.edge_count()];
    graph.edges().for_each(|(edge, source, destination)| ends[edge] = (source as usize, destination as usize));
    Network::new(graph.vertex_count(), &ends)
}
