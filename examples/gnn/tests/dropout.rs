//! Random numbers without memory.

use onyx_gnn::random::{bits, kept};

#[test]
fn as_many_are_dropped_as_asked_for() {
    for (rate, column) in [(0.5, 0), (0.6, 1), (0.1, 2)] {
        let dropped = (0..20_000).filter(|row| kept(rate, bits(7, 3, *row, column)) == 0.0).count();
        assert!((dropped as f32 / 20_000.0 - rate).abs() < 0.015, "{dropped} of 20000 at {rate}");
    }
    assert!((0..20_000).all(|row| kept(0.0, bits(7, 3, row, 0)) == 1.0));
}

#[test]
fn the_mean_stays() {
    let mean = (0..20_000).map(|row| kept(0.6, bits(1, 2, row, 3))).sum::<f32>() / 20_000.0;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
}

#[test]
fn every_coordinate_counts() {
    let here = bits(1, 2, 3, 4);
    assert_eq!(here, bits(1, 2, 3, 4));
    let others = [bits(2, 2, 3, 4), bits(1, 3, 3, 4), bits(1, 2, 4, 4), bits(1, 2, 3, 5)];
    assert!(others.iter().all(|other| *other != here));
    // Neighbors in one coordinate do not go together: half of all bits differ.
    let differing: u32 = (0..1000).map(|row| (bits(1, 1, row, 0) ^ bits(1, 1, row, 1)).count_ones()).sum();
    assert!((15_000..17_000).contains(&differing), "{differing} of 32000 bits");
}
