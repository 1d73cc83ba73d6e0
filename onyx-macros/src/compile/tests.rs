//! Whole folds, from the source of their items.

use syn::{Item, ItemFn, parse_file, parse_str};

use super::property::Properties;
use super::stage::{ACTIVE, FOLLOWS, REVERSED, SILENT, Stage};
use super::total::Total;
use super::{Compiled, FoldFunction, changes, description, divergence, legality, schedule, stage};
use crate::errors::Errors;
use crate::expand::function::{Lowered, lower_chosen};
use crate::parse::fold::{Fold, Listed};
use crate::parse::function::Kind;

const DATA: &str = "
    struct Data<const K: usize> {
        label: VertexFeatures<K, Tracked>,
        seed: VertexFeatures<K>,
        sum: VertexFeatures<K>,
        least: VertexFeatures<K>,
        other: VertexFeatures<K>,
        message: EdgeFeatures<K>,
        alpha: Parameter,
        round: IterationNumber,
        loss: GraphScalar,
        bias: GraphFeatures<K>,
        table: Table<K>,
        input: VertexInputs<1>,
        weight: Projection<K, 1>,
        mask: VertexScalar<u32>,
        count: VertexScalar<u32, Tracked>,
    }
    #[edge_fn] fn project<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.sum[e.dst][f] += matvec(d.weight[f], d.input[e.src][..]); true }
    #[vertex_fn] fn rows_of<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.input[v][..] += transpose_matvec(d.weight[f], d.seed[v][f]); true }
    #[vertex_fn] fn made<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = matvec(d.weight[f], d.input[v][..]); true }
    #[vertex_fn] fn jump<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = d.label[Vertex(v.0 / 2)][f] + d.seed[Vertex(0)][f]; true }
    #[vertex_fn] fn leap<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.label[v][f] = d.label[Vertex(v.0 / 2)][f]; true }
    #[vertex_fn] fn early<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = d.sum[Vertex(0)][f]; true }
    #[edge_fn] fn tally<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.table[e.src.0][f] += d.label[e.src][f]; true }
    #[vertex_fn] fn row<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = d.table[v.0][f]; true }
    #[vertex_fn] fn weigh<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.loss += sum(d.seed[v][f]); true }
    #[vertex_fn] fn widest<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.loss.max_with(1.0); d.bias[f] += d.seed[v][f]; true }
    #[vertex_fn] fn both<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.loss.max_with(1.0); d.loss += 1.0; true }
    #[edge_fn] fn lengths<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.bias[f].min_with(d.message[e][f]); true }
    #[vertex_fn] fn shift<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = d.seed[v][f] + d.loss + d.bias[f]; true }
    #[edge_fn] fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.sum[e.dst][f] += d.label[e.src][f]; true }
    #[edge_fn] fn seeds<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.sum[e.dst][f] += d.seed[e.src][f]; true }
    #[edge_fn] fn lower<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.least[e.dst][f].min_with(d.label[e.src][f]); true }
    #[edge_fn] fn tick<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.mask[e.dst] |= d.count[e.src]; true }
    #[edge_fn] fn veto<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.mask[e.dst] &= d.count[e.src]; true }
    #[edge_fn] fn below<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.mask[e.dst].min_with(d.count[e.src]); true }
    #[edge_fn] fn note<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.message[e][f] = d.label[e.src][f]; true }
    #[edge_fn] fn gate<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.label[e.src][f] > 0.0 }
    #[edge_fn] fn back<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.other[e.src][f] += d.label[e.dst][f]; true }
    #[edge_fn] fn return_seed<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.other[e.src][f] += d.seed[e.dst][f]; true }
    #[vertex_fn] fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
        let new = d.alpha * d.sum[v][f] + d.seed[v][f];
        let moved = new != d.label[v][f];
        d.label[v][f] = new;
        moved
    }
    #[vertex_fn] fn drift<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
        d.label[v][f] = 0.5 * d.label[v][f] + d.sum[v][f];
        d.label[v][f] > d.alpha
    }
    #[vertex_fn] fn copy<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = d.sum[v][f]; true }
    #[vertex_fn] fn pass<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.seed[v][f] = d.other[v][f]; true }
    #[vertex_fn] fn bound<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = d.sum[v][f].max(d.least[v][f]); true }
    #[vertex_fn] fn clip<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.other[v][f] = d.sum[v][f] + f32::INFINITY; true }
    #[vertex_fn] fn scale<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.seed[v][f] = sum(d.seed[v][f]); true }
    #[vertex_fn] fn number<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.seed[v][f] = f.index() as f32; true }
    #[vertex_fn] fn width<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.seed[v][f] = K as f32; true }
    #[vertex_fn] fn count<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.seed[v][f] = d.round; true }
    #[edge_fn] fn either<const K: usize, const LEAST: bool, const SEEDED: bool>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
        let own = if SEEDED { d.seed[e.src][f] } else { d.label[e.src][f] };
        if LEAST && !SEEDED { d.least[e.dst][f].min_with(own); } else { d.sum[e.dst][f] += own; }
        true
    }
    #[vertex_fn] fn stop<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.seed[v][f] > 0.0 }
";

/// The fold with this list and these options, of the functions above.
fn compiled(list: &str) -> Compiled {
    compiled_of(DATA, list)
}

/// The same, where vertices have a matrix, too.
fn compiled_with_matrix(list: &str) -> Compiled {
    let functions = "
        #[edge_fn] fn square<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.gram[e.dst][f] += outer(d.label[e.src][f], d.label[e.src][f]); true }
        #[vertex_fn] fn fit<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.label[v][f] = solve(d.gram[v][f], d.seed[v][f]); true }
    ";
    let structure = DATA.replace("weight: Projection<K, 1>,", "weight: Projection<K, 1>, gram: VertexMatrix<K>,");
    compiled_of(&format!("{structure}{functions}"), list)
}

fn compiled_with_total_matrix(list: &str) -> Compiled {
    let functions = "
        #[vertex_fn] fn once<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.gram[f] += outer(d.seed[v][f], d.label[v][f]); true }
        #[vertex_fn] fn less<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.gram[f] -= outer(d.seed[v][f], d.label[v][f]); true }
        #[vertex_fn] fn twice<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool { d.gram[f] += outer(d.seed[v][f], d.label[v][f]); d.gram[f] += diagonal(1.0); true }
    ";
    let structure = DATA.replace("weight: Projection<K, 1>,", "weight: Projection<K, 1>, gram: GraphMatrix<K>,");
    compiled_of(&format!("{structure}{functions}"), list)
}

fn compiled_of(data: &str, list: &str) -> Compiled {
    let fold: Fold = parse_str(&format!("step<const K: usize>(Data<K>) = {list}")).unwrap();
    let items = parse_file(data).unwrap().items;
    let properties = items.iter().find_map(|item| match item {
        Item::Struct(structure) => Properties::of(structure),
        _ => None,
    });
    let properties = properties.unwrap();
    let lowered: Vec<Lowered> = fold.functions().map(|listed| of_name(&items, listed)).collect();
    let firsts = fold.parts.iter().flat_map(|part| (0..part.len()).map(|position| position == 0));
    let members = fold.functions().zip(firsts).zip(&lowered);
    let members = members
        .map(|((listed, is_first), lowered)| FoldFunction::new(listed, is_first, lowered, &properties))
        .collect();
    let widths = fold.check(&mut Errors::default());
    Compiled::new(fold, widths, properties, members)
}

fn of_name(items: &[Item], listed: &Listed) -> Lowered {
    let function = items.iter().find_map(|item| match item {
        Item::Fn(function) if listed.path.is_ident(&function.sig.ident) => Some(function.clone()),
        _ => None,
    });
    let function: ItemFn = function.unwrap_or_else(|| panic!("no function {}", listed.name()));
    let kind = if function.attrs[0].path().is_ident("edge_fn") { Kind::Edge } else { Kind::Vertex };
    let mut errors = Errors::default();
    let function = ItemFn { attrs: Vec::new(), ..function };
    let lowered = lower_chosen(kind, &function, &listed.switches, &mut errors);
    lowered.unwrap_or_else(|| panic!("{:?}", errors.texts()))
}

fn errors(list: &str) -> Vec<String> {
    errors_of(&compiled(list))
}

fn errors_of(compiled: &Compiled) -> Vec<String> {
    let mut errors = Errors::default();
    legality::check(compiled, &mut errors);
    errors.texts()
}

/// Where a function stops, those after it have written nothing, nor have those of later stages.
#[test]
fn scratch_is_handed_on_by_what_runs_at_every_vertex() {
    let spread_other = "
        #[edge_fn] fn spread_other<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool { d.least[e.dst][f] += d.other[e.src][f]; true }
    ";
    let data = DATA.replace("other: VertexFeatures<K>,", "other: VertexFeatures<K, Scratch>,") + spread_other;
    for (list, is_handed_on) in [
        ("[seeds, copy; spread_other]", true),
        ("[seeds, copy, absorb; spread_other]", true),
        ("[seeds, absorb, copy; spread_other]", false),
        ("[seeds, absorb; note, copy; spread_other]", false),
        ("[note, copy; spread_other]; edges = active", false),
        ("[spread_other; seeds, copy]", false),
    ] {
        let compiled = compiled_of(&data, list);
        let refused = errors_of(&compiled).iter().any(|error| error.contains("the scratch property `other`"));
        assert_eq!((compiled.passed != 0, refused), (is_handed_on, !is_handed_on), "{list}");
    }
}

fn flags(list: &str) -> Vec<u32> {
    compiled(list).stages.iter().map(|stage| stage.flags & (ACTIVE | SILENT | FOLLOWS)).collect()
}

#[test]
fn an_edge_function_after_a_vertex_function_begins_a_stage() {
    let fold = compiled("[copy, note, gate, pass, note]");
    let kinds: Vec<_> = fold.stages.iter().map(|stage| (stage.has_edges(), stage.has_vertices())).collect();
    assert_eq!(kinds, [(false, true), (true, true), (true, false)]);
    assert_eq!(flags("[copy, note, gate, pass, note]"), [0, 0, 0]);
}

#[test]
fn vertex_functions_follow_those_that_may_stop() {
    assert_eq!(flags("[spread, absorb; note, pass]"), [0, FOLLOWS]);
    assert_eq!(flags("[spread, copy; note, absorb; note, pass]"), [0, 0, FOLLOWS]);
}

#[test]
fn vertex_functions_alone_run_on_active_vertices() {
    assert_eq!(flags("[copy; pass]"), [ACTIVE, ACTIVE | FOLLOWS]);
    assert_eq!(flags("[copy]"), [0]);
}

#[test]
fn a_stage_of_edges_alone_leaves_the_marks_to_the_last() {
    let pushed = compiled("[note; spread, copy]; edges = active");
    assert_eq!(flags("[note; spread, copy]; edges = active"), [ACTIVE | SILENT, ACTIVE]);
    assert!(stage::pushes_active(&pushed.stages));
    assert!(!stage::pushes_active(&compiled("[spread, copy; seeds, copy]; edges = active").stages));
    assert!(!stage::pushes_active(&compiled("[note; gate, spread, copy]; edges = active").stages));
}

#[test]
fn edge_functions_that_reduce_into_the_other_end_begin_a_stage() {
    let reversed = |list: &str| {
        let stages = compiled(list).stages;
        stages.iter().map(|stage| (stage.edges.len(), stage.flags & REVERSED != 0)).collect::<Vec<_>>()
    };
    assert_eq!(reversed("[note, back, note, spread, gate, absorb]"), [(3, true), (2, false)]);
    assert_eq!(reversed("[spread, back]"), [(1, false), (1, true)]);
    assert_eq!(reversed("[note, copy, back, copy]"), [(1, false), (1, true)]);
    assert!(!stage::pushes_active(&compiled("[back, copy]; edges = active").stages));
}

#[test]
fn what_a_reversed_stage_reads_at_destinations_must_not_be_written_there() {
    assert_eq!(errors("[back, absorb]"), [""; 0]);
    assert!(errors("[return_seed, pass]")[0].contains("`seed` at an edge's destination while `pass` writes it"));
    let fold = compiled("[back, absorb]");
    let reason = fold.why_not_change_driven.as_ref().map(|obstacle| obstacle.to_string());
    assert!(reason.unwrap().starts_with("`back` reduces into the source of its edge"));
    assert!(!fold.pushes() && description::of(&fold).contains(" reduces=other reduces_source=other "));
}

#[test]
fn a_fold_has_the_kernels_that_it_needs() {
    let names = |list: &str| {
        let fold = compiled(list);
        let names = |stage| schedule::of(&fold, stage).map(|schedule| schedule.name).collect::<Vec<_>>();
        fold.stages.iter().map(names).collect::<Vec<_>>()
    };
    let pushed = [
        "pull",
        "clear",
        "finish",
        "push",
        "vertex",
        "groups_per_block",
        "vertex_per_warp",
        "vertex_per_block",
        "word_per_warp",
        "long_rows",
        "edge_flat",
        "warp_word",
    ];
    assert_eq!(names("[spread, absorb]"), [pushed.to_vec()]);
    assert_eq!(names("[copy]"), [vec!["vertex", "every_vertex"]]);
    let first = ["pull", "clear", "finish", "vertex_per_warp", "vertex_per_block", "graph_per_block", "edge_flat"];
    assert_eq!(names("[lower; copy]"), [first.to_vec(), vec!["every_vertex"]]);
    assert_eq!(
        names("[lower]; features_per_lane = all"),
        [vec!["pull", "clear", "finish", "vertex_per_warp", "edge_flat"]]
    );
}

#[test]
fn blocks_of_groups_end_the_rows_of_one_stage() {
    let are_taken = |fold: &Compiled| {
        let has = |stage| schedule::of(fold, stage).any(|schedule| schedule.name == "groups_per_block");
        fold.stages.iter().any(has)
    };
    assert!(are_taken(&compiled("[spread, absorb]; features = [16]")));
    assert!(!are_taken(&compiled("[spread, absorb]; features = [8]")), "two lanes a row");
    assert!(!are_taken(&compiled("[lower; copy]")), "no vertex function after the edges");
    assert!(!are_taken(&compiled("[spread, absorb; lower, copy]")), "two stages with edges");
    assert!(!are_taken(&compiled_with_matrix("[square, fit]; features = [32]; edges = active")), "matrices");
}

#[test]
fn a_block_holds_a_matrix_that_a_warp_does_not() {
    let fold =
        compiled_with_matrix("[square, fit]; features = [8, 32, 64, 128]; features_per_lane = 1; edges = active");
    assert_eq!([8, 32, 64, 128].map(|width| fold.lanes(width)), [(8, 1), (32, 1), (64, 1), (128, 1)]);
    let names = |width| schedule::at(&fold, &fold.stages[0], width).map(|schedule| schedule.name).collect::<Vec<_>>();
    assert_eq!((names(64), names(128)), (vec!["matrix_per_block"], vec!["matrix_per_block"]));
    assert!(names(32).contains(&"matrix_per_block") && names(32).contains(&"pull"));
    assert!(!names(8).contains(&"matrix_per_block"));
    assert!(!fold.pushes() && description::of(&fold).contains("blocks 64,128\n"));
    // A block has a row in each lane whatever is asked for, and takes no stages of vertices alone.
    let lanes = |list: &str| compiled_with_matrix(list).lanes(64);
    assert_eq!(lanes("[square, fit]; features = [64]"), (64, 1));
    assert_eq!(lanes("[square; fit]; features = [64]; features_per_lane = 1"), (32, 2));
    assert_eq!(lanes("[spread, absorb]; features = [64]; features_per_lane = 1"), (32, 2));
    assert!(compiled_with_matrix("[square, fit]; features = [32]; features_per_lane = 1; edges = active").pushes());
}

#[test]
fn lanes_have_what_is_asked_for_at_each_width() {
    let options = "; features = [2, 8, 16]; features_per_lane = [2, 1, 4]";
    let fold = compiled(&format!("[spread, absorb]{options}"));
    assert_eq!([2, 8, 16].map(|width| fold.lanes(width)), [(1, 2), (8, 1), (4, 4)]);
    assert_eq!((fold.fold.features_per_lane(), fold.fold.options_text().as_str()), (Some(1), options));
}

#[test]
fn stages_that_see_no_more_than_a_graph_have_a_kernel_for_all_of_them() {
    let is_first = |list: &str| {
        let fold = compiled(list);
        let has = |stage| schedule::of(&fold, stage).any(|schedule| schedule.name == "graph_per_block");
        let found: Vec<bool> = fold.stages.iter().map(has).collect();
        assert!(!found[1..].contains(&true), "{list}: a stage after the first has it");
        found[0]
    };
    assert!(is_first("[spread, absorb, seeds, copy]") && is_first("[copy; spread, absorb]"));
    assert!(is_first("[back, copy; spread, absorb]"), "rows of outgoing edges");
    assert!(is_first("[spread, absorb; weigh]"), "a total that nothing reads");
    assert!(is_first("[lower; jump]"), "a vertex by its number, which nothing writes");
    assert!(!is_first("[spread, absorb]") && !is_first("[copy; pass]"), "one stage, or no edges");
    assert!(!is_first("[spread, absorb; jump]"), "a vertex by its number, which another stage writes");
    assert!(!is_first("[spread, weigh; shift]"), "a total of the graph");
    assert!(!is_first("[tally; row]"), "a table that is a total");
    assert!(!is_first("[spread, rows_of; made]"), "rows of another width that are a total");
    assert!(!is_first("[lower; copy]; features_per_lane = all"), "a thread for each edge");
}

#[test]
fn changes_are_derived_where_false_says_that_nothing_has_changed() {
    let obstacle = |list| compiled(list).why_not_change_driven.map(|obstacle| obstacle.to_string());
    assert_eq!(obstacle("[spread, absorb]"), None);
    assert_eq!(obstacle("[spread; absorb]").as_deref(), Some("the fold has several stages"));
    let nothing = "the edge functions read nothing at the source that the fold's vertex functions write";
    assert_eq!(obstacle("[spread, copy]").as_deref(), Some(nothing));
    let written = "an edge function writes `message` of its edge";
    assert_eq!(obstacle("[spread, note, absorb]").as_deref(), Some(written));
    let bound = "`least` is reduced by a minimum or maximum, which cannot take a change back";
    assert_eq!(obstacle("[lower, absorb]").as_deref(), Some(bound));
    let bits = "`mask` is reduced by `|=` or `&=`, which cannot take a change back";
    assert_eq!(obstacle("[spread, tick, absorb]").as_deref(), Some(bits));
    assert_eq!(obstacle("[spread, veto, absorb]").as_deref(), Some(bits));
    assert!(
        obstacle("[spread, drift]")
            .unwrap()
            .starts_with("`drift` stores `label` from the vertex's own earlier `label`")
    );
    let fold = compiled("[spread, drift]; edges = changed");
    assert!(fold.is_change_driven() && errors("[spread, drift]; edges = changed").is_empty());
    assert_eq!(changes::watched(&fold.properties, &fold.members), 0);
}

#[test]
fn what_two_functions_of_a_stage_must_not_share_is_named() {
    assert_eq!(errors("[spread, absorb]"), [""; 0]);
    assert!(errors("[seeds, pass]")[0].starts_with("`seeds` reads `seed` at an edge's source while `pass` writes it"));
    assert!(errors("[spread, seeds]")[0].starts_with("`spread` and `seeds` both reduce into `sum`"));
    assert_eq!(errors("[spread; seeds]"), [""; 0]);
    assert_eq!(errors("[tick; tick]"), [""; 0]);
    for others in ["[tick, veto]", "[tick, below]", "[below, veto]"] {
        assert!(errors(others)[0].ends_with("reduce into `mask` by different operators: use two properties"));
    }
    assert!(errors("unfolded [gate, spread]")[0].starts_with("`gate` may return false, which stops `spread`"));
    let unstopped = "`gate` may return false, which does not stop `back`";
    assert!(["[gate, spread, back]", "[spread, gate, back]"].iter().all(|list| errors(list)[0].starts_with(unstopped)));
    for list in ["[gate, spread; back]", "[gate; spread, back]", "[gate, back]", "[back, spread, gate]"] {
        assert_eq!(errors(list), [""; 0], "{list}");
    }
    assert!(errors("[spread, copy]; edges = changed")[0].contains("read nothing at the source"));
}

#[test]
fn what_the_last_function_of_a_run_returns_may_differ_between_features() {
    let obstacle = |list| compiled(list).why_not_tiled;
    assert_eq!(obstacle("[gate, copy]"), None);
    assert_eq!(obstacle("[gate; gate]"), None);
    assert!(obstacle("[gate, spread]").unwrap().contains("all decide together whether `spread` runs"));
    assert!(obstacle("[stop, pass]").unwrap().contains("all decide together whether `pass` runs"));
    assert!(obstacle("[stop; gate]").unwrap().contains("all decide together whether `gate` runs"));
}

#[test]
fn functions_that_need_other_features_are_named() {
    let obstacle = |list| compiled(list).why_not_tiled;
    assert!(obstacle("[spread, scale]").unwrap().starts_with("`scale` calls `sum`"));
    assert_eq!([obstacle("[number]"), obstacle("[width]")], [None, None]);
}

#[test]
fn a_product_with_a_whole_row_reads_both_and_needs_no_other_feature() {
    let fold = compiled("[project, copy]");
    let properties = &fold.properties;
    let accesses = fold.members[0].accesses;
    assert_eq!([properties.names(accesses.reads_source), properties.names(accesses.reads_graph)], ["input", "weight"]);
    assert_eq!(fold.why_not_tiled, None);
}

#[test]
fn with_active_edges_all_features_decide_which_vertices_are_reached() {
    let obstacle = |list| compiled(list).why_not_tiled;
    assert_eq!(obstacle("[spread, absorb]; edges = active"), None);
    assert_eq!(obstacle("[gate]; edges = active"), None);
    assert!(obstacle("[gate, copy]; edges = active").unwrap().contains("all decide together whether `copy` runs"));
}

#[test]
fn wide_rows_are_those_of_a_warp() {
    assert_eq!(errors("[spread]; features = [4, 640, 1536]"), [""; 0]);
    assert!(errors("[spread]; features = [640]; features_per_lane = all")[0].starts_with("more than 128 features"));
}

#[test]
fn an_infinity_in_a_sum_is_a_sign_of_divergence() {
    let summed = |list| {
        let fold = compiled(list);
        fold.properties.names(divergence::summed(&fold.members))
    };
    assert_eq!(summed("[spread]"), "sum");
    assert_eq!(summed("[spread, copy]"), "other");
    assert_eq!(summed("[spread, copy, pass]"), "seed,other");
    assert_eq!(summed("[lower, pass]"), "");
    assert_eq!(summed("[spread, lower, bound]"), "");
    assert_eq!(summed("[spread, clip]"), "");
}

#[test]
fn properties_and_functions_have_a_line_each() {
    let text = description::of(&compiled("[spread, absorb]"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "property label vertex_features tracked");
    assert_eq!(lines[7], "property round iteration_number untracked");
    let spread = "function spread edge stage=0 reads_source=label reads_destination= reads_edge= reads_reverse= writes_edge= reduces=sum \
                  multiplies= bounds= states=";
    assert_eq!(lines[8..10], ["property loss graph_scalar untracked", "property bias graph_features untracked"]);
    assert_eq!(lines[10], "property table table untracked");
    assert_eq!(lines[11..13], ["property input vertex_inputs untracked", "property weight projection untracked"]);
    assert_eq!(lines[15], spread);
    assert_eq!(lines[16], "function absorb vertex stage=0 reads=label,seed,sum writes=label");
    assert_eq!(lines[17], "changes derived");
}

#[test]
fn a_function_has_what_its_compile_time_parameters_leave() {
    let accesses = |list| {
        let fold = compiled(list);
        let accesses = fold.members[0].accesses;
        [accesses.reads_source, accesses.reduces, accesses.lowers].map(|set| fold.properties.names(set))
    };
    assert_eq!(accesses("[either::<false, false>]"), ["label", "sum", ""]);
    assert_eq!(accesses("[either::<false, true>]"), ["seed", "sum", ""]);
    assert_eq!(accesses("[either::<true, false>]"), ["label", "least", "least"]);
    assert_eq!(accesses("[either::<true, true>]"), ["seed", "sum", ""]);
}

#[test]
fn blocks_gather_what_every_vertex_adds() {
    let gather = |list: &str| compiled(list).stages.iter().map(Stage::gathers_totals).collect::<Vec<_>>();
    assert_eq!(gather("[weigh; spread, copy]"), [true, false]);
    assert_eq!(gather("[spread, copy; weigh; shift]"), [false, true, false]);
    assert_eq!(gather("[spread, weigh]"), [false], "a stage with edges");
    assert_eq!(gather("[spread, absorb; weigh]"), [false, false], "not every vertex gets there");
    assert_eq!(gather("[spread, copy; absorb, weigh]"), [false, false], "nor here");
    assert_eq!(gather("[rows_of; spread, copy]"), [false, false], "rows of another width");
    let kernels = |list: &str| {
        let fold = compiled(list);
        schedule::of(&fold, &fold.stages[0]).map(|schedule| schedule.name).collect::<Vec<_>>()
    };
    assert_eq!(kernels("[weigh; spread, copy]"), ["graph_per_block", "gather_totals"]);
    assert_eq!(kernels("[weigh]"), ["vertex", "every_vertex", "gather_totals"], "few vertices may be active");
}

#[test]
fn blocks_gather_matrices_that_warps_hold() {
    let gathers = |list: &str| compiled_with_total_matrix(list).stages.iter().any(Stage::gathers_totals);
    assert!(gathers("[once]; features = [4, 8, 16]"));
    assert!(gathers("[once]; features = [32]; features_per_lane = 8"));
    assert!(!gathers("[once]; features = [16, 32]"), "eight lanes with four features of 32 each");
    assert!(!gathers("[once]; features = [64]; features_per_lane = 8"));
    for other in ["less", "twice"] {
        assert!(gathers(&format!("[{other}]; features = [4, 8]")), "few floats are held as they are");
        assert!(!gathers(&format!("[{other}]; features = [16]")), "more than an outer product");
    }
}

#[test]
fn totals_are_added_up_after_their_stage() {
    let totals = |list| {
        let fold = compiled(list);
        let name = |total: &Total| format!("{} {}", fold.properties.shown(total.total), total.operator());
        let stages = fold.stages.iter().map(|stage| stage.totals.iter().map(name).collect::<Vec<_>>());
        stages.collect::<Vec<_>>()
    };
    assert_eq!(totals("[weigh; shift]"), [vec!["loss Sum"], vec![]]);
    assert_eq!(totals("[lengths, shift; weigh]"), [vec!["bias Min"], vec!["loss Sum"]]);
    assert_eq!(totals("[widest]"), [vec!["loss Max", "bias Sum"]]);
    let fold = compiled("[weigh; lengths]");
    let contributions: Vec<usize> =
        fold.stages.iter().flat_map(|stage| &stage.totals).map(|total| total.contributions).collect();
    assert_eq!(contributions, [15, 16]);
    assert_eq!((fold.properties.shown(15), fold.properties.shown(16)), ("loss", "bias"));
    assert_eq!(totals("[tally; row]"), [vec!["table Sum"], vec![]]);
    assert_eq!(compiled("[tally]").stages[0].totals[0].contributions, 17);
}

#[test]
fn what_a_stage_writes_is_read_at_a_computed_vertex_as_it_was() {
    assert_eq!(errors("[spread, leap]"), [""; 0]);
    assert_eq!(errors("[spread, jump, leap]"), [""; 0]);
    assert_eq!(errors("[leap; pass]"), [""; 0]);
    assert!(errors("[leap]")[0].starts_with("`leap` reads `label` at a vertex that it computes before `leap` is done"));
    let conflict = "`jump` reads `seed` at a vertex that it computes while `pass` writes it there in the same stage";
    assert!(errors("[spread, jump, pass]")[0].starts_with(conflict));
    assert_eq!(errors("[spread, jump; pass]"), [""; 0]);
    assert!(
        errors("[spread, early]")[0].starts_with("`early` reads `sum` at a vertex that it computes before `spread`")
    );
    assert_eq!(errors("[spread; early]"), [""; 0]);
    assert!(errors("[tally, row]")[0].starts_with("`row` reads the total `table`, which is there after the stage of"));
}

#[test]
fn what_is_read_at_a_computed_vertex_is_not_followed_by_changes() {
    let fold = compiled("[spread, absorb, jump]");
    let reason = fold.why_not_change_driven.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(reason.starts_with("`jump` reaches a vertex or a row that it computes"), "{reason}");
    assert!(!fold.pushes() && !compiled("[note; spread, jump]; edges = active").pushes());
    assert!(compiled("[tally]").why_not_change_driven.is_some_and(|reason| !reason.may_be_overruled()));
}

#[test]
fn a_total_is_read_after_the_stage_that_adds_to_it() {
    assert_eq!(errors("[weigh; shift]"), [""; 0]);
    assert_eq!(errors("[shift; weigh]"), [""; 0]);
    assert!(
        errors("[weigh, shift]")[0].starts_with("`shift` reads the total `loss`, which is there after the stage of")
    );
    assert!(errors("[rows_of, made]")[0].starts_with("`made` reads the total `input`"));
    assert!(errors("[rows_of; made]").is_empty());
    assert!(errors("[lengths, shift]")[0].starts_with("`shift` reads the total `bias`"));
    assert!(errors("[weigh; widest]")[0].starts_with("both `weigh` and `widest` add to the total `loss`"));
    assert!(errors("[both]")[0].contains("`loss`"));
    assert!(errors("[lengths]; edges = active")[0].starts_with("`lengths` adds to the total `bias`"));
}
