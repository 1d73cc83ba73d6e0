//! The emulator's arrays, and what it remembers from launch to launch.

use std::marker::PhantomData;
use std::time::Duration;

use onyx_device::Fold;
use onyx_device::arguments::Arguments;
use onyx_device::emulator::Memory as Addresses;
use onyx_device::order::Order;
use onyx_device::property::GraphData;
use onyx_device::schedule::look::Look;
use onyx_device::schedule::total::AddUp;

use super::launch::{self, Kernels, Launch};
use crate::backend::device::{Device, Launcher, Recorder};
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::floats::Floats;
use crate::plan;
use crate::schedule::{Form, Kernel};
use crate::session::Borrowed;
use crate::watch::Watch;

/// The emulator's memory, and how it runs the kernels of fold `F`.
pub(super) struct EmulatedDevice<F, D> {
    kernels: Kernels<D>,
    /// The arrays of the run: what a kernel may reach.
    pub(super) memory: Addresses,
    order: Order,
    /// The properties whose totals begin with the next launch.
    begun: u64,
    fold: PhantomData<F>,
}

impl<F: Fold, D: GraphData> EmulatedDevice<F, D> {
    /// A device that runs lanes, warps and blocks in this order.
    pub(super) fn new(kernels: Kernels<D>, order: Order) -> Self {
        Self { kernels, memory: Addresses::default(), order, begun: 0, fold: PhantomData }
    }

    /// Forgets totals that begin, so that none of them is read before it is stored.
    fn forget(&self, totals: u64) {
        for (_, property) in F::PROPERTIES.iter().enumerate().filter(|(index, _)| totals >> index & 1 == 1) {
            self.memory.forget(property.name);
            self.memory.forget(&format!("{} (partial)", property.name));
        }
    }
}

/// The floats before and after each array that belong to none, so that what is a row out of bounds of one is not in another: as many as a
/// matrix of width 32 has.
const GUARD: usize = 1024;

/// Bytes of an array, aligned as the GPU's are; the length is kept apart since floats are whole words.
pub(crate) struct EmulatedArray {
    /// The array's own, and the guards.
    floats: Floats,
    /// How many floats are before the array's own.
    guard: usize,
    bytes: usize,
}

impl EmulatedArray {
    fn zeroed(bytes: usize) -> Result<Self, RunError> {
        Ok(Self { floats: Floats::zeroed(bytes.div_ceil(4) + 2 * GUARD)?, guard: GUARD, bytes })
    }

    /// How many bytes are before the array's own.
    fn before(&self) -> usize {
        self.guard * size_of::<f32>()
    }

    fn address(&self) -> *mut u8 {
        self.floats.as_bytes()[self.before()..].as_ptr().cast_mut()
    }

    fn bytes(&self) -> &[u8] {
        &self.floats.as_bytes()[self.before()..][..self.bytes]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let before = self.before();
        &mut self.floats.as_bytes_mut()[before..][..self.bytes]
    }
}

/// The host's memory in place of a GPU's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmulatedMemory;

impl Memory for EmulatedMemory {
    type Array = EmulatedArray;

    fn upload(&self, bytes: &[u8]) -> Result<EmulatedArray, RunError> {
        let mut array = EmulatedArray::zeroed(bytes.len())?;
        array.bytes_mut().copy_from_slice(bytes);
        Ok(array)
    }

    fn zeroed(&self, bytes: usize) -> Result<EmulatedArray, RunError> {
        EmulatedArray::zeroed(bytes)
    }

    unsafe fn borrow(&self, memory: Borrowed, _property: &'static str) -> Result<EmulatedArray, RunError> {
        // SAFETY: the caller's.
        let floats = unsafe { Floats::borrowed(memory) };
        Ok(EmulatedArray { floats, guard: 0, bytes: memory.bytes() })
    }

    unsafe fn give_back(&self, _memory: Borrowed) -> Result<(), RunError> {
        Ok(())
    }

    fn copy(&self, from: &EmulatedArray, to: &mut EmulatedArray) -> Result<(), RunError> {
        to.bytes_mut().copy_from_slice(from.bytes());
        Ok(())
    }

    fn download_part(&self, array: &EmulatedArray, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        bytes.copy_from_slice(&array.bytes()[first..first + bytes.len()]);
        Ok(())
    }

    fn write(&self, array: &mut EmulatedArray, bytes: &[u8]) -> Result<(), RunError> {
        array.bytes_mut().copy_from_slice(bytes);
        Ok(())
    }

    fn clear(&self, array: &mut EmulatedArray) -> Result<(), RunError> {
        array.bytes_mut().fill(0);
        Ok(())
    }

    fn address(&self, array: &EmulatedArray) -> *mut u8 {
        array.address()
    }
}

/// The emulator runs everything at once.
impl Recorder for EmulatedMemory {
    type Recorded = ();
    const IS_AT_ONCE: bool = true;

    fn record(&self) -> bool {
        false
    }

    fn recorded(&self) -> Option<()> {
        None
    }

    fn replay(&self, (): &()) -> Result<(), RunError> {
        Ok(())
    }
}

impl<F: Fold, D> Device for EmulatedDevice<F, D> {
    type Memory = EmulatedMemory;
    const LOOKING: u64 = 128;

    fn memory(&self) -> &EmulatedMemory {
        &EmulatedMemory
    }

    fn name(&mut self, array: &EmulatedArray, name: &str) {
        self.memory.add(name, array.address().addr(), array.bytes);
    }

    fn forget_names(&mut self) {
        self.memory = Addresses::default();
    }

    fn start(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn stop(&mut self) -> Result<Option<Duration>, RunError> {
        Ok(None)
    }

    fn add_up(&mut self, add_up: AddUp) -> Result<(), RunError> {
        let kernel = || Kernel::Total.symbol::<F>(0, Form::narrow(0));
        let done = launch::add_up(&add_up, &self.memory, self.order);
        done.map_err(|source| RunError::Emulator { kernel: kernel(), source })
    }

    fn begin(&mut self, totals: u64) {
        self.begun |= totals;
    }

    fn look(&mut self, look: Look) -> Result<(), RunError> {
        let kernel = || Kernel::Look.symbol::<F>(0, Form::narrow(0));
        launch::look(&look, &self.memory, self.order).map_err(|source| RunError::Emulator { kernel: kernel(), source })
    }
}

impl<F: Fold, D: GraphData> Launcher<D> for EmulatedDevice<F, D> {
    fn row_threads(&self, stage: usize) -> u64 {
        (self.kernels.row_threads)(stage)
    }

    fn launch(&mut self, launch: plan::Launch, threads: u64, arguments: &Arguments<D>) -> Result<(), RunError> {
        let (width, run) = (self.kernels.width, self.kernels.run);
        let (kernel, stage) = (launch.kernel, launch.stage);
        let name = || kernel.symbol::<F>(stage, Form { width, is_wide: arguments.tiles > 1 && !F::HAS_HEADS });
        assert!(kernel.is_of::<F>(stage), "the PTX would leave {} out", name());
        // SAFETY: the byte is one of the counters'.
        let is_over = unsafe { *arguments.before == 0 };
        let begun = std::mem::take(&mut self.begun);
        if !is_over {
            self.forget(begun);
        }
        let (memory, order) = (&self.memory, self.order);
        let tiles = launch.tiles.count();
        let launch = Launch { kernel, stage, threads, tiles, arguments, memory, order, is_over };
        let watch = Watch::default();
        let launched = watch.run(F::NAME, || {
            let _here = watch.here();
            run(launch)
        });
        launched?.map_err(|source| RunError::Emulator { kernel: name(), source })
    }
}
