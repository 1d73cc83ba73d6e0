//! Which batches are recorded, and which runs replay them.

use std::collections::HashSet;
use std::sync::Mutex;

use onyx_device::Fold;
use onyx_device::prelude::*;

use super::*;
use crate::backend::device::diary::Diary;
use crate::backend::device::idle::does_nothing;
use crate::backend::device::{BatchHistory, Shape};
use crate::decider::Decider;
use crate::graph::{Graph, GraphBuilder};
use crate::options::{Direction, Options};
use crate::schedule::rule::Processor;
use crate::schedule::{Form, Job};
use crate::store::Store;

#[graph_data]
struct Heat {
    value: VertexScalar<Tracked>,
    inflow: VertexScalar,
    rate: Parameter,
    total: GraphScalar,
}

#[edge_fn]
fn flow(e: Edge, d: &mut Heat) -> bool {
    d.inflow[e.dst] += d.value[e.src];
    true
}

#[vertex_fn]
fn warm(v: Vertex, d: &mut Heat) -> bool {
    d.value[v] = d.rate * d.inflow[v];
    d.total += d.value[v];
    true
}

foldmap! { pub spread(Heat) = [flow, warm] }

/// What outlives the runs of a fold.
#[derive(Clone, Default)]
struct Kept {
    history: Arc<Mutex<BatchHistory>>,
    recorded: Arc<Mutex<HashSet<Recording>>>,
}

/// A device that does nothing, and has the same addresses in each run.
struct Pretending {
    memory: Diary,
    kept: Kept,
}

impl Device for Pretending {
    type Memory = Diary;
    const LOOKING: u64 = 32;

    fn memory(&self) -> &Diary {
        &self.memory
    }

    fn history(&self) -> Arc<Mutex<BatchHistory>> {
        Arc::clone(&self.kept.history)
    }

    fn record(&mut self) -> bool {
        self.memory.write("record");
        true
    }

    fn keep(&mut self, recording: Recording) -> bool {
        self.kept.recorded.lock().unwrap().insert(recording)
    }

    fn replay(&mut self, recording: &Recording) -> Result<bool, RunError> {
        let is_recorded = self.kept.recorded.lock().unwrap().contains(recording);
        is_recorded.then(|| self.memory.write("replay"));
        Ok(is_recorded)
    }

    does_nothing!();

    fn launch(&mut self, launch: Launch, _: Threads, _: &Unbound) -> Result<(), RunError> {
        if launch.kernel.row().job == Job::Pull {
            self.memory.write("pull");
        }
        Ok(())
    }
}

/// Two iterations.
const BATCH: Batch = Batch { direction: Direction::Pull, keep_sums: false, count: 2, limits: None };

/// The options of runs with such batches.
fn options() -> Options {
    Options { read_every: 2, ..Options::default() }
}

fn graph(edges: &[(u32, u32)]) -> Graph {
    GraphBuilder::new().edges(edges.to_vec()).build().unwrap()
}

/// What a run does that asks for so many batches, and what it says of them.
fn run(kept: &Kept, graph: &Graph, rate: f32, options: &Options, batches: &[Batch]) -> (String, Option<String>) {
    let mut store = Store::new(spread, graph, 1).unwrap();
    store.set(Heat::RATE, rate);
    let decider = Decider::new(spread::FACTS, graph, Form::narrow(1), options, Processor::default());
    let shape = Shape::new(spread::FACTS, decider, options);
    let device = Pretending { memory: Diary::new(false), kept: kept.clone() };
    let mut engine = DeviceEngine::new(spread::FACTS, device, graph, &mut store, shape, None).unwrap();
    for batch in batches {
        if let (_, Some((recording, launching))) = engine.enqueue(*batch).unwrap() {
            engine.run.history().ran(&recording, launching, None);
        }
    }
    (engine.run.device.memory.take(), engine.replays())
}

const LAUNCHED: &str = "pull pull";

#[test]
fn what_earlier_runs_have_launched_is_recorded_and_later_ones_replay_it() {
    let (kept, graph, options) = (Kept::default(), graph(&[(0, 1), (1, 2), (0, 2)]), options());
    let does = |batches: &[Batch]| run(&kept, &graph, 0.5, &options, batches);
    for _ in 0..3 {
        assert_eq!(does(&[BATCH]).0, LAUNCHED);
    }
    let (done, said) = does(&[BATCH, BATCH]);
    assert_eq!(done, format!("record {LAUNCHED} replay replay"));
    assert_eq!(said.unwrap(), "batches: 2, of which 2 replayed as they were recorded");
    assert_eq!(does(&[BATCH]).0, "replay");
}

#[test]
fn batches_that_are_not_full_are_recorded_where_earlier_runs_have_had_them() {
    let (kept, graph, options) = (Kept::default(), graph(&[(0, 1), (1, 2), (0, 2)]), options());
    let short = Batch { count: 1, ..BATCH };
    let does = |batches: &[Batch]| run(&kept, &graph, 0.5, &options, batches).0;
    assert_eq!(does(&[short; 9]), ["pull"; 9].join(" "), "the arrays change places");
    assert_eq!(does(&[short]), "record pull replay");
    assert_eq!(does(&[short]), "replay");
}

#[test]
fn a_batch_is_known_by_all_that_its_launches_get() {
    let (kept, edges, options) = (Kept::default(), [(0, 1), (1, 2), (0, 2)], options());
    let usual = graph(&edges);
    (0..4).for_each(|_| drop(run(&kept, &usual, 0.5, &options, &[BATCH])));
    let does = |graph: &Graph, rate, options: &Options| run(&kept, graph, rate, options, &[BATCH]).0;
    assert_eq!(does(&usual, 0.5, &options), "replay");
    assert_eq!(does(&usual, 0.25, &options), LAUNCHED, "another parameter");
    let bound = Options { until: Some(Heat::TOTAL.below(0.5)), ..options.clone() };
    assert_eq!(does(&usual, 0.5, &bound), LAUNCHED, "another bound");
    assert_eq!(does(&graph(&[(0, 1), (1, 2)]), 0.5, &options), LAUNCHED, "a graph of fewer edges");
    assert_eq!(does(&graph(&[(0, 1), (1, 2), (0, 3)]), 0.5, &options), LAUNCHED, "a graph of more vertices");
    let cut = Options { group_size: Some(1), ..options.clone() };
    assert_eq!(does(&usual, 0.5, &cut), LAUNCHED, "rows that are cut");
    assert_eq!(does(&usual, 0.5, &Options { replay: false, ..options.clone() }), LAUNCHED, "nothing is to be replayed");
    assert_eq!(does(&usual, 0.5, &options), "replay");
}

#[test]
fn arrays_that_change_places_have_recordings_of_their_own() {
    let (kept, graph, options) =
        (Kept::default(), graph(&[(0, 1), (1, 2), (0, 2)]), Options { read_every: 3, ..options() });
    let three = Batch { count: 3, ..BATCH };
    let (done, _) = run(&kept, &graph, 0.5, &options, &[three; 9]);
    let launched = ["pull"; 3].join(" ");
    let all = [
        &*[&*launched; 6].join(" "),
        &format!("record {launched} replay"),
        &format!("record {launched} replay"),
        "replay",
    ];
    assert_eq!(done, all.join(" "));
}
