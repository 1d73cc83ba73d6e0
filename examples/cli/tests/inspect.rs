//! What `onyx-inspect` says of a graph.

mod command;

use std::fs;
use std::process::{Command, Output};

use command::{Folder, data};
use onyx_cli::inspect::degrees::Distribution;
use serde_json::Value;

const INSPECT: &str = env!("CARGO_BIN_EXE_onyx-inspect");
/// Two loops at 30, an edge that is there twice, a pair apart.
const GRAPH: &str = "10 20\n20 10\n10 30\n30 30\n30 30\n10 30\n40 50\n";

fn run(arguments: &[&str]) -> Output {
    Command::new(INSPECT).args(arguments).output().unwrap()
}

fn text(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

fn reports(arguments: &[&str]) -> Vec<Value> {
    let text = text(&[arguments, &["--json"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn report(arguments: &[&str]) -> Value {
    let mut reports = reports(arguments);
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

#[test]
fn everything_is_counted() {
    let folder = Folder::new();
    let report = report(&[&folder.file("graph.txt", GRAPH)]);
    assert_eq!((&report["graph"]["vertices"], &report["graph"]["edges"]), (&5.into(), &7.into()));
    assert_eq!((&report["loops"], &report["duplicates"], &report["isolated"]), (&2.into(), &2.into(), &0.into()));
    assert_eq!((&report["symmetric"], &report["weighted"]), (&false.into(), &false.into()));
    // In: 10 one, 20 one, 30 four, 50 one; out: 10 three, 20 one, 30 two, 40 one.
    let degrees =
        |way: &str| ["minimum", "median", "mean", "p99", "maximum"].map(|what| report[way][what].as_f64().unwrap());
    assert_eq!(degrees("in_degrees"), [0.0, 1.0, 1.4, 4.0, 4.0]);
    assert_eq!(degrees("out_degrees"), [0.0, 1.0, 1.4, 3.0, 3.0]);
    let histogram = report["in_degrees"]["histogram"].as_array().unwrap();
    let bins: Vec<_> =
        histogram.iter().map(|bin| ["from", "to", "count"].map(|part| bin[part].as_u64().unwrap())).collect();
    assert_eq!(bins, [[0, 0, 1], [1, 1, 3], [2, 3, 0], [4, 7, 1]]);
    // Spans 1, 1, 2, 0, 0, 2 and 1.
    assert_eq!((&report["mean_edge_span"], &report["greatest_edge_span"]), (&1.0.into(), &2.into()));
    assert_eq!(report["components"]["count"], 2);
    let sizes = ["minimum", "maximum"].map(|what| report["components"]["sizes"][what].as_u64().unwrap());
    assert_eq!(sizes, [2, 3]);
    // 10 and 20 have 6 ends of edges, 30 has 6, loops twice: 6 * 6 / 14 edges between them would be chance, and there are 2.
    assert_eq!(report["communities"]["count"], 3);
    assert_eq!((&report["renumber"]["recommended"], &report["renumber"]["bound"]), (&true.into(), &0.0.into()));
}

#[test]
fn text_says_it_in_lines() {
    let text = text(&[]);
    for line in [
        "Zachary's karate club: 34 vertices, 156 edges with no weights, loaded in ",
        "0 loops, 0 edges that are there already, 0 vertices without edges; every edge has its reverse",
        "components: 1, of 34 to 34 vertices",
        "communities: 3, of 7 to 16 vertices, median 11",
        "in                 1         3        4.59        17        17",
        "8 to 15                        3 ######                                    3 ######",
        "renumbering is recommended (--order auto): the root of the average edge span, ",
        "a weighted sum of neighbors, on a GPU of 132 multiprocessors and 50 MiB of L2 cache:",
        "   16 features: group size: 16, because narrow rows need many groups to fill the GPU",
        "  128 features: pull: vertex_per_block, because each row has a block, all at once, and none has to be cut: 4.6 edges a row",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn orders_say_what_they_do() {
    let report = report(&["--generate", "grid:60x60", "--orders"]);
    let orders = report["orders"].as_array().unwrap();
    let names: Vec<_> = orders.iter().map(|order| order["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["rabbit", "degree", "rcm"]);
    // Levels from a corner have 60 vertices at most.
    assert!(orders[2]["greatest_edge_span"].as_u64().unwrap() <= 61, "{report}");
    assert!(orders.iter().all(|order| order["order_seconds"].as_f64().unwrap() > 0.0));
    let spans: Vec<_> = orders.iter().map(|order| order["mean_edge_span"].as_f64().unwrap()).collect();
    // Edges of a shuffled grid reach over a third of its 3600 vertices.
    assert!(spans[0] < 120.0 && spans[1] < 120.0, "{spans:?}");
    assert!(text(&["--orders"]).contains("in rcm order: average edge span "));
}

#[test]
fn several_graphs_are_inspected_in_turn() {
    let reports = reports(&["--generate", "rmat:6,ring:50:3", "--seed", "3"]);
    let edges: Vec<_> = reports.iter().map(|report| report["graph"]["edges"].as_u64().unwrap()).collect();
    assert_eq!(edges, [1024, 150]);
}

#[test]
fn the_gpu_may_be_another_one() {
    let pull = |more: &[&str]| {
        let report = report(&[&["--generate", "ring:10000:16"], more].concat());
        let lines = report["decisions"][1]["lines"].as_array().unwrap().clone();
        lines[1].as_str().unwrap().to_owned()
    };
    let large = pull(&[]);
    let small = pull(&["--multiprocessors", "1", "--l2", "1"]);
    assert!(large.starts_with("pull: vertex_per_warp, because ") && small.starts_with("pull: "), "{large}, {small}");
    assert_ne!(large, small);
}

#[test]
fn degrees_are_drawn() {
    let folder = Folder::new();
    let plot = folder.path("degrees.svg");
    text(&["--plot", &plot]);
    let picture = fs::read_to_string(&plot).unwrap();
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"), "{picture}");
    for words in ["karate club", "edges in", "edges out", "vertices"] {
        assert!(picture.contains(words), "{words}");
    }
    // The club has 11 degrees, each of which is a dot in either direction; two more are in the legend.
    assert_eq!(picture.matches("<circle ").count(), 2 * 11 + 2, "{picture}");
}

#[test]
fn graphs_with_next_to_nothing_are_inspected() {
    let folder = Folder::new();
    let one = folder.file("one.txt", "7 7\n");
    let report = report(&[&one, "--orders"]);
    assert_eq!((&report["loops"], &report["communities"]["count"]), (&1.into(), &1.into()));
    assert_eq!(report["renumber"]["recommended"], false);
    let edgeless = folder.file("edgeless.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n");
    let plot = folder.path("plot.svg");
    let text = text(&[&edgeless, "--orders", "--plot", &plot]);
    assert!(text.contains("3 vertices without edges") && text.contains("components: 3, of 1 to 1 vertices"), "{text}");
    assert!(fs::read_to_string(&plot).unwrap().contains("</svg>"));
}

#[test]
fn what_cannot_be_inspected_is_refused() {
    let folder = Folder::new();
    let bad = folder.file("bad.txt", "1 2\nx y\n");
    assert!(refused(&[&bad]).contains("bad.txt:2: expected two vertex ids and at most one weight"));
    assert!(
        refused(&["--generate", "rmat:3,rmat:4", "--plot", &folder.path("x.svg")])
            .contains("--plot takes one graph, and 2 were named")
    );
    assert!(refused(&[&bad, "--generate", "rmat:3"]).contains("cannot be used with"));
    let same = folder.file("same.txt", GRAPH);
    assert!(refused(&[&same, "--plot", &same]).contains("same.txt"));
    assert_eq!(fs::read_to_string(&same).unwrap(), GRAPH);
    assert!(refused(&["--multiprocessors", "0"]).contains("a whole number of at least 1 is needed"));
    assert!(
        refused(&["--generate", "rmat:3", "--seed", "-1"])
            .contains("'--seed <NUMBER>': a whole number from 0 to 18446744073709551615 is needed")
    );
}

#[test]
fn a_distribution_has_its_quantiles_and_bins() {
    let numbers = [vec![0; 10], vec![1; 41], vec![3; 48], vec![7, 8]].concat();
    let distribution = Distribution::of(numbers.into_iter()).unwrap();
    let Distribution { minimum, median, mean, p99, maximum, ref histogram, .. } = distribution;
    assert_eq!((minimum, median, p99, maximum), (0, 1, 7, 8));
    assert!((mean - 200.0 / 101.0).abs() < 1e-12);
    let bins: Vec<_> = histogram.iter().map(|bin| (bin.to_string(), bin.count)).collect();
    let expected = [("0", 10), ("1", 41), ("2 to 3", 48), ("4 to 7", 1), ("8 to 15", 1)];
    assert_eq!(bins, expected.map(|(words, count)| (words.to_owned(), count)));
    assert_eq!(distribution.counts, [(0, 10), (1, 41), (3, 48), (7, 1), (8, 1)]);
}

#[test]
fn nothing_one_and_the_greatest_number_have_distributions() {
    let nothing = Distribution::of(std::iter::empty()).unwrap();
    assert_eq!((nothing.median, nothing.mean, nothing.histogram.len()), (0, 0.0, 0));
    let one = Distribution::of(std::iter::once(5)).unwrap();
    assert_eq!((one.minimum, one.median, one.p99, one.maximum, one.mean), (5, 5, 5, 5, 5.0));
    let bins = Distribution::of(std::iter::once(u32::MAX)).unwrap().histogram;
    assert_eq!((bins.len(), bins[32].from, bins[32].to, bins[32].count), (33, 1 << 31, u32::MAX, 1));
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_real_graphs_are_inspected() {
    let loops = [("ego-Twitter", 81_306, 1_342_310, 14), ("email-Eu-core", 1_005, 25_571, 642)];
    for (name, vertices, edges, loops) in loops {
        let file = data(&format!("snap/{name}.txt.gz"));
        let report = report(&[file.to_str().unwrap(), "--orders"]);
        assert_eq!((&report["graph"]["vertices"], &report["graph"]["edges"]), (&vertices.into(), &edges.into()));
        assert_eq!(report["loops"], loops, "{name}");
    }
}
