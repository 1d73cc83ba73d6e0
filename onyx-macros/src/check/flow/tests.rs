use syn::{Block, Ident, ItemFn, parse_quote, parse_str};

use super::{Flow, Sources, of};
use crate::errors::Errors;
use crate::parse::function::{self, Kind};

fn flow(body: &str) -> Flow {
    let body: Block = parse_str(&format!("{{ {body} }}")).unwrap_or_else(|error| panic!("{body}: {error}"));
    let item: ItemFn = parse_quote! {
        fn f<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool #body
    };
    let mut errors = Errors::default();
    let function = function::parse(Kind::Vertex, &item, &mut errors).expect("a signature");
    of(&function)
}

fn listed(sources: &Sources) -> String {
    sources.iter().map(Ident::to_string).collect::<Vec<_>>().join(" ")
}

/// `a < b c; ..` for each property that is stored, with `?` where that is not certain.
fn stores(body: &str) -> String {
    let stored = flow(body).stores.into_iter().map(|stored| {
        let doubt = if stored.is_certain { "" } else { "?" };
        format!("{}{doubt} < {}", stored.property, listed(&stored.sources))
    });
    stored.collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_stored_comes_from_what_was_read() {
    let cases = [
        ("d.x[v][f] = d.a[v][f] + d.p; true", "x < a p"),
        ("let y = d.a[v][f]; let z = y * 2.0; d.x[v][f] = z.abs(); true", "x < a"),
        ("d.x[v] += 1.0; true", "x < x"),
        ("d.x[v] *= d.a[v]; true", "x < a x"),
        ("d.x[v] = 1.0; d.y[v] = d.x[v]; true", "x < ; y < "),
        ("d.y[v] = d.x[v]; d.x[v] = d.a[v]; true", "x < a; y < x"),
        ("d.x[v] = d.a[v]; d.x[v] += d.b[v]; true", "x < a b"),
        ("let (y, z) = (d.a[v], d.b[v]); d.x[v] = z; d.y[v] = y; true", "x < b; y < a"),
        ("let (y, _) = pair(d.a[v], d.b[v]); d.x[v] = y; true", "x < a b"),
        ("d.x[v][f] = normalize(d.a[v][f]) * sum(d.b[v][f]); true", "x < a b"),
        ("d.x[v] = helper(d.a[v], &d.b[v]); true", "x < a b"),
        ("let by = d.a[v]; let scale = |x: f32| x * by; d.x[v] = scale(d.b[v]); true", "x < a b"),
        ("let array = [d.a[v], 1.0]; d.x[v] = array[0]; true", "x < a"),
        ("d.x[v] = if d.c[v] > 0.0 { d.a[v] } else { d.b[v] }; true", "x < a b c"),
        ("d.x[v] = match d.c[v] { c if c > d.g[v] => d.a[v], _ => 0.0 }; true", "x < a c g"),
        ("let mut y = 0.0; if d.c[v] > 0.0 { y = d.a[v]; } d.x[v] = y; true", "x < a c"),
        ("let mut y = 0.0; for _ in 0..3 { y += d.a[v]; } d.x[v] = y; true", "x < a"),
        ("let mut y = 0.0; while y < d.c[v] { y += d.a[v] * d.b[v]; } d.x[v] = y; true", "x < a b c"),
    ];
    for (body, expected) in cases {
        assert_eq!(stores(body), expected, "{body}");
    }
}

#[test]
fn conditions_around_are_sources_and_what_stays_is_none() {
    let cases = [
        ("if d.c[v] > 0.0 { d.x[v] = d.a[v]; } true", "x? < a c"),
        ("if d.c[v] > 0.0 { d.x[v] = d.a[v]; } else { d.x[v] = d.b[v]; } true", "x < a b c"),
        ("if d.c[v] > 0.0 { return false; } d.x[v] = d.a[v]; true", "x? < a c"),
        ("if d.x[v] > 0.0 { d.x[v] = d.a[v]; } true", "x? < a x"),
        ("if let Some(y) = found(d.a[v]) { d.x[v] = y; } true", "x? < a"),
        ("let Some(y) = found(d.a[v]) else { return false; }; d.x[v] = y; true", "x? < a"),
        ("for _ in 0..3 { d.x[v] += d.a[v]; } true", "x? < a x"),
        ("match d.c[v] > 0.0 { true => d.x[v] = d.a[v], false => {} } true", "x? < a c"),
        ("if d.c[v] > 0.0 { d.x[v] = d.a[v]; } d.y[v] = d.x[v]; true", "x? < a c; y < a c x"),
    ];
    for (body, expected) in cases {
        assert_eq!(stores(body), expected, "{body}");
    }
}

#[test]
fn what_is_not_understood_comes_from_everything() {
    let cases = [
        "let mut y = d.a[v]; change(&mut y); d.x[v] = 1.0; true",
        "let mut y = d.a[v]; let mut c = || y += 1.0; c(); d.x[v] = 1.0; true",
        "let mut y = [d.a[v]]; y.iter_mut().for_each(drop); d.x[v] = 1.0; true",
        "let mut y = Some(d.a[v]); let Some(ref mut z) = y else { return true; }; d.x[v] = 1.0; true",
        "let y = d.a[v] > 0.0 && { d.x[v] = 1.0; true }; y",
        "loop { if d.a[v] > 0.0 { return true; } d.x[v] = 1.0; }",
    ];
    for body in cases {
        assert_eq!(stores(body), "x? < a x", "{body}");
        assert_eq!(listed(&flow(body).returned), "a x", "{body}");
        assert!(flow(body).covers.is_empty());
    }
}

/// The properties that the return value says the change of by itself.
fn covers(body: &str) -> String {
    let Flow { stores, covers, .. } = flow(body);
    let derived = stores.into_iter().filter(|stored| stored.rests_on.is_some()).map(|stored| stored.property).collect();
    listed(&covers.difference(&derived).cloned().collect())
}

#[test]
fn a_comparison_with_the_earlier_value_says_what_has_changed() {
    let said = [
        "let new = d.a[v][f]; let moved = (new - d.x[v][f]).abs() > d.p; d.x[v][f] = new; any(moved)",
        "let new = d.a[v][f]; let moved = (d.x[v][f] - new).abs() >= d.p; d.x[v][f] = new; moved",
        "let new = d.a[v][f]; let moved = d.p < (new - d.x[v][f]).abs(); d.x[v][f] = new; moved",
        "let new = d.a[v][f]; let moved = new != d.x[v][f]; d.x[v][f] = new; any(moved)",
        "let new = d.a[v][f]; let same = new == d.x[v][f]; d.x[v][f] = new; any(!same)",
        "let new = d.a[v][f]; let near = (new - d.x[v][f]).abs() <= d.p; d.x[v][f] = new; !near",
        "let old = d.x[v][f]; d.x[v][f] += d.a[v][f]; any((d.x[v][f] - old).abs() > d.p)",
        "let new = d.a[v][f]; let moved = norm2(new - d.x[v][f]) > d.p; d.x[v][f] = new; moved",
        "let new = d.a[v][f]; let moved = sum((new - d.x[v][f]).abs()) > d.p; d.x[v][f] = new; moved",
        "let new = d.a[v][f]; let moved = max((new - d.x[v][f]).abs()) > d.p; d.x[v][f] = new; moved",
        "let change = d.a[v][f] - d.x[v][f]; d.x[v][f] = d.a[v][f]; sum(change * change) > d.p",
        "let change = d.a[v][f] - d.x[v][f]; d.x[v][f] = d.a[v][f]; dot(change, change).sqrt() > d.p",
        "let change = d.a[v][f] - d.x[v][f]; d.x[v][f] = d.a[v][f]; change.powi(2) > d.p",
        "let change = d.a[v][f] - d.x[v][f]; d.x[v][f] = d.a[v][f]; change != 0.0",
        "let new = d.a[v]; let moved = (new - d.x[v]).abs() / new > d.p; d.x[v] = new; moved",
        "let new = d.a[v]; let moved = (new - d.x[v]).abs() > d.p.max(4.0 * f32::EPSILON * new.abs()); d.x[v] = new; moved",
        "let new = d.a[v]; let moved = f32::abs(new - d.x[v]) > d.p; d.x[v] = new; moved || d.b[v] > 0.0",
        "let new = d.a[v]; let moved = new != d.x[v]; if moved { d.x[v] = new; } moved",
        "let new = d.c[v] > 0.0; if new { d.x[v] = d.a[v]; } new",
        "let new = d.c[v] > 0.0; if new && d.b[v] > 0.0 { d.x[v] = d.a[v]; } any(new)",
        "if d.c[v] > 0.0 { d.x[v] = d.a[v]; return true; } false",
        "if d.c[v] > 0.0 { return false; } d.x[v] = d.a[v]; true",
        "let new = d.a[v]; if new == d.x[v] { return false; } d.x[v] = new; true",
        "let new = d.a[v]; let moved = new != d.x[v]; d.x[v] = new; if moved { true } else { d.b[v] > 0.0 }",
        "d.x[v] = d.a[v]; true",
    ];
    for body in said {
        assert_eq!(covers(body), "x", "{body}");
    }
}

#[test]
fn what_is_computed_from_what_is_said_is_said_too() {
    let moved = "let new = d.a[v]; let moved = new != d.x[v]; d.x[v] = new;";
    let rests_on = |rest: &str| {
        let stores = flow(&format!("{moved} {rest} moved")).stores;
        stores.into_iter().find(|stored| stored.property == "y").expect("a store").rests_on.map(|rest| listed(&rest))
    };
    assert_eq!(rests_on("d.y[v] = new * d.b[v];").as_deref(), Some("b"));
    assert_eq!(rests_on("d.y[v] = 2.0 * new.abs() + d.x[v];").as_deref(), Some(""));
    assert_eq!(rests_on("let half = new / 2.0; d.y[v] = -half;").as_deref(), Some(""));
    assert_eq!(rests_on("d.y[v] = new * d.y[v];"), None);
    assert_eq!(rests_on("d.y[v] += new;"), None);
    assert_eq!(rests_on("if d.b[v] > 0.0 { d.y[v] = new; }"), None);
    assert_eq!(rests_on("d.y[v] = if d.b[v] > 0.0 { new } else { 0.0 };"), None);
    assert_eq!(listed(&flow(&format!("{moved} d.y[v] = new * d.b[v]; moved")).covers), "x y");
}

#[test]
fn other_return_values_say_nothing() {
    let unsaid = [
        "d.x[v][f] = d.a[v][f]; false",
        "d.x[v][f] = d.a[v][f]; any(d.a[v][f] > 0.0)",
        "let new = d.a[v][f]; let moved = new - d.x[v][f] > d.p; d.x[v][f] = new; any(moved)",
        "let new = d.a[v][f]; let grown = new > d.x[v][f]; d.x[v][f] = new; grown",
        "let new = d.a[v][f]; let moved = (new - d.x[v][f]).abs() > d.p; d.x[v][f] = 2.0 * new; moved",
        "let new = d.a[v][f]; d.x[v][f] = new; (new - d.x[v][f]).abs() > d.p",
        "let new = d.a[v][f]; let moved = new != d.y[v][f]; d.x[v][f] = new; moved",
        "let new = d.a[v][f]; let moved = new != d.x[v][f]; d.x[v][f] = new; all(moved)",
        "let new = d.a[v][f]; let moved = new != d.x[v][f]; d.x[v][f] = new; moved && d.b[v][f] > 0.0",
        "let new = d.a[v][f]; let moved = (new - d.x[v][f]).abs() * d.b[v][f] > d.p; d.x[v][f] = new; moved",
        "let new = d.a[v][f]; let moved = new == d.x[v][f]; d.x[v][f] = new; moved",
        "if d.c[v] > 0.0 { d.x[v] = d.a[v]; } d.c[v] > 1.0",
        "if d.c[v] > 0.0 { d.x[v] = d.a[v]; } else { d.x[v] = 0.0; } d.c[v] > 0.0",
        "let new = d.c[v] > 0.0; if new { d.x[v] = 1.0; } d.x[v] = d.a[v]; new",
        "let new = d.a[v]; let moved = new != d.x[v]; d.x[v] = new; if moved { d.b[v] > 0.0 } else { true }",
        "let mut new = d.a[v]; let moved = new != d.x[v]; new += 1.0; d.x[v] = new; moved",
        "let mut new = d.a[v]; let moved = new != d.x[v]; for _ in 0..2 { new += 1.0; } d.x[v] = new; moved",
        "let mut moved = d.a[v] != d.x[v]; d.x[v] = d.a[v]; if d.b[v] > 0.0 { moved = false; } moved",
    ];
    for body in unsaid {
        assert_eq!(covers(body), "", "{body}");
    }
}

#[test]
fn true_on_every_path_is_told_apart() {
    assert!(flow("d.x[v] += 1.0; true").always_true);
    assert!(flow("if d.a[v] > 0.0 { return true; } d.x[v] += 1.0; true").always_true);
    assert!(!flow("if d.a[v] > 0.0 { return false; } d.x[v] += 1.0; true").always_true);
    assert!(!flow("d.x[v] += 1.0; d.x[v] > 0.0").always_true);
}

#[test]
fn the_return_value_has_sources() {
    assert_eq!(listed(&flow("d.x[v] = d.a[v]; d.x[v] > d.b[v]").returned), "a b");
    assert_eq!(listed(&flow("if d.c[v] > 0.0 { return d.a[v] > 0.0; } d.b[v] > 0.0").returned), "a b c");
    assert_eq!(listed(&flow("if d.c[v] > 0.0 { true } else { false }").returned), "c");
}
