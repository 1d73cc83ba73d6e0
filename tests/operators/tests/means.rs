//! `mean_with` under every schedule, against 64-bit means.

use onyx_operators::average::{Average, by_threads, means, of_active, of_positive, taken, through_gate};
use onyx_operators::check::{Averaged, assert_same};
use onyx_operators::world::{graphs, places};
use onyx_runtime::Options;
use onyx_runtime::graph::Graph;

fn everywhere(widths: &[usize], check: impl Fn(&str, &Graph, usize, &Options)) {
    for (name, graph) in graphs() {
        for (features, place) in
            widths.iter().flat_map(|features| places().into_iter().map(move |place| (*features, place)))
        {
            let what = format!("{name}, {features} features, {:?} by {:?}", place.backend, place.schedule);
            check(&what, &graph, features, &place);
        }
    }
}

#[test]
fn features_and_scalars_are_averaged_beside_a_sum() {
    everywhere(&[1, 2, 11], |what, graph, features, place| {
        let start = Averaged::random(graph, features, 3);
        let store = start.run(means, graph, features, place);
        for vertex in 0..graph.vertex_count() as u32 {
            let heft = start.mean(graph, vertex, 0, |weight, _| vec![weight]);
            assert_same(what, store.scalars(Average::HEFT)[vertex as usize], heft);
            for feature in 0..features {
                let mean = start.mean(graph, vertex, feature, |weight, value| vec![weight * value]);
                assert_same(what, store.row(Average::MEAN, vertex)[feature], mean);
                assert_same(what, store.row(Average::SUM, vertex)[feature], start.sum(graph, vertex, feature));
            }
        }
    });
}

#[test]
fn a_vertex_function_takes_means_from_registers() {
    everywhere(&[1, 5], |what, graph, features, place| {
        let start = Averaged::random(graph, features, 4);
        let store = start.run(taken, graph, features, place);
        assert_taken(what, graph, &start, &store);
    });
}

#[test]
fn so_it_does_where_edges_are_those_of_active_sources_and_where_threads_take_edges() {
    everywhere(&[3], |what, graph, features, place| {
        let start = Averaged::random(graph, features, 5);
        assert_taken(what, graph, &start, &start.run(by_threads, graph, features, place));
        let store = start.run(of_active, graph, features, place);
        for vertex in (0..graph.vertex_count() as u32).filter(|vertex| graph.in_degree(*vertex) > 0) {
            assert_kept(what, graph, &start, &store, vertex);
        }
    });
}

fn assert_taken(what: &str, graph: &Graph, start: &Averaged, store: &onyx_runtime::Store) {
    (0..graph.vertex_count() as u32).for_each(|vertex| assert_kept(what, graph, start, store, vertex));
}

fn assert_kept(what: &str, graph: &Graph, start: &Averaged, store: &onyx_runtime::Store, vertex: u32) {
    let heft = start.mean(graph, vertex, 0, |weight, _| vec![weight]);
    for feature in 0..store.features() {
        let mean = start.mean(graph, vertex, feature, |weight, value| vec![weight * value]);
        assert_same(what, store.row(Average::KEPT, vertex)[feature], mean + 2.0 * heft);
    }
}

#[test]
fn what_does_not_come_to_a_mean_is_not_counted() {
    everywhere(&[3, 16], |what, graph, features, place| {
        let start = Averaged::random(graph, features, 6);
        let store = start.run(through_gate, graph, features, place);
        for vertex in 0..graph.vertex_count() as u32 {
            let heft = start.mean(graph, vertex, 0, |weight, _| if weight > 0.0 { vec![weight] } else { vec![] });
            assert_same(what, store.scalars(Average::HEFT)[vertex as usize], heft);
            for feature in 0..features {
                let gated = |weight, value| if weight > 0.0 { vec![value, 0.5] } else { vec![] };
                let mean = start.mean(graph, vertex, feature, gated);
                assert_same(what, store.row(Average::MEAN, vertex)[feature], mean);
            }
        }
    });
}

#[test]
fn each_feature_has_a_number_of_its_own_where_features_part() {
    everywhere(&[1, 3, 9], |what, graph, features, place| {
        let start = Averaged::random(graph, features, 7);
        let store = start.run(of_positive, graph, features, place);
        for vertex in 0..graph.vertex_count() as u32 {
            for feature in 0..features {
                let positive = |_, value| if value > 0.0 { vec![value] } else { vec![] };
                let mean = start.mean(graph, vertex, feature, positive);
                assert_same(what, store.row(Average::MEAN, vertex)[feature], mean);
            }
        }
    });
}

#[test]
fn wide_rows_are_averaged_by_tiles() {
    let (_, graph) = graphs().pop().unwrap();
    for place in places() {
        let start = Averaged::random(&graph, 40, 8);
        let store = start.run(taken, &graph, 40, &place);
        assert_taken("40 features", &graph, &start, &store);
    }
}

#[test]
fn a_mean_is_not_a_number_where_a_value_is_none() {
    let (_, graph) = graphs().swap_remove(5);
    for place in places() {
        let mut start = Averaged::random(&graph, 2, 9);
        start.value[170][1] = f32::NAN;
        let store = start.run(means, &graph, 2, &place);
        assert!(store.row(Average::MEAN, 0)[1].is_nan() && store.row(Average::MEAN, 0)[0].is_finite());
    }
}
