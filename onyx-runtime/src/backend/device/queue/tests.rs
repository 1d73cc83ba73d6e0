//! What a queue launches, records and replays.

use onyx_device::prelude::*;

use super::*;
use crate::backend::device::diary::Diary;
use crate::backend::device::script::{self, Script, Steps};
use crate::backend::residency::Use;
use crate::graph::GraphBuilder;

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
        self.diary.ask("launch");
        self.exchange(residency);
        Ok(())
    }

    fn move_to(&mut self, _: &Graph, _: &Store, _: Shape, _: Lent<'_, '_, usize>) -> Result<(), RunError> {
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
        let diary = Diary::new(keeps_nothing);
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
fn memory_without_room_where_an_array_had_some_is_another_recording() {
    let mut bench = Bench::new(false, false);
    bench.diary.room.set(64);
    assert_eq!(bench.run(3), "launch record launch replay replay");
    bench.diary.room.set(0);
    assert_eq!(bench.run(3), "launch record launch replay replay");
    bench.diary.room.set(64);
    assert_eq!(bench.run(1), "replay");
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

#[test]
fn a_recording_collects_what_is_launched_and_knows_it_again() {
    let mut bench = Bench::new(true, false);
    bench.diary.collect(Script::new(std::iter::empty()));
    assert_eq!(bench.run(2), "", "launched although a recording collects");
    let (current, steps) = (bench.current(), bench.diary.collected().end().0);
    assert_eq!(perform(&bench.diary, &steps), "launch launch");
    bench.diary.collect(Script::new([Arc::new(steps)].into_iter()));
    bench.run(1);
    assert_ne!(bench.current(), current, "what is known exchanges arrays, too");
    bench.run(1);
    let (steps, known) = bench.diary.collected().end();
    assert_eq!((bench.current(), known), (current, Some(0)));
    assert_eq!(perform(&bench.diary, &steps), "launch launch");
    assert_eq!(bench.run(1), "launch", "a queue that nobody collects launches at once");
}

fn perform(diary: &Diary, steps: &Steps<Diary>) -> String {
    script::perform(steps, diary).unwrap();
    diary.take()
}
