//! Sequences of folds.

use ndarray::{Array1, Array2};
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Data, Options, ResidentGraph, RunError, RunFold, Schedule, Sequence, Session};

use crate::heat::{Heat, cool, freeze, graph, prepared, recall, sessions, spread, start, weigh};

/// Spread, cool and weigh, an iteration of each, so many times: by runs of their own, or by a sequence in two parts.
fn rounds(session: &Session, graph: &ResidentGraph<'_>, times: usize, is_sequence: bool) -> (Array2<f32>, Array1<f32>) {
    let mut data = prepared(session, graph);
    let mut sequence = Sequence::new(graph).then(spread).then(cool).then(weigh);
    if is_sequence {
        sequence.run(&mut data, times / 2).unwrap();
        data.set(Heat::RATE, 0.25);
        sequence.run(&mut data, times - times / 2).unwrap();
        session.finish().unwrap();
    } else {
        for round in 0..times {
            data.set(Heat::RATE, if round < times / 2 { 0.5 } else { 0.25 });
            spread.on(graph, &mut data).once().unwrap();
            cool.on(graph, &mut data).once().unwrap();
            weigh.on(graph, &mut data).once().unwrap();
        }
    }
    (data.read(Heat::HEAT).unwrap().to_owned(), data.read(Heat::TOTAL).unwrap().to_owned())
}

#[test]
fn a_sequence_does_what_its_folds_do_one_by_one() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        for times in [0, 1, 2, 5] {
            let [found, expected] = [true, false].map(|is_sequence| rounds(&session, &resident, times, is_sequence));
            assert_eq!(found, expected, "{session:?}, {times} times");
        }
    }
}

#[test]
fn a_sequence_goes_on_from_what_others_have_left_and_takes_other_data() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut halve = Sequence::new(&resident).then(cool).then(cool);
        let [mut data, mut other] = [(), ()].map(|()| session.data(cool, &resident, 2).unwrap());
        for (data, start) in [(&mut data, 64.0), (&mut other, 16.0)] {
            data.view_mut(Heat::HEAT).unwrap().fill(start);
            halve.run(data, 1).unwrap();
            cool.on(&resident, data).once().unwrap();
        }
        halve.run(&mut data, 1).unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap()[[3, 1]], 1.0, "{session:?}");
        assert_eq!(other.read(Heat::HEAT).unwrap()[[3, 1]], 2.0, "{session:?}");
    }
}

/// Two rounds of folds on these data, which have been written whole.
fn two_rounds(folds: &mut Sequence<'_, Heat>, data: &mut Data<Heat>, graph: &Graph) -> (Array2<f32>, Array1<f32>) {
    let (conductance, heat) = start(graph);
    data.write(Heat::CONDUCTANCE, &conductance).unwrap();
    data.write(Heat::HEAT, &heat).unwrap();
    folds.run(data, 2).unwrap();
    (data.read(Heat::HEAT).unwrap().to_owned(), data.read(Heat::TOTAL).unwrap().to_owned())
}

#[test]
fn data_and_sequences_go_from_graph_to_graph() {
    let generate = |name: &str| name.parse::<Generator>().unwrap().generate(5).unwrap();
    let graphs = ["rmat:4:2", "rmat:5:3", "rmat:3:2", "rmat:5:2"].map(generate);
    for session in sessions() {
        let sequence = |graph: &ResidentGraph<'static>| Sequence::new(graph).then(spread).then(cool).then(weigh);
        let first = session.own(graphs[0].clone());
        let (mut data, mut folds) = (prepared(&session, &first), sequence(&first));
        two_rounds(&mut folds, &mut data, &graphs[0]);
        for graph in &graphs {
            let resident = session.own(graph.clone());
            let elsewhere = folds.run(&mut prepared(&session, &resident), 1).unwrap_err();
            assert!(matches!(elsewhere, RunError::OtherGraph { .. }), "{elsewhere}");
            data.move_to(&resident).unwrap();
            let stays = folds.run(&mut data, 1).unwrap_err();
            assert!(matches!(stays, RunError::OtherGraph { .. }), "{stays}");
            folds.move_to(&resident);
            let expected = two_rounds(&mut sequence(&resident), &mut prepared(&session, &resident), graph);
            assert_eq!(two_rounds(&mut folds, &mut data, graph), expected, "{session:?}");
            assert_eq!(data.get(Heat::RATE), 0.5);
        }
        let other = Session::cpu().own(graphs[0].clone());
        assert!(matches!(data.move_to(&other).unwrap_err(), RunError::OtherSession { .. }));
    }
}

#[test]
fn a_sequence_refuses_what_single_runs_refuse() {
    let graph = graph();
    for session in sessions() {
        let (resident, again) = (session.graph(&graph), session.graph(&graph));
        let mut data = prepared(&session, &resident);
        let error = Sequence::new(&again).then(cool).run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::OtherGraph { .. }), "{error}");
        data.set(Heat::RATE, -1.0);
        let mut freezing = Sequence::new(&resident).then(cool).then(freeze);
        let error = freezing.run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::Panic { .. }), "{error}");
        data.set(Heat::RATE, 1.0);
        let (_, heat) = start(&graph);
        data.write(Heat::HEAT, &heat).unwrap();
        freezing.run(&mut data, 1).unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap().to_owned(), heat * 0.5 + 1.0, "{session:?}");
    }
}

#[test]
fn a_sequence_reads_no_total_that_its_last_fold_takes() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(recall, &resident, 2).unwrap();
        let mut sequence = Sequence::new(&resident).then(recall).then(spread);
        sequence.run(&mut data, 1).unwrap();
        let error = sequence.run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
        let mut fresh = session.data(recall, &resident, 2).unwrap();
        let error = sequence.run(&mut fresh, 2).unwrap_err();
        assert!(matches!(error, RunError::Taken { property: "arrived" }), "{error}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the emulator's lanes are coroutines")]
fn a_sequence_runs_by_the_schedule_that_is_asked_for() {
    let graph = "rmat:6:8".parse::<Generator>().unwrap().generate(2).unwrap();
    let small = Options { group_size: Some(1), ..Options::new() };
    let ways = [small.clone().deterministic(true), Options { schedule: Schedule::WordPerWarp, ..small.clone() }, small];
    for session in [Session::cpu(), Session::emulator()] {
        let resident = session.graph(&graph);
        for options in &ways {
            let (mut by_run, mut by_sequence) = (prepared(&session, &resident), prepared(&session, &resident));
            (0..3).for_each(|_| drop(spread.on(&resident, &mut by_run).times(1, options).unwrap()));
            Sequence::new(&resident).then(spread).with(options).run(&mut by_sequence, 3).unwrap();
            assert_eq!(by_sequence.read(Heat::HEAT).unwrap(), by_run.read(Heat::HEAT).unwrap(), "{session:?}");
        }
        let mut data = prepared(&session, &resident);
        let nothing = Options { group_size: Some(0), ..Options::new() };
        let error = Sequence::new(&resident).then(spread).with(&nothing).run(&mut data, 1).unwrap_err();
        assert!(matches!(error, RunError::GroupSize), "{error}");
    }
}
