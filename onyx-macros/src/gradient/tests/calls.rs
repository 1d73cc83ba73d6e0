//! Plain functions whose derivatives the user gives.

use syn::parse_file;

use super::{FIELDS, bodies, derived, edge, refusal, vertex};

/// The bodies of the gradient of one vertex function, asked of `x`, `y` and `size`.
#[track_caller]
fn with(body: &str, derivatives: &str) -> String {
    let fold = format!("[act]; gradient = [x, y, size]; derivative = [{derivatives}]");
    let derived = derived(FIELDS, &vertex("act", body), &fold).unwrap_or_else(|errors| panic!("{body}: {errors:?}"));
    bodies(&derived)[0].1.clone()
}

#[test]
fn the_derivative_of_one_argument_multiplies_the_adjoint() {
    let found = with("d.out[v][f] = soft(d.x[v][f] * d.size[v]) + d.y[v][f];", "soft = soft_slope");
    let expected = "{letvalue=d.out_gradient[v][f]*soft_slope(d.x[v][f]*d.size[v]);\
                    d.x_gradient[v][f]=value*d.size[v];\
                    d.size_gradient[v]=sum(value*d.x[v][f]);\
                    d.y_gradient[v][f]=d.out_gradient[v][f];true}";
    assert_eq!(found, expected);
}

#[test]
fn each_of_several_arguments_has_its_entry() {
    let found = with("d.out[v][f] = gate(d.x[v][f], 2, d.y[v][f]) * d.size[v];", "gate = own::gate_slopes");
    let expected = "{letvalue=d.out_gradient[v][f]*d.size[v];\
                    letslopes=own::gate_slopes(d.x[v][f],2,d.y[v][f]);\
                    d.x_gradient[v][f]=value*slopes[0];\
                    d.y_gradient[v][f]=value*slopes[2];\
                    d.size_gradient[v]=sum(d.out_gradient[v][f]*gate(d.x[v][f],2,d.y[v][f]));true}";
    assert_eq!(found, expected);
}

/// Of the same value for all features the derivative is the same, too, so that it is computed of the sum.
#[test]
fn what_is_the_same_for_all_features_has_one_derivative() {
    let found =
        with("d.out[v][f] = soft(d.size[v]) * d.x[v][f] + own::soft::<2>(d.y[v][f]);", "soft = a, own::soft::<2> = b");
    let expected = "{d.size_gradient[v]=sum(d.out_gradient[v][f]*d.x[v][f])*a(d.size[v]);\
                    d.x_gradient[v][f]=d.out_gradient[v][f]*soft(d.size[v]);\
                    d.y_gradient[v][f]=d.out_gradient[v][f]*b(d.y[v][f]);true}";
    assert_eq!(found, expected);
}

#[test]
fn a_call_in_a_branch_has_its_derivative_there() {
    let body = "let x = d.x[v][f]; d.out[v][f] = if x > 0.5 { soft(x) } else { x } + d.y[v][f] * d.size[v];";
    let found = with(body, "soft = soft_slope");
    assert!(
        found.contains("ifd.x[v][f]>0.5{d.out_gradient[v][f]*soft_slope(d.x[v][f])}else{d.out_gradient[v][f]}"),
        "{found}"
    );
}

#[test]
fn an_argument_that_has_no_gradient_gets_none() {
    let functions = edge("gather", "d.sum[e.dst][f] += gate(d.weight[e], d.x[e.src][f]) * soft(d.kind[e]);");
    let fold = "[gather]; gradient = [x]; derivative = [gate = gate_slopes, soft = soft_slope]";
    let found = bodies(&derived(FIELDS, &functions, fold).unwrap());
    let expected = "{d.x_gradient[e.src][f]+=d.sum_gradient[e.dst][f]*soft(d.kind[e])*gate_slopes(d.weight[e],d.x[e.src][f])[1];true}";
    assert_eq!(found[0].1, expected);
}

/// What *Gradients* of the reference shows.
#[test]
fn the_reference_shows_what_is_derived() {
    let found = with("d.out[v][f] = softplus(d.x[v][f], d.size[v]) + d.y[v][f];", "softplus = softplus_slopes");
    let expected = "{letslopes=softplus_slopes(d.x[v][f],d.size[v]);\
                    d.x_gradient[v][f]=d.out_gradient[v][f]*slopes[0];\
                    d.size_gradient[v]=sum(d.out_gradient[v][f]*slopes[1]);\
                    d.y_gradient[v][f]=d.out_gradient[v][f];true}";
    assert_eq!(found, expected);
}

#[test]
fn what_is_printed_is_source() {
    let functions = vertex("act", "d.out[v][f] = own::soft::<2>(d.x[v][f]);");
    let fold = "[act]; gradient = [x]; derivative = [own::soft::<2> = own::slope::<2>]; features = [4]";
    let source = derived(FIELDS, &functions, fold).unwrap().source();
    assert!(parse_file(&source).is_ok(), "{source}");
    let printed: String = source.split_whitespace().collect();
    assert!(printed.contains("d.x_gradient[v][f]=d.out_gradient[v][f]*own::slope::<2>(d.x[v][f]);"), "{source}");
    assert!(printed.ends_with("=[act_gradient];features=[4]}"), "{source}");
}

#[test]
fn a_function_without_a_derivative_says_how_to_give_one() {
    let functions = vertex("act", "d.out[v][f] = own::soft(d.x[v][f]);");
    let text = refusal(&functions, "[act]; gradient = [x]");
    assert!(text.contains("`derivative = [own::soft = slope]`"), "{text}");
    let functions = vertex("act", "let soft = |x: f32| x; d.out[v][f] = soft(d.x[v][f]) + other(d.y[v][f]);");
    let text = refusal(&functions, "[act]; gradient = [x]; derivative = [other = slope]");
    assert!(text.starts_with("the derivative of `soft` is not known: write it"), "{text}");
}

#[test]
fn a_derivative_without_a_use_is_refused() {
    let functions = vertex("act", "d.out[v][f] = d.x[v][f] * soft(1.0);");
    let text = refusal(&functions, "[act]; gradient = [x]; derivative = [soft = slope, own::soft = slope]");
    assert_eq!(text, "no function of this fold calls `own::soft`: name it as they call it, or leave it out");
    let text = refusal(&functions, "[act]; gradient = [x]; derivative = [soft = slope, soft = other]");
    assert_eq!(text, "the derivative of `soft` is given twice: keep one of them");
}

/// What is stored as the function returned it is read there, and nothing that it came of.
#[test]
fn a_derivative_of_the_value_reads_what_is_stored() {
    let found = with("d.out[v][f] = gate(d.x[v][f] * d.y[v][f] * d.size[v], 2);", "gate = gate_slopes(value)");
    assert!(found.contains("d.out_gradient[v][f]*gate_slopes(d.out[v][f],2)[0];"), "{found}");
    // Beside it something else is stored, so that the value is computed again.
    let found = with("d.out[v][f] = soft(d.x[v][f]) + d.y[v][f] * d.size[v];", "soft = soft_slope(value)");
    assert!(found.contains("d.x_gradient[v][f]=d.out_gradient[v][f]*soft_slope(soft(d.x[v][f]));"), "{found}");
}

/// Rows of edges are in registers alone: without a derivative of the value they would be gathered again.
#[test]
fn a_derivative_of_the_value_gathers_nothing_again() {
    let functions = edge("gather", "d.sum[e.dst][f] += d.x[e.src][f];")
        + &vertex("act", "d.out[v][f] = soft(d.sum[v][f] + d.y[v][f]);");
    let gradient = |derivative: &str| {
        let fold = format!("[gather, act]; gradient = [x]; derivative = [soft = {derivative}]");
        bodies(&derived(FIELDS, &functions, &fold).unwrap())
    };
    let [gathered, read] = ["soft_slope", "soft_slope(value)"].map(gradient);
    assert_eq!(read[0].1, "{d.sum_gradient[v][f]=d.out_gradient[v][f]*soft_slope(d.out[v][f]);true}");
    assert!(gathered[0].1.contains("soft_slope(d.sum[v][f]+d.y[v][f])"), "{gathered:?}");
}
