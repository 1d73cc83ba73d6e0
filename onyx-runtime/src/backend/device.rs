//! What an NVIDIA GPU and the emulator have in common: arrays in a memory of their own, and kernels launched on them.

use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::time::Duration;

use onyx_device::Fold;
use onyx_device::arguments::{Arguments, COUNTER_SLOTS, NeighborGroups as DeviceGroups};
use onyx_device::property::{GraphData, Storage};

use crate::engine::{Activity, Engine};
use crate::error::RunError;
use crate::graph::{Adjacency, Graph, NeighborGroups};
use crate::store::Store;

/// The kernels of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// Sets the sums of cut rows to zero.
    Clear,
    /// All functions for every neighbor group.
    Pull,
    /// The vertex functions of cut rows.
    Finish,
    /// The changes of active sources.
    Push,
    /// The vertex functions of active vertices.
    Vertex,
    /// The active words, from the marks.
    Activate,
}

impl Kernel {
    /// Every kernel.
    pub(crate) const ALL: [Self; 6] = [Self::Clear, Self::Pull, Self::Finish, Self::Push, Self::Vertex, Self::Activate];

    /// Whether fold `F` has a use for the kernel; the PTX leaves out those that it has not.
    pub(crate) fn is_of<F: Fold>(self) -> bool {
        match self {
            Self::Clear | Self::Pull => F::HAS_EDGES,
            Self::Finish => F::HAS_EDGES && F::HAS_VERTICES,
            Self::Push => F::IS_CHANGE_DRIVEN,
            Self::Vertex => F::HAS_VERTICES,
            Self::Activate => true,
        }
    }

    /// The entry's name in the PTX of fold `F` at the compiled width `width`.
    pub(crate) fn entry<F: Fold>(self, width: usize) -> String {
        let width = if self == Self::Activate { 0 } else { width };
        format!("{}__{self}__k{width}", F::NAME)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clear => "clear",
            Self::Pull => "pull",
            Self::Finish => "finish",
            Self::Push => "push",
            Self::Vertex => "vertex",
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
    fn download(&mut self, array: &Self::Array, bytes: &mut [u8]) -> Result<(), RunError>;
    /// Sets all bytes of an array to zero.
    fn clear(&mut self, array: &mut Self::Array) -> Result<(), RunError>;
    /// Where an array lies, for kernels.
    fn address(&self, array: &Self::Array) -> *mut u8;
    /// Marks the beginning of a step.
    fn start(&mut self) -> Result<(), RunError>;
    /// Waits for the step's end; how long it took, where the device has a clock.
    fn stop(&mut self) -> Result<Option<Duration>, RunError>;
}

/// Launches the kernels of one fold at one width.
pub(crate) trait Launcher<D>: Device {
    /// Launches a kernel with at least `threads` threads.
    fn launch(&mut self, kernel: Kernel, threads: u64, arguments: &Arguments<D>) -> Result<(), RunError>;
}

/// An adjacency on the device.
struct DeviceAdjacency<A> {
    vertex: A,
    begin: A,
    neighbors: A,
    edge_ids: Option<A>,
    edge_id_bytes: u32,
    count: u64,
    cut: A,
    cut_count: u64,
}

/// A property on the device.
struct DeviceProperty<A> {
    current: A,
    previous: Option<A>,
    parameter: f32,
}

/// How a fold's rows are spread over lanes and groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Lanes in a group.
    pub(crate) lanes: u64,
    /// The greatest number of neighbors in a neighbor group.
    pub(crate) group_size: usize,
}

/// A fold's data on a device, and the steps on it.
pub(crate) struct DeviceEngine<'a, F, D, Q: Device> {
    device: Q,
    store: &'a mut Store,
    shape: Shape,
    vertex_count: u64,
    properties: Vec<DeviceProperty<Q::Array>>,
    incoming: Option<DeviceAdjacency<Q::Array>>,
    outgoing: Option<DeviceAdjacency<Q::Array>>,
    active: Q::Array,
    marks: Q::Array,
    counters: Q::Array,
    out_degree: Q::Array,
    fold: PhantomData<fn() -> (F, D)>,
}

impl<'a, F: Fold, D: GraphData, Q: Launcher<D>> DeviceEngine<'a, F, D, Q> {
    /// Copies the graph and the values to the device. All vertices are active.
    pub(crate) fn new(mut device: Q, graph: &Graph, store: &'a mut Store, shape: Shape) -> Result<Self, RunError> {
        let vertices = graph.vertex_count();
        let degrees: Vec<u32> = (0..vertices as u32).map(|vertex| graph.out_degree(vertex) as u32).collect();
        let everything = crate::active::ActiveSet::all(vertices);
        let mut adjacency = |needed: bool, adjacency| {
            needed.then(|| upload_adjacency(&mut device, adjacency, shape.group_size)).transpose()
        };
        let incoming = adjacency(F::HAS_EDGES, graph.incoming())?;
        let outgoing = adjacency(F::IS_CHANGE_DRIVEN, graph.outgoing())?;
        let properties = store.values.iter().map(|values| upload_property(&mut device, values));
        let mut engine = Self {
            properties: properties.collect::<Result<_, _>>()?,
            incoming,
            outgoing,
            active: device.upload(bytemuck::cast_slice(everything.words()))?,
            marks: device.upload(&vec![0; vertices])?,
            counters: device.upload(&[0; COUNTER_SLOTS * 16])?,
            out_degree: device.upload(bytemuck::cast_slice(&degrees))?,
            vertex_count: vertices as u64,
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
            property.previous.iter().for_each(|array| device.name(array, &format!("{} (tracked)", descriptor.name)));
        }
        let sides = [(&self.incoming, "incoming"), (&self.outgoing, "outgoing")];
        for (adjacency, side) in sides.iter().filter_map(|(adjacency, side)| Some((adjacency.as_ref()?, side))) {
            device.name(&adjacency.vertex, &format!("the vertices of the {side} groups"));
            device.name(&adjacency.begin, &format!("the beginnings of the {side} groups"));
            device.name(&adjacency.neighbors, &format!("the {side} neighbors"));
            device.name(&adjacency.cut, &format!("the cut {side} rows"));
            adjacency.edge_ids.iter().for_each(|ids| device.name(ids, &format!("the {side} edge numbers")));
        }
        device.name(&self.active, "the active words");
        device.name(&self.marks, "the marks");
        device.name(&self.counters, "the counters");
        device.name(&self.out_degree, "the outgoing degrees");
    }

    fn arguments(&self, keep_sums: bool) -> Arguments<D> {
        let storages: Vec<Storage> = self.properties.iter().map(|property| self.storage(property)).collect();
        let cut = self.incoming.as_ref();
        Arguments {
            data: D::bind(&storages),
            incoming: self.groups(self.incoming.as_ref()),
            outgoing: self.groups(self.outgoing.as_ref()),
            cut: cut.map_or(ptr::null(), |adjacency| self.device.address(&adjacency.cut).cast()),
            cut_count: cut.map_or(0, |adjacency| adjacency.cut_count),
            active: self.device.address(&self.active).cast(),
            marks: self.device.address(&self.marks),
            counters: self.device.address(&self.counters).cast(),
            out_degree: self.device.address(&self.out_degree).cast(),
            vertex_count: self.vertex_count,
            features: self.store.features() as u32,
            keep_sums: u32::from(keep_sums),
        }
    }

    fn storage(&self, property: &DeviceProperty<Q::Array>) -> Storage {
        let current = self.device.address(&property.current).cast::<f32>();
        let previous = property.previous.as_ref().map_or(current, |previous| self.device.address(previous).cast());
        Storage { current, previous, value: property.parameter }
    }

    fn groups(&self, adjacency: Option<&DeviceAdjacency<Q::Array>>) -> DeviceGroups {
        let address = |array: Option<&Q::Array>| array.map_or(ptr::null_mut(), |array| self.device.address(array));
        DeviceGroups {
            vertex: address(adjacency.map(|groups| &groups.vertex)).cast(),
            begin: address(adjacency.map(|groups| &groups.begin)).cast(),
            count: adjacency.map_or(0, |groups| groups.count),
            neighbors: address(adjacency.map(|groups| &groups.neighbors)).cast(),
            edge_ids: address(adjacency.and_then(|groups| groups.edge_ids.as_ref())),
            edge_id_bytes: adjacency.map_or(0, |groups| groups.edge_id_bytes),
        }
    }

    /// Exchanges the current and previous values of what the vertex functions write.
    fn swap(&mut self) {
        let swapped = onyx_device::fold::tracked(F::PROPERTIES) & F::VERTICES.writes;
        for (index, property) in self.properties.iter_mut().enumerate() {
            if let Some(previous) = property.previous.as_mut().filter(|_| swapped >> index & 1 == 1) {
                std::mem::swap(&mut property.current, previous);
            }
        }
    }

    /// Runs the kernels of a step, each with its number of threads, and reads what they have left active.
    fn step(&mut self, kernels: &[(Kernel, u64)], keep_sums: bool) -> Result<Activity, RunError> {
        let arguments = self.arguments(keep_sums);
        self.device.start()?;
        self.device.clear(&mut self.counters)?;
        for (kernel, threads) in kernels.iter().filter(|(_, threads)| *threads > 0) {
            self.device.launch(*kernel, *threads, &arguments)?;
        }
        let time = self.device.stop()?;
        let mut counters = [0_u64; COUNTER_SLOTS * 2];
        self.device.download(&self.counters, bytemuck::cast_slice_mut(&mut counters))?;
        let pairs = counters.chunks_exact(2);
        let (vertices, edges) = pairs.fold((0, 0), |total, pair| (total.0 + pair[0], total.1 + pair[1]));
        Ok(Activity { vertices: vertices as usize, edges, time })
    }

    fn words(&self) -> u64 {
        self.vertex_count.div_ceil(32) * 32
    }
}

impl<F: Fold, D: GraphData, Q: Launcher<D>> Engine for DeviceEngine<'_, F, D, Q> {
    fn pull(&mut self, keep_sums: bool) -> Result<Activity, RunError> {
        self.swap();
        let lanes = self.shape.lanes;
        let (groups, cut) = self.incoming.as_ref().map_or((0, 0), |incoming| (incoming.count, incoming.cut_count));
        let finish = if F::HAS_VERTICES { cut * lanes } else { 0 };
        let kernels = [
            (Kernel::Clear, cut * lanes),
            (Kernel::Pull, groups * lanes),
            (Kernel::Finish, finish),
            (Kernel::Activate, self.words()),
        ];
        self.step(&kernels, keep_sums)
    }

    fn push(&mut self) -> Result<Activity, RunError> {
        let groups = self.outgoing.as_ref().map_or(0, |outgoing| outgoing.count);
        self.step(&[(Kernel::Push, groups * self.shape.lanes), (Kernel::Vertex, self.words())], true)
    }

    fn vertex(&mut self) -> Result<Activity, RunError> {
        self.step(&[(Kernel::Vertex, self.words())], false)
    }

    fn finish(&mut self) -> Result<(), RunError> {
        for (property, values) in self.properties.iter().zip(&mut self.store.values) {
            let current = bytemuck::cast_slice_mut(values.current.as_mut_slice());
            self.device.download(&property.current, current)?;
        }
        Ok(())
    }

    fn schedule(&self) -> String {
        format!("neighbor groups of {}, {} lanes each", self.shape.group_size, self.shape.lanes)
    }
}

fn upload_property<Q: Device>(
    device: &mut Q,
    values: &crate::store::Values,
) -> Result<DeviceProperty<Q::Array>, RunError> {
    let mut upload = |floats: &crate::store::Floats| device.upload(bytemuck::cast_slice(floats.as_slice()));
    let current = upload(&values.current)?;
    let previous = values.previous.as_ref().map(upload).transpose()?;
    Ok(DeviceProperty { current, previous, parameter: values.parameter })
}

fn upload_adjacency<Q: Device>(
    device: &mut Q,
    adjacency: &Adjacency,
    group_size: usize,
) -> Result<DeviceAdjacency<Q::Array>, RunError> {
    let groups = NeighborGroups::of(adjacency, group_size);
    let ids = adjacency.edge_ids();
    Ok(DeviceAdjacency {
        vertex: device.upload(bytemuck::cast_slice(&groups.vertex))?,
        begin: device.upload(bytemuck::cast_slice(&groups.begin))?,
        neighbors: device.upload(bytemuck::cast_slice(adjacency.neighbors()))?,
        edge_ids: ids.map(|ids| device.upload(ids.as_bytes())).transpose()?,
        edge_id_bytes: ids.map_or(0, |ids| ids.entry_bytes()),
        count: groups.len() as u64,
        cut: device.upload(bytemuck::cast_slice(&groups.cut))?,
        cut_count: groups.cut.len() as u64,
    })
}
