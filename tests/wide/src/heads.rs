//! Folds over heads: rows that run side by side, each with numbers of its own.

use onyx_device::prelude::*;

/// Attention of several heads.
#[graph_data]
pub struct Attention<const K: usize> {
    /// What a vertex has to say.
    pub x: VertexFeatures<K>,
    /// What makes a vertex heard.
    pub sending: GraphFeatures<K>,
    /// What makes a vertex listen.
    pub receiving: GraphFeatures<K>,
    /// How much a vertex is heard.
    pub source: VertexHeads,
    /// How much it listens.
    pub destination: VertexHeads,
    /// The mean of what reaches it, weighted by the attention of each edge.
    pub out: VertexFeatures<K>,
    /// The log-sum of the scores.
    pub log_sum: VertexHeads,
    /// The adjoint of `x`.
    pub x_gradient: VertexFeatures<K>,
    /// The adjoint of `sending`.
    pub sending_gradient: GraphFeatures<K>,
    /// The adjoint of `receiving`.
    pub receiving_gradient: GraphFeatures<K>,
    /// The adjoint of `source`.
    pub source_gradient: VertexHeads,
    /// The adjoint of `destination`.
    pub destination_gradient: VertexHeads,
    /// The adjoint of `out`.
    pub out_gradient: VertexFeatures<K>,
}

/// One head's share in the scores of a vertex's edges.
#[vertex_fn]
pub fn rate<const K: usize>(f: Feature, v: Vertex, d: &mut Attention<K>) -> bool {
    d.source[v] = dot(d.x[v][f], d.sending[f]);
    d.destination[v] = dot(d.x[v][f], d.receiving[f]);
    true
}

/// One head's attention.
#[edge_fn]
pub fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    let raw = d.source[e.src] + d.destination[e.dst];
    let score = raw.max(0.2 * raw);
    d.out[e.dst][f].softmax_add(score, d.x[e.src][f]);
    d.log_sum[e.dst].log_sum_exp_with(score);
    true
}

foldmap! {
    /// Graph attention, whatever the number of heads.
    pub attention<const K: usize>(Attention<K>) = [rate, attend];
    features = [4, 8]; gradient = [x, sending, receiving]
}

/// Several queries of one graph at once.
#[graph_data]
pub struct Queries<const K: usize> {
    /// What an edge lets through, of every query.
    pub weight: EdgeScalar,
    /// Which relation an edge is of.
    pub kind: EdgeScalar<u8>,
    /// A row for each relation.
    pub relation: Table<K>,
    /// What a query is about.
    pub seed: VertexFeatures<K>,
    /// What a vertex has come to.
    pub value: VertexFeatures<K, Tracked>,
    /// What reaches it.
    pub sum: VertexFeatures<K>,
    /// Where a query begins.
    pub restart: VertexHeads,
    /// How near a vertex is to that.
    pub rank: VertexHeads<Tracked>,
    /// What reaches it.
    pub inflow: VertexHeads,
    /// How often an edge has been gone along.
    pub uses: EdgeHeads,
    /// A label of each query.
    pub label: VertexHeads<u32, Tracked>,
    /// The least that reaches a vertex.
    pub least: VertexHeads<u32>,
    /// The mean of what its edges have.
    pub mean: VertexHeads,
    /// How often its label has changed.
    pub moves: VertexHeads,
    /// The sum of all rows.
    pub column: GraphFeatures<K>,
    /// What is no change.
    pub tolerance: Parameter,
}

/// Brings a row and a number of one query.
#[edge_fn]
pub fn flow<const K: usize>(f: Feature, e: Edge, d: &mut Queries<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.value[e.src][f];
    d.inflow[e.dst] += d.weight[e] * d.rank[e.src];
    true
}

/// Takes them, with operations over the features of the query alone.
#[vertex_fn]
pub fn land<const K: usize>(f: Feature, v: Vertex, d: &mut Queries<K>) -> bool {
    let value = softmax(d.sum[v][f] + d.seed[v][f]) + 0.5 * d.seed[v][f];
    let rank = d.inflow[v] + d.restart[v] + 0.125 * norm2(value);
    let moved = norm2(value - d.value[v][f]) > d.tolerance || (rank - d.rank[v]).abs() > d.tolerance;
    d.value[v][f] = value;
    d.rank[v] = rank;
    moved
}

foldmap! {
    /// Rows and numbers of each query spread, by pushes of changes as well.
    pub walk<const K: usize>(Queries<K>) = [flow, land]; features = [4]
}

/// Counts on the edge, takes the least label and a mean, and adds rows of a table.
#[edge_fn]
pub fn offer<const K: usize>(f: Feature, e: Edge, d: &mut Queries<K>) -> bool {
    d.uses[e] += 1.0;
    d.least[e.dst].min_with(d.label[e.src]);
    d.mean[e.dst].mean_with(d.uses[e] * d.weight[e]);
    d.sum[e.dst][f] += d.relation[u32::from(d.kind[e])][f];
    true
}

/// Takes a label that is less. Where none is, nothing more is done for the query.
#[vertex_fn]
pub fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Queries<K>) -> bool {
    d.column[f] += d.sum[v][f];
    let label = d.least[v].min(d.label[v]);
    let moved = label != d.label[v];
    d.label[v] = label;
    moved
}

/// Counts the labels that a query has had.
#[vertex_fn]
pub fn tally<const K: usize>(v: Vertex, d: &mut Queries<K>) -> bool {
    d.moves[v] += 1.0;
    true
}

foldmap! {
    /// Numbers of edges, integers, means and totals of each query.
    pub labelled<const K: usize>(Queries<K>) = [offer, take, tally]; features = [4]
}
