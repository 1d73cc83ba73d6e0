//! What a run that failed leaves.

use ndarray::Array2;
use onyx_runtime::{RunError, RunFold, Session};

use crate::heat::{Heat, cool, freeze, graph};

#[test]
fn lost_values_do_not_come_to_the_host() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 2).unwrap();
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(matches!(data.on_host().unwrap_err(), RunError::Lost { property: "heat", .. }));
    assert!(matches!(data.into_store().unwrap_err(), RunError::Lost { property: "heat", .. }));
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn after_a_failed_run_the_host_keeps_what_it_has() {
    let (graph, session) = (graph(), Session::emulator());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 2).unwrap();
    data.view_mut(Heat::HEAT).unwrap().fill(7.0);
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 7.0));
    cool.on(&resident, &mut data).once().unwrap();
    freeze.on(&resident, &mut data).once().unwrap_err();
    let error = data.read(Heat::HEAT).unwrap_err();
    assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
    data.view_mut(Heat::HEAT).unwrap_err();
    let error = cool.on(&resident, &mut data).once().unwrap_err();
    assert!(matches!(error, RunError::Lost { property: "heat", .. }), "{error}");
    data.write(Heat::HEAT, &Array2::from_elem((graph.vertex_count(), 2), 1.0)).unwrap();
    data.set(Heat::RATE, 1.0);
    freeze.on(&resident, &mut data).once().unwrap();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 2.0));
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn a_failed_run_by_tiles_loses_what_the_tiles_alone_have() {
    let (graph, session) = (graph(), Session::emulator());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 9).unwrap();
    data.view_mut(Heat::HEAT).unwrap().fill(8.0);
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 8.0));
    cool.on(&resident, &mut data).once().unwrap();
    data.view_mut(Heat::HEAT).unwrap()[[1, 8]] = 6.0;
    cool.on(&resident, &mut data).once().unwrap();
    let heat = data.read(Heat::HEAT).unwrap();
    assert_eq!((heat[[1, 7]], heat[[1, 8]]), (2.0, 3.0));
    cool.on(&resident, &mut data).once().unwrap();
    freeze.on(&resident, &mut data).once().unwrap_err();
    let error = data.read(Heat::HEAT).unwrap_err();
    assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
    data.write(Heat::HEAT, &Array2::from_elem((graph.vertex_count(), 9), 1.0)).unwrap();
    data.set(Heat::RATE, 1.0);
    freeze.on(&resident, &mut data).once().unwrap();
    assert!(data.read(Heat::HEAT).unwrap().iter().all(|heat| *heat == 2.0));
}

#[test]
fn a_panic_on_the_cpu_leaves_nothing_to_be_read() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    let mut data = session.data(freeze, &resident, 2).unwrap();
    data.set(Heat::RATE, -1.0);
    freeze.on(&resident, &mut data).once().unwrap_err();
    for error in
        [data.read(Heat::HEAT).map(drop).unwrap_err(), cool.on(&resident, &mut data).once().map(drop).unwrap_err()]
    {
        assert!(matches!(error, RunError::Lost { property: "heat", .. }), "{error}");
    }
}
