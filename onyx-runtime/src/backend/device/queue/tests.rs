//! What a queue launches, records and replays.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use onyx_device::prelude::*;

use super::*;
use crate::backend::residency::Use;
use crate::graph::GraphBuilder;
use crate::session::Borrowed;

#[graph_data]
struct Place {
    value: VertexScalar<Tracked>,
    rate: Parameter,
}

#[vertex_fn]
fn grow(v: Vertex, d: &mut Place) -> bool {
    d.value[v] += d.rate;
    true
}

foldmap! { pub growing(Place) = [grow] }

/// A memory that writes down what it is asked for.
#[derive(Clone, Default)]
struct Diary {
    lines: Rc<RefCell<Vec<&'static str>>>,
    arrays: Rc<Cell<usize>>,
    keeps_nothing: bool,
}

impl Diary {
    fn write(&self, line: &'static str) {
        self.lines.borrow_mut().push(line);
    }

    /// What has been written since the last time.
    fn take(&self) -> String {
        self.lines.take().join(" ")
    }
}

impl Memory for Diary {
    type Array = usize;

    fn upload(&self, _: &[u8]) -> Result<usize, RunError> {
        self.zeroed(0)
    }

    fn zeroed(&self, _: usize) -> Result<usize, RunError> {
        self.arrays.set(self.arrays.get() + 64);
        Ok(self.arrays.get())
    }

    unsafe fn borrow(&self, _: Borrowed, _: &'static str) -> Result<usize, RunError> {
        self.zeroed(0)
    }

    unsafe fn give_back(&self, _: Borrowed) -> Result<(), RunError> {
        Ok(())
    }

    fn copy(&self, _: &usize, _: &mut usize) -> Result<(), RunError> {
        Ok(())
    }

    fn download_part(&self, _: &usize, _: usize, _: &mut [u8]) -> Result<(), RunError> {
        Ok(())
    }

    fn write(&self, _: &mut usize, _: &[u8]) -> Result<(), RunError> {
        Ok(())
    }

    fn clear(&self, _: &mut usize) -> Result<(), RunError> {
        Ok(())
    }

    fn address(&self, array: &usize) -> *mut u8 {
        std::ptr::without_provenance_mut(*array)
    }
}

impl Recorder for Diary {
    type Recorded = ();

    fn record(&self) -> bool {
        self.write("record");
        true
    }

    fn recorded(&self) -> Option<()> {
        (!self.keeps_nothing).then_some(())
    }

    fn replay(&self, (): &()) -> Result<(), RunError> {
        self.write("replay");
        Ok(())
    }
}

/// A fold that exchanges the arrays of its value, or does not.
struct Step {
    diary: Diary,
    exchanges: bool,
}

impl Queued<Diary> for Step {
    fn bring(&mut self, store: &mut Store, residency: &mut Residency<usize>) -> Result<(), RunError> {
        let wanted = Use { is_tracked: true, ..Use::default() };
        residency.property(&self.diary, store, Place::VALUE.index, wanted).map(drop)
    }

    fn launch(&mut self, _: &mut Store, residency: &mut Residency<usize>) -> Result<(), RunError> {
        self.diary.write("launch");
        self.exchange(residency);
        Ok(())
    }

    fn exchange(&self, residency: &mut Residency<usize>) {
        residency.exchange(u64::from(self.exchanges) << Place::VALUE.index);
    }

    fn leaves(&self) -> (u64, u64) {
        (1 << Place::VALUE.index, 0)
    }
}

/// A queue of one step, with what it runs on.
struct Bench {
    diary: Diary,
    queue: Queue<Diary>,
    store: Store,
    residency: Residency<usize>,
}

impl Bench {
    fn new(exchanges: bool, keeps_nothing: bool) -> Self {
        let graph = GraphBuilder::new().edges(vec![(0, 1)]).build().unwrap();
        let diary = Diary { keeps_nothing, ..Diary::default() };
        let mut queue = Queue::default();
        queue.push(Box::new(Step { diary: diary.clone(), exchanges }));
        let (store, residency) = (Store::new(growing, &graph, 1).unwrap(), Residency::default());
        Self { diary, queue, store, residency }
    }

    /// What running it so many times does.
    fn run(&mut self, times: usize) -> String {
        self.queue.run(&self.diary, &mut self.store, &mut self.residency, times).unwrap();
        self.diary.take()
    }

    fn current(&self) -> usize {
        self.residency.get(Place::VALUE.index).unwrap().current
    }
}

#[test]
fn what_comes_again_is_recorded_and_then_replayed() {
    let mut bench = Bench::new(false, false);
    assert_eq!(bench.run(1), "launch");
    let arrays = bench.diary.arrays.get();
    assert_eq!(bench.run(1), "record launch replay");
    assert_eq!(bench.run(3), "replay replay replay");
    assert_eq!(bench.diary.arrays.get(), arrays, "nothing is allocated after the first run");
}

#[test]
fn arrays_that_change_places_have_two_recordings() {
    let mut bench = Bench::new(true, false);
    bench.run(0);
    assert_eq!(bench.run(4), "launch launch record launch replay record launch replay");
    let current = bench.current();
    assert_eq!(bench.run(1), "replay");
    assert_ne!(bench.current(), current, "a replay exchanges them, too");
    assert_eq!(bench.run(3), "replay replay replay");
    assert_eq!(bench.current(), current);
}

#[test]
fn another_parameter_is_another_recording() {
    let mut bench = Bench::new(false, false);
    bench.run(3);
    bench.store.set(Place::RATE, 2.0);
    assert_eq!(bench.run(3), "launch record launch replay replay");
    bench.store.set(Place::RATE, 0.0);
    assert_eq!(bench.run(1), "replay");
    for rate in 0..20 {
        bench.store.set(Place::RATE, rate as f32);
        bench.run(2);
    }
    assert!(bench.queue.recorded.len() <= MOST_RECORDINGS);
}

#[test]
fn what_cannot_be_recorded_is_launched_with_the_arrays_where_they_were() {
    let mut bench = Bench::new(true, true);
    bench.run(2);
    let current = bench.current();
    assert_eq!(bench.run(1), "record launch launch");
    assert_ne!(bench.current(), current, "exchanged once");
    assert_eq!(bench.run(1), "record launch launch");
    assert_eq!(bench.current(), current);
}
