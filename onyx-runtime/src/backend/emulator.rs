//! The warp emulator as a device: the GPU's kernels, on the host.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::time::Duration;

use onyx_device::arguments::Arguments;
use onyx_device::emulator::{self, Blocks, EmulatedLane, EmulatorError, Memory, WARP};
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::{
    activate, cut_rows, edge_flat, every_vertex, pull, push, recompute, vertex, vertex_per_block, vertex_per_warp,
    warp_word,
};
use onyx_device::{Fold, StageVisitor, Stages, WidthVisitor};

use crate::backend::device::{Device, DeviceEngine, Kernel, Launcher, Shape, Step};
use crate::decider::{Decider, Processor};
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Observer, Options};
use crate::run::Ran;
use crate::store::{Floats, Store};
use crate::tile;

/// The warps of a block that takes a whole row: as few as make sums of several warps, since each lane costs time.
const ROW_WARPS: u32 = 3;

/// Runs `fold` in the emulator.
pub(crate) fn run<F: Fold>(
    _fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Ran, RunError> {
    let (width, features) = (store.tile_width(), store.features());
    let visitor = Visitor { graph, store, options, observer, fold: PhantomData::<F> };
    let unknown = RunError::Features { fold: F::NAME, features, widest: width };
    F::visit(width, visitor).unwrap_or(Err(unknown))
}

struct Visitor<'a, F> {
    graph: &'a Graph,
    store: &'a mut Store,
    options: &'a Options,
    observer: Observer<'a>,
    fold: PhantomData<F>,
}

impl<F: Fold> WidthVisitor for Visitor<'_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self) -> Self::Output
    where
        D: GraphData,
        S: Stages<D>,
    {
        let Self { graph, store, options, observer, .. } = self;
        let decider = Decider::new::<F>(graph, K, options, Processor::default());
        let explain = decider.explain();
        let shape = Shape::new::<F>(L as u64, decider, options);
        let (outcome, schedule, prepare) = tile::run::<F>(graph, store, options, observer, |graph, store| {
            let device = EmulatedDevice::<F, S, L, V> { memory: Rc::default(), functions: PhantomData };
            Ok(Box::new(DeviceEngine::<F, D, _>::new(device, graph, store, shape.clone())?))
        })?;
        Ok(Ran { outcome, device: "warp emulator".to_owned(), schedule, explain, prepare })
    }
}

struct EmulatedDevice<F, S, const L: usize, const V: usize> {
    /// Every array that is alive: what a kernel may reach.
    memory: Rc<RefCell<Memory>>,
    functions: PhantomData<(F, S)>,
}

/// Bytes of an array, aligned as the GPU's are; the length is kept apart since floats are whole words.
struct EmulatedArray {
    floats: Floats,
    bytes: usize,
    memory: Rc<RefCell<Memory>>,
}

impl EmulatedArray {
    fn address(&self) -> *mut u8 {
        self.floats.as_slice().as_ptr().cast_mut().cast()
    }
}

impl Drop for EmulatedArray {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.memory.borrow_mut().remove(self.address().addr());
        }
    }
}

impl<F, S, const L: usize, const V: usize> Device for EmulatedDevice<F, S, L, V> {
    type Array = EmulatedArray;

    fn upload(&mut self, bytes: &[u8]) -> Result<EmulatedArray, RunError> {
        let mut floats = Floats::zeroed(bytes.len().div_ceil(4))?;
        bytemuck::cast_slice_mut(floats.as_mut_slice())[..bytes.len()].copy_from_slice(bytes);
        let array = EmulatedArray { floats, bytes: bytes.len(), memory: Rc::clone(&self.memory) };
        self.memory.borrow_mut().add("an array without a name", array.address().addr(), array.bytes);
        Ok(array)
    }

    fn name(&mut self, array: &EmulatedArray, name: &str) {
        self.memory.borrow_mut().rename(array.address().addr(), name);
    }

    fn download(&mut self, array: &EmulatedArray, bytes: &mut [u8]) -> Result<(), RunError> {
        bytes.copy_from_slice(&bytemuck::cast_slice(array.floats.as_slice())[..array.bytes]);
        Ok(())
    }

    fn clear(&mut self, array: &mut EmulatedArray) -> Result<(), RunError> {
        array.floats.as_mut_slice().fill(0.0);
        Ok(())
    }

    fn address(&self, array: &EmulatedArray) -> *mut u8 {
        array.address()
    }

    fn start(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn stop(&mut self) -> Result<Option<Duration>, RunError> {
        Ok(None)
    }
}

impl<F, D, S, const L: usize, const V: usize> Launcher<D> for EmulatedDevice<F, S, L, V>
where
    F: Fold,
    D: GraphData,
    S: Stages<D>,
{
    fn row_threads(&self, entry: usize) -> u64 {
        S::visit(entry, RowThreads::<D, L, V>(PhantomData)).map_or(0, u64::from)
    }

    fn launch(&mut self, step: Step, arguments: &Arguments<D>) -> Result<(), RunError> {
        let name = || step.kernel.entry::<F>(step.entry, L * V);
        assert!(step.kernel.is_of::<F>(step.entry), "the PTX would leave {} out", name());
        let launch = Launch::<F, D, L, V> { step, arguments, memory: &self.memory.borrow(), fold: PhantomData };
        let launched = S::visit(step.entry, launch).unwrap_or(Ok(()));
        launched.map_err(|source| RunError::Emulator { kernel: name(), source })
    }
}

/// The warps of a block that takes a whole row.
fn row_warps<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> u32 {
    vertex_per_block::warps::<D, E, L, V>(ROW_WARPS)
}

/// The threads of a block that takes a whole row.
struct RowThreads<D, const L: usize, const V: usize>(PhantomData<D>);

impl<D: GraphData, const L: usize, const V: usize> StageVisitor<D> for RowThreads<D, L, V> {
    type Output = u32;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> u32 {
        row_warps::<D, E, L, V>() * WARP
    }
}

/// A launch of one stage's kernel.
struct Launch<'a, F, D, const L: usize, const V: usize> {
    step: Step,
    arguments: &'a Arguments<D>,
    memory: &'a Memory,
    fold: PhantomData<F>,
}

/// Whether any kernel pushes along the edges of such a stage. Where none does, none is compiled.
const fn pushes<F: Fold, D: GraphData, E: EdgeRun<D>>() -> bool {
    F::PUSHES && !E::IS_EMPTY
}

impl<F: Fold, D: GraphData, const L: usize, const V: usize> StageVisitor<D> for Launch<'_, F, D, L, V> {
    type Output = Result<(), EmulatorError>;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> Self::Output {
        let Self { step, arguments, memory, .. } = self;
        let body = |lane: EmulatedLane| {
            // SAFETY: the arguments are of live arrays, and warps run one after the other.
            unsafe {
                match step.kernel {
                    Kernel::Activate => activate::run(lane, arguments),
                    Kernel::Push | Kernel::WarpWord | Kernel::Recompute => {
                        if const { pushes::<F, D, E>() } {
                            push_along::<D, E, W, L, V>(lane, step.kernel, arguments);
                        }
                    }
                    Kernel::Vertex => {
                        if const { !W::IS_EMPTY && (F::STAGES.len() == 1 || F::PUSHES) } {
                            vertex::run::<_, D, E, W, L, V>(lane, arguments);
                        }
                    }
                    Kernel::EveryVertex => {
                        if const { !W::IS_EMPTY && E::IS_EMPTY } {
                            every_vertex::run::<_, D, E, W, L, V>(lane, arguments);
                        }
                    }
                    _ => {
                        if const { !E::IS_EMPTY } {
                            pull_along::<D, E, W, L, V>(lane, step.kernel, arguments);
                        }
                    }
                }
            }
        };
        let warps = if step.kernel == Kernel::VertexPerBlock { row_warps::<D, E, L, V>() } else { 1 };
        let count = step.threads.div_ceil(u64::from(warps * WARP));
        let blocks = Blocks { count, warps, shared_floats: vertex_per_block::shared_floats::<D, E, L, V>(warps) };
        emulator::launch_blocks(memory, blocks, &body)
    }
}

/// Runs a kernel that pulls along edges.
///
/// # Safety
/// As [`pull::run`].
unsafe fn pull_along<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const L: usize, const V: usize>(
    lane: EmulatedLane,
    kernel: Kernel,
    arguments: &Arguments<D>,
) {
    // SAFETY: the caller's.
    unsafe {
        match kernel {
            Kernel::Clear => cut_rows::clear::<_, D, E, L, V>(lane, arguments),
            Kernel::VertexPerWarp => vertex_per_warp::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::VertexPerBlock => vertex_per_block::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::EdgeFlat => edge_flat::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::Finish => cut_rows::finish::<_, D, E, W, L, V>(lane, arguments),
            _ => pull::run::<_, D, E, W, L, V>(lane, arguments),
        }
    }
}

/// Runs a kernel that pushes along edges, or mends what a push has left.
///
/// # Safety
/// As [`pull::run`].
unsafe fn push_along<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const L: usize, const V: usize>(
    lane: EmulatedLane,
    kernel: Kernel,
    arguments: &Arguments<D>,
) {
    // SAFETY: the caller's.
    unsafe {
        match kernel {
            Kernel::WarpWord => warp_word::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::Recompute => recompute::run::<_, D, E, W, L, V>(lane, arguments),
            _ => push::run::<_, D, E, W, L, V>(lane, arguments),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use onyx_device::prelude::*;

    use super::*;
    use crate::backend::plan::Plan;
    use crate::graph::Generator;

    #[graph_data]
    struct Spread<const K: usize> {
        weight: EdgeScalar,
        value: VertexFeatures<K, Tracked>,
        sum: VertexFeatures<K>,
        least: Parameter,
    }

    #[edge_fn]
    fn give<const K: usize>(f: Feature, e: Edge, d: &mut Spread<K>) -> bool {
        d.sum[e.dst][f] += d.weight[e] * d.value[e.src][f];
        true
    }

    #[vertex_fn]
    fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Spread<K>) -> bool {
        d.value[v][f] = d.sum[v][f];
        any(d.sum[v][f] > d.least)
    }

    foldmap! { pub spread<const K: usize>(Spread<K>) = [give, take]; features = [4] }

    /// Counts what is uploaded.
    struct Counting(Rc<Cell<u64>>);

    impl Device for Counting {
        type Array = ();

        fn upload(&mut self, bytes: &[u8]) -> Result<(), RunError> {
            self.0.set(self.0.get() + bytes.len() as u64);
            Ok(())
        }

        fn download(&mut self, _: &(), _: &mut [u8]) -> Result<(), RunError> {
            Ok(())
        }

        fn clear(&mut self, _: &mut ()) -> Result<(), RunError> {
            Ok(())
        }

        fn address(&self, _: &()) -> *mut u8 {
            std::ptr::null_mut()
        }

        fn start(&mut self) -> Result<(), RunError> {
            Ok(())
        }

        fn stop(&mut self) -> Result<Option<Duration>, RunError> {
            Ok(None)
        }
    }

    impl<D> Launcher<D> for Counting {
        fn row_threads(&self, _: usize) -> u64 {
            32
        }

        fn launch(&mut self, _: Step, _: &Arguments<D>) -> Result<(), RunError> {
            Ok(())
        }
    }

    fn the_plan_counts_what_a_run_allocates(options: Options) {
        let graph = "rmat:10".parse::<Generator>().unwrap().generate(1).unwrap();
        let mut store = Store::new(spread, &graph, 3).unwrap();
        let decider = Decider::new::<spread>(&graph, store.width(), &options, Processor::default());
        let plan = Plan::new::<spread>(&graph, &store, &decider, &options);
        let uploaded = Rc::new(Cell::new(0));
        let shape = Shape::new::<spread>(1, decider, &options);
        DeviceEngine::<spread, Spread<4>, _>::new(Counting(uploaded.clone()), &graph, &mut store, shape).unwrap();
        let (planned, uploaded) = (plan.bytes() as f64, uploaded.get() as f64);
        assert!(planned >= uploaded && planned < 1.05 * uploaded, "planned {planned}, uploaded {uploaded}");
        let largest = if options.deterministic { "incoming edges" } else { "outgoing edges" };
        assert_eq!(plan.largest().0, largest);
    }

    #[test]
    fn the_plan_counts_what_a_change_driven_run_allocates() {
        the_plan_counts_what_a_run_allocates(Options { group_size: Some(16), ..Options::default() });
    }

    #[test]
    fn the_plan_counts_what_a_deterministic_run_allocates() {
        let options = Options { group_size: Some(16), deterministic: true, ..Options::default() };
        the_plan_counts_what_a_run_allocates(options);
    }
}
