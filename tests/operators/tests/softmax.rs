//! `softmax_add` and `log_sum_exp_with` under every schedule, against 64-bit sums.

use onyx_operators::attention::{
    Attention, each_feature, kept_sums, meeting, outward, products, row_sums, scalars, softmax_sums,
};
use onyx_operators::check::{Attended, assert_same};
use onyx_operators::serial::{log_sum_exp, mean, softmax_sum};
use onyx_operators::world::{graphs, places};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Store};

/// How great scores may be: near one another, and so far apart that exponentials overflow by themselves.
const SCALES: [f32; 2] = [2.0, 300.0];

fn everywhere(widths: &[usize], check: impl Fn(&str, &Graph, usize, f32, &Options)) {
    for (name, graph) in graphs() {
        for scale in SCALES {
            for (features, place) in
                widths.iter().flat_map(|features| places().into_iter().map(move |place| (*features, place)))
            {
                let what = format!(
                    "{name}, {features} features, scores of {scale}, {:?} by {:?}",
                    place.backend, place.schedule
                );
                check(&what, &graph, features, scale, &place);
            }
        }
    }
}

fn assert_sums(what: &str, graph: &Graph, start: &Attended, store: &Store) {
    for vertex in 0..graph.vertex_count() as u32 {
        let index = vertex as usize;
        let scale = start.left.iter().fold(1.0_f32, |scale, value| scale.max(value.abs()));
        assert_same(what, store.scalars(Attention::OWN)[index] / scale, start.own(graph, vertex) / f64::from(scale));
        assert_same(what, store.scalars(Attention::LOG_SUM)[index], start.log_sum(graph, vertex));
        for feature in 0..store.features() {
            assert_same(what, store.row(Attention::OUT, vertex)[feature], start.out(graph, vertex, feature));
        }
    }
}

#[test]
fn one_score_weighs_all_features() {
    everywhere(&[1, 11], |what, graph, features, scale, place| {
        let start = Attended::random(graph, features, scale, 21);
        assert_sums(what, graph, &start, &start.run(softmax_sums, graph, features, place));
    });
}

/// Whether the weighted sums of rows are those of scores that sources and masks make, but for one feature of the hub, which is no number.
fn assert_rows(what: &str, graph: &Graph, start: &Attended, store: &Store, spoiled: Option<usize>) {
    for vertex in 0..graph.vertex_count() as u32 {
        for feature in 0..store.features() {
            let out = store.row(Attention::OUT, vertex)[feature];
            if vertex == 0 && Some(feature) == spoiled {
                assert!(out.is_nan(), "{what}: {out}");
            } else {
                assert_same(what, out, start.row(graph, vertex, feature));
            }
        }
    }
}

#[test]
fn rows_alone_are_weighed_together() {
    everywhere(&[1, 11, 16], |what, graph, features, scale, place| {
        let start = Attended::random(graph, features, scale, 29);
        assert_rows(what, graph, &start, &start.by_edges(graph).run(row_sums, graph, features, place), None);
        assert_rows(what, graph, &start, &start.run(meeting, graph, features, place), None);
    });
}

/// One lane alone has a sum that is not finite, and goes through the edges again: with the others where lanes meet in the function, by itself elsewhere.
#[test]
fn one_lane_alone_goes_through_its_edges_again() {
    let (_, graph) = graphs().swap_remove(5);
    let row = graph.incoming().row(0).to_vec();
    for (features, place) in
        [11, 16].into_iter().flat_map(|width| places().into_iter().map(move |place| (width, place)))
    {
        let mut start = Attended::random(&graph, features, 2.0, 30);
        for hub in row.iter().skip(25).step_by(60) {
            start.x[*hub as usize][9] = f32::NAN;
        }
        let what = format!("{features} features, {:?} by {:?}", place.backend, place.schedule);
        let alone = start.by_edges(&graph).run(row_sums, &graph, features, &place);
        assert_rows(&what, &graph, &start, &alone, Some(9));
        assert_rows(&what, &graph, &start, &start.run(meeting, &graph, features, &place), Some(9));
    }
}

/// What groups add to, and the list of those that cannot, begins again in every iteration.
#[test]
fn every_iteration_begins_with_nothing() {
    let (_, graph) = graphs().swap_remove(5);
    for (scale, place) in SCALES.into_iter().flat_map(|scale| places().into_iter().map(move |place| (scale, place))) {
        let (start, place) = (Attended::random(&graph, 5, scale, 28), Options { iterations: 3, ..place });
        let what = format!("scores of {scale}, {:?} by {:?}", place.backend, place.schedule);
        assert_sums(&what, &graph, &start, &start.run(softmax_sums, &graph, 5, &place));
    }
}

#[test]
fn a_vertex_function_takes_sums_from_registers() {
    everywhere(&[3, 16], |what, graph, features, scale, place| {
        let start = Attended::random(graph, features, scale, 22);
        let store = start.run(kept_sums, graph, features, place);
        for vertex in 0..graph.vertex_count() as u32 {
            let own = start.own(graph, vertex);
            for feature in 0..features {
                let kept = f64::from(store.row(Attention::KEPT, vertex)[feature]);
                let expected = start.out(graph, vertex, feature) + own;
                assert!((kept - expected).abs() <= 2e-5 * f64::from(scale), "{what}: {kept}, not {expected}");
            }
        }
    });
}

#[test]
fn each_feature_may_have_a_score_of_its_own() {
    everywhere(&[3, 11], |what, graph, features, scale, place| {
        let start = Attended::random(graph, features, scale, 23);
        let store = start.run(each_feature, graph, features, place);
        for vertex in 0..graph.vertex_count() as u32 {
            for feature in 0..features {
                let each = start.each(graph, vertex, feature);
                let scores: Vec<f64> = each.iter().map(|(score, _)| *score).collect();
                assert_same(what, store.row(Attention::OUT, vertex)[feature], softmax_sum(&each));
                assert_same(what, store.row(Attention::LOG_SUMS, vertex)[feature], log_sum_exp(&scores));
            }
        }
    });
}

#[test]
fn a_score_may_come_of_an_operation_and_padding_is_left_out() {
    everywhere(&[3, 9], |what, graph, features, _, place| {
        let start = Attended::random(graph, features, 1.0, 24);
        let store = start.run(products, graph, features, place);
        for vertex in 0..graph.vertex_count() as u32 {
            for feature in 0..features {
                let expected = softmax_sum(&start.products(graph, vertex, feature));
                assert_same(what, store.row(Attention::OUT, vertex)[feature], expected);
            }
        }
    });
}

#[test]
fn a_source_may_attend_to_where_its_edges_lead() {
    everywhere(&[1, 3], |what, graph, features, _, place| {
        let mut start = Attended::random(graph, features, 2.0, 27);
        start.mask.iter_mut().for_each(|mask| *mask = mask.max(-5.0));
        let store = start.run(outward, graph, features, place);
        for vertex in 0..graph.vertex_count() as u32 {
            let edges = start.outward(graph, vertex);
            let left: Vec<f64> = edges.iter().map(|(_, end)| f64::from(start.left[*end])).collect();
            assert_same(what, store.scalars(Attention::OWN)[vertex as usize], mean(&left));
            for feature in 0..features {
                let x = |end: usize| f64::from(start.x[end][feature]);
                let weighed: Vec<(f64, f64)> = edges.iter().map(|(score, end)| (*score, x(*end))).collect();
                let scores: Vec<f64> = weighed.iter().map(|(score, x)| score * x).collect();
                assert_same(what, store.row(Attention::OUT, vertex)[feature], softmax_sum(&weighed));
                assert_same(what, store.row(Attention::LOG_SUMS, vertex)[feature], log_sum_exp(&scores));
            }
        }
    });
}

#[test]
fn wide_rows_are_weighed_by_tiles() {
    let (_, graph) = graphs().pop().unwrap();
    for place in places() {
        let start = Attended::random(&graph, 40, 3.0, 25);
        assert_sums("40 features", &graph, &start, &start.run(softmax_sums, &graph, 40, &place));
    }
}

/// A hub of many edges, all scores as `score` says by the edge's number.
fn hub(score: impl Fn(usize) -> f32) -> (Graph, Attended) {
    let (_, graph) = graphs().swap_remove(5);
    let mut start = Attended::random(&graph, 2, 1.0, 26);
    start.mask = (0..graph.edge_count()).map(score).collect();
    (graph, start)
}

/// The weighted sum of scalars at the hub, whose scores are the masks, at every place.
fn at_hub(graph: &Graph, start: &Attended, check: impl Fn(&str, f32)) {
    for place in places() {
        let store = start.run(scalars, graph, 2, &place);
        check(&format!("{:?} by {:?}", place.backend, place.schedule), store.scalars(Attention::OWN)[0]);
    }
}

#[test]
fn a_row_without_any_visible_edge_is_zero() {
    let (graph, mut start) = hub(|_| f32::NEG_INFINITY);
    start.x = vec![vec![f32::NAN; 2]; graph.vertex_count()];
    at_hub(&graph, &start, |what, own| assert_same(what, own, 0.0));
    for place in places() {
        let store = start.run(softmax_sums, &graph, 2, &place);
        assert_eq!((store.row(Attention::OUT, 0)[1], store.scalars(Attention::LOG_SUM)[0]), (0.0, f32::NEG_INFINITY));
    }
}

#[test]
fn infinite_scores_share_all_of_the_weight() {
    let (graph, start) = hub(|edge| if edge % 140 == 3 { f32::INFINITY } else { 1e30 });
    let seen = graph.incoming().row(0).iter().enumerate().filter(|(edge, _)| edge % 140 == 3);
    let seen: Vec<f64> = seen.map(|(_, source)| f64::from(start.left[*source as usize])).collect();
    assert_eq!(seen.len(), 3);
    at_hub(&graph, &start, |what, own| assert_same(what, own, mean(&seen)));
}

/// The sources of the hub's edges whose number in the row `is_chosen`.
fn sources(graph: &Graph, is_chosen: impl Fn(usize) -> bool) -> Vec<usize> {
    let row = graph.incoming().row(0).iter().enumerate();
    row.filter(|(edge, _)| is_chosen(*edge)).map(|(_, source)| *source as usize).collect()
}

/// Whether the weighted sum of rows at the hub is the mean of those of these vertices.
fn assert_mean_at_hub(graph: &Graph, start: &Attended, of: &[usize]) {
    for place in places() {
        let store = start.run(softmax_sums, graph, 2, &place);
        for feature in 0..2 {
            let expected = mean(&of.iter().map(|vertex| f64::from(start.x[*vertex][feature])).collect::<Vec<_>>());
            let what = format!("{:?} by {:?}", place.backend, place.schedule);
            assert_same(&what, store.row(Attention::OUT, 0)[feature], expected);
        }
    }
}

/// Edges that are weighed together are taken to have finite scores: one of +inf, after others or before them, and rows that no edge shows must not change that.
#[test]
fn rows_are_weighed_by_infinite_scores_as_scalars_are() {
    let is_infinite = |edge: usize| edge % 140 == 3;
    let (graph, mut start) = hub(|edge| if is_infinite(edge) { f32::INFINITY } else { -7.0 });
    start.left.iter_mut().chain(&mut start.right).for_each(|value| *value = 0.0);
    let seen = sources(&graph, is_infinite);
    assert_eq!(seen.len(), 3);
    assert_mean_at_hub(&graph, &start, &seen);

    let is_hidden = |edge: usize| edge % 9 == 4;
    start.mask = (0..graph.edge_count()).map(|edge| if is_hidden(edge) { f32::NEG_INFINITY } else { 2.0 }).collect();
    for source in sources(&graph, is_hidden) {
        start.x[source] = vec![f32::NAN, f32::INFINITY];
    }
    assert_mean_at_hub(&graph, &start, &sources(&graph, |edge| !is_hidden(edge)));
}

#[test]
fn scores_of_the_greatest_floats_are_weighed_alike() {
    for extreme in [f32::MAX, f32::MIN] {
        let (graph, start) = hub(|_| extreme);
        let all: Vec<f64> =
            graph.incoming().row(0).iter().map(|source| f64::from(start.left[*source as usize])).collect();
        at_hub(&graph, &start, |what, own| assert_same(what, own, mean(&all)));
    }
}

#[test]
fn a_score_that_is_no_number_shows() {
    let (graph, start) = hub(|edge| if edge == 177 { f32::NAN } else { -3.0 });
    at_hub(&graph, &start, |what, own| assert!(own.is_nan(), "{what}: {own}"));
}

#[test]
fn a_value_that_is_no_number_shows_in_its_feature_alone() {
    let (graph, mut start) = hub(|_| 0.0);
    start.x[190][1] = f32::NAN;
    for place in places() {
        let store = start.run(softmax_sums, &graph, 2, &place);
        let row = store.row(Attention::OUT, 0);
        assert!(row[1].is_nan() && row[0].is_finite(), "{row:?}");
    }
}
