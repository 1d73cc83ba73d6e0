//! The folds as serial loops in `f64`.

use onyx_runtime::Data;
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{ArrayView1, ArrayView2};
use onyx_wide::Wide;

type Rows = Vec<Vec<f64>>;

/// All values, and which vertices are active.
pub struct Model {
    pub features: usize,
    weight: Vec<f64>,
    uses: Vec<f64>,
    last: Rows,
    seed: Rows,
    pub value: Rows,
    pub age: Vec<f64>,
    level: Vec<f64>,
    kept: Rows,
    bias: Vec<f64>,
    column: Vec<f64>,
    /// What each vertex has contributed to them.
    years: Vec<f64>,
    pub active: Vec<bool>,
}

const TAKEN: f64 = 0.5;
const TOLERANCE: f64 = 1e-5;
/// Vertices of a level below this go on to the second stage of `grow`.
const HIGHEST: f64 = 12.0;

/// A number between -1 and 1, which a float has exactly.
fn number(at: usize) -> f64 {
    ((at * 37 + at / 101) % 129) as f64 / 64.0 - 1.0
}

/// Whether floats are what they should be.
pub fn near(what: &str, found: &[f32], expected: &[f64]) {
    within(what, found, expected, 1e-4);
}

fn within(what: &str, found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let apart = (f64::from(*found) - expected).abs();
        assert!(apart <= tolerance * expected.abs().max(1.0), "{what}, number {at}: {found}, not {expected}");
    }
}

impl Model {
    /// Weights that leave a vertex less than what reaches it.
    pub fn new(graph: &Graph, features: usize) -> Self {
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let rows = |count: usize, salt: usize| -> Rows {
            let row = |row: usize| (0..features).map(|at| number(row * features + at + salt)).collect();
            (0..count).map(row).collect()
        };
        let mut incoming = vec![0_usize; vertices];
        graph.edges().for_each(|(_, _, destination)| incoming[destination as usize] += 1);
        let weight = |(edge, _, destination): (usize, u32, u32)| {
            let share = 0.25 / incoming[destination as usize] as f64;
            f64::from((share * (1.5 + number(edge))) as f32)
        };
        Self {
            features,
            weight: graph.edges().map(weight).collect(),
            uses: vec![0.0; edges],
            last: vec![vec![0.0; features]; edges],
            seed: rows(vertices, 0),
            value: rows(vertices, 7),
            age: vec![0.0; vertices],
            level: (0..vertices).map(|vertex| 2.0 + number(vertex)).collect(),
            kept: vec![vec![0.0; features]; vertices],
            bias: (0..features).map(|feature| number(feature) / 8.0).collect(),
            column: vec![0.0; features],
            years: vec![0.0; vertices],
            active: vec![true; vertices],
        }
    }

    pub fn fill(&self, data: &mut Data<Wide<0>>) {
        let floats = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<_>>();
        data.write(Wide::WEIGHT, &floats(&self.weight)).unwrap();
        data.write(Wide::LEVEL, &floats(&self.level)).unwrap();
        data.write(Wide::BIAS, &floats(&self.bias)).unwrap();
        let seeds = self.seed.iter().flatten();
        data.view_mut(Wide::SEED).unwrap().iter_mut().zip(seeds).for_each(|(to, from)| *to = *from as f32);
        let values = self.value.iter().flatten();
        data.view_mut(Wide::VALUE).unwrap().iter_mut().zip(values).for_each(|(to, from)| *to = *from as f32);
        data.set(Wide::TAKEN, TAKEN as f32);
        data.set(Wide::TOLERANCE, TOLERANCE as f32);
        data.set(Wide::HIGHEST, HIGHEST as f32);
    }

    /// What reaches each vertex: rows and numbers, from what an edge with this number brings to them.
    fn gather(
        &self,
        graph: &Graph,
        first: (f64, f64),
        mut bring: impl FnMut(&Self, usize, usize, usize, &mut [f64], &mut f64),
    ) -> (Rows, Vec<f64>) {
        let vertices = graph.vertex_count();
        let (mut sum, mut mass) = (vec![vec![first.0; self.features]; vertices], vec![first.1; vertices]);
        for (edge, source, destination) in graph.edges() {
            let (source, destination) = (source as usize, destination as usize);
            bring(self, edge, source, destination, &mut sum[destination], &mut mass[destination]);
        }
        (sum, mass)
    }

    fn absorb(&mut self, sum: &Rows, mass: &[f64]) -> Vec<bool> {
        let vertices = 0..self.value.len();
        vertices.map(|vertex| self.absorb_at(vertex, &sum[vertex], mass[vertex])).collect()
    }

    fn absorb_at(&mut self, vertex: usize, sum: &[f64], mass: f64) -> bool {
        let level = TAKEN * mass + 1.0;
        let mut moved = (level - self.level[vertex]).abs() > TOLERANCE;
        self.level[vertex] = level;
        for (feature, value) in self.value[vertex].iter_mut().enumerate() {
            let new = TAKEN * sum[feature] + self.seed[vertex][feature];
            moved |= (new - *value).abs() > TOLERANCE;
            *value = new;
        }
        moved
    }

    /// An iteration of `spread`. Returns the vertices that are active after it, as all of them do.
    pub fn spread(&mut self, graph: &Graph) -> Vec<bool> {
        let (sum, mass) = self.gather(graph, (0.0, 0.0), |model, edge, source, _, sum, mass| {
            let weight = model.weight[edge];
            sum.iter_mut().zip(&model.value[source]).for_each(|(sum, value)| *sum += weight * value);
            *mass += weight * model.level[source];
        });
        self.absorb(&sum, &mass)
    }

    /// An iteration of `multiplied`.
    pub fn multiply(&mut self, graph: &Graph) -> Vec<bool> {
        let (sum, mass) = self.gather(graph, (1.0, 1.0), |model, edge, source, _, sum, mass| {
            let weight = model.weight[edge];
            sum.iter_mut().zip(&model.value[source]).for_each(|(sum, value)| *sum *= 1.0 + weight * value);
            *mass *= 1.0 + weight * model.level[source];
        });
        self.absorb(&sum, &mass)
    }

    /// An iteration of `grow`.
    pub fn grow(&mut self, graph: &Graph) -> Vec<bool> {
        let mut last = std::mem::take(&mut self.last);
        let mut uses = std::mem::take(&mut self.uses);
        let (sum, mass) = self.gather(graph, (0.0, 0.0), |model, edge, source, destination, sum, mass| {
            uses[edge] += 1.0;
            *mass += model.weight[edge] * uses[edge];
            for feature in 0..model.features {
                last[edge][feature] = model.value[source][feature] - model.value[destination][feature];
                sum[feature] += last[edge][feature];
            }
        });
        (self.last, self.uses) = (last, uses);
        let vertices = 0..graph.vertex_count();
        let active: Vec<bool> = vertices.map(|vertex| self.settle(vertex, &sum[vertex], mass[vertex])).collect();
        self.add_up(&active);
        active
    }

    /// Returns whether the second stage runs on the vertex.
    fn settle(&mut self, vertex: usize, sum: &[f64], mass: f64) -> bool {
        self.value[vertex].iter_mut().zip(sum).for_each(|(value, sum)| *value += TAKEN / 16.0 * sum);
        self.age[vertex] += 1.0 + mass;
        self.level[vertex] += self.age[vertex];
        self.level[vertex] < HIGHEST
    }

    /// A vertex that does not run contributes what it did before.
    fn add_up(&mut self, active: &[bool]) {
        for (vertex, _) in active.iter().enumerate().filter(|(_, active)| **active) {
            let (age, level) = (self.age[vertex], self.level[vertex]);
            self.kept[vertex] = self.value[vertex].iter().map(|value| value * age + level).collect();
            self.years[vertex] = level;
        }
        for (feature, column) in self.column.iter_mut().enumerate() {
            *column = self.kept.iter().map(|row| row[feature]).sum();
        }
    }

    /// An iteration of `climb`, from the vertices that are active.
    pub fn climb(&mut self, graph: &Graph) -> Vec<bool> {
        let mut reached = vec![false; graph.vertex_count()];
        let (sum, mass) = self.gather(graph, (f64::NEG_INFINITY, 0.0), |model, _, source, destination, sum, mass| {
            if model.active[source] {
                reached[destination] = true;
                *mass += 1.0;
                sum.iter_mut().zip(&model.value[source]).for_each(|(sum, value)| *sum = sum.max(*value));
            }
        });
        let take = |vertex: usize| reached[vertex] && self.take_greater(vertex, &sum[vertex], mass[vertex]);
        let active: Vec<bool> = (0..graph.vertex_count()).map(take).collect();
        self.active.clone_from(&active);
        active
    }

    fn take_greater(&mut self, vertex: usize, sum: &[f64], mass: f64) -> bool {
        let values = self.value[vertex].iter_mut().zip(sum);
        self.age[vertex] += mass;
        values.fold(false, |any, (value, sum)| {
            let is_greater = *sum > *value;
            *value = value.max(*sum);
            any | is_greater
        })
    }

    /// An iteration of `numbered`, on the vertices that are active.
    pub fn number(&mut self, graph: &Graph) -> Vec<bool> {
        let run = |vertex: usize| self.active[vertex] && self.number_at(vertex);
        let active: Vec<bool> = (0..graph.vertex_count()).map(run).collect();
        self.active.clone_from(&active);
        active
    }

    fn number_at(&mut self, vertex: usize) -> bool {
        self.age[vertex] += 1.0;
        let features = self.features as f64;
        let bias = &self.bias;
        self.value[vertex].iter_mut().enumerate().fold(false, |any, (feature, value)| {
            *value = *value * 0.5 - feature as f64 / features + bias[feature];
            any | (*value > TOLERANCE)
        })
    }

    /// Whether data are what this is.
    pub fn assert_in(&self, data: &mut Data<Wide<0>>) {
        self.assert_within(data, 2e-4);
    }

    /// The same where changes that are none have been left out.
    pub fn assert_settled_in(&self, data: &mut Data<Wide<0>>) {
        self.assert_within(data, 2e-3);
    }

    fn assert_within(&self, data: &mut Data<Wide<0>>, tolerance: f64) {
        let flat = |rows: &Rows| rows.iter().flatten().copied().collect::<Vec<_>>();
        let rows = |values: ArrayView2<'_, f32>| values.iter().copied().collect::<Vec<_>>();
        let scalars = |values: ArrayView1<'_, f32>| values.iter().copied().collect::<Vec<_>>();
        within("value", &rows(data.read(Wide::VALUE).unwrap()), &flat(&self.value), tolerance);
        within("kept", &rows(data.read(Wide::KEPT).unwrap()), &flat(&self.kept), tolerance);
        within("last", &rows(data.read(Wide::LAST).unwrap()), &flat(&self.last), tolerance);
        within("age", &scalars(data.read(Wide::AGE).unwrap()), &self.age, tolerance);
        within("level", &scalars(data.read(Wide::LEVEL).unwrap()), &self.level, tolerance);
        within("uses", &scalars(data.read(Wide::USES).unwrap()), &self.uses, tolerance);
        within("column", &scalars(data.read(Wide::COLUMN).unwrap()), &self.column, 10.0 * tolerance);
        within("years", &[data.read(Wide::YEARS).unwrap()[()]], &[self.years.iter().sum()], 10.0 * tolerance);
    }
}
