//! Bad input is refused in one line, with exit code 2, and nothing is written.

mod command;

use std::process::Command;

use command::{
    ALS, BELIEF_PROPAGATION, BOTH, Folder, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, PAGERANK,
    compressed, refused, rows, succeeds,
};
const EDGES: &str = "1 2\n2 3\n";

/// Refuses a graph file with this content, and checks that no output appears.
fn graph_refused(content: impl AsRef<[u8]>, reason: &str) {
    let folder = Folder::new();
    let (graph, output) = (folder.file("graph", content), folder.path("output"));
    for binary in BOTH {
        let error = refused(binary, &["--graph", &graph, "--output", &output]);
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(folder.names(), ["graph"]);
}

fn option_refused(binary: &str, arguments: &[&str], reason: &str) {
    let error = refused(binary, arguments);
    assert!(error.contains(reason), "{arguments:?}: {error}");
}

#[test]
fn graphs_that_cannot_be_read() {
    let folder = Folder::new();
    for binary in BOTH {
        option_refused(binary, &["--graph", &folder.path("none")], "No such file");
        option_refused(binary, &["--graph", &folder.path("")], "it is a directory");
    }
    let whole = compressed(&"1 2\n2 3\n".repeat(1000));
    graph_refused(&whole[..whole.len() - 12], "truncated or corrupt");
    let mut corrupt = whole.clone();
    let last = corrupt.len() - 6;
    corrupt[last] ^= 0xff;
    graph_refused(corrupt, "truncated or corrupt");
}

#[test]
fn archives_are_told_by_every_reader() {
    let folder = Folder::new();
    let (graph, archive) = (folder.file("graph", "1 2 1\n2 3 1\n"), folder.file("archive", b"PK\x03\x04\x14\0"));
    let ratings = folder.file("ratings", "1,2,3\n1,3,4\n");
    let cases: [(&str, &[&str]); 9] = [
        (LABEL_PROPAGATION, &["--labels"]),
        (LABEL_PROPAGATION, &["--known"]),
        (PAGERANK, &["--graph", &graph, "--personalize"]),
        (MULTI_MANIFOLD_RANKING, &["--graph", &graph, "--queries"]),
        (MULTIMODAL_LEARNING, &["--graph", &graph, "--seeds"]),
        (MULTIMODAL_LEARNING, &["--graph", &graph, "--known"]),
        (BELIEF_PROPAGATION, &["--model"]),
        (ALS, &["--ratings"]),
        (ALS, &["--ratings", &ratings, "--titles"]),
    ];
    for (binary, arguments) in cases {
        option_refused(binary, &[arguments, &[&archive]].concat(), "archive is a zip archive: unpack it first");
    }
}

#[test]
fn graphs_that_say_nothing() {
    graph_refused("", "holds no edge");
    graph_refused("# nothing\n\n", "holds no edge");
    graph_refused("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", "has no vertices");
    graph_refused("%%MatrixMarket matrix coordinate pattern general\n2 3 0\n", "a graph needs a square one");
    graph_refused("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n", "declares 2 entries");
}

#[test]
fn lines_that_are_no_edges() {
    graph_refused("1 2\none two\n", ":2: expected two vertex ids");
    graph_refused("1\n", "expected two vertex ids");
    graph_refused("1 2 3 4\n", "expected two vertex ids");
    graph_refused("1 -2\n", "negative");
    graph_refused("1 18446744073709551616\n", "greater than");
    graph_refused("1 2 nan\n", "not a finite");
    graph_refused("1 2 inf\n", "not a finite");
    graph_refused("1 2 1e39\n", "not a finite");
    graph_refused("1 2 1.0\n2 3\n", "has no weight");
    graph_refused("1 2 1\n2 3\n", "these look like the rows, columns and entries of a Matrix Market file");
    graph_refused("1 2 1.5\n2 3\n", "has no weight");
    graph_refused("1 2\n\u{1b}[31mred\n", ":2: expected two vertex ids and at most one weight, in \"\\x1b[31mred\"");
}

#[test]
fn weights_below_zero_have_no_shares() {
    let folder = Folder::new();
    let graph = folder.file("graph", "7 8 1\n8 9 -0.5\n");
    option_refused(LABEL_PROPAGATION, &["--graph", &graph], "from 8 to 9 has the weight -0.5");
}

#[test]
fn labels_that_do_not_fit() {
    let folder = Folder::new();
    let graph = folder.file("graph", EDGES);
    let cases = [
        ("4 0\n", "the graph has no vertex 4"),
        ("1 0\n1 1\n", ":2: vertex 1 has a label on an earlier line"),
        ("1 0\n2\n", ":2: expected"),
        ("1 0 0\n", ":1: expected"),
        ("1 red\n", "\"red\" is not a class"),
        ("1 -1\n", "\"-1\" is not a class"),
        ("one 1\n", "\"one\" is not a vertex id"),
        ("0\n1\n", "has 2 labels for 3 vertices"),
        ("0\n0\n0 1\n", ":3: expected"),
        ("# none\n", "holds no label"),
        ("1 700\n", "the labels have 701 classes, from 0 to 700, and 640 are possible"),
        ("1 4294967295\n", "the labels have 4294967296 classes"),
        ("1 4294967296\n", "\"4294967296\" is not a class"),
        ("1 \u{1b}[2J\n", "\"\\x1b[2J\" is not a class"),
    ];
    for (content, reason) in cases {
        let labels = folder.file("labels", content);
        option_refused(LABEL_PROPAGATION, &["--graph", &graph, "--labels", &labels], reason);
        let good = folder.file("good", "1 0\n");
        option_refused(LABEL_PROPAGATION, &["--graph", &graph, "--labels", &good, "--known", &labels], reason);
    }
    option_refused(LABEL_PROPAGATION, &["--labels", &folder.path("none")], "cannot read");
    option_refused(LABEL_PROPAGATION, &["--labels", &folder.path("")], "cannot read");
    option_refused(LABEL_PROPAGATION, &["--known", &folder.path("none")], "cannot read");
}

#[test]
fn edges_without_their_numbers() {
    let folder = Folder::new();
    let cases = [
        (
            "1 2 0.5 1\n2 3 0.5\n",
            "graph:2: expected 2 numbers after the vertex ids, and found 1",
            ":1: 2 weights are no",
        ),
        ("1 2\n", "graph:1: expected \"source destination weight", "graph:1: expected \"source destination weight"),
        ("# one\n1\n", "graph:2: expected \"source", "graph:2: expected \"source"),
        ("1 two 1\n", "graph:1: \"two\" is not a vertex id", "graph:1: \"two\" is not a vertex id"),
        ("1 -2 1\n", "\"-2\" is not a vertex id", "\"-2\" is not a vertex id"),
        ("1 2 1 1 1 x\n", ":1: \"x\" is not a finite number", ":1: \"x\" is not a finite number"),
        ("1 2 1e39\n", ":1: \"1e39\" is not a finite number", ":1: \"1e39\" is not a finite number"),
        ("1 2 1e-60\n", ":1: \"1e-60\" is nearer to 0 than", ":1: \"1e-60\" is nearer to 0 than"),
        ("# none\n", "graph holds no line", "graph holds no line"),
    ];
    for (content, vector, matrix) in cases {
        let graph = folder.file("graph", content);
        option_refused(MULTI_MANIFOLD_RANKING, &["--graph", &graph], vector);
        option_refused(MULTIMODAL_LEARNING, &["--graph", &graph], matrix);
    }
    let graph = folder.file("graph", "1 2 1 1\n2 1 1 -0.5\n");
    option_refused(MULTI_MANIFOLD_RANKING, &["--graph", &graph], "graph:2: the weight -0.5 is below 0");
    let wide = folder.file("graph", format!("1 2{}\n", " 1".repeat(33 * 33)));
    option_refused(MULTIMODAL_LEARNING, &["--graph", &wide], "graph have numbers for 33 features, and 32 are possible");
    for binary in [MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING] {
        option_refused(binary, &["--graph", &folder.path("none")], "cannot read");
        option_refused(binary, &["--graph", &graph, "--cache", &folder.path("cache")], "an edge has several");
        option_refused(binary, &["--features", "7"], "have weights for");
        option_refused(binary, &["--features", "0"], "ask for 1 to");
        option_refused(binary, &["--generate", "rmat:4", "--features", "4096"], "ask for 1 to");
        option_refused(binary, &["--alpha", "1"], "a number between 0 and 1");
        option_refused(binary, &["--tolerance", "0.2"], "the tolerance is 0.2, and must be between 0 and 0.1");
    }
}

#[test]
fn vertices_without_their_numbers() {
    let folder = Folder::new();
    let graph = folder.file("graph", "1 2 1 1 1 1\n");
    let cases = [
        ("1 1 1 1\n1 1 1 1\n", "rows:2: "),
        ("3 1 1\n", "rows:1: the graph has no vertex 3"),
        ("one 1 1\n", "rows:1: \"one\" is not a vertex id"),
        ("1 1 1 1 nan\n", "rows:1: "),
        ("2\n", "rows:1: expected "),
        ("\n", "rows holds no line"),
    ];
    for (content, reason) in cases {
        let rows = folder.file("rows", content);
        if content.starts_with("1 1 1 1\n") {
            let square = folder.file("square", "1 2 1 1 1\n");
            option_refused(
                MULTI_MANIFOLD_RANKING,
                &["--graph", &square, "--queries", &rows],
                "stands on an earlier line",
            );
        } else {
            option_refused(MULTI_MANIFOLD_RANKING, &["--graph", &graph, "--queries", &rows], reason);
            option_refused(MULTIMODAL_LEARNING, &["--graph", &graph, "--seeds", &rows], reason);
        }
    }
    option_refused(
        MULTI_MANIFOLD_RANKING,
        &["--graph", &graph, "--query", "9"],
        "--query 9: the graph has no vertex 9",
    );
    option_refused(PAGERANK, &["--restart", "1,99"], "--restart 99: the graph has no vertex 99");
    for (content, reason) in [
        ("1 1\n2 -1\n", "restart:2: the weight -1 is below 0"),
        ("1 0\n", "sum to 0"),
        ("1\n", "restart:1: expected 1 numbers"),
        ("99 1\n", "no vertex 99"),
    ] {
        let restart = folder.file("restart", content);
        option_refused(PAGERANK, &["--personalize", &restart], reason);
    }
}

#[test]
fn features_that_do_not_fit() {
    option_refused(LABEL_PROPAGATION, &["--features", "0"], "ask for 1 to 640");
    option_refused(LABEL_PROPAGATION, &["--features", "4096"], "ask for 1 to 640");
    option_refused(LABEL_PROPAGATION, &["--features", "1"], "1 features are too few for 2 classes");
    option_refused(LABEL_PROPAGATION, &["--generate", "grid:3x3", "--features", "0"], "ask for 1 to 640");
    for features in ["0", "2", "4096"] {
        option_refused(PAGERANK, &["--features", features], "only --features 1 is possible");
    }
}

#[test]
fn options_out_of_range() {
    for binary in BOTH {
        option_refused(binary, &["--backend", "tpu"], "unknown backend \"tpu\"");
        option_refused(binary, &["--direction", "sideways"], "'sideways'");
        for option in ["--iterations", "--refresh", "--read-every"] {
            option_refused(binary, &[option, "0"], "at least 1");
        }
        option_refused(
            binary,
            &["--direction", "push", "--deterministic"],
            "--direction push: a deterministic run allows no push; use --direction pull",
        );
        option_refused(binary, &["--direction", "push", "--no-change-driven"], "allows no push; use --direction pull");
        for tolerance in ["0", "-1", "nan", "inf", "1e-60", "small"] {
            option_refused(binary, &["--tolerance", tolerance], "a finite number above 0");
        }
        for bins in ["0", "-1", "4097", "many"] {
            option_refused(binary, &["--bins", bins], "give auto, none, or a number of bins from 1 to 4096");
        }
        option_refused(
            binary,
            &["--seed", "-1"],
            "'-1' for '--seed <NUMBER>': a whole number from 0 to 18446744073709551615 is needed",
        );
        option_refused(binary, &["--colour"], "'--colour'");
    }
    for binary in [PAGERANK, MULTI_MANIFOLD_RANKING] {
        option_refused(binary, &["--top", "-1"], "'-1' for '--top <NUMBER>'");
    }
    for value in ["0", "1", "-0.5", "1.5", "nan"] {
        option_refused(LABEL_PROPAGATION, &["--alpha", value], "between 0 and 1");
        option_refused(PAGERANK, &["--damping", value], "between 0 and 1");
    }
    for share in ["0", "1", "-0.5", "nan"] {
        option_refused(LABEL_PROPAGATION, &["--known", share], "between 0 and 1");
    }
}

#[test]
fn options_that_contradict_each_other() {
    let folder = Folder::new();
    let graph = folder.file("graph", EDGES);
    for binary in BOTH {
        option_refused(binary, &["--graph", &graph, "--generate", "grid:2x2"], "cannot be used with");
        option_refused(binary, &["--undirected"], "--graph");
        option_refused(binary, &["--cache", "x"], "--graph");
        let output = folder.path("output");
        option_refused(binary, &["--generate", "grid:2x2,grid:3x3", "--output", &output], "names 2");
    }
    option_refused(LABEL_PROPAGATION, &["--known", "0.5"], "--labels");
    assert_eq!(folder.names(), ["graph"]);
}

#[test]
fn generators_that_do_not_exist_or_ask_for_too_much() {
    for generator in ["tree:5", "rmat", "rmat:40", "grid:3", "grid:0x3", "uniform:10", "rmat:8,tree:5", ""] {
        for binary in BOTH {
            option_refused(binary, &["--generate", generator], "cannot generate");
        }
    }
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = Folder::new();
    for binary in BOTH {
        option_refused(binary, &["--output", &folder.path("none/output")], "cannot write");
        option_refused(binary, &["--output", &folder.path("")], "not a regular file");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_file_that_is_no_cache_is_not_overwritten() {
    let folder = Folder::new();
    let (graph, notes) = (folder.file("graph", EDGES), folder.file("notes", EDGES));
    for binary in BOTH {
        option_refused(binary, &["--graph", &graph, "--cache", &notes], "not a usable graph cache");
        option_refused(binary, &["--graph", &graph, "--cache", &folder.path("none/cache")], "cannot write");
        option_refused(binary, &["--graph", &graph, "--cache", "-"], "--cache -: a cache is a file");
    }
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), EDGES);
}

/// What `--backend cuda` says without a driver, or else without usable kernels in the folder that `ONYX_PTX_DIR` names.
fn cuda_refused(kernels: &Folder, reason: &str) {
    let reason = if onyx_runtime::driver().is_ok() { reason } else { "driver" };
    for binary in BOTH {
        let mut command = Command::new(binary);
        let output = command.args(["--backend", "cuda"]).env("ONYX_PTX_DIR", kernels.path("")).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.starts_with("error: ") && error.contains(reason) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn a_gpu_that_cannot_be_used() {
    let folder = Folder::new();
    cuda_refused(&folder, "run cargo xtask build-ptx");
    folder.file("onyx-examples.json", "{}");
    cuda_refused(&folder, "run cargo xtask build-ptx");
    let kernel = |fold: &str| {
        format!(
            r#"{{"entry":"{fold}__pull__k1","fold":"{fold}","schedule":"pull","width":1,"fingerprint":"0000000000000000"}}"#
        )
    };
    let kernels = ["label_propagation__step", "page_rank__step"].map(kernel).join(",");
    let manifest = format!(r#"{{"format":1,"package":"onyx-examples","targets":[],"kernels":[{kernels}]}}"#);
    folder.file("onyx-examples.json", manifest);
    cuda_refused(&folder, "stale");
}

#[test]
fn weights_of_any_size_have_shares() {
    let folder = Folder::new();
    let shares = ["1", "3e38", "1e-40", "1e-45"].map(|weight| {
        let edges = ["1 2", "3 2", "4 2", "2 5"].map(|edge| format!("{edge} {weight}\n")).concat();
        let (graph, labels) = (folder.file("graph", edges), folder.file("labels", "1 0\n3 1\n4 1\n"));
        let output = folder.path("output");
        succeeds(LABEL_PROPAGATION, &["--graph", &graph, "--labels", &labels, "--output", &output]);
        rows(&output)
    });
    let numbers = |rows: &[Vec<String>]| rows.concat().iter().map(|word| word.parse().unwrap()).collect::<Vec<f64>>();
    for of in &shares {
        let differences = numbers(of).into_iter().zip(numbers(&shares[0])).map(|(one, other)| (one - other).abs());
        assert!(differences.fold(0.0, f64::max) < 1e-6, "{shares:?}");
    }
}

#[test]
fn the_words_of_a_message_are_those_of_the_command_line() {
    for (binary, arguments) in [
        (LABEL_PROPAGATION, &["--features", "641"][..]),
        (LABEL_PROPAGATION, &["--features", "18446744073709551615"]),
        (MULTI_MANIFOLD_RANKING, &["--features", "129"]),
        (MULTIMODAL_LEARNING, &["--features", "33"]),
        (PAGERANK, &["--direction", "push", "--deterministic"]),
    ] {
        let error = refused(binary, arguments);
        assert!(!error.contains("__") && !error.contains("kernel") && error.contains(arguments[0]), "{error}");
    }
}
