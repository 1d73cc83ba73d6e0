//! The steps of iterations, from tables alone.

use onyx_device::arguments::Units;
use onyx_device::parts::Parts;
use onyx_device::stage::{GATHERS_TOTALS, GraphTotal, SILENT, StageAccess, TotalOperator};
use onyx_device::{EdgeAccess, VertexAccess};

use super::*;

/// The properties of the tables.
const VALUE: u64 = 1;
const SUM: u64 = 2;
const RANK: u64 = 4;
const STAGE: StageAccess = StageAccess {
    edges: EdgeAccess::NONE,
    vertices: VertexAccess::NONE,
    reads_graph: 0,
    has_edges: false,
    has_vertices: false,
    may_stop: false,
    flags: 0,
    parts: Parts::NONE,
    kernels: &[],
    totals: &[],
};
/// Sums neighbors' values, and writes the value.
const SPREAD: StageAccess = StageAccess {
    edges: EdgeAccess { reads_source: VALUE, reduces: SUM, ..EdgeAccess::NONE },
    vertices: VertexAccess { writes: VALUE, ..VertexAccess::NONE },
    has_edges: true,
    has_vertices: true,
    ..STAGE
};
/// Sums neighbors' values.
const GATHER: StageAccess = StageAccess { has_vertices: false, vertices: VertexAccess::NONE, ..SPREAD };
/// Writes the rank, which is not tracked.
const RATE: StageAccess =
    StageAccess { vertices: VertexAccess { writes: RANK, ..VertexAccess::NONE }, has_vertices: true, ..STAGE };
const ALONG: Along = Along { incoming: Kernel::Pull, outgoing: Kernel::Push };

fn outline(stages: &[StageAccess]) -> Outline<'_> {
    Outline { stages, tracked: VALUE, scalars: RANK, recomputes: false, is_once: false, taken: 0 }
}

/// 100 vertices, of which 3 have rows of several groups.
fn work() -> Work {
    let part = Part { rows: Units::all(100), groups: Units::all(110), cut_rows: Units::all(3), ..Part::default() };
    Work {
        vertices: 100,
        parts: [vec![part], vec![part]],
        outgoing_groups: 120,
        pieces: 9,
        graph_blocks: 6,
        has_partials: false,
        adds_parts: false,
        packs_sources: false,
        stays_near: true,
        has_bound: false,
        tiles: 1,
    }
}

fn steps(fold: Outline<'_>, direction: Direction, work: &Work) -> Vec<Step> {
    Plan::new(fold, direction, ALONG, work).steps
}

fn launch(kernel: Kernel, stage: usize, first: u64, end: u64) -> Step {
    launch_tiles(kernel, stage, (first, end), Tiles::FIRST)
}

fn launch_tiles(kernel: Kernel, stage: usize, (first, end): (u64, u64), tiles: Tiles) -> Step {
    Step::Launch(Launch { kernel, stage, units: Units { first, end }, tiles })
}

#[test]
fn two_stages_are_pulled_with_cut_rows() {
    let expected = [
        Step::Exchange(VALUE),
        Step::Begin(SUM),
        launch(Kernel::Clear, 0, 0, 3),
        launch(Kernel::Pull, 0, 0, 110),
        launch(Kernel::Finish, 0, 0, 3),
        launch(Kernel::EveryVertex, 1, 0, 100),
        launch(Kernel::Activate, 0, 0, 1),
    ];
    assert_eq!(steps(outline(&[SPREAD, RATE]), Direction::Pull, &work()), expected);
}

#[test]
fn rows_of_very_many_parts_are_finished_by_blocks() {
    let part = Part { long_cut_rows: Units { first: 1, end: 2 }, ..work().parts[0][0] };
    let work = Work { parts: [vec![part], Vec::new()], has_partials: true, ..work() };
    let steps = steps(outline(&[GATHER]), Direction::Pull, &work);
    let finishes = [launch(Kernel::Finish, 0, 0, 3), launch(Kernel::FinishLong, 0, 1, 2)];
    assert_eq!(steps[steps.len() - 3..steps.len() - 1], finishes);
}

#[test]
fn nothing_is_cleared_where_neither_totals_nor_marks_come_of_edges() {
    let edges = EdgeAccess { reduces: 0, writes_edge: RANK, ..GATHER.edges };
    let first = |stage: StageAccess| steps(outline(&[stage, GATHER]), Direction::Pull, &work())[0];
    let clear = launch(Kernel::Clear, 0, 0, 3);
    assert_eq!(first(StageAccess { edges, flags: SILENT, ..GATHER }), launch(Kernel::Pull, 0, 0, 110));
    assert_eq!(first(StageAccess { edges, ..GATHER }), clear, "marks");
    assert_eq!(first(StageAccess { flags: SILENT, ..GATHER }), Step::Begin(SUM), "totals");
}

#[test]
fn what_nobody_asks_for_is_not_activated() {
    let once = |stages: &[StageAccess]| {
        let plan = Plan::new(outline(stages), Direction::Pull, ALONG, &work()).once();
        let last = *plan.steps.last().unwrap();
        (plan.activates(), last)
    };
    assert_eq!(once(&[SPREAD]), (false, launch(Kernel::Finish, 0, 0, 3)));
    assert_eq!(once(&[SPREAD, RATE]), (false, launch(Kernel::EveryVertex, 1, 0, 100)));
    assert_eq!(once(&[RATE]), (false, launch(Kernel::EveryVertex, 0, 0, 100)));
}

#[test]
fn totals_are_cleared_once_a_batch_where_vertex_functions_take_all_of_them() {
    let taken = |stages| Outline { taken: SUM, ..outline(stages) };
    let again = |fold: Outline<'_>, work: &Work| {
        let plan = Plan::new(fold, Direction::Pull, ALONG, work);
        (plan.again(fold, work).steps, plan.steps)
    };
    let (found, first) = again(taken(&[SPREAD]), &work());
    assert_eq!(first[1..3], [Step::Begin(SUM), launch(Kernel::Clear, 0, 0, 3)]);
    assert_eq!(found, [&first[..1], &first[3..]].concat());
    // What is left apart needs no totals.
    let (apart, work_apart) =
        ([StageAccess { parts: Parts::of(1, 2, 0, false), ..GATHER }], Work { has_partials: true, ..work() });
    let (found, first) = again(outline(&apart), &work_apart);
    assert_eq!(found, [&first[..1], &first[2..]].concat());
    // A part that groups add to is cleared each time.
    let added = Work { has_partials: true, adds_parts: true, ..work() };
    let (found, first) = again(outline(&apart), &added);
    assert_eq!(found, first);
    // Nobody takes them; they are read as what they were; other stages need marks; each tile has its own; what was cleared is far when it is added to.
    let (wide, far) = (Work { tiles: 5, ..work() }, Work { stays_near: false, ..work() });
    for (found, first) in [
        again(taken(&[GATHER]), &work()),
        again(outline(&[SPREAD]), &work()),
        again(Outline { tracked: VALUE | SUM, ..taken(&[SPREAD]) }, &work()),
        again(taken(&[SPREAD, RATE]), &work()),
        again(taken(&[SPREAD]), &wide),
        again(taken(&[SPREAD]), &added),
        again(taken(&[SPREAD]), &far),
    ] {
        assert_eq!(found, first);
    }
}

#[test]
fn rows_of_frequent_sources_are_packed_before_words_pull() {
    let (along, packed) = (Along { incoming: Kernel::WordPerWarp, ..ALONG }, Work { packs_sources: true, ..work() });
    let steps = |work: &Work| Plan::new(outline(&[SPREAD]), Direction::Pull, along, work).steps;
    let plain = steps(&work());
    let found = steps(&packed);
    let place = found.iter().position(|step| *step == Step::Pack(0)).unwrap();
    assert_eq!(found[place - 1], launch(Kernel::Clear, 0, 0, 3));
    assert_eq!(found[place + 1], launch(Kernel::LongRows, 0, 0, 110));
    assert_eq!([&found[..place], &found[place + 1..]].concat(), plain);
    let pushed = Plan::new(outline(&[SPREAD]), Direction::Push, along, &packed).steps;
    assert!(!pushed.contains(&Step::Pack(0)));
}

#[test]
fn all_stages_of_a_batch_are_one_launch() {
    let along = Along { incoming: Kernel::GraphPerBlock, ..ALONG };
    let plan = |stages: &[StageAccess]| Plan::new(outline(stages), Direction::Pull, along, &work());
    let pull = launch(Kernel::GraphPerBlock, 0, 0, 6);
    let activate = launch(Kernel::Activate, 0, 0, 1);
    assert_eq!(plan(&[SPREAD, RATE]).steps, [Step::Exchange(VALUE), Step::Begin(SUM), pull, activate]);
    // The array of the value is where it was, and the second stage alone begins a total that the first one reads.
    let reads = VertexAccess { reads: SUM, ..SPREAD.vertices };
    let other = StageAccess { edges: EdgeAccess { reduces: RANK, ..SPREAD.edges }, vertices: reads, ..SPREAD };
    assert_eq!(plan(&[other, SPREAD]).steps, [Step::Begin(RANK), pull, activate]);
    assert_eq!(plan(&[SPREAD, SPREAD]).exchanged(1), 0);
    let once = plan(&[SPREAD, RATE]).once();
    assert_eq!((once.activates(), once.steps[2..].len()), (false, 1));
    const TOTAL: GraphTotal = GraphTotal { total: 3, contributions: 4, operator: TotalOperator::Sum, by: None };
    let rate = StageAccess { totals: &[TOTAL], ..RATE };
    assert_eq!(plan(&[rate, SPREAD]).steps[2..], [pull, Step::AddUp(0), activate]);
    let pushed = Plan::new(outline(&[SPREAD]), Direction::Push, along, &work()).steps;
    assert_eq!(pushed[0], launch(Kernel::Push, 0, 0, 120));
}

#[test]
fn a_stage_without_vertex_functions_is_finished_where_totals_are_added_in_order() {
    let pull = [Step::Begin(SUM), launch(Kernel::Clear, 0, 0, 3), launch(Kernel::Pull, 0, 0, 110)];
    let end = launch(Kernel::Activate, 0, 0, 1);
    let (atomic, ordered) = (work(), Work { has_partials: true, ..work() });
    assert_eq!(steps(outline(&[GATHER]), Direction::Pull, &atomic), [&pull[..], &[end]].concat());
    let finish = launch(Kernel::Finish, 0, 0, 3);
    assert_eq!(steps(outline(&[GATHER]), Direction::Pull, &ordered), [&pull[..], &[finish, end]].concat());
}

#[test]
fn pushes_exchange_nothing_and_run_the_vertex_functions_last() {
    let (push, vertex) = (launch(Kernel::Push, 0, 0, 120), launch(Kernel::Vertex, 0, 0, 4));
    assert_eq!(steps(outline(&[SPREAD]), Direction::Push, &work()), [push, vertex]);
    let products = Outline { recomputes: true, ..outline(&[SPREAD]) };
    let recompute = launch(Kernel::Recompute, 0, 0, 4);
    assert_eq!(steps(products, Direction::Push, &work()), [push, recompute, vertex]);
    let later = [launch(Kernel::Push, 1, 0, 120), launch(Kernel::Vertex, 1, 0, 4)];
    assert_eq!(steps(outline(&[GATHER, SPREAD]), Direction::Push, &work()), [&[push][..], &later].concat());
    let words = Along { outgoing: Kernel::WarpWord, ..ALONG };
    let found = Plan::new(outline(&[SPREAD]), Direction::Push, words, &work()).steps;
    assert_eq!(found, [launch(Kernel::WarpWord, 0, 0, 4 + 3), vertex]);
}

#[test]
fn vertex_functions_alone_are_one_launch() {
    assert_eq!(steps(outline(&[RATE]), Direction::Vertex, &work()), [launch(Kernel::Vertex, 0, 0, 4)]);
}

#[test]
fn each_stage_takes_all_parts_before_the_next_one_begins() {
    let units = |first, end| Units { first, end };
    let first = Part { rows: units(0, 40), groups: units(0, 45), cut_rows: units(0, 2), ..Part::default() };
    let second = Part { rows: units(40, 100), groups: units(45, 110), cut_rows: units(2, 3), ..Part::default() };
    let expected = [
        Step::Exchange(VALUE),
        Step::Begin(SUM),
        launch(Kernel::Clear, 0, 0, 2),
        launch(Kernel::Pull, 0, 0, 45),
        launch(Kernel::Finish, 0, 0, 2),
        launch(Kernel::Clear, 0, 2, 3),
        launch(Kernel::Pull, 0, 45, 110),
        launch(Kernel::Finish, 0, 2, 3),
        launch(Kernel::EveryVertex, 1, 0, 40),
        launch(Kernel::EveryVertex, 1, 40, 100),
        launch(Kernel::Activate, 0, 0, 1),
    ];
    let work = Work { parts: [vec![first, second], Vec::new()], ..work() };
    assert_eq!(steps(outline(&[SPREAD, RATE]), Direction::Pull, &work), expected);
}

#[test]
fn a_device_of_whole_rows_has_nothing_to_clear_or_to_finish() {
    let expected =
        [Step::Exchange(VALUE), Step::Begin(SUM), launch(Kernel::Pull, 0, 0, 100), launch(Kernel::Activate, 0, 0, 1)];
    assert_eq!(steps(outline(&[SPREAD]), Direction::Pull, &Work::of_whole_rows(100, 1)), expected);
}

#[test]
fn totals_are_added_up_after_the_last_kernel_of_their_stage() {
    const TOTAL: GraphTotal = GraphTotal { total: 3, contributions: 4, operator: TotalOperator::Sum, by: None };
    let rate = StageAccess { totals: &[TOTAL], ..RATE };
    let found = steps(outline(&[rate, SPREAD]), Direction::Pull, &Work::of_whole_rows(100, 1));
    assert_eq!(found[..2], [launch(Kernel::EveryVertex, 0, 0, 100), Step::AddUp(0)]);
    assert_eq!(found.iter().filter(|step| matches!(step, Step::AddUp(_))).count(), 1);
    let bound = Work { has_bound: true, ..Work::of_whole_rows(100, 1) };
    let found = steps(outline(&[rate, SPREAD]), Direction::Pull, &bound);
    assert_eq!(found[found.len() - 2..], [launch(Kernel::Activate, 0, 0, 1), Step::Stop]);
}

#[test]
fn blocks_gather_totals_of_all_rows_at_once() {
    let rate = StageAccess { flags: GATHERS_TOTALS, ..RATE };
    let halves = [(0, 40), (40, 100)].map(|(first, end)| Part { rows: Units { first, end }, ..Part::default() });
    let cut = Work { parts: [halves.to_vec(), Vec::new()], ..work() };
    let kernel = |outline: Outline<'_>| match steps(outline, Direction::Pull, &cut)[0] {
        Step::Launch(Launch { kernel, units, .. }) => (kernel, units.count()),
        step => panic!("{step:?}"),
    };
    assert_eq!(kernel(outline(&[rate, SPREAD])), (Kernel::GatherTotals, 100));
    assert_eq!(kernel(outline(&[rate])).0, Kernel::EveryVertex, "few vertices may be active");
    assert_eq!(kernel(Outline { is_once: true, ..outline(&[rate]) }), (Kernel::GatherTotals, 100));
}

#[test]
fn nothing_is_launched_on_a_graph_without_vertices() {
    assert_eq!(
        steps(outline(&[SPREAD]), Direction::Pull, &Work::of_whole_rows(0, 1)),
        [Step::Exchange(VALUE), Step::Begin(SUM)]
    );
    assert_eq!(steps(outline(&[SPREAD]), Direction::Push, &Work::of_whole_rows(0, 1)), []);
}

#[test]
fn arrays_that_are_exchanged_twice_are_in_their_places() {
    let plan = |stages| Plan::new(outline(stages), Direction::Pull, ALONG, &work());
    assert_eq!([0, 1, 2, 7].map(|count| plan(&[SPREAD, RATE]).exchanged(count)), [0, VALUE, 0, VALUE]);
    assert_eq!(plan(&[SPREAD, SPREAD]).exchanged(1), 0);
}

#[test]
fn what_is_executed_is_what_is_planned() {
    struct Diary(Vec<Step>);

    impl Executor for Diary {
        fn exchange(&mut self, properties: u64) {
            self.0.push(Step::Exchange(properties));
        }

        fn begin(&mut self, totals: u64) {
            self.0.push(Step::Begin(totals));
        }

        fn launch(&mut self, launch: Launch) -> Result<(), RunError> {
            self.0.push(Step::Launch(launch));
            if launch.kernel == Kernel::Finish { Err(RunError::GroupSize) } else { Ok(()) }
        }

        fn add_up(&mut self, stage: usize) -> Result<(), RunError> {
            self.0.push(Step::AddUp(stage));
            Ok(())
        }

        fn stop(&mut self) -> Result<(), RunError> {
            self.0.push(Step::Stop);
            Ok(())
        }
    }

    let plan = Plan::new(outline(&[SPREAD, RATE]), Direction::Pull, ALONG, &work());
    let mut diary = Diary(Vec::new());
    assert!(plan.execute(&mut diary).is_err(), "what fails is the last step");
    assert_eq!(diary.0, plan.steps[..5]);
}

/// The kernels of a plan that may begin before the one before has ended.
fn early(plan: &Plan) -> Vec<Kernel> {
    #[derive(Default)]
    struct Watcher {
        may_overlap: bool,
        early: Vec<Kernel>,
    }

    impl Executor for Watcher {
        fn exchange(&mut self, _: u64) {}

        fn overlap(&mut self, may_overlap: bool) {
            self.may_overlap = may_overlap;
        }

        fn launch(&mut self, launch: Launch) -> Result<(), RunError> {
            self.early.extend(self.may_overlap.then_some(launch.kernel));
            Ok(())
        }

        fn add_up(&mut self, _: usize) -> Result<(), RunError> {
            Ok(())
        }

        fn stop(&mut self) -> Result<(), RunError> {
            Ok(())
        }

        fn pack(&mut self, _: usize) -> Result<(), RunError> {
            self.early.extend(self.may_overlap.then_some(Kernel::Pack));
            Ok(())
        }
    }

    let mut watcher = Watcher::default();
    plan.execute(&mut watcher).unwrap();
    watcher.early
}

#[test]
fn a_launch_may_overlap_with_the_one_before_it_in_its_iteration_alone() {
    let taken = Outline { taken: SUM, ..outline(&[SPREAD]) };
    let plan = Plan::new(taken, Direction::Pull, ALONG, &work());
    assert_eq!(early(&plan), [Kernel::Pull, Kernel::Finish, Kernel::Activate]);
    // Without `clear` nothing comes before the pull.
    assert_eq!(early(&plan.again(taken, &work())), [Kernel::Finish, Kernel::Activate]);
    let [long, all] = [17, 100].map(Units::all);
    let part = Part { rows: all, groups: long, cut_rows: Units::all(3), ..Part::default() };
    let packed = Work { packs_sources: true, parts: [vec![part], vec![part]], ..work() };
    let words = Along { incoming: Kernel::WordPerWarp, outgoing: Kernel::Push };
    let plan = Plan::new(taken, Direction::Pull, words, &packed);
    assert_eq!(early(&plan), [Kernel::Pack, Kernel::WordPerWarp]);
    // Where no row is long, words come after all that was packed.
    let short = Part { rows: all, ..Part::default() };
    let plan = Plan::new(taken, Direction::Pull, words, &Work { parts: [vec![short], vec![short]], ..packed });
    assert_eq!(early(&plan), []);
    // What another stage has written is there when the next one begins.
    let plan = Plan::new(outline(&[SPREAD, RATE]), Direction::Pull, ALONG, &work());
    assert_eq!(early(&plan), [Kernel::Pull, Kernel::Finish]);
}

#[test]
fn tiles_are_one_launch_and_the_first_one_comes_last_where_scalars_are_read_and_stored() {
    let (wide, all) = (Work { tiles: 5, ..work() }, Tiles { first: 0, end: 5 });
    let (others, first) = (Tiles { first: 1, end: 5 }, Tiles::FIRST);
    let expected = [
        Step::Exchange(VALUE),
        Step::Begin(SUM),
        launch_tiles(Kernel::Clear, 0, (0, 3), all),
        launch_tiles(Kernel::Pull, 0, (0, 110), all),
        launch_tiles(Kernel::Finish, 0, (0, 3), all),
        launch_tiles(Kernel::EveryVertex, 1, (0, 100), all),
        launch(Kernel::Activate, 0, 0, 1),
    ];
    assert_eq!(steps(outline(&[SPREAD, RATE]), Direction::Pull, &wide), expected);
    let reads = VertexAccess { reads: RANK, writes: RANK, ..VertexAccess::NONE };
    let ages = StageAccess { vertices: reads, ..RATE };
    let aged = [others, first].map(|tiles| launch_tiles(Kernel::EveryVertex, 1, (0, 100), tiles));
    let found = steps(outline(&[SPREAD, ages]), Direction::Pull, &wide);
    assert_eq!(found[..5], expected[..5]);
    assert_eq!(found[5..], [aged[0], aged[1], launch(Kernel::Activate, 0, 0, 1)]);
    let alone = steps(outline(&[ages]), Direction::Vertex, &wide);
    let updated = [others, first].map(|tiles| launch_tiles(Kernel::Vertex, 0, (0, 4), tiles));
    assert_eq!(alone, [updated[0], updated[1], launch(Kernel::Activate, 0, 0, 1)]);
}

#[test]
fn tiles_are_united_by_the_one_kernel_that_there_is_after_whichever_stage_was_pushed() {
    let wide = Work { tiles: 5, ..work() };
    let found = steps(outline(&[GATHER, SPREAD]), Direction::Push, &wide);
    let kernels: Vec<(Kernel, usize)> = found
        .iter()
        .filter_map(|step| match step {
            Step::Launch(launch) => Some((launch.kernel, launch.stage)),
            _ => None,
        })
        .collect();
    assert_eq!(kernels, [(Kernel::Push, 0), (Kernel::Push, 1), (Kernel::Vertex, 1), (Kernel::Activate, 0)]);
}
