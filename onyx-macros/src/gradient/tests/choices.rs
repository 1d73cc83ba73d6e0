//! What is matched, and by what conditions.

use super::{of_vertex, refusal, vertex};

#[test]
fn an_arm_with_a_condition_is_chosen_by_its_number() {
    let body = of_vertex(
        "let above = d.size[v] > 0.0; let x = d.x[v][f];
         d.out[v][f] = match d.kind_of[v] { 0 if above => x * 2.0, 0 | 1 => x * d.y[v][f], n if n > d.least_kind[v] => x * n as f32, _ => x };",
        "x",
    );
    assert!(body.contains("matchd.kind_of[v]{0if(d.size[v]>0.0)=>0u32,0|1=>1u32,"), "{body}");
    assert!(body.contains("_n>d.least_kind[v]=>2u32,_=>3u32}"), "{body}");
    let arms = "{0u32=>{d.out_gradient[v][f]*2.0}1u32=>{d.out_gradient[v][f]*d.y[v][f]}\
                2u32=>{d.out_gradient[v][f]*(d.kind_of[v]asf32)}_=>{d.out_gradient[v][f]}}";
    assert!(body.contains(arms), "{body}");
}

#[test]
fn a_name_for_a_whole_value_has_its_gradient() {
    let whole = of_vertex("d.out[v][f] = match d.x[v][f] { x => x * d.y[v][f] };", "x");
    assert!(whole.contains("d.out_gradient[v][f]*d.y[v][f]"), "{whole}");
    let part = of_vertex("d.out[v][f] = match (d.x[v][f], d.kind_of[v]) { (x, 0) => x * 2.0, (x, _) => -x };", "x");
    assert!(part.contains("d.out_gradient[v][f]*2.0") && part.contains("-d.out_gradient[v][f]"), "{part}");
    let named = of_vertex("d.out[v][f] = if let x = d.x[v][f] { x * x * d.y[v][f] } else { 0.0 };", "x");
    assert!(named.contains("d.x_gradient[v][f]="), "{named}");
}

#[test]
fn what_a_pattern_takes_apart_is_refused_where_it_has_a_gradient() {
    let refused = |body: &str| refusal(&vertex("act", body), "[act]; gradient = [x]");
    let found = "let found = if d.size[v] > 0.0 { Some(d.x[v][f]) } else { None };";
    let apart = refused(&format!("{found} d.out[v][f] = d.x[v][f] + if let Some(x) = found {{ x }} else {{ 0.0 }};"));
    assert!(apart.contains("what a pattern takes apart"), "{apart}");
    let beside =
        "d.out[v][f] = match d.kind_of[v].checked_sub(1) { Some(n) if n > 1 => n as f32 * d.x[v][f], _ => d.x[v][f] };";
    assert!(refused(beside).contains("what it binds beside a condition"), "{}", refused(beside));
    let integer = "d.out[v][f] = match d.kind_of[v].checked_sub(1) { Some(n) => n as f32 * d.x[v][f], None => 0.0 };";
    assert!(of_vertex(integer, "x").contains("_n)=>{d.out_gradient"), "{}", of_vertex(integer, "x"));
}

#[test]
fn a_chain_of_conditions_binds_as_a_pattern_does() {
    let whole = of_vertex("d.out[v][f] = if d.size[v] > 0.0 && let x = d.x[v][f] { x * d.y[v][f] } else { 0.0 };", "x");
    assert!(whole.contains("d.out_gradient[v][f]*d.y[v][f]"), "{whole}");
    let found = "let found = if d.size[v] > 0.0 { Some(d.x[v][f]) } else { None };";
    let apart = "d.out[v][f] = d.x[v][f] + if let Some(x) = found && d.size[v] > 1.0 { x } else { 0.0 };";
    let said = refusal(&vertex("act", &format!("{found} {apart}")), "[act]; gradient = [x]");
    assert!(said.contains("what a pattern takes apart"), "{said}");
    let twice = "d.out[v][f] = if d.size[v] > 0.0 && let x = d.x[v][f] { x * d.y[v][f] } else { 0.0 };";
    assert!(!of_vertex(twice, "x, y").contains("&&"), "{}", of_vertex(twice, "x, y"));
    let integer = "let less = d.kind_of[v].checked_sub(1);
        d.out[v][f] = if let Some(n) = less && n > 1 { n as f32 * d.x[v][f] } else { 0.0 };";
    assert!(of_vertex(integer, "x").contains("_nasf32"), "{}", of_vertex(integer, "x"));
}

#[test]
fn what_changes_a_variable_unseen_is_refused() {
    for change in ["let _ = moved(&mut x);", "x.mul_assign(y);"] {
        let body = format!("let (mut x, y) = (d.x[v][f], d.y[v][f]); {change} d.out[v][f] = x * x * y;");
        let said = refusal(&vertex("act", &body), "[act]; gradient = [x]");
        assert!(said.contains("write `let x = ..;` for each"), "{said}");
    }
}
