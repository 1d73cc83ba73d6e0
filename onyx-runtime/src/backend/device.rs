//! What an NVIDIA GPU and the emulator have in common: arrays in a memory of their own, and kernels launched on them.

mod batch;

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::time::Duration;

use onyx_device::arguments::{Arguments, CutParts, EdgeNumbers, HubPieces, NeighborGroups as DeviceGroups};
use onyx_device::property::{Element, GraphData, Storage};
use onyx_device::schedule::warp_word;
use onyx_device::stage::{self, StageAccess};
use onyx_device::{EdgeAccess, Fold, fold};

pub(crate) use self::batch::Recording;
use crate::active::ActiveSet;
use crate::backend::adjacency::{DeviceAdjacency, Needs};
use crate::backend::counters::Counters;
use crate::backend::partials::Partials;
use crate::decider::{Decider, PullSchedule};
use crate::engine::{Activity, Array, Batch, Engine};
use crate::error::RunError;
use crate::graph::{EdgeIds, Graph};
use crate::memory;
use crate::options::{Direction, Options};
use crate::store::{Floats, Store, Values};

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

    /// Whether the stage of fold `F` with this entry has a use for the kernel; the PTX leaves out those that it has not.
    pub(crate) fn is_of<F: Fold>(self, entry: usize) -> bool {
        match self {
            Self::Clear | Self::Pull | Self::EdgeFlat | Self::Finish => fold::needs_pull::<F>(entry),
            Self::VertexPerWarp | Self::VertexPerBlock => fold::needs_rows::<F>(entry),
            Self::Push | Self::WarpWord => fold::needs_push::<F>(entry),
            Self::Recompute => fold::needs_recompute::<F>(entry),
            Self::Vertex => fold::needs_vertex::<F>(entry),
            Self::EveryVertex => fold::needs_every_vertex::<F>(entry),
            Self::Activate => entry == 0,
        }
    }

    /// The kernels of fold `F`, each with the entry of its stage.
    pub(crate) fn of<F: Fold>() -> impl Iterator<Item = (Self, usize)> {
        let stages = F::STAGES.iter().flat_map(|stage| Self::ALL.map(|kernel| (kernel, stage.entry)));
        stages.filter(|(kernel, entry)| kernel.is_of::<F>(*entry))
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

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
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
        })
    }
}

/// A device with memory of its own.
pub(crate) trait Device {
    /// An array on the device; freed when dropped.
    type Array;

    /// Copies bytes to a new array.
    fn upload(&mut self, bytes: &[u8]) -> Result<Self::Array, RunError>;
    /// Says what an array holds, for messages.
    fn name(&mut self, _array: &Self::Array, _name: &str) {}
    /// Copies an array back.
    fn download(&mut self, array: &Self::Array, bytes: &mut [u8]) -> Result<(), RunError> {
        self.download_part(array, 0, bytes)
    }
    /// Copies bytes of an array back, from number `first` on.
    fn download_part(&mut self, array: &Self::Array, first: usize, bytes: &mut [u8]) -> Result<(), RunError>;
    /// Copies bytes to an array of as many.
    fn write(&mut self, array: &mut Self::Array, bytes: &[u8]) -> Result<(), RunError>;
    /// Sets all bytes of an array to zero.
    fn clear(&mut self, array: &mut Self::Array) -> Result<(), RunError>;
    /// Where an array lies, for kernels.
    fn address(&self, array: &Self::Array) -> *mut u8;
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

/// Launches the kernels of one fold at one width.
pub(crate) trait Launcher<D>: Device {
    /// The threads of a block that takes a whole row in the stage with this entry.
    fn row_threads(&self, entry: usize) -> u64;
    /// Launches a kernel with at least as many threads as the step says.
    fn launch(&mut self, step: Step, arguments: &Arguments<D>) -> Result<(), RunError>;
}

/// A property on the device.
struct DeviceProperty<A> {
    current: A,
    previous: Option<A>,
    /// The changes that a push has collected.
    pending: Option<A>,
    parameter: f32,
    is_iteration: bool,
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
    properties: Vec<DeviceProperty<Q::Array>>,
    incoming: Option<DeviceAdjacency<Q::Array>>,
    outgoing: Option<DeviceAdjacency<Q::Array>>,
    /// The reverse edges, where the fold reads them, and the size of each number.
    reverse: Option<(Q::Array, u32)>,
    active: Q::Array,
    marks: Q::Array,
    counters: Counters<Q::Array>,
    out_degree: Q::Array,
    partials: Option<Partials<Q::Array>>,
    /// The properties whose current values are where the previous ones were at first.
    swapped: u64,
    /// How many iterations have run.
    iterations: usize,
    /// The batches that ran once, so that they are worth recording.
    seen: HashSet<Recording>,
    fold: PhantomData<fn() -> (F, D)>,
}

impl<'a, F: Fold, D: GraphData, Q: Launcher<D>> DeviceEngine<'a, F, D, Q> {
    /// Copies the graph and the values to the device. All vertices are active.
    pub(crate) fn new(mut device: Q, graph: &Graph, store: &'a mut Store, shape: Shape) -> Result<Self, RunError> {
        let vertices = graph.vertex_count();
        let degrees = (0..vertices as u32).map(|vertex| graph.out_degree(vertex) as u32);
        let degrees = memory::collect(degrees, "the degrees of the vertices")?;
        let first = shape.start.clone().unwrap_or_else(|| ActiveSet::all(vertices));
        let mut adjacency = |needs: Option<Needs>, adjacency| {
            needs.map(|needs| DeviceAdjacency::upload(&mut device, adjacency, needs)).transpose()
        };
        let incoming = adjacency(F::HAS_EDGES.then(|| Needs::incoming(&shape.decider)), graph.incoming())?;
        let outgoing = adjacency(Needs::outgoing(&shape.decider), graph.outgoing())?;
        let mut numbers = |ids: &EdgeIds| Ok::<_, RunError>((device.upload(ids.as_bytes())?, ids.entry_bytes()));
        let reverse = reverse_edges::<F>(graph).map(&mut numbers).transpose()?;
        let partials = (F::HAS_EDGES && shape.is_deterministic)
            .then(|| Partials::new::<F, Q>(&mut device, graph, store, shape.decider.group_size()))
            .transpose()?;
        let pending = store.pending(if shape.pushes { F::EDGES } else { EdgeAccess::NONE })?;
        let properties = store.values.iter().zip(&pending).enumerate().map(|(index, (values, pending))| {
            let is_iteration = F::PROPERTIES[index].element == Element::Iteration;
            if is_resident::<F>(index) {
                let property = upload_property(&mut device, values, pending.as_ref())?;
                return Ok::<_, RunError>(DeviceProperty { is_iteration, ..property });
            }
            let (current, parameter) = (device.upload(&[])?, 0.0);
            Ok(DeviceProperty { current, previous: None, pending: None, parameter, is_iteration })
        });
        let mut engine = Self {
            properties: properties.collect::<Result<_, _>>()?,
            incoming,
            outgoing,
            reverse,
            active: device.upload(bytemuck::cast_slice(first.words()))?,
            marks: device.upload(&memory::zeroed(vertices, "the marks of active vertices")?)?,
            counters: Counters::new(&mut device, shape.read_every)?,
            out_degree: device.upload(bytemuck::cast_slice(&degrees))?,
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
        for (property, descriptor) in self.properties.iter().zip(F::PROPERTIES) {
            device.name(&property.current, descriptor.name);
            property.pending.iter().for_each(|array| device.name(array, &format!("{} (pending)", descriptor.name)));
            property.previous.iter().for_each(|array| device.name(array, &format!("{} (tracked)", descriptor.name)));
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
        let storages: Vec<Storage> = self.properties.iter().map(|property| self.storage(property, index)).collect();
        let pending: Vec<Storage> =
            self.properties.iter().map(|property| self.pending_storage(property, index)).collect();
        let (incoming, outgoing) = (self.incoming.as_ref(), self.outgoing.as_ref());
        let partials = self.partials.as_ref();
        let places = self.counters.places(&self.device, index);
        Arguments {
            data: D::bind(&storages),
            pending: D::bind(&pending),
            partials: D::bind(&partials.map_or(storages.clone(), |sums| sums.storages(&self.device, &storages))),
            incoming: incoming.map_or(DeviceGroups::NONE, |adjacency| adjacency.groups(&self.device)),
            outgoing: outgoing.map_or(DeviceGroups::NONE, |adjacency| adjacency.groups(&self.device)),
            hubs: outgoing.map_or(HubPieces::NONE, |adjacency| adjacency.hubs(&self.device)),
            reverse: self.reverse.as_ref().map_or(EdgeNumbers::NONE, |(numbers, bytes)| EdgeNumbers {
                numbers: self.device.address(numbers),
                bytes: *bytes,
            }),
            cut: incoming.map_or(ptr::null(), |adjacency| adjacency.cut(&self.device)),
            cut_count: incoming.map_or(0, |adjacency| adjacency.cut_count),
            parts: partials.map_or(CutParts::NONE, |partials| partials.parts(&self.device)),
            active: self.device.address(&self.active).cast(),
            marks: self.device.address(&self.marks),
            counters: places.counters,
            before: places.before,
            out_degree: self.device.address(&self.out_degree).cast(),
            vertex_count: self.vertex_count,
            features: self.store.features() as u32,
            keep_sums: u32::from(keep_sums),
        }
    }

    /// Where a property lies in iteration `index` of a batch.
    fn storage(&self, property: &DeviceProperty<Q::Array>, index: usize) -> Storage {
        let current = self.device.address(&property.current).cast::<f32>();
        let previous = property.previous.as_ref().map_or(current, |previous| self.device.address(previous).cast());
        let value = if property.is_iteration { (index + 1) as f32 } else { property.parameter };
        Storage { current, previous, value }
    }

    /// Where a push adds to the property.
    fn pending_storage(&self, property: &DeviceProperty<Q::Array>, index: usize) -> Storage {
        let storage = self.storage(property, index);
        let pending = property.pending.as_ref().map(|pending| self.device.address(pending).cast());
        Storage { current: pending.unwrap_or(storage.current), ..storage }
    }

    /// Says how many iterations have run, where functions ask for their number.
    fn write_iteration(&mut self) -> Result<(), RunError> {
        let before = (self.iterations as f32).to_ne_bytes();
        for property in self.properties.iter_mut().filter(|property| property.is_iteration) {
            self.device.write(&mut property.current, &before)?;
        }
        Ok(())
    }

    /// The values of the property at `index`, as they are on the device.
    #[cfg(feature = "emulator")]
    pub(crate) fn values(&mut self, index: usize) -> Result<Floats, RunError> {
        let mut values = self.store.values[index].current.clone();
        self.device.download(&self.properties[index].current, bytemuck::cast_slice_mut(values.as_mut_slice()))?;
        Ok(values)
    }

    /// Exchanges the current and previous values of what the vertex functions of a stage write.
    fn swap(&mut self, stage: &StageAccess) {
        let swapped = fold::tracked(F::PROPERTIES) & stage.vertices.writes;
        self.swapped ^= swapped;
        for (index, property) in self.properties.iter_mut().enumerate() {
            if let Some(previous) = property.previous.as_mut().filter(|_| swapped >> index & 1 == 1) {
                std::mem::swap(&mut property.current, previous);
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
    /// All of a batch is launched at once. What lies behind an iteration that has left nothing active returns at once.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        self.device.start()?;
        self.write_iteration()?;
        self.enqueue(batch)?;
        let time = self.device.stop()?;
        let mut ran = self.counters.read(&mut self.device, batch.count)?;
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
        self.device.download(&self.active, bytemuck::cast_slice_mut(&mut words))?;
        Ok(ActiveSet::from_words(self.vertex_count as usize, words))
    }

    fn activate(&mut self, active: &ActiveSet) -> Result<(), RunError> {
        self.active = self.device.upload(bytemuck::cast_slice(active.words()))?;
        self.device.name(&self.active, "the active words");
        Ok(())
    }

    fn arrays(&self, properties: u64) -> Vec<Array> {
        self.store.arrays(properties)
    }

    fn copy(&mut self, array: Array, first: usize, floats: &mut [f32]) -> Result<(), RunError> {
        let current = &self.properties[array.property].current;
        self.device.download_part(current, first * size_of::<f32>(), bytemuck::cast_slice_mut(floats))
    }

    fn finish(&mut self) -> Result<(), RunError> {
        let written = stage::written(F::STAGES);
        let properties = self.properties.iter().zip(&mut self.store.values).enumerate();
        for (_, (property, values)) in properties.filter(|(index, _)| written >> index & 1 == 1) {
            let current = bytemuck::cast_slice_mut(values.current.as_mut_slice());
            self.device.download(&property.current, current)?;
        }
        Ok(())
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

fn upload_property<Q: Device>(
    device: &mut Q,
    values: &Values,
    pending: Option<&Floats>,
) -> Result<DeviceProperty<Q::Array>, RunError> {
    let mut upload = |floats: &Floats| device.upload(bytemuck::cast_slice(floats.as_slice()));
    let current = upload(&values.current)?;
    let previous = values.previous.as_ref().map(&mut upload).transpose()?;
    let pending = pending.map(upload).transpose()?;
    Ok(DeviceProperty { current, previous, pending, parameter: values.parameter, is_iteration: false })
}
