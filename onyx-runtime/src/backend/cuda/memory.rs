//! Arrays in a GPU's memory, on one stream.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaGraph, CudaSlice, CudaStream, CudaView, DevicePtr, DriverError, sys};

use super::act::{CLEAR, COPY, Clearing, Copying};
use super::collection::Collection;
use super::landing::Landing;
use super::place::Place;
use super::pointer;
use crate::backend::device::{Act, Entered, Recorder, Script};
use crate::backend::memory::Memory;
use crate::error::{CudaError, RunError};
use crate::session::Borrowed;

/// An array of fewer bytes stays where it is when nobody needs it any more: folds of small rows run side by side in a recording, unless they share memory.
const LEAST_SPARED: usize = 1 << 20;

/// A GPU's memory, as one stream reaches it.
#[derive(Clone)]
pub(crate) struct CudaMemory {
    stream: Arc<CudaStream>,
    collection: Arc<Collection>,
    /// Where small copies to the host land, if the host has page-locked memory left.
    landing: Arc<Mutex<Option<Landing>>>,
}

impl CudaMemory {
    /// The memory of the context's GPU, with a stream of its own.
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        // SAFETY: everything happens on one stream, so nothing needs to be ordered by events.
        unsafe { context.disable_event_tracking() };
        let failed = |doing: &str| {
            let doing = doing.to_owned();
            move |source| CudaError::Driver { doing, source }
        };
        let stream = context.new_stream().map_err(failed("making a stream"))?;
        Ok(Self { stream, collection: Arc::default(), landing: Arc::new(Mutex::new(Landing::new(context).ok())) })
    }

    /// The stream of the owner of borrowed memory.
    ///
    /// # Safety
    /// It exists as long as what is returned.
    unsafe fn owner(&self, memory: Borrowed) -> Arc<CudaStream> {
        let stream = ptr::with_exposed_provenance_mut(memory.stream.unwrap_or_default());
        // SAFETY: the caller's; a context of the runtime's and PyTorch's is the device's primary one, as this is.
        unsafe { self.stream.context().wrap_borrowed_stream(stream) }
    }

    /// The stream.
    pub(super) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Copies to the host, after all that was asked for, and waits for it.
    fn copy_to_host(&self, from: &CudaView<'_, u8>, bytes: &mut [u8]) -> Result<(), DriverError> {
        let copy = |to: &mut [u8]| {
            self.stream.memcpy_dtoh(from, to)?;
            self.stream.synchronize()
        };
        let mut landing = self.landing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(landed) = landing.as_mut().and_then(|landing| landing.bytes(bytes.len())) else {
            return copy(bytes);
        };
        copy(landed)?;
        bytes.copy_from_slice(landed);
        Ok(())
    }

    fn own(&self, slice: CudaSlice<u8>) -> CudaArray {
        self.array(slice, false)
    }

    fn array(&self, slice: CudaSlice<u8>, is_borrowed: bool) -> CudaArray {
        let bytes = slice.len();
        let (slice, collection) = (ManuallyDrop::new(slice), Arc::clone(&self.collection));
        CudaArray { slice, bytes, is_borrowed, is_kept: false, collection }
    }
}

/// What a recording collects.
impl CudaMemory {
    /// Collects what this thread asks for from here on, instead of doing it.
    pub(crate) fn collect(&self, script: Script<Self>) {
        self.collection.begin(script);
    }

    /// Ends that. What was collected, if that is all of it; [`CudaMemory::free_dropped`] comes when it is done.
    pub(crate) fn collected(&self) -> Option<Script<Self>> {
        self.collection.take()
    }

    /// Frees the arrays that were dropped since this thread began to collect: what was collected may have used them.
    pub(crate) fn free_dropped(&self) {
        self.collection.end();
    }

    /// Notes that something was changed on the host that the next work depends on.
    pub(crate) fn touch(&self) {
        self.collection.touch();
    }

    /// A number that is another one after everything that was asked for of the memory, or noted by [`CudaMemory::touch`].
    pub(crate) fn changes(&self) -> u64 {
        self.collection.changes()
    }

    /// Acts if there was nothing of that since the number was this one, and before there is.
    pub(crate) fn act_unchanged<T>(&self, since: u64, act: impl FnOnce() -> T) -> Option<T> {
        self.collection.act_unchanged(since, act)
    }

    /// Frees the arrays that nobody needs any more.
    pub(crate) fn free_spares(&self) {
        self.collection.free_spares();
    }

    /// Does what was collected so far, and what follows as it comes.
    pub(crate) fn flush(&self) -> Result<(), RunError> {
        self.collected().map_or(Ok(()), |script| script.perform(self))
    }

    /// Does it, or notes it where a recording collects. The key is of all that it depends on.
    pub(super) fn ask(&self, key: impl FnOnce() -> Vec<u64>, act: impl Act<Self> + 'static) -> Result<(), RunError> {
        match self.collection.note(key, act) {
            Some(act) => act.act(self),
            None => Ok(()),
        }
    }

    /// The same within a step that was entered; outside of one, all that was collected is done before.
    pub(super) fn ask_within(&self, act: impl Act<Self> + 'static) -> Result<(), RunError> {
        match self.collection.note_within(act) {
            Some(act) => {
                self.flush()?;
                act.act(self)
            }
            None => Ok(()),
        }
    }

    /// Whether a recording collects what this thread asks for, within a step.
    pub(super) fn collects(&self) -> bool {
        self.collection.is_inside()
    }

    /// Bytes of an array change at once: what was collected and uses them is done before.
    fn flush_uses(&self, array: &CudaArray) -> Result<(), RunError> {
        let first = self.address(array).addr() as u64;
        if self.collection.may_reach(&(first..first + array.bytes as u64)) { self.flush() } else { Ok(()) }
    }
}

/// An array in a GPU's memory, freed when dropped unless someone else owns it: where a recording collects, when that is done.
pub(crate) struct CudaArray {
    slice: ManuallyDrop<CudaSlice<u8>>,
    /// How many of the slice's are in use.
    bytes: usize,
    is_borrowed: bool,
    /// Whether others take it when it is dropped.
    is_kept: bool,
    collection: Arc<Collection>,
}

impl Deref for CudaArray {
    type Target = CudaSlice<u8>;

    fn deref(&self) -> &CudaSlice<u8> {
        &self.slice
    }
}

impl DerefMut for CudaArray {
    fn deref_mut(&mut self) -> &mut CudaSlice<u8> {
        &mut self.slice
    }
}

impl Drop for CudaArray {
    fn drop(&mut self) {
        // SAFETY: nothing uses the slice after this.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        if self.is_borrowed {
            self.collection.touch();
            slice.leak();
        } else if self.is_kept {
            self.collection.keep(slice);
        } else {
            self.collection.free(slice);
        }
    }
}

/// Says what was being done when the driver refused.
pub(super) fn failed(doing: impl Into<String>) -> impl FnOnce(DriverError) -> RunError {
    move |source| CudaError::Driver { doing: doing.into(), source }.into()
}

impl Memory for CudaMemory {
    type Array = CudaArray;

    fn upload(&self, bytes: &[u8]) -> Result<CudaArray, RunError> {
        let doing = || format!("copying {} bytes to the GPU", bytes.len());
        // The driver allocates no empty array; one byte gives an address that nothing is read from.
        let bytes_or_one = if bytes.is_empty() { &[0] } else { bytes };
        let slice = match self.collection.freed(bytes_or_one.len()) {
            Some(mut freed) => self.stream.memcpy_htod(bytes_or_one, &mut freed).map(|()| freed),
            None => self.stream.clone_htod(bytes_or_one),
        };
        slice.map(|slice| self.own(slice)).map_err(failed(doing()))
    }

    fn zeroed(&self, bytes: usize) -> Result<CudaArray, RunError> {
        let slice = match self.collection.freed(bytes.max(1)) {
            Some(mut freed) => self.stream.memset_zeros(&mut freed).map(|()| freed),
            None => self.stream.alloc_zeros(bytes.max(1)),
        };
        slice.map(|slice| self.own(slice)).map_err(failed(format!("allocating {bytes} bytes on the GPU")))
    }

    fn with_room(&self, bytes: usize, room: usize) -> Result<CudaArray, RunError> {
        let mut array = self.zeroed(bytes + room)?;
        array.bytes = bytes;
        Ok(array)
    }

    fn room(&self, array: &CudaArray) -> usize {
        if array.is_borrowed { 0 } else { array.slice.len() - array.bytes }
    }

    unsafe fn borrow(&self, memory: Borrowed, property: &'static str) -> Result<CudaArray, RunError> {
        pointer::check(self.stream.context(), memory).map_err(|source| RunError::Borrow { property, source })?;
        let doing = || format!("waiting for the owner of the memory of `{property}`");
        // SAFETY: the caller's: the stream exists.
        let owner = unsafe { self.owner(memory) };
        self.stream.join(&owner).map_err(failed(doing()))?;
        let bytes = memory.bytes();
        // SAFETY: the caller's; whoever drops the array does not free it.
        let slice = unsafe { self.stream.upgrade_device_ptr(memory.address as u64, bytes) };
        Ok(self.array(slice, true))
    }

    unsafe fn give_back(&self, memory: Borrowed) -> Result<(), RunError> {
        self.flush()?;
        // SAFETY: the caller's.
        let owner = unsafe { self.owner(memory) };
        owner.join(&self.stream).map_err(failed("giving memory back to its owner"))
    }

    fn copy(&self, from: &CudaArray, to: &mut CudaArray) -> Result<(), RunError> {
        let (from, to, bytes) = (self.address(from).addr() as u64, self.address(to).addr() as u64, from.bytes);
        self.ask(|| vec![COPY, from, to, bytes as u64], Copying { from, to, bytes })
    }

    fn download_part(&self, array: &CudaArray, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.flush()?;
        let doing = format!("copying {} bytes from the GPU", bytes.len());
        self.copy_to_host(&array.slice(first..first + bytes.len()), bytes).map_err(failed(doing))
    }

    fn write(&self, array: &mut CudaArray, bytes: &[u8]) -> Result<(), RunError> {
        self.flush_uses(array)?;
        let doing = format!("copying {} bytes to the GPU", bytes.len());
        self.stream.memcpy_htod(bytes, &mut **array).map_err(failed(doing))
    }

    fn clear(&self, array: &mut CudaArray) -> Result<(), RunError> {
        let (at, bytes) = (self.address(array).addr() as u64, array.bytes);
        self.ask(|| vec![CLEAR, at, bytes as u64], Clearing { at, bytes })
    }

    fn resize(&self, array: &mut CudaArray, bytes: usize) -> bool {
        let has_room = !array.is_borrowed && bytes.max(1) <= array.slice.len();
        if has_room {
            array.bytes = bytes.max(1);
        }
        has_room
    }

    fn is_large(&self, bytes: usize) -> bool {
        bytes >= LEAST_SPARED
    }

    fn is_spared(&self, array: &CudaArray) -> bool {
        !array.is_borrowed && self.is_large(array.slice.len())
    }

    fn keep(&self, mut array: CudaArray) {
        array.is_kept = true;
    }

    fn spare(&self, bytes: usize, room: usize) -> Result<Option<CudaArray>, RunError> {
        let mut array = self.collection.spare(bytes + room).map(|slice| self.own(slice));
        array.iter_mut().for_each(|array| array.bytes = bytes);
        Ok(array)
    }

    fn spare_of_at_least(&self, bytes: usize) -> Result<Option<CudaArray>, RunError> {
        Ok(self.collection.spare_of_at_least(bytes).map(|slice| self.own(slice)))
    }

    fn has_spare(&self, bytes: usize, room: usize) -> bool {
        self.collection.has_spare(bytes + room)
    }

    fn bytes(&self, array: &CudaArray) -> usize {
        array.bytes
    }

    fn address(&self, array: &CudaArray) -> *mut u8 {
        array.device_ptr(&self.stream).0 as *mut u8
    }
}

/// What is recorded is a CUDA graph.
impl Recorder for CudaMemory {
    type Recorded = CudaGraph;
    type Place = Place;
    const IS_AT_ONCE: bool = false;

    fn enter(&self, key: impl FnOnce() -> Vec<u64>) -> Entered {
        self.collection.enter(key)
    }

    fn leave(&self, is_whole: bool) -> Result<(), RunError> {
        if self.collection.leave() && !is_whole { self.flush() } else { Ok(()) }
    }

    fn record(&self) -> bool {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).is_ok()
    }

    fn cache(&self) -> u64 {
        super::processor(self.stream.context()).cache
    }

    fn place(&self) -> Option<Place> {
        Place::of(&self.stream).ok()
    }

    fn follow(&self, places: &[&Place]) -> Option<()> {
        Place::follow(places, &self.stream).ok()
    }

    fn recorded(&self) -> Option<CudaGraph> {
        // No flags: the default behavior.
        self.stream.end_capture(sys::CUgraphInstantiate_flags(0)).ok().flatten()
    }

    fn replay(&self, graph: &CudaGraph) -> Result<(), RunError> {
        graph.launch().map_err(failed("replaying what was recorded"))
    }
}
