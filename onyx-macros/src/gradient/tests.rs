//! Gradients of whole folds, from source to source.

mod calls;
mod choices;
mod late;
mod matrices;
mod printed;

use syn::{Item as SynItem, ItemFn, parse_file, parse_str};

use super::{Derived, derive};
use crate::compile::Compiled;
use crate::compile::function::FoldFunction;
use crate::compile::property::Properties;
use crate::errors::Errors;
use crate::expand::function::{Lowered, lower, lower_chosen};
use crate::parse::fold::Fold;
use crate::parse::function::Kind;
use crate::parse::state::Item;

/// What comes of a structure's fields, functions and a fold's list and options.
fn derived(fields: &str, functions: &str, fold: &str) -> Result<Derived, Vec<String>> {
    let source = format!("struct Data<const K: usize> {{ {fields} }} {functions}");
    let file = parse_file(&source).unwrap_or_else(|error| panic!("{source}: {error}"));
    let fold: Fold = parse_str(&format!("step<const K: usize>(Data<K>) = {fold}")).unwrap();
    let structure = file.items.iter().find_map(|item| match item {
        SynItem::Struct(structure) => Some(structure.clone()),
        _ => None,
    });
    let structure = structure.unwrap();
    let properties = Properties::of(&structure).unwrap();
    let mut errors = Errors::default();
    let listed: Vec<(Kind, ItemFn)> =
        fold.functions().map(|listed| of_name(&file.items, &listed.path.segments.last().unwrap().ident)).collect();
    let lowered: Vec<Lowered> = listed
        .iter()
        .zip(fold.functions())
        .map(|((kind, item), listed)| {
            let lowered = lower_chosen(*kind, item, &listed.switches, &mut errors);
            lowered.unwrap_or_else(|| panic!("{:?}", errors.texts()))
        })
        .collect();
    let firsts = fold.parts.iter().flat_map(|part| (0..part.len()).map(|position| position == 0));
    let members = fold.functions().zip(firsts).zip(&lowered);
    let members = members
        .map(|((listed, is_first), lowered)| FoldFunction::new(listed, is_first, lowered, &properties))
        .collect();
    let widths = fold.check(&mut errors);
    let compiled = Compiled::new(fold.clone(), widths, properties, members);
    let items: Vec<Item> = [Item::Data(structure.clone())]
        .into_iter()
        .chain(listed.iter().map(|(kind, item)| Item::Function(*kind, item.clone())))
        .collect();
    let derived = derive(&compiled, &structure, &lowered, &items, &mut errors);
    let texts = errors.texts();
    derived.filter(|_| texts.is_empty()).ok_or(texts)
}

fn of_name(items: &[SynItem], name: &syn::Ident) -> (Kind, ItemFn) {
    let function = items.iter().find_map(|item| match item {
        SynItem::Fn(function) if function.sig.ident == *name => Some(function.clone()),
        _ => None,
    });
    let function = function.unwrap_or_else(|| panic!("no function {name}"));
    let kind = if function.attrs[0].path().is_ident("edge_fn") { Kind::Edge } else { Kind::Vertex };
    (kind, ItemFn { attrs: Vec::new(), ..function })
}

fn edge(name: &str, body: &str) -> String {
    format!("#[edge_fn] fn {name}<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {{ {body} true }}")
}

fn vertex(name: &str, body: &str) -> String {
    format!("#[vertex_fn] fn {name}<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {{ {body} true }}")
}

/// The bodies of the derived functions, by name, without spaces; all of them pass the checks of the language.
#[track_caller]
fn bodies(derived: &Derived) -> Vec<(String, String)> {
    let body = |(kind, item): &(Kind, ItemFn)| {
        let mut errors = Errors::default();
        let text = quote::quote!(#item).to_string();
        assert!(lower(*kind, item, &mut errors).is_some(), "{text}: {:?}", errors.texts());
        let block = &item.block;
        let body: String = quote::quote!(#block).to_string().split_whitespace().collect();
        (item.sig.ident.to_string(), body)
    };
    derived.written.iter().map(body).collect()
}

const FIELDS: &str = "x: VertexFeatures<K>, y: VertexFeatures<K>, weight: EdgeScalar, size: VertexScalar, sum: VertexFeatures<K>,
    least: VertexFeatures<K>, out: VertexFeatures<K>, total: VertexScalar, alpha: Parameter, round: IterationNumber, bias: GraphFeatures<K>, loss: GraphScalar, label: VertexFeatures<K, Tracked>,
    x_gradient: VertexFeatures<K>, x_gradient_part: VertexFeatures<K>, y_gradient: VertexFeatures<K>, weight_gradient: EdgeScalar,
    size_gradient: VertexScalar, sum_gradient: VertexFeatures<K>, out_gradient: VertexFeatures<K>, total_gradient: VertexScalar,
    alpha_gradient: GraphScalar, bias_gradient: GraphFeatures<K>, loss_gradient: GraphScalar,
    kind: EdgeScalar, kind_of: VertexScalar<u32>, least_kind: VertexScalar<u32>, row: Table<K>, row_gradient: Table<K>, pool: Table<K>, pool_gradient: Table<K>";

/// The bodies of the gradient of one vertex function that writes `out`, of `x`, `y` and `size`.
#[track_caller]
fn of_vertex(body: &str, asked: &str) -> String {
    let functions = vertex("act", body);
    let derived = derived(FIELDS, &functions, &format!("[act]; gradient = [{asked}]"));
    let derived = derived.unwrap_or_else(|errors| panic!("{body}: {errors:?}"));
    let found = bodies(&derived);
    assert_eq!(found.len(), 1);
    found[0].1.clone()
}

/// The only error of the gradient of `x`.
#[track_caller]
fn refusal(functions: &str, fold: &str) -> String {
    let errors = derived(FIELDS, functions, fold).err().unwrap_or_else(|| panic!("{functions} has a gradient"));
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].clone()
}

#[test]
fn a_weighted_sum_is_gathered_from_the_other_end() {
    let functions = edge("gather", "d.sum[e.dst][f] += d.weight[e] * d.x[e.src][f];");
    let derived = derived(FIELDS, &functions, "[gather]; gradient = [x, weight]").unwrap();
    let expected = "{d.x_gradient[e.src][f]+=d.sum_gradient[e.dst][f]*d.weight[e];\
                    d.weight_gradient[e]=sum(d.sum_gradient[e.dst][f]*d.x[e.src][f]);true}";
    assert_eq!(bodies(&derived), [("gather_gradient".to_owned(), expected.to_owned())]);
}

#[test]
fn a_layer_goes_back_from_vertices_to_edges() {
    let functions =
        edge("gather", "d.sum[e.dst][f] += d.x[e.src][f];") + &vertex("act", "d.out[v][f] = d.alpha * d.sum[v][f];");
    let derived = derived(FIELDS, &functions, "[gather, act]; gradient = [x]").unwrap();
    let found = bodies(&derived);
    assert_eq!(found[0].1, "{d.sum_gradient[v][f]=d.out_gradient[v][f]*d.alpha;true}");
    assert_eq!(found[1].1, "{d.x_gradient[e.src][f]+=d.sum_gradient[e.dst][f];true}");
    let parts: Vec<usize> = derived.fold.parts.iter().map(Vec::len).collect();
    assert_eq!(parts, [1, 1]);
}

#[test]
fn rows_that_are_added_to_the_graph_have_a_stage_without_edges() {
    let parts = |rate: &str| {
        let functions = vertex("rate", rate)
            + &edge("gather", "d.sum[e.dst][f] += d.total[e.src] * d.y[e.src][f] + d.out[e.src][f];");
        let derived = derived(FIELDS, &functions, "[rate; gather]; gradient = [x, bias]").unwrap();
        derived.fold.parts.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(parts("d.total[v] = dot(d.x[v][f], d.bias[f]);"), [1, 1], "no row comes of edges");
    assert_eq!(parts("d.out[v][f] = d.x[v][f] + d.bias[f];"), [2], "one does, for one row that is added");
}

#[test]
fn a_total_that_was_in_registers_is_computed_again() {
    let functions =
        edge("gather", "d.sum[e.dst][f] += d.x[e.src][f];") + &vertex("act", "d.out[v][f] = d.sum[v][f].max(0.0);");
    let derived = derived(FIELDS, &functions, "[gather, act]; gradient = [x]").unwrap();
    let names: Vec<String> = derived.fold.functions().map(|listed| listed.name()).collect();
    assert_eq!(names, ["gather", "act_gradient", "gather_gradient"]);
    assert_eq!(derived.functions.len(), 3);
}

#[test]
fn both_ends_have_a_function_each_and_parts_are_added() {
    let functions = edge("gather", "d.sum[e.dst][f] += d.x[e.src][f] * d.x[e.dst][f];");
    let derived = derived(FIELDS, &functions, "[gather]; gradient = [x]").unwrap();
    let found = bodies(&derived);
    assert_eq!(found[0].1, "{d.x_gradient[e.src][f]+=d.sum_gradient[e.dst][f]*d.x[e.dst][f];true}");
    assert_eq!(found[1].1, "{d.x_gradient_part[e.dst][f]+=d.sum_gradient[e.dst][f]*d.x[e.src][f];true}");
    assert_eq!(found[2].1, "{d.x_gradient[v][f]+=d.x_gradient_part[v][f];true}");
}

#[test]
fn what_edges_add_to_the_graph_comes_before_what_their_sources_get() {
    let functions = edge("gather", "d.sum[e.dst][f] += d.bias[f] * d.x[e.src][f] * d.y[e.dst][f];");
    let names = |asked: &str| {
        let derived = derived(FIELDS, &functions, &format!("[gather]; gradient = [{asked}]")).unwrap();
        bodies(&derived).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names("x, y"), ["gather_gradient_source", "gather_gradient_destination"]);
    assert_eq!(names("x, y, bias"), ["gather_gradient_destination", "gather_gradient_source"]);
}

#[test]
fn a_row_that_is_read_gets_its_adjoint_where_it_was() {
    let functions = edge("gather", "d.sum[e.dst][f] += d.x[e.src][f] * d.row[d.kind[e] as u32][f];");
    let of_rows = derived(FIELDS, &functions, "[gather]; gradient = [row]").unwrap();
    let expected = "{d.row_gradient[d.kind[e]asu32][f]+=d.sum_gradient[e.dst][f]*d.x[e.src][f];true}";
    assert_eq!(bodies(&of_rows)[0].1, expected);
    let both = derived(FIELDS, &functions, "[gather]; gradient = [x, row]").unwrap();
    let expected = "{letvalue=d.kind[e]asu32;d.x_gradient[e.src][f]+=d.sum_gradient[e.dst][f]*d.row[value][f];\
                    d.row_gradient[value][f]+=d.sum_gradient[e.dst][f]*d.x[e.src][f];true}";
    assert_eq!(bodies(&both)[0].1, expected);
}

#[test]
fn what_is_added_to_a_row_has_the_adjoint_of_it() {
    let functions = edge("tally", "d.pool[d.kind[e] as u32][f] -= d.x[e.src][f];");
    let of_x = derived(FIELDS, &functions, "[tally]; gradient = [x]").unwrap();
    assert_eq!(bodies(&of_x)[0].1, "{d.x_gradient[e.src][f]-=d.pool_gradient[d.kind[e]asu32][f];true}");
}

#[test]
fn a_row_on_some_paths_and_another_vertex_have_no_gradient() {
    let sometimes = edge("gather", "d.sum[e.dst][f] += if d.kind[e] > 0.0 { d.row[0][f] } else { 0.0 };");
    assert!(refusal(&sometimes, "[gather]; gradient = [row]").contains("read it outside of branches"));
    let elsewhere = edge("gather", "d.sum[e.dst][f] += d.x[Vertex(0)][f];");
    assert!(refusal(&elsewhere, "[gather]; gradient = [x]").contains("no function may add to it there"));
    let constant = edge("gather", "d.sum[e.dst][f] += d.y[Vertex(0)][f] * d.x[e.src][f];");
    let of_x = derived(FIELDS, &constant, "[gather]; gradient = [x]").unwrap();
    assert!(bodies(&of_x)[0].1.contains("d.y[Vertex(0)][f]"), "{:?}", bodies(&of_x));
    let twice =
        vertex("first", "d.y[v][f] = d.row[0][f];") + &vertex("second", "d.out[v][f] = d.row[1][f] + d.y[v][f];");
    assert!(refusal(&twice, "[first; second]; gradient = [row]").contains("would come from several functions"));
}

#[test]
fn each_operator_has_its_rule() {
    let of = |body: &str| of_vertex(body, "x").replace("d.out_gradient[v][f]", "g").replace("d.x[v][f]", "x");
    let rule = |expression: &str| {
        let body = of(&format!("d.out[v][f] = {expression};"));
        body.replace("d.x_gradient[v][f]=", "").replace("true}", "").replace('{', "")
    };
    assert_eq!(rule("-d.x[v][f]"), "-g;");
    assert_eq!(rule("d.x[v][f] - d.y[v][f]"), "g;");
    assert_eq!(rule("d.y[v][f] - d.x[v][f]"), "-g;");
    assert_eq!(rule("d.x[v][f] / d.y[v][f]"), "g/d.y[v][f];");
    assert_eq!(rule("d.x[v][f].exp()"), "g*x.exp();");
    assert_eq!(rule("d.x[v][f].ln()"), "g/x;");
    assert_eq!(rule("d.x[v][f].sin()"), "g*x.cos();");
    assert_eq!(rule("d.x[v][f].powi(3)"), "g*3asf32*x.powi(3-1);".replace("3asf32", "(3asf32)"));
    assert_eq!(rule("d.x[v][f].powf(1.5)"), "g*1.5*x.powf(1.5-1.0);");
    assert_eq!(rule("d.x[v][f].mul_add(2.0, d.y[v][f])"), "g*2.0;");
    assert_eq!(rule("sum(d.x[v][f]) * d.y[v][f]"), "sum(g*d.y[v][f]);");
    assert_eq!(rule("(d.x[v][f] + 1.0) * (d.x[v][f] + 2.0)"), "g*(x+1.0)+g*(x+2.0);");
}

#[test]
fn no_power_has_a_gradient_that_is_no_number() {
    let integer = of_vertex("d.out[v][f] = d.x[v][f].powi(d.kind_of[v] as i32);", "x");
    assert!(integer.contains("!=0)asi32"), "{integer}");
    let constant = of_vertex("d.out[v][f] = d.x[v][f] + d.x[v][f].powi(0) + d.x[v][f].powf(0.0);", "x");
    assert!(!constant.contains("pow") && !constant.contains("=="), "{constant}");
    let power = of_vertex("d.out[v][f] = d.x[v][f].powf(d.y[v][f]);", "x, y");
    assert!(power.contains("ifd.y[v][f]==0.0{0.0}") && power.contains("ifd.x[v][f]==0.0{0.0}"), "{power}");
}

#[test]
fn a_branch_is_taken_again() {
    let body = of_vertex("d.out[v][f] = if d.x[v][f] > 0.0 { d.x[v][f] } else { 0.1 * d.x[v][f] };", "x");
    let expected = "{letvalue=ifd.x[v][f]>0.0{d.out_gradient[v][f]}else{d.out_gradient[v][f]*0.1};\
                    d.x_gradient[v][f]=value;true}";
    assert_eq!(body, expected);
    let assigned = of_vertex("let mut y = 0.0; if d.x[v][f] > 0.0 { y = d.x[v][f]; } d.out[v][f] = y;", "x");
    assert!(assigned.contains("ifd.x[v][f]>0.0{d.out_gradient[v][f]}else{0.0}"), "{assigned}");
    let guarded = of_vertex("if d.x[v][f] < 0.0 { d.out[v][f] = 0.0; return true; } d.out[v][f] = d.x[v][f];", "x");
    assert!(guarded.contains("ifd.x[v][f]<0.0{0.0}else{d.out_gradient[v][f]}"), "{guarded}");
}

#[test]
fn what_is_one_for_all_features_gets_the_sum_of_all_uses() {
    let body = of_vertex("let s = d.size[v] * 2.0; d.out[v][f] = s * d.y[v][f]; d.total[v] = s;", "size");
    let expected = "{d.size_gradient[v]=(sum(d.out_gradient[v][f]*d.y[v][f])+d.total_gradient[v])*2.0;true}";
    let turned = "{d.size_gradient[v]=(d.total_gradient[v]+sum(d.out_gradient[v][f]*d.y[v][f]))*2.0;true}";
    assert!(body == expected || body == turned, "{body}");
}

#[test]
fn what_the_graph_has_is_added_up() {
    let body = of_vertex("d.out[v][f] = d.alpha * d.y[v][f] + d.bias[f];", "alpha, bias");
    let expected =
        "{d.alpha_gradient+=sum(d.out_gradient[v][f]*d.y[v][f]);d.bias_gradient[f]+=d.out_gradient[v][f];true}";
    assert_eq!(body, expected);
    let loss = of_vertex("let off = d.x[v][f] - d.y[v][f]; d.loss += sum(off * off);", "x");
    assert!(loss.contains("d.loss_gradient*off"), "{loss}");
    let twice = vertex("first", "d.sum[v][f] = d.x[v][f] + d.bias[f];")
        + &vertex("second", "d.out[v][f] = d.sum[v][f] * d.bias[f];");
    assert!(refusal(&twice, "[first; second]; gradient = [bias]").contains("would come from several functions"));
}

#[test]
fn what_is_held_constant_has_none() {
    let body = of_vertex("d.out[v][f] = d.x[v][f] * constant(d.x[v][f]);", "x");
    assert_eq!(body, "{d.x_gradient[v][f]=d.out_gradient[v][f]*constant(d.x[v][f]);true}");
    let compared = of_vertex("d.out[v][f] = d.x[v][f] * (d.x[v][f] > 1.0) as u8 as f32;", "x");
    assert!(compared.contains("asu8asf32"), "{compared}");
}

#[test]
fn what_has_no_gradient_is_refused_with_the_reason() {
    let of = |body: &str| refusal(&vertex("act", body), "[act]; gradient = [x]");
    assert!(of("d.out[v][f] = mine(d.x[v][f]);").contains("the derivative of `mine` is not known"));
    assert!(
        of("d.out[v][f] = max_matvec(outer(1.0, 1.0), d.x[v][f]);")
            .contains("the derivative of `max_matvec` is not known")
    );
    assert!(of("d.out[v][f] = d.x[v][f] % 2.0;").contains("the derivative of `%` is not known"));
    assert!(of("let mut y = d.x[v][f]; while y > 1.0 { y *= 0.5; } d.out[v][f] = y;").contains("of a loop"));
    assert!(of("d.out[v][f] = d.y[v][f];").contains("nothing that the fold leaves depends on `x`"));
    assert!(of("d.x[v][f] = 2.0 * d.x[v][f];").contains("`x` is written by the fold"));
    let own = edge("own", "d.sum[e.dst][f].combine_with::<Mine>([d.x[e.src][f]]);");
    assert!(refusal(&own, "[own]; gradient = [x]").contains("derived for sums, products, means, minima, maxima"));
    let some = edge("some", "if d.weight[e] > 0.0 { d.sum[e.dst][f].mean_with(d.x[e.src][f]); }");
    assert!(refusal(&some, "[some]; gradient = [x]").contains("where every edge takes part"));
    let kept = vertex("act", "d.out[v][f] = d.x[v][f] * d.label[v][f]; d.label[v][f] = d.x[v][f];");
    assert!(refusal(&kept, "[act]; gradient = [x]").contains("the gradient needs the `label` that is read here"));
    let stops = vertex("stop", "if d.y[v][f] > 0.0 { return false; }") + &vertex("act", "d.out[v][f] = d.x[v][f];");
    assert!(refusal(&stops, "[stop, act]; gradient = [x]").contains("`stop` may return false"));
    let gather = edge("gather", "d.sum[e.dst][f] += d.x[e.src][f];");
    assert!(refusal(&gather, "[gather]; gradient = [x]; edges = active").contains("leave `edges = active` out"));
    assert!(refusal(&gather, "[gather]; gradient = [nothing]").contains("`nothing` is no property of `Data`"));
    assert!(refusal(&gather, "[gather]; gradient = [round]").contains("`round` can have no gradient"));
}

#[test]
fn a_missing_property_is_named_with_its_type() {
    let least = "x: VertexFeatures<K>, sum: VertexFeatures<K, Tracked>, sum_gradient: VertexFeatures<K>";
    let gather = edge("gather", "d.sum[e.dst][f] += d.x[e.src][f];");
    let errors = derived(least, &gather, "[gather]; gradient = [x]").err().unwrap();
    assert!(errors[0].ends_with("add `x_gradient: VertexFeatures<K>` to `Data`"), "{errors:?}");
}

#[test]
fn an_adjoint_without_memory_is_not_what_is_asked_for() {
    let functions = vertex("halve", "d.half[v][f] = 0.5 * d.x[v][f];") + &vertex("act", "d.out[v][f] = d.half[v][f];");
    let fields = |x: &str, half: &str| {
        let gradients = format!("x_gradient: VertexFeatures<K{x}>, half_gradient: VertexFeatures<K{half}>");
        format!(
            "x: VertexFeatures<K>, half: VertexFeatures<K>, {gradients}, out: VertexFeatures<K>, out_gradient: VertexFeatures<K>"
        )
    };
    let list = "[halve; act]; gradient = [x]";
    let found = |x, half| derived(&fields(x, half), &functions, list);
    assert_eq!(bodies(&found("", ", Scratch").unwrap()), bodies(&found("", "").unwrap()));
    let errors = found(", Scratch", "").err().unwrap();
    assert!(errors[0].ends_with("remove `Scratch`, so that its values last"), "{errors:?}");
}

#[test]
fn what_functions_of_a_run_hand_on_is_computed_again() {
    let fields = format!("{FIELDS}, score: EdgeScalar<Scratch>, half: VertexFeatures<K>");
    let functions = edge("compare", "d.score[e] = dot(d.x[e.src][f], d.y[e.dst][f]);")
        + &edge("gather", "d.sum[e.dst][f] += d.score[e] * d.y[e.src][f];")
        + &vertex("halve", "d.half[v][f] = 0.5 * d.sum[v][f];")
        + &vertex("act", "d.out[v][f] = d.half[v][f];");
    let derived = derived(&fields, &functions, "[compare, gather, halve, act]; gradient = [x]").unwrap();
    let found = bodies(&derived);
    assert_eq!(
        found[0],
        ("act_gradient".to_owned(), "{d.sum_gradient[v][f]=d.out_gradient[v][f]*0.5;true}".to_owned())
    );
    let expected = "{d.x_gradient[e.src][f]+=sum(d.sum_gradient[e.dst][f]*d.y[e.src][f])*d.y[e.dst][f];true}";
    assert_eq!(found[1], ("gather_gradient".to_owned(), expected.to_owned()));
    assert_eq!(found.len(), 2);
}

#[test]
fn the_source_is_that_of_functions_and_a_fold() {
    let functions = edge("gather", "d.sum[e.dst][f] += d.x[e.src][f];")
        + &vertex("act", "d.out[v][f] = d.sum[v][f] * d.sum[v][f];");
    let derived = derived(FIELDS, &functions, "[gather, act]; features = [4, 8]; gradient = [x]").unwrap();
    let source = derived.source();
    let fold = "foldmap! { step_gradient<const K: usize>(Data<K>) = [gather; act_gradient; gather_gradient]; features = [4, 8] }";
    assert!(source.ends_with(fold), "{source}");
    let file = parse_file(&source).unwrap();
    assert_eq!(file.items.len(), 3);
}

#[test]
fn attention_in_one_pass_takes_its_weights_from_the_log_sum() {
    let fields = format!("{FIELDS}, score: VertexScalar, score_gradient: VertexScalar, log_sum: VertexScalar");
    let attend = |body: &str| {
        edge("attend", &format!("let s = d.score[e.src]; d.out[e.dst][f].softmax_add(s, d.x[e.src][f]); {body}"))
    };
    let kept = attend("d.log_sum[e.dst].log_sum_exp_with(s);");
    let derived_of = |functions: &str| derived(&fields, functions, "[attend]; gradient = [x, score]");
    let found = bodies(&derived_of(&kept).unwrap());
    assert_eq!(found.len(), 1);
    let weight = "d.out_gradient[e.dst][f]*(d.score[e.src]-d.log_sum[e.dst].max(f32::MIN)).exp()";
    assert!(found[0].1.contains(weight), "{found:?}");
    assert!(found[0].1.contains("(d.x[e.src][f]-d.out[e.dst][f])"), "{found:?}");
    let errors = derived_of(&attend("")).err().unwrap();
    assert!(errors[0].contains("needs the log-sum of the same score"), "{errors:?}");
}

#[test]
fn what_a_score_takes_of_the_total_alone_is_computed_once_for_a_vertex() {
    let dot = |kind: &str| {
        format!(
            "{FIELDS}, score: VertexScalar, score_gradient: VertexScalar, log_sum: VertexScalar, out_gradient_dot: {kind}"
        )
    };
    let attend = edge(
        "attend",
        "let s = d.score[e.src]; d.out[e.dst][f].softmax_add(s, d.x[e.src][f]); d.log_sum[e.dst].log_sum_exp_with(s);",
    );
    let derived_of = |fields: &str| derived(fields, &attend, "[attend]; gradient = [x, score]");
    let found = bodies(&derived_of(&dot("VertexScalar")).unwrap());
    let product = "{d.out_gradient_dot[v]=dot(d.out_gradient[v][f],d.out[v][f]);true}";
    assert_eq!(found[0], ("multiply_out_gradient".to_owned(), product.to_owned()));
    assert!(
        found[1].1.contains("*(dot(d.out_gradient[e.dst][f],d.x[e.src][f])-d.out_gradient_dot[e.dst])"),
        "{found:?}"
    );
    assert!(!found[1].1.contains("d.out[e.dst]"), "{found:?}");
    let errors = derived_of(&dot("VertexFeatures<K>")).err().unwrap();
    assert!(errors[0].contains("make it `out_gradient_dot: VertexScalar`"), "{errors:?}");
    let fields = dot("VertexScalar").replace("log_sum: VertexScalar", "log_sum: VertexFeatures<K>");
    let of_rows = attend.replace("d.score[e.src]", "d.score[e.src] * d.x[e.src][f]");
    let of_rows = of_rows.replace("d.log_sum[e.dst]", "d.log_sum[e.dst][f]");
    let unused = bodies(&derived(&fields, &of_rows, "[attend]; gradient = [x]").unwrap());
    assert!(unused.iter().all(|(_, body)| !body.contains("gradient_dot")), "{unused:?}");
}

#[test]
fn a_mean_is_shared_by_all_edges_and_a_maximum_by_those_that_have_brought_it() {
    let fields = format!("{FIELDS}, sum_gradient_count: VertexFeatures<K>");
    let of = |reduction: &str| {
        let functions = edge("pool", &format!("d.sum[e.dst][f].{reduction}(d.weight[e] * d.x[e.src][f]);"));
        bodies(&derived(&fields, &functions, "[pool]; gradient = [x]").unwrap())
    };
    let mean = of("mean_with");
    let counted = "{d.sum_gradient_count[e.dst][f]+=1.0;true}";
    assert_eq!(mean[0], ("pool_gradient_count".to_owned(), counted.to_owned()));
    let shared = "{d.x_gradient[e.src][f]+=d.sum_gradient[e.dst][f]/d.sum_gradient_count[e.dst][f]*d.weight[e];true}";
    assert_eq!(mean[1], ("pool_gradient".to_owned(), shared.to_owned()));
    let most = of("max_with");
    assert!(most[0].1.contains("d.sum_gradient_count[e.dst][f]+="), "{most:?}");
    assert!(most[1].1.contains("==d.sum[e.dst][f]"), "{most:?}");
    let missing = derived(FIELDS, &edge("pool", "d.sum[e.dst][f].mean_with(d.x[e.src][f]);"), "[pool]; gradient = [x]");
    let missing = missing.err().unwrap();
    assert!(missing[0].ends_with("add `sum_gradient_count: VertexFeatures<K>` to `Data`"), "{missing:?}");
}

#[test]
fn what_the_run_has_stored_is_read_and_not_gathered_again() {
    let fields = format!("{FIELDS}, mixed: VertexFeatures<K>");
    let functions = edge("gather", "d.sum[e.dst][f] += d.x[e.src][f];")
        + &vertex("mix", "d.mixed[v][f] = d.sum[v][f] * d.size[v];")
        + &vertex("act", "d.out[v][f] = d.mixed[v][f].tanh() * d.mixed[v][f];");
    let derived_of = |list: &str| derived(&fields, &functions, &format!("[{list}]; gradient = [x]"));
    let found = derived_of("gather, mix, act").unwrap();
    assert!(found.source().ends_with("[act_gradient; gather_gradient] }"), "{}", found.source());
    let body = &bodies(&found)[0].1;
    assert!(body.contains("d.mixed[v][f]") && !body.contains("d.sum[v][f]"), "{body}");
    let again = functions.clone() + &vertex("clear", "d.mixed[v][f] = 0.0;");
    let found = derived(&fields, &again, "[gather, mix, act; clear]; gradient = [x]").unwrap();
    assert!(found.source().contains("[gather; act_gradient"), "{}", found.source());
}

#[test]
fn the_least_and_the_greatest_of_a_row_are_shared_by_what_has_brought_them() {
    let fields = format!("{FIELDS}, pool_gradient_count: Table<K>");
    let functions = edge("tally", "d.pool[d.kind[e] as u32][f].max_with(d.x[e.src][f]);");
    let found = bodies(&derived(&fields, &functions, "[tally]; gradient = [x]").unwrap());
    assert!(
        found[0].1.contains("ifd.x[e.src][f]==d.pool[value][f]{1.0}else{0.0};d.pool_gradient_count[value][f]+="),
        "{found:?}"
    );
    assert!(found[1].1.contains("=d.pool_gradient[value][f]/d.pool_gradient_count[value][f];"), "{found:?}");
}

#[test]
fn a_factor_among_the_features_gets_the_product_of_the_others() {
    let body = of_vertex("d.total[v] = product(d.x[v][f]);", "x");
    assert!(body.contains("product(value_"), "{body}");
    assert!(body.contains("d.total_gradient[v]*"), "{body}");
}

#[test]
fn a_factor_of_a_product_gets_the_product_of_the_others() {
    let fields = format!("{FIELDS}, sum_gradient_count: VertexFeatures<K>, sum_gradient_rest: VertexFeatures<K>");
    let functions = edge("scale", "d.sum[e.dst][f] *= d.x[e.src][f];");
    let found = bodies(&derived(&fields, &functions, "[scale]; gradient = [x]").unwrap());
    let gathered = "{letvalue=d.x[e.src][f]==0.0;letvalue_2=ifvalue{1.0}else{0.0};letvalue_3=ifvalue{1.0}else{d.x[e.src][f]};\
                    d.sum_gradient_count[e.dst][f]+=value_2;d.sum_gradient_rest[e.dst][f]*=value_3;true}";
    assert_eq!(found[0], ("scale_gradient_count".to_owned(), gathered.to_owned()));
    assert!(found[1].1.contains("(d.sum_gradient_count[e.dst][f]-value_2)==0.0"), "{found:?}");
    assert!(found[1].1.contains("d.sum_gradient[e.dst][f]*(d.sum_gradient_rest[e.dst][f]/value_3)"), "{found:?}");
    let missing = derived(FIELDS, &functions, "[scale]; gradient = [x]").err().unwrap();
    assert_eq!(missing.len(), 2, "{missing:?}");
}

#[test]
fn what_is_read_at_the_reverse_edge_gets_its_adjoint_from_there() {
    let fields = format!("{FIELDS}, message: EdgeFeatures<K>, message_gradient: EdgeFeatures<K>");
    let of = |body: &str, asked: &str| {
        let fold = format!("[send]; gradient = [{asked}]");
        derived(&fields, &edge("send", body), &fold).map(|derived| bodies(&derived))
    };
    let found = of("d.sum[e.dst][f] += d.weight[e] * d.x[e.src][f] * d.message[e.rev][f];", "message").unwrap();
    let expected = "{d.message_gradient[e][f]=d.sum_gradient[e.src][f]*(d.weight[e.rev]*d.x[e.dst][f]);true}";
    assert_eq!(found, [("send_gradient_reverse".to_owned(), expected.to_owned())]);
    let found = of("d.sum[e.dst][f] += d.message[e][f] * d.message[e.rev][f];", "message").unwrap();
    assert_eq!(found[0].1, "{d.message_gradient[e][f]=d.sum_gradient[e.dst][f]*d.message[e.rev][f];true}");
    assert_eq!(found[1].1, "{d.message_gradient[e][f]+=d.sum_gradient[e.src][f]*d.message[e.rev][f];true}");
    let found = of("d.sum[e.dst][f] += if e.src.0 > 2 { d.message[e.rev][f] } else { 0.0 };", "message").unwrap();
    assert!(found[0].1.contains("ife.dst.0>2{d.sum_gradient[e.src][f]}"), "{found:?}");
    let errors = of("d.sum[e.dst][f] += if e.id > 2 { d.message[e.rev][f] } else { 0.0 };", "message").err().unwrap();
    assert!(errors[0].contains("needs the number of that edge"), "{errors:?}");
}

#[test]
fn what_heads_share_gets_a_part_of_each() {
    let fields = "x: VertexFeatures<K>, size: VertexScalar, weight: EdgeScalar, score: VertexHeads, bias: GraphScalar, score_gradient: VertexHeads";
    let functions = vertex("rate", "d.score[v] = sum(d.x[v][f]) * d.size[v] + d.bias;");
    let missing = derived(fields, &functions, "[rate]; gradient = [size]").err().unwrap();
    assert!(missing[0].ends_with("add `size_gradient: VertexHeads` to `Data`"), "{missing:?}");
    let refused = derived(fields, &functions, "[rate]; gradient = [bias]").err().unwrap();
    assert!(refused[0].contains("`bias` is one number for all heads"), "{refused:?}");
}

#[test]
fn what_reduces_bits_has_no_gradient() {
    let fields = "x: VertexFeatures<K>, sum: VertexFeatures<K>, mask: VertexScalar<u32>, code: VertexScalar<u32>, x_gradient: VertexFeatures<K>, \
                  sum_gradient: VertexFeatures<K>";
    let functions = edge("send", "d.sum[e.dst][f] += d.x[e.src][f]; d.mask[e.dst] |= d.code[e.src];");
    let refused = derived(fields, &functions, "[send]; gradient = [x]").err().unwrap();
    assert!(refused[0].starts_with("a gradient says nothing of the bits"), "{refused:?}");
}

/// Properties with rows of another width, and matrices that make features of them.
fn with_inputs() -> String {
    format!(
        "{FIELDS}, input: VertexInputs<1>, half: VertexInputs<1, f16>, far: EdgeInputs<1>, first: Projection<K, 1>, second: Projection<K, 1>, \
         input_gradient: VertexInputs<1>, first_gradient: Projection<K, 1>, second_gradient: Projection<K, 1>"
    )
}

#[test]
fn a_product_with_a_whole_row_may_be_a_constant() {
    let functions = edge(
        "gather",
        "d.sum[e.dst][f] += d.x[e.src][f] * (matvec(d.first[f], d.input[e.src][..]) - matvec(d.second[f], d.input[e.src][..]));",
    );
    let found = bodies(&derived(&with_inputs(), &functions, "[gather]; gradient = [x]").unwrap());
    let expected = "{d.x_gradient[e.src][f]+=d.sum_gradient[e.dst][f]\
                    *(matvec(d.first[f],d.input[e.src][..])-matvec(d.second[f],d.input[e.src][..]));true}";
    assert_eq!(found, [("gather_gradient".to_owned(), expected.to_owned())]);
}

#[test]
fn the_adjoints_of_a_product_with_a_whole_row_are_products() {
    let functions = edge(
        "gather",
        "d.sum[e.dst][f] += d.x[e.src][f] * matvec(d.first[f], d.input[e.src][..]) - matvec(d.second[f], d.input[e.dst][..]);",
    );
    let found = bodies(&derived(&with_inputs(), &functions, "[gather]; gradient = [first, second]").unwrap());
    let source = "{d.first_gradient[f]+=outer(d.sum_gradient[e.dst][f]*d.x[e.src][f],d.input[e.src][..]);true}";
    let destination = "{d.second_gradient[f]-=outer(d.sum_gradient[e.dst][f],d.input[e.dst][..]);true}";
    let expected = [("gather_gradient_source", source), ("gather_gradient_destination", destination)];
    assert_eq!(found, expected.map(|(name, body)| (name.to_owned(), body.to_owned())));
    let functions = vertex("make", "d.out[v][f] = -matvec(d.first[f], d.input[v][..]);");
    let found = bodies(&derived(&with_inputs(), &functions, "[make]; gradient = [input]").unwrap());
    let expected = "{d.input_gradient[v][..]-=transpose_matvec(d.first[f],d.out_gradient[v][f]);true}";
    assert_eq!(found, [("make_gradient".to_owned(), expected.to_owned())]);
}

#[test]
fn what_is_no_sum_of_products_of_vertices_is_refused() {
    let refused =
        |functions: &str, list: &str, fields: &str| derived(fields, functions, list).err().unwrap()[0].clone();
    let both =
        vertex("make", "d.out[v][f] = matvec(d.first[f], d.input[v][..]) + matvec(d.second[f], d.input[v][..]);");
    let error = refused(&both, "[make]; gradient = [input]", &with_inputs());
    assert!(error.starts_with("the gradient of `input` would come from several products"), "{error}");
    let halves = vertex("make", "d.out[v][f] = matvec(d.first[f], d.half[v][..]);");
    let error = refused(&halves, "[make]; gradient = [first]", &with_inputs());
    assert!(error.contains("`half` is of half precision"), "{error}");
    let edges = edge("gather", "d.sum[e.dst][f] += matvec(d.first[f], d.far[e][..]);");
    for of in ["first", "far"] {
        let error = refused(&edges, &format!("[gather]; gradient = [{of}]"), &with_inputs());
        assert!(error.starts_with("no gradient is derived of products with rows of an edge, `far`"), "{error}");
    }
    let fields = with_inputs().replace("first_gradient: Projection<K, 1>", "first_gradient: GraphFeatures<K>");
    let error = refused(
        &vertex("make", "d.out[v][f] = matvec(d.first[f], d.input[v][..]);"),
        "[make]; gradient = [first]",
        &fields,
    );
    assert!(error.ends_with("add `first_gradient`, of the type of `first` in `f32`, to `Data`"), "{error}");
    let again = vertex("make", "d.first_gradient[f] += outer(d.x[v][f], d.input[v][..]);");
    let error = refused(&again, "[make]; gradient = [x]", &with_inputs());
    assert!(error.starts_with("`first_gradient` is a sum of products"), "{error}");
}
