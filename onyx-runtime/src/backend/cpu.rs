//! All CPU cores, by rayon: one lane that holds all features, the same lowered functions as on the GPU.

mod deal;
mod iteration;
mod keepers;
mod launchable;
mod stage;
mod threads;
mod vectors;

use std::ops::Range;
use std::ptr;

use onyx_device::arguments::{Arguments, EdgeNumbers, NeighborGroups};
use onyx_device::gather::{Noted, Reach};
use onyx_device::property::Storage;
use onyx_device::total::Below;
use onyx_device::{EdgeAccess, FoldFacts};

use self::iteration::Iteration;
use self::keepers::Keepers;
pub(crate) use self::stage::{Launch, launch};
use self::vectors::Vectors;
use crate::active::ActiveSet;
use crate::backend::arguments::Unbound;
use crate::backend::code::{AnyFold, Code};
use crate::backend::device::reverse_edges;
use crate::decider::{explain_cpu, takes_graphs_on_cpu};
use crate::engine::{Activity, Array, Batch, Engine, Task, finish};
use crate::error::RunError;
use crate::floats::Floats;
use crate::graph::{Adjacency, Graph};
use crate::look::Found;
use crate::memory;
use crate::miss;
use crate::options::Options;
use crate::plan::{Along, Outline, Plan, Work};
use crate::run::{Ran, timed};
use crate::schedule::{Form, Kernel};
use crate::store::Store;
use crate::total::Contributions;
use crate::watch::Watch;

/// The kernels along edges, whose groups are whole rows here.
const ALONG: Along = Along { incoming: Kernel::Pull, outgoing: Kernel::Push };
/// The same, where pulls take whole graphs of a batch.
const ALONG_GRAPHS: Along = Along { incoming: Kernel::GraphPerBlock, ..ALONG };
/// How many vertices the graphs have together that a thread takes through all stages: as many as fit a core's caches with their rows.
const GRAPH_VERTICES: usize = 128;
/// The bytes of all rows, and of what is read and written along all edges, up to which one thread has done a stage before others are awake (`docs/performance.md`). Without optimization
/// there are fewer, so that tests on small graphs run on several threads as well.
const FEW_BYTES: usize = if cfg!(debug_assertions) { 1 << 10 } else { 1 << 15 };
/// How many pieces each thread gets, so that an uneven one does not hold up the rest.
const PIECES_PER_THREAD: usize = 16;

/// Runs `fold` on the CPU.
pub(crate) fn run(fold: AnyFold, task: Task<'_>, store: &mut Store) -> Result<Ran, RunError> {
    let (facts, options) = (fold.facts, task.options);
    let explain = explain_cpu(facts, task.graph, Form::of(store), options);
    let (mut engine, prepare) = timed(|| CpuEngine::new(fold, task.graph, store, options))?;
    let (outcome, schedule) = finish(facts, &mut engine, task)?;
    Ok(Ran { outcome, device: device(), schedule, explain, prepare })
}

fn device() -> String {
    format!("CPU, {} threads", rayon::current_num_threads())
}

/// A fold's data in place, and the iterations on it.
struct CpuEngine<'a> {
    fold: &'static FoldFacts,
    code: Code,
    graph: &'a Graph,
    store: &'a mut Store,
    work: Work,
    along: Along,
    /// Rows of about equally many incoming edges.
    incoming: Vec<Range<usize>>,
    /// Rows of about equally many outgoing edges, for stages that reduce into sources.
    outgoing: Vec<Range<usize>>,
    /// The vertices of some graphs of a batch each, where pulls take those.
    graphs: Vec<Range<usize>>,
    active: ActiveSet,
    /// One for each vertex, so many for each tile.
    marks: Vec<u8>,
    /// The reverse edges, where the functions read them.
    reverse: EdgeNumbers,
    /// By property: the changes that a push has collected.
    pending: Vec<Option<Floats>>,
    is_deterministic: bool,
    /// Whether one thread does all, since there is so little.
    is_small: bool,
    /// What its code may use.
    vectors: Vectors,
    /// What ends the run besides.
    until: Option<Below>,
    /// How many iterations have run.
    iterations: usize,
    /// The first read out of range.
    noted: Box<Noted>,
    /// They have other threads at hand for the next iteration, from the second on: a run of one has none after it.
    keepers: Option<Keepers>,
}

impl<'a> CpuEngine<'a> {
    fn new(fold: AnyFold, graph: &'a Graph, store: &'a mut Store, options: &Options) -> Result<Self, RunError> {
        let (code, fold) = (fold.code(store)?, fold.facts);
        store.make_contributions(fold, Contributions::Vertices)?;
        store.make_scratch(fold)?;
        store.keep_as_previous();
        let pending = store.pending(if options.may_push(fold) { fold.edges } else { EdgeAccess::NONE })?;
        let pieces = rayon::current_num_threads() * PIECES_PER_THREAD;
        let tiles = store.tiles();
        let row = store.head_features();
        let of_edges = graph.edge_count().saturating_mul(fold.edge_bytes(row));
        let of_rows = graph.vertex_count().saturating_mul(row * size_of::<f32>());
        let is_small = of_edges.saturating_add(of_rows) <= FEW_BYTES;
        let takes_graphs = takes_graphs_on_cpu(fold, graph, Form::of(store), options);
        let graphs = if takes_graphs { graph.member_blocks(GRAPH_VERTICES)? } else { Vec::new() };
        let graphs: Vec<_> = graphs.windows(2).map(|ends| ends[0] as usize..ends[1] as usize).collect();
        let work = Work::of_whole_rows(graph.vertex_count() as u64, tiles as u32);
        Ok(Self {
            fold,
            code,
            graph,
            store,
            work: Work { graph_blocks: graphs.len() as u64, ..work },
            along: if takes_graphs { ALONG_GRAPHS } else { ALONG },
            graphs,
            incoming: graph.incoming().balanced_rows(pieces),
            outgoing: if onyx_device::stage::rows(fold.stages).1 {
                graph.outgoing().balanced_rows(pieces)
            } else {
                Vec::new()
            },
            active: options.first_active(graph),
            marks: memory::zeroed(graph.vertex_count() * tiles, "the marks of active vertices")?,
            reverse: reverse(fold, graph),
            pending: pending.into_iter().map(|pending| Some(pending?.numbers)).collect(),
            is_deterministic: options.deterministic,
            is_small,
            vectors: Vectors::here(),
            until: options.until,
            iterations: 0,
            noted: Box::default(),
            keepers: None,
        })
    }

    fn arguments(&mut self, keep_sums: bool) -> Unbound {
        let storages = self.store.storages();
        let pending = with_pending(&storages, &mut self.pending);
        let reach = Reach { vertices: self.graph.vertex_count() as u64, noted: &raw mut *self.noted };
        let rest = Arguments {
            incoming: neighbors(self.graph.incoming()),
            outgoing: neighbors(self.graph.outgoing()),
            reverse: self.reverse,
            active: self.active.words().as_ptr().cast_mut(),
            marks: self.marks.as_mut_ptr(),
            vertex_count: self.graph.vertex_count() as u64,
            features: self.store.head_features() as u32,
            tiles: self.work.tiles,
            keep_sums: u32::from(keep_sums),
            ..Arguments::of(())
        };
        Unbound { partials: storages.clone(), data: storages, pending, reach, rest, launchable: self.launchable() }
    }

    /// Runs one iteration.
    fn iterate(&mut self, batch: Batch, watch: &Watch) -> Result<Activity, RunError> {
        let plan = Plan::new(Outline::of(self.fold), batch.direction, self.along, &self.work);
        plan.execute(&mut Iteration { engine: self, keep_sums: batch.keep_sums, watch })?;
        miss::check(self.fold, *self.noted, self.store)?;
        let total = self.until.map(|until: Below| (self.store.floats(until.total)[0], until.bound));
        Ok(Activity {
            is_stopped: total.is_some_and(|(total, bound)| total < bound),
            total: total.map(|(total, _)| total),
            ..Activity::of(&self.active, self.graph)
        })
    }

    fn publish(&mut self, words: Vec<u32>) {
        self.active = ActiveSet::from_words(self.graph.vertex_count(), words);
    }
}

impl Engine for CpuEngine<'_> {
    /// One iteration: the counters are at hand, so that asking costs nothing.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        self.iterations += 1;
        if self.iterations > 1 && !self.is_small {
            self.keepers.get_or_insert_with(Keepers::new);
        }
        self.store.set_iteration(self.iterations);
        let watch = Watch::default();
        let activity = watch.run(self.fold.declared_name, || self.iterate(batch, &watch));
        Ok(vec![activity??])
    }

    fn active(&mut self) -> Result<ActiveSet, RunError> {
        Ok(self.active.clone())
    }

    fn arrays(&self, properties: u64) -> Vec<Array> {
        self.store.arrays(properties)
    }

    fn copy(&mut self, array: Array, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        let first = first * array.number.bytes();
        bytes.copy_from_slice(&self.store.bytes(array.property)[first..first + bytes.len()]);
        Ok(())
    }

    fn look(&mut self, arrays: &[Array]) -> Result<Vec<Found>, RunError> {
        let look = |array: &Array| Found::among(*array, self.store.bytes(array.property));
        Ok(arrays.iter().map(look).collect())
    }

    fn finish(&mut self) -> Result<(), RunError> {
        self.store.settle_borrowed();
        Ok(())
    }

    fn schedule(&self) -> String {
        let only = if self.is_deterministic { "; deterministic: pull alone" } else { "" };
        let rows = if self.graphs.is_empty() { "balanced rows" } else { "graph by graph" };
        format!("{rows}{only}")
    }
}

fn with_pending(storages: &[Storage], pending: &mut [Option<Floats>]) -> Vec<Storage> {
    let replaced = |(storage, pending): (&Storage, &mut Option<Floats>)| match pending {
        Some(pending) => Storage { current: pending.as_bytes_mut().as_mut_ptr().cast(), ..*storage },
        None => *storage,
    };
    storages.iter().zip(pending).map(replaced).collect()
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
fn reverse(fold: &'static FoldFacts, graph: &Graph) -> EdgeNumbers {
    reverse_edges(fold, graph).map_or(EdgeNumbers::NONE, |numbers| EdgeNumbers {
        numbers: numbers.as_bytes().as_ptr(),
        bytes: numbers.entry_bytes(),
    })
}

#[cfg(test)]
mod tests;
