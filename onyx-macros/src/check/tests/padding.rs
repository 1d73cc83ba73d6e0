//! What of a body could be seen if it ran for padding as well.

use syn::parse_quote;

use crate::check::effect::{self, Effect};
use crate::errors::Errors;
use crate::parse::function::{self, Kind};

fn of(body: syn::Block) -> Effect {
    let item = parse_quote! {
        fn function<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool #body
    };
    let mut errors = Errors::default();
    let function = function::parse(Kind::Vertex, &item, &mut errors);
    assert_eq!(errors.texts(), Vec::<String>::new());
    effect::of(&function.expect("a function without errors is parsed")).0
}

#[test]
fn arithmetic_of_floats_cannot_be_seen() {
    assert_eq!(
        of(parse_quote!({
            let mixed = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
            let (label, moved) = (normalize(mixed), any(mixed > 0.0));
            let mut kept = (label - d.label[v][f]).abs().max(0.5).sqrt();
            kept += if moved { -label } else { 2.0 };
            d.label[v][f] *= kept / (f.index() as f32);
            match moved {
                true if kept > core::f32::consts::PI => return !moved,
                _ => kept.is_nan() || argmax(kept) == 3,
            }
        })),
        Effect::Nothing
    );
    assert_eq!(
        of(parse_quote!({
            d.gram[v][f] = outer(d.x[v][f], d.x[v][f]) * 2.0;
            true
        })),
        Effect::Nothing
    );
    assert_eq!(
        of(parse_quote!({
            let add = |x: f32| x + weigh(x);
            d.x[v][f] > 0.0
        })),
        Effect::Nothing
    );
}

#[test]
fn arithmetic_of_integers_may_panic() {
    assert_eq!(of(parse_quote!({ 6 / (3 - f.index()) > 1 })), Effect::Panic);
    assert_eq!(
        of(parse_quote!({
            let last = K - 1;
            f.index() as usize == last
        })),
        Effect::Panic
    );
    assert_eq!(of(parse_quote!({ v.0 * 2 > 5 })), Effect::Panic);
    assert_eq!(of(parse_quote!({ d.x[v][f].clamp(d.low, d.high) > 1.0 })), Effect::Panic);
    assert_eq!(
        of(parse_quote!({
            d.x[v][f] = d.y[v][f] * HALF;
            true
        })),
        Effect::Panic
    );
    assert_eq!(
        of(parse_quote!({
            let own = OWN;
            own < own
        })),
        Effect::Panic
    );
}

/// A scalar may be an integer, whose arithmetic is the same for padding only where all features come.
#[test]
fn scalars_may_be_integers_in_a_branch() {
    let everywhere = of(parse_quote!({
        let mixed = d.scale[v] * d.rank[v];
        d.x[v][f] = if d.x[v][f] > 0.0 { mixed * d.y[v][f] } else { d.rank[v] };
        d.count[v].min(d.rank[v]) > mixed
    }));
    assert_eq!(everywhere, Effect::Nothing);
    assert_eq!(of(parse_quote!({ d.x[v][f] > 0.0 && d.count[v] / d.rank[v] == d.rank[v] })), Effect::Panic);
    assert_eq!(
        of(parse_quote!({
            if d.x[v][f] > 0.0 {
                return false;
            }
            d.count[v] / d.rank[v] == d.rank[v]
        })),
        Effect::Panic
    );
    assert_eq!(of(parse_quote!({ d.count[v] + 1 > 3 })), Effect::Panic);
    assert_eq!(of(parse_quote!({ d.count[v].wrapping_add(1) > 3 })), Effect::Nothing);
}

#[test]
fn loops_calls_and_indices_may_do_anything() {
    assert_eq!(
        of(parse_quote!({
            d.x[v][f] = weigh(d.y[v][f]);
            true
        })),
        Effect::Anything
    );
    assert_eq!(
        of(parse_quote!({
            let add = |x: f32| x + 1.0;
            add(d.y[v][f]) > 0.0
        })),
        Effect::Anything
    );
    assert_eq!(of(parse_quote!({ TABLE[f.index() as usize] > 0.0 })), Effect::Anything);
    assert_eq!(
        of(parse_quote!({
            while d.x[v][f] > d.y[v][f] {}
            true
        })),
        Effect::Anything
    );
    assert_eq!(of(parse_quote!({ loop {} })), Effect::Anything);
    assert_eq!(
        of(parse_quote!({
            for _ in 0..3 {}
            true
        })),
        Effect::Anything
    );
    assert_eq!(of(parse_quote!({ OWN.floor() > 1.0 })), Effect::Anything);
    assert_eq!(
        of(parse_quote!({
            let sum = weigh;
            sum(d.x[v][f]) > 1.0
        })),
        Effect::Anything
    );
    assert_eq!(of(parse_quote!({ (if d.alpha > 0.0 { weigh(1.0) } else { 2.0 }) > 1.0 })), Effect::Anything);
}
