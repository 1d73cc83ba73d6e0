//! Values that stand in the place of a property of other data.

use ndarray::Array2;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Borrowed, Data, Options, RunError, RunFold, Sequence, Session};

use crate::borrowing::{floats, lent};
use crate::heat::{Heat, cool, freeze, graph, halve_all, prepared, sessions, spread, start};

#[test]
fn values_stand_in_the_place_of_a_property_of_other_data() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        let (warm, cold) = (start(&graph).1, start(&graph).1 * 3.0);
        data.write(Heat::ARRIVED, &cold).unwrap();
        // From the host and back to where a run leaves it, then from there.
        for factor in [0.5, 0.25] {
            lender
                .lend(Heat::HEAT, &mut data, Heat::ARRIVED, |lender, data| {
                    assert_eq!(lender.read(Heat::HEAT).unwrap(), cold, "{session:?}");
                    Sequence::new(&resident).then(halve_all).run(data, 1).unwrap();
                })
                .unwrap();
            assert_eq!(lender.read(Heat::HEAT).unwrap(), &warm * factor, "{session:?}");
            assert_eq!(data.read(Heat::ARRIVED).unwrap(), cold, "{session:?}");
            // A tracked property keeps what it starts from.
            spread.on(&resident, &mut data).times(3, &Options::default()).unwrap();
            data.write(Heat::ARRIVED, &cold).unwrap();
        }
        let mut plain = prepared(&session, &resident);
        (0..2).for_each(|_| drop(spread.on(&resident, &mut plain).times(3, &Options::default()).unwrap()));
        assert_eq!(data.read(Heat::HEAT).unwrap(), plain.read(Heat::HEAT).unwrap(), "{session:?}");
    }
}

#[test]
fn values_of_two_properties_stand_in_the_place_of_two_others() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        let (warm, cold) = (start(&graph).1, start(&graph).1 * 3.0);
        lender.write(Heat::ARRIVED, &cold).unwrap();
        let (own, places) = (&warm * 2.0, (Heat::ARRIVED, Heat::HEAT));
        data.write(Heat::ARRIVED, &own).unwrap();
        let mut two = lender.lender_of_two((Heat::HEAT, Heat::ARRIVED));
        assert!(two.can_lend(&data, places), "{session:?}");
        let act = |data: &mut Data<Heat>| {
            assert_eq!(data.read(Heat::HEAT).unwrap(), cold, "{session:?}");
            Sequence::new(&resident).then(halve_all).run(data, 1)
        };
        two.lend(&mut data, places, act).unwrap().unwrap();
        assert_eq!(lender.read(Heat::HEAT).unwrap(), &warm * 0.5, "{session:?}");
        assert_eq!(lender.read(Heat::ARRIVED).unwrap(), cold, "{session:?}");
        assert_eq!(data.read(Heat::HEAT).unwrap(), warm, "{session:?}");
        assert_eq!(data.read(Heat::ARRIVED).unwrap(), own, "{session:?}");
        let narrow = session.data(cool, &resident, 2).unwrap();
        assert!(!lender.lender_of_two((Heat::HEAT, Heat::ARRIVED)).can_lend(&narrow, places), "{session:?}");
    }
}

#[test]
fn values_that_a_failed_run_has_changed_are_lost_where_they_are_taken_back() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        cool.on(&resident, &mut lender).once().unwrap();
        data.set(Heat::RATE, -1.0);
        let kept = data.read(Heat::HEAT).unwrap().to_owned();
        let failed =
            lender.lend(Heat::HEAT, &mut data, Heat::HEAT, |_, data| freeze.on(&resident, data).once()).unwrap();
        assert!(matches!(failed, Err(RunError::Panic { .. })), "{failed:?}");
        let error = lender.read(Heat::HEAT).unwrap_err();
        assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
        assert_eq!(data.read(Heat::HEAT).unwrap(), kept, "{session:?}");
    }
}

#[test]
fn values_are_not_taken_back_from_data_that_have_changed_meanwhile() {
    let graph = graph();
    let larger = GraphBuilder::new().vertices(3 * graph.vertex_count()).build().unwrap();
    for session in sessions() {
        let (resident, larger) = (session.graph(&graph), session.graph(&larger));
        let (mut lender, mut data) = (prepared(&session, &resident), prepared(&session, &resident));
        let arrived = start(&graph).1 * 2.0;
        data.write(Heat::ARRIVED, &arrived).unwrap();
        let moved = lender.lend(Heat::HEAT, &mut data, Heat::ARRIVED, |_, data| data.move_to(&larger).unwrap());
        assert!(matches!(moved, Err(RunError::Lend { .. })), "{moved:?}");
        // Each has as many values as its graph needs.
        assert_eq!(lender.read(Heat::HEAT).unwrap(), arrived, "{session:?}");
        cool.on(&resident, &mut lender).once().unwrap();
        assert_eq!(lender.read(Heat::HEAT).unwrap(), arrived * 0.5, "{session:?}");
        let all = Array2::from_elem((larger.graph().vertex_count(), 3), 8.0);
        data.write(Heat::ARRIVED, &all).unwrap();
        halve_all.on(&larger, &mut data).once().unwrap();
        assert_eq!(data.read(Heat::ARRIVED).unwrap(), all * 0.5, "{session:?}");
        let mut memory = lent(lender.length(Heat::HEAT));
        let memory = Borrowed::host(floats(&mut memory), lender.length(Heat::HEAT));
        let mut other = prepared(&session, &resident);
        // SAFETY: nobody reaches the memory before it is given back.
        let borrow = |lender: &mut Data<Heat>| unsafe { lender.borrow(Heat::HEAT, memory) };
        let borrowed = lender.lend(Heat::HEAT, &mut other, Heat::HEAT, |lender, _| borrow(lender).unwrap());
        assert!(matches!(borrowed, Err(RunError::LendBorrowed { property: "heat" })), "{borrowed:?}");
        lender.give_back(Heat::HEAT).unwrap();
    }
}

#[test]
fn values_that_do_not_lie_alike_are_not_lent() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let (mut data, mut narrow) = (prepared(&session, &resident), session.data(cool, &resident, 2).unwrap());
        assert!(!narrow.can_lend(Heat::HEAT, &data, Heat::HEAT) && data.can_lend(Heat::HEAT, &data, Heat::ARRIVED));
        let refused = |lent: Result<(), RunError>| lent.unwrap_err().to_string();
        let said = refused(narrow.lend(Heat::HEAT, &mut data, Heat::ARRIVED, |_, _| ()));
        assert!(
            said.contains("rows of 2 floats, padded to 4, and `arrived`") && said.contains("of 3, padded to 4"),
            "{said}"
        );
        let mut memory = lent(narrow.length(Heat::HEAT));
        let memory = Borrowed::host(floats(&mut memory), narrow.length(Heat::HEAT));
        // SAFETY: nobody reaches the memory before it is given back.
        unsafe { narrow.borrow(Heat::HEAT, memory) }.unwrap();
        let mut other = session.data(cool, &resident, 2).unwrap();
        let said = refused(other.lend(Heat::HEAT, &mut narrow, Heat::HEAT, |_, _| ()));
        assert!(said.starts_with("`heat` is in memory of another owner"), "{said}");
        narrow.give_back(Heat::HEAT).unwrap();
    }
    let [one, two] = [Session::cpu(), Session::cpu()];
    let (mut data, mut other) = (prepared(&one, &one.graph(&graph)), prepared(&two, &two.graph(&graph)));
    let said = data.lend(Heat::HEAT, &mut other, Heat::HEAT, |_, _| ()).unwrap_err().to_string();
    assert!(said.contains("another session"), "{said}");
}
