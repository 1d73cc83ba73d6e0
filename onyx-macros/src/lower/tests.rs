use quote::ToTokens;
use syn::{ItemFn, parse_quote};

use crate::check::operation::Operation;
use crate::errors::Errors;
use crate::expand::function::{Lowered, lower};
use crate::lower::plan::Slot;
use crate::parse::access::{Access, Place};
use crate::parse::function::Kind;

fn lowered(kind: Kind, item: &ItemFn) -> Lowered {
    let mut errors = Errors::default();
    let lowered = lower(kind, item, &mut errors);
    assert_eq!(errors.texts(), Vec::<String>::new());
    lowered.expect("a function without errors is lowered")
}

fn absorb() -> Lowered {
    let item = parse_quote! {
        fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut LabelPropagation<K>) -> bool {
            let mixed = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
            let label = normalize(mixed);
            let moved = (label - d.label[v][f]).abs() > d.epsilon;
            d.label[v][f] = label;
            any(moved)
        }
    };
    lowered(Kind::Vertex, &item)
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

#[test]
fn a_body_is_split_at_its_operations() {
    let regions = absorb().regions;
    let operations: Vec<_> = regions.iter().map(|region| region.call.as_ref().map(|call| call.operation)).collect();
    let [normalize, any] = [Operation::Normalize, Operation::Any].map(Some);
    assert_eq!(operations, [normalize, normalize, any, None]);
    let statements: Vec<usize> = regions.iter().map(|region| region.statements.len()).collect();
    assert_eq!(statements, [0, 1, 3, 1]);
    assert_eq!(text(&regions[3].statements[0]), "__result_2");
}

#[test]
fn an_operation_leaves_its_result_behind() {
    let regions = absorb().regions;
    assert_eq!(text(&regions[0].call.as_ref().unwrap().arguments), "d . sum [v] [f]");
    let mixed = "let mixed = d . alpha * __result_0 [__index] + (1.0 - d . alpha) * d . seed [v] [f] ;";
    assert_eq!(text(&regions[1].statements[0]), mixed);
}

#[test]
fn nested_operations_run_from_the_inside_out() {
    let item = parse_quote! {
        fn nested<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
            d.label[v][f] = normalize(d.seed[v][f] + sum(d.label[v][f])) * sum(d.seed[v][f]);
            true
        }
    };
    let regions = lowered(Kind::Vertex, &item).regions;
    let arguments = regions.iter().filter_map(|region| region.call.as_ref()).map(|call| text(&call.arguments));
    assert_eq!(
        arguments.collect::<Vec<_>>(),
        ["d . label [v] [f]", "d . seed [v] [f] + __result_0", "d . seed [v] [f]"]
    );
    assert_eq!(text(&regions[3].statements[0]), "d . label [v] [f] = __result_1 [__index] * __result_2 ;");
}

#[test]
fn a_variable_with_the_name_of_an_operation_hides_it() {
    let item = parse_quote! {
        fn hidden<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
            let sum = sum(d.seed[v][f]);
            let sum = |x: f32| x + sum;
            sum(1.0) > 0.0
        }
    };
    assert_eq!(lowered(Kind::Vertex, &item).regions.len(), 2);
}

#[test]
fn variables_live_from_their_region_to_the_last_that_mentions_them() {
    let item = parse_quote! {
        fn lives<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
            let mut kept = 1.0;
            let unused = 2.0;
            let total = sum(kept);
            kept += total;
            let kept = kept * any(kept > 0.0) as u8 as f32;
            kept > unused
        }
    };
    let lowered = lowered(Kind::Vertex, &item);
    let lives = lowered.variables.iter().map(|variable| {
        let region = |test: fn(&crate::lower::variable::Variable, usize) -> bool| {
            (0..3).filter(|region| test(variable, *region)).collect::<Vec<_>>()
        };
        (variable.name.to_string(), region(|v, r| v.enters(r)), region(|v, r| v.leaves(r)))
    });
    let expected = [("kept".to_owned(), vec![1, 2], vec![0, 1]), ("unused".to_owned(), vec![2], vec![0])];
    assert_eq!(lives.collect::<Vec<_>>(), expected);
}

#[test]
fn a_written_row_is_loaded_unless_it_is_certainly_replaced_first() {
    let is_loaded = |body: syn::Block| {
        let item = parse_quote! {
            fn put<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool #body
        };
        lowered(Kind::Vertex, &item).plan.registers[0].is_loaded
    };
    assert!(!is_loaded(parse_quote!({
        d.label[v][f] = 1.0;
        d.label[v][f] > 0.0
    })));
    assert!(!is_loaded(parse_quote!({
        {
            d.label[v][f] = 1.0;
        }
        true
    })));
    assert!(is_loaded(parse_quote!({
        d.label[v][f] += 1.0;
        true
    })));
    assert!(is_loaded(parse_quote!({
        d.label[v][f] = d.label[v][f] + 1.0;
        true
    })));
    assert!(is_loaded(parse_quote!({
        if d.alpha > 0.0 {
            d.label[v][f] = 1.0;
        }
        true
    })));
    assert!(is_loaded(parse_quote!({
        if d.alpha > 0.0 {
            return true;
        }
        d.label[v][f] = 1.0;
        true
    })));
    assert!(is_loaded(parse_quote!({
        while d.alpha > 0.0 {
            d.label[v][f] = 1.0;
        }
        true
    })));
}

#[test]
fn one_value_is_loaded_once() {
    let item = parse_quote! {
        fn many<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
            d.sum[e.dst][f] += d.seed[e.src][f] * d.seed[e.src][f] + d.seed[e.dst][f];
            d.total[e.dst] -= d.weight[e] * d.alpha;
            true
        }
    };
    let plan = lowered(Kind::Edge, &item).plan;
    assert_eq!((plan.loads.len(), plan.sums.len(), plan.registers.len()), (4, 2, 0));
    let access = |property: &str, place, is_row| Access {
        property: syn::Ident::new(property, proc_macro2::Span::call_site()),
        place,
        is_row,
        index: None,
        matrix: None,
    };
    assert_eq!(plan.slot(&access("seed", Place::Destination, true)), Slot::Load(1));
    assert_eq!(plan.slot(&access("total", Place::Destination, false)), Slot::Sum(1));
    assert_eq!(plan.places().len(), 5);
}

#[test]
fn only_values_that_differ_need_a_vote() {
    let is_uniform = |body: syn::Block| {
        let item = parse_quote! {
            fn vote<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool #body
        };
        lowered(Kind::Vertex, &item).is_uniform
    };
    assert!(is_uniform(parse_quote!({ true })));
    assert!(is_uniform(parse_quote!({ any(d.seed[v][f] > 0.0) })));
    assert!(is_uniform(parse_quote!({
        let total = sum(d.seed[v][f]);
        if total > 1.0 {
            return false;
        }
        total > d.rank[v]
    })));
    assert!(!is_uniform(parse_quote!({ d.seed[v][f] > 0.0 })));
    assert!(!is_uniform(parse_quote!({ f.index() == 0 })));
    assert!(!is_uniform(parse_quote!({
        if d.seed[v][f] > 0.0 {
            return false;
        }
        true
    })));
    assert!(!is_uniform(parse_quote!({
        let mut x = 0.0;
        if d.seed[v][f] > 0.0 {
            x = 1.0;
        }
        x > 0.0
    })));
    assert!(!is_uniform(parse_quote!({
        let mut x = 0.0;
        loop {
            if d.seed[v][f] > x {
                break;
            }
            x += 1.0;
        }
        x > 0.0
    })));
}

#[test]
fn a_product_with_a_whole_row_is_a_load_for_each_matrix() {
    let item = parse_quote! {
        fn project<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
            let hidden = matvec(d.weight[f], d.input[v][..]);
            d.hidden[v][f] = if hidden > 0.0 { hidden } else { matvec(d.slope[f], d.input[v][..]) };
            hidden > matvec(d.weight[f], (d.input[v])[..])
        }
    };
    let Lowered { plan, regions, is_uniform, function, .. } = lowered(Kind::Vertex, &item);
    assert!(!is_uniform && regions.len() == 1, "it is no collaborative operation, and differs between features");
    assert_eq!(text(&function.generics), "< const K : usize >");
    assert_eq!(text(&function.data), "Layer < K >");
    let loads: Vec<String> = plan.loads.iter().map(|load| load.access.matrix.as_ref().unwrap().to_string()).collect();
    assert_eq!(loads, ["weight", "slope"]);
    assert!(plan.loads.iter().all(|load| load.access.property == "input" && load.access.place == Place::Vertex));
    assert_eq!(plan.matrices(), ["weight", "slope"]);
    assert_eq!(plan.places().len(), 3);
}

#[test]
fn a_matrix_of_the_graph_that_vertices_multiply_by_alone_is_no_load() {
    let multiplied = |lowered: &Lowered| lowered.plan.multiplied().into_iter().map(ToString::to_string).collect();
    let item = parse_quote! {
        fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Layer<K>) -> bool {
            let mixed = matvec(d.first[f], d.x[v][f]) + transpose_matvec(d.first[f], d.y[v][f]);
            d.out[v][f] = mixed + matvec(d.second[f], d.x[v][f]) + max_matvec(d.second[f], matvec(d.own[v][f], d.y[v][f]));
            true
        }
    };
    let mix = lowered(Kind::Vertex, &item);
    let found: Vec<String> = multiplied(&mix);
    assert_eq!(found, ["first"], "the second one is read otherwise, and the last is no matrix of the graph");
    let loads: Vec<String> = mix.plan.loads.iter().map(|load| load.access.property.to_string()).collect();
    assert_eq!(loads, ["x", "y", "second", "own"]);
    assert!(mix.plan.places().iter().any(|access| access.property == "first"));
    let item = parse_quote! {
        fn pass<const K: usize>(f: Feature, e: Edge, d: &mut Layer<K>) -> bool {
            d.sum[e.dst][f] += matvec(d.first[f], d.x[e.src][f]);
            true
        }
    };
    let found: Vec<String> = multiplied(&lowered(Kind::Edge, &item));
    assert!(found.is_empty(), "an edge's rows come one at a time");
}
