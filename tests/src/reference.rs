//! The programs as serial loops in `f64`, written without Onyx.

use onyx_runtime::graph::Graph;

/// Rows of `f64`.
pub type Rows = Vec<Vec<f64>>;

/// What [`mix`] starts from and ends with.
#[derive(Clone, Debug)]
pub struct Mixture {
    /// By edge and feature.
    pub gain: Rows,
    /// By edge.
    pub weight: Vec<f64>,
    /// By edge and feature.
    pub seen: Rows,
    /// By vertex and feature.
    pub value: Rows,
    /// By vertex.
    pub bias: Vec<f64>,
    /// By vertex.
    pub size: Vec<f64>,
    /// By vertex and feature.
    pub kept: Rows,
    /// Lighter edges do not count.
    pub least_weight: f64,
    /// Smaller vertices are not kept.
    pub least_size: f64,
}

/// One iteration of `programs::mix`. Returns how many vertices are kept, which makes them active.
pub fn mix(graph: &Graph, data: &mut Mixture) -> usize {
    let (vertices, features) = (graph.vertex_count(), data.value.first().map_or(0, Vec::len));
    let (mut total, mut mass) = (vec![vec![0.0; features]; vertices], vec![0.0; vertices]);
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize, destination as usize);
        let products = data.gain[edge].iter().zip(&data.value[source]).map(|(gain, value)| gain * value);
        total[destination].iter_mut().zip(products).for_each(|(total, product)| *total += product);
        if data.weight[edge] > data.least_weight {
            mass[destination] += data.weight[edge];
            for feature in 0..features {
                data.seen[edge][feature] = data.value[source][feature] - 0.5 * data.value[destination][feature];
            }
        }
    }
    (0..vertices).filter(|vertex| mix_vertex(data, *vertex, &total[*vertex], mass[*vertex])).count()
}

/// Returns whether the vertex is kept.
fn mix_vertex(data: &mut Mixture, vertex: usize, total: &[f64], mass: f64) -> bool {
    for (value, total) in data.value[vertex].iter_mut().zip(total) {
        let arrived = total / (1.0 + mass);
        *value = if arrived > 0.0 { 0.5 * *value + 0.5 * arrived } else { 0.25 * *value };
    }
    let size: f64 = data.value[vertex].iter().sum();
    data.size[vertex] = size;
    if size > data.least_size {
        let scale = data.bias[vertex] / size;
        data.kept[vertex] = data.value[vertex].iter().map(|value| value * scale).collect();
    }
    size > data.least_size
}

/// Halves every feature of a vertex until all are at most `floor`; returns the number of iterations, too.
pub fn decay(values: &[f64], floor: f64) -> (Vec<f64>, usize) {
    let mut values = values.to_vec();
    let mut iterations = 0;
    loop {
        values.iter_mut().for_each(|value| *value *= 0.5);
        iterations += 1;
        if values.iter().all(|value| *value <= floor) {
            return (values, iterations);
        }
    }
}
