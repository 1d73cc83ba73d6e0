//! Values that nobody needs any more.

use onyx_runtime::{RunError, Sequence, Session};

use crate::heat::{Heat, graph, prepared, sessions, weigh};

#[test]
fn discarded_values_are_written_before_they_are_read() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = prepared(&session, &resident);
        Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
        let (heat, total) = (data.read(Heat::HEAT).unwrap().to_owned(), data.read(Heat::TOTAL).unwrap().to_owned());
        data.discard(Heat::TOTAL);
        data.discard(Heat::HEAT);
        data.discard(Heat::HEAT);
        let discarded = |found: Option<RunError>| matches!(found, Some(RunError::Discarded { property: "heat" }));
        assert!(discarded(data.read(Heat::HEAT).err()), "{session:?}");
        assert!(discarded(data.view_mut(Heat::HEAT).err()), "{session:?}");
        assert!(discarded(data.matrix(Heat::HEAT).err()), "{session:?}");
        assert!(discarded(data.matrix_into(Heat::HEAT, Heat::ARRIVED).err()), "{session:?}");
        assert!(data.on_host().is_ok(), "what is discarded is not asked for");
        let mut tensor = session.tensor(heat.nrows(), heat.ncols()).unwrap();
        tensor.write(&heat).unwrap();
        session.copy(tensor.matrix(), &mut data.matrix_mut(Heat::HEAT).unwrap()).unwrap();
        // The fold writes all of what was discarded.
        Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
        assert_eq!(data.read(Heat::TOTAL).unwrap(), total, "{session:?}");
        assert_eq!(data.read(Heat::HEAT).unwrap(), heat, "{session:?}");
        data.discard(Heat::HEAT);
        data.write(Heat::HEAT, &heat).unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap(), heat, "{session:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn what_reads_discarded_values_is_seen_in_the_emulator() {
    let (graph, session) = (graph(), Session::emulator());
    let resident = session.graph(&graph);
    let mut data = prepared(&session, &resident);
    Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
    data.discard(Heat::HEAT);
    Sequence::new(&resident).then(weigh).run(&mut data, 1).unwrap();
    assert!(data.read(Heat::TOTAL).unwrap().iter().all(|total| total.is_nan()));
}

#[test]
fn lent_values_are_discarded_with_what_is_known_of_them() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut one, mut other) = (prepared(&session, &resident), prepared(&session, &resident));
        one.lend(Heat::ARRIVED, &mut other, Heat::ARRIVED, |_, other| other.discard(Heat::ARRIVED)).unwrap();
        assert!(matches!(one.read(Heat::ARRIVED), Err(RunError::Discarded { property: "arrived" })), "{session:?}");
        assert!(other.read(Heat::ARRIVED).is_ok(), "{session:?}");
    }
}
