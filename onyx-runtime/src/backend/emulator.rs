//! The warp emulator as a device: the GPU's kernels, on the host.

use std::marker::PhantomData;
use std::time::Duration;

use onyx_device::arguments::Arguments;
use onyx_device::emulator::{self, EmulatedLane};
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::{activate, cut_rows, edge_flat, pull, push, vertex, vertex_per_warp, warp_word};
use onyx_device::{Fold, WidthVisitor};

use crate::backend::device::{Device, DeviceEngine, Kernel, Launcher, Shape};
use crate::decider::{Decider, Processor};
use crate::engine::{Engine, converge};
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Observer, Options};
use crate::run::{Ran, timed};
use crate::store::{Floats, Store};

/// Runs `fold` in the emulator.
pub(crate) fn run<F: Fold>(
    _fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Ran, RunError> {
    let (width, features) = (store.width(), store.features());
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

    fn visit<D, E, W, const K: usize, const L: usize, const V: usize>(self) -> Self::Output
    where
        D: GraphData,
        E: EdgeRun<D>,
        W: VertexRun<D>,
    {
        let device = EmulatedDevice::<F, E, W, L, V>(PhantomData);
        let decider = Decider::new::<F>(self.graph, K, self.options, Processor::default());
        let explain = decider.explain();
        let shape = Shape { lanes: L as u64, decider };
        let prepare = || DeviceEngine::<F, D, _>::new(device, self.graph, self.store, shape);
        let (mut engine, prepare) = timed(prepare)?;
        let outcome = converge::<F>(&mut engine, self.graph, self.options, self.observer)?;
        engine.finish()?;
        Ok(Ran { outcome, device: "warp emulator".to_owned(), schedule: engine.schedule(), explain, prepare })
    }
}

struct EmulatedDevice<F, E, W, const L: usize, const V: usize>(PhantomData<(F, E, W)>);

/// Bytes of an array, aligned as the GPU's are; the length is kept apart since floats are whole words.
struct EmulatedArray {
    floats: Floats,
    bytes: usize,
}

impl<F, E, W, const L: usize, const V: usize> Device for EmulatedDevice<F, E, W, L, V> {
    type Array = EmulatedArray;

    fn upload(&mut self, bytes: &[u8]) -> Result<EmulatedArray, RunError> {
        let mut floats = Floats::zeroed(bytes.len().div_ceil(4));
        bytemuck::cast_slice_mut(floats.as_mut_slice())[..bytes.len()].copy_from_slice(bytes);
        Ok(EmulatedArray { floats, bytes: bytes.len() })
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
        array.floats.as_slice().as_ptr().cast_mut().cast()
    }

    fn start(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn stop(&mut self) -> Result<Option<Duration>, RunError> {
        Ok(None)
    }
}

impl<F, D, E, W, const L: usize, const V: usize> Launcher<D> for EmulatedDevice<F, E, W, L, V>
where
    F: Fold,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    fn launch(&mut self, kernel: Kernel, threads: u64, arguments: &Arguments<D>) -> Result<(), RunError> {
        let body = |lane: EmulatedLane| {
            // SAFETY: the arguments are of live arrays, and warps run one after the other.
            unsafe {
                match kernel {
                    Kernel::Clear => cut_rows::clear::<_, D, E, L, V>(lane, arguments),
                    Kernel::Pull => pull::run::<_, D, E, W, L, V>(lane, arguments),
                    Kernel::VertexPerWarp => vertex_per_warp::run::<_, D, E, W, L, V>(lane, arguments),
                    Kernel::EdgeFlat => edge_flat::run::<_, D, E, W, L, V>(lane, arguments),
                    Kernel::Finish => cut_rows::finish::<_, D, E, W, L, V>(lane, arguments),
                    Kernel::Push => push::run::<_, D, E, W, L, V>(lane, arguments),
                    Kernel::WarpWord => warp_word::run::<_, D, E, W, L, V>(lane, arguments),
                    Kernel::Vertex => vertex::run::<_, D, W, L, V>(lane, arguments),
                    Kernel::Activate => activate::run(lane, arguments),
                }
            }
        };
        emulator::launch(threads, &body)
            .map_err(|source| RunError::Emulator { kernel: kernel.entry::<F>(L * V), source })
    }
}
