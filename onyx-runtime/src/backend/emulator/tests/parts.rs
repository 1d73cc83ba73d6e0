//! A pull in the emulator by parts of the rows.

use onyx_device::FoldOf;

use super::*;
use crate::plan::Part;
use crate::schedule::Schedule;

/// The bits of value and sum that a pull leaves, by the rows between these numbers.
fn pulled<F: FoldOf<Spread<0>>>(fold: F, options: &Options, rows: &[usize]) -> Vec<u32> {
    let graph = "rmat:6:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut store = Store::new(fold, &graph, 4).unwrap();
    let number = |index: usize| (index % 97) as f32 / 7.0;
    for property in [Spread::WEIGHT.index, Spread::VALUE.index] {
        let values = store.floats_mut(property);
        values.iter_mut().enumerate().for_each(|(index, value)| *value = number(index));
        store.give(property);
    }
    let decider = Decider::new(F::FACTS, &graph, Form::narrow(4), options, Processor::default());
    let (cut, most_parts) = ((decider.pull(), decider.incoming_groups()), decider.most_parts());
    let shape = Shape::new(F::FACTS, decider, options);
    let device = EmulatedDevice::new(AnyFold::of::<F>(), &store, Order::Forward).unwrap();
    let mut engine = DeviceEngine::new(F::FACTS, device, &graph, &mut store, shape, None).unwrap();
    let part = |rows: &[usize]| Part::of(graph.incoming(), cut, most_parts, rows[0]..rows[1]);
    engine.take_rows_by(rows.windows(2).map(part).collect());
    engine.run(Batch { direction: Direction::Pull, keep_sums: true, count: 1, limits: None }).unwrap();
    let active = engine.active().unwrap().words().to_vec();
    let values = [Spread::VALUE.index, Spread::SUM.index].map(|index| engine.values(index).unwrap());
    let bits = values.iter().flat_map(|values| values.as_slice()).map(|value| value.to_bits());
    bits.chain(active).collect()
}

#[test]
fn rows_by_parts_have_the_bits_of_all_rows() {
    let asked = [Schedule::NeighborGroup, Schedule::VertexPerWarp, Schedule::VertexPerBlock, Schedule::EdgeFlat];
    let by = |schedule| Options { group_size: Some(4), schedule, change_driven: false, ..Options::default() };
    let in_order = Options { deterministic: true, ..by(Schedule::NeighborGroup) };
    for options in asked.map(by).into_iter().chain([in_order]) {
        for parts in [&[0, 23, 64][..], &[0, 0, 5, 6, 40, 64]] {
            let (whole, by_parts) = (pulled(spread, &options, &[0, 64]), pulled(spread, &options, parts));
            assert_eq!(by_parts, whole, "{:?}, {parts:?}", options.schedule);
            assert_eq!(pulled(spread_and_halve, &options, parts), pulled(spread_and_halve, &options, &[0, 64]));
            assert_eq!(pulled(weighed, &options, parts), pulled(weighed, &options, &[0, 64]));
        }
    }
}

#[test]
fn rows_that_no_part_has_are_left_as_they_are() {
    let options = Options { group_size: Some(4), change_driven: false, ..Options::default() };
    let (whole, first) = (pulled(spread, &options, &[0, 64]), pulled(spread, &options, &[0, 23]));
    assert_eq!(first[..23 * 4], whole[..23 * 4]);
    assert_ne!(first[23 * 4..64 * 4], whole[23 * 4..64 * 4]);
}
