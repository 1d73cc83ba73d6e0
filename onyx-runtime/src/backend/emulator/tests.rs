//! What the emulator allocates, and what it finds in launches that follow each other.

mod arrays;
mod parts;
mod passed;

use std::cell::Cell;
use std::panic::catch_unwind;
use std::rc::Rc;
use std::time::Duration;

use onyx_device::Fold;
use onyx_device::emulator::{Access, Mistake, Order};
use onyx_device::prelude::*;
use onyx_device::schedule::limit::Limit;
use onyx_device::schedule::look::Look;
use onyx_device::schedule::pack::Pack;
use onyx_device::schedule::total::AddUp;

use super::*;
use crate::backend::adjacency::Needs;
use crate::backend::arguments::Unbound;
use crate::backend::device::idle::does_nothing;
use crate::backend::device::{ArrayOf, Device, Effects, MemoryRange, Threads};
use crate::backend::lent::There;
use crate::backend::memory::Memory;
use crate::backend::memory_plan::MemoryPlan;
use crate::backend::residency::Residency;
use crate::backend::topology::{Facing, Topology};
use crate::backend::{counters, partials};
use crate::engine::{Activity, Batch, EdgeLimits, Engine};
use crate::graph::Generator;
use crate::options::Direction;
use crate::packing::Packing;
use crate::plan::Launch;
use crate::product::Product;
use crate::schedule::{Job, Kernel, Schedule, Team};
use crate::session::Borrowed;

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
    let moved = (d.sum[v][f] - d.value[v][f]).abs() > d.least;
    d.value[v][f] = d.sum[v][f];
    any(moved)
}

#[edge_fn]
fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Spread<K>) -> bool {
    d.sum[e.dst][f].softmax_add(d.weight[e], d.value[e.src][f]);
    true
}

foldmap! { pub spread<const K: usize>(Spread<K>) = [give, take]; features = [4] }
foldmap! { pub weighed<const K: usize>(Spread<K>) = [weigh, take]; features = [4] }

#[vertex_fn]
fn halve<const K: usize>(f: Feature, v: Vertex, d: &mut Spread<K>) -> bool {
    d.value[v][f] *= 0.5;
    true
}

foldmap! { pub spread_and_halve<const K: usize>(Spread<K>) = [give, take; halve]; features = [4] }

/// Counts what is uploaded.
struct Counting(Rc<Cell<u64>>);

impl Memory for Counting {
    type Array = ();

    fn upload(&self, bytes: &[u8]) -> Result<(), RunError> {
        self.zeroed(bytes.len())
    }

    fn zeroed(&self, bytes: usize) -> Result<(), RunError> {
        self.0.set(self.0.get() + bytes as u64);
        Ok(())
    }

    fn with_room(&self, bytes: usize, room: usize) -> Result<(), RunError> {
        self.zeroed(bytes + room)
    }

    unsafe fn borrow(&self, _: Borrowed, _: &'static str) -> Result<(), RunError> {
        Ok(())
    }

    unsafe fn give_back(&self, _: Borrowed) -> Result<(), RunError> {
        Ok(())
    }

    fn copy(&self, _: &(), _: &mut ()) -> Result<(), RunError> {
        Ok(())
    }

    fn download_part(&self, _: &(), _: usize, _: &mut [u8]) -> Result<(), RunError> {
        Ok(())
    }

    fn write(&self, _: &mut (), _: &[u8]) -> Result<(), RunError> {
        Ok(())
    }

    fn clear(&self, _: &mut ()) -> Result<(), RunError> {
        Ok(())
    }

    fn resize(&self, _: &mut (), _: usize) -> bool {
        true
    }

    fn is_spared(&self, _: &()) -> bool {
        true
    }

    fn bytes(&self, _: &()) -> usize {
        usize::MAX
    }

    fn address(&self, _: &()) -> *mut u8 {
        std::ptr::null_mut()
    }
}

impl Device for Counting {
    type Memory = Self;
    const LOOKING: u64 = 32;

    fn memory(&self) -> &Self {
        self
    }

    does_nothing!();

    fn launch(&mut self, _: Launch, _: Threads, _: &Unbound) -> Result<(), RunError> {
        Ok(())
    }
}

/// The emulator, which counts how often the totals of cut rows are to be cleared, and clears them only if asked. It is told another story of what launches read and write.
struct Clearing<Q> {
    device: Q,
    clears: bool,
    asked: Rc<Cell<usize>>,
    told: fn(Effects) -> Effects,
}

impl<Q: Device> Device for Clearing<Q> {
    type Memory = Q::Memory;
    const LOOKING: u64 = Q::LOOKING;

    fn memory(&self) -> &Q::Memory {
        self.device.memory()
    }

    fn wants_names(&self) -> bool {
        self.device.wants_names()
    }

    fn name(&mut self, range: MemoryRange, name: &str) {
        self.device.name(range, name);
    }

    fn collects(&self) -> bool {
        self.device.collects()
    }

    fn expect(&mut self, effects: Effects) {
        self.device.expect((self.told)(effects));
    }

    fn begin(&mut self, totals: u64) {
        self.device.begin(totals);
    }

    fn start(&mut self) -> Result<(), RunError> {
        self.device.start()
    }

    fn stop(&mut self) -> Result<(), RunError> {
        self.device.stop()
    }

    fn time(&mut self) -> Result<Option<Duration>, RunError> {
        self.device.time()
    }

    fn look(&mut self, look: Look) -> Result<(), RunError> {
        self.device.look(look)
    }

    fn add_up(&mut self, add_up: AddUp) -> Result<(), RunError> {
        self.device.add_up(add_up)
    }

    fn pack(&mut self, pack: Pack) -> Result<(), RunError> {
        self.device.pack(pack)
    }

    fn limit(&mut self, limit: Limit) -> Result<(), RunError> {
        self.device.limit(limit)
    }

    fn multiply(&mut self, product: &Product, places: [*mut f32; 3]) -> Result<(), RunError> {
        self.device.multiply(product, places)
    }

    fn block_threads(&self, team: Team, stage: usize) -> u64 {
        self.device.block_threads(team, stage)
    }

    fn launch(&mut self, launch: Launch, threads: Threads, arguments: &Unbound) -> Result<(), RunError> {
        let is_clear = launch.kernel.row().job == Job::Clear;
        self.asked.set(self.asked.get() + usize::from(is_clear));
        if is_clear && !self.clears { Ok(()) } else { self.device.launch(launch, threads, arguments) }
    }
}

/// The emulator with the kernels of `spread`.
fn emulator(store: &Store, order: Order) -> EmulatedDevice {
    EmulatedDevice::new(AnyFold::of::<spread>(), store, order).unwrap()
}

#[test]
fn the_table_has_every_kernel_that_the_macros_name() {
    let named = spread::STAGES.iter().chain(spread_and_halve::STAGES).flat_map(|stage| stage.kernels);
    let unknown: Vec<_> = named.filter(|name| !Kernel::ALL.iter().any(|kernel| kernel.row().name == **name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Pulls of `spread`, most of whose rows are cut, on a device with so large a cache: what each has left active, and how often totals were to be cleared.
fn pulls(
    count: usize,
    clears: bool,
    cache: u64,
    limits: Option<EdgeLimits>,
) -> Result<(Vec<Activity>, usize), RunError> {
    pulls_told(count, clears, cache, limits, |effects| effects)
}

/// The same where the device is told another story of what launches read and write.
fn pulls_told(
    count: usize,
    clears: bool,
    cache: u64,
    limits: Option<EdgeLimits>,
    told: fn(Effects) -> Effects,
) -> Result<(Vec<Activity>, usize), RunError> {
    let graph = "rmat:5:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut store = Store::new(spread, &graph, 4).unwrap();
    store.floats_mut(Spread::WEIGHT.index).fill(0.03);
    store
        .floats_mut(Spread::VALUE.index)
        .iter_mut()
        .zip(1_u8..)
        .for_each(|(value, number)| *value = f32::from(number).sqrt());
    [Spread::WEIGHT.index, Spread::VALUE.index].iter().for_each(|index| store.give(*index));
    store.values[Spread::LEAST.index].parameter = 0.1;
    let options = Options { group_size: Some(4), change_driven: false, ..Options::default() };
    let processor = Processor { multiprocessors: 0, cache };
    let decider = Decider::new(spread::FACTS, &graph, Form::narrow(4), &options, processor);
    let shape = Shape::new(spread::FACTS, decider, &options);
    let asked = Rc::default();
    let device = Clearing { device: emulator(&store, Order::Random(5)), clears, asked: Rc::clone(&asked), told };
    let mut engine = DeviceEngine::new(spread::FACTS, device, &graph, &mut store, shape, None)?;
    let ran = engine.run(Batch { direction: Direction::Pull, keep_sums: false, count, limits })?;
    Ok((ran, asked.get()))
}

#[test]
fn totals_are_cleared_once_a_batch_where_they_stay_in_the_cache() {
    let edges = |ran: &[Activity]| ran.iter().map(|activity| activity.edges).collect::<Vec<_>>();
    let (near, once) = pulls(4, true, 1 << 20, None).unwrap();
    let (far, each) = pulls(4, true, 1 << 10, None).unwrap();
    assert_eq!((once, each, edges(&near)), (1, 4, edges(&far)));
}

#[test]
fn a_batch_ends_after_the_iteration_that_leaves_its_limits() {
    let (all, _) = pulls(8, true, 0, None).unwrap();
    let edges: Vec<u64> = all.iter().map(|activity| activity.edges).collect();
    assert!(edges.len() > 3 && edges.is_sorted_by(|a, b| a > b), "{edges:?} shrink");
    let ran = |least, most| pulls(8, true, 0, Some(EdgeLimits { least, most })).unwrap().0.len();
    assert_eq!(ran(edges[1], u64::MAX), 3);
    assert_eq!(ran(edges[2] + 1, u64::MAX), 3);
    assert_eq!(ran(0, edges[0] - 1), 1);
    assert_eq!(ran(0, edges[0]), all.len());
    assert!(pulls(8, true, 0, Some(EdgeLimits { least: 1, most: 1 })).unwrap().0.iter().all(|ran| !ran.is_stopped));
}

#[test]
fn totals_that_nobody_has_cleared_are_found_and_the_order_is_named() {
    let error = pulls(1, false, 0, None).unwrap_err();
    let RunError::Emulator { kernel, source } = &error else { panic!("{error}") };
    let Mistake::Empty { access: Access::Add, place, .. } = &source.mistake else { panic!("{error}") };
    assert_eq!((kernel.as_str(), place.array.as_str()), ("spread__spread__pull__k4", "sum"));
    assert_eq!(source.order, Order::Random(5));
    assert!(error.to_string().ends_with(", in the random order of seed 5"), "{error}");
}

#[test]
fn launches_reach_and_write_no_more_than_they_are_said_to() {
    let told = |told| pulls_told(2, true, 0, None, told);
    assert_eq!(told(|effects| effects).unwrap().0.len(), 2);
    let error = told(Effects::without_reads).unwrap_err();
    let RunError::Emulator { source, .. } = &error else { panic!("{error}") };
    assert!(matches!(source.mistake, Mistake::Outside { .. }), "{error}");
    let panic = catch_unwind(|| told(Effects::without_writes)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.ends_with("which it was said to leave as it is"), "{message}");
}

#[test]
fn what_is_out_of_bounds_of_one_array_is_in_no_other() {
    let graph = "rmat:5".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut device = emulator(&Store::new(spread, &graph, 4).unwrap(), Order::Forward);
    let arrays: Vec<_> = (0..50).map(|length| EmulatedMemory.upload(&vec![7; 16 * length]).unwrap()).collect();
    arrays.iter().for_each(|array| device.name(MemoryRange::of(&EmulatedMemory, array), "sevens"));
    for (length, array) in arrays.iter().enumerate() {
        let mut bytes = vec![0; 16 * length];
        EmulatedMemory.download(array, &mut bytes).unwrap();
        assert_eq!(bytes, vec![7; 16 * length]);
        let begin = EmulatedMemory.address(array).addr();
        let rows = [begin - 512, begin - 16, begin + 16 * length, begin + 16 * length + 496];
        assert!(rows.iter().all(|row| !device.memory.contains(*row, 16)));
        assert!(length == 0 || device.memory.contains(begin, 16 * length));
    }
}

fn the_plan_counts_what_a_run_allocates<F: Fold>(fold: F, options: Options, largest: &str) {
    let graph = "rmat:10".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut store = Store::new(fold, &graph, 3).unwrap();
    let decider = Decider::new(F::FACTS, &graph, Form::of(&store), &options, Processor::default());
    let plan = MemoryPlan::new::<()>(F::FACTS, &graph, &store, &decider, &options, None);
    let uploaded = Rc::new(Cell::new(0));
    let shape = Shape::new(F::FACTS, decider, &options);
    let counting = Counting(uploaded.clone());
    DeviceEngine::new(F::FACTS, counting, &graph, &mut store, shape, None).unwrap();
    let (planned, uploaded) = (plan.bytes() as f64, uploaded.get() as f64);
    assert!(planned >= uploaded && planned < 1.05 * uploaded, "planned {planned}, uploaded {uploaded}");
    assert_eq!(plan.largest().0, largest);
}

#[test]
fn the_plan_counts_what_a_change_driven_run_allocates() {
    let options = Options { group_size: Some(16), ..Options::default() };
    the_plan_counts_what_a_run_allocates(spread, options, "outgoing edges");
}

#[test]
fn the_plan_counts_what_a_deterministic_run_allocates() {
    let options = Options { group_size: Some(16), deterministic: true, ..Options::default() };
    the_plan_counts_what_a_run_allocates(spread, options, "incoming edges");
}

#[test]
fn the_plan_counts_what_packed_sources_take() {
    let words = Options { schedule: Schedule::WordPerWarp, packing: Packing::Always, ..Options::default() };
    the_plan_counts_what_a_run_allocates(spread, words, "outgoing edges");
}

#[test]
fn the_plan_counts_the_states_of_cut_rows_and_of_edges() {
    let options = Options { group_size: Some(4), ..Options::default() };
    the_plan_counts_what_a_run_allocates(weighed, options.clone(), "partial sums of cut rows");
    let of_edges = Options { schedule: Schedule::EdgeFlat, ..options.clone() };
    the_plan_counts_what_a_run_allocates(weighed, of_edges, "partial sums of cut rows");
    let whole = Options { schedule: Schedule::VertexPerWarp, ..options };
    the_plan_counts_what_a_run_allocates(weighed, whole, "incoming edges");
}

#[test]
fn what_goes_to_another_graph_allocates_its_edges_alone() {
    let generate = |name: &str| name.parse::<Generator>().unwrap().generate(1).unwrap();
    let graphs = [generate("rmat:10"), generate("rmat:8")];
    let (mut store, mut residency) = (Store::new(spread_and_halve, &graphs[0], 4).unwrap(), Residency::<()>::default());
    let (uploaded, fold, mut ready) = (Rc::new(Cell::new(0)), spread_and_halve::FACTS, None);
    let options = Options { change_driven: false, ..Options::default() };
    let mut counts = Vec::new();
    for graph in &graphs {
        uploaded.set(0);
        store.move_to(graph).unwrap();
        let decider = Decider::new(fold, graph, Form::of(&store), &options, Processor::default());
        let (mut topology, shape) = (Topology::<()>::default(), Shape::new(fold, decider, &options));
        let edges = topology_bytes(&shape, graph);
        let lent = Lent { topology: &mut topology, facing: Facing::Forward, residency: &mut residency };
        let step = match ready.take() {
            None => Ready::new(fold, Counting(uploaded.clone()), graph, &store, shape, lent).unwrap(),
            Some(mut step) => {
                Queued::move_to(&mut step, graph, &store, shape, lent).unwrap();
                step
            }
        };
        let step = ready.insert(step);
        step.bring(&mut store, &mut residency).unwrap();
        counts.push((uploaded.get(), edges));
    }
    let [(first, edges), (second, fewer)] = counts[..] else { panic!("{counts:?}") };
    assert!(first > 2 * edges && second == fewer, "{counts:?}");
}

#[test]
fn the_sums_of_cut_rows_are_there_while_a_sequence_runs() {
    let graph = "rmat:10".parse::<Generator>().unwrap().generate(1).unwrap();
    let (mut store, mut residency) = (Store::new(weighed, &graph, 4).unwrap(), Residency::<()>::default());
    let options = Options { change_driven: false, group_size: Some(4), ..Options::default() };
    let decider = Decider::new(weighed::FACTS, &graph, Form::of(&store), &options, Processor::default());
    let partials = partials::bytes(weighed::FACTS, weighed::FACTS.edges.reduces, graph.incoming(), &store, &decider);
    let (made, shape) = (Rc::new(Cell::new(0)), Shape::new(weighed::FACTS, decider, &options));
    let (mut topology, facing) = (Topology::<()>::default(), Facing::Forward);
    let lent = Lent { topology: &mut topology, facing, residency: &mut residency };
    let mut step = Ready::new(weighed::FACTS, Counting(made.clone()), &graph, &store, shape, lent).unwrap();
    let mut bring = || {
        step.bring(&mut store, &mut residency).unwrap();
        step.take(&mut store, &mut residency).unwrap();
        step.leave();
        made.replace(0)
    };
    let (first, again) = (bring(), bring());
    assert!(again > 0 && again < first && again < partials, "{first} bytes, {again} again, {partials} planned");
}

/// The bytes of the incoming edges as pulls have them, and of the numbers of outgoing ones.
fn topology_bytes(shape: &Shape, graph: &Graph) -> u64 {
    Needs::incoming(&shape.decider).bytes(graph.incoming()) + 4 * graph.vertex_count() as u64
}

#[test]
fn the_plan_of_a_later_run_counts_what_it_adds_to_what_is_there() {
    let graph = "rmat:10".parse::<Generator>().unwrap().generate(1).unwrap();
    let reversed = graph.reversed().unwrap();
    let mut store = Store::new(spread, &graph, 3).unwrap();
    let (mut topology, mut residency) = (Topology::<()>::default(), Residency::<()>::default());
    let push = Options { group_size: Some(16), ..Options::default() };
    let pull = Options { change_driven: false, ..push.clone() };
    let same_for_each_run = (graph.vertex_count() as f64) * 1.125 + counters::bytes(push.batch()) as f64;
    let turns =
        [(Facing::Forward, &pull), (Facing::Forward, &pull), (Facing::Forward, &push), (Facing::Reversed, &push)];
    let mut counts = Vec::new();
    for (facing, options) in turns {
        let graph = if facing == Facing::Forward { &graph } else { &reversed };
        let decider = Decider::new(spread::FACTS, graph, Form::of(&store), options, Processor::default());
        let lent = Lent { topology: &mut topology, facing, residency: &mut residency };
        let planned =
            MemoryPlan::new(spread::FACTS, graph, &store, &decider, options, Some(&There::of(&lent))).bytes() as f64;
        let uploaded = Rc::new(Cell::new(0));
        let (counting, shape) = (Counting(uploaded.clone()), Shape::new(spread::FACTS, decider, options));
        DeviceEngine::new(spread::FACTS, counting, graph, &mut store, shape, Some(lent)).unwrap();
        let uploaded = uploaded.get() as f64;
        assert!(planned >= uploaded && planned < 1.05 * uploaded, "{facing:?}: planned {planned}, uploaded {uploaded}");
        counts.push(uploaded);
    }
    assert!(counts[1] < 1.01 * same_for_each_run, "{counts:?}: only what each run has for itself");
    let edges = 4.0 * graph.edge_count() as f64;
    assert!(counts[2] > 2.0 * edges, "{counts:?}: neighbors and numbers of outgoing edges");
    let added = counts[3] - counts[1];
    assert!(
        added > edges && added < 2.0 * edges,
        "{counts:?}: the reverse adds the numbers of its outgoing edges alone"
    );
}
