//! What folds over several queries come to, by serial loops in `f64`.

use onyx_runtime::Data;
use onyx_runtime::graph::Graph;
use onyx_wide::heads::Queries;

use crate::numbers::{near, number};

/// How many rows the table has.
const KINDS: usize = 3;

/// The values of all queries: rows have all heads, one after the other; numbers are by vertex or edge, then by head.
pub struct Model {
    pub heads: usize,
    pub features: usize,
    weight: Vec<f64>,
    seed: Vec<Vec<f64>>,
    relation: Vec<Vec<f64>>,
    restart: Vec<Vec<f64>>,
    value: Vec<Vec<f64>>,
    rank: Vec<Vec<f64>>,
    uses: Vec<Vec<f64>>,
    label: Vec<Vec<u32>>,
    mean: Vec<Vec<f64>>,
    moves: Vec<Vec<f64>>,
    column: Vec<f64>,
}

impl Model {
    pub fn new(graph: &Graph, heads: usize, features: usize) -> Self {
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let rows = |count: usize, of: usize, from: usize| -> Vec<Vec<f64>> {
            (0..count).map(|row| (0..of).map(|at| number(from + row * of + at)).collect()).collect()
        };
        let label = |vertex: usize| (0..heads).map(|head| ((vertex * 7 + head * 13) % 101) as u32).collect();
        Self {
            heads,
            features,
            weight: (0..edges).map(|edge| number(edge).abs() / (4 * (1 + edges / vertices.max(1))) as f64).collect(),
            seed: rows(vertices, heads * features, 11),
            relation: rows(KINDS, heads * features, 23),
            restart: rows(vertices, heads, 31),
            value: vec![vec![0.0; heads * features]; vertices],
            rank: vec![vec![0.0; heads]; vertices],
            uses: vec![vec![0.0; heads]; edges],
            label: (0..vertices).map(label).collect(),
            mean: vec![vec![0.0; heads]; vertices],
            moves: vec![vec![0.0; heads]; vertices],
            column: vec![0.0; heads * features],
        }
    }

    /// Writes what a run starts from.
    pub fn fill(&self, data: &mut Data<Queries<0>>) {
        let kinds: Vec<u8> = (0..self.weight.len()).map(|edge| (edge % KINDS) as u8).collect();
        data.write(Queries::WEIGHT, &self.weight.iter().map(|weight| *weight as f32).collect::<Vec<_>>()).unwrap();
        data.write(Queries::KIND, &kinds).unwrap();
        data.resize(Queries::RELATION, KINDS).unwrap();
        let fill = |to: &mut dyn Iterator<Item = &mut f32>, from: &[Vec<f64>]| {
            to.zip(from.concat()).for_each(|(to, from)| *to = from as f32);
        };
        fill(&mut data.view_mut(Queries::RELATION).unwrap().iter_mut(), &self.relation);
        fill(&mut data.view_mut(Queries::SEED).unwrap().iter_mut(), &self.seed);
        fill(&mut data.view_mut(Queries::RESTART).unwrap().iter_mut(), &self.restart);
        let labels = self.label.concat();
        data.view_mut(Queries::LABEL).unwrap().iter_mut().zip(labels).for_each(|(to, from)| *to = from);
        data.set(Queries::TOLERANCE, 1e-5);
    }

    /// One iteration of `walk`.
    pub fn walk(&mut self, graph: &Graph) {
        let mut sum = vec![vec![0.0; self.heads * self.features]; graph.vertex_count()];
        let mut inflow = vec![vec![0.0; self.heads]; graph.vertex_count()];
        for (edge, source, destination) in graph.edges() {
            let (source, destination, weight) = (source as usize, destination as usize, self.weight[edge]);
            sum[destination].iter_mut().zip(&self.value[source]).for_each(|(sum, value)| *sum += weight * value);
            inflow[destination].iter_mut().zip(&self.rank[source]).for_each(|(sum, rank)| *sum += weight * rank);
        }
        for vertex in 0..graph.vertex_count() {
            for (head, reaching) in inflow[vertex].iter().enumerate() {
                let part = head * self.features..(head + 1) * self.features;
                let mixed: Vec<f64> = part.clone().map(|at| (sum[vertex][at] + self.seed[vertex][at]).exp()).collect();
                let total: f64 = mixed.iter().sum();
                let value = part.clone().zip(mixed).map(|(at, mixed)| mixed / total + 0.5 * self.seed[vertex][at]);
                let value: Vec<f64> = value.collect();
                let norm = value.iter().map(|value| value * value).sum::<f64>().sqrt();
                self.rank[vertex][head] = reaching + self.restart[vertex][head] + 0.125 * norm;
                self.value[vertex][part].copy_from_slice(&value);
            }
        }
    }

    /// One iteration of `labelled`. The number of vertices that are active in any head.
    pub fn label(&mut self, graph: &Graph) -> usize {
        let (before, mut active) = (self.label.clone(), vec![false; graph.vertex_count()]);
        self.uses.iter_mut().flatten().for_each(|uses| *uses += 1.0);
        self.column.fill(0.0);
        for (edge, ..) in graph.edges() {
            self.column.iter_mut().zip(&self.relation[edge % KINDS]).for_each(|(sum, row)| *sum += row);
        }
        for vertex in 0..graph.vertex_count() {
            let edges: Vec<_> = graph.edges().filter(|(.., destination)| *destination as usize == vertex).collect();
            for (head, own) in before[vertex].iter().enumerate() {
                let of = |edge: usize| self.uses[edge][head] * self.weight[edge];
                let sum: f64 = edges.iter().map(|(edge, ..)| of(*edge)).sum();
                self.mean[vertex][head] = sum / (edges.len() as f64).max(1.0);
                let least = edges.iter().map(|(_, source, _)| before[*source as usize][head]).min();
                if least.is_some_and(|least| least < *own) {
                    self.label[vertex][head] = least.unwrap();
                    self.moves[vertex][head] += 1.0;
                    active[vertex] = true;
                }
            }
        }
        active.into_iter().filter(|active| *active).count()
    }

    pub fn assert_in(&self, data: &mut Data<Queries<0>>) {
        let labels: Vec<u32> = data.read(Queries::LABEL).unwrap().iter().copied().collect();
        assert_eq!(labels, self.label.concat());
        let floats = |found: &mut dyn Iterator<Item = &f32>| found.copied().collect::<Vec<f32>>();
        near("uses", &floats(&mut data.read(Queries::USES).unwrap().iter()), &self.uses.concat());
        near("mean", &floats(&mut data.read(Queries::MEAN).unwrap().iter()), &self.mean.concat());
        near("moves", &floats(&mut data.read(Queries::MOVES).unwrap().iter()), &self.moves.concat());
        near("column", &floats(&mut data.read(Queries::COLUMN).unwrap().iter()), &self.column);
    }

    pub fn assert_walked_in(&self, data: &mut Data<Queries<0>>) {
        let floats = |found: &mut dyn Iterator<Item = &f32>| found.copied().collect::<Vec<f32>>();
        near("value", &floats(&mut data.read(Queries::VALUE).unwrap().iter()), &self.value.concat());
        near("rank", &floats(&mut data.read(Queries::RANK).unwrap().iter()), &self.rank.concat());
    }
}
