//! Totals that a run leaves, and those that it takes.

use ndarray::Array2;
use onyx_runtime::{Options, RunError, RunFold, Session};

use crate::heat::{
    Heat, conduct_alone, conduct_twice, gather_and_freeze, graph, keep_some, prepared, sessions, spread,
};

#[test]
fn a_total_that_lives_in_registers_is_not_read() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(spread, &resident, 2).unwrap();
        spread.on(&resident, &mut data).once().unwrap();
        let error = data.read(Heat::ARRIVED).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
    }
}

#[test]
fn a_total_that_a_later_stage_takes_is_not_read() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(conduct_twice, &resident, 2).unwrap();
        conduct_twice.on(&resident, &mut data).once().unwrap();
        let error = data.read(Heat::ARRIVED).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
    }
}

#[test]
fn a_total_that_some_vertices_write_is_looked_at_nowhere_else() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(keep_some, &resident, 2).unwrap();
        let options = Options { iterations: 2, ..Options::default() };
        let report = keep_some.on(&resident, &mut data).until_settled(&options).unwrap();
        assert_eq!(report.diverged, None, "{session:?}");
    }
}

#[test]
fn totals_that_a_run_computes_again_are_lost_no_more() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    let mut data = prepared(&session, &resident);
    data.set(Heat::RATE, -1.0);
    gather_and_freeze.on(&resident, &mut data).once().unwrap_err();
    assert!(matches!(data.read(Heat::ARRIVED).unwrap_err(), RunError::Lost { property: "arrived", .. }));
    data.write(Heat::HEAT, &Array2::zeros((graph.vertex_count(), 3))).unwrap();
    conduct_alone.on(&resident, &mut data).once().unwrap();
    assert!(data.read(Heat::ARRIVED).unwrap().iter().all(|heat| *heat == 0.0));
}
