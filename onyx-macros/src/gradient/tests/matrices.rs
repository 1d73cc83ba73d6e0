//! Gradients of and through matrices.

use super::{FIELDS, bodies, derived, edge, vertex};

#[test]
fn a_matrix_gets_outer_products_and_a_vector_the_transposed_product() {
    let fields = format!(
        "{FIELDS}, mix: GraphMatrix<K>, mix_gradient: GraphMatrix<K>, gram: VertexMatrix<K>, gram_gradient: VertexMatrix<K>"
    );
    let derived_of = |functions: &str, fold: &str| derived(&fields, functions, fold);
    let of = |expression: &str| {
        let functions = vertex("act", &format!("d.out[v][f] = {expression};"));
        bodies(&derived_of(&functions, "[act]; gradient = [x, mix]").unwrap())[0].1.replace("d.out_gradient[v][f]", "g")
    };
    let product = of("matvec(d.mix[f], d.x[v][f])");
    let expected = "{d.mix_gradient[f]+=outer(g,d.x[v][f]);d.x_gradient[v][f]=transpose_matvec(d.mix[f],g);true}";
    let turned = "{d.x_gradient[v][f]=transpose_matvec(d.mix[f],g);d.mix_gradient[f]+=outer(g,d.x[v][f]);true}";
    assert!(product == expected || product == turned, "{product}");
    let transposed = of("transpose_matvec(d.mix[f], d.x[v][f])");
    assert!(transposed.contains("d.mix_gradient[f]+=outer(d.x[v][f],g);"), "{transposed}");
    assert!(transposed.contains("d.x_gradient[v][f]=matvec(d.mix[f],g);"), "{transposed}");
    let chosen = of("matvec(if d.size[v] > 0.0 { d.mix[f] } else { -d.mix[f] }, d.x[v][f])");
    assert!(chosen.contains("value_3=outer(g,d.x[v][f])") && chosen.contains("{value_3}else{-value_3}"), "{chosen}");
    let sometimes = of("matvec(if d.size[v] > 0.0 { d.mix[f] } else { d.gram[v][f] }, d.x[v][f])");
    assert!(sometimes.contains("else{::onyx_device::Row::ZERO}"), "{sometimes}");
    let gathered = edge("gather", "d.gram[e.dst][f] += outer(d.x[e.src][f], d.weight[e] * d.y[e.src][f]);")
        + &vertex("fit", "d.out[v][f] = solve(d.gram[v][f] + diagonal(d.alpha), d.y[v][f]);");
    let found = bodies(&derived_of(&gathered, "[gather, fit]; gradient = [x, weight]").unwrap());
    assert!(found[0].1.contains("d.gram_gradient[v][f]=-outer(solve(d.gram[v][f]+diagonal(d.alpha),"), "{found:?}");
    assert!(found[0].1.contains("d.out_gradient[v][f]),d.out[v][f]);"), "{found:?}");
    assert!(found[1].1.contains("d.x_gradient[e.src][f]+=matvec(d.gram_gradient[e.dst][f],"), "{found:?}");
}

#[test]
fn an_adjoint_of_outer_products_goes_through_what_makes_matrices() {
    let fields = format!(
        "{FIELDS}, gram: VertexMatrix<K>, gram_gradient: VertexMatrix<K>, kept: VertexMatrix<K>, kept_gradient: VertexMatrix<K>"
    );
    let found =
        |body: &str, asked: &str| derived(&fields, &vertex("act", body), &format!("[act]; gradient = [{asked}]"));
    let of = |expression: &str, asked: &str| {
        let found = bodies(&found(&format!("d.out[v][f] = {expression};"), asked).unwrap());
        found[0].1.replace("d.out_gradient[v][f]", "g")
    };
    let diagonal = of("matvec(diagonal(d.x[v][f]), d.y[v][f])", "x");
    assert_eq!(diagonal, "{d.x_gradient[v][f]=g*d.y[v][f];true}");
    let scaled = of("matvec(d.size[v] * d.gram[v][f], d.x[v][f])", "size");
    assert_eq!(scaled, "{d.size_gradient[v]=sum(g*matvec(d.gram[v][f],d.x[v][f]));true}");
    let inverse = of("matvec(inverse(d.gram[v][f]), d.x[v][f])", "gram");
    assert!(inverse.starts_with("{letvalue=inverse(d.gram[v][f]);"), "{inverse}");
    assert!(inverse.ends_with("=-outer(matvec(value,g),matvec(value,d.x[v][f]));true}"), "{inverse}");
    let chosen = "let own = diagonal(d.x[v][f]); d.out[v][f] = matvec(if d.y[v][f] > 0.0 { own } else { d.gram[v][f] }, d.y[v][f]);";
    let chosen = bodies(&found(chosen, "x").unwrap())[0].1.clone();
    assert!(chosen.contains("{d.out_gradient[v][f]}else{0.0}"), "{chosen}");
    let refused = |body: &str, asked: &str| found(body, asked).err().unwrap()[0].clone();
    assert!(refused("d.kept[v][f] = d.size[v] * d.gram[v][f];", "size").contains("scale the vector"));
    assert!(
        refused("d.kept[v][f] = diagonal(d.x[v][f]);", "x").contains("the gradient of `diagonal` is derived where")
    );
    assert!(
        refused("d.kept[v][f] = inverse(d.gram[v][f]);", "gram").contains("the gradient of `inverse` is derived where")
    );
    let read = bodies(&found("d.kept[v][f] = outer(d.y[v][f], d.y[v][f]) / d.size[v];", "size").unwrap());
    assert!(read[0].1.contains("matvec(d.kept_gradient[v][f],d.y[v][f])"), "{read:?}");
}
