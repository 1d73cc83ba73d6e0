//! What an NVIDIA GPU and the emulator have in common: arrays in a memory of their own, and kernels launched on them.

mod arguments;
mod batch;
#[cfg(test)]
mod diary;
mod effects;
mod engine;
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
mod ready;
mod script;
mod situation;
mod takes;
mod total;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onyx_device::arguments::PassedRows;
use onyx_device::property::Element;
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
pub(crate) use self::queue::{Queue, Queued, Recorder};
pub(crate) use self::ready::Ready;
pub(crate) use self::script::{Act, Entered, Script};
use self::situation::Situation;
pub(crate) use self::situation::{MemoryRange, See};
pub(crate) use self::takes::Takes;
use crate::backend::arguments::Unbound;
use crate::backend::lent::{Held, Lent};
use crate::backend::memory::Memory;
use crate::backend::residency::{DeviceProperty, Residency, Use};
use crate::backend::topology::{Facing, Topology};
use crate::error::RunError;
#[cfg(feature = "emulator")]
use crate::floats::Floats;
use crate::graph::{EdgeIds, Graph};
use crate::miss::Notes;
use crate::plan::Launch;
#[cfg(test)]
use crate::plan::Part;
use crate::product::Product;
use crate::schedule::{Kernel, Team};
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

    /// Says of the next launch whether it may begin before the one before it has ended.
    fn overlap(&mut self, _may_overlap: bool) {}

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

    /// An error if a function has read at an index out of range.
    fn check_reads(&mut self) -> Result<(), RunError> {
        let look = |notes: &Arc<Notes<_>>| notes.look(self.run.device.memory(), self.store);
        self.run.notes.as_ref().map_or(Ok(()), look)
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
