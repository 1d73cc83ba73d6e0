//! Standard input and output in place of files, and what is shown meanwhile.
#![cfg(unix)]

mod command;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::process::{Command, Output, Stdio};

use command::{
    ALL, ALS, BELIEF_PROPAGATION, BOTH, Folder, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING,
    PAGERANK, compressed, refused, rows, succeeds,
};
use onyx_cli::image::{png, scene};

const EDGES: &str = "7 8\n8 9\n9 7\n9 11\n";

/// Runs a binary on the CPU with something on its standard input.
fn fed(binary: &str, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(binary);
    command.args(["--backend", "cpu"]).args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that has refused its options reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn texts(output: Output) -> (Option<i32>, String, String) {
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), out, error)
}

#[test]
fn a_graph_comes_from_standard_input() {
    let folder = Folder::new();
    let graph = folder.file("graph", EDGES);
    for binary in BOTH {
        let output = folder.path("of_file");
        succeeds(binary, &["--graph", &graph, "--output", &output]);
        for input in [EDGES.as_bytes(), &compressed(EDGES)] {
            let piped = folder.path("of_input");
            let (status, _, error) = texts(fed(binary, &["--graph", "-", "--output", &piped], input));
            assert_eq!((status, error.as_str()), (Some(0), ""));
            assert_eq!(rows(&piped), rows(&output));
        }
        let (status, _, error) = texts(fed(binary, &["--graph", "-"], b"7 8\nx\n"));
        assert_eq!(status, Some(2));
        assert!(error.starts_with("error: standard input:2: expected two vertex ids"), "{error}");
        let (status, _, error) = texts(fed(binary, &["--graph", "-", "--cache", &folder.path("cache")], b"1 2\n"));
        assert!(status == Some(2) && error.contains("--cache keeps the graph of a file"), "{error}");
    }
}

#[test]
fn every_file_may_be_standard_input_once() {
    let folder = Folder::new();
    let (graph, vectors) = (folder.file("graph", EDGES), folder.file("vectors", "7 8 1\n8 9 1\n"));
    let cases: [(&str, &[&str], &str); 6] = [
        (LABEL_PROPAGATION, &["--graph", &graph, "--labels", "-"], "7 0\n11,1\n"),
        (PAGERANK, &["--graph", &graph, "--personalize", "-"], "7 1\n"),
        (MULTI_MANIFOLD_RANKING, &["--graph", "-"], "7 8 1 2\n8 7 1 2\n"),
        (MULTI_MANIFOLD_RANKING, &["--graph", &vectors, "--queries", "-"], "7 1\n"),
        (MULTIMODAL_LEARNING, &["--graph", "-"], "7 8 1 2 3 4\n"),
        (ALS, &["--ratings", "-", "--test-share", "0", "--features", "2"], "1,2,3\n1,3,4\n2,2,5\n2,3,1\n"),
    ];
    for (binary, arguments, input) in cases {
        let (status, _, error) = texts(fed(binary, arguments, input.as_bytes()));
        assert_eq!((status, error.as_str()), (Some(0), ""), "{binary} {arguments:?}");
    }
    let (status, _, error) = texts(fed(LABEL_PROPAGATION, &["--graph", "-", "--labels", "-"], b"1 2\n"));
    assert!(status == Some(2) && error.contains("standard input (-) can be read once"), "{error}");
}

#[test]
fn a_picture_comes_from_standard_input() {
    let mut picture = Vec::new();
    png::write(&mut picture, &scene::draw(16, 12)).unwrap();
    let arguments = ["--image", "-", "--states", "4", "--iterations", "2", "--json"];
    for input in [&picture, &compressed(&picture)] {
        let (status, said, error) = texts(fed(BELIEF_PROPAGATION, &arguments, input));
        assert_eq!((status, error.as_str()), (Some(0), ""));
        assert!(said.contains(r#""picture":{"channels":3,"height":12,"width":16}"#), "{said}");
    }
}

#[test]
fn results_go_to_standard_output() {
    let folder = Folder::new();
    let model = folder.file("model", "MARKOV\n2\n2 2\n2\n1 0\n2 0 1\n2 0.4 0.6\n4 3 1 1 2\n");
    for binary in ALL {
        let path = folder.path("output");
        let input: &[&str] = match binary {
            BELIEF_PROPAGATION => &["--model", &model],
            // Two runs may add what they push in another order.
            LABEL_PROPAGATION | PAGERANK | MULTI_MANIFOLD_RANKING | MULTIMODAL_LEARNING => &["--deterministic"],
            _ => &[],
        };
        succeeds(binary, &[input, &["--output", &path]].concat());
        let expected = std::fs::read_to_string(&path).unwrap();
        for name in ["-", "/dev/stdout"] {
            let (status, out, error) = texts(fed(binary, &[input, &["--output", name]].concat(), b""));
            assert_eq!(status, Some(0), "{binary}: {error}");
            assert_eq!(out, expected, "{binary}");
            assert!(error.contains(" after ") && error.contains(" in "), "the report of {binary}: {error}");
        }
        let (_, out, error) = texts(fed(binary, &[input, &["--output", "-", "--json"]].concat(), b""));
        assert!(out == expected && serde_json::from_str::<serde_json::Value>(&error).is_ok(), "{error}");
    }
    assert_eq!(folder.names(), ["model", "output"]);
}

#[test]
fn labels_may_be_compressed_and_have_commas() {
    let folder = Folder::new();
    let graph = folder.file("graph", EDGES);
    let results = ["7 0\n11 1\n", "7,0\r\n11,1\r\n", "\u{feff}# x\n7\t0\n\n  11 , 1", "% y\n7 0\n11 1"].map(|labels| {
        [labels.as_bytes().to_vec(), compressed(labels)].map(|content| {
            let (labels, output) = (folder.file("labels", content), folder.path("output"));
            succeeds(LABEL_PROPAGATION, &["--graph", &graph, "--undirected", "--labels", &labels, "--output", &output]);
            rows(&output)
        })
    });
    assert!(results.iter().flatten().all(|result| *result == results[0][0]));
    let labels = folder.file("labels", &compressed("7 0\n11 1\n")[..20]);
    assert!(refused(LABEL_PROPAGATION, &["--graph", &graph, "--labels", &labels]).contains("truncated or corrupt"));
}

#[test]
fn an_undirected_edge_is_one_edge_in_every_program() {
    let folder = Folder::new();
    let once = folder.file("once", "1 2 0.5\n2 3 0.25\n");
    let again = folder.file("again", "1 2 0.5\n3 2 0.25\n2 1 0.5\n2 3 0.25\n1 2 0.5\n");
    let differs = folder.file("differs", "1 2 0.5\n2 3 0.25\n2 1 0.75\n");
    for binary in [PAGERANK, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING] {
        let results = [&once, &again].map(|graph| {
            let output = folder.path("output");
            succeeds(binary, &["--graph", graph, "--undirected", "--output", &output]);
            rows(&output)
        });
        assert_eq!(results[0], results[1], "{binary}");
        let error = refused(binary, &["--graph", &differs, "--undirected"]);
        assert!(error.contains("the edge between 1 and 2") && error.contains("is one edge"), "{error}");
        let help = succeeds(binary, &["--help"]);
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains("one that is listed more than once, in whichever direction, is one edge"), "{help}");
    }
    let turned = folder.file("turned", "1 2 1 2 3 4\n2 1 1 3 2 4\n");
    succeeds(MULTIMODAL_LEARNING, &["--graph", &turned, "--undirected"]);
    let straight = folder.file("straight", "# x\n1 2 1 2 3 4\n\n2 1 1 2 3 4\n");
    let error = refused(MULTIMODAL_LEARNING, &["--graph", &straight, "--undirected"]);
    assert!(error.contains("straight:4: the edge between 1 and 2 stands on line 2 with other numbers"), "{error}");
}

#[test]
fn every_help_says_how_a_program_ends() {
    for binary in ALL {
        let help = succeeds(binary, &["--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
        let end = help.split("Exit status:").nth(1).unwrap_or_else(|| panic!("{binary}: {help}"));
        for status in ["0 if all is well", "1 if", "2 for bad input", "129, 130 or 143 after SIGHUP, Ctrl-C or SIGTERM"]
        {
            assert!(end.contains(status), "{binary}: {end}");
        }
    }
    let help = succeeds(PAGERANK, &["--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("What is at a vertex without outgoing edges goes where the walker jumps to"), "{help}");
}

/// What a binary shows on a terminal while it runs.
fn shown(binary: &str, arguments: &[&str]) -> String {
    let (mut ours, mut theirs) = (0, 0);
    let size = libc::winsize { ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0 };
    let nothing = std::ptr::null_mut();
    // SAFETY: opens a pair of descriptors, which the files below own.
    assert_eq!(unsafe { libc::openpty(&mut ours, &mut theirs, nothing, std::ptr::null(), &size) }, 0);
    // SAFETY: as above.
    let (mut terminal, theirs) = unsafe { (File::from_raw_fd(ours), Stdio::from(File::from_raw_fd(theirs))) };
    let mut command = Command::new(binary);
    command.args(["--backend", "cpu"]).args(arguments).env("TERM", "xterm");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(theirs).spawn().unwrap();
    drop(command);
    let mut text = Vec::new();
    // The terminal is gone when the program is, which is an error.
    let _ = terminal.read_to_end(&mut text);
    assert!(child.wait().unwrap().success());
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn what_takes_long_is_shown() {
    let folder = Folder::new();
    let edges: String = (0..400_000).map(|edge| format!("{} {}\n", edge % 9973, edge % 7919)).collect();
    let graph = folder.file("graph", edges);
    let text = shown(PAGERANK, &["--graph", &graph]);
    for phase in ["reading ", "parsing ", "sorting edges ", "iteration ", "verifying "] {
        assert!(text.contains(phase), "{phase} in {text}");
    }
    let text = shown(LABEL_PROPAGATION, &["--generate", "rmat:15"]);
    for phase in ["drawing edges ", "sorting edges ", "verifying "] {
        assert!(text.contains(phase), "{phase} in {text}");
    }
    let ratings: String = (0..200_000).map(|number| format!("{},{},3\n", number / 40, number % 997)).collect();
    let text = shown(ALS, &["--ratings", &folder.file("ratings", ratings), "--features", "4", "--sweeps", "1"]);
    for phase in ["reading ", "parsing ", "sorting ratings ", "verifying "] {
        assert!(text.contains(phase), "{phase} in {text}");
    }
    assert!(shown(PAGERANK, &["--graph", &graph, "--json"]).is_empty());
}
