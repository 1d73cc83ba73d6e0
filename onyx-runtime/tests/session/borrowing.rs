//! Memory of another owner.

use ndarray::Array2;
use onyx_runtime::{BorrowError, Borrowed, Data, Options, Packing, RunError, RunFold, Schedule, Sequence};

use crate::heat::{Heat, cool, freeze, graph, prepared, sessions, spread, start, weigh};

/// Floats that begin at a multiple of 16 bytes, and so many of them that some may be left out at the beginning.
pub fn lent(length: usize) -> Vec<[u128; 2]> {
    vec![[0; 2]; length.div_ceil(8) + 1]
}

pub fn floats(memory: &mut [[u128; 2]]) -> *mut f32 {
    memory.as_mut_ptr().cast()
}

#[test]
fn runs_read_and_write_memory_of_another_owner() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        // Memory of another owner has no room for packed rows.
        let packed = Options { schedule: Schedule::WordPerWarp, packing: Packing::Always, ..Options::default() };
        // Of a tracked property, after an odd number of iterations, by single runs and by a sequence.
        let run = |data: &mut Data<Heat>| {
            spread.on(&resident, data).times(2, &packed).unwrap();
            spread.on(&resident, data).times(3, &Options::default()).unwrap();
            Sequence::new(&resident).then(spread).then(cool).run(data, 3).unwrap();
        };
        let mut own = prepared(&session, &resident);
        run(&mut own);
        let mut data = prepared(&session, &resident);
        let (length, width, (_, heat)) = (data.length(Heat::HEAT), data.width(), start(&graph));
        assert_eq!((length, width), (4 * graph.vertex_count(), 4));
        let mut memory = lent(length);
        let place = floats(&mut memory);
        for ((vertex, feature), heat) in heat.indexed_iter() {
            // SAFETY: there are so many floats.
            unsafe { place.add(vertex * width + feature).write(*heat) };
        }
        // SAFETY: nobody reaches the memory before it is given back.
        unsafe { data.borrow(Heat::HEAT, Borrowed::host(place, length)) }.unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap(), heat, "{session:?}");
        run(&mut data);
        data.give_back(Heat::HEAT).unwrap();
        // SAFETY: the memory was given back.
        let found = |vertex: usize, feature: usize| unsafe { place.add(vertex * width + feature).read() };
        let found = Array2::from_shape_fn((graph.vertex_count(), 3), |(vertex, feature)| found(vertex, feature));
        assert_eq!(found, own.read(Heat::HEAT).unwrap(), "{session:?}");
        let error = cool.on(&resident, &mut data).once().unwrap_err();
        assert!(matches!(error, RunError::GivenBack { property: "heat" }), "{error}");
        data.write(Heat::HEAT, &heat).unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        assert_eq!(data.read(Heat::HEAT).unwrap().to_owned(), heat * 0.5, "{session:?}");
    }
}

#[test]
fn what_is_written_goes_to_borrowed_memory_and_failed_runs_leave_it_borrowed() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(freeze, &resident, 1).unwrap();
        let length = data.length(Heat::HEAT);
        let mut memory = lent(length);
        let place = floats(&mut memory);
        // SAFETY: nobody reaches the memory before it is given back.
        unsafe { data.borrow(Heat::HEAT, Borrowed::host(place, length)) }.unwrap();
        data.set(Heat::RATE, -1.0);
        freeze.on(&resident, &mut data).once().unwrap_err();
        let error = data.read(Heat::HEAT).unwrap_err();
        assert!(matches!(error, RunError::Lost { property: "heat", fold: "freeze" }), "{error}");
        data.write(Heat::HEAT, &Array2::from_elem((graph.vertex_count(), 1), 6.0)).unwrap();
        cool.on(&resident, &mut data).once().unwrap();
        data.give_back(Heat::HEAT).unwrap();
        data.give_back(Heat::HEAT).unwrap();
        // SAFETY: the memory was given back.
        let found = [0, 1].map(|vertex| unsafe { place.add(4 * vertex).read() });
        assert_eq!(found, [3.0, 3.0], "{session:?}");
    }
}

#[test]
fn memory_that_does_not_fit_is_not_borrowed() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(cool, &resident, 4).unwrap();
        let length = data.length(Heat::HEAT);
        let mut memory = lent(length);
        let place = floats(&mut memory);
        let mut refused = |memory: Borrowed| {
            // SAFETY: what is wrong with the memory is found before it is reached.
            let error = unsafe { data.borrow(Heat::HEAT, memory) }.unwrap_err();
            let RunError::Borrow { property: "heat", source } = error else { panic!("{error}") };
            source
        };
        let error = refused(Borrowed::host(place, length - 1));
        assert_eq!(error, BorrowError::Length { found: length - 1, expected: length });
        let error = refused(Borrowed::host(place.wrapping_add(1), length));
        assert!(matches!(error, BorrowError::Alignment { needed: 16, .. }), "{error}");
        assert!(matches!(refused(Borrowed::host(std::ptr::null_mut::<f32>(), length)), BorrowError::Alignment { .. }));
        assert_eq!(refused(Borrowed::device(4096, length, std::ptr::null_mut())), BorrowError::OnDevice);
        // SAFETY: nobody else reaches the memory while the data are there. A scalar need not begin at 16 bytes.
        unsafe { data.borrow(Heat::TOTAL, Borrowed::host(place.wrapping_add(1), graph.vertex_count())) }.unwrap();
        weigh.on(&resident, &mut data).once().unwrap();
        assert!(data.read(Heat::TOTAL).unwrap().iter().all(|total| *total == 0.0));
    }
}
