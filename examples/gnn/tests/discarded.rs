//! Layers that leave their memory to others, against layers that keep it.

mod sessions;

use std::sync::{Mutex, PoisonError};

use ndarray::{Array2, arr1};
use onyx_gnn::affine::{Affine, affine};
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Backend, Data, RunError, Sequence, Session, Tensor};
use sessions::sessions;

const LAYERS: usize = 5;
const FEATURES: usize = 8;

/// Whose memory is counted: a GPU's is that of all tests that run.
static TURN: Mutex<()> = Mutex::new(());

/// Layers without edges, one after the other.
struct Chain {
    session: Session,
    layers: Vec<Data<Affine>>,
    fold: Sequence<'static, Affine>,
    last: Tensor,
}

/// Rows of a mebibyte and more where memory of that size changes hands, else few.
fn rows(session: &Session) -> usize {
    if session.backend() == Backend::Cuda { 50_000 } else { 5 }
}

fn values(rows: usize, columns: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, columns), |(row, column)| ((row * 3 + column * 5) % 7) as f32 / 4.0 - 0.6)
}

impl Chain {
    fn new(session: &Session) -> Self {
        let graph = session.own(GraphBuilder::new().vertices(rows(session)).build().unwrap());
        let layer = || {
            let mut layer = session.data(affine, &graph, FEATURES).unwrap();
            layer.write(Affine::BIAS, &arr1(&[0.25; FEATURES])).unwrap();
            layer.set(Affine::SLOPE, 0.5);
            layer
        };
        let layers = (0..LAYERS).map(|_| layer()).collect();
        let last = session.tensor(rows(session), FEATURES).unwrap();
        Self { session: session.clone(), layers, fold: Sequence::new(&graph).then(affine), last }
    }

    /// Takes rows through all layers, none of which keeps its memory where they discard.
    fn pass(&mut self, input: &Tensor, discards: bool) -> Result<(), RunError> {
        let Self { session, layers, fold, last } = self;
        for number in 0..layers.len() {
            let (before, rest) = layers.split_at_mut(number);
            let from = before.last_mut().map_or_else(|| Ok(input.matrix()), |layer| layer.matrix(Affine::OUT))?;
            session.copy(from, &mut rest[0].matrix_mut(Affine::X)?)?;
            fold.run(&mut rest[0], 1)?;
            let through = before.last_mut().map(|layer| (layer, Affine::OUT));
            through
                .into_iter()
                .chain([(&mut rest[0], Affine::X)])
                .filter(|_| discards)
                .for_each(|(layer, key)| layer.discard(key));
        }
        let Some(layer) = layers.last_mut() else { return Ok(()) };
        session.copy(layer.matrix(Affine::OUT)?, &mut last.matrix_mut())?;
        if discards {
            layer.discard(Affine::OUT);
        }
        Ok(())
    }
}

#[test]
fn what_takes_the_memory_of_others_has_the_bits_of_what_does_not() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for session in sessions() {
        let mut inputs =
            [session.tensor(rows(&session), FEATURES).unwrap(), session.tensor(rows(&session), FEATURES).unwrap()];
        inputs[0].write(values(rows(&session), FEATURES).view()).unwrap();
        inputs[1].write((values(rows(&session), FEATURES) * -2.0).view()).unwrap();
        let mut kept = Chain::new(&session);
        let (mut discarded, mut recorded) = (Chain::new(&session), Chain::new(&session));
        let mut recording = session.recording();
        for number in 0..8 {
            let input = &inputs[number / 2 % 2];
            kept.pass(input, false).unwrap();
            discarded.pass(input, true).unwrap();
            recording.run(|| recorded.pass(input, true)).unwrap();
            let expected = kept.last.read().unwrap();
            assert_eq!(discarded.last.read().unwrap(), expected, "{session:?}: pass {number}");
            assert_eq!(recorded.last.read().unwrap(), expected, "{session:?}: recorded pass {number}");
        }
        assert!(kept.last.read().unwrap().iter().any(|value| *value != 0.0));
        let graphs = if session.backend() == Backend::Cuda { 2 } else { 0 };
        assert_eq!(recording.graphs(), graphs, "one for each input");
    }
}

#[test]
fn layers_that_leave_their_memory_to_others_need_less() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for session in sessions() {
        let mut input = session.tensor(rows(&session), FEATURES).unwrap();
        input.write(values(rows(&session), FEATURES).view()).unwrap();
        let peak = |discards: bool| {
            let mut chain = Chain::new(&session);
            session.finish().unwrap();
            session.forget_peak_memory();
            let before = session.peak_memory();
            (0..3).for_each(|_| chain.pass(&input, discards).unwrap());
            session.finish().unwrap();
            Some(session.peak_memory()? - before?)
        };
        let arrays =
            [false, true].map(|discards| peak(discards).map(|bytes| bytes / (4 * FEATURES * rows(&session)) as u64));
        if session.backend() != Backend::Cuda {
            assert_eq!(arrays, [None, None], "{session:?} counts no memory of a GPU");
            continue;
        }
        // The input and the output of each layer; or those of one, and the output of the one before.
        let [kept, discarded] = arrays.map(Option::unwrap);
        assert!(kept >= 2 * LAYERS as u64 && discarded <= 3, "{kept} and {discarded} arrays");
    }
}
