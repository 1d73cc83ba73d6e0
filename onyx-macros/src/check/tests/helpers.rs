use syn::{Block, ItemFn, parse_quote};

use crate::check::helper;
use crate::errors::Errors;
use crate::expand::function::lower;
use crate::parse::function::Kind;

/// Whether a vertex function with this body depends on source that no macro sees.
fn has_any(body: &str) -> bool {
    let block: Block = syn::parse_str(&format!("{{ {body}; true }}")).unwrap_or_else(|error| panic!("{body}: {error}"));
    let item: ItemFn = parse_quote! {
        fn act<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool #block
    };
    let mut errors = Errors::default();
    let lowered = lower(Kind::Vertex, &item, &mut errors);
    helper::has_any(&lowered.unwrap_or_else(|| panic!("{body}: {:?}", errors.texts())).function)
}

#[test]
fn what_a_function_names_of_its_module_is_a_helper() {
    let bodies = [
        "d.y[v][f] = tame(d.x[v][f])",
        "d.y[v][f] = d.x[v][f] * STEP",
        "d.y[v][f] = d.x[v][f] * crate::STEP",
        "let pair = Pair { a: d.x[v][f], b: 1.0 }; d.y[v][f] = pair.a",
        "let Pair { a, .. } = Default::default(); d.y[v][f] = a",
        "d.y[v][f] = match f.index() { FIRST => 1.0, _ => 0.0 }",
        "d.y[v][f] = d.x[v][f].tamed()",
        "let x: Float = d.x[v][f]; d.y[v][f] = x",
        "d.y[v][f] = sum(tame(d.x[v][f]))",
    ];
    let missed: Vec<&str> = bodies.into_iter().filter(|body| !has_any(body)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_language_alone_is_no_helper() {
    let bodies = [
        "let x = d.x[v][f]; let y = x.abs().max(0.5); d.y[v][f] = normalize(y)",
        "d.y[v][f] = f32::from_bits(1) + f32::EPSILON + K as f32",
        "let (a, b) = (d.x[v][f], 2.0_f32); let c = dot(a, b); d.y[v][f] = if a > b { a } else { c }",
        "let mut t = 0.0_f32; for i in 0..4_usize { t += i as f32; } d.y[v][f] = t * d.alpha",
    ];
    let found: Vec<&str> = bodies.into_iter().filter(|body| has_any(body)).collect();
    assert!(found.is_empty(), "{found:#?}");
}
