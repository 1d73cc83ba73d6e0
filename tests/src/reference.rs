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

/// What `programs::operations` makes of one row: two rows, then the scalars in the order of the properties.
pub fn operate(value: &[f64], other: &[f64]) -> (Vec<f64>, Vec<f64>, [f64; 11]) {
    let normalized = |row: Vec<f64>| {
        let sum: f64 = row.iter().sum();
        row.into_iter().map(|value| value / sum).collect::<Vec<f64>>()
    };
    let greatest = value.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let soft = normalized(value.iter().map(|value| (100.0 * (value - greatest)).exp()).collect());
    let shares = normalized(other.iter().map(|other| other + 0.5).collect());
    let pressure = value.iter().map(|value| (200.0 * (value - greatest)).exp()).sum::<f64>().ln() + 200.0 * greatest;
    let first = |is: &dyn Fn(f64) -> bool| value.iter().position(|value| is(*value));
    let votes = [(1.0, value.iter().any(|value| *value > 0.7)), (2.0, value.iter().all(|value| *value > -0.1))];
    let scalars = [
        value.iter().sum(),
        value.iter().map(|value| 1.0 + 0.1 * value).product(),
        value.iter().copied().fold(f64::INFINITY, f64::min),
        greatest,
        value.iter().map(|value| value * value).sum::<f64>().sqrt(),
        pressure,
        first(&|value| value > 0.31).unwrap_or(0) as f64,
        first(&|value| value == greatest).map_or(0.0, |feature| other[feature]),
        value.get(2).copied().unwrap_or(0.0),
        value.iter().zip(&shares).map(|(value, share)| value * share).sum(),
        votes.iter().filter(|(_, holds)| *holds).map(|(weight, _)| weight).sum(),
    ];
    (normalized(value.iter().map(|value| value + 0.5).collect()), soft, scalars)
}

/// What `programs::bounds` leaves at the vertices.
#[derive(Clone, Debug)]
pub struct Reductions {
    /// Products, minima and maxima, each by vertex and feature.
    pub rows: [Rows; 3],
    /// Products, minima and maxima, each by vertex.
    pub scalars: [Vec<f64>; 3],
}

/// One iteration of `programs::bounds`.
pub fn bounds(graph: &Graph, weight: &[f64], value: &Rows) -> Reductions {
    let (vertices, features) = (graph.vertex_count(), value.first().map_or(0, Vec::len));
    let identities = [1.0, f64::INFINITY, f64::NEG_INFINITY];
    let mut data = Reductions {
        rows: identities.map(|identity| vec![vec![identity; features]; vertices]),
        scalars: identities.map(|identity| vec![identity; vertices]),
    };
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize, destination as usize);
        reduce_row(&mut data.rows, destination, &value[source]);
        let [scale, lightest, heaviest] = &mut data.scalars;
        scale[destination] *= 0.75 + 0.25 * weight[edge];
        lightest[destination] = lightest[destination].min(weight[edge]);
        heaviest[destination] = heaviest[destination].max(weight[edge]);
    }
    data
}

fn reduce_row([product, least, greatest]: &mut [Rows; 3], destination: usize, values: &[f64]) {
    for (feature, value) in values.iter().enumerate() {
        product[destination][feature] *= 1.0 + 0.1 * value;
        least[destination][feature] = least[destination][feature].min(*value);
        if *value > 0.0 {
            greatest[destination][feature] = greatest[destination][feature].max(-value);
        }
    }
}
