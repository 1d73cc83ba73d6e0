//! Recordings of sequences, products and copies against the same work without a recording.

mod sessions;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ndarray::{Array2, arr1};
use onyx_gnn::affine::{Affine, affine};
use onyx_gnn::clock::{Clock, tick};
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Backend, Data, Recording, RunError, RunFold, Sequence, Session, Tensor};
use sessions::sessions;

/// Rows that are multiplied by a matrix, get a bias and lose a part, again and again.
struct Work {
    session: Session,
    clock: Data<Clock>,
    ticking: Sequence<'static, Clock>,
    rows: Data<Affine>,
    step: Sequence<'static, Affine>,
    matrix: Tensor,
}

fn values(rows: usize, columns: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, columns), |(row, column)| ((row * 3 + column * 5) % 7) as f32 / 4.0 - 0.6)
}

impl Work {
    fn new(session: &Session) -> Self {
        let [one, five] = [1, 5].map(|count| session.own(GraphBuilder::new().vertices(count).build().unwrap()));
        let mut rows = session.data(affine, &five, 3).unwrap();
        rows.write(Affine::OUT, values(5, 3).view()).unwrap();
        rows.write(Affine::BIAS, &arr1(&[0.5, -0.25, 1.0])).unwrap();
        rows.set(Affine::SEED, 17.0);
        rows.set(Affine::RATE, 0.3);
        rows.set(Affine::SLOPE, 0.5);
        let mut matrix = session.tensor(3, 3).unwrap();
        matrix.write(values(3, 3).view()).unwrap();
        let (clock, ticking) = (session.data(tick, &one, 1).unwrap(), Sequence::new(&one).then(tick));
        Self { session: session.clone(), clock, ticking, rows, step: Sequence::new(&five).then(affine), matrix }
    }

    fn multiply(&mut self) -> Result<(), RunError> {
        let (from, mut into) = self.rows.matrix_into(Affine::OUT, Affine::X)?;
        self.session.multiply(from, self.matrix.matrix(), &mut into, 0.0)
    }

    /// What is done again and again: what is dropped of the rows changes with each step.
    fn step(&mut self) -> Result<(), RunError> {
        self.ticking.run(&mut self.clock, 1)?;
        self.multiply()?;
        let Self { clock, rows, step, .. } = self;
        clock.lend(Clock::STEP, rows, Affine::STEP, |_, rows| step.run(rows, 1))?
    }

    fn read(&mut self) -> Array2<f32> {
        self.rows.read(Affine::OUT).unwrap().to_owned()
    }
}

/// How many graphs there should be: a GPU alone has any.
fn graphs(session: &Session, count: usize) -> usize {
    if session.backend() == Backend::Cuda { count } else { 0 }
}

#[test]
fn what_is_recorded_has_the_bits_of_what_is_not() {
    for session in sessions() {
        let (mut plain, mut recorded) = (Work::new(&session), Work::new(&session));
        let mut recording = session.recording();
        for number in 1..=6 {
            plain.step().unwrap();
            recording.run(|| recorded.step()).unwrap();
            // Also where somebody reads between two steps.
            if number % 2 == 0 {
                assert_eq!(plain.read(), recorded.read(), "{session:?}: step {number}");
            }
        }
        assert!(plain.read().iter().any(|value| *value != 0.0));
        assert_eq!(recording.graphs(), graphs(&session, 1));
        assert_eq!(recorded.clock.read(Clock::STEP).unwrap()[0], 6.0, "{session:?}");
    }
}

#[test]
fn what_changes_between_two_steps_is_heeded() {
    for session in sessions() {
        let (mut plain, mut recorded) = (Work::new(&session), Work::new(&session));
        let mut recording = session.recording();
        for number in 0..12 {
            for work in [&mut plain, &mut recorded] {
                work.rows.set(Affine::RATE, [0.3, 0.0][number / 2 % 2]);
                if number % 5 == 4 {
                    work.rows.write(Affine::BIAS, &arr1(&[number as f32, 1.0, -1.0])).unwrap();
                    work.matrix.write((0.5 * values(3, 3)).view()).unwrap();
                }
            }
            plain.step().unwrap();
            recording.run(|| recorded.step()).unwrap();
            assert_eq!(plain.read(), recorded.read(), "{session:?}: step {number}");
        }
        assert_eq!(recording.graphs(), graphs(&session, 2));
    }
}

#[test]
fn other_data_and_what_is_written_within_are_heeded() {
    for session in sessions() {
        let mut recording = session.recording();
        let found = [0, 1].map(|_| {
            let mut work = Work::new(&session);
            for number in 0..4 {
                let within = |work: &mut Work| {
                    work.step()?;
                    // The step that came before has used the old values of both.
                    work.rows.write(Affine::BIAS, &arr1(&[number as f32, 2.0, 0.0]))?;
                    work.matrix.write(((number + 1) as f32 * values(3, 3)).view())?;
                    work.step()
                };
                recording.run(|| within(&mut work)).unwrap();
            }
            let mut plain = Work::new(&session);
            for number in 0..4 {
                plain.step().unwrap();
                plain.rows.write(Affine::BIAS, &arr1(&[number as f32, 2.0, 0.0])).unwrap();
                plain.matrix.write(((number + 1) as f32 * values(3, 3)).view()).unwrap();
                plain.step().unwrap();
            }
            let found = work.read();
            assert_eq!(found, plain.read(), "{session:?}");
            found
        });
        assert_eq!(found[0], found[1], "{session:?}");
    }
}

#[test]
fn what_is_dropped_within_lives_until_all_is_done() {
    for session in sessions() {
        let (mut recording, mut into) = (session.recording(), session.tensor(5, 3).unwrap());
        for number in 1..4 {
            let product = || {
                let (mut left, mut right) = (session.tensor(5, 3)?, session.tensor(3, 3)?);
                left.write(values(5, 3).view())?;
                right.write((number as f32 * Array2::eye(3)).view())?;
                session.multiply(left.matrix(), right.matrix(), &mut into.matrix_mut(), 0.0)?;
                drop((left, right));
                // What is made now must not have their memory.
                session.tensor(5, 3)?.write(Array2::from_elem((5, 3), f32::NAN).view())
            };
            recording.run(product).unwrap();
            assert_eq!(into.read().unwrap(), number as f32 * values(5, 3), "{session:?}");
        }
    }
}

/// What a recording fails with in which `act` comes after a step.
fn refused(recording: &mut Recording, work: &mut Work, act: impl FnOnce(&mut Work) -> Result<(), RunError>) -> String {
    let failed = recording.run(|| {
        work.step()?;
        act(work)
    });
    failed.unwrap_err().to_string()
}

#[test]
fn what_waits_is_refused_inside_of_a_recording() {
    for session in sessions() {
        let (mut work, mut plain, mut recording) = (Work::new(&session), Work::new(&session), session.recording());
        let said = refused(&mut recording, &mut work, |work| work.rows.read(Affine::OUT).map(drop));
        assert!(said.starts_with("reading `out` is inside of a recording"), "{said}");
        let said = refused(&mut recording, &mut work, |work| work.rows.view_mut(Affine::BIAS).map(drop));
        assert!(said.starts_with("reading `bias` is"), "{said}");
        let said = refused(&mut recording, &mut work, |work| work.matrix.read().map(drop));
        assert!(said.starts_with("reading a tensor is"), "{said}");
        let said = refused(&mut recording, &mut work, |work| work.rows.on_host().map(drop));
        assert!(said.starts_with("copying all values"), "{said}");
        let said = refused(&mut recording, &mut work, |work| work.session.finish());
        assert!(said.starts_with("waiting for the session"), "{said}");
        let said = refused(&mut recording, &mut work, |work| {
            let graph = work.session.own(GraphBuilder::new().vertices(5).build().unwrap());
            affine.on(&graph, &mut work.session.data(affine, &graph, 3)?).once().map(drop)
        });
        assert!(said.contains("affine") && said.contains("`Sequence`"), "{said}");
        let said = refused(&mut recording, &mut work, |work| work.session.recording().run(|| Ok(())));
        assert!(said.starts_with("another recording"), "{said}");
        // All steps before the errors were done, and the session goes on.
        (0..7).for_each(|_| plain.step().unwrap());
        assert_eq!(work.read(), plain.read(), "{session:?}");
        recording.run(|| work.step()).unwrap();
        plain.step().unwrap();
        assert_eq!(work.read(), plain.read(), "{session:?}");
        session.finish().unwrap();
    }
}

#[test]
fn a_fold_that_fails_leaves_the_session_usable() {
    for session in sessions() {
        let (mut work, mut other, mut plain) = (Work::new(&session), Work::new(&session), Work::new(&session));
        let mut recording = session.recording();
        for _ in 0..3 {
            let failed: Result<(), RunError> = recording.run(|| {
                work.step()?;
                work.multiply()?;
                // The sequence is for the graph of other data.
                work.step.run(&mut other.rows, 1)
            });
            assert!(matches!(failed, Err(RunError::OtherGraph { .. })), "{failed:?}");
            plain.step().unwrap();
            plain.multiply().unwrap();
        }
        assert_eq!(recording.graphs(), 0, "what has failed is not kept");
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            recording.run(|| -> Result<(), RunError> {
                work.step()?;
                panic!("on purpose")
            })
        }));
        assert!(panicked.is_err());
        plain.step().unwrap();
        for _ in 0..3 {
            recording.run(|| work.step()).unwrap();
            plain.step().unwrap();
        }
        assert_eq!(recording.graphs(), graphs(&session, 1));
        assert_eq!(work.read(), plain.read(), "{session:?}");
    }
}

#[test]
fn a_sequence_that_goes_from_data_to_data_is_one_graph() {
    for session in sessions() {
        let graph = session.own(GraphBuilder::new().vertices(4).build().unwrap());
        let mut step = Sequence::new(&graph).then(affine);
        let data = |layer: usize| {
            let mut data = session.data(affine, &graph, 3).unwrap();
            data.write(Affine::X, values(4, 3).view()).unwrap();
            data.write(Affine::BIAS, &arr1(&[0.5, -0.25, layer as f32])).unwrap();
            data.set(Affine::SLOPE, 1.0);
            data
        };
        let mut layers: Vec<_> = (0..3).map(data).collect();
        let mut recording = session.recording();
        for count in [3, 2] {
            // Data that are gone take what was kept for them along.
            layers.truncate(count);
            for _ in 0..4 {
                let done = recording.run(|| {
                    (0..count).try_for_each(|at| {
                        step.run(&mut layers[at], 1)?;
                        let (before, rest) = layers.split_at_mut(at + 1);
                        let Some(next) = rest.first_mut() else { return Ok(()) };
                        session.copy(before[at].matrix(Affine::OUT)?, &mut next.matrix_mut(Affine::X)?)
                    })
                });
                done.unwrap_or_else(|error: RunError| panic!("{error}"));
            }
            let biases = (0..count).map(|layer| [0.5, -0.25, layer as f32]);
            let added = biases.fold([0.0; 3], |sum, bias| std::array::from_fn(|column| sum[column] + bias[column]));
            let expected = values(4, 3) + &arr1(&added);
            let found = layers[count - 1].read(Affine::OUT).unwrap().to_owned();
            assert!((&found - &expected).iter().all(|difference| difference.abs() < 1e-6), "{session:?}: {found}");
        }
        assert_eq!(recording.graphs(), graphs(&session, 2));
    }
}

/// Work that is repeated, and the same as it comes in a session of its own, so that nothing is done between two repetitions.
struct Pair {
    repeated: Work,
    recording: Recording,
    plain: Work,
    /// How often the repeated work was asked for.
    asked: usize,
}

impl Pair {
    fn new(session: &Session) -> Self {
        let other = Session::of(session.backend()).unwrap();
        Self { repeated: Work::new(session), recording: session.recording(), plain: Work::new(&other), asked: 0 }
    }

    fn steps(&mut self, count: usize) {
        let Self { repeated, recording, plain, asked } = self;
        for _ in 0..count {
            let step = || {
                *asked += 1;
                repeated.step()
            };
            recording.repeat(step).unwrap();
            plain.step().unwrap();
        }
    }

    /// Has something happen to both, and takes steps, of which a GPU does not ask for the last ones. Nothing is said of the values.
    fn change(&mut self, name: &str, change: impl Fn(&mut Work)) {
        self.steps(4);
        [&mut self.repeated, &mut self.plain].into_iter().for_each(change);
        let before = std::mem::take(&mut self.asked);
        assert!(before >= 2, "{name}: the steps before were {before}");
        self.steps(4);
        let backend = self.repeated.session.backend();
        let expected = if backend == Backend::Cuda { 2..=3 } else { 4..=4 };
        assert!(expected.contains(&self.asked), "{backend}, {name}: asked {} times", self.asked);
    }

    fn check(&mut self, name: &str) {
        let (found, expected) = (self.repeated.read(), self.plain.read());
        assert_eq!(found, expected, "{}, {name}", self.repeated.session.backend());
        let [found, expected] =
            [&mut self.repeated, &mut self.plain].map(|work| work.clock.read(Clock::STEP).unwrap()[0]);
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn what_is_repeated_has_the_bits_of_what_is_not() {
    for session in sessions() {
        let mut pair = Pair::new(&session);
        pair.steps(9);
        let asked = if session.backend() == Backend::Cuda { 2 } else { 9 };
        assert_eq!(pair.asked, asked, "{session:?}");
        pair.check("nine steps");
        // Reading them was something else.
        pair.steps(3);
        assert_eq!(pair.asked, asked + if session.backend() == Backend::Cuda { 2 } else { 3 }, "{session:?}");
        pair.check("twelve steps");
    }
}

#[test]
fn what_happens_between_two_repetitions_is_heeded() {
    type Change = (&'static str, fn(&mut Work));
    let changes: [Change; 9] = [
        ("a parameter", |work| work.rows.set(Affine::RATE, 0.0)),
        ("values", |work| work.rows.write(Affine::BIAS, &arr1(&[2.0, 1.0, -1.0])).unwrap()),
        ("values where they are", |work| work.rows.view_mut(Affine::BIAS).unwrap()[1] = 3.0),
        ("a tensor", |work| work.matrix.write((0.5 * values(3, 3)).view()).unwrap()),
        ("a read", |work| drop(work.read())),
        ("a step", |work| work.step().unwrap()),
        ("a product", |work| work.multiply().unwrap()),
        ("a discarded property", |work| work.rows.discard(Affine::X)),
        ("what is dropped", |work| drop(work.session.tensor(5, 3).unwrap())),
    ];
    for session in sessions() {
        let mut pair = Pair::new(&session);
        for (name, change) in changes {
            pair.change(name, change);
            pair.check(name);
        }
    }
}

#[test]
fn another_recording_between_two_repetitions_is_heeded() {
    for session in sessions() {
        let mut pair = Pair::new(&session);
        for name in ["once", "twice"] {
            pair.change(name, |work| work.session.recording().run(|| work.multiply()).unwrap());
            pair.check(name);
        }
    }
}

#[test]
fn what_fails_is_not_repeated() {
    for session in sessions() {
        let mut pair = Pair::new(&session);
        pair.steps(3);
        let failed: Result<(), RunError> = pair.recording.run(|| Err(RunError::Taken { property: "heat" }));
        assert!(failed.is_err());
        pair.asked = 0;
        pair.steps(1);
        assert_eq!(pair.asked, 1, "{session:?}");
        pair.check("after an error");
        let nested: Result<(), RunError> = session.recording().run(|| pair.recording.repeat(|| Ok(())));
        assert!(nested.unwrap_err().to_string().starts_with("another recording"));
    }
}
