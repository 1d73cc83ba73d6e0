//! Gradients as source.

use syn::{Item as SynItem, ItemFn, parse_file};

use super::{FIELDS, derived, edge, vertex};
use crate::errors::Errors;
use crate::expand::function::lower;
use crate::parse::fold::Fold;

/// `cargo xtask explain FOLD --gradient` prints this.
#[test]
fn what_is_printed_of_a_gradient_is_source() {
    let fields = format!("{FIELDS}, pool_gradient_count: Table<K>");
    let functions = edge("tally", "d.pool[d.kind[e] as u32][f].min_with(d.x[e.src][f]);")
        + &vertex(
            "act",
            "d.out[v][f] = matvec(inverse(d.size[v] * outer(d.x[v][f], d.x[v][f]) + diagonal(d.y[v][f])), d.y[v][f]) * product(d.x[v][f]);",
        );
    let derived = derived(&fields, &functions, "[tally, act]; gradient = [x, y, size]").unwrap();
    let file = parse_file(&derived.source()).unwrap();
    let printed: Vec<&ItemFn> = file
        .items
        .iter()
        .filter_map(|item| match item {
            SynItem::Fn(item) => Some(item),
            _ => None,
        })
        .collect();
    assert_eq!(printed.len(), derived.written.len());
    for (printed, (kind, _)) in printed.iter().zip(&derived.written) {
        let mut errors = Errors::default();
        let own = ItemFn { attrs: Vec::new(), ..(*printed).clone() };
        assert!(lower(*kind, &own, &mut errors).is_some(), "{:?}", errors.texts());
    }
    let fold = file.items.iter().find_map(|item| match item {
        SynItem::Macro(found) => Some(found.mac.tokens.clone()),
        _ => None,
    });
    let fold: Fold = syn::parse2(fold.unwrap()).unwrap();
    assert_eq!(fold.functions().count(), derived.written.len());
}
