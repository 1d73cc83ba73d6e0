//! What a run has on a device besides its graph and its values.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onyx_device::arguments::{PassedRows, Units};
use onyx_device::total::Below;
use onyx_device::{FoldFacts, stage};

use super::lenders::Lenders;
use super::{ArrayOf, BatchHistory, Device, Situation, is_resident, reverse_edges, total};
use crate::active::ActiveSet;
use crate::backend::adjacency::{DeviceAdjacency, Needs};
use crate::backend::counters::Counters;
use crate::backend::memory::Memory;
use crate::backend::partials::{self, Partials};
use crate::backend::topology::{Facing, GraphBlocks, Topology};
use crate::decider::Decider;
use crate::error::RunError;
use crate::graph::{Adjacency, Graph};
use crate::miss::Notes;
use crate::options::{Direction, Options};
use crate::plan::{Along, Outline, Part, Plan, Work};
use crate::schedule::{Team, Unit};
use crate::store::Store;

/// How a fold's rows are spread over lanes and groups.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Lanes in a group.
    pub(crate) lanes: u64,
    /// The schedules.
    pub(crate) decider: Decider,
    /// The greatest number of iterations in a batch.
    pub(super) read_every: usize,
    /// Whether iterations may push.
    pub(super) pushes: bool,
    /// Whether the sums of cut rows are added in order.
    pub(super) is_deterministic: bool,
    /// Whether full batches are recorded and replayed.
    pub(super) replays: bool,
    /// The vertices that are active at first, if not all.
    start: Option<ActiveSet>,
    /// What ends the run besides.
    pub(super) until: Option<Below>,
}

impl Shape {
    /// What the options ask for.
    pub(crate) fn new(fold: &'static FoldFacts, decider: Decider, options: &Options) -> Self {
        Self {
            lanes: decider.lanes(),
            decider,
            read_every: options.batch(),
            pushes: options.may_push(fold),
            is_deterministic: options.deterministic,
            replays: options.replay && options.batch() > 1,
            start: options.start.clone(),
            until: options.until,
        }
    }

    /// The same where the device is known: how many groups its blocks have, or how many blocks it has at once.
    fn on(self, device: &impl Device, fold: &FoldFacts) -> Self {
        if self.decider.pull().row().unit == Unit::Graphs
            && let Some(at_once) = device.blocks_at_once(self.decider.pull())
        {
            return Self { decider: self.decider.with_blocks_at_once(at_once), ..self };
        }
        let stage = fold.stages.iter().position(|stage| stage.has_edges);
        let Some(stage) = stage.filter(|_| self.decider.pull().row().unit == Unit::GroupBlock) else { return self };
        let groups = device.block_threads(Team::Groups, stage) / self.lanes;
        Self { decider: self.decider.in_blocks(groups as usize), ..self }
    }
}

/// The rows of edges that pulls take.
pub(super) struct Rows<A> {
    /// The edges, if any stage takes them.
    pub(super) edges: Option<Arc<DeviceAdjacency<A>>>,
    /// Where the sums of cut rows are stored apart, if they are added in order.
    pub(super) partials: Option<Partials<A>>,
}

/// The reverse edges, and the size of each number.
type Reverse<A> = (Arc<A>, u32);

/// What a run has on a device besides graph and values, and where it found those of the graph.
pub(super) struct Prepared<Q: Device> {
    pub(super) device: Q,
    pub(super) fold: &'static FoldFacts,
    pub(super) shape: Shape,
    pub(super) work: Work,
    pub(super) vertex_count: u64,
    pub(super) edge_count: u64,
    /// The outgoing edges of what the last step has left active.
    pub(super) active_edges: u64,
    /// By orientation of a stage: the rows of edges that its pulls take, incoming ones, and outgoing ones where it reduces into sources.
    pub(super) rows: [Rows<ArrayOf<Q>>; 2],
    pub(super) outgoing: Option<Arc<DeviceAdjacency<ArrayOf<Q>>>>,
    /// The blocks of whole graphs, where pulls take those.
    pub(super) blocks: Option<GraphBlocks<ArrayOf<Q>>>,
    /// Where those have the rows that stages leave for later ones.
    pub(super) passed: PassedRows,
    /// The reverse edges, where the fold reads them.
    pub(super) reverse: Option<Reverse<ArrayOf<Q>>>,
    pub(super) active: ArrayOf<Q>,
    pub(super) marks: ArrayOf<Q>,
    pub(super) counters: Counters<ArrayOf<Q>>,
    pub(super) out_degree: Arc<ArrayOf<Q>>,
    /// What is between the launches that add up a total of the graph.
    pub(super) partial_totals: Option<ArrayOf<Q>>,
    /// The first read at an index out of range, where the fold computes indices.
    pub(super) notes: Option<Arc<Notes<ArrayOf<Q>>>>,
    /// The properties whose current values are where the previous ones were at first.
    pub(super) swapped: u64,
    /// How many iterations have run.
    pub(super) iterations: usize,
    /// Whether it has one iteration at a time, with all vertices active.
    pub(super) is_once: bool,
    /// Which properties have their arrays from others.
    pub(super) lenders: Lenders,
    /// What its batches depend on, where they may be replayed.
    pub(super) situation: Arc<Situation>,
    history: Arc<Mutex<BatchHistory>>,
    /// How many batches it has launched kernel by kernel, and how many it has replayed.
    pub(super) batches: Batches,
}

/// How the batches of a run came to the device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Batches {
    pub(super) launched: usize,
    pub(super) replayed: usize,
}

/// What a run is on.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) fold: &'static FoldFacts,
    pub(super) graph: &'a Graph,
    pub(super) store: &'a Store,
    pub(super) facing: Facing,
}

/// What a run had on a device for itself, of which another one takes what it can.
struct Own<A> {
    active: Option<A>,
    marks: Option<A>,
    partial_totals: Option<A>,
    counters: Counters<A>,
    notes: Option<Arc<Notes<A>>>,
}

impl<Q: Device> Prepared<Q> {
    /// Copies to the device what a fold needs of the graph and is not there yet, and makes what the run needs for itself.
    pub(super) fn new(
        device: Q,
        ground: Ground<'_>,
        shape: Shape,
        topology: &mut Topology<ArrayOf<Q>>,
    ) -> Result<Self, RunError> {
        let counters = Counters::new(device.memory(), shape.read_every)?;
        let notes = Notes::made(ground.fold, device.memory())?;
        let own = Own { active: None, marks: None, partial_totals: None, counters, notes };
        Self::over(own, device, ground, shape, topology)
    }

    /// The same fold on another graph, for a run of as many iterations.
    pub(super) fn moved(
        self,
        ground: Ground<'_>,
        shape: Shape,
        topology: &mut Topology<ArrayOf<Q>>,
    ) -> Result<Self, RunError> {
        let Self { active, marks, partial_totals, counters, notes, device, .. } = self;
        let own = Own { active: Some(active), marks: Some(marks), partial_totals, counters, notes };
        Self::over(own, device, ground, shape, topology)
    }

    fn over(
        own: Own<ArrayOf<Q>>,
        device: Q,
        ground: Ground<'_>,
        shape: Shape,
        topology: &mut Topology<ArrayOf<Q>>,
    ) -> Result<Self, RunError> {
        let Ground { fold, graph, store, facing } = ground;
        let first = shape.start.clone().unwrap_or_else(|| ActiveSet::all(graph.vertex_count()));
        let (shape, memory) = (shape.on(&device, fold), device.memory());
        let incoming = Needs::incoming(&shape.decider);
        let rows = rows(ground, memory, &shape.decider, incoming, topology)?;
        let outgoing = Needs::outgoing(&shape.decider);
        let outgoing = outgoing.map(|needs| topology.outgoing(memory, graph, facing, needs)).transpose()?;
        let blocks = shape.decider.block_vertices().map(|most| topology.blocks(memory, graph, most)).transpose()?;
        let graph_blocks = blocks.as_ref().map_or(0, |blocks| blocks.count);
        let work = Work { graph_blocks, ..work(ground, &shape, &rows, outgoing.as_deref()) };
        // Rows of several tiles or heads are reached by several blocks each.
        let blocks_of_rows = blocks.as_ref().filter(|_| store.tiles() == 1);
        let passed = blocks_of_rows.map_or(PassedRows::NONE, |blocks| device.passed(blocks.largest));
        let between = total::floats_between(fold, store, Q::LOOKING);
        Ok(Self {
            work,
            rows,
            outgoing,
            blocks,
            passed,
            reverse: reverse(ground, memory, topology)?,
            out_degree: topology.out_degree(memory, graph, facing)?,
            partial_totals: (between > 0).then(|| memory.zeroed_over(own.partial_totals, 4 * between)).transpose()?,
            active: memory.upload_over(own.active, bytemuck::cast_slice(first.words()))?,
            marks: memory.zeroed_over(own.marks, graph.vertex_count() * store.tiles())?,
            counters: own.counters,
            notes: own.notes,
            swapped: 0,
            iterations: 0,
            situation: Arc::default(),
            history: device.history(),
            batches: Batches::default(),
            is_once: false,
            lenders: Lenders::default(),
            vertex_count: graph.vertex_count() as u64,
            edge_count: graph.edge_count() as u64,
            active_edges: first.edge_count(graph.outgoing()) as u64,
            device,
            fold,
            shape,
        })
    }

    /// The same, for one iteration at a time, with all vertices active.
    pub(super) fn once(self, store: &Store) -> Self {
        // All stages of a block of whole graphs come before anything is added up.
        let made = || Lenders::of(self.fold, store, self.device.memory());
        let lenders = if self.blocks.is_none() { made() } else { Lenders::default() };
        Self { is_once: true, lenders, ..self }
    }

    /// What is known of the batches of the fold.
    pub(super) fn history(&self) -> MutexGuard<'_, BatchHistory> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What pulls leave of cut rows.
    pub(super) fn partials(&self) -> impl Iterator<Item = &Partials<ArrayOf<Q>>> {
        self.rows.iter().filter_map(|rows| rows.partials.as_ref())
    }

    /// What a plan is made from of the fold.
    pub(super) fn outline(&self) -> Outline<'static> {
        Outline { is_once: self.is_once, ..Outline::of(self.fold) }
    }

    /// What an iteration does.
    pub(super) fn plan(&self, direction: Direction) -> Plan {
        let fraction = self.active_edges as f64 / self.edge_count as f64;
        let along = Along { incoming: self.shape.decider.pull(), outgoing: self.shape.decider.push(fraction) };
        Plan::new(self.outline(), direction, along, &self.work)
    }
}

/// How many bytes an iteration reaches: those of the properties, the previous values as well, and of the neighbors.
fn bytes_reached(fold: &'static FoldFacts, graph: &Graph, store: &Store) -> u64 {
    let of = |index: usize| {
        let property = &fold.properties[index];
        (store.length(index) * property.number.bytes()) as u64 * if property.tracked { 2 } else { 1 }
    };
    let properties = (0..fold.properties.len()).filter(|index| is_resident(fold, *index));
    properties.map(of).sum::<u64>() + graph.edge_count() as u64 * size_of::<u32>() as u64
}

/// The rows that pulls take, by orientation, with memory for the sums of cut ones where these are stored apart.
fn rows<M: Memory>(
    Ground { fold, graph, facing, .. }: Ground<'_>,
    memory: &M,
    decider: &Decider,
    needs: Needs,
    topology: &mut Topology<M::Array>,
) -> Result<[Rows<M::Array>; 2], RunError> {
    let (takes_incoming, takes_outgoing) = stage::rows(fold.stages);
    let incoming = takes_incoming.then(|| topology.incoming(memory, graph, facing, needs)).transpose()?;
    let outgoing = takes_outgoing.then(|| topology.outgoing(memory, graph, facing, needs)).transpose()?;
    let partials = |is_taken: bool, rows: &Adjacency, is_reversed: bool| {
        let made = || Partials::new(memory, rows, (fold, partials::reduced(fold, is_reversed)), decider);
        (is_taken && decider.stores_parts()).then(made).transpose()
    };
    Ok([
        Rows { edges: incoming, partials: partials(takes_incoming, graph.incoming(), false)? },
        Rows { edges: outgoing, partials: partials(takes_outgoing, graph.outgoing(), true)? },
    ])
}

/// The reverse edges, where the fold reads them.
fn reverse<M: Memory>(
    Ground { fold, graph, facing, .. }: Ground<'_>,
    memory: &M,
    topology: &mut Topology<M::Array>,
) -> Result<Option<Reverse<M::Array>>, RunError> {
    let Some(numbers) = reverse_edges(fold, graph) else { return Ok(None) };
    Ok(Some((topology.reverse(memory, numbers, facing)?, numbers.entry_bytes())))
}

/// How much there is to do: for a pull, all rows at once.
fn work<A>(
    Ground { fold, graph, store, .. }: Ground<'_>,
    shape: &Shape,
    rows: &[Rows<A>; 2],
    outgoing: Option<&DeviceAdjacency<A>>,
) -> Work {
    let vertices = graph.vertex_count() as u64;
    let (outgoing_groups, pieces) = outgoing.map_or((0, 0), |outgoing| (outgoing.count, outgoing.hub_count));
    Work {
        vertices,
        parts: [0, 1].map(|orientation| vec![part(vertices, &rows[orientation])]),
        outgoing_groups,
        pieces,
        graph_blocks: 0,
        has_partials: rows.iter().any(|rows| rows.partials.is_some()),
        adds_parts: shape.decider.adds_parts(),
        packs_sources: rows[0].edges.as_ref().is_some_and(|edges| edges.packed.is_some()),
        stays_near: shape.decider.stays_near(bytes_reached(fold, graph, store)),
        has_bound: shape.until.is_some(),
        tiles: store.tiles() as u32,
    }
}

/// All rows of one orientation.
fn part<A>(vertices: u64, rows: &Rows<A>) -> Part {
    let (groups, cut_rows) = rows.edges.as_ref().map_or((0, 0), |edges| (edges.blocks, edges.cut_count));
    let long_cut_rows = rows.partials.as_ref().map_or(0, |partials| partials.long_count);
    let [rows, groups, cut_rows, long_cut_rows] = [vertices, groups, cut_rows, long_cut_rows].map(Units::all);
    Part { rows, groups, cut_rows, long_cut_rows }
}
