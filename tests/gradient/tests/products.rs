//! Gradients of products over edges, and of what is read at the reverse edge, against central differences of serial references.

use onyx_gradient_tests::differences::{agree, gradient};
use onyx_gradient_tests::graphs::{dice, numbers, pulls, random, sessions, symmetric};
use onyx_gradient_tests::products::{
    Factors, Messages, Turns, compared, compared_gradient, messages, messages_gradient, multiplied, multiplied_gradient,
};
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Options, ResidentGraph, RunFold};

const FEATURES: usize = 3;

fn rows(values: &[f32]) -> Array2<f32> {
    Array2::from_shape_vec((values.len() / FEATURES, FEATURES), values.to_vec()).unwrap()
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Runs `check` on every backend and under every schedule.
fn everywhere(graph: &Graph, check: impl Fn(&ResidentGraph<'_>, &Options)) {
    for session in sessions() {
        let resident = session.graph(graph);
        pulls().iter().for_each(|options| check(&resident, options));
    }
}

/// What `multiplied` comes to, times what is wanted.
fn multiplied_loss(graph: &Graph, x: &[f64], weight: &[f64], wanted: &[f64]) -> f64 {
    let (mut products, mut sizes) = (vec![1.0; x.len()], vec![1.0; graph.vertex_count()]);
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize * FEATURES, destination as usize);
        (0..FEATURES).for_each(|f| products[destination * FEATURES + f] *= weight[edge] * x[source + f]);
        sizes[destination] *= if weight[edge] > 0.75 { 1.2 * weight[edge] } else { 1.0 };
    }
    let out: Vec<f64> = (0..x.len()).map(|at| products[at] + 0.25 * sizes[at / FEATURES] * x[at]).collect();
    dot(&out, wanted)
}

/// Some values are zero, so that there are totals with one factor that is, and with several.
fn check_factors(zeros: usize) {
    for (seed, vertices, edges) in [(1, 12, 20), (2, 7, 16)] {
        let graph = random(seed, vertices, edges);
        let mut x = numbers(&mut dice(seed), graph.vertex_count() * FEATURES, 0.5, 1.5);
        (0..zeros).for_each(|zero| x[(7 * zero + 3) % (4 * FEATURES)] = 0.0);
        let weight = numbers(&mut dice(seed + 5), graph.edge_count(), 0.4, 1.1);
        let wanted = numbers(&mut dice(seed + 9), x.len(), -1.0, 1.0);
        let (all, weights, wants) = (doubles(&x), doubles(&weight), doubles(&wanted));
        let of_x = gradient(&x, |x| multiplied_loss(&graph, x, &weights, &wants));
        let of_weight = gradient(&weight, |weight| multiplied_loss(&graph, &all, weight, &wants));
        everywhere(&graph, |resident, options| {
            let mut data = resident.session().data(multiplied, resident, FEATURES).unwrap();
            data.write(Factors::X, &rows(&x)).unwrap();
            data.write(Factors::WEIGHT, &weight).unwrap();
            data.write(Factors::OUT_GRADIENT, &rows(&wanted)).unwrap();
            multiplied.on(resident, &mut data).times(1, options).unwrap();
            multiplied_gradient.on(resident, &mut data).times(1, options).unwrap();
            agree("x", data.read(Factors::X_GRADIENT).unwrap().iter().copied(), &of_x);
            agree("weight", data.read(Factors::WEIGHT_GRADIENT).unwrap().iter().copied(), &of_weight);
        });
    }
}

#[test]
fn factors_have_gradients() {
    check_factors(0);
}

#[test]
fn zeros_among_the_factors_have_gradients_too() {
    check_factors(4);
}

/// The only factor that is zero has the product of the others, and they have nothing; of two zeros nothing has anything.
#[test]
fn one_zero_has_the_product_of_the_others() {
    let graph = GraphBuilder::new().vertices(4).edges(vec![(0, 3), (1, 3), (2, 3)]).build().unwrap();
    for (x, expected) in
        [([2.0, 3.0, 4.0], [12.0, 8.0, 6.0]), ([0.0, 3.0, 4.0], [12.0, 0.0, 0.0]), ([0.0, 3.0, 0.0], [0.0; 3])]
    {
        everywhere(&graph, |resident, options| {
            let mut data = resident.session().data(multiplied, resident, 1).unwrap();
            data.write(Factors::X, &[[x[0]], [x[1]], [x[2]], [0.0]]).unwrap();
            data.write(Factors::WEIGHT, &[1.0; 3]).unwrap();
            data.write(Factors::OUT_GRADIENT, &[[0.0], [0.0], [0.0], [1.0]]).unwrap();
            multiplied.on(resident, &mut data).times(1, options).unwrap();
            multiplied_gradient.on(resident, &mut data).times(1, options).unwrap();
            let found: Vec<f32> = data.read(Factors::X_GRADIENT).unwrap().iter().copied().collect();
            assert_eq!(found[..3], expected);
        });
    }
}

/// The edge that runs the other way, of each edge.
fn reverses(graph: &Graph) -> Vec<usize> {
    let edges: Vec<(usize, u32, u32)> = graph.edges().collect();
    let rank = |(edge, source, destination): (usize, u32, u32)| {
        edges.iter().filter(|(other, u, v)| *other < edge && (*u, *v) == (source, destination)).count()
    };
    let reverse = |(edge, source, destination): &(usize, u32, u32)| {
        let back = edges.iter().filter(|(_, u, v)| (u, v) == (destination, source));
        back.clone().nth(rank((*edge, *source, *destination))).unwrap().0
    };
    edges.iter().map(reverse).collect()
}

/// Rows of numbers that add up to 1, or are left as they are where those add up to 0.
fn normalized(row: &[f64]) -> Vec<f64> {
    let total: f64 = row.iter().sum();
    row.iter().map(|value| if total == 0.0 { *value } else { value / total }).collect()
}

/// What a sweep of `messages` comes to, times what is wanted. The inputs are the priors, beliefs, messages and the coupling.
fn messages_loss(graph: &Graph, inputs: &[Vec<f64>; 4], wanted: &[f64]) -> f64 {
    let [prior, belief, message, coupling] = inputs;
    let (mut heard, reverses) = (vec![1.0; prior.len()], reverses(graph));
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize * FEATURES, destination as usize * FEATURES);
        let cavity: Vec<f64> =
            (0..FEATURES).map(|f| belief[source + f] / message[reverses[edge] * FEATURES + f]).collect();
        let sent: Vec<f64> = coupling.chunks(FEATURES).map(|row| dot(row, &cavity)).collect();
        normalized(&sent).iter().enumerate().for_each(|(f, sent)| heard[destination + f] *= sent);
    }
    let beliefs: Vec<f64> = prior.iter().zip(&heard).map(|(prior, heard)| prior * heard).collect();
    dot(&beliefs.chunks(FEATURES).flat_map(normalized).collect::<Vec<_>>(), wanted)
}

#[test]
fn a_sweep_of_belief_propagation_has_a_gradient() {
    let graph = symmetric(4, 9, 9);
    let (vertices, edges) = (graph.vertex_count() * FEATURES, graph.edge_count() * FEATURES);
    let mut dice = dice(4);
    let inputs = [vertices, vertices, edges, FEATURES * FEATURES].map(|count| numbers(&mut dice, count, 0.5, 1.5));
    let wanted = numbers(&mut dice, vertices, -1.0, 1.0);
    let (all, wants) = (inputs.clone().map(|values| doubles(&values)), doubles(&wanted));
    let of = |number: usize| {
        gradient(&inputs[number], |moved| {
            let mut all = all.clone();
            all[number] = moved.to_vec();
            messages_loss(&graph, &all, &wants)
        })
    };
    let expected = [of(0), of(1), of(2), of(3)];
    everywhere(&graph, |resident, options| {
        let mut data = resident.session().data(messages, resident, FEATURES).unwrap();
        data.write(Messages::PRIOR, &rows(&inputs[0])).unwrap();
        data.write(Messages::BELIEF, &rows(&inputs[1])).unwrap();
        data.write(Messages::MESSAGE, &rows(&inputs[2])).unwrap();
        data.write(Messages::COUPLING, &rows(&inputs[3])).unwrap();
        data.write(Messages::NEXT_GRADIENT, &rows(&wanted)).unwrap();
        messages.on(resident, &mut data).times(1, options).unwrap();
        messages_gradient.on(resident, &mut data).times(1, options).unwrap();
        agree("prior", data.read(Messages::PRIOR_GRADIENT).unwrap().iter().copied(), &expected[0]);
        agree("belief", data.read(Messages::BELIEF_GRADIENT).unwrap().iter().copied(), &expected[1]);
        agree("message", data.read(Messages::MESSAGE_GRADIENT).unwrap().iter().copied(), &expected[2]);
        agree("coupling", data.read(Messages::COUPLING_GRADIENT).unwrap().iter().copied(), &expected[3]);
    });
}

fn compared_loss(graph: &Graph, x: &[f64], weight: &[f64], size: &[f64], wanted: &[f64]) -> f64 {
    let (mut sums, reverses) = (vec![0.0; wanted.len()], reverses(graph));
    for (edge, source, destination) in graph.edges() {
        for f in 0..FEATURES {
            let back = x[reverses[edge] * FEATURES + f];
            let difference = x[edge * FEATURES + f] * back - weight[reverses[edge]] * size[source as usize];
            let value = if source < destination { difference } else { 0.5 * back };
            sums[destination as usize * FEATURES + f] += value;
        }
    }
    dot(&sums, wanted)
}

#[test]
fn what_is_read_at_the_reverse_edge_has_a_gradient() {
    let graph = symmetric(5, 8, 14);
    let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
    let mut dice = dice(5);
    let [x, weight, size, wanted] =
        [edges * FEATURES, edges, vertices, vertices * FEATURES].map(|count| numbers(&mut dice, count, -1.0, 1.0));
    let [xs, weights, sizes, wants] = [&x, &weight, &size, &wanted].map(|values| doubles(values));
    let of_x = gradient(&x, |x| compared_loss(&graph, x, &weights, &sizes, &wants));
    let of_weight = gradient(&weight, |weight| compared_loss(&graph, &xs, weight, &sizes, &wants));
    let of_size = gradient(&size, |size| compared_loss(&graph, &xs, &weights, size, &wants));
    everywhere(&graph, |resident, options| {
        let mut data = resident.session().data(compared, resident, FEATURES).unwrap();
        data.write(Turns::X, &rows(&x)).unwrap();
        data.write(Turns::WEIGHT, &weight).unwrap();
        data.write(Turns::SIZE, &size).unwrap();
        data.write(Turns::SUM_GRADIENT, &rows(&wanted)).unwrap();
        compared.on(resident, &mut data).times(1, options).unwrap();
        compared_gradient.on(resident, &mut data).times(1, options).unwrap();
        agree("x", data.read(Turns::X_GRADIENT).unwrap().iter().copied(), &of_x);
        agree("weight", data.read(Turns::WEIGHT_GRADIENT).unwrap().iter().copied(), &of_weight);
        agree("size", data.read(Turns::SIZE_GRADIENT).unwrap().iter().copied(), &of_size);
    });
}
