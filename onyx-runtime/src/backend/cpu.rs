//! All CPU cores, by rayon: one lane that holds all features, the same lowered functions as on the GPU.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr;

use onyx_device::access::Time;
use onyx_device::arguments::{Arguments, HubPieces, NeighborGroups, Part};
use onyx_device::cpu::Cpu;
use onyx_device::property::GraphData;
use onyx_device::run::{Before, EdgeRun, VertexRun};
use onyx_device::schedule::{pull, push, vertex};
use onyx_device::{Fold, Group, Vertex, WidthVisitor};
use rayon::prelude::*;

use crate::active::ActiveSet;
use crate::decider::explain_cpu;
use crate::engine::{Activity, Engine, converge};
use crate::error::RunError;
use crate::graph::{Adjacency, Graph};
use crate::options::{Observer, Options};
use crate::run::{Ran, timed};
use crate::store::Store;

/// How many pieces each thread gets, so that an uneven one does not hold up the rest.
const PIECES_PER_THREAD: usize = 16;
/// One edge at a time: the CPU looks ahead by itself.
const EDGES_IN_FLIGHT: usize = 1;

/// Runs `fold` on the CPU.
pub(crate) fn run<F: Fold>(
    _fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Ran, RunError> {
    let (width, features) = (store.width(), store.features());
    let visitor = Visitor { graph, store, options, observer, run: PhantomData::<F> };
    let unknown = RunError::Features { fold: F::NAME, features, widest: width };
    F::visit(width, visitor).unwrap_or(Err(unknown))
}

struct Visitor<'a, F> {
    graph: &'a Graph,
    store: &'a mut Store,
    options: &'a Options,
    observer: Observer<'a>,
    run: PhantomData<F>,
}

impl<F: Fold> WidthVisitor for Visitor<'_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D, E, W, const K: usize, const L: usize, const V: usize>(self) -> Self::Output
    where
        D: GraphData,
        E: EdgeRun<D>,
        W: VertexRun<D>,
    {
        let (mut engine, prepare) = timed(|| Ok(CpuEngine::<D, E, W, K>::new(self.graph, self.store)))?;
        let outcome = converge::<F>(&mut engine, self.graph, self.options, self.observer)?;
        engine.finish()?;
        Ok(Ran { outcome, device: device(), schedule: engine.schedule(), explain: explain_cpu(), prepare })
    }
}

fn device() -> String {
    format!("CPU, {} threads", rayon::current_num_threads())
}

struct CpuEngine<'a, D, E, W, const K: usize> {
    graph: &'a Graph,
    store: &'a mut Store,
    /// Rows of about equally many incoming edges.
    incoming: Vec<Range<usize>>,
    active: ActiveSet,
    marks: Vec<u8>,
    functions: PhantomData<(D, E, W)>,
}

impl<'a, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> CpuEngine<'a, D, E, W, K> {
    fn new(graph: &'a Graph, store: &'a mut Store) -> Self {
        let pieces = rayon::current_num_threads() * PIECES_PER_THREAD;
        Self {
            graph,
            store,
            incoming: graph.incoming().balanced_rows(pieces),
            active: ActiveSet::all(graph.vertex_count()),
            marks: vec![0; graph.vertex_count()],
            functions: PhantomData,
        }
    }

    fn arguments(&mut self, keep_sums: bool) -> Arguments<D> {
        Arguments {
            data: D::bind(&self.store.storages()),
            incoming: neighbors(self.graph.incoming()),
            outgoing: neighbors(self.graph.outgoing()),
            hubs: HubPieces::NONE,
            cut: ptr::null(),
            cut_count: 0,
            active: ptr::null_mut(),
            marks: self.marks.as_mut_ptr(),
            counters: ptr::null_mut(),
            out_degree: ptr::null(),
            vertex_count: self.graph.vertex_count() as u64,
            features: self.store.features() as u32,
            keep_sums: u32::from(keep_sums),
        }
    }

    fn pull_row(graph: &Graph, arguments: &Arguments<D>, row: usize) {
        let group = Group::<Cpu, 1, K>::of(Cpu, arguments.features);
        let edges = graph.incoming().offsets().row(row);
        let vertex = Vertex(row as u32);
        // SAFETY: the row is this thread's alone; neighbors are read at the value that nobody writes.
        unsafe {
            let (sums, reached) = pull::gather::<_, D, E, Before<D, W>, 1, K, EDGES_IN_FLIGHT>(
                group,
                arguments,
                vertex,
                edges.start as u64,
                edges.end as u64,
            );
            pull::finish::<_, D, E, W, 1, K>(group, arguments, vertex, sums, reached);
        }
    }

    fn push_row(graph: &Graph, arguments: &Arguments<D>, row: u32) {
        let group = Group::<Cpu, 1, K>::of(Cpu, arguments.features);
        let edges = graph.outgoing().offsets().row(row as usize);
        let part = Part { vertex: Vertex(row), begin: edges.start as u64, end: edges.end as u64, is_cut: false };
        // SAFETY: sums and marks of destinations are only reached atomically.
        unsafe { push::scatter::<_, D, E, W, 1, K, EDGES_IN_FLIGHT>(group, arguments, part) }
    }

    /// Takes the marks as the next active set, and clears them.
    fn activate(&mut self) -> Activity {
        let words: Vec<u32> = self.marks.par_chunks_mut(32).map(take_word).collect();
        self.publish(words)
    }

    fn publish(&mut self, words: Vec<u32>) -> Activity {
        self.active = ActiveSet::from_words(self.graph.vertex_count(), words);
        let vertices = self.active.count();
        let all = vertices == self.graph.vertex_count();
        let edges = if all { self.graph.edge_count() } else { self.active.edge_count(self.graph.outgoing()) };
        Activity { vertices, edges: edges as u64, time: None }
    }

    /// Runs the vertex functions of one word of vertices, and returns the word of those that have changed.
    fn update_word(arguments: &Arguments<D>, word: usize, active: u32) -> u32 {
        let group = Group::<Cpu, 1, K>::of(Cpu, arguments.features);
        let first = word * 32;
        let last = (first + 32).min(arguments.vertex_count as usize);
        (first..last).fold(0, |changed, index| {
            let slot = index - first;
            let is_active = active >> slot & 1 == 1;
            // SAFETY: the word's vertices and marks are this thread's alone.
            let update = unsafe {
                let mark = arguments.marks.add(index);
                let is_marked = mark.replace(0) != 0;
                (is_active || is_marked)
                    && vertex::update::<_, D, W, 1, K>(group, arguments, Vertex(index as u32), is_active)
            };
            changed | u32::from(update) << slot
        })
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> Engine for CpuEngine<'_, D, E, W, K> {
    fn pull(&mut self, keep_sums: bool) -> Result<Activity, RunError> {
        self.store.swap(Before::<D, W>::PREVIOUS);
        let arguments = self.arguments(keep_sums);
        let graph = self.graph;
        self.incoming.par_iter().for_each(|rows| rows.clone().for_each(|row| Self::pull_row(graph, &arguments, row)));
        Ok(self.activate())
    }

    fn push(&mut self) -> Result<Activity, RunError> {
        let arguments = self.arguments(true);
        let sources: Vec<u32> = self.active.iter().collect();
        let graph = self.graph;
        sources.par_iter().for_each(|source| Self::push_row(graph, &arguments, *source));
        self.vertex()
    }

    fn vertex(&mut self) -> Result<Activity, RunError> {
        let arguments = self.arguments(false);
        let words = self.active.words().par_iter().enumerate();
        let next = words.map(|(word, active)| Self::update_word(&arguments, word, *active)).collect();
        Ok(self.publish(next))
    }

    fn finish(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn schedule(&self) -> String {
        "balanced rows".to_owned()
    }
}

/// Of 32 marks, one bit each; clears them.
fn take_word(marks: &mut [u8]) -> u32 {
    marks.iter_mut().enumerate().fold(0, |word, (slot, mark)| word | u32::from(std::mem::take(mark) != 0) << slot)
}

/// An adjacency as the schedules see it. On the CPU rows are not cut.
fn neighbors(adjacency: &Adjacency) -> NeighborGroups {
    let ids = adjacency.edge_ids();
    NeighborGroups {
        neighbors: adjacency.neighbors().as_ptr(),
        edge_ids: ids.map_or(ptr::null(), |ids| ids.as_bytes().as_ptr()),
        edge_id_bytes: ids.map_or(0, |ids| ids.entry_bytes()),
        ..NeighborGroups::NONE
    }
}
