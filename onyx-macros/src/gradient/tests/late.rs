//! What is put off to the stage that gathers the rest.

use super::{FIELDS, bodies, derived, edge, vertex};

fn gradient(gather: &str, act: &str) -> Vec<(String, String)> {
    let functions = edge("gather", gather) + &vertex("act", act);
    bodies(&derived(FIELDS, &functions, "[gather, act]; gradient = [x]").unwrap_or_else(|errors| panic!("{errors:?}")))
}

const SUM: &str = "d.sum[e.dst][f] += d.x[e.src][f];";

#[test]
fn what_comes_of_the_adjoint_of_a_total_is_added_where_edges_gather_it() {
    let found = gradient(SUM, "d.out[v][f] = d.size[v] * (d.sum[v][f] + d.total[v] * d.x[v][f]);");
    let expected = [
        ("act_gradient", "{d.sum_gradient[v][f]=d.out_gradient[v][f]*d.size[v];true}"),
        ("gather_gradient", "{d.x_gradient_part[e.src][f]+=d.sum_gradient[e.dst][f];true}"),
        ("act_gradient_rest", "{d.x_gradient[v][f]=d.sum_gradient[v][f]*d.total[v];true}"),
        ("add_x_gradient", "{d.x_gradient[v][f]+=d.x_gradient_part[v][f];true}"),
    ];
    assert_eq!(found, expected.map(|(name, body)| (name.to_owned(), body.to_owned())));
}

/// Edges of the next stage read it, so that it may be scratch.
#[test]
fn an_adjoint_that_is_scratch_is_read_there_as_well() {
    let fields = FIELDS.replace("sum_gradient: VertexFeatures<K>,", "sum_gradient: VertexFeatures<K, Scratch>,");
    assert_ne!(fields, FIELDS);
    let functions = edge("gather", SUM) + &vertex("act", "d.out[v][f] = d.sum[v][f] + d.total[v] * d.x[v][f];");
    let found = bodies(&derived(&fields, &functions, "[gather, act]; gradient = [x]").unwrap());
    assert_eq!(found[0].1, "{d.sum_gradient[v][f]=d.out_gradient[v][f];true}");
    assert_eq!(found[2].1, "{d.x_gradient[v][f]=d.sum_gradient[v][f]*d.total[v];true}");
}

#[test]
fn a_factor_of_the_graph_is_computed_there() {
    let found = gradient(SUM, "d.out[v][f] = (1.0 + d.bias[f]) * d.x[v][f] + d.sum[v][f];");
    assert_eq!(found[0].1, "{d.sum_gradient[v][f]=d.out_gradient[v][f];true}");
    assert_eq!(found[2].1, "{d.x_gradient[v][f]=d.sum_gradient[v][f]*(1.0+d.bias[f]);true}");
}

/// A row more would be read than is spared.
#[test]
fn what_comes_of_another_row_as_well_stays() {
    for act in [
        "d.out[v][f] = d.sum[v][f] + d.y[v][f] * d.x[v][f];",
        "d.out[v][f] = d.size[v] * d.sum[v][f] + d.total[v] * d.x[v][f];",
    ] {
        let found = gradient(SUM, act);
        assert!(found[0].1.contains("d.x_gradient[v][f]="), "{found:?}");
        assert_eq!(found.len(), 3);
    }
}

#[test]
fn what_edges_gather_nothing_for_stays() {
    let found = gradient("d.sum[e.dst][f] += d.y[e.src][f];", "d.out[v][f] = d.sum[v][f] + d.total[v] * d.x[v][f];");
    assert_eq!(
        found,
        [("act_gradient".to_owned(), "{d.x_gradient[v][f]=d.out_gradient[v][f]*d.total[v];true}".to_owned())]
    );
}
