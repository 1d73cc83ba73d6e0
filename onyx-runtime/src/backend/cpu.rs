//! All CPU cores, by rayon: one lane that holds all features, the same lowered functions as on the GPU.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr;

use onyx_device::access::Time;
use onyx_device::arguments::{Arguments, CutParts, EdgeNumbers, HubPieces, NeighborGroups, Part};
use onyx_device::cpu::Cpu;
use onyx_device::fold::is_change_driven;
use onyx_device::property::{GraphData, Storage};
use onyx_device::reduction::Accumulator;
use onyx_device::run::{Before, EdgeRun, VertexRun};
use onyx_device::schedule::{pull, push, vertex};
use onyx_device::{Fold, Group, Vertex, WidthVisitor};
use rayon::prelude::*;

use crate::active::ActiveSet;
use crate::decider::explain_cpu;
use crate::engine::{Activity, Batch, Engine, converge};
use crate::error::RunError;
use crate::graph::{Adjacency, Graph};
use crate::options::{Direction, Observer, Options};
use crate::run::{Ran, timed};
use crate::store::{Floats, Store};

/// How many pieces each thread gets, so that an uneven one does not hold up the rest.
const PIECES_PER_THREAD: usize = 16;
/// One edge at a time: the CPU looks ahead by itself.
const EDGES_IN_FLIGHT: usize = 1;
/// How many edges are added up before the block's sum joins the row's: a long row loses less to rounding.
const BLOCK: usize = 512;

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
        let (mut engine, prepare) = timed(|| Ok(CpuEngine::<D, E, W, K>::new(self.graph, self.store, self.options)))?;
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
    /// The reverse edges, where the functions read them.
    reverse: EdgeNumbers,
    /// By property: the changes that a push has collected.
    pending: Vec<Option<Floats>>,
    is_deterministic: bool,
    functions: PhantomData<(D, E, W)>,
}

impl<'a, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> CpuEngine<'a, D, E, W, K> {
    fn new(graph: &'a Graph, store: &'a mut Store, options: &Options) -> Self {
        let pending = store.pending(collected::<D, E, W>());
        let pieces = rayon::current_num_threads() * PIECES_PER_THREAD;
        Self {
            graph,
            store,
            incoming: graph.incoming().balanced_rows(pieces),
            active: ActiveSet::all(graph.vertex_count()),
            marks: vec![0; graph.vertex_count()],
            reverse: reverse::<D, E>(graph),
            pending,
            is_deterministic: options.deterministic,
            functions: PhantomData,
        }
    }

    fn arguments(&mut self, keep_sums: bool) -> Arguments<D> {
        let storages = self.store.storages();
        let pending = with_pending(&storages, &mut self.pending);
        let data = D::bind(&storages);
        Arguments {
            data,
            pending: D::bind(&pending),
            partials: data,
            incoming: neighbors(self.graph.incoming()),
            outgoing: neighbors(self.graph.outgoing()),
            hubs: HubPieces::NONE,
            reverse: self.reverse,
            cut: ptr::null(),
            cut_count: 0,
            parts: CutParts::NONE,
            active: ptr::null_mut(),
            marks: self.marks.as_mut_ptr(),
            counters: ptr::null_mut(),
            before: ptr::null(),
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
        let (mut sums, mut reached) = (E::Sums::<K>::zero(), false);
        // SAFETY: the row is this thread's alone; neighbors are read at the value that nobody writes.
        unsafe {
            for begin in edges.clone().step_by(BLOCK) {
                let end = edges.end.min(begin + BLOCK);
                let (part, part_reached) = pull::gather::<_, D, E, Before<D, W>, 1, K, EDGES_IN_FLIGHT>(
                    group,
                    arguments,
                    vertex,
                    begin as u64,
                    end as u64,
                );
                sums = sums.plus(part);
                reached |= part_reached;
            }
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
                    && vertex::update::<_, D, E, W, 1, K>(group, arguments, Vertex(index as u32), is_active)
            };
            changed | u32::from(update) << slot
        })
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> CpuEngine<'_, D, E, W, K> {
    fn pull(&mut self, keep_sums: bool) -> Activity {
        self.store.swap(Before::<D, W>::PREVIOUS);
        let arguments = self.arguments(keep_sums);
        let graph = self.graph;
        self.incoming.par_iter().for_each(|rows| rows.clone().for_each(|row| Self::pull_row(graph, &arguments, row)));
        self.activate()
    }

    fn push(&mut self) -> Activity {
        let arguments = self.arguments(true);
        let sources: Vec<u32> = self.active.iter().collect();
        let graph = self.graph;
        sources.par_iter().for_each(|source| Self::push_row(graph, &arguments, *source));
        self.vertex()
    }

    fn vertex(&mut self) -> Activity {
        let arguments = self.arguments(false);
        let words = self.active.words().par_iter().enumerate();
        let next = words.map(|(word, active)| Self::update_word(&arguments, word, *active)).collect();
        self.publish(next)
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const K: usize> Engine for CpuEngine<'_, D, E, W, K> {
    /// One iteration: the counters are at hand, so that asking costs nothing.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        Ok(vec![match batch.direction {
            Direction::Pull => self.pull(batch.keep_sums),
            Direction::Push => self.push(),
            Direction::Vertex => self.vertex(),
        }])
    }

    fn finish(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn schedule(&self) -> String {
        let only = if self.is_deterministic { "; deterministic: pull alone" } else { "" };
        format!("balanced rows{only}")
    }
}

/// The properties that a push collects changes for.
fn collected<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>>() -> u64 {
    if is_change_driven(D::PROPERTIES, E::ACCESS, W::ACCESS) { E::ACCESS.reduces } else { 0 }
}

fn with_pending(storages: &[Storage], pending: &mut [Option<Floats>]) -> Vec<Storage> {
    let replaced = |(storage, pending): (&Storage, &mut Option<Floats>)| match pending {
        Some(pending) => Storage { current: pending.as_mut_slice().as_mut_ptr(), ..*storage },
        None => *storage,
    };
    storages.iter().zip(pending).map(replaced).collect()
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

/// The reverse edges, where the functions read them.
fn reverse<D: GraphData, E: EdgeRun<D>>(graph: &Graph) -> EdgeNumbers {
    let numbers = if E::ACCESS.reads_reverse == 0 { None } else { graph.reverse_edges().ok() };
    numbers.map_or(EdgeNumbers::NONE, |numbers| EdgeNumbers {
        numbers: numbers.as_bytes().as_ptr(),
        bytes: numbers.entry_bytes(),
    })
}
