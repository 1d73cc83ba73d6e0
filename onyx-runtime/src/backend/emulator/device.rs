//! The emulator as a device, and what it remembers from launch to launch.

use std::time::Duration;
use std::{mem, slice};

use onyx_device::FoldFacts;
use onyx_device::arguments::PassedRows;
use onyx_device::emulator::{self, Blocks, Memory as Addresses, WARP};
use onyx_device::order::Order;
use onyx_device::schedule::limit::Limit;
use onyx_device::schedule::look::Look;
use onyx_device::schedule::pack::Pack;
use onyx_device::schedule::total::AddUp;

use super::array::EmulatedMemory;
use super::launch::{self, Launch};
use super::property_array::PropertyArray;
use crate::backend::arguments::Unbound;
use crate::backend::code::{AnyFold, Code, SharingBlock};
use crate::backend::device::{Device, Effects, MemoryRange, Threads};
use crate::error::RunError;
use crate::plan;
use crate::product::{Operand, Product};
use crate::schedule::{Form, Kernel, Team};
use crate::store::Store;
use crate::watch::Watch;

/// The warps of a block that takes a whole row, neighbor groups, or whole graphs: as few as make sums of several warps, since each lane costs time.
const ROW_WARPS: u32 = 3;

/// As many rows of a block's vertices lie in its shared memory at most, so that both cases come up.
pub(super) const MOST_PASSED: u32 = 130;

/// The emulator's memory, and how it runs the kernels of a fold.
pub(super) struct EmulatedDevice {
    fold: &'static FoldFacts,
    code: Code,
    /// The compiled width.
    width: usize,
    /// The arrays of the run: what a kernel may reach.
    pub(super) memory: Addresses,
    order: Order,
    /// The properties whose totals begin with the next launch.
    begun: u64,
    /// The arrays of properties among those.
    properties: Vec<PropertyArray>,
    /// What the next launch is said to read and write of them.
    expected: Effects,
    /// Whether it may begin before the one before it has ended.
    may_overlap: bool,
}

impl EmulatedDevice {
    /// A device that runs lanes, warps and blocks in this order.
    pub(super) fn new(fold: AnyFold, store: &Store, order: Order) -> Result<Self, RunError> {
        let (code, width, fold) = (fold.code(store)?, store.tile_width(), fold.facts);
        let (memory, properties) = Default::default();
        Ok(Self {
            fold,
            code,
            width,
            memory,
            order,
            begun: 0,
            properties,
            expected: Effects::UNKNOWN,
            may_overlap: false,
        })
    }

    /// The block of a team in stage number `stage`.
    fn block(&self, team: Team, stage: usize) -> SharingBlock {
        let shares = matches!(team, Team::Block | Team::Groups | Team::Gathering | Team::GraphBlock);
        let most = if shares { ROW_WARPS } else { 1 };
        (self.code.block)(stage, team, most)
    }

    /// The blocks of a launch of so many threads.
    fn blocks(&self, launch: plan::Launch, Threads { of_tile, lanes, beside }: Threads, passed: PassedRows) -> Blocks {
        let team = launch.kernel.row().team;
        let SharingBlock { warps, floats } = self.block(team, launch.stage);
        let floats = if team == Team::GraphBlock { self.code.floats_with(floats, passed) } else { floats };
        let count = of_tile.div_ceil(u64::from(warps * WARP / beside));
        let alone = Blocks::of_tiles(count, launch.tiles.count(), warps, floats);
        if beside == 1 { alone } else { Blocks { beside, lanes, ..alone } }
    }

    /// Does a launch, which may reach and write no more of the properties than it was said to.
    fn expecting<T>(&mut self, kernel: &str, launch: impl FnOnce(&Self, &Addresses) -> T) -> T {
        let expected = mem::replace(&mut self.expected, Effects::UNKNOWN);
        let mut memory = self.memory.clone();
        let (reached, others): (Vec<_>, Vec<_>) =
            self.properties.iter().partition(|array| expected.reach(&array.addresses()));
        others.iter().for_each(|array| memory.remove(array.address()));
        let kept = reached.iter().filter(|array| !expected.write(&array.addresses()));
        let kept: Vec<_> = kept.map(|array| (array, array.bytes())).collect();
        let done = launch(self, &memory);
        for (array, bytes) in kept {
            assert!(array.bytes() == bytes, "{kernel} writes {}, which it was said to leave as it is", array.name());
        }
        done
    }

    /// Forgets totals that begin, so that none of them is read before it is stored.
    fn forget(&self, totals: u64) {
        for (_, property) in self.fold.properties.iter().enumerate().filter(|(index, _)| totals >> index & 1 == 1) {
            self.memory.forget(property.name);
            self.memory.forget(&format!("{} (partial)", property.name));
        }
    }
}

impl Device for EmulatedDevice {
    type Memory = EmulatedMemory;
    const LOOKING: u64 = 128;
    const GATHERING: u64 = 2;

    fn memory(&self) -> &EmulatedMemory {
        &EmulatedMemory
    }

    fn wants_names(&self) -> bool {
        true
    }

    fn name(&mut self, MemoryRange { first, bytes }: MemoryRange, name: &str) {
        self.memory.add(name, first.addr(), bytes);
        if self.fold.properties.iter().any(|property| PropertyArray::is_named(name, property.name)) {
            self.properties.push(PropertyArray::new(name, first, bytes));
        }
    }

    fn forget_names(&mut self) {
        self.memory = Addresses::default();
        self.properties.clear();
    }

    fn collects(&self) -> bool {
        true
    }

    fn expect(&mut self, effects: Effects) {
        self.expected = effects;
    }

    fn overlap(&mut self, may_overlap: bool) {
        self.may_overlap = may_overlap;
    }

    fn start(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn stop(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn time(&mut self) -> Result<Option<Duration>, RunError> {
        Ok(None)
    }

    fn add_up(&mut self, add_up: AddUp) -> Result<(), RunError> {
        let kernel = Kernel::Total.symbol(self.fold, 0, Form::narrow(0));
        let done = self.expecting(&kernel, |device, memory| launch::add_up(&add_up, memory, device.order));
        done.map_err(|source| RunError::Emulator { kernel, source })
    }

    fn pack(&mut self, pack: Pack) -> Result<(), RunError> {
        let kernel = Kernel::Pack.symbol(self.fold, 0, Form::narrow(0));
        let begins_early = mem::take(&mut self.may_overlap);
        let done = self.expecting(&kernel, |device, memory| launch::pack(&pack, memory, device.order, begins_early));
        done.map_err(|source| RunError::Emulator { kernel, source })
    }

    fn limit(&mut self, limit: Limit) -> Result<(), RunError> {
        let kernel = || Kernel::Limit.symbol(self.fold, 0, Form::narrow(0));
        let done = launch::limit(&limit, &self.memory, self.order);
        done.map_err(|source| RunError::Emulator { kernel: kernel(), source })
    }

    fn multiply(&mut self, product: &Product, [left, right, into]: [*mut f32; 3]) -> Result<(), RunError> {
        // SAFETY: the arrays are the properties' own, alive and of so many floats, and no lane runs.
        let floats = |place: *mut f32, of: &Operand| unsafe {
            slice::from_raw_parts_mut(place, of.layout.rows * of.layout.stride)
        };
        let (left, right) = (floats(left, &product.left), floats(right, &product.right));
        product.compute(left, right, floats(into, &product.into));
        Ok(())
    }

    fn begin(&mut self, totals: u64) {
        self.begun |= totals;
    }

    fn look(&mut self, look: Look) -> Result<(), RunError> {
        let kernel = || Kernel::Look.symbol(self.fold, 0, Form::narrow(0));
        launch::look(&look, &self.memory, self.order).map_err(|source| RunError::Emulator { kernel: kernel(), source })
    }

    fn block_threads(&self, team: Team, stage: usize) -> u64 {
        u64::from(self.block(team, stage).warps * WARP)
    }

    fn passed(&self, vertices: u32) -> PassedRows {
        let rows = self.code.passed_after(self.block(Team::GraphBlock, 0).floats, vertices);
        if rows.count <= MOST_PASSED { rows } else { PassedRows::NONE }
    }

    fn launch(&mut self, launch: plan::Launch, threads: Threads, arguments: &Unbound) -> Result<(), RunError> {
        let (fold, kernel, stage) = (self.fold, launch.kernel, launch.stage);
        let form = Form { is_wide: arguments.rest.tiles > 1 && !fold.has_heads, ..Form::narrow(self.width) };
        let name = || kernel.symbol(fold, stage, form);
        assert!(kernel.is_of(fold, stage), "the PTX would leave {} out", name());
        // SAFETY: the byte is one of the counters'.
        let is_over = unsafe { *arguments.rest.before == 0 };
        let begun = mem::take(&mut self.begun);
        if !is_over {
            self.forget(begun);
        }
        let blocks = self.blocks(launch, threads, arguments.rest.passed);
        let begins_early = mem::take(&mut self.may_overlap);
        let launched = self.expecting(&name(), |device, memory| {
            let on = emulator::Launch { memory: Some(memory), blocks, order: device.order, is_over, begins_early };
            let watch = Watch::default();
            watch.run(fold.declared_name, || {
                let _here = watch.here();
                (device.code.emulated)(Launch { kernel, stage, arguments, on })
            })
        });
        launched?.map_err(|source| RunError::Emulator { kernel: name(), source })
    }
}
