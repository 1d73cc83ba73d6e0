//! What an NVIDIA GPU and the emulator have in common: arrays in a memory of their own, and kernels launched on them.

mod batch;
#[cfg(test)]
mod diary;
mod effects;
mod footprint;
mod history;
#[cfg(test)]
pub(crate) mod idle;
mod launchable;
mod lenders;
mod order;
mod packed;
mod prepared;
mod queue;
mod script;
mod situation;
mod takes;
mod total;

use std::ptr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onyx_device::arguments::{Arguments, CutParts, EdgeNumbers, HubPieces, NeighborGroups as DeviceGroups, PassedRows};
use onyx_device::gather::Reach;
use onyx_device::property::{Element, Storage};
use onyx_device::schedule::limit::Limit;
use onyx_device::schedule::look::Look;
use onyx_device::schedule::pack::Pack;
use onyx_device::schedule::total::AddUp;
use onyx_device::stage::{self, StageAccess};
use onyx_device::{EdgeAccess, FoldFacts};

pub(crate) use self::batch::Recording;
pub(crate) use self::effects::Effects;
pub(crate) use self::history::BatchHistory;
use self::lenders::Lenders;
pub(crate) use self::prepared::Shape;
use self::prepared::{Ground, Prepared, Rows};
pub(crate) use self::queue::{Queue, Queued, Ready, Recorder};
pub(crate) use self::script::{Act, Entered, Script};
use self::situation::Situation;
pub(crate) use self::situation::{MemoryRange, See};
pub(crate) use self::takes::Takes;
use crate::active::ActiveSet;
use crate::backend::arguments::Unbound;
use crate::backend::launchable::Launchable;
use crate::backend::lent::{Held, Lent};
use crate::backend::memory::Memory;
use crate::backend::residency::{DeviceProperty, Residency, Use};
use crate::backend::topology::{Facing, Topology};
use crate::engine::{Activity, Array, Batch, Engine};
use crate::error::RunError;
#[cfg(feature = "emulator")]
use crate::floats::Floats;
use crate::graph::{EdgeIds, Graph};
use crate::look::{self, Found};
use crate::memory;
use crate::miss::Notes;
use crate::plan::Launch;
#[cfg(test)]
use crate::plan::Part;
use crate::product::Product;
use crate::pushing::PushCosts;
use crate::schedule::{Kernel, Team, Unit};
use crate::store::Store;
use crate::total::Contributions;
use crate::totals;

/// A device with memory of its own, on which a run of a fold takes place.
pub(crate) trait Device {
    /// Its memory.
    type Memory: Memory;
    /// How many threads look at an array at most.
    const LOOKING: u64;
    /// How many blocks gather what is added to totals of the graph at most, if fewer than `gather_totals::most_blocks` says.
    const GATHERING: u64 = u64::MAX;

    /// Its memory.
    fn memory(&self) -> &Self::Memory;
    /// Whether it wants to know what the arrays of the run hold.
    fn wants_names(&self) -> bool {
        false
    }
    /// Says what an array of the run holds, for messages. Kernels reach the places that have a name.
    fn name(&mut self, _range: MemoryRange, _name: &str) {}
    /// Takes back what [`Device::name`] has said, of arrays that may be gone.
    fn forget_names(&mut self) {}
    /// Marks the beginning of a batch.
    fn start(&mut self) -> Result<(), RunError>;
    /// Marks its end.
    fn stop(&mut self) -> Result<(), RunError>;
    /// How long it took, once something has been copied to the host after it, where the device has a clock.
    fn time(&mut self) -> Result<Option<Duration>, RunError>;
    /// An error that showed when something was copied after a batch, with what the batch has launched.
    fn explain(&self, error: RunError) -> RunError {
        error
    }

    /// Whether a recording collects launches, and wants to know what they read and write.
    fn collects(&self) -> bool {
        false
    }

    /// Says so of the next launch.
    fn expect(&mut self, _effects: Effects) {}

    /// Takes note that the totals of these properties are computed again: nothing that is in them is read from here on.
    fn begin(&mut self, _totals: u64) {}

    /// The threads of a block of a team in stage number `stage`, where a block has a unit of its own.
    fn block_threads(&self, team: Team, stage: usize) -> u64;
    /// How many blocks of a kernel of the first stage a multiprocessor has at once, if that is known.
    fn blocks_at_once(&self, _kernel: Kernel) -> Option<u64> {
        None
    }
    /// Where a block of whole graphs, which have so many vertices together at most, has the rows that its stages leave for later ones.
    fn passed(&self, _vertices: u32) -> PassedRows {
        PassedRows::NONE
    }
    /// Launches a kernel of the fold with so many threads at least.
    fn launch(&mut self, launch: Launch, threads: Threads, arguments: &Unbound) -> Result<(), RunError>;
    /// Looks at the values of an array.
    fn look(&mut self, look: Look) -> Result<(), RunError>;
    /// Combines the rows of an array into fewer.
    fn add_up(&mut self, add_up: AddUp) -> Result<(), RunError>;
    /// Packs rows.
    fn pack(&mut self, pack: Pack) -> Result<(), RunError>;
    /// Ends a batch where too few or too many edges are active.
    fn limit(&mut self, limit: Limit) -> Result<(), RunError>;
    /// Computes a product of matrices, `left` times `right`, whose sizes fit each other.
    fn multiply(&mut self, product: &Product, places: [*mut f32; 3]) -> Result<(), RunError>;

    /// What is known of the batches of the fold.
    fn history(&self) -> Arc<Mutex<BatchHistory>> {
        Arc::default()
    }

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

/// The threads of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads {
    /// How many each tile needs.
    pub(crate) of_tile: u64,
    /// The lanes of a row.
    pub(crate) lanes: u32,
    /// How many tiles lie side by side in a block, the lanes of a row for each.
    pub(crate) beside: u32,
}

/// The arrays of a device.
pub(crate) type ArrayOf<Q> = <<Q as Device>::Memory as Memory>::Array;

/// A fold's data on a device, and the iterations on it.
pub(crate) struct DeviceEngine<'a, Q: Device> {
    run: Prepared<Q>,
    store: &'a mut Store,
    residency: Held<'a, Residency<ArrayOf<Q>>>,
}

impl<'a, Q: Device> DeviceEngine<'a, Q> {
    /// Copies to the device what is not there yet of the graph and the values, which stay there if they are `lent`.
    pub(crate) fn new(
        fold: &'static FoldFacts,
        device: Q,
        graph: &Graph,
        store: &'a mut Store,
        shape: Shape,
        lent: Option<Lent<'_, 'a, ArrayOf<Q>>>,
    ) -> Result<Self, RunError> {
        let (mut topology, facing, mut residency) = match lent {
            Some(Lent { topology, facing, residency }) => (Held::Lent(topology), facing, Held::Lent(residency)),
            None => (Held::Own(Topology::default()), Facing::Forward, Held::Own(Residency::default())),
        };
        store.make_contributions(fold, Contributions::Blocks)?;
        store.make_scratch(fold)?;
        let run = Prepared::new(device, Ground { fold, graph, store, facing }, shape, &mut topology)?;
        upload_properties(fold, &mut residency, run.device.memory(), store, &run.shape, &run.lenders)?;
        let mut engine = Self { run, store, residency };
        engine.bring_partials(|memory, _, bytes| memory.zeroed(bytes))?;
        engine.name_arrays();
        if engine.run.shape.replays {
            engine.run.situation = Arc::new(engine.situation());
            engine.run.history().begin();
        }
        Ok(engine)
    }

    /// Makes what the totals of cut rows lie in.
    fn bring_partials(
        &mut self,
        array: impl Fn(&Q::Memory, &Store, usize) -> Result<ArrayOf<Q>, RunError>,
    ) -> Result<(), RunError> {
        let (fold, store, memory) = (self.run.fold, &*self.store, self.run.device.memory());
        let mut partials = self.run.rows.iter_mut().filter_map(|rows| rows.partials.as_mut());
        partials.try_for_each(|partials| partials.bring(fold, store, |bytes| array(memory, store, bytes)))
    }

    /// The arrays of the property at `index`, or those that it has for as long as it needs them.
    fn arrays(&self, index: usize) -> Option<&DeviceProperty<ArrayOf<Q>>> {
        self.residency.get(self.run.lenders.array_of(index))
    }

    /// The rows that a pull of stage number `stage` takes; the incoming ones where it takes all stages at once.
    fn rows(&self, stage: usize) -> &Rows<ArrayOf<Q>> {
        let is_reversed = self.run.fold.stages.get(stage).is_some_and(StageAccess::is_reversed);
        &self.run.rows[usize::from(is_reversed && self.run.blocks.is_none())]
    }

    /// The arguments of a stage in iteration `index` of a batch, but for the units, which each launch has its own of.
    fn arguments(&self, stage: usize, keep_sums: bool, index: usize, launchable: Launchable) -> Unbound {
        let memory = self.run.device.memory();
        let storages: Vec<Storage> =
            (0..self.run.fold.properties.len()).map(|property| self.storage(property, index)).collect();
        let pending: Vec<Storage> =
            storages.iter().enumerate().map(|(property, storage)| self.pending_storage(property, *storage)).collect();
        let Rows { edges: incoming, partials } = self.rows(stage);
        // Where all stages are one launch, some may take the outgoing rows. What is pushed has no such stages.
        let reversed = self.run.rows[1].edges.as_ref().filter(|_| self.run.blocks.is_some());
        let outgoing = reversed.or(self.run.outgoing.as_ref());
        let (incoming, partials) = (incoming.as_ref(), partials.as_ref());
        let places = self.run.counters.places(memory, index);
        let rest = Arguments {
            incoming: incoming.map_or(DeviceGroups::NONE, |adjacency| adjacency.groups(memory, self.packed(stage))),
            outgoing: outgoing.map_or(DeviceGroups::NONE, |adjacency| adjacency.groups(memory, None)),
            hubs: outgoing.map_or(HubPieces::NONE, |adjacency| adjacency.hubs(memory)),
            reverse: self.run.reverse.as_ref().map_or(EdgeNumbers::NONE, |(numbers, bytes)| EdgeNumbers {
                numbers: memory.address(numbers),
                bytes: *bytes,
            }),
            cut: incoming.map_or(ptr::null(), |adjacency| adjacency.cut(memory)),
            parts: partials
                .filter(|_| self.stores_parts(stage))
                .map_or(CutParts::NONE, |partials| partials.parts(memory)),
            blocks: self.run.blocks.as_ref().map_or(ptr::null(), |blocks| memory.address(&blocks.first).cast()),
            passed: self.run.passed,
            active: memory.address(&self.run.active).cast(),
            marks: memory.address(&self.run.marks),
            counters: places.counters,
            before: places.before,
            out_degree: memory.address(&self.run.out_degree).cast(),
            vertex_count: self.run.vertex_count,
            features: self.store.head_features() as u32,
            tiles: self.run.work.tiles,
            keep_sums: u32::from(keep_sums),
            ..Arguments::of(())
        };
        let partials = partials.map_or(storages.clone(), |sums| sums.storages(memory, &storages));
        Unbound { data: storages, pending, partials, reach: self.reach(), rest, launchable }
    }

    /// Whether groups leave the totals of a stage apart where another stage has rows for that: a thread of an edge adds those atomically that it can.
    fn stores_parts(&self, stage: usize) -> bool {
        let is_of_edges = self.run.shape.decider.pull().row().unit == Unit::Edge;
        !is_of_edges || self.run.fold.stages.get(stage).is_some_and(|stage| !stage.parts.are_atomic())
    }

    /// What functions know of the graph.
    fn reach(&self) -> Reach {
        let address = |array: &ArrayOf<Q>| self.run.device.memory().address(array).cast();
        let noted = self.run.notes.as_ref().map(|notes| notes.with(address));
        Reach { vertices: self.run.vertex_count, noted: noted.unwrap_or(ptr::null_mut()) }
    }

    /// An error if a function has read at an index out of range.
    fn check_reads(&mut self) -> Result<(), RunError> {
        let look = |notes: &Arc<Notes<_>>| notes.look(self.run.device.memory(), self.store);
        self.run.notes.as_ref().map_or(Ok(()), look)
    }

    /// Where the property at `index` lies in iteration `iteration` of a batch.
    fn storage(&self, index: usize, iteration: usize) -> Storage {
        let is_iteration = self.run.fold.properties[index].element == Element::Iteration;
        let row = self.store.width();
        let value = if is_iteration { (iteration + 1) as f32 } else { self.store.values[index].parameter };
        let property = self.arrays(index).filter(|_| is_resident(self.run.fold, index));
        let Some(property) = property else {
            return Storage { current: ptr::null_mut(), previous: ptr::null_mut(), row, value, rows: 0, heads: 1 };
        };
        let memory = self.run.device.memory();
        let current = memory.address(&property.current).cast::<f32>();
        let previous = property.previous.as_ref().map_or(current, |previous| memory.address(previous).cast());
        let (rows, heads) = (self.store.rows(index) as u64, self.store.heads() as u32);
        Storage { current, previous, row, value, rows, heads }
    }

    /// Where a push adds to the property at `index`.
    fn pending_storage(&self, index: usize, storage: Storage) -> Storage {
        let pending = self.residency.get(index).and_then(|property| property.pending.as_ref());
        let pending = pending.map(|pending| self.run.device.memory().address(pending).cast());
        Storage { current: pending.unwrap_or(storage.current), ..storage }
    }

    /// Says how many iterations have run, where functions ask for their number.
    fn write_iteration(&mut self) -> Result<(), RunError> {
        let before = (self.run.iterations as f32).to_ne_bytes();
        for (index, property) in self.run.fold.properties.iter().enumerate() {
            let property = self.residency.get_mut(index).filter(|_| property.element == Element::Iteration);
            property.map_or(Ok(()), |property| self.run.device.memory().write(&mut property.current, &before))?;
        }
        Ok(())
    }

    /// Has pulls take the rows by these parts, one after the other.
    #[cfg(test)]
    pub(crate) fn take_rows_by(&mut self, parts: Vec<Part>) {
        self.run.work.parts[0] = parts;
    }

    /// Drops the arrays of the property at `index`.
    #[cfg(all(test, feature = "emulator"))]
    pub(crate) fn forget(&mut self, index: usize) {
        self.residency.forget(index);
    }

    /// The values of the property at `index`, as they are on the device.
    #[cfg(feature = "emulator")]
    pub(crate) fn values(&mut self, index: usize) -> Result<Floats, RunError> {
        let mut values = self.store.room(index)?;
        if let Some(property) = self.residency.get(index) {
            self.run.device.memory().download(&property.current, values.as_bytes_mut())?;
        }
        Ok(values)
    }

    /// Exchanges the current and previous arrays of properties.
    fn exchange(&mut self, properties: u64) {
        self.run.swapped ^= properties;
        self.residency.exchange(properties);
    }
}

impl<Q: Device> Engine for DeviceEngine<'_, Q> {
    /// All of a batch is launched at once. What lies after an iteration that has left nothing active returns at once.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        self.residency.begin();
        self.run.device.start()?;
        self.write_iteration()?;
        let (plan, launched) = self.enqueue(batch)?;
        self.run.device.stop()?;
        let ran = self.run.counters.read(self.run.device.memory(), batch.count);
        let mut ran = ran.map_err(|error| self.run.device.explain(error))?;
        let time = self.run.device.time()?;
        if let Some((recording, launching)) = launched {
            self.run.history().ran(&recording, launching, time);
        }
        self.check_reads()?;
        self.exchange(plan.exchanged(batch.count - ran.len()));
        self.run.iterations += ran.len();
        self.run.active_edges = ran.last().map_or(0, |activity| activity.edges);
        let share = time.map(|time| time / ran.len().max(1) as u32);
        ran.iter_mut().for_each(|activity| activity.time = share);
        Ok(ran)
    }

    fn push_costs(&self) -> PushCosts {
        self.run.shape.decider.push_costs()
    }

    fn active(&mut self) -> Result<ActiveSet, RunError> {
        let mut words: Vec<u32> = memory::zeroed((self.run.vertex_count as usize).div_ceil(32), "the active vertices")?;
        self.run.device.memory().download(&self.run.active, bytemuck::cast_slice_mut(&mut words))?;
        Ok(ActiveSet::from_words(self.run.vertex_count as usize, words))
    }

    fn arrays(&self, properties: u64) -> Vec<Array> {
        self.store.arrays(properties)
    }

    fn copy(&mut self, array: Array, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        let Some(property) = self.residency.get(array.property) else { return Ok(()) };
        let first = first * array.number.bytes();
        self.run.device.memory().download_part(&property.current, first, bytes)
    }

    /// All arrays are looked at before the host asks what was found.
    fn look(&mut self, arrays: &[Array]) -> Result<Vec<Found>, RunError> {
        self.run.counters.clear(self.run.device.memory())?;
        for array in arrays {
            let Some(property) = self.residency.get(array.property).filter(|_| array.length > 0) else { continue };
            let memory = self.run.device.memory();
            let (floats, found) =
                (memory.address(&property.current).cast(), self.run.counters.found(memory, array.property));
            self.run.device.look(look_at(*array, floats, found, Q::LOOKING))?;
        }
        self.run.counters.read_found(self.run.device.memory(), arrays)
    }

    /// What outlives the run stays on the device.
    fn finish(&mut self) -> Result<(), RunError> {
        let (fold, written) = (self.run.fold, totals::written(self.run.fold));
        self.residency.settle_borrowed(self.run.device.memory())?;
        self.residency.ran(written, totals::taken(fold));
        match &mut self.residency {
            Held::Own(residency) => residency.fetch(self.run.device.memory(), self.store, written),
            Held::Lent(_) => Ok(()),
        }
    }

    fn schedule(&self) -> String {
        let order = if self.run.shape.is_deterministic {
            "; deterministic: pull alone, the sums of cut rows added in order"
        } else {
            ""
        };
        format!("{}{order}", self.run.shape.decider.describe())
    }
}

/// A look at an array by `most` threads at most.
fn look_at(array: Array, floats: *const f32, found: *mut u64, most: u64) -> Look {
    let Array { length, row, rows, features, .. } = array;
    let threads = Look::threads(length as u64, (row * rows) as u64, most);
    Look {
        floats,
        length: length as u64,
        exponent: look::exponent(array.number),
        row: row as u32,
        rows: rows as u32,
        features: features as u32,
        threads,
        found,
    }
}

/// The reverse edges that the fold reads, if it does.
pub(crate) fn reverse_edges<'a>(fold: &'static FoldFacts, graph: &'a Graph) -> Option<&'a EdgeIds> {
    if fold.edges.reads_reverse == 0 { None } else { graph.reverse_edges().ok() }
}

/// Whether the fold reaches the property at `index`, so that it must be on the device.
pub(crate) fn is_resident(fold: &'static FoldFacts, index: usize) -> bool {
    fold.properties[index].element.is_of_graph() || stage::reached(fold.stages) >> index & 1 == 1
}

/// Brings what the fold reaches to the device.
fn upload_properties<M: Memory>(
    fold: &'static FoldFacts,
    residency: &mut Residency<M::Array>,
    memory: &M,
    store: &Store,
    shape: &Shape,
    lenders: &Lenders,
) -> Result<(), RunError> {
    let pending = store.pending(if shape.pushes { fold.edges } else { EdgeAccess::NONE })?;
    let overwritten = if fold.is_active && shape.pushes { 0 } else { totals::overwritten(fold) };
    let reached = stage::reached(fold.stages);
    let is_there = |index: usize| {
        let is_reached = fold.properties[index].element.is_of_graph() || reached >> index & 1 == 1;
        is_reached && lenders.array_of(index) == index
    };
    for (index, property) in fold.properties.iter().enumerate().filter(|(index, _)| is_there(*index)) {
        let is_overwritten = overwritten >> index & 1 == 1 && !property.tracked;
        let wanted = Use {
            is_overwritten: is_overwritten || property.element == Element::Iteration,
            is_tracked: property.tracked,
        };
        residency.property(memory, store, index, wanted)?;
        if let Some(none) = &pending[index] {
            residency.begin_pending(memory, index, none)?;
        }
    }
    Ok(())
}
