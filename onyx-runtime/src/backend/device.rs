//! What an NVIDIA GPU and the emulator have in common: arrays in a memory of their own, and kernels launched on them.

mod batch;

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use onyx_device::arguments::{Arguments, CutParts, EdgeNumbers, HubPieces, NeighborGroups as DeviceGroups};
use onyx_device::property::{Element, GraphData, Storage};
use onyx_device::schedule::warp_word;
use onyx_device::stage::{self, StageAccess};
use onyx_device::{EdgeAccess, Fold, property};

pub(crate) use self::batch::Recording;
use crate::active::ActiveSet;
use crate::backend::adjacency::{DeviceAdjacency, Needs};
use crate::backend::counters::Counters;
use crate::backend::memory::Memory;
use crate::backend::partials::Partials;
use crate::backend::residency::{DeviceProperty, Held, Lent, Residency, Use};
use crate::backend::topology::Topology;
use crate::decider::{Decider, PullSchedule};
use crate::engine::{Activity, Array, Batch, Engine};
use crate::error::RunError;
use crate::graph::{EdgeIds, Graph};
use crate::memory;
use crate::options::{Direction, Options};
#[cfg(feature = "emulator")]
use crate::store::Floats;
use crate::store::Store;
use crate::totals;

/// The kernels of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// Sets the sums of cut rows to zero.
    Clear,
    /// All functions for every neighbor group.
    Pull,
    /// All functions for every vertex, a warp each.
    VertexPerWarp,
    /// All functions for every vertex, a block each.
    VertexPerBlock,
    /// The edge functions for every edge.
    EdgeFlat,
    /// The vertex functions of cut rows.
    Finish,
    /// The changes of active sources.
    Push,
    /// The changes of active sources, by words of the active set.
    WarpWord,
    /// The totals that a push could not correct.
    Recompute,
    /// The vertex functions of active vertices.
    Vertex,
    /// The vertex functions of every vertex.
    EveryVertex,
    /// The active words, from the marks.
    Activate,
}

impl Kernel {
    /// Every kernel.
    pub(crate) const ALL: [Self; 12] = [
        Self::Clear,
        Self::Pull,
        Self::VertexPerWarp,
        Self::VertexPerBlock,
        Self::EdgeFlat,
        Self::Finish,
        Self::Push,
        Self::WarpWord,
        Self::Recompute,
        Self::Vertex,
        Self::EveryVertex,
        Self::Activate,
    ];

    /// Whether stage number `stage` of fold `F` has a use for the kernel, so that it is in the PTX.
    pub(crate) fn is_of<F: Fold>(self, stage: usize) -> bool {
        if self == Self::Activate {
            return stage == 0;
        }
        F::STAGES.get(stage).is_some_and(|stage| stage.kernels.contains(&self.name()))
    }

    /// The kernels of fold `F`, each with the number of its stage.
    pub(crate) fn of<F: Fold>() -> impl Iterator<Item = (Self, usize)> {
        let stages = (0..F::STAGES.len()).flat_map(|stage| Self::ALL.map(|kernel| (kernel, stage)));
        stages.filter(|(kernel, stage)| kernel.is_of::<F>(*stage))
    }

    /// The name of fold `F`'s kernel of the stage with this entry, at the compiled width `width`, for messages.
    pub(crate) fn entry<F: Fold>(self, entry: usize, width: usize) -> String {
        let (schedule, width) = self.key(entry, width);
        format!("{}__{schedule}__k{width}", F::NAME)
    }

    /// What the manifest knows the kernel by: the schedule with the number of the stage's entry, and the width.
    pub(crate) fn key(self, entry: usize, width: usize) -> (String, u32) {
        let width = if self == Self::Activate { 0 } else { width };
        let schedule = if entry == 0 { self.to_string() } else { format!("{self}_{entry}") };
        (schedule, width as u32)
    }
}

/// A launch: the kernel, the entry of its stage, and how many threads it needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) kernel: Kernel,
    pub(crate) entry: usize,
    pub(crate) threads: u64,
}

impl Kernel {
    /// The name of its schedule, as the macros and the manifest have it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Pull => "pull",
            Self::VertexPerWarp => "vertex_per_warp",
            Self::VertexPerBlock => "vertex_per_block",
            Self::EdgeFlat => "edge_flat",
            Self::Finish => "finish",
            Self::Push => "push",
            Self::WarpWord => "warp_word",
            Self::Recompute => "recompute",
            Self::Vertex => "vertex",
            Self::EveryVertex => "every_vertex",
            Self::Activate => "activate",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A device with memory of its own, on which a run takes place.
pub(crate) trait Device {
    /// Its memory.
    type Memory: Memory;

    /// Its memory.
    fn memory(&self) -> &Self::Memory;
    /// Says what an array of the run holds, for messages. Kernels reach the arrays that have a name.
    fn name(&mut self, _array: &ArrayOf<Self>, _name: &str) {}
    /// Marks the beginning of a batch.
    fn start(&mut self) -> Result<(), RunError>;
    /// Waits for the batch's end; how long it took, where the device has a clock.
    fn stop(&mut self) -> Result<Option<Duration>, RunError>;

    /// Begins to record what is cleared and launched, instead of doing it. False where that is not possible.
    fn record(&mut self) -> bool {
        false
    }

    /// Keeps what was recorded, to be replayed under this name. False if nothing came of it.
    fn keep(&mut self, _recording: Recording) -> bool {
        false
    }

    /// Does what was recorded under this name. False if there is nothing.
    fn replay(&mut self, _recording: &Recording) -> Result<bool, RunError> {
        Ok(false)
    }
}

/// The arrays of a device.
pub(crate) type ArrayOf<Q> = <<Q as Device>::Memory as Memory>::Array;

/// Launches the kernels of one fold at one width.
pub(crate) trait Launcher<D>: Device {
    /// The threads of a block that takes a whole row in the stage with this entry.
    fn row_threads(&self, entry: usize) -> u64;
    /// Launches a kernel with at least as many threads as the step says.
    fn launch(&mut self, step: Step, arguments: &Arguments<D>) -> Result<(), RunError>;
}

/// How a fold's rows are spread over lanes and groups.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Lanes in a group.
    pub(crate) lanes: u64,
    /// The schedules.
    pub(crate) decider: Decider,
    /// The greatest number of iterations in a batch.
    read_every: usize,
    /// Whether iterations may push.
    pushes: bool,
    /// Whether the sums of cut rows are added in order.
    is_deterministic: bool,
    /// Whether full batches are recorded and replayed.
    replays: bool,
    /// The vertices that are active at first, if not all.
    start: Option<ActiveSet>,
}

impl Shape {
    /// What the options ask for.
    pub(crate) fn new<F: Fold>(lanes: u64, decider: Decider, options: &Options) -> Self {
        Self {
            lanes,
            decider,
            read_every: options.batch(),
            pushes: options.may_push::<F>(),
            is_deterministic: options.deterministic,
            replays: options.replay && options.batch() > 1,
            start: options.start.clone(),
        }
    }
}

/// A fold's data on a device, and the iterations on it.
pub(crate) struct DeviceEngine<'a, F, D, Q: Device> {
    device: Q,
    store: &'a mut Store,
    shape: Shape,
    vertex_count: u64,
    edge_count: u64,
    /// The outgoing edges of what the last step has left active.
    active_edges: u64,
    residency: Held<'a, Residency<ArrayOf<Q>>>,
    incoming: Option<Arc<DeviceAdjacency<ArrayOf<Q>>>>,
    outgoing: Option<Arc<DeviceAdjacency<ArrayOf<Q>>>>,
    /// The reverse edges, where the fold reads them, and the size of each number.
    reverse: Option<(Arc<ArrayOf<Q>>, u32)>,
    active: ArrayOf<Q>,
    marks: ArrayOf<Q>,
    counters: Counters<ArrayOf<Q>>,
    out_degree: Arc<ArrayOf<Q>>,
    partials: Option<Partials<ArrayOf<Q>>>,
    /// The properties whose current values are where the previous ones were at first.
    swapped: u64,
    /// How many iterations have run.
    iterations: usize,
    /// The batches that ran once, so that they are worth recording.
    seen: HashSet<Recording>,
    fold: PhantomData<fn() -> (F, D)>,
}

impl<'a, F: Fold, D: GraphData, Q: Launcher<D>> DeviceEngine<'a, F, D, Q> {
    /// Copies to the device what is not there yet of the graph and the values, which stay there if they are `lent`.
    pub(crate) fn new(
        device: Q,
        graph: &Graph,
        store: &'a mut Store,
        shape: Shape,
        lent: Option<Lent<'a, ArrayOf<Q>>>,
    ) -> Result<Self, RunError> {
        let (mut topology, mut residency) = match lent {
            Some(Lent { topology, residency }) => (Held::Lent(topology), Held::Lent(residency)),
            None => (Held::Own(Topology::default()), Held::Own(Residency::default())),
        };
        let vertices = graph.vertex_count();
        let first = shape.start.clone().unwrap_or_else(|| ActiveSet::all(vertices));
        let memory = device.memory();
        let incoming = F::HAS_EDGES.then(|| Needs::incoming(&shape.decider));
        let incoming = incoming.map(|needs| topology.incoming(memory, graph, needs)).transpose()?;
        let outgoing = Needs::outgoing(&shape.decider);
        let outgoing = outgoing.map(|needs| topology.outgoing(memory, graph, needs)).transpose()?;
        let reverse = reverse_edges::<F>(graph).map(|ids| Ok((topology.reverse(memory, ids)?, ids.entry_bytes())));
        let reverse = reverse.transpose().map_err(|error: RunError| error)?;
        let partials = (F::HAS_EDGES && shape.is_deterministic)
            .then(|| Partials::new::<F, _>(memory, graph, store, shape.decider.group_size()))
            .transpose()?;
        upload_properties::<F, _>(&mut residency, memory, store, &shape)?;
        let mut engine = Self {
            residency,
            incoming,
            outgoing,
            reverse,
            active: memory.upload(bytemuck::cast_slice(first.words()))?,
            marks: memory.zeroed(vertices)?,
            counters: Counters::new(memory, shape.read_every)?,
            out_degree: topology.out_degree(memory, graph)?,
            partials,
            swapped: 0,
            iterations: 0,
            seen: HashSet::new(),
            vertex_count: vertices as u64,
            edge_count: graph.edge_count() as u64,
            active_edges: first.edge_count(graph.outgoing()) as u64,
            device,
            store,
            shape,
            fold: PhantomData,
        };
        engine.name_arrays();
        Ok(engine)
    }

    fn name_arrays(&mut self) {
        let device = &mut self.device;
        let properties = (0..F::PROPERTIES.len()).filter(|index| is_resident::<F>(*index));
        for (index, property) in properties.filter_map(|index| Some((index, self.residency.get(index)?))) {
            let name = F::PROPERTIES[index].name;
            device.name(&property.current, name);
            property.pending.iter().for_each(|array| device.name(array, &format!("{name} (pending)")));
            property.previous.iter().for_each(|array| device.name(array, &format!("{name} (tracked)")));
        }
        let sides = [(&self.incoming, "incoming"), (&self.outgoing, "outgoing")];
        for (adjacency, side) in sides.iter().filter_map(|(adjacency, side)| Some((adjacency.as_ref()?, side))) {
            adjacency.name(device, side);
        }
        self.reverse.iter().for_each(|(numbers, _)| device.name(numbers, "the reverse edges"));
        device.name(&self.active, "the active words");
        device.name(&self.marks, "the marks");
        self.counters.name(device);
        device.name(&self.out_degree, "the outgoing degrees");
        self.partials.iter().for_each(|partials| partials.name::<F, Q>(device));
    }

    /// The arguments of iteration `index` of a batch.
    fn arguments(&self, keep_sums: bool, index: usize) -> Arguments<D> {
        let memory = self.device.memory();
        let storages: Vec<Storage> = (0..F::PROPERTIES.len()).map(|property| self.storage(property, index)).collect();
        let pending: Vec<Storage> =
            storages.iter().enumerate().map(|(property, storage)| self.pending_storage(property, *storage)).collect();
        let (incoming, outgoing) = (self.incoming.as_ref(), self.outgoing.as_ref());
        let partials = self.partials.as_ref();
        let places = self.counters.places(memory, index);
        Arguments {
            data: D::bind(&storages),
            pending: D::bind(&pending),
            partials: D::bind(&partials.map_or(storages.clone(), |sums| sums.storages(memory, &storages))),
            incoming: incoming.map_or(DeviceGroups::NONE, |adjacency| adjacency.groups(memory)),
            outgoing: outgoing.map_or(DeviceGroups::NONE, |adjacency| adjacency.groups(memory)),
            hubs: outgoing.map_or(HubPieces::NONE, |adjacency| adjacency.hubs(memory)),
            reverse: self.reverse.as_ref().map_or(EdgeNumbers::NONE, |(numbers, bytes)| EdgeNumbers {
                numbers: memory.address(numbers),
                bytes: *bytes,
            }),
            cut: incoming.map_or(ptr::null(), |adjacency| adjacency.cut(memory)),
            cut_count: incoming.map_or(0, |adjacency| adjacency.cut_count),
            parts: partials.map_or(CutParts::NONE, |partials| partials.parts(memory)),
            active: memory.address(&self.active).cast(),
            marks: memory.address(&self.marks),
            counters: places.counters,
            before: places.before,
            out_degree: memory.address(&self.out_degree).cast(),
            vertex_count: self.vertex_count,
            features: self.store.features() as u32,
            keep_sums: u32::from(keep_sums),
        }
    }

    /// Where the property at `index` lies in iteration `iteration` of a batch.
    fn storage(&self, index: usize, iteration: usize) -> Storage {
        let is_iteration = F::PROPERTIES[index].element == Element::Iteration;
        let value = if is_iteration { (iteration + 1) as f32 } else { self.store.values[index].parameter };
        let property = self.residency.get(index).filter(|_| is_resident::<F>(index));
        let Some(property) = property else {
            return Storage { current: ptr::null_mut(), previous: ptr::null_mut(), value };
        };
        let memory = self.device.memory();
        let current = memory.address(&property.current).cast::<f32>();
        let previous = property.previous.as_ref().map_or(current, |previous| memory.address(previous).cast());
        Storage { current, previous, value }
    }

    /// Where a push adds to the property at `index`.
    fn pending_storage(&self, index: usize, storage: Storage) -> Storage {
        let pending = self.residency.get(index).and_then(|property| property.pending.as_ref());
        let pending = pending.map(|pending| self.device.memory().address(pending).cast());
        Storage { current: pending.unwrap_or(storage.current), ..storage }
    }

    /// Says how many iterations have run, where functions ask for their number.
    fn write_iteration(&mut self) -> Result<(), RunError> {
        let before = (self.iterations as f32).to_ne_bytes();
        for (index, property) in F::PROPERTIES.iter().enumerate() {
            let property = self.residency.get_mut(index).filter(|_| property.element == Element::Iteration);
            property.map_or(Ok(()), |property| self.device.memory().write(&mut property.current, &before))?;
        }
        Ok(())
    }

    /// The values of the property at `index`, as they are on the device.
    #[cfg(feature = "emulator")]
    pub(crate) fn values(&mut self, index: usize) -> Result<Floats, RunError> {
        let mut values = Floats::zeroed(self.store.length(index))?;
        if let Some(property) = self.residency.get(index) {
            self.device.memory().download(&property.current, bytemuck::cast_slice_mut(values.as_mut_slice()))?;
        }
        Ok(values)
    }

    /// Exchanges the current and previous values of what the vertex functions of a stage write.
    fn swap(&mut self, stage: &StageAccess) {
        let swapped = property::tracked(F::PROPERTIES) & stage.vertices.writes;
        self.swapped ^= swapped;
        for index in (0..F::PROPERTIES.len()).filter(|index| swapped >> index & 1 == 1) {
            if let Some(DeviceProperty { current, previous: Some(previous), .. }) = self.residency.get_mut(index) {
                std::mem::swap(current, previous);
            }
        }
    }

    fn words(&self) -> u64 {
        self.vertex_count.div_ceil(32) * 32
    }

    /// The kernel that runs the edge functions of a pull, and its threads.
    fn pull_kernel(&self, entry: usize) -> (Kernel, u64) {
        let groups = self.incoming.as_ref().map_or(0, |incoming| incoming.count);
        match self.shape.decider.pull() {
            PullSchedule::NeighborGroup => (Kernel::Pull, groups * self.shape.lanes),
            PullSchedule::VertexPerWarp => (Kernel::VertexPerWarp, self.vertex_count * 32),
            PullSchedule::VertexPerBlock => {
                (Kernel::VertexPerBlock, self.vertex_count * self.device.row_threads(entry))
            }
            PullSchedule::EdgeFlat => (Kernel::EdgeFlat, groups * self.shape.lanes),
        }
    }

    /// The kernel that runs the edge functions of a push, and its threads.
    fn push_kernel(&self) -> (Kernel, u64) {
        let fraction = self.active_edges as f64 / self.edge_count as f64;
        let takes_words = self.shape.decider.push().is_some_and(|push| push.takes_words(fraction));
        let (groups, hubs) = self.outgoing.as_ref().map_or((0, 0), |outgoing| (outgoing.count, outgoing.hub_count));
        if takes_words {
            (Kernel::WarpWord, warp_word::warps(self.vertex_count, hubs) * 32)
        } else {
            (Kernel::Push, groups * self.shape.lanes)
        }
    }
}

impl<F: Fold, D: GraphData, Q: Launcher<D>> Engine for DeviceEngine<'_, F, D, Q> {
    /// All of a batch is launched at once. What lies after an iteration that has left nothing active returns at once.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        self.residency.begin();
        self.device.start()?;
        self.write_iteration()?;
        self.enqueue(batch)?;
        let time = self.device.stop()?;
        let mut ran = self.counters.read(self.device.memory(), batch.count)?;
        if batch.direction == Direction::Pull && (batch.count - ran.len()) % 2 == 1 {
            F::STAGES.iter().for_each(|stage| self.swap(stage));
        }
        self.iterations += ran.len();
        self.active_edges = ran.last().map_or(0, |activity| activity.edges);
        let share = time.map(|time| time / ran.len().max(1) as u32);
        ran.iter_mut().for_each(|activity| activity.time = share);
        Ok(ran)
    }

    fn active(&mut self) -> Result<ActiveSet, RunError> {
        let mut words: Vec<u32> = memory::zeroed((self.vertex_count as usize).div_ceil(32), "the active vertices")?;
        self.device.memory().download(&self.active, bytemuck::cast_slice_mut(&mut words))?;
        Ok(ActiveSet::from_words(self.vertex_count as usize, words))
    }

    fn activate(&mut self, active: &ActiveSet) -> Result<(), RunError> {
        self.device.memory().write(&mut self.active, bytemuck::cast_slice(active.words()))
    }

    fn arrays(&self, properties: u64) -> Vec<Array> {
        self.store.arrays(properties)
    }

    fn copy(&mut self, array: Array, first: usize, floats: &mut [f32]) -> Result<(), RunError> {
        let Some(property) = self.residency.get(array.property) else { return Ok(()) };
        let first = first * size_of::<f32>();
        self.device.memory().download_part(&property.current, first, bytemuck::cast_slice_mut(floats))
    }

    /// What outlives the run stays on the device.
    fn finish(&mut self) -> Result<(), RunError> {
        let written = totals::written::<F>();
        self.residency.ran(written, totals::taken::<F>());
        match &mut self.residency {
            Held::Own(residency) => residency.fetch(self.device.memory(), self.store, written),
            Held::Lent(_) => Ok(()),
        }
    }

    fn schedule(&self) -> String {
        let order = if self.shape.is_deterministic {
            "; deterministic: pull alone, the sums of cut rows added in order"
        } else {
            ""
        };
        format!("{}{order}", self.shape.decider.describe())
    }
}

/// The reverse edges that fold `F` reads, if it does.
pub(crate) fn reverse_edges<F: Fold>(graph: &Graph) -> Option<&EdgeIds> {
    if F::EDGES.reads_reverse == 0 { None } else { graph.reverse_edges().ok() }
}

/// Whether fold `F` reaches the property at `index`, so that it must be on the device.
pub(crate) fn is_resident<F: Fold>(index: usize) -> bool {
    let is_of_graph =
        matches!(F::PROPERTIES[index].element, Element::Parameter | Element::Iteration | Element::GraphMatrix);
    is_of_graph || stage::reached(F::STAGES) >> index & 1 == 1
}

/// Brings what fold `F` reaches to the device.
fn upload_properties<F: Fold, M: Memory>(
    residency: &mut Residency<M::Array>,
    memory: &M,
    store: &Store,
    shape: &Shape,
) -> Result<(), RunError> {
    let pending = store.pending(if shape.pushes { F::EDGES } else { EdgeAccess::NONE })?;
    let overwritten = if F::IS_ACTIVE && shape.pushes { 0 } else { totals::overwritten::<F>() };
    for (index, property) in F::PROPERTIES.iter().enumerate().filter(|(index, _)| is_resident::<F>(*index)) {
        let is_overwritten = overwritten >> index & 1 == 1 && !property.tracked;
        let wanted = Use {
            is_overwritten: is_overwritten || property.element == Element::Iteration,
            is_tracked: property.tracked,
        };
        residency.property(memory, store, index, wanted)?;
        if let Some(identities) = &pending[index] {
            residency.begin_pending(memory, index, identities)?;
        }
    }
    Ok(())
}
