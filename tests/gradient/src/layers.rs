//! Layers as people write them, and what the compiler derives of them.

use onyx_device::prelude::*;

/// A convolution: a weighted sum over neighbors, and a rectifier.
#[graph_data]
pub struct Convolution<const K: usize> {
    pub x: VertexFeatures<K>,
    pub weight: EdgeScalar,
    pub sum: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub weight_gradient: EdgeScalar,
    pub sum_gradient: VertexFeatures<K>,
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn aggregate<const K: usize>(f: Feature, e: Edge, d: &mut Convolution<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.x[e.src][f];
    true
}

#[vertex_fn]
pub fn rectify<const K: usize>(f: Feature, v: Vertex, d: &mut Convolution<K>) -> bool {
    d.out[v][f] = if d.sum[v][f] > 0.0 { d.sum[v][f] } else { 0.0 };
    true
}

foldmap! { pub convolve<const K: usize>(Convolution<K>) = [aggregate, rectify]; features = [4, 16]; gradient = [x, weight] }

/// An isomorphism layer: the vertex itself, more strongly, and the sum of its neighbors.
#[graph_data]
pub struct Isomorphism<const K: usize> {
    pub x: VertexFeatures<K>,
    pub slope: VertexScalar,
    pub sum: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub epsilon: Parameter,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub slope_gradient: VertexScalar,
    pub sum_gradient: VertexFeatures<K>,
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn collect<const K: usize>(f: Feature, e: Edge, d: &mut Isomorphism<K>) -> bool {
    d.sum[e.dst][f] += d.x[e.src][f];
    true
}

#[vertex_fn]
pub fn combine<const K: usize>(f: Feature, v: Vertex, d: &mut Isomorphism<K>) -> bool {
    let mut mixed = (1.0 + d.epsilon) * d.x[v][f];
    mixed += d.sum[v][f];
    if mixed < 0.0 {
        mixed *= d.slope[v];
    }
    let size = norm2(mixed);
    d.out[v][f] = mixed / (1.0 + size);
    any(mixed > 0.5)
}

foldmap! { pub isomorphism<const K: usize>(Isomorphism<K>) = [collect, combine]; features = [4, 16]; gradient = [x, slope] }

/// Attention of one head, in three steps.
#[graph_data]
pub struct Attention<const K: usize> {
    pub x: VertexFeatures<K>,
    pub query: VertexFeatures<K>,
    pub key: VertexFeatures<K>,
    pub left: VertexScalar,
    pub right: VertexScalar,
    pub top: VertexScalar,
    pub share: EdgeScalar,
    pub total: VertexScalar,
    pub sum: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub query_gradient: VertexFeatures<K>,
    pub key_gradient: VertexFeatures<K>,
    pub left_gradient: VertexScalar,
    pub right_gradient: VertexScalar,
    pub total_gradient: VertexScalar,
    pub share_gradient: EdgeScalar,
    pub sum_gradient: VertexFeatures<K>,
    pub out_gradient: VertexFeatures<K>,
}

#[vertex_fn]
pub fn score<const K: usize>(f: Feature, v: Vertex, d: &mut Attention<K>) -> bool {
    d.left[v] = dot(d.x[v][f], d.query[v][f]);
    d.right[v] = dot(d.x[v][f], d.key[v][f]);
    true
}

#[edge_fn]
pub fn greatest<const K: usize>(e: Edge, d: &mut Attention<K>) -> bool {
    d.top[e.dst].max_with(leaky(d.left[e.src] + d.right[e.dst]));
    true
}

#[edge_fn]
pub fn weigh<const K: usize>(e: Edge, d: &mut Attention<K>) -> bool {
    let score = d.left[e.src] + d.right[e.dst];
    let bent = if score > 0.0 { score } else { 0.2 * score };
    let share = (bent - constant(d.top[e.dst])).exp();
    d.share[e] = share;
    d.total[e.dst] += share;
    true
}

#[edge_fn]
pub fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    d.sum[e.dst][f] += d.share[e] / d.total[e.dst] * d.x[e.src][f];
    true
}

#[vertex_fn]
pub fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Attention<K>) -> bool {
    d.out[v][f] = d.sum[v][f].tanh();
    true
}

fn leaky(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.2 * x }
}

foldmap! {
    pub attention<const K: usize>(Attention<K>) = [score; greatest; weigh; attend, activate];
    features = [4];
    gradient = [x, query, key]
}

/// The score of each edge of a graph of relations: a product of three vectors.
#[graph_data]
pub struct Relations<const K: usize> {
    pub entity: VertexFeatures<K>,
    pub relation: EdgeFeatures<K>,
    pub score: EdgeScalar,
    pub entity_gradient: VertexFeatures<K>,
    pub entity_gradient_part: VertexFeatures<K>,
    pub relation_gradient: EdgeFeatures<K>,
    pub score_gradient: EdgeScalar,
}

#[edge_fn]
pub fn judge<const K: usize>(f: Feature, e: Edge, d: &mut Relations<K>) -> bool {
    d.score[e] = sum(d.entity[e.src][f] * d.relation[e][f] * d.entity[e.dst][f]);
    true
}

foldmap! { pub distmult<const K: usize>(Relations<K>) = [judge]; features = [4]; gradient = [entity, relation] }

/// Label propagation, three times.
#[graph_data]
pub struct Propagation<const K: usize> {
    pub seed: VertexFeatures<K>,
    pub weight: EdgeScalar,
    pub alpha: Parameter,
    pub first: VertexFeatures<K>,
    pub second: VertexFeatures<K>,
    pub third: VertexFeatures<K>,
    pub first_sum: VertexFeatures<K>,
    pub second_sum: VertexFeatures<K>,
    pub third_sum: VertexFeatures<K>,
    pub seed_gradient: VertexFeatures<K>,
    pub seed_gradient_part: VertexFeatures<K>,
    pub weight_gradient: EdgeScalar,
    pub first_gradient: VertexFeatures<K>,
    pub second_gradient: VertexFeatures<K>,
    pub third_gradient: VertexFeatures<K>,
    pub first_sum_gradient: VertexFeatures<K>,
    pub second_sum_gradient: VertexFeatures<K>,
    pub third_sum_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn spread_first<const K: usize>(f: Feature, e: Edge, d: &mut Propagation<K>) -> bool {
    d.first_sum[e.dst][f] += d.weight[e] * d.seed[e.src][f];
    true
}

#[vertex_fn]
pub fn absorb_first<const K: usize>(f: Feature, v: Vertex, d: &mut Propagation<K>) -> bool {
    let mixed = d.alpha * normalize(d.first_sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    d.first[v][f] = normalize(mixed);
    true
}

#[edge_fn]
pub fn spread_second<const K: usize>(f: Feature, e: Edge, d: &mut Propagation<K>) -> bool {
    d.second_sum[e.dst][f] += d.weight[e] * d.first[e.src][f];
    true
}

#[vertex_fn]
pub fn absorb_second<const K: usize>(f: Feature, v: Vertex, d: &mut Propagation<K>) -> bool {
    let mixed = d.alpha * normalize(d.second_sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    d.second[v][f] = normalize(mixed);
    true
}

#[edge_fn]
pub fn spread_third<const K: usize>(f: Feature, e: Edge, d: &mut Propagation<K>) -> bool {
    d.third_sum[e.dst][f] += d.weight[e] * d.second[e.src][f];
    true
}

#[vertex_fn]
pub fn absorb_third<const K: usize>(f: Feature, v: Vertex, d: &mut Propagation<K>) -> bool {
    let mixed = d.alpha * normalize(d.third_sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    d.third[v][f] = normalize(mixed);
    true
}

foldmap! {
    pub propagate<const K: usize>(Propagation<K>) =
        [spread_first, absorb_first, spread_second, absorb_second, spread_third, absorb_third];
    features = [4];
    gradient = [seed, weight]
}

/// A fit: a score with weights of the graph, and the squared error as a total of the graph.
#[graph_data]
pub struct Fit<const K: usize> {
    pub x: VertexFeatures<K>,
    pub wanted: VertexScalar,
    pub weight: GraphFeatures<K>,
    pub bias: GraphScalar,
    pub decay: Parameter,
    pub sum: VertexFeatures<K>,
    pub size: GraphScalar,
    pub loss: GraphScalar,
    pub weight_gradient: GraphFeatures<K>,
    pub bias_gradient: GraphScalar,
    pub decay_gradient: GraphScalar,
    pub sum_gradient: VertexFeatures<K>,
    pub size_gradient: GraphScalar,
    pub loss_gradient: GraphScalar,
}

#[edge_fn]
pub fn mix<const K: usize>(f: Feature, e: Edge, d: &mut Fit<K>) -> bool {
    let mixed = d.weight[f] * d.x[e.src][f];
    d.sum[e.dst][f] += mixed;
    d.size += sum(mixed * mixed);
    true
}

#[vertex_fn]
pub fn err<const K: usize>(f: Feature, v: Vertex, d: &mut Fit<K>) -> bool {
    let guess = (sum(d.sum[v][f]) + d.bias).tanh();
    let off = match v.0 % 3 {
        0 => guess - d.wanted[v],
        1 => 2.0 * (guess - d.wanted[v]),
        _ => guess.abs(),
    };
    d.loss += off * off + d.decay * d.size;
    true
}

foldmap! {
    pub fit<const K: usize>(Fit<K>) = [mix; err];
    features = [4];
    gradient = [weight, bias, decay]
}

/// Attention of one head, in one pass.
#[graph_data]
pub struct Softmax<const K: usize> {
    pub x: VertexFeatures<K>,
    pub query: GraphFeatures<K>,
    pub key: GraphFeatures<K>,
    pub left: VertexScalar,
    pub right: VertexScalar,
    pub log_sum: VertexScalar,
    pub sum: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub query_gradient: GraphFeatures<K>,
    pub key_gradient: GraphFeatures<K>,
    pub left_gradient: VertexScalar,
    pub right_gradient: VertexScalar,
    pub log_sum_gradient: VertexScalar,
    pub sum_gradient: VertexFeatures<K>,
    pub sum_gradient_dot: VertexScalar,
    pub out_gradient: VertexFeatures<K>,
}

#[vertex_fn]
pub fn judge_alone<const K: usize>(f: Feature, v: Vertex, d: &mut Softmax<K>) -> bool {
    d.left[v] = dot(d.x[v][f], d.query[f]);
    d.right[v] = dot(d.x[v][f], d.key[f]);
    true
}

#[edge_fn]
pub fn listen<const K: usize>(f: Feature, e: Edge, d: &mut Softmax<K>) -> bool {
    let raw = d.left[e.src] + d.right[e.dst];
    let score = raw.max(0.2 * raw);
    d.sum[e.dst][f].softmax_add(score, d.x[e.src][f]);
    d.log_sum[e.dst].log_sum_exp_with(score);
    true
}

#[vertex_fn]
pub fn bend<const K: usize>(f: Feature, v: Vertex, d: &mut Softmax<K>) -> bool {
    d.out[v][f] = d.sum[v][f].tanh();
    true
}

foldmap! {
    pub softmax_layer<const K: usize>(Softmax<K>) = [judge_alone, listen, bend];
    features = [4];
    gradient = [x, query, key]
}

/// Attention whose scores are given, so that edges may be hidden.
#[graph_data]
pub struct Masked<const K: usize> {
    pub x: VertexFeatures<K>,
    pub score: EdgeScalar,
    pub log_sum: VertexScalar,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub score_gradient: EdgeScalar,
    pub log_sum_gradient: VertexScalar,
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn weigh_shown<const K: usize>(f: Feature, e: Edge, d: &mut Masked<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.score[e], d.x[e.src][f]);
    d.log_sum[e.dst].log_sum_exp_with(d.score[e]);
    true
}

foldmap! {
    pub masked<const K: usize>(Masked<K>) = [weigh_shown];
    features = [4];
    gradient = [x, score]
}
